"""Cases of the special functions."""

import numpy as np

from autodidact.ops.special import BESSEL, POLYNOMIALS
from tests.ops.domains import between, case, complex_, exactly, integers, positive, real, unit

ONCE = {"duck": False}

for name in ("lgamma", "digamma"):
    case(name, positive(3, 4), code=f"x.{name}()", **ONCE)
for n in (0, 1, 2):
    case("polygamma", positive(3, 4), args={"n": n}, code=f"torch.polygamma({n}, x)", tag=f"{n}",
         node=n > 0, **ONCE)
case("i0", real(3, 4), code="x.i0()", **ONCE)
for name in ("i0e", "i1", "i1e", "ndtr", "log_ndtr", "erfcx"):
    case(f"special_{name}", real(3, 4), code=f"torch.special.{name}(x)", node="ndtr" not in name,
         **ONCE)
case("special_i1", exactly([0.0]), code="torch.special.i1(x)", tag="at 0", second=False, **ONCE)
case("special_ndtri", between(0.1, 0.9)(3, 4), code="torch.special.ndtri(x)", **ONCE)
case("special_entr", positive(3, 4), code="torch.special.entr(x)", value=lambda x: -x * np.log(x),
     node=False, **ONCE)
case("special_entr", exactly([0.0, -1.0, 2.0]), code="torch.special.entr(x.detach())", smooth=False,
     tag="at 0", **ONCE)
case("special_xlog1py", real(3, 4), positive(4), code="torch.special.xlog1py(x, y)",
     value=lambda x, y: x * np.log1p(y))
case("special_zeta", between(2, 3)(3), positive(3), code="torch.special.zeta(x.detach(), y)",
     node=False, **ONCE)
for name in ("igamma", "igammac"):
    case(name, positive(3), positive(3), code=f"torch.{name}(x.detach(), y)", node=False,
         smooth=False, **ONCE)
case("angle", complex_(3), code="x.angle()", **ONCE)
case("angle", unit(3), code="x.angle()", tag="real", **ONCE)
for name in BESSEL:
    case(f"special_{name}", positive(3, 4), code=f"torch.special.{name}(x.detach())", **ONCE)
for name in POLYNOMIALS:
    case(f"special_{name}", unit(3, 5), integers(0, 6)(5), **ONCE,
         code=f"torch.special.{name}(x.detach(), y)")
for name in ("airy_ai", "spherical_bessel_j0"):
    case(f"special_{name}", real(3, 4), code=f"torch.special.{name}(x.detach())", **ONCE)
for name in ("gcd", "lcm"):
    case(name, integers(0, 30)(3, 4), integers(1, 30)(4), code=f"torch.{name}(x, y)",
         value=getattr(np, name))
