"""Cases of reductions, running sums and losses."""

import numpy as np

from tests.ops.domains import (
    case,
    complex_,
    exactly,
    integers,
    mask,
    positive,
    probability,
    real,
)

# ---- sums and products --------------------------------------------------------------------------

ROWS = {"dim": (1,), "keepdim": False}
BOTH = {"dim": (0, 1), "keepdim": True}
ALL = {"dim": (0, 1), "keepdim": False}

case("sum", real(3, 4), code="x.sum()", value=np.sum)
case("sum", real(), code="x.sum()", tag="0-dim")
case("sum", integers(0, 9)(4), code="x.sum()", tag="integers", value=np.sum)
case("sum_dim", real(3, 4), args=ROWS, code="x.sum(1)", value=lambda x, dim, keep: x @ np.ones(4))
case("sum_dim", real(3, 4), args=BOTH, code="torch.sum(x, (0, -1), keepdim=True)", tag="both")
case("sum_dim", complex_(2, 3), args=ROWS, code="x.sum(axis=1)", tag="complex")
case("nansum", exactly([[1.0, np.nan], [2.0, 3.0]]), args=ROWS, code="x.nansum(1)", smooth=False,
     value=lambda x, dim, keep: np.array([1.0, 5.0]))
case("nansum", real(3, 4), args=ROWS, code="x.nansum(1)", tag="numbers")
case("mean", real(3, 4), code="x.mean()", value=np.mean)
case("mean_dim", real(3, 4), args=ROWS, code="x.mean(1)", value=lambda x, dim, keep: x.mean(1))
case("mean_dim", real(3, 4), args=BOTH, code="x.mean((0, 1), keepdim=True)", tag="both")
case("cumsum", real(3, 4), args={"dim": 1}, code="x.cumsum(1)", value=np.cumsum)
case("reverse_cumsum", real(3, 4), args={"dim": 1},
     value=lambda x, d: x[:, ::-1].cumsum(1)[:, ::-1])
case("prod", positive(2, 3), code="x.prod()", value=np.prod)
case("prod", exactly([[1.5, 0.0], [2.0, 3.0]]), code="x.prod()", tag="one zero", duck=False)
case("prod", exactly([0.0, 2.0, 0.0]), code="x.prod()", tag="two zeros", duck=False)
case("prod_dim", real(3, 4), args={"dim": 1, "keepdim": False}, code="x.prod(1)",
     value=lambda x, dim, keep: x.prod(1))
case("prod_dim", exactly([[1.5, 0.0], [2.0, 3.0]]), args={"dim": 0, "keepdim": True},
     code="x.prod(0, keepdim=True)", tag="zero", duck=False)
case("cumprod", real(3, 4), args={"dim": 1}, code="x.cumprod(1)", value=np.cumprod)
case("cumprod", exactly([[1.5, 0.0, 2.0], [2.0, 3.0, 1.0]]), args={"dim": 1}, code="x.cumprod(1)",
     tag="zero", duck=False)
case("cummax", real(3, 4), args={"dim": 1}, code="x.cummax(1)", duck=False,
     value=lambda x, d: (m := np.maximum.accumulate(x, 1), (m[:, :, None] == x[:, None]).argmax(2)))
case("cummin", exactly([2.0, 2.0, np.nan, 1.0]), args={"dim": 0}, code="x.cummin(0)", duck=False,
     tag="ties and nan", smooth=False)
case("cummin", real(3, 4), args={"dim": 0}, code="x.cummin(0)", duck=False)
case("logcumsumexp", real(3, 4), args={"dim": 1}, code="x.logcumsumexp(1)", duck=False,
     value=lambda x, d: np.log(np.exp(x).cumsum(1)))
case("logcumsumexp", exactly([-900.0, 0.0, 900.0]), args={"dim": 0}, code="x.logcumsumexp(0)",
     tag="far apart", smooth=False, duck=False)
case("scan", real(2, 4), real(2, 4), args={"dim": 1}, duck=False,
     value=lambda x, f, d: np.stack([x[:, 0], (a := x[:, 1] + f[:, 1] * x[:, 0]),
                                     (b := x[:, 2] + f[:, 2] * a), x[:, 3] + f[:, 3] * b], 1))
