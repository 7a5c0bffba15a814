"""Devices as a program uses them: `to`, factories, refusals, training; simulated GPU and meta."""

import subprocess
import sys

import numpy as np
import pytest

import autodidact as ad
from autodidact import nn
from autodidact.arrays import transfers
from autodidact.arrays.simulated import simulated_gpu
from tests.gpu.strict import allow

F = nn.functional


@pytest.fixture
def gpu():
    with simulated_gpu(allow=allow) as driver:
        yield driver


def test_import_loads_no_cupy():
    code = ("import sys, autodidact as torch\nx = torch.ones(2, requires_grad=True)\n"
            "(x * x).sum().backward()\nprint('cupy' in sys.modules)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


# ---- without a GPU ------------------------------------------------------------------------------


@pytest.fixture
def without_cupy(monkeypatch):
    """As on a machine where CuPy is not installed."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    monkeypatch.setattr("autodidact.arrays.gpu.State.driver", None)


@pytest.mark.parametrize("ask", [
    lambda: ad.ones(2).cuda(), lambda: ad.ones(2).to("cuda"), lambda: ad.ones(2, device="cuda:1"),
    lambda: ad.randn(2, device="cuda"), lambda: nn.Linear(2, 2).cuda(), ad.cuda.current_device,
    ad.cuda.synchronize, ad.cuda.current_stream, lambda: ad.Generator("cuda")])
def test_what_needs_a_gpu_says_which_extra_brings_it(ask, without_cupy):
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled") as raised:
        ask()
    assert "autodidact-grad[cuda12]" in str(raised.value)


def test_questions_are_answered_without_a_gpu(without_cupy):
    assert ad.cuda.is_available() is False and ad.cuda.device_count() == 0
    assert ad.cuda.memory_allocated() == 0 and ad.cuda.empty_cache() is None
    ad.cuda.manual_seed(1)
    with pytest.raises(RuntimeError, match="requires CUDA support"):
        ad.cuda.Stream()
    with pytest.raises(RuntimeError, match="Cannot access accelerator device"):
        ad.device(0)


# ---- where things are ---------------------------------------------------------------------------


def test_where_a_tensor_is(gpu):
    x = ad.ones(2, device="cuda")
    assert x.device == ad.device("cuda", 0) and x.is_cuda and not x.is_cpu
    assert (x.get_device(), ad.ones(1).get_device()) == (0, -1)
    assert x.to("cuda:0") is x and x.cuda() is x and ad.ones(2).cpu().is_cpu
    assert repr(x) == "tensor([1., 1.], device='cuda:0')"
    assert x.type() == "torch.cuda.FloatTensor"
    assert ad.device(0) == ad.device("cuda:0")
    with pytest.raises(RuntimeError, match="invalid device ordinal"):
        x.to("cuda:1")
    with pytest.raises(ValueError, match="must be cuda device"):
        x.cuda("cpu")


@pytest.mark.parametrize("make", [
    lambda **k: ad.zeros(2, 3, **k), lambda **k: ad.ones(2, **k), lambda **k: ad.empty(2, **k),
    lambda **k: ad.full((2,), 3.0, **k), lambda **k: ad.tensor([1.0, 2.0], **k),
    lambda **k: ad.arange(4, **k), lambda **k: ad.linspace(0, 1, 3, **k),
    lambda **k: ad.eye(3, **k), lambda **k: ad.rand(2, **k), lambda **k: ad.randn(2, **k),
    lambda **k: ad.randint(0, 5, (3,), **k), lambda **k: ad.randperm(4, **k),
    lambda **k: ad.as_tensor([1.0], **k), lambda **k: ad.asarray([1.0], **k),
    lambda **k: ad.logspace(0, 1, 3, **k), lambda **k: ad.scalar_tensor(2.0, **k),
    lambda **k: ad.zeros_like(ad.ones(2), **k), lambda **k: ad.ones(2).new_zeros(3, **k),
    lambda **k: ad.full_like(ad.ones(2), 2.0, **k), lambda **k: ad.ones(2).new_full((2,), 1.0, **k),
    lambda **k: ad.ones(2).new_tensor([1.0], **k), lambda **k: ad.rand_like(ad.ones(2), **k),
    lambda **k: nn.Linear(2, 3, **k).weight])
def test_factories(make, gpu):
    ad.manual_seed(3)
    here = make(device="cpu")
    for where in ("cuda", "meta"):
        ad.manual_seed(3)
        there = make(device=where)
        assert there.device.type == where
        assert (there.dtype, there.shape) == (here.dtype, here.shape)
        if where == "cuda":
            np.testing.assert_array_equal(there.detach().cpu(), here.detach())
    with ad.device("cuda"):
        assert make().device.type == "cuda"


def test_results_stay_where_their_inputs_are(gpu):
    x = ad.ones(2, 3, device="cuda")
    assert {t.device.type for t in (
        x + 1, 2 * x, x @ x.T, x.sum(), x[0], x[:, 1], x > 0, ad.zeros_like(x), x.new_zeros(2),
        x.clone(), x.detach(), ad.cat([x, x]), ad.rand_like(x), x.double(), x[ad.tensor([1])],
        x[x > 0], ad.nonzero(x), x.unique() if hasattr(ad, "never") else x)} == {"cuda"}


def test_devices_do_not_mix(gpu):
    x, y = ad.ones(3, device="cuda"), ad.ones(3)
    words = "Expected all tensors to be on the same device, but found at least two devices, "
    for mixed, found in ((lambda: x + y, "cuda:0 and cpu!"), (lambda: y * x, "cpu and cuda:0!"),
                         (lambda: ad.cat([x, y]), "cuda:0 and cpu!"),
                         (lambda: ad.where(x > 0, x, y), "cuda:0 and cpu!"),
                         (lambda: x @ y, "cuda:0 and cpu!"), (lambda: x.add_(y), "cuda:0 and cpu!"),
                         (lambda: y.mul_(x), "cpu and cuda:0!"),
                         (lambda: F.mse_loss(x, y), "cuda:0 and cpu!"),
                         (lambda: ad.ones((), device="cuda") + y, "cuda:0 and cpu!")):
        with pytest.raises(RuntimeError) as raised:
            mixed()
        assert words + found in str(raised.value)
    with pytest.raises(RuntimeError, match="indices should be either on cpu or on the same"):
        y[ad.tensor([0], device="cuda")]
    assert x.tolist() == y.tolist() == [1.0, 1.0, 1.0]


def test_a_single_number_of_the_cpu_joins(gpu):
    w = ad.tensor(2.0, requires_grad=True)
    x = ad.ones(3, device="cuda", requires_grad=True)
    y = (w * x).sum()
    assert y.is_cuda
    y.backward()
    assert w.grad.is_cpu and w.grad.item() == 3 and x.grad.is_cuda
    v = ad.tensor(2.0, requires_grad=True)
    (v * ad.ones((), device="cuda")).backward()
    assert v.grad.is_cpu and (v + 0.0).is_cpu


def test_numpy_and_numbers(gpu):
    x = ad.ones(2, device="cuda")
    with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
        x.numpy()
    with pytest.raises(TypeError, match=r"Tensor.cpu\(\)"):
        np.asarray(x)
    assert x.numpy(force=True).tolist() == x.tolist() == [1.0, 1.0]
    assert float(x.sum()) == x.sum().item() == 2 and bool(x[0])


# ---- transfers ----------------------------------------------------------------------------------


def test_transfers_are_told(gpu):
    x = ad.ones(2, 3)
    with transfers.watched() as crossed:
        y = x.cuda()
        y.sum().item()
        y.cpu()
        print(y)
    assert [str(t) for t in crossed] == [
        "cpu -> cuda:0, 24 bytes", "cuda:0 -> cpu, 4 bytes", "cuda:0 -> cpu, 24 bytes",
        "cuda:0 -> cpu, 24 bytes"]


def test_gradients_cross_where_values_did(gpu):
    x = ad.ones(3, requires_grad=True)
    y = x.cuda()
    assert y.grad_fn.name() == "ToCopyBackward0"
    (y * y).sum().backward()
    assert x.grad.is_cpu and x.grad.tolist() == [2.0, 2.0, 2.0]
    z = x.to("cuda", ad.float64)
    z.sum().backward()
    assert x.grad.dtype is ad.float32
    w, = ad.autograd.grad((x.cuda() ** 3).sum(), x, create_graph=True)
    w.sum().backward()
    assert x.grad.tolist() == [9.0, 9.0, 9.0]


def test_copy_between_devices(gpu):
    x, y = ad.zeros(2), ad.ones(2, device="cuda")
    x.copy_(y)
    y.copy_(ad.tensor([3.0, 4.0]))
    assert x.tolist() == [1.0, 1.0] and y.tolist() == [3.0, 4.0] and y._version == 1
    y[0] = ad.tensor(7.0)
    y[1:] = 8
    assert y.tolist() == [7.0, 8.0]


def test_save_on_cpu(gpu):
    x = ad.ones(3, device="cuda", requires_grad=True)
    with transfers.watched() as crossed, ad.autograd.graph.save_on_cpu():
        y = (x * x).sum()
    assert [t.target.type for t in crossed] == ["cpu", "cpu"]
    y.backward()
    assert x.grad.is_cuda and x.grad.tolist() == [2.0, 2.0, 2.0]


def test_a_gradient_of_another_device_is_refused(gpu):
    for where, other in (("cpu", "cuda"), ("cuda", "meta"), ("cpu", "meta")):
        x = ad.ones(3, device=where, requires_grad=True)
        with pytest.raises(RuntimeError, match=r"invalid gradient at index 0 - expected device"):
            (x * x).backward(ad.ones(3, device=other))
        with pytest.raises(RuntimeError, match="attempting to assign a gradient with device type"):
            x.grad = ad.ones(3, device=other)
        assert x.grad is None


def test_gradients_share_no_memory(gpu):
    x, y = (ad.ones(3, device="cuda", requires_grad=True) for _ in range(2))
    g = ad.ones(3, device="cuda")
    (x + y).backward(g)
    x.grad.mul_(5)
    assert y.grad.tolist() == g.tolist() == [1.0, 1.0, 1.0]


def test_random_numbers_are_the_same_everywhere(gpu):
    ad.manual_seed(5)
    here = ad.randn(4)
    ad.manual_seed(5)
    assert ad.randn(4, device="cuda").tolist() == here.tolist()
    gen = ad.Generator("cuda").manual_seed(5)
    assert gen.device == ad.device("cuda:0")
    assert ad.randn(4, device="cuda", generator=gen).tolist() == here.tolist()
    state = ad.cuda.get_rng_state()
    first = ad.rand(3, device="cuda")
    ad.cuda.set_rng_state(state)
    assert ad.rand(3, device="cuda").tolist() == first.tolist()
    with pytest.raises(RuntimeError, match="META device type not an accelerator"):
        ad.Generator("meta")


# ---- a whole program ----------------------------------------------------------------------------


class Net(nn.Module):
    """Most kinds of layers, small."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(4)
        self.pool, self.words = nn.MaxPool2d(2), nn.Embedding(5, 4)
        self.attention = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.1, batch_first=True)
        self.lstm, self.out = nn.LSTM(4, 6, batch_first=True), nn.Linear(6, 3)

    def forward(self, pictures, words):
        seen = self.pool(self.norm(self.conv(pictures)).relu()).flatten(2).transpose(1, 2)
        both = self.attention(ad.cat([seen, self.words(words)], 1))
        return self.out(F.dropout(self.lstm(both)[0][:, -1], 0.2, self.training))


