"""`torch.fft`: one-, two- and n-dimensional transforms with PyTorch's arguments."""

from typing import Any

import numpy as np

from autodidact.arrays import dtype as dt
from autodidact.arrays.dtype import get_default_dtype
from autodidact.arrays.promotion import SCALAR_NAMES
from autodidact.functions.arguments import dims_of, integer, need_tensor
from autodidact.ops import fft as rows
from autodidact.ops import join
from autodidact.tensor import Tensor, wrap

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "hfft2", "hfftn", "ifft", "ifft2",
           "ifftn", "ifftshift", "ihfft", "ihfft2", "ihfftn", "irfft", "irfft2", "irfftn", "rfft",
           "rfft2", "rfftfreq", "rfftn"]


def scale_of(norm: str | None, forward: bool) -> int:
    """0: not scaled, 1: by 1/√n, 2: by 1/n, seen from the transform at hand."""
    if norm not in (None, "backward", "ortho", "forward"):
        raise RuntimeError(f"Invalid normalization mode: \"{norm}\"")
    place = {None: 0, "backward": 0, "ortho": 1, "forward": 2}[norm]
    return place if forward else 2 - place


def numbers(x: Any, kinds: str, name: str) -> Tensor:
    """Integers as floats; complex where the transform needs them."""
    need_tensor(x, name, "input")
    kind = x._array.dtype
    if kind in (np.float16, dt.BFLOAT16):
        raise RuntimeError(f"Unsupported dtype {SCALAR_NAMES[x.dtype.name]}")
    if kinds == "real" and kind.kind == "c":
        raise RuntimeError(f"{name} expects a real input tensor, but got "
                           f"{'ComplexFloat' if kind.name == 'complex64' else 'ComplexDouble'}")
    if kind.kind in "iub":
        x = x.float()
    if kinds == "complex" and x._array.dtype.kind == "f":
        x = x.cfloat() if x._array.dtype.name == "float32" else x.cdouble()
    return x


def sized(x: Tensor, dims: tuple, sizes: tuple) -> Tensor:
    """Cut, or filled with zeros, to the sizes asked for along the dimensions."""
    for d, n in zip(dims, sizes, strict=True):
        have = x._array.shape[d]
        if n < 1:
            raise RuntimeError(f"Invalid number of data points ({n}) specified")
        if n < have:
            x = x.narrow(d, 0, n)
        elif n > have:
            shape = list(x._array.shape)
            shape[d] = n - have
            x = join.cat.call((x, wrap(np.zeros(shape, x._array.dtype))), d)
    return x


def plan(x: Tensor, s: Any, dim: Any, half: bool = False) -> tuple:
    """Which dimensions, and how long: (dims, sizes); of a half spectrum the last is its own."""
    rank = x._array.ndim
    if dim is None:
        count = rank if s is None else len(s)
        if count > rank:
            raise RuntimeError("Got shape with " f"{count} values but input tensor only has "
                               f"{rank} dimensions.")
        dims = tuple(range(rank - count, rank))
    else:
        dims = dims_of(dim, rank)
    if s is not None and len(s) != len(dims):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    sizes = [x._array.shape[d] for d in dims] if s is None else [
        x._array.shape[d] if integer(n) == -1 else integer(n)
        for n, d in zip(s, dims, strict=True)]
    if half and dims and (s is None or s[-1] == -1):
        sizes[-1] = 2 * (x._array.shape[dims[-1]] - 1)
    return dims, tuple(sizes)


def complex_transform(name: str, x: Any, s: Any, dim: Any, norm: str | None,
                      forward: bool) -> Tensor:
    """fft and ifft, for any number of dimensions."""
    x = numbers(x, "complex", name)
    dims, sizes = plan(x, s, dim)
    return rows.fft_c2c.call(sized(x, dims, sizes), dims, scale_of(norm, forward), forward)