case("scan_back", real(2, 3), real(2, 3), args={"dim": 1}, duck=False,
     value=lambda x, f, d: np.stack([x[:, 0] + f[:, 1] * (a := x[:, 1] + f[:, 2] * x[:, 2]),
                                     a, x[:, 2]], 1))
case("shift", real(2, 3), args={"dim": 1, "step": 1, "fill": 7},
     value=lambda x, *a: np.concatenate([np.full((2, 1), 7.0), x[:, :-1]], 1))
case("shift", real(3), args={"dim": 0, "step": -1, "fill": 0},
     value=lambda x, *a: np.array([x[1], x[2], 0.0]), tag="back")

# ---- the largest and the smallest ---------------------------------------------------------------



def along_rows(f):
    """NumPy's function along dimension 1, taking a row's plain arguments."""
    return lambda x, *args: f(x, 1)


def of_all(f):
    """NumPy's function of all entries, taking a row's plain arguments."""
    return lambda x, *args: f(x)


TIES = exactly([[1.0, 2.0, 2.0], [0.0, 0.0, 0.0]])
KEPT = {"dim": 1, "keepdim": True}
for name in ("max", "min"):
    case(name, real(3, 4), code=f"x.{name}()", value=getattr(np, name))
    case(name, TIES, code=f"torch.{name}(x)", tag="ties", smooth=False)
    case(f"a{name}", real(3, 4), args=ROWS, code=f"x.a{name}(1)",
         value=along_rows(getattr(np, name)))
    case(f"a{name}", TIES, args=BOTH,
         code=f"x.a{name}((0, 1), keepdim=True)", tag="ties", smooth=False)
    case(f"{name}_dim", real(3, 4), args={"dim": 1, "keepdim": False}, code=f"x.{name}(1)",
         value=lambda x, dim, keep, n=name: (getattr(np, n)(x, 1), getattr(np, f"arg{n}")(x, 1)))
    case(f"{name}_dim", TIES, args=KEPT, code=f"torch.{name}(x, -1, keepdim=True)", tag="ties",
         smooth=False)
    case(f"{name}_dim", real(), args={"dim": 0, "keepdim": False}, code=f"x.{name}(0)", tag="0-dim")
    case(f"arg{name}", real(3, 4), args={"dim": None, "keepdim": False}, code=f"x.arg{name}()",
         value=of_all(getattr(np, f"arg{name}")))
    case(f"arg{name}", real(3, 4), args=KEPT, code=f"x.arg{name}(1, keepdim=True)", tag="dim")
case("median", real(3, 4), code="x.median()", value=lambda x: np.sort(x.reshape(-1))[5])
case("median", exactly([1.0, np.nan, 0.0]), code="x.median()", tag="nan", smooth=False)
case("median_dim", real(3, 5), args={"dim": 1, "keepdim": False}, code="x.median(1)",
     value=lambda x, dim, keep: (np.median(x, 1), np.argsort(x, 1)[:, 2]))
case("take_at", real(3, 4), integers(0, 4)(3), args={"dim": 1, "keepdim": False},
     value=lambda x, i, dim, keep: np.array([x[0, i[0]], x[1, i[1]], x[2, i[2]]]))
case("put_at", real(3), integers(0, 4)(3), args={"shape": (3, 4), "dim": 1, "keepdim": False},
     value=lambda x, i, *a: x[:, None] * (np.arange(4) == i[:, None]))

# ---- spread, length, logarithm of a sum ---------------------------------------------------------

SPREAD = {"dim": (1,), "correction": 1, "keepdim": False}
case("var", real(3, 4), args=SPREAD, code="x.var(1)", value=lambda x, *a: np.var(x, 1, ddof=1))
case("var", real(3, 4), args={"dim": (0, 1), "correction": 0, "keepdim": True},
     code="x.var(unbiased=False, dim=(0, 1), keepdim=True)", tag="all")
case("var", complex_(2, 3), args=SPREAD, code="x.var(1)", tag="complex")
case("std", real(3, 4), args=SPREAD, code="x.std(1)", value=lambda x, *a: np.std(x, 1, ddof=1))
case("std", exactly([[1.0, 1.0], [1.0, 2.0]]), args=SPREAD,
     code="x.std(1)", tag="at zero", smooth=False)
for order in (2.0, 1.0, 0.0, 3.0, 0.5, float("inf"), float("-inf")):
    case("vector_norm", real(3, 4), args={"ord": order, "dim": (1,), "keepdim": False},
         code=f"x.norm({f'float({str(order)!r})'}, 1)", tag=f"{order:g}",
         value=lambda x, p, *a: np.linalg.norm(x, p, 1))
