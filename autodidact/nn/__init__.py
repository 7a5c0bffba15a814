"""Building blocks of neural networks: `torch.nn`."""

from autodidact.nn import functional, functional_all, init
from autodidact.nn.activation import *  # noqa: F403
from autodidact.nn.containers import ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential
from autodidact.nn.dropout import *  # noqa: F403
from autodidact.nn.linear import Bilinear, Flatten, Identity, Linear, Unflatten
from autodidact.nn.losses import *  # noqa: F403
from autodidact.nn.module import Module
from autodidact.nn.normalization import *  # noqa: F403
from autodidact.nn.parameter import Buffer, Parameter
from autodidact.nn.sparse import Embedding

del functional_all
