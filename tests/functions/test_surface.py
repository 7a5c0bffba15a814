"""What is offered as `torch.name` and `Tensor.name` is what PyTorch offers, and nothing else."""

from autodidact.public import FUNCTIONS, METHODS

# Ours beside PyTorch's: what formulas and NumPy ask tensors for.
OURS = {"to_numpy_dtype", "__array_ufunc__", "__array_function__"}


def test_functions_are_pytorchs(oracle):
    assert [name for name in FUNCTIONS if not hasattr(oracle, name)] == []


def test_methods_are_pytorchs(oracle):
    assert {name for name in METHODS if not hasattr(oracle.Tensor, name)} == OURS
