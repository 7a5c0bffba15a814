"""Tensors to print: forty chosen by hand, and as many drawn at random as a test asks for."""

import numpy as np

from autodidact.arrays import dtype as dt

NAN, INF = float("nan"), float("inf")
RAMP = np.arange(2000, dtype=np.float64)

# (dtype, numbers, print options, how the tensor came about)
CHOSEN = [
    ("float32", 1.5, {}, "plain"),
    ("float32", 2.0, {}, "leaf"),
    ("int64", -7, {}, "plain"),
    ("bool", True, {}, "plain"),
    ("complex64", 1 - 2.5j, {}, "plain"),
    ("float32", [1, 2, 3], {}, "plain"),
    ("float32", [1, 2.5, -3], {}, "leaf"),
    ("float64", [1, 2.5, -3], {}, "clone"),
    ("float16", [0.1, 65504], {}, "plain"),
    ("int32", [1, -20, 300], {}, "plain"),
    ("uint8", [[1, 20], [255, 0]], {}, "plain"),
    ("bool", [[True, False], [True, True]], {}, "plain"),
    ("float32", [NAN, INF, -INF], {}, "plain"),
    ("float32", [[NAN, 1.5], [-INF, 0]], {}, "plain"),
    ("float32", [0, 0, 1e-5], {}, "plain"),
    ("float32", [1, 1e9], {}, "plain"),
    ("float32", [0.5, 1000], {}, "plain"),
    ("float32", [0.9, 1000], {}, "plain"),
    ("float32", [-0.0, 0.0], {}, "plain"),
    ("float32", [], {}, "plain"),
    ("int64", [], {}, "plain"),
    ("float32", np.zeros((0, 3)), {}, "plain"),
    ("int16", np.zeros((2, 0, 3)), {}, "plain"),
    ("complex64", [1 + 1e-5j, 2 - 3j], {}, "clone"),
    ("complex128", [[1j, -1j], [NAN, 2]], {}, "plain"),
    ("float32", RAMP[:24].reshape(2, 3, 4) / 7, {}, "plain"),
    ("float32", RAMP[:16].reshape(2, 2, 2, 2), {}, "clone"),
    ("float32", RAMP[:30], {}, "plain"),
    ("float64", RAMP[:12] / 3, {}, "leaf"),
    ("int64", RAMP, {}, "plain"),
    ("float32", RAMP.reshape(40, 50) - 900, {}, "leaf"),
    ("float32", RAMP[:1200].reshape(10, 10, 12) / 9, {}, "plain"),
    ("float32", [0.123456789], {"precision": 8}, "plain"),
    ("float32", [[12345.678, 0.5]], {"sci_mode": False}, "plain"),
    ("float32", [[1, 2]], {"sci_mode": True}, "plain"),
    ("int64", RAMP[:20], {"threshold": 10, "edgeitems": 2}, "plain"),
    ("int64", RAMP[:20], {"linewidth": 30}, "plain"),
    ("float32", RAMP.reshape(40, 50), {"profile": "short"}, "plain"),
    ("int8", RAMP[:120], {"profile": "full"}, "plain"),
    ("float32", [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], {}, "leaf"),
]


def chosen():
    """The forty, as (dtype, array, options, origin)."""
    for name, numbers, options, origin in CHOSEN:
        kind = next(d for d in dt.ALL if d.name == name)
        yield kind, np.array(numbers).astype(kind.numpy), options, origin


def drawn(seed, count):
    """`count` tensors of all dtypes, shapes, sizes of numbers and print options."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        kind = dt.ALL[rng.integers(len(dt.ALL))]
        with np.errstate(all="ignore"):
            numbers = _numbers(rng, kind, _shape(rng)).astype(kind.numpy)
        origin = ["plain", "leaf", "clone"][rng.integers(3)] if kind.category > 1 else "plain"
        yield kind, numbers, _options(rng), origin


def _shape(rng):
    if rng.random() < 0.15:                                        # large enough for a summary
        large = [(1001,), (40, 30), (12, 10, 11), (7, 7, 7, 7), (2000, 1), (1, 2000)]
        return large[rng.integers(len(large))]
    ndim = rng.integers(5)
    largest = [0, 40, 14, 8, 5][ndim]
    return tuple(int(rng.integers(rng.random() > 0.2, largest + 1)) for _ in range(ndim))


def _numbers(rng, kind, shape):
    if kind.category == 0:
        return np.asarray(rng.random(shape) < 0.5)
    if kind.category == 1:
        bounds, largest = np.iinfo(kind.numpy), 10.0 ** rng.integers(1, 18)
        numbers = np.round((2 * rng.random(shape) - 1) * largest)
        return np.asarray(numbers).clip(bounds.min, bounds.max / 2)
    if kind.category == 3:
        return _floats(rng, shape) + 1j * _floats(rng, shape)
    return _floats(rng, shape)


def _floats(rng, shape):
    numbers = np.asarray(rng.standard_normal(shape))
    size = 10.0 ** rng.integers(-6, 10)
    where = rng.random(shape)
    style = rng.integers(8)
    if style == 0:
        return np.asarray(np.round(numbers * size))
    if style == 1:
        numbers = np.where(where < 0.2, NAN, numbers * size)
        return np.where(where > 0.8, INF, np.where((where > 0.4) & (where < 0.5), -INF, numbers))
    if style == 2:
        return np.where(where < 0.5, 0, numbers * size)
    if style == 3:
        return np.asarray(numbers * size * 10.0 ** rng.integers(-5, 5, shape))
    if style == 4:
        return np.asarray(np.round(numbers * 5))
    if style == 5:
        return np.full(shape, [NAN, INF, 0.0, -0.0][rng.integers(4)])
    return numbers * (size if style == 6 else 1)


def _options(rng):
    if rng.random() < 0.7:
        return {}
    return {"precision": int(rng.integers(8)), "threshold": int(rng.integers(1, 200)),
            "edgeitems": int(rng.integers(1, 6)), "linewidth": int(rng.integers(20, 140)),
            "sci_mode": [None, True, False][rng.integers(3)]}


def torch_text(torch, kind, numbers, options, origin):
    """What PyTorch prints for a case."""
    torch.set_printoptions(profile="default")
    torch.set_printoptions(**options)
    try:
        x = torch.tensor(numbers, dtype=getattr(torch, kind.name))
        if origin != "plain":
            x.requires_grad_()
        return repr(x.clone() if origin == "clone" else x)
    finally:
        torch.set_printoptions(profile="default")
