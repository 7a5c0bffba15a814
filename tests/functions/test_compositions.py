"""Functions that have no row of their own, compared with PyTorch: values, dtypes, gradients."""

import warnings

import numpy as np
import pytest

import autodidact as ad
import autodidact.nn.functional as ad_functional
from tests.ops.differences import cotangents

# x, y (3, 4), p (3, 4) positive and s (4, 4) are float64 leaves; v is a vector, i (3, 4) holds
# places, g counts, q holds nan, f is a signal, c complex, u bags of places, grid looks at pictures.
SAME = """
torch.diff(x, n=2, prepend=y)
torch.diff(x, dim=0, append=y)
torch.gradient(x)
torch.gradient(x, spacing=(2.0, 0.5), edge_order=2)
torch.gradient(x, spacing=[v[:3], v], dim=(0, 1))
torch.trapezoid(x, y)
torch.trapz(x, dx=2)
torch.cumulative_trapezoid(x, dim=0)
torch.cov(x, correction=0, fweights=g)
torch.cov(x, aweights=v.abs())
torch.corrcoef(x)
torch.quantile(x, 0.3)
torch.quantile(x, torch.tensor([0.1, 0.9], dtype=torch.float64), dim=1, keepdim=True)
torch.quantile(x, 0.6, dim=0, interpolation="midpoint")
torch.nanquantile(q, 0.5, dim=1)
torch.quantile(q, 0.5, dim=1)
torch.nanmedian(q)
torch.nanmedian(q, 1)
torch.kthvalue(x, 2, dim=0, keepdim=True)
torch.mode(i, 1)
x.detach().unique()
torch.unique(i, return_inverse=True, return_counts=True)
torch.unique(i, dim=0)
torch.unique_consecutive(i, return_inverse=True, return_counts=True)
torch.unique_consecutive(i, dim=1)
torch.bincount(g, minlength=9)
torch.bincount(g, weights=v.detach())
torch.histc(x, 5)
torch.histc(x, 5, -1, 1)
torch.histogram(x.detach(), 4)
torch.histogram(x.detach(), 4, range=(-1.0, 1.0), density=True)
torch.bucketize(x, torch.tensor([-1.0, 0.0, 1.0], dtype=torch.float64), right=True)
torch.searchsorted(x.detach().sort(1)[0], y.detach(), out_int32=True)
torch.isin(i, torch.tensor([0, 2]), invert=True)
torch.tril_indices(3, 4, -1)
torch.triu_indices(3, 4, 1)
torch.unravel_index(i, (2, 2))
torch.combinations(v, 2, with_replacement=True)
x.scatter_reduce(0, i, y, "mean")
x.scatter_reduce(0, i, y, "amax", include_self=False)
x.scatter_reduce(1, i, p, "prod")
x.index_reduce(0, torch.tensor([0, 2, 2]), y, "mean", include_self=False)
torch.stft(f, 6, 2, window=torch.hann_window(6, dtype=torch.float64), return_complex=True)
torch.stft(f, 6, center=False, normalized=True, onesided=False, return_complex=True)
torch.stft(f, 6, return_complex=False)
torch.istft(torch.stft(f, 6, 2, return_complex=True), 6, 2, length=14)
torch.fft.hfft2(c)
torch.fft.ihfftn(x)
torch.fft.fftfreq(5, 0.5)
torch.fft.rfftfreq(5)
torch.fft.irfft(c, 5, norm="forward")
torch.matrix_power(s, 3)
torch.chain_matmul(x, s, y.mT)
torch.cross(x[:, :3], y[:, :3])
torch.linalg.vecdot(x, y, dim=0)
torch.linalg.vander(v, N=3)
torch.vander(v.detach(), 3)
torch.linalg.tensorinv(s.reshape(2, 2, 4), 2)
torch.linalg.tensorsolve(s.reshape(2, 2, 2, 2), torch.ones(2, 2, dtype=torch.float64))
torch.addbmm(s, x.unsqueeze(0).mT, y.unsqueeze(0), beta=0.5, alpha=2)
torch.addr(x, v[:3], v, beta=2)
torch.cdist(x, y, p=1)
torch.cdist(x, y)
F.pdist(x, 3)
torch.cholesky_solve(x.mT, torch.linalg.cholesky(s @ s.mT + torch.eye(4, dtype=torch.float64)))
torch.linalg.matrix_norm(s, 1)
torch.linalg.matrix_norm(x, "nuc", keepdim=True)
torch.linalg.norm(x, 2)
torch.linalg.cond(s.detach(), 1)
torch.linalg.matrix_rank(s)
torch.linalg.pinv(x)
torch.linalg.lu_factor(s)
torch.linalg.lu(x)
torch.mvlgamma(p + 2, 2)
torch.polar(p, y)
torch.renorm(x, 2, 0, 1.5)
torch.put(x, torch.tensor([0, 5]), v[:2], accumulate=True)
torch.ldexp(x, g[:4])
torch.frexp(x.detach())
torch.hamming_window(7, periodic=False)
torch.signal.windows.kaiser(6)
torch.signal.windows.gaussian(6, std=2.0, sym=False)
F.embedding_bag(u, s)
F.embedding_bag(torch.tensor([0, 1, 1, 3]), s, torch.tensor([0, 3]), mode="max")
F.embedding_bag(u, s, mode="sum", padding_idx=1, per_sample_weights=y[:2, :3])
F.grid_sample(x.reshape(1, 1, 3, 4), grid, align_corners=True)
F.grid_sample(x.reshape(1, 1, 3, 4), grid, mode="bicubic", padding_mode="border")
F.grid_sample(x.reshape(1, 1, 3, 4), grid, padding_mode="reflection", align_corners=False)
F.affine_grid(x[:2, :3].unsqueeze(0), (1, 1, 3, 4), align_corners=False)
F.interpolate(x.reshape(1, 1, 3, 4), scale_factor=1.5, mode="bicubic", align_corners=True)
F.multilabel_margin_loss(x, torch.tensor([[1, 0, -1, 2], [3, -1, 0, 0], [-1, 1, 2, 3]]))
F.ctc_loss(x.reshape(3, 1, 4).log_softmax(2), torch.tensor([[1, 3]]), (3,), (2,))
""".strip().splitlines()


