"""Cases of the rows that view, index, join and multiply matrices."""

import numpy as np

from autodidact.functions.index_plan import Places
from autodidact.ops import view as views
from tests.ops.domains import case, complex_, exactly, integers, mask, real


def places(*arrays):
    """Maker of index tensors as `x[...]` hands them to a row: arrays, masks and full slices."""
    return lambda rng: Places(a if isinstance(a, slice) else np.array(a) for a in arrays)


# ---- views: one to one ---------------------------------------------------------------------------

case("view", real(3, 4), args={"shape": (2, 6)}, code="x.view(2, 6)",
     value=lambda x, s: x.reshape(s))
case("unsafe_view", real(3, 4), args={"shape": (12,)}, value=lambda x, s: x.reshape(s))
case("reshape_alias", real(3, 4), args={"shape": (2, 6)}, value=lambda x, s: x.reshape(s))
case("alias", real(3, 4), code="x[...]", value=lambda x: x)
case("t", real(3, 4), code="x.t()", value=lambda x: x.swapaxes(0, 1))
case("t", real(3), code="x.t()", tag="vector")
case("transpose", real(3, 4, 2), args={"dim0": 0, "dim1": 2}, code="x.transpose(0, 2)",
     value=lambda x, i, j: np.moveaxis(np.moveaxis(x, 0, 2), 1, 0))
case("transpose", real(), args={"dim0": 0, "dim1": 0}, code="x.transpose(0, -1)", tag="number")
case("permute", real(2, 3, 4), args={"dims": (2, 0, 1)}, code="x.permute(2, 0, 1)",
     value=lambda x, d: np.moveaxis(x, 2, 0))
case("unsqueeze", real(3, 4), args={"dim": 1}, code="x.unsqueeze(1)", value=np.expand_dims)
case("squeeze", real(1, 3, 1), code="x.squeeze()", value=np.squeeze)
case("squeeze_dim", real(1, 3, 1), args={"dim": 2}, code="x.squeeze(2)", value=np.squeeze)
case("squeeze_dim", real(1, 3), args={"dim": 1}, code="x.squeeze(1)", tag="larger")
case("squeeze_dims", real(1, 3, 1, 1), args={"dim": (0, 3)}, code="x.squeeze((0, 3))",
     value=np.squeeze)
case("view_as_real", complex_(3), code="torch.view_as_real(x)",
     value=lambda x: np.stack([x.real, x.imag], -1))
case("view_as_complex", real(3, 2), code="torch.view_as_complex(x)",
     value=lambda x: x[:, 0] + 1j * x[:, 1])

# ---- views: parts --------------------------------------------------------------------------------

case("select", real(3, 4), args={"dim": 1, "index": 2}, code="x.select(1, 2)",
     value=lambda x, d, i: x[:, 2])
case("slice", real(5, 4), args={"dim": 0, "start": 1, "end": 5, "step": 2}, code="x[1:5:2]",
     value=lambda x, *a: x[1:5:2])
case("diagonal", real(3, 4), args={"offset": 1, "dim1": 0, "dim2": 1}, code="x.diagonal(1)",
     value=np.diagonal)
case("unbind", real(3, 4), args={"dim": 1}, code="x.unbind(1)", value=lambda x, d: list(x.T))
case("split", real(5, 2), args={"split_size": 2, "dim": 0}, code="x.split(2)",
     value=lambda x, n, d: [x[:2], x[2:4], x[4:]])
case("split_with_sizes", real(4, 5), args={"split_sizes": (2, 0, 3), "dim": 1},
     code="x.split([2, 0, 3], 1)", value=lambda x, n, d: [x[:, :2], x[:, 2:2], x[:, 2:]])
case("unsafe_split", real(5, 2), args={"split_size": 3, "dim": 0}, code="torch.unsafe_split(x, 3)",
     value=lambda x, n, d: [x[:3], x[3:]])
case("unsafe_split_with_sizes", real(4), args={"split_sizes": (1, 3), "dim": 0},
     code="torch.unsafe_split_with_sizes(x, [1, 3])", value=lambda x, n, d: [x[:1], x[1:]])

# ---- views: an element seen more than once -------------------------------------------------------

