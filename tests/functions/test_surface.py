"""What is offered as `torch.name` and `Tensor.name` is what PyTorch offers, and nothing else."""

import types

import autodidact
from autodidact.public import FUNCTIONS, METHODS

# Ours beside PyTorch's: what formulas and NumPy ask tensors for.
OURS = {"to_numpy_dtype", "__array_ufunc__", "__array_function__"}


def test_functions_are_pytorchs(oracle):
    assert [name for name in FUNCTIONS if not hasattr(oracle, name)] == []


def test_methods_are_pytorchs(oracle):
    assert {name for name in METHODS if not hasattr(oracle.Tensor, name)} == OURS


def test_names_of_the_package_are_pytorchs(oracle):
    """But for its own files and folders, which Python adds."""
    assert [name for name, thing in vars(autodidact).items()
            if name[0] != "_" and not hasattr(oracle, name)
            and not (isinstance(thing, types.ModuleType)
                     and thing.__name__ == f"autodidact.{name}")] == []
