"""torch.nn.modules: the modules under the name of the package where PyTorch keeps them."""

from autodidact.nn import (
    activation,
    adaptive,
    conv,
    dropout,
    lazy,
    linear,
    normalization,
    padding,
    pooling,
    rnn,
    sparse,
    transformer,
)
from autodidact.nn import attention as _attention
from autodidact.nn import containers as container
from autodidact.nn import losses as loss
from autodidact.nn import rnn_cells as _cells
from autodidact.nn.module import Module
from autodidact.nn.modules import module

PARTS = (activation, adaptive, _attention, container, conv, dropout, lazy, linear, loss,
         normalization, padding, pooling, rnn, _cells, sparse, transformer)
batchnorm = instancenorm = normalization
__all__ = ["Module", "module"]

for _part in PARTS:
    for _name in _part.__all__:
        _thing = getattr(_part, _name)
        if isinstance(_thing, type) and issubclass(_thing, Module):
            globals()[_name] = _thing
            __all__ += [_name]