case("expand", real(3, 1), args={"size": (2, 3, 4)}, code="x.expand(2, 3, 4)",
     value=np.broadcast_to)
case("unfold", real(2, 7), args={"dimension": 1, "size": 3, "step": 2}, code="x.unfold(1, 3, 2)",
     value=lambda x, *a: np.stack([x[:, i:i + 3] for i in (0, 2, 4)], 1))
case("unfold", real(), args={"dimension": 0, "size": 1, "step": 1}, code="x.unfold(0, 1, 1)",
     tag="number")
case("as_strided", real(3, 4), args={"size": (2, 3), "stride": (1, 2), "offset": 1,
                                     "base_strides": (4, 1)},
     code="x.as_strided((2, 3), (1, 2), 1)",
     value=lambda x, *a: x.reshape(-1)[[[1, 3, 5], [2, 4, 6]]])
case("scatter_view", real(4), duck=False,
     args={"row": views.select, "args": (1, 2), "shape": (4, 3)},
     value=lambda g, *a: g[:, None] * np.array([0, 0, 1]))
case("unfold_backward", real(2, 3, 3), duck=False,
     args={"shape": (2, 7), "dimension": 1, "size": 3, "step": 2})
case("as_strided_backward", real(2, 3), duck=False,
     args={"into": (3, 4), "size": (2, 3), "stride": (1, 2), "offset": 1, "base_strides": (4, 1)})
case("as_strided_backward", real(3, 2), duck=False, tag="input shown twice",
     args={"into": (2, 3), "size": (3, 2), "stride": (1, 0), "offset": 0, "base_strides": (0, 1)})
case("strided_look", real(3, 4), duck=False,
     args={"into": (3, 4), "size": (2, 3), "stride": (1, 2), "offset": 1, "base_strides": (4, 1)})

# ---- copies --------------------------------------------------------------------------------------

case("clone", real(3, 4), code="x.clone()", value=lambda x: x, duck=False)
case("contiguous", real(3, 4), value=lambda x: x, duck=False)
case("to_copy", real(3, 4), args={"dtype": np.dtype(np.float64)}, value=lambda x, d: x, duck=False)
case("to_copy", real(3), args={"dtype": np.dtype(np.complex128)}, code="x.to(torch.complex128)",
     tag="complex", duck=False)
case("complex", real(3), real(3), code="torch.complex(x, y)", node=False, duck=False,
     value=lambda x, y: x + 1j * y)
case("copy", real(3, 4), real(4), code="x.clone().copy_(y)", node=False,
     value=lambda x, y: np.broadcast_to(y, (3, 4)))
case("fill", real(3, 4), real(), code="x.clone().fill_(y)", node=False, smooth=False)
case("fill_scalar", real(3, 4), args={"value": 2.5}, code="x.clone().fill_(2.5)", node=False,
     smooth=False)
case("zero", real(3, 4), code="x.clone().zero_()", node=False, smooth=False)

# ---- joining and repeating -----------------------------------------------------------------------

case("cat", real(2, 3), real(2, 1), args={"dim": 1}, code="torch.cat(xs, 1)",
     value=lambda x, y, d: np.hstack([x, y]))
case("cat", real(2), real(0), real(1), args={"dim": 0}, code="torch.cat(xs)", tag="empty")
case("stack", real(2, 3), real(2, 3), args={"dim": 1}, code="torch.stack(xs, 1)",
     value=lambda x, y, d: np.array([[x[0], y[0]], [x[1], y[1]]]))
case("repeat", real(2, 1), args={"repeats": (3, 1, 2)}, code="x.repeat(3, 1, 2)",
     value=lambda x, r: np.stack([np.hstack([x, x])] * 3))
case("flip", real(2, 3), args={"dims": (0, 1)}, code="x.flip(0, 1)",
     value=lambda x, d: x[::-1, ::-1])
case("roll", real(2, 3), args={"shifts": (1, -1), "dims": (0, 1)}, code="x.roll((1, -1), (0, 1))",
     value=lambda x, s, d: x[::-1][:, [1, 2, 0]])
