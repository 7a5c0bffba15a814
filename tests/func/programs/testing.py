"""torch.testing: what two results differ in, in words; random tensors in every dtype."""

import math

import numpy as np

from tests.autograd.observe import plain, raises


def _said(torch, actual, expected, **how):
    """The whole text of the complaint, None where there is none."""
    try:
        torch.testing.assert_close(actual, expected, **how)
    except (AssertionError, TypeError, ValueError) as error:
        name = f"{torch.Tensor.__module__}.Tensor"
        return [type(error).__name__, str(error).replace(name, "Tensor")]
    return None


def tensors_compared(torch):
    t, inf = torch.tensor, math.inf
    pairs = [([1.0, 2.0], [1.0, 2.0]), ([1.0, 2.0, 5.0], [1.0, 3.0, 5.0]), (1.0, 2.0), (1, 2),
             ([[1.0, 2.0], [3.0, 4.0]], [[1.0, 3.0], [3.0, 9.0]]), ([1, 2], [1, 3]), ([], []),
             ([True, False], [True, True]), ([inf, -inf], [inf, -inf]), ([inf], [1.0]),
             ([inf], [-inf]), ([math.nan], [math.nan]), ([1 + 1j], [1 + 2j]), ([0.1], [0.0]),
             ([1.0], [1.000001]), ([1.0], [[1.0]]), ([1.0], [1]), ([5, 0], [0, 0])]
    return [_said(torch, t(a), t(b)) for a, b in pairs]


def tolerances_by_dtype(torch):
    """Just inside and just outside of what the dtype allows."""
    found = []
    for name, *values in (("float16", 1.0009765625, 1.001953125), ("float32", 1.00001, 1.0001),
                          ("bfloat16", 1.0078125, 1.0234375), ("float64", 1.0000001, 1.000001),
                          ("complex64", 1.00001, 1.0001), ("complex128", 1.0000001, 1.000001)):
        kind = getattr(torch, name)
        one = torch.tensor([1.0], dtype=kind)
        found += [_said(torch, one, torch.tensor([value], dtype=kind)) for value in values]
    wide, narrow = torch.tensor([1.0]), torch.tensor([1.00001], dtype=torch.float64)
    found += [_said(torch, wide, narrow), _said(torch, wide, narrow, check_dtype=False),
              _said(torch, torch.tensor([1]), torch.tensor([1.0]), check_dtype=False)]
    return found


def what_the_caller_asks_for(torch):
    a, b, nan = torch.tensor([1.0]), torch.tensor([1.1]), torch.tensor([math.nan])
    square = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    return [_said(torch, a, b, rtol=0.2, atol=0.0), _said(torch, a, b, rtol=0, atol=0.2),
            _said(torch, a, b, rtol=0, atol=0), _said(torch, a, b, rtol=0, atol=1e-4),
            _said(torch, a, b, rtol=0.2), _said(torch, a, b, atol=0.2),
            _said(torch, nan, nan, equal_nan=True), _said(torch, nan, a, equal_nan=True),
            _said(torch, math.nan, math.nan, equal_nan=True),
            _said(torch, square.t(), square.t().contiguous()),
            _said(torch, square.t(), square.t().contiguous(), check_stride=True),
            _said(torch, a, b, msg="mine"), _said(torch, a, b, msg=lambda said: "mine: " + said)]


def other_things_compared(torch):
    a, b = torch.tensor([1.0]), torch.tensor([2.0])
    pairs = [(1.0, 1.1), (1, 2), (5, 0), (1, 1.0), (1 + 1j, 1 + 2j), (True, False), (True, True),
             (math.nan, math.nan), (1.0, math.inf), (math.inf, math.inf), (-math.inf, math.inf),
             (torch.tensor(1.0), torch.tensor(math.inf)), (None, None), (None, 1),
             ([a, a], [a, b]), ((1,), [1]), ([], []),
             ([1], [1, 2]), ({"a": a}, {"a": b}), ({"a": 1}, {"b": 1}),
             ({"a": [1, 2]}, {"a": [1, 3]}),
             ("a", "a"), (a, 1.0), (a, [1.0]), (np.ones(2), np.ones(2)), (np.ones(2), np.zeros(2)),
             (np.float64(1.0), 1.0), (np.ones(1), a), (a.clone().requires_grad_(), a),
             (torch.nn.Parameter(a), a)]
    return [_said(torch, x, y) for x, y in pairs]


def number_types_need_not_agree(torch):
    return [_said(torch, 1, 1.0, check_dtype=False), _said(torch, 1, 1.5, check_dtype=False),
            _said(torch, torch.nn.Parameter(torch.ones(1)), torch.ones(1),
                  allow_subclasses=False)[0]]


KINDS = ("uint8", "int8", "int16", "int32", "int64", "bool", "float16", "bfloat16", "float32",
         "float64", "complex64", "complex128")


def made_by_chance(torch):
    """The same numbers after the same seed, in every dtype."""
    found, make = {}, torch.testing.make_tensor
    for name in KINDS:
        kind = getattr(torch, name)
        torch.manual_seed(3)
        made = [make(4, dtype=kind, device="cpu"),
                make((2, 2), dtype=kind, device="cpu", low=0, high=1 if name == "bool" else 2)]
        found[name] = [plain(t.to(torch.complex128)) for t in made]
    return found


def made_as_asked_for(torch):
    make, double = torch.testing.make_tensor, torch.float64
    t = make(2, 3, dtype=double, device="cpu", noncontiguous=True, requires_grad=True)
    one = make(1, 1, dtype=double, device="cpu", noncontiguous=True)
    last = make(1, 2, 2, 2, dtype=double, device="cpu", memory_format=torch.channels_last)
    zeros = make(40, dtype=torch.int64, device="cpu", low=0, high=2, exclude_zero=True)
    tiny = make(3, dtype=torch.float32, device="cpu", low=0.0, high=1e-50, exclude_zero=True)
    far = make(50, dtype=torch.float32, device="cpu", low=-3e38, high=3e38)
    cut = make(30, dtype=torch.uint8, device="cpu")
    between = make(200, dtype=torch.int64, device="cpu", low=0.5, high=2.5)
    return [between.unique(), t.storage_offset(), one.storage_offset(), tiny < 1,
            list(t.stride()), t.requires_grad, t.is_leaf, one.is_contiguous(), list(last.stride()),
            zeros.min(), tiny > 0, bool(far.isfinite().all()), bool((far.abs() > 1e38).any()),
            cut.max() < 10, list(make(dtype=double, device="cpu").shape),
            list(make((), dtype=double, device="cpu").shape)]


def made_no_more(torch):
    make = torch.testing.make_tensor

    def refused(*words, dtype=torch.float32, **how):
        return raises(lambda: make(3, dtype=dtype, device="cpu", **how).shape, *words)

    return [
        refused("`low` and `high` cannot be NaN", low=math.nan),
        refused("`low` must be less than `high`, but got 3 >= 2", low=3, high=2),
        refused("`low` must be less than `high`", low=2, high=2, dtype=torch.int32),
        refused(low=2, high=2),
        refused("only supports [0, 256)", low=300, high=400, dtype=torch.uint8),
        refused("only supports [-128, 128)", low=-300, high=-200, dtype=torch.int8),
        refused("not supported for boolean and integral dtypes", requires_grad=True,
                dtype=torch.int64),
        refused("mutually exclusive", noncontiguous=True, memory_format=torch.contiguous_format),
    ]
