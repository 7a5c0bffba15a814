"""What `import autodidact` loads, and that all it leaves for later comes when it is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

import autodidact as torch

ROOT = Path(__file__).parent.parent
LATER = ("nn", "optim", "utils", "trace", "func", "levels.steps", "levels.passes", "cuda",
         "autograd.forward_ad", "autograd.functional", "autograd.gradcheck", "_tensor_str",
         "ops.convolution", "ops.loss", "ops.aten", "testing", "serialization")
SCALAR = "x = torch.tensor(2., requires_grad=True)\n"
FIRST_USES = {
    "jvp": "with torch.autograd.forward_ad.dual_level():\n"
           "    x = torch.autograd.forward_ad.make_dual(torch.tensor(2.), torch.tensor(1.))\n"
           "    print(torch.autograd.forward_ad.unpack_dual(x * x).tangent.item())   # 4.0",
    "grad": "print(torch.func.grad(lambda x: x ** 3)(torch.tensor(2.)).item())   # 12.0",
    "vmap": "print(torch.vmap(lambda x: x * x)(torch.tensor([1., 2.])).tolist())   # [1.0, 4.0]",
    "batched": SCALAR + "print(torch.autograd.grad(x * x, x, torch.ones(2),"
               " is_grads_batched=True)[0].tolist())   # [4.0, 4.0]",
    "functional": "print(torch.autograd.functional.hessian(lambda x: x ** 3,"
                  " torch.tensor(2.)).item())   # 12.0",
    "gradcheck": "x = torch.tensor([2.], dtype=torch.float64, requires_grad=True)\n"
                 "print(torch.autograd.gradcheck(torch.sin, x))   # True",
    "gradcheck's file first": "from autodidact.autograd.gradcheck import GradcheckError\n"
        "x = torch.tensor([2.], dtype=torch.float64, requires_grad=True)\n"
        "print(torch.autograd.gradcheck(torch.sin, x), torch.autograd.gradgradcheck(torch.sin, x))"
        "   # True True",
    "a Function in vmap": "class Double(torch.autograd.Function):\n"
        "    generate_vmap_rule = True\n"
        "    forward = staticmethod(lambda x: 2 * x)\n"
        "    setup_context = staticmethod(lambda ctx, inputs, output: None)\n"
        "    backward = staticmethod(lambda ctx, grad: 2 * grad)\n"
        "print(torch.vmap(Double.apply)(torch.ones(2)).tolist())   # [2.0, 2.0]",
    "printing": "torch.set_printoptions(precision=2)\n"
                "print(torch.tensor([1.2345]))   # tensor([1.23])",
    "printing without": "print(torch.tensor([1.5]))   # tensor([1.5000])",
    "linalg": "print(torch.linalg.norm(torch.tensor([3., 4.])).item())   # 5.0",
    "fft": "print(torch.fft.fft(torch.tensor([1., 1.])).real.tolist())   # [2.0, 0.0]",
    "special": "print(torch.special.expit(torch.tensor(0.)).item())   # 0.5",
    "cuda": "print(torch.cuda.device_count() >= 0)   # True",
    "a layer": "print(torch.nn.functional.conv1d(torch.ones(1, 1, 3), torch.ones(1, 1, 2))"
               ".tolist())   # [[[2.0, 2.0]]]",
    "a layer by torch's name": "print(torch.layer_norm(torch.tensor([1., 1.]), (2,)).tolist())"
                               "   # [0.0, 0.0]",
    "a loss": "print(torch.nn.functional.cross_entropy(torch.zeros(1, 2), torch.tensor([1]))"
              "\n      .mul(100).round().item())   # 69.0",
    "aten": "from autodidact import ops\nprint(ops.aten.mm.default)   # aten.mm.default",
    "anomaly mode": "with torch.autograd.detect_anomaly(check_nan=False):\n"
                    "    " + SCALAR +
                    "    print('traceback_' in (x * x).grad_fn.metadata)   # True",
}


def run(code, *options):
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-W", "ignore", *options, "-c", code], cwd=ROOT,
                          capture_output=True, text=True, timeout=120, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


def test_a_plain_import_loads_what_plain_tensors_need():
    code = "import sys, autodidact\nprint(*sorted(m for m in sys.modules if 'autodidact.' in m))"
    loaded = run(code).split()
    assert "autodidact.tensor" in loaded
    assert not set(loaded) & {f"autodidact.{name}" for name in LATER}


@pytest.mark.parametrize("name", FIRST_USES)
def test_what_is_left_for_later_comes_when_it_is_asked_for(name):
    code = FIRST_USES[name]
    assert run("import autodidact as torch\n" + code) == code.rpartition("   # ")[2]


def test_names_that_come_later_are_listed():
    assert {"nn", "func", "vmap", "linalg", "set_printoptions", "conv2d"} <= set(dir(torch))
    assert {"forward_ad", "functional", "gradcheck", "gradgradcheck", "grad"} <= set(
        dir(torch.autograd))
    for module in (torch, torch.autograd):
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            module.nothing  # noqa: B018 - asked for on purpose


@pytest.mark.parametrize("before", ["", "gc.disable()", "gc.freeze()"])
def test_the_collector_is_afterwards_as_it_was(before):
    code = (f"import gc, numpy\n{before}\nwas = gc.isenabled(), gc.get_freeze_count() > 0\n"
            "import autodidact\nprint((gc.isenabled(), gc.get_freeze_count() > 0) == was)")
    assert run(code) == "True"


def test_the_collector_is_on_again_after_an_import_that_failed():
    code = ("import gc, sys\nsys.modules['autodidact.tensor'] = None\n"
            "try:\n    import autodidact\nexcept ImportError:\n    print(gc.isenabled())")
    assert run(code) == "True"


def test_no_collection_while_the_package_is_loaded():
    code = ("import gc, numpy\nfound = []\n"
            "gc.callbacks.append(lambda phase, info: found.append(phase))\n"
            "import autodidact\nprint(len(found) < 8)")
    assert run(code) == "True"
