"""Discrete Fourier transforms: three rows, of which every function of `torch.fft` is made.

Each is linear, so its gradient is a transform too: complex to complex in the other direction; real
to half of a complex spectrum (the other half is its mirror) and back are each other's transposes
but for the entries that stand for two.
"""

from typing import Any

import numpy as np

from autodidact.arrays.foreign import made
from autodidact.ops.batching import along
from autodidact.ops.op import Op, linear, rowwise

SCALES = ("backward", "ortho", "forward")

fft_c2c = Op("fft_c2c(self, *, dims, scale, forward)",             # sum of x exp(∓2πi jk/n)
    forward = lambda self, dims, scale, forward: whole(self, dims, scale, forward),
    vjp     = {"self": lambda grad, dims, scale, forward: fft_c2c(grad, dims, scale, not forward)},
    node    = "FftC2CBackward0", kind = linear | rowwise)

fft_r2c = Op("fft_r2c(self, *, dims, scale)",                      # real: half of the spectrum
    forward = lambda self, dims, scale: half(self, dims, scale),
    vjp     = {"self": lambda grad, self_shape, dims, scale:
               fft_half_back(grad, dims, scale, self_shape[dims[-1]])},
    node    = "FftR2CBackward0", kind = linear | rowwise)

fft_half_back = Op("fft_half_back(self, *, dims, scale, n)",       # the transpose of fft_r2c
    forward = lambda self, dims, scale, n: padded_back(self, dims, scale, n),
    vjp     = {"self": lambda grad, dims, scale: fft_r2c(grad, dims, scale)},
    kind    = linear | rowwise)

fft_c2r = Op("fft_c2r(self, *, dims, scale, n)",                   # half of a spectrum: real
    forward = lambda self, dims, scale, n: real_again(self, dims, scale, n),
    vjp     = {"self": lambda grad, self_shape, dims, scale, n:
               fft_mirrored(grad, dims, scale, self_shape[dims[-1]], n)},
    node    = "FftC2RBackward0", kind = linear | rowwise)

fft_mirrored = Op("fft_mirrored(self, *, dims, scale, kept, n)",   # the transpose of fft_c2r
    forward = lambda self, dims, scale, kept, n: doubled(self, dims, scale, kept, n),
    vjp     = {"self": lambda grad, dims, scale, n: fft_c2r_weighted(grad, dims, scale, n)},
    kind    = linear | rowwise, batch = along)


# ---- longer mathematics -------------------------------------------------------------------------


def whole(x: Any, dims: tuple, scale: int, forward: bool) -> Any:
    """The transform along several dimensions; the scale is that of `SCALES`, seen from it."""
    if not dims:
        return x
    name = SCALES[scale] if forward else SCALES[2 - scale]
    return (np.fft.fftn if forward else np.fft.ifftn)(x, axes=dims, norm=name)


def half(x: Any, dims: tuple, scale: int) -> Any:
    """The transform of real numbers: of the last dimension in `dims` the first n // 2 + 1 terms."""
    return np.fft.rfftn(x, axes=dims, norm=SCALES[scale])


def padded_back(x: Any, dims: tuple, scale: int, n: int) -> Any:
    """Zeros for the terms left out, transformed back; the real part."""
    last = dims[-1]
    shape = (*x.shape[:last], n, *x.shape[last + 1:])
    full = np.zeros_like(x, shape=shape)
    full[(*(slice(None),) * last, slice(x.shape[last]))] = x
    return whole(full, dims, scale, False).real


def real_again(x: Any, dims: tuple, scale: int, n: int) -> Any:
    """The inverse of `half`, for n real numbers; the scale is that of a backward transform."""
    sizes = [*(x.shape[d] for d in dims[:-1]), n]
    return np.fft.irfftn(x, s=sizes, axes=dims, norm=SCALES[2 - scale])


def weights(x: Any, last: int, n: int) -> Any:
    """How many terms of the whole spectrum each of the half stands for: 2, and 1 at its ends."""
    kept = x.shape[last]
    count = made(x, np.full, kept, 2, x.real.dtype)
    count[0] = 1
    if n % 2 == 0 and kept == n // 2 + 1:
        count[-1] = 1
    return count.reshape((kept,) + (1,) * (x.ndim - last - 1))


def doubled(x: Any, dims: tuple, scale: int, kept: int, n: int) -> Any:
    """The half spectrum of the gradient, each term as often as it was used."""
    found = half(x, dims, scale)
    return found * weights(found, dims[-1], n)


def fft_c2r_weighted(grad: Any, dims: tuple, scale: int, n: int) -> Any:
    """The transpose of `fft_mirrored`: back to real numbers, which counts each term as often."""
    return fft_c2r(grad, dims, scale, n)
