"""bfloat16: every row in it, compared with PyTorch; creation, printing, random numbers, a model."""

import copy
import pickle
import sys

import numpy as np
import pytest

import autodidact as ad
import autodidact.nn.functional as ad_functional
from autodidact import _optional
from autodidact.arrays.bfloat16 import BFloat16Array
from tests.functions.random_tuples import FUNCTIONS, SEEDS, SIZES
from tests.ops.cases import CASES

pytestmark = [pytest.mark.filterwarnings("ignore::UserWarning"),
              pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")]

# Rows whose values are not compared, and why.
NOT_COMPARED = {
    "linalg_matrix_exp": "PyTorch's overflows",
    "logcumsumexp:far apart": "PyTorch's gradient loses the smaller numbers",
    "signbit": "among its numbers are NaN, whose sign the conversion may lose",
}
ROWS = [c for c in CASES if c.code and c.id not in NOT_COMPARED
        and any(a is not None and a.dtype == np.float64 for a in c.arrays())
        and not any(a is not None and a.dtype.kind == "c" for a in c.arrays())]


def call(case, library, functional):
    """The case's code with bfloat16 for float64: its leaves and its outputs."""
    def tensor(a):
        if a is None or a.dtype != np.float64:
            return a if a is None else library.tensor(a)
        return library.from_numpy(np.ascontiguousarray(a)).to(library.bfloat16).requires_grad_()

    tensors = [tensor(a) for a in case.arrays()]
    place = dict(zip("xyzu", tensors, strict=False)) | {"xs": tensors, "torch": library,
                                                        "F": functional}
    try:
        out = eval(case.code, place)
    except (RuntimeError, NotImplementedError) as error:
        return tensors, error
    return tensors, list(out) if isinstance(out, (tuple, list)) else [out]


def numbers(t):
    """In float64, whatever the dtype."""
    return np.array(t.detach().tolist(), np.complex128 if t.is_complex() else np.float64)


def assert_same(a, b, close):
    """Dtype, shape and numbers; `close` is relative to each number and to the largest."""
    assert str(a.dtype) == str(b.dtype) and tuple(a.shape) == tuple(b.shape)
    assert isinstance(a._array, BFloat16Array) == (a.dtype is ad.bfloat16)
    x, y = numbers(a), numbers(b)
    size = np.abs(y[np.isfinite(y)]).max(initial=0)
    np.testing.assert_allclose(x, y, rtol=close, atol=close * size)


@pytest.mark.parametrize("case", ROWS, ids=[c.id for c in ROWS])
def test_a_row(case, oracle):
    (ours, outs), (theirs, expected) = (call(case, ad, ad_functional),
                                        call(case, oracle, oracle.nn.functional))
    if isinstance(expected, Exception):
        assert type(outs) is type(expected)
        return
    for a, b in zip(outs, expected, strict=True):
        if isinstance(b, oracle.Tensor):
            assert_same(a, b, 2**-7)
            assert a.requires_grad == b.requires_grad
        else:
            assert a == b
    compare_gradients(oracle, ours, outs, theirs, expected)


def compare_gradients(oracle, ours, outs, theirs, expected):
    """Of one combination of the outputs, where PyTorch has one."""
    live = [i for i, e in enumerate(expected) if isinstance(e, oracle.Tensor) and e.requires_grad
            and "NotImplemented" not in e.grad_fn.name()]
    wanted = [i for i, t in enumerate(theirs) if t is not None and t.requires_grad]
    if not live:
        return
    weights = [((oracle.arange(expected[i].numel()) * 7 % 5 + 1.0) / 4).reshape(
        expected[i].shape).to(expected[i].dtype) for i in live]
    try:
        told = oracle.autograd.grad([expected[i] for i in live], [theirs[i] for i in wanted],
                                    weights, allow_unused=True)
    except (RuntimeError, NotImplementedError):
        return                                     # a kernel that PyTorch lacks
    found = ad.autograd.grad(
        [outs[i] for i in live], [ours[i] for i in wanted],
        [ad.tensor(w.float().numpy()).to(outs[i].dtype)
         for w, i in zip(weights, live, strict=True)], allow_unused=True)
    for a, b in zip(found, told, strict=True):
        if a is not None and b is not None:
            assert_same(a, b.clone(), 2**-5)


def test_enough_rows_are_compared():
    assert len(ROWS) > 330


# ---- beside the rows: the same lines under both libraries ----------------------------------------

LINES = """
torch.zeros(2, dtype=B), torch.ones(1, 2, dtype=B), torch.full((2,), 0.1, dtype=B)
torch.arange(5, dtype=B), torch.eye(2, dtype=B), torch.tensor(2, dtype=B), torch.tensor([], dtype=B)
torch.tensor([0.1, 257, 1e38, float("inf"), float("nan")], dtype=B)
torch.finfo(B), B, B.itemsize, B.is_floating_point, B.is_complex, B.is_signed, B.to_complex()
torch.promote_types(B, torch.float16), torch.promote_types(B, torch.int64)
torch.promote_types(B, torch.float32), torch.promote_types(B, torch.complex64)
torch.can_cast(B, torch.int8), torch.result_type(x, 2.5), torch.result_type(x, 2j)
x + 1, x * 0.1, 1 / x, x ** 2, x - x, -x, abs(x), x // 2, x == 1, x > 2
x + torch.ones(3), x + torch.ones(3, dtype=torch.int64), x * torch.tensor(3.0)
x + torch.ones(3, dtype=torch.float16), (x * torch.ones(3, dtype=torch.float64)).dtype
x.float(), x.double(), x.half(), x.long(), x.bool(), x.bfloat16() is x, torch.ones(2).bfloat16()
x.to(torch.float32), torch.tensor([1.1]).to(B), torch.tensor([257]).to(B), x.type(), x.type(B)
x.element_size(), x.nbytes, x.stride(), x[1:].storage_offset(), x.view(torch.int16)
torch.tensor([16256], dtype=torch.int16).view(B), x.data_ptr() == x.view(torch.int16).data_ptr()
x.tolist(), x[1].item(), float(x[1]), int(x[1]), f"{x[1]:.3f}", bool(x[0]), len(x), list(x)
x.clone().add_(0.1), x.clone().mul_(3), x.clone().fill_(1.1), x.clone().zero_(), x.clone().exp_()
x.clone().copy_(torch.ones(3) * 3.14159), torch.ones(3).copy_(x), torch.ones(3).add_(x)
torch.ones(3, dtype=torch.int64).add_(x)
x.unique(), x.sort(), x.nonzero(), torch.equal(x, x), torch.allclose(x, x), x.isclose(x)
torch.cat([x, torch.ones(1)]), torch.where(x > 1, x, 1.0), x.masked_fill(x > 1, 0.1), x[x > 1]
x.new_zeros(2), torch.zeros_like(x), torch.empty_like(x).dtype, torch.tensor([x[0], x[1]])
torch.nextafter(x, x + 1), x.histc(3), torch.vander(x), x.sum(dtype=torch.float32)
torch.frombuffer(bytearray(b"\\x00\\x3f\\x80\\x3f"), dtype=B), torch.BFloat16Tensor([1, 2])
x.numpy()
x.quantile(0.5)
torch.cdist(x[None], x[None])
torch.from_numpy(np.ones(2, ">f4"))
torch.ones(2, 2) @ torch.ones(2, 2, dtype=B)
torch.func.grad(lambda x: (x * x).sum())(x), torch.func.vmap(lambda x: x * 2)(x)
torch.func.jacfwd(lambda x: x * x)(x), torch.func.hessian(lambda x: (x ** 3).sum())(x)
torch.func.jvp(torch.sin, (x,), (x,))
torch.block_diag(x, x), torch.linalg.matrix_norm(x[None]), torch.linalg.vector_norm(x)
F.adaptive_max_pool1d(x[None], 2), F.interpolate(x[None, None], scale_factor=2, mode="linear")
F.grid_sample(x[None, None, None], torch.zeros(1, 1, 2, 2, dtype=B), align_corners=True)
F.embedding(torch.tensor([0, 1]), x[:, None], max_norm=1.0), F.rrelu(-x), F.one_hot(x.long())
torch.scatter_reduce(x, 0, torch.tensor([0, 0]), x, "mean"), F.gumbel_softmax(x).dtype
F.alpha_dropout(x, training=True).dtype
repr(torch.nn.Linear(2, 1).bfloat16().weight.dtype)
""".strip().split("\n")


def told(line, library):
    """The text of a line's result, or the class of its error."""
    x = library.tensor([1.0, 2.5, 3.0], dtype=library.bfloat16)
    try:
        return repr(eval(line, {"torch": library, "F": library.nn.functional,
                                "B": library.bfloat16, "x": x, "np": np}))
    except Exception as error:
        return type(error).__name__


@pytest.mark.parametrize("line", LINES)
def test_a_line(line, oracle):
    assert told(line, ad) == told(line, oracle)


def test_default_dtype(oracle):
    texts = []
    for library in (ad, oracle):
        library.set_default_dtype(library.bfloat16)
        try:
            texts.append(repr((library.ones(2), library.tensor(1.5), library.arange(0, 1, 0.25),
                               library.tensor([1]) + 0.5, library.ones(1, dtype=library.float32))))
        finally:
            library.set_default_dtype(library.float32)
    assert texts[0] == texts[1]


def test_the_engine_keeps_it(oracle):
    """Sums of gradients, views, writes, hooks, casts, custom functions, create_graph."""
    def grads(library):
        x = library.tensor([1.0, 2.5, 3.0], dtype=library.bfloat16)

        class Mine(library.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0]

        def written(y):
            z = y.clone()
            z[1:] *= 3
            return z.sum() + y[:2].sum()

        for f in (lambda y: y.sum() + (y * y).sum(), written, Mine.apply,
                  lambda y: y.float().exp().bfloat16(), lambda y: y * library.ones(3),
                  lambda y: y[0] * y[1] + y.unbind()[2], lambda y: y.expand(2, 3).sum()):
            y = x.clone().requires_grad_()
            y.register_hook(lambda g: g * 3)
            for _ in range(2):
                f(y).sum().backward()
            yield y.grad
        y = x.clone().requires_grad_()
        (first,) = library.autograd.grad((y ** 3).sum(), y, create_graph=True)
        yield from (first.detach(), *library.autograd.grad(first.sum(), y))
    for ours, theirs in zip(grads(ad), grads(oracle), strict=True):
        assert_same(ours, theirs, 2**-7)


def test_numbers_of_a_seed(oracle):
    def drawn(library, function, size, seed):
        d, n = library.bfloat16, int(np.prod(size))
        steps = library.arange(n).reshape(size)
        library.manual_seed(seed)
        return eval(function.code, {
            "torch": library, "s": size, "d": d, "x": library.zeros(size, dtype=d),
            "p": (steps * 7 % 11).to(d) / 11, "r": (steps * 5 % 17).to(d)})
    for function in FUNCTIONS:
        if "float32" in function.dtypes:
            for size in SIZES:
                for seed in SEEDS[:2]:
                    ours, theirs = (drawn(library, function, size, seed)
                                    for library in (ad, oracle))
                    assert str(ours.dtype) == str(theirs.dtype)
                    assert ours.tolist() == theirs.tolist(), (function.code, size, seed)


MODELS = {
    "mlp": (lambda nn: nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.LayerNorm(8), nn.Linear(8, 2)),
            lambda library: library.ones(3, 4, dtype=library.bfloat16)),
    "conv": (lambda nn: nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.MaxPool2d(2),
                                      nn.Flatten(), nn.Linear(8, 2)),
             lambda library: library.arange(72.0).reshape(2, 1, 6, 6).bfloat16() / 50),
    "lstm": (lambda nn: nn.LSTM(3, 4), lambda library: library.ones(2, 3, 3).bfloat16()),
    "attention": (lambda nn: nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True),
                  lambda library: library.arange(48.0).reshape(2, 3, 8).bfloat16() / 40),
    "embedding": (lambda nn: nn.Sequential(nn.Embedding(5, 4), nn.GELU(), nn.Linear(4, 2)),
                  lambda library: library.tensor([0, 1, 1, 4])),
}
RUNS = [(model, "SGD") for model in MODELS] + [
    ("mlp", name) for name in ("Adam", "AdamW", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam",
                               "Rprop", "ASGD")]