case("roll", real(2, 3), args={"shifts": (2,), "dims": ()}, code="x.roll(2)", tag="flat")
case("tril", real(3, 4), args={"diagonal": 1}, code="x.tril(1)",
     value=lambda x, k: x * (np.arange(4) <= np.arange(3)[:, None] + 1))
case("triu", real(2, 3, 3), args={"diagonal": 0}, code="x.triu()",
     value=lambda x, k: x * (np.arange(3) >= np.arange(3)[:, None]))
case("diag_embed", real(2, 3), args={"offset": 1, "dim1": 0, "dim2": 2},
     code="torch.diag_embed(x, 1, 0, 2)", duck=False)
case("diagonal_copy", real(3, 4), args={"offset": 1, "dim1": 0, "dim2": 1}, code="x.diag(1)",
     value=np.diagonal, duck=False)
case("rot90", real(2, 3), args={"times": 1, "dims": (0, 1)}, code="x.rot90()",
     value=lambda x, *a: x.T[::-1])

# ---- x[indices] ----------------------------------------------------------------------------------

case("index", real(4, 3), places([0, 2, 0]), value=lambda x, i: x[[0, 2, 0]], duck=False)
case("index", real(4, 3), places([0, 2, -1], [1, 1, 1]), value=lambda x, i: x[[0, 2, 3], 1],
     tag="two", duck=False)
case("index", real(4, 3), places([True, False, True, True]), value=lambda x, i: x[[0, 2, 3]],
     tag="mask", duck=False)
case("index_backward", real(3, 3), places([0, 2, 0]), args={"shape": (4, 3)}, duck=False)
case("index_put", real(4, 3), places([0, 2]), real(2, 1), args={"accumulate": False}, duck=False)
case("index_put", real(4, 3), places([0, 0, 2]), real(3, 3), args={"accumulate": True},
     tag="added", duck=False)
case("index_zero", real(4, 3), places([0, 2]), duck=False)

# ---- along one dimension -------------------------------------------------------------------------

INDEX = exactly([0, 2, 0], np.int64)
case("index_select", real(2, 4), INDEX, args={"dim": 1}, code="x.index_select(1, y)",
     value=lambda x, i, d: x[:, [0, 2, 0]], duck=False)
case("index_select_backward", real(2, 3), INDEX, args={"shape": (2, 4), "dim": 1}, duck=False)
case("index_add", real(4, 2), INDEX, real(3, 2), args={"dim": 0, "alpha": 2.0},
     code="x.index_add(0, y, z, alpha=2.0)", node=False, duck=False)
case("index_copy", real(4, 2), exactly([0, 2], np.int64), real(2, 2), args={"dim": 0},
     code="x.index_copy(0, y, z)", node=False, duck=False)
case("index_fill", real(4, 2), INDEX, args={"value": 2.5, "dim": 0}, duck=False,
     code="x.index_fill(0, y, 2.5)")
case("index_fill_tensor", real(4, 2), INDEX, real(), args={"dim": 0}, duck=False,
     code="x.index_fill(0, y, z)")

# ---- one index for each entry --------------------------------------------------------------------

ENTRIES = exactly([[0, 2, 0], [1, 1, 3]], np.int64)
case("gather", real(2, 4), ENTRIES, args={"dim": 1}, code="x.gather(1, y)", node=False,
     value=lambda x, i, d: np.take_along_axis(x, i, 1), duck=False)
case("gather_backward", real(2, 3), ENTRIES, args={"shape": (2, 4), "dim": 1}, duck=False)
case("scatter", real(2, 4), exactly([[0, 2], [1, 3]], np.int64), real(2, 2), args={"dim": 1},
     code="x.scatter(1, y, z)", duck=False)
case("scatter_value", real(2, 4), ENTRIES, args={"value": 1.5, "dim": 1},
     code="x.scatter(1, y, 1.5)", duck=False)
case("scatter_add", real(2, 4), ENTRIES, real(2, 3), args={"dim": 1}, code="x.scatter_add(1, y, z)",
     duck=False)
