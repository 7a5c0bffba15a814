"""`torch.nn.functional` in full: the functions of several files under one name, `F`."""

from autodidact.nn import functional as F
from autodidact.nn import (
    functional_attention,
    functional_conv,
    functional_image,
    functional_inplace,
    functional_layers,
    functional_losses,
    functional_norm,
    functional_pool,
    functional_rare,
    functional_sampling,
)

__all__ = ["F"]

PARTS = (functional_attention, functional_conv, functional_image, functional_inplace,
         functional_layers, functional_losses, functional_norm, functional_pool, functional_rare,
         functional_sampling)

for part in PARTS:
    for name in part.__all__:
        setattr(F, name, getattr(part, name))
    F.__all__ = sorted({*F.__all__, *part.__all__})
