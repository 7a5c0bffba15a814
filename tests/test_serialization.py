"""Files: what is written comes back; what is hostile ends in a clear error, and does nothing."""

import io
import json
import os
import pickle
import struct
from collections import OrderedDict

import numpy as np
import pytest

import autodidact as torch

VALUES = {
    "tensor": lambda: torch.tensor([[1.5, 2.5]]),
    "number": lambda: torch.tensor(3),
    "bool": lambda: torch.tensor([True, False]),
    "half": lambda: torch.tensor([1.0], dtype=torch.float16),
    "transposed": lambda: torch.arange(6).reshape(2, 3).t(),
    "empty": lambda: torch.zeros(0, 3),
    "nested": lambda: {"a": [torch.ones(2), 3, 2.5, "text", None, (True, torch.zeros(1))],
                       5: {"inf": float("inf"), "size": torch.Size([2, 3])}},
    "list": lambda: [1, 2],
}


def round_trip(value):
    """The value by way of a file."""
    file = io.BytesIO()
    torch.save(value, file)
    return torch.load(io.BytesIO(file.getvalue()))


def same(a, b):
    """Whether two values are the same, tensors by their numbers and dtypes."""
    if isinstance(a, torch.Tensor):
        return type(a) is type(b) and a.dtype is b.dtype and a.shape == b.shape and bool(
            (a == b).all()) and a.requires_grad == b.requires_grad
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("name", VALUES)
def test_round_trip(name):
    value = VALUES[name]()
    assert same(value, round_trip(value))


def test_a_leaf_and_a_parameter_stay_what_they_are():
    x = torch.ones(2, requires_grad=True)
    p = torch.nn.Parameter(torch.zeros(1))
    back, q = round_trip([x, p])
    assert back.requires_grad and back.is_leaf and type(q) is torch.nn.Parameter
    (back * 2).sum().backward()
    assert back.grad.tolist() == [2, 2]


def test_training_goes_on_from_a_file(tmp_path):
    def model_and_optimizer():
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
        return model, torch.optim.Adam(model.parameters())

    def step(model, optimizer):
        optimizer.zero_grad()
        (model(torch.arange(8).reshape(4, 2) * 1.0) ** 3).sum().backward()
        optimizer.step()
    model, optimizer = model_and_optimizer()
    step(model, optimizer)
    path = tmp_path / "checkpoint"
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 1}, path)
    found = torch.load(path)
    again, second = model_and_optimizer()
    again.load_state_dict(found["model"])
    second.load_state_dict(found["optimizer"])
    assert found["epoch"] == 1
    step(model, optimizer)
    step(again, second)
    assert same(model.state_dict(), OrderedDict(again.state_dict()))


def test_exchange_with_pytorch(oracle, tmp_path):
    from safetensors import torch as library
    theirs = oracle.nn.Linear(3, 2)
    library.save_file(theirs.state_dict(), tmp_path / "theirs")
    ours = torch.nn.Linear(3, 2)
    ours.load_state_dict(torch.load(tmp_path / "theirs"))
    assert ours.weight.tolist() == theirs.weight.tolist()
    torch.save(ours.state_dict(), tmp_path / "ours")
    back = library.load_file(tmp_path / "ours")
    assert back["bias"].tolist() == theirs.bias.tolist()


@pytest.mark.parametrize("value", [torch.nn.ReLU(), object(), {1, 2}, lambda: 0, b"bytes"])
def test_other_things_are_refused(value):
    with pytest.raises(TypeError, match="state_dict"):
        torch.save({"x": value}, io.BytesIO())


# ---- hostile files ------------------------------------------------------------------------------


class Mine:
    """A pickle that would leave a mark."""

    def __init__(self, mark):
        self.mark = mark

    def __reduce__(self):
        return os.mkdir, (str(self.mark),)


def header(text, data=b"\0" * 8):
    """A file with this header."""
    return struct.pack("<Q", len(text)) + text + data


def written(value):
    """A good file."""
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


def with_text(text):
    """A good file with another description."""
    entry = {"__metadata__": {"autodidact": text},
             "0": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}
    return header(json.dumps(entry).encode())


HOSTILE = {
    "empty": b"",
    "short": b"\1\2",
    "cut": written({"a": torch.ones(100)})[:-7],
    "header too long": struct.pack("<Q", 2**62) + b"{}",
    "no JSON": header(b"hello"),
    "wrong shape": header(b'{"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}}'),
    "huge shape": header(b'{"a":{"dtype":"F32","shape":[4611686018427387904,4],'
                         b'"data_offsets":[0,8]}}'),
    "wrong dtype": header(b'{"a":{"dtype":"X9","shape":[2],"data_offsets":[0,8]}}'),
    "negative offset": header(b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}}'),
    "hole": header(b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}}'),
    "zip": b"PK\3\4" + b"\0" * 50,
    "old pickle": pickle.dumps([1, 2], protocol=0),
    "no description": with_text("[]"),
    "unknown kind": with_text('{"module":"os"}'),
    "unknown tensor": with_text('{"tensor":"../../etc/passwd","grad":false,"parameter":false}'),
    "unhashable": with_text('{"dict":[[{"list":[]},{"value":1}]]}'),
    "deep": with_text('{"list":[' * 5000 + "]}" * 5000),
    "a dict for a value": with_text('{"value":{}}'),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_refused(name):
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(io.BytesIO(HOSTILE[name]))


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_is_not_executed(tmp_path, protocol):
    mark = tmp_path / "mark"
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(pickle.dumps(Mine(mark), protocol)))
    assert not mark.exists()
    with pytest.raises(ValueError, match="run code"):
        torch.load(io.BytesIO(pickle.dumps(Mine(mark), protocol)), weights_only=False)
    assert not mark.exists()


def test_a_name_in_a_file_is_only_a_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = round_trip({"../outside": torch.ones(1), "/absolute": torch.zeros(1)})
    assert list(found) == ["../outside", "/absolute"] and not os.listdir(tmp_path)


def test_numbers_are_those_of_the_file_and_writable():
    found = round_trip({"a": torch.tensor([1.0, 2.0])})["a"]
    found.add_(1)
    assert np.asarray(found).tolist() == [2, 3]


@pytest.mark.parametrize("dtype", ["F8_E4M3", "U16", "U64"])
def test_a_dtype_that_no_tensor_has(dtype):
    size = {"F8_E4M3": 8, "U16": 4, "U64": 1}[dtype]
    entry = {"a": {"dtype": dtype, "shape": [size], "data_offsets": [0, 8]}}
    with pytest.raises(pickle.UnpicklingError, match=f"'a' has the dtype {dtype}"):
        torch.load(io.BytesIO(header(json.dumps(entry).encode())))


@pytest.mark.parametrize("name", HOSTILE)
def test_a_model_is_as_it_was_after_a_hostile_file(name):
    model = torch.nn.Linear(2, 2)
    before = {key: t.clone() for key, t in model.state_dict().items()}
    with pytest.raises(pickle.UnpicklingError):
        model.load_state_dict(torch.load(io.BytesIO(HOSTILE[name])))
    assert same(before, dict(model.state_dict()))


def test_a_good_file_of_another_model_is_refused_by_name_and_size(tmp_path):
    torch.save(torch.nn.Linear(2, 3).state_dict(), tmp_path / "file")
    model = torch.nn.Linear(2, 2)
    before = {key: t.clone() for key, t in model.state_dict().items()}
    with pytest.raises(RuntimeError, match=r"size mismatch for weight: .*\[3, 2\].*\[2, 2\]"):
        model.load_state_dict(torch.load(tmp_path / "file"))
    assert same(before, dict(model.state_dict()))