case("pad_source", real(2, 2), args={"shape": (3, 2)}, duck=False)
case("corner", real(3, 4), args={"shape": (2, 2)}, value=lambda g, s: g[:2, :2], duck=False)
case("take", real(2, 4), exactly([[0, -1, 0]], np.int64), code="x.take(y)", node=False,
     value=lambda x, i: x.reshape(-1)[[[0, 7, 0]]], duck=False)
case("take_backward", real(3), INDEX, args={"shape": (2, 4)}, duck=False)

# ---- masks and order -----------------------------------------------------------------------------

case("masked_fill", real(3, 4), mask(4), args={"value": 2.5}, code="x.masked_fill(y, 2.5)",
     value=lambda x, m, v: x * ~m + v * m, duck=False)
case("masked_fill_tensor", real(3, 4), mask(3, 4), real(), code="x.masked_fill(y, z)",
     value=lambda x, m, v: x * ~m + v * m)
case("masked_select", real(3, 4), mask(4), code="x.masked_select(y)", node=False, duck=False,
     value=lambda x, m: x[:, m].reshape(-1))
case("masked_select_backward", real(2), exactly([True, False, True], np.bool_),
     args={"shape": (3,)}, duck=False)
case("masked_scatter", real(3, 4), mask(3, 4), real(20), code="x.masked_scatter(y, z)", duck=False)
case("sort", real(3, 4), args={"dim": 0, "descending": True}, code="x.sort(0, descending=True)",
     value=lambda x, *a: [-np.sort(-x, 0), np.argsort(-x, 0)], duck=False)
case("sort", exactly([1.0, 3.0, 1.0, 3.0]), args={"dim": 0, "descending": True}, tag="ties",
     smooth=False, duck=False)
case("topk", real(3, 5), args={"k": 2, "dim": 1, "largest": False}, code="x.topk(2, largest=False)",
     value=lambda x, *a: [np.sort(x, 1)[:, :2], np.argsort(x, 1)[:, :2]], duck=False)
case("embedding", real(5, 3), integers(0, 5)(2, 4),
     args={"padding_idx": 1, "scale_grad_by_freq": False}, code="F.embedding(y, x, padding_idx=1)",
     node=False, smooth=False, duck=False)
case("embedding", real(5, 3), integers(0, 5)(2, 4),
     args={"padding_idx": -1, "scale_grad_by_freq": False}, code="F.embedding(y, x)", tag="plain",
     value=lambda w, i, *a: w[i], duck=False)
case("embedding_backward", real(2, 4, 3), integers(0, 5)(2, 4),
     args={"shape": (5, 3), "padding_idx": 1, "by_freq": False}, duck=False)
case("embedding_row", real(5, 3), integers(0, 5)(2, 4), args={"padding_idx": 1}, duck=False)

# ---- products ------------------------------------------------------------------------------------

case("mm", real(2, 3), real(3, 4), code="x @ y", value=np.dot)
case("mm", complex_(2, 3), complex_(3, 2), code="x @ y", tag="complex")
case("bmm", real(2, 2, 3), real(2, 3, 4), code="torch.bmm(x, y)",
     value=lambda x, y: np.einsum("bij,bjk->bik", x, y))
case("mv", real(2, 3), real(3), code="x @ y", value=np.dot)
case("dot", real(3), real(3), code="x @ y", value=np.inner)
case("dot", complex_(3), complex_(3), code="torch.dot(x, y)", tag="complex")
case("vdot", complex_(3), complex_(3), code="torch.vdot(x, y)", value=np.vdot, duck=False)
case("addmm", real(4), real(2, 3), real(3, 4), args={"beta": 0.5, "alpha": 2.0},
     code="torch.addmm(x, y, z, beta=0.5, alpha=2.0)",
     value=lambda x, y, z, b, a: b * x + a * np.dot(y, z))
case("addmv", real(2), real(2, 3), real(3), args={"beta": 0.5, "alpha": 2.0},
     code="torch.addmv(x, y, z, beta=0.5, alpha=2.0)",
     value=lambda x, y, z, b, a: b * x + a * np.dot(y, z))
case("baddbmm", real(2, 2, 4), real(2, 2, 3), real(2, 3, 4), args={"beta": 0.5, "alpha": 2.0},
     code="torch.baddbmm(x, y, z, beta=0.5, alpha=2.0)")
