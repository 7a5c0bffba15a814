"""What PyTorch keeps to itself: compiled functions and re-entrant checkpoints are one node each."""

import pytest

from autodidact.trace.torch_bridge import TorchRecorder

pytestmark = [pytest.mark.oracle, pytest.mark.usefixtures("held"),
              pytest.mark.filterwarnings("ignore")]      # PyTorch's compiler warns of itself


@pytest.fixture
def layer(oracle):
    """A layer and its input, and the gradients of tanh of it, squared and summed."""
    oracle.manual_seed(0)
    layer, x = oracle.nn.Linear(2, 2), oracle.ones(1, 2, requires_grad=True)
    layer(x).tanh().square().sum().backward()
    want = [x.grad, layer.weight.grad, layer.bias.grad]
    x.grad = None
    layer.zero_grad(set_to_none=True)
    return layer, x, want


def names(recorder):
    return [node["name"] for node in recorder.record.head["nodes"] if node["kind"] != "leaf"]


def now(layer, x):
    return [x.grad, layer.weight.grad, layer.bias.grad]


def hidden(recorder):
    """What the text form says of the insides."""
    said = "Not visible here: what happens inside "
    return [line.removeprefix(said) for line in recorder.record.text().splitlines()
            if line.startswith(said)]


@pytest.mark.parametrize("by_hand", [False, True], ids=["pause", "hand"])
@pytest.mark.parametrize(("backend", "inside"), [("eager", []), ("aot_eager", ["Compiled"])])
def test_a_compiled_function(oracle, layer, backend, inside, by_hand):
    layer, x, want = layer
    compiled = oracle.compile(lambda t: layer(t).tanh().square(), backend=backend)
    recorder = TorchRecorder(compiled(x).sum(), copy=by_hand)
    recorder.run()
    assert ("TanhBackward0" in names(recorder)) is (backend == "eager")
    assert [line[:8] for line in hidden(recorder)] == inside
    if by_hand and recorder.error is not None:           # its memory may be used by one pass only
        assert inside and "donated buffer" in str(recorder.error)
        assert now(layer, x) == [None] * 3
        return
    assert recorder.error is None and recorder.state["end"] == "ok"
    if by_hand:
        assert now(layer, x) == [None] * 3
        got = {tuple(n.variable.tensor.shape): recorder.task.grad_of(n)
               for n in recorder.subject.order if hasattr(n, "variable")}
        assert all(oracle.allclose(got[tuple(g.shape)], g) for g in want)
    else:
        assert all(map(oracle.allclose, now(layer, x), want))


def test_a_reentrant_checkpoint_is_one_node_and_its_gradients_are_right(oracle, layer):
    layer, x, want = layer
    checkpoint = oracle.utils.checkpoint.checkpoint
    recorder = TorchRecorder(
        checkpoint(lambda t: layer(t).tanh(), x, use_reentrant=True).square().sum())
    recorder.run()
    assert names(recorder)[-1] == "CheckpointFunctionBackward"
    assert hidden(recorder) == ["CheckpointFunctionBackward."]
    assert all(map(oracle.equal, now(layer, x), want))


def test_a_reentrant_checkpoint_is_not_run_by_hand(oracle, layer):
    """The pass inside it would write the real gradients of the layer."""
    layer, x, _ = layer
    checkpoint = oracle.utils.checkpoint.checkpoint
    recorder = TorchRecorder(
        checkpoint(lambda t: layer(t).tanh(), x, use_reentrant=True).square().sum(), copy=True)
    recorder.run()
    assert recorder.state["end"] == "error" and "re-entrant checkpoint" in str(recorder.error)
    assert now(layer, x) == [None] * 3


@pytest.mark.parametrize("by_hand", [False, True], ids=["pause", "hand"])
def test_a_checkpoint_that_is_not_reentrant_is_seen_node_by_node(oracle, layer, by_hand):
    layer, x, want = layer
    checkpoint = oracle.utils.checkpoint.checkpoint
    recorder = TorchRecorder(
        checkpoint(lambda t: layer(t).tanh(), x, use_reentrant=False).square().sum(), copy=by_hand)
    recorder.run()
    assert {"TanhBackward0", "AddmmBackward0"} <= set(names(recorder)) and not hidden(recorder)
    assert by_hand or all(map(oracle.equal, now(layer, x), want))


def test_a_custom_function_with_arguments_that_are_no_tensors(oracle):
    class Scaled(oracle.autograd.Function):
        @staticmethod
        def forward(ctx, factor, x, name, constant):
            ctx.factor = factor
            return x * factor * constant

        @staticmethod
        def backward(ctx, g):
            return None, g * ctx.factor, None, None

    for by_hand in (True, False):
        x = oracle.tensor(2.0, requires_grad=True)
        loss = Scaled.apply(5.0, x * 1, "name", oracle.tensor(3.0)) * 1
        recorder = TorchRecorder(loss, names={"x": x}, copy=by_hand)
        recorder.run()
        assert recorder.record.as_reference()["final"]["grad"] == {"x": [5.0]}
