"""Bad calls (dtype, shape, dimension, index): PyTorch's class of exception and its key words."""

import re
import warnings

import pytest

import autodidact as ad
import autodidact.nn.functional as ad_functional

# x (2, 3) and m (3, 3) are float64, v (3,) float64, i (2, 3) int64, b (2, 3) bool,
# c complex (3, 3), n a 0-dim number, h (3, 3) float16, k an int64 vector (0, 1),
# e an empty float64 tensor.
BAD = """
x + torch.ones(2)
x * torch.ones(4, 3)
x - torch.ones(3, 2)
torch.add(x, None)
torch.add("a", x)
torch.mul(x, [1, 2])
b - b
-b
torch.sub(b, b)
x & x
~x
x | b.double()
x << x
torch.maximum(c, c)
torch.sign(c)
torch.floor(c)
torch.ceil(b)
torch.remainder(c, c)
i ** -1
x.clamp()
torch.where(x > 0, x, torch.ones(4))
torch.lerp(x, torch.ones(4, 4, dtype=torch.float64), 0.5)
torch.addcdiv(i, i, i)
x[5]
x[0, 5]
x[0, 0, 0]
n[0]
x[:, torch.tensor([7])]
x[torch.tensor([True, False, True])]
x["a"]
x.select(0, 9)
x.select(4, 0)
x.narrow(0, 1, 5)
x.index_select(0, torch.tensor([9]))
x.index_select(0, i)
x.index_select(0, v)
x.gather(0, torch.tensor([[9, 0, 0]]))
x.gather(0, torch.tensor([0]))
x.gather(0, v)
x.scatter(0, torch.tensor([[9, 0, 0]]), x)
x.index_add(0, k, m)
x.index_copy(0, k, v)
x.masked_fill(x, 0)
x.masked_select(i)
x.take(torch.tensor([99]))
torch.take(x, v)
x.view(5)
x.reshape(4, -1)
x.reshape(-1, -1)
x.t().view(6)
x.expand(3, 3)
x.expand(2)
x.permute(0, 0)
x.permute(0)
x.transpose(0, 5)
x.unsqueeze(7)
x.squeeze(5)
x.flatten(1, 0)
x.unflatten(0, (3, 3))
torch.ones(2, 3, 4).t()
x.repeat(2)
x.flip(0, 0)
x.roll(1, (0, 1))
x.rot90(1, (0, 0))
x.diagonal(0, 0, 0)
x.unfold(0, 9, 1)
x.split(0)
x.split([1, 5])
x.chunk(0)
x.unbind(4)
torch.cat([x, torch.ones(4, 4, dtype=torch.float64)])
torch.cat([])
torch.cat(x)
torch.stack([x, v])
torch.stack([])
torch.broadcast_to(x, (4, 4))
torch.meshgrid(x, x)
torch.diag(torch.ones(2, 2, 2))
torch.tril(v)
x.sum(5)
x.sum((0, 0))
x.mean(5)
i.mean()
x.max(7)
e.max()
e.argmax()
e.median(0)
x.prod(9)
x.cumsum(4)
x.softmax(3)
i.softmax(0)
x.sort(5)
x.topk(9)
x.kthvalue(9)
x.logsumexp(4)
x.quantile(2.0)
i.quantile(0.5)
x.quantile(0.5, interpolation="nope")
x.var(9)
i.std()
x.norm(dim=9)
x.nansum(9)
x.diff(n=-1)
n.diff()
x.item()
bool(x)
float(x)
x.tolist(3)
x @ x
m @ x
v @ x
n @ n
torch.mm(x, x)
torch.mm(v, x)
torch.mm(m, m.float())
torch.bmm(x, x)
torch.mv(m, x)
torch.mv(m, torch.ones(4, dtype=torch.float64))
torch.dot(v, torch.ones(4, dtype=torch.float64))
torch.dot(v, x)
torch.dot(v, v.float())
torch.outer(x, v)
torch.addmm(x, m, m)
torch.einsum("ij,jk->ik", x, x)
torch.einsum("ij->k", x)
torch.trace(v)
torch.cross(x, torch.ones(4, 3, dtype=torch.float64))
torch.linalg.inv(x)
torch.linalg.inv(v)
torch.linalg.inv(torch.ones(2, 2, dtype=torch.int64))
torch.linalg.inv(h)
torch.linalg.det(x)
torch.linalg.solve(m, x)
torch.linalg.solve(x, v)
torch.linalg.cholesky(x)
torch.linalg.cholesky(-torch.eye(2))
torch.linalg.inv(torch.zeros(2, 2))
torch.linalg.solve(torch.zeros(2, 2), torch.ones(2))
torch.linalg.eigh(x)
torch.linalg.eigh(m, UPLO="X")
torch.linalg.eigvals(x)
torch.linalg.qr(m, mode="nope")
torch.linalg.qr(v)
torch.linalg.svd(v)
torch.linalg.matrix_norm(v)
torch.linalg.matrix_norm(m, ord=3)
torch.linalg.norm(torch.ones(2, 2, 2), ord=2)
torch.linalg.norm(i)
torch.linalg.vector_norm(i)
torch.linalg.cross(x, torch.ones(2, 4, dtype=torch.float64))
torch.linalg.multi_dot([m])
torch.linalg.matrix_power(x, 2)
torch.linalg.lstsq(m, torch.ones(4, 2, dtype=torch.float64))
torch.linalg.slogdet(x)
torch.matrix_exp(x)
torch.cov(torch.ones(2, 2, 2))
torch.cdist(v, v)
torch.bincount(x)
torch.bincount(torch.tensor([-1]))
torch.histc(x, bins=0)
torch.bucketize(x, x)
torch.searchsorted(v, x, side="up")
torch.combinations(x)
torch.tril_indices(-1, 3)
torch.polygamma(-1, x)
torch.fft.fft(x, n=0)
torch.fft.fft(x, norm="nope")
torch.fft.rfft(c)
torch.fft.fft(x, dim=7)
torch.fft.fftn(x, s=(2,), dim=(0, 1))
x.scatter_reduce(0, torch.tensor([[0, 0, 0]]), x, "nope")
torch.stft(v, 2, return_complex=None)
torch.complex(x, x.float())
torch.polar(x, x.float())
torch.view_as_complex(x)
torch.tensor([[1, 2], [3]])
torch.tensor("a")
torch.empty(-1)
torch.arange(0, 5, -1)
torch.arange(0, 5, 0)
torch.linspace(0, 1, -1)
torch.eye(-1)
torch.full((2,), "a")
torch.randint(5, 5, (2,))
torch.ones(2, dtype=torch.int64).requires_grad_()
torch.multinomial(v.abs(), 9)
torch.bernoulli(x + 5)
F.relu("a")
F.linear(x, torch.ones(4, 4, dtype=torch.float64))
F.cross_entropy(x, torch.tensor([0, 9]))
F.nll_loss(x, torch.tensor([0]))
F.mse_loss(x, x, reduction="nope")
F.one_hot(x)
F.one_hot(torch.tensor([-1]))
F.embedding(x, x)
F.embedding(torch.tensor([9]), x)
F.dropout(x, p=2.0)
F.layer_norm(x, (4,))
F.pad(x, (1,))
F.conv2d(x, x)
F.conv2d(torch.ones(1, 2, 4, 4), torch.ones(1, 3, 2, 2))
F.conv1d(torch.ones(1, 1, 2), torch.ones(1, 1, 5))
F.max_pool2d(x, 2)
F.glu(torch.ones(3))
F.grid_sample(torch.ones(1, 1, 2, 2), torch.ones(1, 2, 2, 2), mode="nope")
"""


