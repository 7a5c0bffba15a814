"""Type promotion: every pair of dtypes and ranks, against PyTorch and against rules stated here."""

import itertools

import numpy as np
import pytest

from autodidact.arrays import dtype as dt
from autodidact.arrays import promotion

PAIRS = list(itertools.product(dt.ALL, repeat=2))
NUMBERS = (True, 2, 2.5, 2j)
# complex32 does not exist in NumPy, so float16 meets complex numbers in complex64.
NEAREST = {"complex32": "complex64"}

# One row per dtype, in the order of dt.ALL: what it makes with each of them.
LATTICE = """
bool       bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64 complex128
uint8      uint8 uint8 int16 int16 int32 int64 float16 float32 float64 complex64 complex128
int8       int8 int16 int8 int16 int32 int64 float16 float32 float64 complex64 complex128
int16      int16 int16 int16 int16 int32 int64 float16 float32 float64 complex64 complex128
int32      int32 int32 int32 int32 int32 int64 float16 float32 float64 complex64 complex128
int64      int64 int64 int64 int64 int64 int64 float16 float32 float64 complex64 complex128
float16    float16 float16 float16 float16 float16 float16 float16 float32 float64 complex64 complex128
float32    float32 float32 float32 float32 float32 float32 float32 float32 float64 complex64 complex128
float64    float64 float64 float64 float64 float64 float64 float64 float64 float64 complex128 complex128
complex64  complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex64 complex128 complex64 complex128
complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128 complex128
"""  # noqa: E501


@pytest.fixture(params=["float32", "float64", "float16"])
def default(request):
    """Each default dtype in turn, for us."""
    before = dt.get_default_dtype()
    dt.set_default_dtype(getattr(dt, request.param))
    yield request.param
    dt.set_default_dtype(before)


@pytest.fixture
def torch(oracle, default):
    """PyTorch with the same default dtype as ours."""
    oracle.set_default_dtype(getattr(oracle, default))
    yield oracle
    oracle.set_default_dtype(oracle.float32)


def name(torch_dtype):
    """The name of PyTorch's dtype, or of the one that stands in for it here."""
    plain = str(torch_dtype).removeprefix("torch.")
    return NEAREST.get(plain, plain)


def shapes():
    """Dimensioned or 0-dim for two operands."""
    return itertools.product([(2,), ()], repeat=2)


def test_lattice_without_torch():
    for line in LATTICE.split("\n")[1:-1]:
        first, *expected = line.split()
        a = next(d for d in dt.ALL if d.name == first)
        assert [promotion.promote_types(a, b).name for b in dt.ALL] == expected


def test_promote_types_and_can_cast_equal_torch(oracle):
    for a, b in PAIRS:
        ta, tb = getattr(oracle, a.name), getattr(oracle, b.name)
        assert promotion.promote_types(a, b).name == name(oracle.promote_types(ta, tb)), (a, b)
        assert promotion.can_cast(a, b) == oracle.can_cast(ta, tb), (a, b)


def test_two_tensors_equal_torch(torch):
    for (a, b), (sa, sb) in itertools.product(PAIRS, shapes()):
        expected = name(torch.result_type(torch.ones(sa, dtype=getattr(torch, a.name)),
                                          torch.ones(sb, dtype=getattr(torch, b.name))))
        x, y = np.ones(sa, a.numpy), np.ones(sb, b.numpy)
        assert promotion.result_type(x, y).name == expected, (a, b, sa, sb)
        assert promotion.common_dtype(x.dtype, x.ndim, y.dtype, y.ndim).name == expected


def test_tensor_and_number_equal_torch(torch):
    for a, shape, number in itertools.product(dt.ALL, [(2,), ()], NUMBERS):
        t = torch.ones(shape, dtype=getattr(torch, a.name))
        expected = name(torch.result_type(t, number))
        x = np.ones(shape, a.numpy)
        assert promotion.result_type(x, number).name == expected, (a, shape, number)
        assert promotion.result_type(number, x).name == expected
        assert promotion.number_dtype(x.dtype, type(number)).name == expected


def test_two_numbers_equal_torch(torch):
    for a, b in itertools.product(NUMBERS, repeat=2):
        assert promotion.result_type(a, b).name == name(torch.result_type(a, b)), (a, b)


def test_float_of_equals_torch(torch):
    for d in dt.ALL:
        expected = name(torch.ones(2, dtype=getattr(torch, d.name)).sin().dtype)
        assert promotion.float_of(d).name == expected
        assert promotion.float_dtype(d.numpy).name == expected


def test_three_operands_equal_torch(oracle):
    """With three operands the ranks are settled for all at once, not pair by pair."""
    kinds = (dt.bool_, dt.uint8, dt.int64, dt.float32, dt.float64)
    for a, b, c in itertools.product(kinds, repeat=3):
        x, y, z = (oracle.ones(shape, dtype=getattr(oracle, d.name))
                   for d, shape in ((a, (2,)), (b, ()), (c, ())))
        try:
            expected = name(oracle.addcmul(x, y, z).dtype)
        except RuntimeError:                              # addcmul refuses all-bool
            continue
        ours = promotion.result_dtype([(a, True, False), (b, False, False), (c, False, False)])
        assert ours.name == expected, (a, b, c)


@pytest.mark.parametrize(("operands", "expected"), [
    ([(dt.uint8, True, False), (dt.int64, False, False)], dt.uint8),
    ([(dt.bool_, True, False), (dt.int64, False, True)], dt.int64),
    ([(dt.int64, True, False), (dt.float64, False, True)], dt.float32),
    ([(dt.float64, True, False), (dt.complex64, False, True)], dt.complex128),
    ([(dt.float32, True, False), (dt.complex128, False, False)], dt.complex64),
    ([(dt.int8, True, False), (dt.uint8, True, False), (dt.float64, False, False)], dt.float64),
    ([(np.dtype(np.int16), False, False)], dt.int16),
])
def test_ranks_without_torch(operands, expected):
    assert promotion.result_dtype(operands) is expected
    assert promotion.result_dtype(reversed(operands)) is expected


def test_the_default_dtype_is_read_each_time(default):
    assert promotion.float_of(dt.int8).name == default
    assert promotion.number_dtype(np.dtype(np.int8), float).name == default


@pytest.mark.parametrize("call", [
    lambda: promotion.can_cast(dt.float32, 3),
    lambda: promotion.promote_types(int, dt.float32),
])
def test_what_is_not_a_dtype_is_refused(call):
    with pytest.raises(TypeError, match=r"must be torch\.dtype, not"):
        call()


def test_in_place_results_must_fit(oracle):
    for other, target in PAIRS:
        x = oracle.ones(2, dtype=getattr(oracle, target.name))
        y = oracle.ones(2, dtype=getattr(oracle, other.name))
        result = promotion.promote_types(other, target)
        expected = complaint(x.mul_, y).replace("ComplexHalf", "ComplexFloat")
        assert complaint(promotion.check_castable, result, target) == expected, (other, target)


def complaint(function, *arguments):
    """The text of the RuntimeError that a call raises; empty when it succeeds."""
    try:
        function(*arguments)
    except RuntimeError as error:
        return str(error)
    return ""


def test_no_operand_is_an_error():
    with pytest.raises(ValueError, match="at least one operand"):
        promotion.result_dtype([])