def trained(where, optimizer, **options):
    """The losses of a few steps, the parameters after them, and what crossed in the loop."""
    ad.manual_seed(0)
    net = Net().to(where, ad.float64)
    pictures, words = ad.randn(6, 1, 4, 4, dtype=ad.float64).to(where), ad.randint(
        0, 5, (6, 3)).to(where)
    target = ad.tensor([0, 1, 2, 0, 1, 2]).to(where)
    how = getattr(ad.optim, optimizer)(net.parameters(), lr=0.05, **options)
    losses, crossed = [], []
    ad.manual_seed(1)                      # the GPU's own generator begins where the CPU's does
    with transfers.listening(crossed.append):
        for _ in range(3):
            how.zero_grad()
            loss = F.cross_entropy(net(pictures, words), target)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            how.step()
            losses.append(loss.detach())
    return ([loss.item() for loss in losses], parameters(net),
            [t for t in crossed if t.source.type != "cpu"])


def parameters(net):
    """All but the bias of the keys: softmax does not see it, so its gradient is rounding alone.

    Rprop goes by the sign of a gradient, of that one, too.
    """
    found = {name: p.detach().cpu() for name, p in net.named_parameters()}
    queries, _, values = found["attention.self_attn.in_proj_bias"].chunk(3)
    found["attention.self_attn.in_proj_bias"] = ad.cat([queries, values])
    return list(found.values())


