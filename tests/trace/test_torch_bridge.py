"""PyTorch's own engine through the bridge: the reference traces, exact gradients, nothing left."""

import gc
import json
import sys
import weakref
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

from autodidact.trace.torch_bridge import TorchRecorder, tensors_in, watched
from tests.trace.test_record import validator

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("held")]
SCENES = Path(__file__).parents[1] / "autograd" / "test_scenes.py"
WANT = json.loads((SCENES.parent / "data" / "scenes.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def scenes(request):
    """The module of the 14 scenes with PyTorch in autodidact's place."""
    pytest.importorskip("torch")
    source = SCENES.read_text(encoding="utf-8")
    source = source.replace("import autodidact as torch", "import torch")
    module = ModuleType("scenes_in_torch")
    module.__file__ = str(SCENES)
    exec(compile(source, str(SCENES), "exec"), module.__dict__)
    return module


def plain(record):
    """A record as the schema describes it: `to_json` may write a shorter form."""
    return json.loads(json.dumps({**record.head, "states": record.states}))


@pytest.mark.parametrize("by_hand", [False, True], ids=["pause", "hand"])
@pytest.mark.parametrize("name", WANT)
def test_a_scene_runs_as_recorded(scenes, name, by_hand):
    loss, names, options = scenes.SCENES[name]()
    recorder = TorchRecorder(loss, names=names, copy=by_hand, **options)
    recorder.run()
    assert scenes.rounded(recorder.record.as_reference()) == scenes.rounded(WANT[name])
    recorder.record.layout()
    validator().validate(plain(recorder.record))
    assert recorder.record.text() and recorder.record.svg()


# ---- models -------------------------------------------------------------------------------------

FAMILIES = ("mlp_with_a_function", "cnn_with_batch_norm", "lstm", "unrolled_rnn",
            "transformer_layer", "several_outputs")
ORDINARY = ("linear_regression", "bilinear", "gru_packed", "attention", "autoencoder",
            "transposed_convolution", "embedding_bag", "tied_weights", "norms_and_gates",
            "frozen_first_layer")


@pytest.fixture
def models(oracle):
    """The module of the models, and PyTorch's random numbers as always."""
    from tests.trace import torch_models
    oracle.manual_seed(0)
    return torch_models


def gradients(module):
    """Every parameter's gradient, taken away."""
    found = {name: p.grad for name, p in module.named_parameters()}
    module.zero_grad(set_to_none=True)
    return found


def equal(torch, one, other):
    """The same gradients, exactly."""
    assert one.keys() == other.keys()
    return all(one[k] is other[k] is None or torch.equal(one[k], other[k]) for k in one)


def test_the_lists_of_models_are_whole(models):
    assert [m.__name__ for m in models.FAMILIES] == list(FAMILIES)
    assert [m.__name__ for m in models.ORDINARY] == list(ORDINARY)


@pytest.mark.parametrize("name", FAMILIES + ORDINARY)
def test_a_stepped_pass_gives_exactly_the_gradients_of_backward(oracle, models, name):
    module, forward = getattr(models, name)()
    module.eval() if "dropout" in name else None
    forward().backward()
    want = gradients(module)

    loss = forward()
    recorder = TorchRecorder(loss, found=tensors_in({"loss": loss}, module))
    nodes = recorder.record.head["nodes"]
    planned = [node["id"] for node in nodes if node["kind"] != "leaf"]   # leaves come as they come
    while not recorder.done:
        recorder.step()
    record, last = recorder.record, recorder.record.state(-1)
    assert last["end"] == "ok" and equal(oracle, gradients(module), want)
    ran = [record.state(k)["ran"] for k in range(1, len(record))]
    assert [i for i in ran if i in planned] == planned and len(ran) == len(nodes)
    assert set(last["status"].values()) == {"done"}
    named = {n["var"] for n in record.head["nodes"] if n["kind"] == "leaf"}
    assert named == {k for k, p in module.named_parameters() if p.requires_grad}

    by_hand = TorchRecorder(forward(), found=tensors_in({}, module), copy=True)
    by_hand.run()
    got = {n["var"]: by_hand.task.grad_of(node) for node, n in
           zip(by_hand.subject.order, by_hand.record.head["nodes"], strict=True)
           if n["kind"] == "leaf"}
    assert equal(oracle, got, {k: want[k] for k in got})
    assert all(p.grad is None for p in module.parameters())
    names = [[n["name"] for n in r.record.head["nodes"]] for r in (recorder, by_hand)]
    assert names[0] == names[1]
    validator().validate(plain(record))


def test_two_hundred_passes_opened_stepped_half_way_and_closed(oracle, models, held):
    module, forward = models.mlp_with_a_function()
    before = hooks_on(forward())
    nodes = []
    for turn in range(200):
        loss = forward()
        recorder = TorchRecorder(loss)
        for _ in range(5):
            recorder.step()
        if turn % 2:
            recorder.close()
            assert hooks_on(loss) == before
        marker = oracle.nn.Identity()
        loss.grad_fn.metadata["marker"] = marker         # dies with the graph
        nodes.append(weakref.ref(marker))
        del recorder, loss, marker                       # the others are just forgotten
        if turn == 20:
            gc.collect()
            first = memory()
    gc.collect()
    assert [t for t in held() if t.is_alive()] == []
    assert sum(node() is not None for node in nodes) == 0
    assert memory() - first < 8 << 20
    assert all(p.grad is None or p.grad.isfinite().all() for p in module.parameters())


def hooks_on(loss):
    """How many hooks a graph's nodes carry, by the number of entries in their hook dicts."""
    stack, seen, count = [loss.grad_fn], set(), 0
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        handle = node.register_prehook(lambda grads: None)
        count += len(handle.hooks_dict_ref() or ()) - 1
        handle.remove()
        stack += [each for each, _ in node.next_functions]
    return count


def memory():
    """Bytes of memory this process uses now."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * 4096


# ---- what is real in pause mode -----------------------------------------------------------------


def chain(torch):
    """x * x * 3 at x = 2: three nodes."""
    x = torch.tensor([2.0], requires_grad=True)
    return x, (x * x * 3).sum()


@pytest.mark.parametrize("copy", [False, True])
def test_an_edited_gradient_goes_on_through_the_pass(oracle, copy):
    x, loss = chain(oracle)
    recorder = TorchRecorder(loss, found={"x": x, "loss": loss}, copy=copy)
    recorder.step()
    node = recorder.state["next"]
    with pytest.raises(ValueError, match="does not run next"):
        recorder.edit("n2", 0, [1.0])
    with pytest.raises(ValueError, match="shape"):
        recorder.edit(node, 0, [1.0, 2.0])
    recorder.edit(node, 0, [10.0])
    recorder.run()
    final = recorder.record.state(-1)["grads"]
    assert [g["value"]["text"] for g in final.values()] == ["120"]
    assert recorder.record.state(1)["total"][node][0]["text"] == "10"
    assert (x.grad is None) if copy else (x.grad.item() == 120)


def test_hooks_fire_and_what_they_change_is_an_event(oracle):
    x = oracle.tensor([2.0], requires_grad=True)
    y = x * x
    seen = []
    y.register_hook(lambda g: seen.append(g.item()) or g * 100)
    y.retain_grad()
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.item()))
    loss = (y * 3).sum()
    recorder = TorchRecorder(loss, found={"x": x, "y": y})
    recorder.run()
    assert seen == [3.0, 1200.0] and y.grad.item() == 300
    hooks = [e for s in recorder.record.states for e in s.get("events", ()) if e["kind"] == "hook"]
    assert [(e["args"]["before"], e["args"]["after"]) for e in hooks] == [("3", "300")]


def test_nothing_runs_and_no_hook_is_set_before_the_first_step(oracle, held):
    x, loss = chain(oracle)
    before = hooks_on(loss)
    recorder = TorchRecorder(loss)
    assert held() == [] and hooks_on(loss) == before
    recorder.step()
    assert len(held()) == 1 and hooks_on(loss) > before
    recorder.close()
    assert held() == [] and hooks_on(loss) == before and x.grad is None


def test_another_pass_runs_undisturbed_while_one_is_held(oracle):
    x, loss = chain(oracle)
    recorder = TorchRecorder(loss)
    recorder.step()
    y = oracle.tensor(3.0, requires_grad=True)
    (y * y).backward()
    assert y.grad.item() == 6 and x.grad is None
    recorder.run()
    assert x.grad.item() == 12


def test_another_pass_through_the_same_nodes_is_not_held(oracle, held):
    """The learner calls backward() in the next cell, though the stepper stands half way."""
    x = oracle.tensor(3.0, requires_grad=True)
    loss = x * x * 2
    recorder = TorchRecorder(loss, retain_graph=True)
    recorder.step()
    loss.backward(retain_graph=True)
    assert x.grad == 12
    recorder.run()
    assert x.grad == 24 and recorder.state["end"] == "ok"
    assert not held()


def test_an_error_of_the_learners_own_backward_stops_at_its_node(oracle):
    class Bad(oracle.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("my own mistake")

    x = oracle.tensor(1.0, requires_grad=True)
    recorder = TorchRecorder(Bad.apply(x * 1) * 2)
    recorder.run()
    last = recorder.record.state(-1)
    label = {n["id"]: n["name"] for n in recorder.record.head["nodes"]}
    assert label[last["error"]["node"]] == "BadBackward" and last["error"]["class"] == "ValueError"
    assert isinstance(recorder.error, ValueError) and x.grad is None


def test_a_failing_hook_belongs_to_the_node_that_it_sits_on(oracle):
    x, _ = chain(oracle)
    y = x * x

    def fail(g):
        raise ZeroDivisionError("in a hook")
    y.register_hook(fail)
    recorder = TorchRecorder((y * 3).sum(), found={"y": y})
    recorder.run()
    last = recorder.record.state(-1)
    node = next(n for n in recorder.record.head["nodes"] if n["id"] == last["error"]["node"])
    assert node["var"] == "y" and last["error"]["class"] == "ZeroDivisionError"
    assert list(last["status"].values()).count("done") == 2


def test_a_packed_tensor_is_not_unpacked_by_a_look(oracle):
    looks = []
    x = oracle.tensor(2.0, requires_grad=True)
    with oracle.autograd.graph.saved_tensors_hooks(
            lambda t: t, lambda t: looks.append(1) or t):
        loss = x * x
    recorder = TorchRecorder(loss)
    entry = recorder.record.head["nodes"][0]["saved"][0]
    if not hasattr(loss.grad_fn._raw_saved_self, "unpack_hook"):
        assert looks and entry["role"] != "packed"       # torch 2.6 does not tell; see CONTRIBUTING
        recorder.run()
        assert x.grad.item() == 4
        return
    assert looks == [] and entry["role"] == "packed" and entry["value"] is None
    recorder.run()
    assert len(looks) == 2 and x.grad.item() == 4


@pytest.mark.parametrize("options", [{}, {"retain_graph": True}, {"create_graph": True}])
def test_observing_changes_nothing(oracle, options):
    results = []
    for watched_ in (False, True):
        x = oracle.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        loss = (y * y).sum()
        if watched_:
            TorchRecorder(loss, **options).run()
        else:
            loss.backward(**options)
        try:
            kept = y.grad_fn._saved_result is not None
        except RuntimeError:
            kept = False
        results.append((x.grad.tolist(), x.grad.requires_grad, x.grad.stride(), x._version, kept))
        x.grad = None
    assert results[0] == results[1]


def test_inputs_and_grad_run_only_what_is_asked_for(oracle):
    x, y = (oracle.tensor(v, requires_grad=True) for v in (2.0, 3.0))
    m = x * y
    loss = m * x
    recorder = TorchRecorder(loss, inputs=[y], found={"x": x, "y": y, "m": m})
    recorder.run()
    assert y.grad.item() == 4 and x.grad is None
    status = {n["var"]: recorder.record.state(-1)["status"][n["id"]]
              for n in recorder.record.head["nodes"]}
    assert status["x"] == "skipped" and status["y"] == status["m"] == "done"
    assert recorder.record.head["options"]["inputs"] == ["y"]


def test_modules_are_told_where_the_forward_was_watched(oracle, models):
    module, forward = models.mlp_with_a_function()
    loss, path_of = watched(module, forward)
    recorder = TorchRecorder(loss, found=tensors_in({}, module), modules=path_of)
    paths = {n["name"]: n["module"] for n in recorder.record.head["nodes"]}
    assert paths["ReluBackward0"] == "1" and paths["SquareBackward"] is None
    afterwards = TorchRecorder(forward(), found=tensors_in({}, module))
    paths = [n["module"] for n in afterwards.record.head["nodes"] if n["name"] == "AddmmBackward0"]
    assert paths == ["2", "0"]
    assert {n["module"] for n in afterwards.record.head["nodes"]
            if n["name"] == "ReluBackward0"} == {None}


def test_anomaly_mode_gives_the_lines(oracle):
    with pytest.warns(UserWarning, match="Anomaly"), oracle.autograd.detect_anomaly():
        x = oracle.tensor(2.0, requires_grad=True)
        loss = x * x
    recorder = TorchRecorder(loss)
    node = recorder.record.head["nodes"][0]
    assert node["source"] == "loss = x * x" and node["where"]["file"] == "test_torch_bridge.py"
    assert recorder.record.head["recorded"]


def test_torch_is_not_loaded_by_the_bridge():
    assert "torch_bridge" in sys.modules["autodidact.trace.torch_bridge"].__name__
    jsonschema.Draft202012Validator.check_schema(validator().schema)
