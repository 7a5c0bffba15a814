"""Optimizers: `torch.optim`."""

from autodidact.optim import lr_scheduler, swa_utils
from autodidact.optim.adafactor import Adafactor
from autodidact.optim.adam import Adam, AdamW
from autodidact.optim.adam_variants import Adamax, NAdam, RAdam
from autodidact.optim.adaptive import Adadelta, Adagrad, RMSprop
from autodidact.optim.asgd import ASGD
from autodidact.optim.lbfgs import LBFGS
from autodidact.optim.muon import Muon
from autodidact.optim.optimizer import Optimizer
from autodidact.optim.rprop import Rprop
from autodidact.optim.sgd import SGD

__all__ = ["ASGD", "LBFGS", "SGD", "Adadelta", "Adafactor", "Adagrad", "Adam", "AdamW", "Adamax",
           "Muon", "NAdam", "Optimizer", "RAdam", "RMSprop", "Rprop", "lr_scheduler", "swa_utils"]
