"""Devices: names, equality and refusals as in PyTorch."""

import copy
import pickle

import pytest

from autodidact.arrays.device import check, device, get_default_device, set_default_device

GOOD = [("cpu",), ("cpu", 0), ("cpu:0",), ("cuda",), ("cuda:1",), ("cuda", 1), ("meta",),
        ("meta:0",), ("mps",), ("xla",), ("cuda:127",)]
# arguments, PyTorch's class, key words
BAD = [
    (("cuda:01",), RuntimeError, "Invalid device string: 'cuda:01'"),
    (("cuda:x",), RuntimeError, "Invalid device string: 'cuda:x'"),
    (("cuda:",), RuntimeError, "Invalid device string: 'cuda:'"),
    (("cuda:1:2",), RuntimeError, "Invalid device string: 'cuda:1:2'"),
    ((" cpu",), RuntimeError, "Invalid device string: ' cpu'"),
    (("foo",), RuntimeError, "device type at start of device string: foo"),
    (("CPU",), RuntimeError, "device type at start of device string: CPU"),
    (("",), RuntimeError, "Device string must not be empty"),
    (("cuda", -1), RuntimeError, "Device index must not be negative"),
    (("cuda:0", 1), RuntimeError, "must not include an index because index was passed explicitly"),
    (("cuda:1234567890123",), RuntimeError, "Could not parse device index '1234567890123'"),
    ((1,), RuntimeError, "Cannot access accelerator device when none is available."),
    ((-1,), RuntimeError, "Device index must not be negative"),
    ((None,), TypeError, "device() received an invalid combination of arguments"),
    ((1.5,), TypeError, "device() received an invalid combination of arguments"),
    ((True,), TypeError, "device() received an invalid combination of arguments"),
    (("cpu", 1.5), TypeError, "argument 'index' (position 2) must be int, not float"),
]


@pytest.mark.parametrize("arguments", GOOD)
def test_names_equal_torch(arguments, oracle):
    ours, theirs = device(*arguments), oracle.device(*arguments)
    assert (repr(ours), str(ours), ours.type, ours.index) == (
        repr(theirs), str(theirs), theirs.type, theirs.index)


@pytest.mark.parametrize(("arguments", "error", "words"), BAD)
def test_bad_names(arguments, error, words):
    with pytest.raises(error) as raised:
        device(*arguments)
    assert words in str(raised.value)


@pytest.mark.parametrize(("arguments", "error", "words"), BAD)
def test_bad_names_are_torchs(arguments, error, words, oracle):
    """The table above is PyTorch's behaviour (on a machine without accelerator)."""
    if arguments == (1,) and oracle.accelerator.is_available():
        pytest.skip("PyTorch sees an accelerator here: a bare number names it")
    with pytest.raises(error) as raised:
        oracle.device(*arguments)
    assert words in str(raised.value)


def test_equality_and_hash():
    assert device("cuda:0") != device("cuda")
    assert device("cuda", 0) == device("cuda:0") == device(device("cuda:0"))
    assert device("cpu") != "cpu"
    assert len({device("cpu"), device(type="cpu"), device("cuda:1"), device("cuda", index=1)}) == 2


def test_a_device_is_a_value():
    d = device("cuda:1")
    assert pickle.loads(pickle.dumps(d)) == copy.deepcopy(d) == d
    with pytest.raises(AttributeError, match="not writable"):
        d.index = 2


@pytest.mark.parametrize("where", ["cpu", "cpu:0", device("cpu"), device("cpu", 1), None])
def test_the_cpu_computes(where):
    assert repr(check(where)) == "device(type='cpu')"


@pytest.mark.parametrize(("where", "error", "words"), [
    ("cuda", AssertionError, "Torch not compiled with CUDA enabled"),
    ("cuda:3", AssertionError, "Torch not compiled with CUDA enabled"),
    (device("xpu"), AssertionError, "Torch not compiled with XPU enabled"),
    ("mps", NotImplementedError, "Could not run"),
    (0, RuntimeError, "Cannot access accelerator device when none is available."),
    (1.5, TypeError, "argument 'device' must be torch.device, not float"),
])
def test_other_devices_are_refused(where, error, words):
    with pytest.raises(error) as raised:
        check(where)
    assert words in str(raised.value)


def test_default_device():
    with device("cuda"):
        assert get_default_device() == device("cuda")
        with pytest.raises(AssertionError):
            check()
    assert check() == device("cpu")
    set_default_device("cpu:0")
    assert get_default_device() == device("cpu:0")
    set_default_device(None)
    assert get_default_device() == device("cpu")
