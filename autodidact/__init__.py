"""autodidact: PyTorch's automatic differentiation on NumPy, to be read and to be stepped.

    import autodidact as torch

    x = torch.tensor(3., requires_grad=True)
    (x ** 2).backward()
    x.grad                      # tensor(6.)

This file is the load order of the floors, and the public names.
"""

import importlib
import math
import warnings

from autodidact import _garbage

with _garbage.resting():
    from autodidact.arrays.dtype import (
        bfloat16, bool_, complex64, complex128, dtype, finfo, float16, float32, float64,
        get_default_dtype, iinfo, int8, int16, int32, int64, set_default_dtype, uint8,
    )
    from autodidact.arrays.device import device
    from autodidact.arrays.memory_format import (
        channels_last, channels_last_3d, contiguous_format, layout, memory_format, preserve_format,
        strided,
    )
    from autodidact.arrays.promotion import can_cast, promote_types, result_type
    from autodidact.autograd.grad_mode import (
        enable_grad, inference_mode, is_grad_enabled, is_inference_mode_enabled, no_grad,
        set_grad_enabled,
    )
    from autodidact.tensor import Size, Tensor
    from autodidact.functions import rows
    from autodidact.functions import arithmetic, casting, creation, indexing, joining, parts, shape
    from autodidact.functions import einsum as _einsum, inplace as _inplace, linalg as _linalg
    from autodidact.functions import arranging, gathering, ordering
    from autodidact.functions import activation, compare, elementwise, random, reduction, statistics
    from autodidact.functions import calculus, counting, decomposition, matrices, rare, scattering
    from autodidact.functions import signal as _signal, special as _special, spectral
    from autodidact.functions.out import accept_out, offer_in_place
    from autodidact.functions import conversion, copying, exchange, legacy, questions, storage
    from autodidact import autograd, _C
    from autodidact.autograd.anomaly_mode import (
        is_anomaly_check_nan_enabled, is_anomaly_enabled, set_anomaly_enabled,
    )
    from autodidact.autograd.backward import is_warn_always_enabled, set_warn_always
    from autodidact.public import FUNCTIONS, METHODS

    for _name, _thing in METHODS.items():
        setattr(Tensor, _name, _thing)
    accept_out(FUNCTIONS)
    offer_in_place(FUNCTIONS, METHODS)
    globals().update({name: f for name, f in FUNCTIONS.items() if name != "trace"})   # see below
    bool = bool_                                             # PyTorch's names for dtypes
    half, float, double = float16, float32, float64
    short, int, long = int16, int32, int64
    cfloat, cdouble = complex64, complex128

    # What had to be loaded, or was needed above only, is no name of PyTorch's.
    for _name, _thing in list(globals().items()):
        if getattr(_thing, "__name__", "").startswith("autodidact.functions."):
            if _name not in ("random", "storage"):
                del globals()[_name]
    del accept_out, offer_in_place, FUNCTIONS, METHODS, bool_

inf, nan, pi, e = math.inf, math.nan, math.pi, math.e
# The one arrow upward that is a load: `autograd.backward` is a function as well as a file.
importlib.import_module("autodidact.autograd.backward").load_levels = (
    lambda: importlib.import_module("autodidact.levels.loaded"))

# 1/0 and log(0) are numbers in PyTorch, not warnings; NumPy warns from the frame that computes.
warnings.filterwarnings("ignore", category=RuntimeWarning, module=r"autodidact\.")

# Loaded when first asked for. First what is above this floor: the viewer's side. `trace` is our
# package of records and PyTorch's sum of a diagonal as well: the package can be called.
_LATER = {"show": "autodidact_widgets", "debug": "autodidact_widgets",
          "set_language": "autodidact.trace.messages",
          "trace": "autodidact.trace",
          # Transforms, and the modules that gather functions.
          "func": "autodidact.func", "vmap": "autodidact.func", "linalg": "autodidact.linalg",
          "fft": "autodidact.fft", "special": "autodidact.special", "cuda": "autodidact.cuda",
          "set_printoptions": "autodidact._tensor_str",
          # Networks, optimizers and data: so that plain tensors start quickly.
          "nn": "autodidact.nn", "optim": "autodidact.optim", "utils": "autodidact.utils",
          "signal": "autodidact.signal", "testing": "autodidact.testing",
          "save": "autodidact.serialization", "load": "autodidact.serialization"}
# The functions of networks that PyTorch offers as `torch.name` too.
_LATER |= dict.fromkeys((
    "adaptive_avg_pool1d", "avg_pool1d", "bilinear", "conv1d", "conv2d", "conv3d",
    "conv_transpose1d", "conv_transpose2d", "conv_transpose3d", "cosine_similarity", "group_norm",
    "layer_norm", "max_pool1d", "max_pool2d", "max_pool3d", "pairwise_distance", "pdist",
    "pixel_shuffle", "pixel_unshuffle", "prelu", "rms_norm", "rrelu", "selu", "celu",
    "dropout", "hardshrink", "threshold", "threshold_"), "autodidact.nn.functional")


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'autodidact' has no attribute '{name}'")
    module = importlib.import_module(_LATER[name])
    return module if _LATER[name] == f"autodidact.{name}" else getattr(module, name)


def __dir__() -> list:
    return sorted({*globals(), *_LATER})
