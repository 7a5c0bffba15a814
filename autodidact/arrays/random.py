"""Random numbers: what PyTorch draws on the CPU from the same seed.

Every function takes a `Generator` and returns a new array of the dtype asked for. How many words
of the generator a draw uses is part of its meaning, since the next draw begins where it ended;
the comments say what PyTorch does where one might do otherwise.

Integers and uniform numbers are the same bits as in PyTorch. Normal numbers, which take a
logarithm and a sine, differ in the last bit now and then (in float32, PyTorch approximates both
with vector instructions of its own). On Intel's processors PyTorch may take `bernoulli`
with a single probability (and so dropout) from Intel's library; the numbers here are those of all
other processors. Rarer distributions are in `distributions.py`.

Example:
    >>> gen = Generator().manual_seed(0)
    >>> uniform(gen, (3,), np.float32)
    array([0.4962566 , 0.7682218 , 0.08847743], dtype=float32)
    >>> integers(gen, 0, 10, (4,), np.int64)
    array([0, 3, 9, 7])
"""

import math

import numpy as np

from autodidact.arrays import bfloat16
from autodidact.arrays import dtype as dt
from autodidact.arrays.generator import (
    Generator,
    default_generator,
    fork_rng,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from autodidact.arrays.promotion import SCALAR_NAMES

__all__ = [
    "Generator", "bernoulli", "default_generator", "dropout_mask", "fork_rng", "get_rng_state",
    "initial_seed", "integers", "manual_seed", "normal", "normal_pairs", "permutation", "random",
    "rounded", "seed", "set_rng_state", "uniform",
]

Shape = tuple[int, ...]
DTypeLike = np.dtype | type
WIDE_RANGE = 2**28                     # from here on an integer is drawn from 64 bits
BLOCK = 16                             # so many normal numbers are made together


def uniform(gen: Generator, shape: Shape, dtype: DTypeLike, low: float = 0,
            high: float = 1) -> np.ndarray:
    """Numbers of [low, high), equally likely: `rand`, `uniform_`.

    Args:
        gen: the generator; one word a number, two in float64; twice as many for complex.
        shape: of the result.
        dtype: floating or complex; real and imaginary part are drawn independently.
        low: the smallest number.
        high: the bound that is not reached.

    Raises:
        RuntimeError: for an empty range, or one that the dtype cannot hold.
        NotImplementedError: for integers and bool.

    Example:
        >>> uniform(Generator().manual_seed(0), (2,), np.float64, -1, 1)
        array([0.940106  , 0.41563973])
    """
    dtype = _floating(dtype, "check_uniform_bounds")
    if dtype.kind == "c":
        return _as_complex(uniform(gen, (*shape, 2), _real(dtype), low, high), dtype)
    _check_range(low, high, dtype)
    draw = gen.doubles if dtype == np.float64 else gen.floats
    unit = draw(math.prod(shape)).reshape(shape)
    if (low, high) == (0, 1):
        result = rounded(unit, dtype)
    else:
        low, high = unit.dtype.type(low), unit.dtype.type(high)
        result = rounded(np.asarray(_fused(unit, high - low, low)), dtype)            # 0-dim too
    reached = result == rounded(np.asarray(high), dtype)         # by rounding: PyTorch's answer is
    result[reached] = low
    return result


def normal(gen: Generator, shape: Shape, dtype: DTypeLike, mean: float | np.ndarray = 0,
           std: float | np.ndarray = 1, contiguous: bool = True) -> np.ndarray:
    """Normally distributed numbers: `randn`, `normal_`, `normal`.

    Args:
        gen: the generator.
        shape: of the result.
        dtype: floating or complex; the variance of a complex number is shared by its parts, and
            both parts have the same mean.
        mean: centre; a number or an array that broadcasts to shape.
        std: standard deviation; a number or an array that broadcasts to shape.
        contiguous: False for filling a tensor that is not: PyTorch then makes them one by one, in
            the order of memory.

    Raises:
        RuntimeError: for a negative std.
        NotImplementedError: for integers and bool.

    Example:
        >>> normal(Generator().manual_seed(0), (3,), np.float64).round(4)
        array([ 1.541 , -0.2934, -2.1788])
    """
    dtype = _floating(dtype, "normal_kernel_cpu")
    if isinstance(std, np.ndarray):
        if std.size and std.min() < 0:
            raise RuntimeError("normal expects all elements of std >= 0.0")
        away = rounded(normal(gen, shape, dtype, contiguous=contiguous) * std, dtype)
        return rounded(away + mean, dtype)
    if isinstance(mean, np.ndarray):
        return rounded(normal(gen, shape, dtype, 0, std, contiguous) + mean, dtype)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if dtype.kind == "c":
        parts = normal(gen, (*shape, 2), _real(dtype), mean, std / math.sqrt(2), contiguous)
        return _as_complex(parts, dtype)
    n = math.prod(shape)
    if n >= BLOCK and contiguous:
        numbers = _normal_blocks(gen, n, dtype)
        if (mean, std) != (0, 1):
            numbers = _fused(numbers, numbers.dtype.type(std), numbers.dtype.type(mean))
    else:
        numbers = normal_pairs(gen, n) * std + mean
    return rounded(numbers.reshape(shape), dtype)


def integers(gen: Generator, low: int, high: int | None, shape: Shape,
             dtype: DTypeLike) -> np.ndarray:
    """Integers of [low, high), equally likely: `randint`, `random_(from, to)`.

    Args:
        gen: the generator; one word a number, two for a range of 2**28 and more.
        low: the smallest.
        high: the bound that is not reached; None includes the largest number of the dtype.
        shape: of the result.
        dtype: any but complex.

    Raises:
        RuntimeError: for an empty range, or bounds that the dtype cannot hold.

    Example:
        >>> integers(Generator().manual_seed(0), 0, 100, (5,), np.int64)
        array([44, 39, 33, 60, 63])
    """
    dtype = _not_complex(dtype)
    if high is None:
        high = _largest(dtype) + 1
    if low >= high:
        raise RuntimeError("random_ expects 'from' to be less than 'to', but got "
                           f"from={low} >= to={high}")
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if not _smallest(dtype) <= bound <= _largest(dtype):
            raise RuntimeError(f"{name} is out of bounds for {_C_NAMES[dt.of(dtype).name]}")
    n, width = math.prod(shape), high - low
    words = gen.long_words(n) if width >= WIDE_RANGE else gen.words(n)
    if width < 2**64:
        words %= np.uint64(width)
    return (words.view(np.int64) + np.int64(low)).reshape(shape).astype(dtype, copy=False)


def random(gen: Generator, shape: Shape, dtype: DTypeLike) -> np.ndarray:
    """Integers from 0 to the largest that the dtype holds exactly: `random_()`.

    Example:
        >>> random(Generator().manual_seed(0), (4,), np.uint8)
        array([172,  47, 117, 192], dtype=uint8)
    """
    dtype = _not_complex(dtype)
    wide = dtype in (np.int64, np.float64)
    words = (gen.long_words if wide else gen.words)(math.prod(shape))
    return (words % np.uint64(_largest(dtype) + 1)).reshape(shape).astype(dtype)


def permutation(gen: Generator, n: int, dtype: DTypeLike = np.int64) -> np.ndarray:
    """The numbers 0, ..., n - 1 in random order: `randperm`; n - 1 words.

    Raises:
        RuntimeError: for a negative n, or one that the dtype cannot hold.

    Example:
        >>> permutation(Generator().manual_seed(0), 5)
        array([4, 0, 1, 3, 2])
    """
    dtype = _not_complex(dtype)
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if n > _largest(dtype) + 1:
        raise RuntimeError(f"n cannot be greater than {_largest(dtype) + 1} for "
                           f"{SCALAR_NAMES[dt.of(dtype).name]} type.")
    order = list(range(n))
    if n > 1:                          # each place swaps with itself or one of those behind it
        places = np.arange(n - 1, dtype=np.uint64)
        partners = places + gen.words(n - 1) % (np.uint64(n) - places)
        for here, there in enumerate(partners.tolist()):
            order[here], order[there] = order[there], order[here]
    return np.array(order, dtype=dtype)


def bernoulli(gen: Generator, p: float | np.ndarray, shape: Shape,
              dtype: DTypeLike) -> np.ndarray:
    """Ones with probability p, else zeros: `bernoulli`, `bernoulli_`.

    Args:
        gen: the generator; two words a number, but one where p is an array of float32 or float16.
        p: one probability for all, or an array of them that broadcasts to shape.
        shape: of the result.
        dtype: any but complex.

    Raises:
        RuntimeError: for a probability outside [0, 1].
        NotImplementedError: when p is an array of integers, or the dtype complex.

    Example:
        >>> bernoulli(Generator().manual_seed(0), 0.5, (6,), np.float32)
        array([0., 0., 1., 0., 0., 0.], dtype=float32)
    """
    if np.dtype(dtype).kind == "c":
        raise NotImplementedError('"bernoulli_scalar_cpu_" not implemented for '
                                  f"'{SCALAR_NAMES[dt.of(np.dtype(dtype)).name]}'")
    n, draw = math.prod(shape), gen.doubles
    if isinstance(p, np.ndarray):
        if p.dtype.kind in "iub":
            raise NotImplementedError('"bernoulli_tensor_cpu_p_" not implemented for '
                                      f"'{SCALAR_NAMES[dt.of(p.dtype).name]}'")
        if not ((p >= 0) & (p <= 1)).all():
            raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
        if p.dtype != np.float64:
            draw = gen.floats
    elif not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    return np.asarray(draw(n).reshape(shape) < p).astype(dtype)


def dropout_mask(gen: Generator, shape: Shape, dtype: DTypeLike, p: float) -> np.ndarray:
    """What dropout multiplies with: 0 with probability p, else 1 / (1 - p); all 0 for p = 1.

    Example:
        >>> dropout_mask(Generator().manual_seed(0), (4,), np.float32, 0.5)
        array([0., 0., 2., 0.], dtype=float32)
    """
    if p in (0, 1):                    # nothing is left to chance, and no word is used
        return np.full(shape, 1 - p, dtype)
    kept = bernoulli(gen, 1 - p, shape, dtype)
    return np.asarray(kept / kept.dtype.type(1 - p)).astype(dtype, copy=False)


def normal_pairs(gen: Generator, n: int) -> np.ndarray:
    """n standard normal numbers, made in pairs from pairs of doubles: shape (n,), float64.

    An odd number leaves a second half behind: the generator keeps it for the next call.
    """
    kept = [] if gen.spare_normal is None or n == 0 else [gen.spare_normal]
    if kept:
        gen.spare_normal = None
    missing = n - len(kept)
    unit = gen.doubles(missing + missing % 2).reshape(-1, 2)
    radius = np.sqrt(-2 * np.log1p(-unit[:, 1]))
    angle = 2 * np.pi * unit[:, 0]
    made = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
    if missing % 2:
        gen.spare_normal = float(made[-1])
    return np.concatenate([kept, made[:missing]])


def rounded(numbers: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """The numbers in another dtype; PyTorch goes from float64 to float16 by way of float32."""
    if dtype.itemsize == 2 and numbers.dtype == np.float64:
        numbers = numbers.astype(np.float32)
    if dtype == dt.BFLOAT16:
        return bfloat16.rounded(numbers).astype(dtype)
    return numbers.astype(dtype, copy=False)


def _normal_blocks(gen: Generator, n: int, dtype: np.dtype) -> np.ndarray:
    """n >= 16 standard normal numbers, made in blocks of 16 (Box and Muller's way).

    When n is not a multiple of 16, the last 16 numbers are made anew, from new words.
    """
    draw = gen.doubles if dtype == np.float64 else gen.floats
    whole = n - n % BLOCK
    unit = draw(whole)
    if n % BLOCK and dt.of(dtype).itemsize > 2:
        draw(n % BLOCK)                           # drawn, then thrown away (not in float16)
    made = np.empty(n, unit.dtype)
    made[:whole] = _box_muller(unit)
    if n % BLOCK:
        made[-BLOCK:] = _box_muller(draw(BLOCK))
    return made


def _box_muller(unit: np.ndarray) -> np.ndarray:
    """Normal numbers from numbers of [0, 1): in each 16, eight make radii, eight make angles."""
    number = unit.dtype.type
    unit = unit.reshape(-1, 2, BLOCK // 2)
    radius = np.sqrt(number(-2) * np.log(1 - unit[:, 0]))
    angle = number(2 * np.pi) * unit[:, 1]
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)


def _fused(x: np.ndarray, factor: np.floating, term: np.floating) -> np.ndarray:
    """x * factor + term, rounded once, as the processor's fused instruction does."""
    if x.dtype == np.float32:
        return (x.astype(np.float64) * np.float64(factor) + np.float64(term)).astype(np.float32)
    product, lost = _exact_product(x, factor)
    low, low_lost = _exact_sum(lost, term)
    high, rest = _exact_sum(product, low)
    tail, tail_lost = _exact_sum(rest, low_lost)
    # Two roundings would round halves wrongly, unless the first one leaves an odd last bit.
    bits = tail.view(np.int64)
    even = (tail_lost != 0) & (bits & 1 == 0)
    bits += np.where(even, np.where((tail_lost > 0) == (tail > 0), 1, -1), 0)
    return high + tail


def _exact_product(x: np.ndarray, y: np.floating) -> tuple[np.ndarray, np.ndarray]:
    """x * y in float64 and what rounding lost of it, exactly (Dekker)."""
    product = x * y
    x_high, y_high = (v * 134217729.0 - (v * 134217729.0 - v) for v in (x, y))      # 2**27 + 1
    x_low, y_low = x - x_high, y - y_high
    lost = ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low
    return product, lost


def _exact_sum(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """x + y in float64 and what rounding lost of it, exactly (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _as_complex(parts: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Complex numbers from an array whose last axis holds real and imaginary part."""
    return parts.view(dtype).reshape(parts.shape[:-1])


def _real(dtype: np.dtype) -> np.dtype:
    return dt.of(dtype).to_real().numpy


def _floating(dtype: DTypeLike, kernel: str) -> np.dtype:
    """The dtype, if it is floating or complex; else PyTorch's error."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iub":
        raise NotImplementedError(
            f'"{kernel}" not implemented for \'{SCALAR_NAMES[dt.of(dtype).name]}\'')
    return dtype


def _not_complex(dtype: DTypeLike) -> np.dtype:
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        raise NotImplementedError('"random_kernel_cpu" not implemented for '
                                  f"'{SCALAR_NAMES[dt.of(dtype).name]}'")
    return dtype


def _largest(dtype: np.dtype) -> int:
    """The largest n such that all integers from 0 to n are numbers of this dtype."""
    if dtype.kind == "b":
        return 1
    if dtype.kind in "iu":
        return int(np.iinfo(dtype).max)
    return 2 ** (7 if dtype == dt.BFLOAT16 else np.finfo(dtype).nmant) * 2


def _smallest(dtype: np.dtype) -> int:
    return -_largest(dtype) - (dtype.kind == "i") if dtype.kind in "if" else 0


_C_NAMES = {"bool": "bool", "uint8": "unsigned char", "int8": "signed char", "int16": "short",
            "int32": "int", "int64": "long", "float16": "c10::Half", "bfloat16": "c10::BFloat16",
            "float32": "float", "float64": "double"}


def _check_range(low: float, high: float, dtype: np.dtype) -> None:
    """PyTorch's refusals of a range to draw from."""
    largest = dt.finfo(dt.of(dtype)).max
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {_C_NAMES[dt.of(dtype).name]}")
    if low > high:
        raise RuntimeError("uniform_ expects to return a [from, to) range, but found "
                           f"from={low:g} > to={high:g}")
    if high - low > largest:
        limit = f"std::numeric_limits<{SCALAR_NAMES[dt.of(dtype).name]}>::max()"
        raise RuntimeError(f"uniform_ expects to-from <= {limit}, but found to={high:g} and "
                           f"from={low:g} which result in to-from to exceed the limit")