@pytest.mark.parametrize(("optimizer", "options"), [
    ("SGD", {"momentum": 0.9}), ("Adam", {}), ("AdamW", {"amsgrad": True}), ("RMSprop", {}),
    ("Adagrad", {}), ("NAdam", {}), ("Rprop", {}), ("ASGD", {}), ("Adamax", {}), ("RAdam", {}),
    ("Adadelta", {})])
def test_training_is_the_same_on_the_cpu_and_on_the_gpu(optimizer, options, gpu):
    here, there = trained("cpu", optimizer, **options), trained("cuda", optimizer, **options)
    assert there[0] == pytest.approx(here[0], rel=1e-6)
    for ours, theirs in zip(there[1], here[1], strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-7)
    assert not there[2], "numbers came back to the CPU inside the loop"


def test_a_network_on_meta_has_shapes_only():
    net = Net().to("meta")
    y = net(ad.ones(6, 1, 4, 4, device="meta"), ad.zeros(6, 3, dtype=ad.int64, device="meta"))
    assert y.shape == (6, 3) and y.is_meta
    y.sum().backward()
    assert all(p.grad.is_meta and p.grad.shape == p.shape for p in net.parameters())
    again = net.to_empty(device="cpu")
    assert all(p.is_cpu for p in again.parameters())
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
        Net().to("meta").to("cpu")