case("vector_norm", complex_(2, 3), args={"ord": 2.0, "dim": (0, 1), "keepdim": False},
     code="x.norm()",
     tag="complex")
case("vector_norm", exactly([[0.0, 0.0], [3.0, 4.0]]),
     args={"ord": 2.0, "dim": (1,), "keepdim": False},
     code="x.norm(dim=1)", tag="at zero", smooth=False)
case("logsumexp", real(3, 4), args=ROWS, code="x.logsumexp(1)",
     value=lambda x, dim, keep: np.log(np.exp(x).sum(1)))
case("logsumexp", real(3, 4), args=BOTH, code="x.logsumexp((0, 1), keepdim=True)", tag="both")

# ---- truth and counts ---------------------------------------------------------------------------

case("all", mask(3, 4), args=ROWS, code="x.all(1)", value=lambda x, dim, keep: x.all(1))
case("any", integers(0, 2)(3, 4), args=ALL, code="x.any()", value=lambda x, dim, keep: x.any())
case("count_nonzero", integers(0, 2)(3, 4), args={"dim": (1,)}, code="x.count_nonzero(1)",
     value=lambda x, dim: (x != 0).sum(1))

# ---- losses -------------------------------------------------------------------------------------

PAIR = (real(3, 4), real(3, 4))
WORDS = {0: "none", 1: "mean", 2: "sum"}
for number, word in WORDS.items():
    case("mse_loss", *PAIR, args={"reduction": number},
         code=f"F.mse_loss(x, y, reduction='{word}')",
         tag=word)
    case("smooth_l1_loss", *PAIR, args={"reduction": number, "beta": 0.7},
         code=f"F.smooth_l1_loss(x, y, reduction='{word}', beta=0.7)", tag=word)
    case("huber_loss", *PAIR, args={"reduction": number, "delta": 0.7},
         code=f"F.huber_loss(x, y, reduction='{word}', delta=0.7)", tag=word)
    case("binary_cross_entropy", probability(3, 4), probability(3, 4), None,
         args={"reduction": number},
         code=f"F.binary_cross_entropy(x, y, reduction='{word}')", tag=word)
    case("binary_cross_entropy_with_logits", real(3, 4), probability(3, 4), None, None,
         args={"reduction": number}, tag=word,
         code=f"F.binary_cross_entropy_with_logits(x, y, reduction='{word}')")
    case("nll_loss", real(3, 5), integers(0, 5)(3), None,
         args={"reduction": number, "ignore_index": -100},
         code=f"F.nll_loss(x, y, reduction='{word}')", tag=word, duck=False)
    case("nll_loss", real(3, 5), exactly([0, 4, 2], np.int64), lambda rng: 0.5 + rng.random(5),
         args={"reduction": number, "ignore_index": 4}, tag=f"{word}, weights", duck=False,
         code=f"F.nll_loss(x, y, z.detach(), ignore_index=4, reduction='{word}')", node=False)
    case("nll_loss2d", real(2, 3, 2, 2), integers(0, 3)(2, 2, 2), None, duck=False, tag=word,
         args={"reduction": number, "ignore_index": -100},
         code=f"F.nll_loss(x, y, reduction='{word}')")
case("nll_loss_backward", real(3), integers(0, 5)(3), None, duck=False,
     args={"shape": (3, 5), "reduction": 0, "ignore_index": -100})
case("nll_loss_backward", real(), integers(0, 5)(3), None, duck=False, tag="mean",
     args={"shape": (3, 5), "reduction": 1, "ignore_index": -100})
case("nll_loss", real(5), exactly(3, np.int64), None, args={"reduction": 1, "ignore_index": -100},
     code="F.nll_loss(x, y)", tag="no batch", duck=False)
case("binary_cross_entropy", probability(3, 4), probability(3, 4), positive(3, 4),
     args={"reduction": 1},
     code="F.binary_cross_entropy(x, y, z.detach())", tag="weights", node=False)
case("binary_cross_entropy_with_logits", real(3, 4), probability(3, 4), positive(3, 4), positive(4),
     args={"reduction": 1}, tag="weights", node=False,
     code="F.binary_cross_entropy_with_logits(x, y, z.detach(), pos_weight=u.detach())")
