"""Short-time Fourier transforms: a signal in windows, each with its spectrum."""

import warnings
from typing import Any

import numpy as np

from autodidact.functions.arguments import need_tensor, numbers_of
from autodidact.ops import fft as rows
from autodidact.ops import join
from autodidact.ops.view import view_as_real
from autodidact.public import both
from autodidact.tensor import Tensor, wrap

__all__ = ["istft", "stft"]


def window_of(x: Tensor, window: Any, n_fft: int, win_length: int, name: str) -> Tensor:
    """The window, ones by default, with zeros on both sides up to n_fft."""
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{name}: expected 0 < win_length <= n_fft, but got "
                           f"win_length={win_length}")
    if window is None:
        window = wrap(np.ones(win_length, np.abs(x._array[..., :0]).dtype))
    elif window._array.shape != (win_length,):
        raise RuntimeError(f"{name}: expected a 1D window tensor of size equal to win_length="
                           f"{win_length}, but got window with size {list(window._array.shape)}")
    left = (n_fft - win_length) // 2
    return constant_pad(window, left, n_fft - win_length - left)


def constant_pad(x: Tensor, before: int, after: int) -> Tensor:
    """Zeros on both sides of the last dimension."""
    def zeros(n: int) -> Tensor:
        return wrap(np.zeros((*x._array.shape[:-1], n), x._array.dtype))
    parts = [*([zeros(before)] if before else []), x, *([zeros(after)] if after else [])]
    return join.cat.call(parts, x._array.ndim - 1) if len(parts) > 1 else x


def centred(x: Tensor, n: int, mode: str) -> Tensor:
    """n more entries on both sides: a mirror image, the last entry, the other end, or zeros."""
    size = x._array.shape[-1]
    if mode == "constant":
        return constant_pad(x, n, n)
    if mode == "reflect" and n >= size:
        raise RuntimeError("Argument #4: Padding size should be less than the corresponding input "
                           f"dimension, but got: padding ({n}, {n}) at dimension 2 of input "
                           f"{[1, *x._array.shape]}")
    places = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}.get(mode)
    if places is None:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    order = np.pad(np.arange(size, dtype=np.int64), n, mode=places)
    return x.index_select(-1, wrap(order))


@both
def stft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
         window: Tensor | None = None, center: bool = True, pad_mode: str = "reflect",
         normalized: bool = False, onesided: bool | None = None,
         return_complex: bool | None = None, align_to_window: bool | None = None) -> Tensor:
    """The spectra of overlapping windows of a signal: (..., frequencies, windows).

    Args:
        input: (time) or (batch, time).
        n_fft: the length of each transform.
        hop_length: from one window to the next; n_fft // 4 by default.
        win_length: the window's length; n_fft by default.
        window: its weights; ones by default.
        center: whether each window is centred on its place.
        pad_mode: how the signal goes on beyond its ends.
        normalized: spectra over √n_fft.
        onesided: half spectra; by default for real signals.
        return_complex: as complex numbers, or as pairs.
        align_to_window: without center, frames as for the window.
    """
    need_tensor(input, "stft", "input")
    if return_complex is None and not (
            input.is_complex() or (window is not None and window.is_complex())):
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs, "
                           "and will further require that return_complex=True in a future PyTorch "
                           "release.")
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    if hop <= 0:
        raise RuntimeError(f"stft: expected hop_length > 0, but got hop_length={hop}")
    weights = window_of(input, window, n_fft, length, "stft")
    half = not (input.is_complex() or weights.is_complex()) if onesided is None else onesided
    x = centred(input, n_fft // 2, pad_mode) if center else input
    if not 0 < n_fft <= x._array.shape[-1]:
        raise RuntimeError(f"stft: expected 0 < n_fft <= {x._array.shape[-1]}, but got "
                           f"n_fft={n_fft}")
    frames = x.unfold(-1, n_fft, hop) * weights
    dims = (frames._array.ndim - 1,)
    if half:
        found = rows.fft_r2c.call(frames, dims, int(normalized))
    else:
        found = rows.fft_c2c.call(to_complex(frames), dims, int(normalized), True)
    found = found.transpose(-1, -2)
    return found if return_complex in (None, True) else view_as_real.call(found)


def to_complex(x: Tensor) -> Tensor:
    """Real numbers as complex ones."""
    if x.is_complex():
        return x
    return x.cfloat() if x._array.dtype.name == "float32" else x.cdouble()


@both
def istft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
          window: Tensor | None = None, center: bool = True, normalized: bool = False,
          onesided: bool | None = None, length: int | None = None,
          return_complex: bool = False) -> Tensor:
    """The signal that `stft` came from: windows added where they overlap, over their squares.

    Raises:
        RuntimeError: where the windows leave gaps.
    """
    need_tensor(input, "istft", "input")
    if not input.is_complex():
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from "
                           "stft with return_complex=True.")
    hop = n_fft // 4 if hop_length is None else hop_length
    size = n_fft if win_length is None else win_length
    weights = window_of(input, window, n_fft, size, "istft")
    terms = input._array.shape[-2]
    half = terms != n_fft if onesided is None else onesided
    if terms != (n_fft // 2 + 1 if half else n_fft):
        raise RuntimeError("istft: expected the frequency dimension (3rd to the last) of the input "
                           f"tensor to match n_fft / 2 + 1={n_fft // 2 + 1} when onesided=True, "
                           f"but got {terms}")
    frames = input.transpose(-1, -2)
    dims, count = (frames._array.ndim - 1,), frames._array.shape[-2]
    if not return_complex:                         # a real signal: half of its spectrum says it all
        frames = frames[..., :n_fft // 2 + 1]
        waves = rows.fft_c2r.call(frames, dims, 1 if normalized else 2, n_fft)
    else:
        waves = rows.fft_c2c.call(frames, dims, 1 if normalized else 2, False)
    total = n_fft + hop * (count - 1)
    signal = overlapped(waves * weights, total, hop)
    squares = overlapped((weights * weights).expand(count, n_fft), total, hop)
    start = n_fft // 2 if center else 0
    end = total - (n_fft // 2 if center else 0) if length is None else start + length
    signal, squares = (t[..., start:min(end, total)] for t in (signal, squares))
    if float(np.abs(numbers_of(squares, "istft")).min(initial=np.inf)) <= 1e-11:
        raise RuntimeError("istft: window overlap add min: 1")
    if end > total:
        warnings.warn("The length of signal is shorter than the length parameter. Result is being "
                      "padded with zeros in the tail.", stacklevel=2)
    return constant_pad(signal / squares, 0, max(end - total, 0))


def overlapped(frames: Tensor, total: int, hop: int) -> Tensor:
    """Frames (..., count, n) added at their places in a signal."""
    *batch, count, n = frames._array.shape
    places = np.arange(count, dtype=np.int64)[:, None] * hop + np.arange(n, dtype=np.int64)
    flat = frames.reshape(*batch, count * n)
    zeros = wrap(np.zeros((*batch, total), frames._array.dtype))
    return zeros.index_add(-1, wrap(places.reshape(-1)), flat)