def places(library):
    """The names that the calls use."""
    d = {"dtype": library.float64}
    return {"torch": library, "x": library.arange(6, **d).reshape(2, 3) - 2,
            "m": library.arange(9, **d).reshape(3, 3) - 4, "v": library.arange(3, **d) + 1,
            "i": library.arange(6).reshape(2, 3), "b": library.arange(6).reshape(2, 3) > 2,
            "c": library.ones(3, 3, dtype=library.complex128), "n": library.tensor(1.0, **d),
            "h": library.ones(3, 3, dtype=library.float16), "k": library.tensor([0, 1]),
            "e": library.ones(0, **d)}


def refused(code, library, functional):
    """The exception that a call raises; None where it raises none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            eval(code, places(library) | {"F": functional})
    except Exception as error:
        return error
    return None


def key_words(error):
    """The words of the first line, without the request to report it."""
    line = str(error).partition("\n")[0].partition("(Could this")[0]
    return set(re.findall(r"[A-Za-z_]{3,}", line.lower()))


@pytest.mark.parametrize("code", BAD.split("\n")[1:-1])
def test_refusals_are_those_of_pytorch(code, oracle):
    ours = refused(code, ad, ad_functional)
    theirs = refused(code, oracle, oracle.nn.functional)
    assert theirs is not None, "PyTorch takes it"
    assert type(ours).__name__.strip("_") == type(theirs).__name__.strip("_"), (ours, theirs)
    told, known = key_words(theirs), key_words(ours)
    assert len(told & known) >= 0.5 * len(told), (str(ours), str(theirs))