def names(library):
    """The tensors of the table."""
    rng = np.random.default_rng(0)

    def leaf(array):
        return library.tensor(array, dtype=library.float64, requires_grad=True)
    q = rng.normal(size=(3, 4))
    q[0, 1] = q[2, 3] = np.nan
    return {
        "x": leaf(rng.normal(size=(3, 4))), "y": leaf(rng.normal(size=(3, 4))),
        "p": leaf(rng.uniform(0.5, 2, (3, 4))), "s": leaf(rng.normal(size=(4, 4)) + 2 * np.eye(4)),
        "v": leaf([0.5, 1.0, 2.5, 4.0]), "q": leaf(q), "f": leaf(rng.normal(size=14)),
        "i": library.tensor(rng.integers(0, 3, (3, 4))), "g": library.tensor([1, 2, 1, 3]),
        "c": library.tensor(rng.normal(size=(3, 4)) + 1j * rng.normal(size=(3, 4)),
                            requires_grad=True),
        "u": library.tensor([[0, 1, 2], [1, 1, 3]]),
        "grid": leaf(rng.uniform(-1.3, 1.3, (1, 2, 5, 2)))}


def run(line, library, functional):
    """The leaves, the outputs, and the gradients of a random combination of them."""
    place = names(library)
    leaves = {n: t for n, t in place.items() if t.requires_grad}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        out = eval(line, place | {"torch": library, "F": functional})
    outs = list(out) if isinstance(out, (tuple, list)) else [out]
    live = [o for o in outs if o.requires_grad]
    arrays = [np.asarray(o.detach().numpy()) for o in live]
    weights = cotangents(arrays, np.random.default_rng(1))
    grads = library.autograd.grad(live, list(leaves.values()), [
        library.tensor(w.astype(a.dtype)) for w, a in zip(weights, arrays, strict=True)],
        allow_unused=True) if live else []
    return outs, dict(zip(leaves, grads, strict=False))


@pytest.mark.parametrize("line", SAME)
def test_same_as_pytorch(line, oracle):
    ours, theirs = run(line, ad, ad_functional), run(line, oracle, oracle.nn.functional)
    assert len(ours[0]) == len(theirs[0])
    for a, b in zip(ours[0], theirs[0], strict=True):
        assert str(a.dtype) == str(b.dtype) and tuple(a.shape) == tuple(b.shape)
        np.testing.assert_allclose(a.detach().numpy(), b.detach().numpy(), rtol=1e-6, atol=1e-8)
    for name, b in theirs[1].items():
        a = ours[1].get(name)
        if a is None or b is None:
            assert all(g is None or not np.asarray(g).any() for g in (a, b)), name
        else:
            np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6, atol=1e-8, err_msg=name)