@pytest.mark.parametrize(("model", "optimizer"), RUNS)
def test_training(model, optimizer, oracle):
    def losses(library):
        library.manual_seed(0)
        module = MODELS[model][0](library.nn).to(library.bfloat16)
        steps = getattr(library.optim, optimizer)(module.parameters(), lr=0.1)
        for _ in range(3):
            steps.zero_grad()
            out = module(MODELS[model][1](library))
            out = out[0] if isinstance(out, tuple) else out
            loss = (out * out).mean()
            loss.backward()
            steps.step()
            yield loss.item()
        assert all(p.dtype is library.bfloat16 for p in module.parameters())
    np.testing.assert_allclose(list(losses(ad)), list(losses(oracle)), rtol=0.1, atol=2e-3)


def test_copies_and_files(tmp_path, oracle):
    x = ad.tensor([[1.5, 2.5]], dtype=ad.bfloat16)
    ad.save({"x": x, "y": x.t()}, tmp_path / "file")
    for same in (copy.deepcopy(x), copy.deepcopy(x[:, 1:]), pickle.loads(pickle.dumps(x)),
                 ad.load(tmp_path / "file")["x"]):
        assert same.dtype is ad.bfloat16 and same.tolist()[0][-1] == 2.5
        same.add_(1)
    assert x.tolist() == [[1.5, 2.5]] and pickle.loads(pickle.dumps(ad.bfloat16)) is ad.bfloat16
    from safetensors.torch import load_file
    assert load_file(tmp_path / "file")["y"].tolist() == [[1.5], [2.5]]


def test_without_the_library_a_sentence_says_what_brings_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    assert repr(ad.bfloat16) == "torch.bfloat16" and ad.finfo(ad.bfloat16).bits == 16
    with pytest.raises(_optional.MissingExtra, match=r"ml_dtypes.*pip install .*\[io\]"):
        ad.ones(2, dtype=ad.bfloat16)


def test_elsewhere_it_is_refused():
    with pytest.raises(RuntimeError, match=r"on the CPU only here.*\.float\(\)"):
        ad.ones(2, dtype=ad.bfloat16, device="meta")
    with pytest.raises(RuntimeError, match="on the CPU only here"):
        ad.ones(2, dtype=ad.bfloat16).to("meta")
