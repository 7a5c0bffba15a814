"""The law of kernels: each gives what the row's line of mathematics gives."""

import numpy as np
import pytest

import autodidact.nn  # noqa: F401 - declares the rows of networks
from autodidact.ops import convolution, kernels, pooling, sliding
from autodidact.ops.op import TABLE, either, parameters
from tests.ops.cases import CASES
from tests.ops.differences import floating

ROWS = sorted(op.name for op in TABLE.values() if op.kernels and len(op.inputs) == 1)
PRODUCTS = sorted(op.name for op in TABLE.values() if op.kernels and len(op.inputs) == 2)
SIZES = {"one piece": (3, 5), "some pieces": (3, kernels.PIECE // 2 + 7), "no numbers": (0, 4)}
CLOSE = {np.dtype(np.float32): 2e-5, np.dtype(np.float64): 1e-13}    # sums of cancelling terms


def formula_of(op, word):
    """The line of mathematics that a kernel stands for."""
    if word != "forward":
        return op.vjp[word]
    call = op.forward
    held = dict(zip(call.__code__.co_freevars, call.__closure__, strict=True))
    return held["formula"].cell_contents


def arguments(op):
    """The plain arguments of the row's cases."""
    return [c.args for c in CASES if c.row == op.name]


def numbers(shape, dtype, seed):
    """Numbers around 0, zero and the numbers that are none among them."""
    x = (np.random.default_rng(seed).normal(size=shape) * 3).astype(dtype)
    x.reshape(-1)[:4] = [0, np.inf, -np.inf, np.nan][:x.size]
    return x


def layouts(x):
    """The same numbers, in a row and with gaps."""
    wide = np.zeros((*x.shape[:-1], 2 * x.shape[-1]), x.dtype)
    wide[..., ::2] = x
    return [x, wide[..., ::2], np.asfortranarray(x)]


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize("shape", SIZES.values(), ids=SIZES)
@pytest.mark.parametrize("name", ROWS)
def test_kernel_gives_what_the_formula_gives(name, shape, dtype):
    op = TABLE[name]
    for word, kernel in op.kernels.items():
        formula = formula_of(op, word)
        for args in arguments(op):
            known = {"grad": numbers(shape, dtype, 1), "self": numbers(shape, dtype, 2)}
            with np.errstate(all="ignore"):
                known["result"] = op.forward(known["self"], *args.values())
            known |= args
            wants = parameters(formula)
            first = "self" if word == "forward" else "grad"
            rest = list(args) if word == "forward" else list(wants)
            assert kernel.__code__.co_varnames[:kernel.__code__.co_argcount] == (first, *rest)
            for i, x in enumerate(layouts(known[first])):
                others = [layouts(known[n])[i] if n not in args else known[n] for n in rest]
                before = [np.copy(x) for x in (x, *others) if isinstance(x, np.ndarray)]
                with np.errstate(all="ignore"):
                    expected, found = formula(x, *others), kernel(x, *others)
                assert found.dtype == dtype and found.shape == shape
                np.testing.assert_allclose(found, expected, rtol=CLOSE[dtype], atol=CLOSE[dtype])
                after = [x for x in (x, *others) if isinstance(x, np.ndarray)]
                for a, b in zip(before, after, strict=True):
                    np.testing.assert_array_equal(a, b)


def test_kernels_are_for_many_numbers_of_float32_and_float64():
    which = either(lambda first: "kernel", lambda first: "formula", 2)
    assert which(np.ones(2)) == which(np.ones(3, np.float32)) == "kernel"
    for other in (np.float64(1), np.ones(()), np.ones(1), np.ma.ones(2),
                  *(np.ones(2, kind) for kind in (np.float16, np.complex64, np.int64))):
        assert which(other) == "formula"


def watch(op, word, used, monkeypatch):
    """Note in `used` when the kernel for an input is called."""
    names = ", ".join(("grad", *parameters(op.kernels[word])))
    stand_in = eval(f"lambda {names}: used.append(word) or grad", {"used": used, "word": word})
    monkeypatch.setitem(op.kernels, word, stand_in)
    monkeypatch.setattr(op, "_plans", {})


@pytest.mark.parametrize("name", ROWS)
def test_kernels_are_used_where_numbers_are_many(name, monkeypatch):
    op, used = TABLE[name], []
    args = arguments(op)[0]
    if "self" not in op.kernels:
        return
    watch(op, "self", used, monkeypatch)
    plan = op.plan(1, 1)
    for shape, expected in (((2, op.least), 1), ((1, 1), 0)):
        known = {"self": np.ones(shape), "result": np.ones(shape), **args}
        used.clear()
        plan.run(np.ones(shape), [known[n] for n in plan.names])
        assert len(used) == expected


def test_there_are_rows_with_kernels():
    assert len(ROWS) >= 5 and len(PRODUCTS) >= 2
    assert all(floating(c.arrays()[0]) for c in CASES if c.row in ROWS)


# ---- products of matrices and vectors -----------------------------------------------------------

SHAPES = [(2, 3, 4), (1, 3, 4), (2, 1, 4), (2, 3, 1), (1, 1, 5), (0, 3, 4), (2, 0, 4), (2, 3, 0)]


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize("sizes", SHAPES, ids=str)
@pytest.mark.parametrize("name", PRODUCTS)
def test_kernels_of_products(name, sizes, dtype):
    op, (n, m, p) = TABLE[name], sizes
    rng = np.random.default_rng(11)
    a, b, grad = (rng.normal(size=shape if name == "mm" else shape[:rank]).astype(dtype)
                  for shape, rank in (((n, m), 2), ((m, p), 1), ((n, p), 1)))
    for i in range(3):
        left, right, given = (layouts(x)[i] for x in (a, b, grad))
        known = dict(zip((*op.inputs, "grad"), (left, right, given), strict=True))
        for word, kernel in op.kernels.items():
            formula = formula_of(op, word)
            wants = op.inputs if word == "forward" else ("grad", *parameters(formula))
            assert kernel.__code__.co_varnames[:2] == wants
            expected, found = (f(*[known[w] for w in wants]) for f in (formula, kernel))
            assert found.dtype == dtype and found.shape == expected.shape
            assert found.flags.c_contiguous
            np.testing.assert_allclose(found, expected, rtol=CLOSE[dtype], atol=CLOSE[dtype])


@pytest.mark.parametrize("name", PRODUCTS)
def test_kernels_of_products_are_used(name, monkeypatch):
    op, used = TABLE[name], []
    for word in op.inputs:
        watch(op, word, used, monkeypatch)
    a, b, grad = np.ones((2, 3)), np.ones((3, 4)), np.ones((2, 4))
    for mask, expected in ((3, list(op.inputs)), (1, [op.inputs[0]]), (2, [op.inputs[1]])):
        plan = op.plan(mask, 2)
        known = dict(zip(op.inputs, (a, b), strict=True))
        used.clear()
        found = plan.run(grad, [known[n] for n in plan.names])
        assert used == expected
        assert [g is not None for g in found] == [bool(mask & 1), bool(mask & 2)]


# ---- all gradients at once ----------------------------------------------------------------------

TOGETHER = {                # shapes of input and weight, arguments
    "native_layer_norm": [((5, 2, 4), (4,), {"dims": (-1,), "eps": 1e-5}),
                          ((3, 2, 4), (2, 4), {"dims": (-2, -1), "eps": 0.1})],
    "native_batch_norm": [((3, 2, 4, 5), (2,), {"eps": 1e-5}), ((6, 3), (3,), {"eps": 0.1})],
}


def test_rows_with_all_gradients_at_once():
    itself = {"mkldnn_rnn_layer"}             # its formulas are parts of what the function gives
    assert set(TOGETHER) | itself == {op.name for op in TABLE.values() if op.at_once}


@pytest.mark.parametrize("dtype", CLOSE, ids=str)
@pytest.mark.parametrize(("name", "case"), [(n, c) for n, cases in TOGETHER.items() for c in cases])
def test_gradients_at_once_are_those_of_the_formulas(name, case, dtype):
    (shape, size, args), op, rng = case, TABLE[name], np.random.default_rng(11)
    x, weight, bias, grad = (rng.normal(size=s).astype(dtype) for s in (shape, size, size, shape))
    outs = op.forward(x, weight, bias, *args.values())
    known = {"input": x, "weight": weight, "bias": bias, "weight_shape": size,
             **dict(zip(op.outputs, outs, strict=True)), **args}
    plan = op.plan(7, 3)
    for known["input"] in (x, np.asfortranarray(x)):
        values = [known[n] for n in plan.names]
        before = [np.copy(v) for v in (grad, *values)]
        for others in ((None,) * (len(outs) - 1), outs[1:]):
            grads = (grad, *others)
            once = op.at_once(grads, *[known[n] for n in parameters(op.at_once)])
            assert (once is None) == (others[0] is not None)
            found = plan.run(grads, values)
            for f, got in zip(plan.formulas, found, strict=True):
                expected = f(grads, *[known[n] for n in parameters(f)])
                assert got.dtype == dtype and got.shape == expected.shape
                np.testing.assert_allclose(got, expected, rtol=CLOSE[dtype], atol=CLOSE[dtype])
        for a, b in zip(before, (grad, *values), strict=True):
            np.testing.assert_array_equal(a, b)


# ---- convolution: rows end to end, and windows cut out ------------------------------------------

CONVOLUTIONS = [            # (N, C, *size), (O, C / groups, *kernel), padding, dilation, groups
    ((2, 3, 9), (4, 3, 3), (1,), (1,), 1),
    ((2, 3, 5, 7), (4, 3, 3, 2), (1, 0), (1, 1), 1),
    ((3, 4, 6, 6), (6, 2, 3, 3), (2, 1), (1, 1), 2),
    ((1, 2, 9, 8), (3, 2, 2, 3), (0, 2), (3, 2), 1),
    ((2, 2, 4, 5, 3), (2, 2, 2, 1, 3), (0, 0, 1), (1, 1, 1), 1),
    ((1, 2, 3, 3), (2, 2, 1, 1), (0, 0), (1, 1), 1),
    ((1, 2, 3, 3), (2, 2, 1, 1), (2, 1), (1, 1), 1),          # padding beyond the window's reach
    ((2, 1, 2), (1, 1, 9), (4,), (1,), 1),                    # a window wider than the picture
    ((3, 16, 5, 4), (8, 8, 3, 3), (1, 1), (1, 1), 2),         # channels that are gathered back
    ((2, 8, 40, 41), (64, 8, 1, 7), (0, 3), (1, 1), 1),       # places in several pieces
]


@pytest.mark.parametrize("case", CONVOLUTIONS, ids=str)
def test_rows_end_to_end_give_the_convolution(case, monkeypatch):
    size, weight, padding, dilation, groups = case
    rng = np.random.default_rng(8)
    x, w, ones = rng.normal(size=size), rng.normal(size=weight), (1,) * len(padding)
    found = []
    for few, cached in ((-1, sliding.CACHED), (-1, 200), (10 ** 9, 0)):
        monkeypatch.setattr(convolution, "FEW", few)
        monkeypatch.setattr(sliding, "CACHED", cached)        # 200: a few pictures at a time
        y = convolution.gather(x, w, ones, padding, dilation, groups)
        grad = np.random.default_rng(9).normal(size=y.shape)
        back = convolution.spread(grad, w, size, ones, padding, dilation, groups)
        seen = (sliding.correlate(grad, x, weight, padding, dilation, groups) if few < 0 else
                convolution.correlate(grad, x, weight, ones, padding, dilation, groups))
        assert y.flags.c_contiguous and back.shape == size
        found.append((y, back, seen))
    for whole, parted, plain in zip(*found, strict=True):
        np.testing.assert_allclose(whole, plain, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(parted, plain, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("channels", [2, 32])
def test_convolution_of_no_pictures(channels):
    x = np.zeros((0, channels, 4, 5))
    w, plain = np.ones((channels, channels, 3, 3)), ((1, 1), (1, 1), (1, 1), 1)
    y = convolution.gather(x, w, *plain)
    assert y.shape == x.shape and convolution.spread(y, w, x.shape, *plain).shape == x.shape
    np.testing.assert_array_equal(convolution.correlate(y, x, w.shape, *plain), 0 * w)


@pytest.mark.parametrize("kernel", [(2, 2), (3, 1), (12, 12)])
def test_pooling_finds_the_largest_and_its_place(kernel):
    rng = np.random.default_rng(10)
    x = rng.integers(-3, 3, (2, 3, 25, 26)).astype(np.float32)        # many are equal
    x[0, 0, :4, :5], x[1, 2, 3] = np.nan, np.nan
    count = tuple((n - k) // k + 1 for n, k in zip(x.shape[2:], kernel, strict=True))
    best, where = pooling.largest(x, kernel, kernel, (0, 0), (1, 1), count)
    assert best.shape == where.shape == (2, 3, *count)
    flat = x.reshape(2, 3, -1)
    np.testing.assert_array_equal(
        np.take_along_axis(flat, where.reshape(2, 3, -1), 2).reshape(best.shape), best)
    for at in np.ndindex(best.shape):
        i, j = at[2] * kernel[0], at[3] * kernel[1]
        window = x[at[0], at[1], i:i + kernel[0], j:j + kernel[1]].reshape(-1)
        wrong = np.flatnonzero(np.isnan(window))
        place = wrong[-1] if len(wrong) else window.argmax()          # the last NaN, or the first
        assert where[at] == (i + place // kernel[1]) * 26 + j + place % kernel[1]