def to_half(name: str, x: Any, s: Any, dim: Any, norm: str | None, forward: bool) -> Tensor:
    """rfft; for ihfft the conjugate of the same."""
    x = numbers(x, "real", name)
    dims, sizes = plan(x, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    x = sized(x, dims, sizes)
    if forward:
        return rows.fft_r2c.call(x, dims, scale_of(norm, True))
    first = rows.fft_r2c.call(x, dims[-1:], scale_of(norm, False)).conj()
    return rows.fft_c2c.call(first, dims[:-1], scale_of(norm, False), False) if dims[1:] else first


def from_half(name: str, x: Any, s: Any, dim: Any, norm: str | None, forward: bool) -> Tensor:
    """irfft; for hfft the same on the conjugate, seen as a forward transform."""
    x = numbers(x, "complex", name)
    dims, sizes = plan(x, s, dim, half=True)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    n = sizes[-1]
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    x = sized(x, dims, (*sizes[:-1], n // 2 + 1))
    scale = scale_of(norm, forward)
    if forward:
        x = rows.fft_c2c.call(x, dims[:-1], scale, True) if dims[1:] else x
        return rows.fft_c2r.call(x.conj(), dims[-1:], scale, n)
    return rows.fft_c2r.call(x, dims, scale, n)


def family(how: Any, stem: str, forward: bool, doc: str) -> list:
    """The one-, two- and n-dimensional function of one kind of transform."""
    def one(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *,
            out: Any = None) -> Tensor:
        return how(stem, input, None if n is None else (n,), (dim,), norm, forward)

    def two(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *,
            out: Any = None) -> Tensor:
        return how(f"{stem}2", input, s, dim, norm, forward)

    def many(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *,
             out: Any = None) -> Tensor:
        return how(f"{stem}n", input, s, dim, norm, forward)
    for f, suffix, what in ((one, "", "along one dimension"), (two, "2", "along two dimensions"),
                            (many, "n", "along all dimensions, or those in `dim`")):
        f.__name__ = f.__qualname__ = stem + suffix
        f.__doc__ = f"{doc}, {what}."
    return [one, two, many]


fft, fft2, fftn = family(complex_transform, "fft", True, "The discrete Fourier transform")
ifft, ifft2, ifftn = family(complex_transform, "ifft", False, "Its inverse")
rfft, rfft2, rfftn = family(to_half, "rfft", True, "The transform of real numbers: half of it")
ihfft, ihfft2, ihfftn = family(to_half, "ihfft", False, "The inverse of hfft")
irfft, irfft2, irfftn = family(from_half, "irfft", False, "The inverse of rfft: real numbers")
hfft, hfft2, hfftn = family(from_half, "hfft", True,
                            "The transform of half of a Hermitian signal: real numbers")


# ---- order of the terms -------------------------------------------------------------------------


def shifted(input: Tensor, dim: Any, back: bool) -> Tensor:
    """Rolled by half of the length of every dimension."""
    rank = input._array.ndim
    dims = tuple(range(rank)) if dim is None else dims_of(dim, rank)
    steps = [input._array.shape[d] // 2 for d in dims]
    if back:
        steps = [input._array.shape[d] - k for d, k in zip(dims, steps, strict=True)]
    return input.roll(steps, dims)


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The terms with frequency 0 in the middle."""
    return shifted(input, dim, False)


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The inverse of fftshift."""
    return shifted(input, dim, True)


def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None,
            requires_grad: bool = False, out: Any = None) -> Tensor:
    """The frequencies of the terms of fft."""
    return made(np.fft.fftfreq(n, d), dtype, requires_grad)


def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None,
             requires_grad: bool = False, out: Any = None) -> Tensor:
    """The frequencies of the terms of rfft."""
    return made(np.fft.rfftfreq(n, d), dtype, requires_grad)


def made(array: np.ndarray, dtype: Any, requires_grad: bool) -> Tensor:
    """A new tensor in the dtype asked for, or the default one."""
    found = wrap(array).to(get_default_dtype() if dtype is None else dtype)
    return found.requires_grad_(requires_grad)
