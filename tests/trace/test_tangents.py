"""W20: values that forward mode has moved are shown beside their tangents; PyTorch's numbers."""

import gc
import json
import warnings
import weakref

import pytest

import autodidact
from autodidact import trace
from autodidact.autograd import forward_ad
from autodidact.trace.notes import note_of
from tests.trace.test_record import validator


def chain(library, fw, wanted=None):
    """z and the tangents of d, y, p, v, z; called inside a dual level."""
    x = library.tensor([1.0, 2.0], dtype=library.double, requires_grad=True)
    w = library.tensor([3.0, 5.0], dtype=library.double, requires_grad=True)
    d = fw.make_dual(x, library.tensor([1.0, 10.0], dtype=library.double))
    y = d * d
    p = y * w
    v = p[1]
    p = p + 1
    p.mul_(2)
    z = p.sum() + v
    if wanted is not None:
        wanted.update({name: fw.unpack_dual(t).tangent.tolist()
                       for name, t in {"d": d, "y": y, "v": v, "z": z}.items()})
    return z


def shown(record):
    """Variable or class name -> the values of the tangent, of every node that has one."""
    validator().validate(json.loads(record.to_json()))
    return {node["var"] or node["name"]: node["tangent"]["values"]
            for node in record.head["nodes"] if "tangent" in node}


def test_every_node_has_pytorchs_tangent_also_when_its_tensor_is_gone():
    torch = pytest.importorskip("torch")
    expected = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)    # PyTorch's own, on first use
        with torch.autograd.forward_ad.dual_level():
            chain(torch, torch.autograd.forward_ad, expected)
    with trace.recording(), forward_ad.dual_level():
        z = chain(autodidact, forward_ad)
        inside = trace.record(z, retain_graph=True)
    found = shown(inside)
    assert {name: found[name] for name in expected} == expected
    assert shown(trace.record(z)) == found                 # and after the level has ended


def test_a_write_changes_the_tangent_and_the_old_nodes_keep_theirs():
    with trace.recording(), forward_ad.dual_level():
        x = autodidact.tensor([1.0, 2.0], requires_grad=True)
        d = forward_ad.make_dual(x, autodidact.tensor([1.0, 1.0]))
        y = d * 1
        first = y._grad_fn
        y.mul_(3)
        second = y._grad_fn
        y[0] = d[1] * 7
        third = y._grad_fn
    tangents = [note_of(node).tangent["values"] for node in (first, second, third)]
    assert tangents == [[1, 1], [3, 3], [7, 3]]


def test_a_leaf_that_is_dual_itself():
    with trace.recording(), forward_ad.dual_level():
        x = forward_ad.make_dual(autodidact.tensor(3.0), autodidact.tensor(2.0)).detach()
        leaf = forward_ad.make_dual(autodidact.tensor(3.0), autodidact.tensor(2.0))
        leaf.requires_grad_()
        z = leaf * x
        record = trace.record(z)
    assert shown(record) == {"leaf": 2, "z": 6}


def test_where_nothing_moves_nothing_is_said():
    x = autodidact.tensor(3.0, requires_grad=True)
    with trace.recording():
        y = x * x
    record = trace.record(y)
    assert shown(record) == {} and "forward mode" not in record.text()


def test_text_and_picture_say_both():
    x = autodidact.tensor(3.0, requires_grad=True)
    with trace.recording(), forward_ad.dual_level():
        d = forward_ad.make_dual(x, autodidact.tensor(1.0))
        y = d * d
    record = trace.record(y)
    lines = record.text(0, "en").splitlines()
    at = lines.index("forward mode: each value beside its tangent")
    assert [line.split() for line in lines[at + 1:at + 3]] == [
        ["node", "value", "tangent"], ["y", "=", "d", "*", "d", "9", "6"]]
    assert "прямой режим" in record.text(0, "ru")
    assert "9, t 6" in record.svg(0)


def test_watching_changes_no_tangent_and_keeps_no_tensor():
    for watched in (False, True):
        with forward_ad.dual_level():
            tangents = {}
            if watched:
                with trace.recording():
                    z = chain(autodidact, forward_ad, tangents)
                seen = tangents
            else:
                z = chain(autodidact, forward_ad, tangents)
                plain = tangents
            gone = weakref.ref(forward_ad.unpack_dual(z).tangent)
        del z
        gc.collect()
        assert gone() is None
    assert seen == plain
