"""The public names of PyTorch's packages: here, but for those that CONTRIBUTING explains."""

import importlib
import types

import pytest

ABSENT = {
    "nn": {"Container", "DataParallel", "SyncBatchNorm", "factory_kwargs"},
    "nn.functional": {"ScalingType", "SwizzleType", "assert_int_or_pair", "grouped_mm",
                      "handle_torch_function", "scaled_grouped_mm", "scaled_mm"},
    "nn.init": set(),
    "nn.utils": set(),
    "nn.utils.parametrizations": set(),
    "optim": {"SparseAdam", "swap_in_optimizer_params_and_state"},
    "optim.lr_scheduler": {"Optimizer", "Tensor"},
    "optim.swa_utils": set(),
    "utils.data": {"DFIterDataPipe", "DataChunk", "DistributedSampler", "IterDataPipe",
                   "MapDataPipe", "argument_validation", "functional_datapipe",
                   "guaranteed_datapipes_determinism", "non_deterministic",
                   "runtime_validation", "runtime_validation_disabled"},
}


def own(thing):
    """Whether a package offers it: no name of Python's, none of PyTorch's insides."""
    module = str(getattr(thing, "__module__", None))
    return module.startswith("torch") and (not module.startswith("torch._") or "nn" in module)


@pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ABSENT)
def test_names(name, oracle):
    theirs = importlib.import_module(f"torch.{name}")
    ours = importlib.import_module(f"autodidact.{name}")
    listed = set(getattr(theirs, "__all__", ()))
    names = {n for n in dir(theirs) if not n.startswith("_")
             and (n in listed or own(getattr(theirs, n)))
             and not isinstance(getattr(theirs, n), types.ModuleType)}
    assert {n for n in names if not hasattr(ours, n)} == ABSENT[name]
