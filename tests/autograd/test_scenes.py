"""14 small graphs, run node by node: order, arriving gradients, what is still saved, every `.grad`.

`data/scenes.json` holds what PyTorch 2.13's own engine did, seen from hooks between its nodes.
"""

import json
from pathlib import Path

import pytest

import autodidact as torch
from autodidact.trace import record

WANT = json.loads((Path(__file__).parent / "data" / "scenes.json").read_text(encoding="utf-8"))


class Blend(torch.autograd.Function):
    """3 x * x; saves an input, an intermediate and the output."""

    @staticmethod
    def forward(ctx, x):
        m = x * 3
        out = m * x
        ctx.save_for_backward(x, m, out)
        return out

    @staticmethod
    def backward(ctx, g):
        x, m, _ = ctx.saved_tensors
        return g * (m + 3 * x)


def leaf(values):
    return torch.tensor(values, dtype=torch.double, requires_grad=True)


def diamond():
    a, b = leaf(2.0), leaf(3.0)
    c = a * b
    d = c + a
    return d * d, {"a": a, "b": b}, {}


def linear():
    x = torch.tensor([[1.0, -1.0, 2.0], [0.0, 1.0, 1.0]], dtype=torch.double)
    w, bias = leaf([[1.0, 0.0], [2.0, -1.0], [0.0, 1.0]]), leaf([0.5, -0.5])
    return ((x @ w) + bias).relu().sum(), {"W": w, "bias": bias}, {}


def shared(second, keep):
    x = leaf(2.0)
    s = x * x
    first, other = s * 1, s * 2
    if not second:
        return first, {"x": x}, {"retain_graph": keep}
    first.backward(retain_graph=keep)
    return other, {"x": x}, {}


def custom():
    x = leaf(2.0)
    return Blend.apply(x * 1) * 5, {"x": x}, {}


def in_place():
    x = leaf(3.0)
    w = x * 1
    loss = (w * w) * 2
    w.add_(1)
    return loss, {"x": x}, {}


def double_backward():
    x = leaf(2.0)
    (g,) = torch.autograd.grad(x ** 3, x, create_graph=True)
    return g, {"x": x}, {}


def second_pass(build, keep):
    x = leaf(2.0)
    loss = build(x)
    loss.backward(retain_graph=keep)
    return loss, {"x": x}, {}


def one_of_two_outputs():
    x = leaf([1.0, 2.0])
    p, _ = x.unbind(0)
    return p * 4, {"x": x}, {}


def write_through_a_view():
    base, x = torch.zeros(3, dtype=torch.double), leaf(2.0)
    base[1] = x * x
    return (base * base).sum(), {"x": x}, {}


def rnn():
    h, x, u = torch.zeros(1, dtype=torch.double), leaf([0.5]), leaf([0.3])
    for _ in range(3):
        h = torch.tanh(h * u + x)
    return h.sum(), {"x": x, "u": u}, {}


SCENES = {
    "diamond: c=a*b; d=c+a; L=d*d": diamond,
    "linear: relu(x@W+bias).sum()": linear,
    "shared part, first loss, retain_graph=False": lambda: shared(False, False),
    "shared part, second loss after retain_graph=False": lambda: shared(True, False),
    "shared part, first loss, retain_graph=True": lambda: shared(False, True),
    "shared part, second loss after retain_graph=True": lambda: shared(True, True),
    "custom Function: Blend(x*1)*5": custom,
    "in-place: w changed after w*w": in_place,
    "double backward: d(3x^2)/dx": double_backward,
    "accumulation: second pass on x.grad=12": lambda: second_pass(lambda x: (x * x) * 3, True),
    "nothing saved: second pass without retain": lambda: second_pass(lambda x: (x + x) + 1, None),
    "multi-output: only p used": one_of_two_outputs,
    "view write: base[1]=x*x; (base*base).sum()": write_through_a_view,
    "rnn: h=tanh(h*u+x) three times": rnn,
}


def rounded(value):
    """Floats to six digits, tuples as lists."""
    if isinstance(value, dict):
        return {k: rounded(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(v) for v in value]
    return round(value, 5) if isinstance(value, float) else value


@pytest.mark.parametrize("name", SCENES)
def test_a_scene_runs_as_in_torch(name):
    loss, names, options = SCENES[name]()
    assert rounded(record(loss, names=names, **options).as_reference()) == rounded(WANT[name])


def test_scenes_and_traces_match_one_to_one():
    assert sorted(SCENES) == sorted(WANT)
