"""The programs of the scenes, and what PyTorch's engine does with each.

A program ends with its stepper `s`. Its trace is what PyTorch 2.13 leaves of the same pass: a line
for each node in the order of running, with the class and what the node receives, as the text form
writes it. `test_scenes.py` steps them in JupyterLab, `../test_scene_traces.py` asks PyTorch again.
"""

import re
from dataclasses import dataclass

FIRST = """import autodidact as torch
from autodidact_widgets import compare, show, show_own
D = {"dtype": torch.double, "requires_grad": True}"""


@dataclass(frozen=True)
class Program:
    """A scene's program, the lines of its trace, and the step that shows its point."""

    code: str
    at: int
    trace: tuple[str, ...]
    pytorch: bool = True        # the program runs on PyTorch, too, with the same trace


def rows(text):
    """The text form's table: "MulBackward0 1" for a node's class and what it receives."""
    lines = text.splitlines()
    head = next(k for k, line in enumerate(lines) if re.match(r" *order ", line))
    receives, state = (lines[head].index(word) for word in ("receives", "state"))
    found = []
    for line in lines[head + 1:]:
        if not line.strip():
            return tuple(found)
        found.append(f"{line[:receives].split()[-1]} {line[receives:state].strip()}")
    return tuple(found)


SHOWN = "s = show(L)\ns"
DIAMOND = """a, b = torch.tensor(2., **D), torch.tensor(3., **D)
c = a * b
d = c + a
L = d * d
"""
LINEAR = """x = torch.tensor([[1., -1., 2.], [0., 1., 1.]], dtype=torch.double)
W = torch.tensor([[1., 0.], [2., -1.], [0., 1.]], **D)
bias = torch.tensor([0.5, -0.5], **D)
L = ((x @ W) + bias).relu().sum()
"""
RNN = """h = torch.zeros(1, dtype=torch.double)
x, u = torch.tensor([0.5], **D), torch.tensor([0.3], **D)
for _ in range(3):
    h = torch.tanh(h * u + x)
L = h.sum()
"""
UNBIND = """x = torch.tensor([1., 2.], **D)
p, q = x.unbind(0)
L = p * 4
"""
KEPT = """x, fixed = torch.tensor([[1., 2.], [3., 4.]], **D), torch.ones(2, 2, dtype=torch.double)
squares = x * x
positive = squares.relu()
more = positive + 1
L = (more @ fixed).sum()
"""
TWICE = """x = torch.tensor(2., **D)
y = x * x
L = y * 3
first = show(L, retain_graph=True)
first.finish()
"""
TURNED = """base = torch.tensor([[1., 2., 3.], [4., 5., 6.]], dtype=torch.double)
turned = base.t().requires_grad_()
cut = torch.ones(3, 4, dtype=torch.double)[:, :2].requires_grad_()
L = (turned * cut).sum()
"""
MEMORY = """torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
data = torch.ones(5, 3)
loss = model(data).square().mean()
s = show(loss, module=model)
s"""
SHARED = """x = torch.tensor(2., **D)
part = x * x
one = part * 1
two = part * 2
"""

PASSES = {
    "W01": Program("x = torch.tensor(3., **D)\ny = x * x\nL = y + 1\n" + SHOWN, 1, (
        "AddBackward0 1", "MulBackward0 1", "AccumulateGrad 3 + 3 = 6")),
    "W04": Program(LINEAR + SHOWN, 2, (
        "SumBackward0 1", "ReluBackward0 [[1, 1], [1, 1]]", "AddBackward0 [[0, 1], [1, 0]]",
        "AccumulateGrad [1, 1]", "MmBackward0 [[0, 1], [1, 0]]",
        "AccumulateGrad [[0, 1], [1, -1], [1, 2]]")),
    "W05": Program(DIAMOND + SHOWN, 2, (
        "MulBackward0 1", "AddBackward0 8 + 8 = 16", "MulBackward0 16",
        "AccumulateGrad 16 + 48 = 64", "AccumulateGrad 32")),
    "W05-two": Program("""a = torch.tensor(2., **D)
p = a * 2
q = a * 3
L = p + q
""" + SHOWN, 1, ("AddBackward0 1", "MulBackward0 1", "MulBackward0 1", "AccumulateGrad 3 + 2 = 5")),
    "W06": Program(RNN + SHOWN, 6, (
        "SumBackward0 1", "TanhBackward0 1", "AddBackward0 0.658421", "MulBackward0 0.658421",
        "TanhBackward0 0.197526", "AddBackward0 0.134701", "MulBackward0 0.134701",
        "TanhBackward0 0.0404102", "AddBackward0 0.0317805",
        "AccumulateGrad 0.658421 + 0.134701 + 0.0317805 = 0.824903", "MulBackward0 0.0317805",
        "AccumulateGrad 0.37133 + 0.0622476 + 0 = 0.433577")),
    "W06-unbind": Program(UNBIND + SHOWN, 1, (
        "MulBackward0 1", "UnbindBackward0 [0] 4; [1] None", "AccumulateGrad [4, 0]")),
    "W07": Program(TWICE + SHOWN, 3, (
        "MulBackward0 1", "MulBackward0 3", "AccumulateGrad 6 + 6 = 12")),
    "W07-graph": Program(TWICE + "s = show(L, create_graph=True)\ns", 3, (
        "MulBackward0 1", "MulBackward0 3", "AccumulateGrad 6 + 6 = 12")),
    "W07-given": Program("""x, given = torch.ones(3, **D), torch.ones(3, dtype=torch.double)
y = x.view(3)
s = show(y, gradient=given)
s""", 2, ("ViewBackward0 [1, 1, 1]", "AccumulateGrad [1, 1, 1]")),
    "W07-strides": Program(TURNED + SHOWN, 4, (
        "SumBackward0 1", "MulBackward0 [[1, 1], [1, 1], [1, 1]]",
        "AccumulateGrad [[1, 1], [1, 1], [1, 1]]",
        "AccumulateGrad [[1, 4], [2, 5], [3, 6]]")),
    "W08": Program(KEPT + SHOWN, 0, (
        "SumBackward0 1", "MmBackward0 [[1, 1], [1, 1]]", "AddBackward0 [[2, 2], [2, 2]]",
        "ReluBackward0 [[2, 2], [2, 2]]", "MulBackward0 [[2, 2], [2, 2]]",
        "AccumulateGrad [[2, 4], [6, 8]] + [[2, 4], [6, 8]] = [[4, 8], [12, 16]]")),
    "W09": Program(MEMORY, 3, (
        "MeanBackward0 1", "PowBackward0 norm 0.316228 (5, 2)",
        "AddmmBackward0 norm 0.0620715 (5, 2)", "AccumulateGrad [-0.133845, 0.0367412]",
        "TBackward0 norm 0.0218052 (4, 2)", "AccumulateGrad norm 0.0218052 (2, 4)",
        "ReluBackward0 norm 0.0302673 (5, 4)", "AddmmBackward0 norm 0.0185991 (5, 4)",
        "AccumulateGrad [0, 0, 0.0415887, 0]", "TBackward0 norm 0.0720338 (3, 4)",
        "AccumulateGrad norm 0.0720338 (4, 3)")),
    "W10": Program(SHARED + "s = show(one)\ns", 1, (
        "MulBackward0 1", "MulBackward0 1", "AccumulateGrad 2 + 2 = 4")),
}

OWN = """class Value:
    def __init__(self, number, parents=(), slopes=()):
        self.number, self.made_from, self.slopes = number, parents, slopes
    def parents(self):
        return self.made_from
    def value(self):
        return self.number
    def rule(self, grad):
        return [grad * slope for slope in self.slopes]
a, b = Value(2.0), Value(3.0)
c = Value(6.0, (a, b), (3.0, 2.0))
d = Value(8.0, (c, a), (1.0, 1.0))
L = Value(64.0, (d, d), (8.0, 8.0))
"""
BLEND = """class Blend(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        m = x * factor
        out = m * x
        ctx.save_for_backward(x, m, out)
        ctx.factor = factor
        return out
    @staticmethod
    def backward(ctx, grad):
        x, m, out = ctx.saved_tensors
        slope = 2 * x * ctx.factor
        return grad * slope, None
"""
BLENDED = """x = torch.tensor(2., **D)
y = Blend.apply(x, 3.0)
L = y * 5
"""
IN_PLACE = """x = torch.tensor(3., **D)
w = x * 1
y = w * w
L = y * 2
w.add_(1)
"""
HOOKS = """x = torch.tensor([2., 3.], **D)
y = x * x
L = (y * 2).sum()
def clip(grad):
    return grad.clamp(max=1)
handle = y.register_hook(clip)
y.grad_fn.register_prehook(lambda grads: None)
y.grad_fn.register_hook(lambda results, grads: None)
x.register_hook(lambda grad: None)
x.register_post_accumulate_grad_hook(lambda leaf: None)
"""
FAILING = """def broken(grad):
    raise KeyError("no such gradient")
y.register_hook(broken)
"""
WHAT_IF = """x = torch.tensor(2., **D)
y = x * x
L = y * 3
"""

INSIDE = {
    "W03": Program(OWN + "s = show_own(L)\ns", 3, (
        "Value 1", "Value 8 + 8 = 16", "Value 16", "Value 32", "Value 16 + 48 = 64"), False),
    "W03-wrong": Program(OWN + "s = show_own(L, order=[L, c, d, a, b])\ns", 5, (
        "Value 1", "Value 16", "Value 8 + 8 = 16", "Value 0 + 16 = 16", "Value 0"), False),
    "W12": Program(BLEND + BLENDED + SHOWN, 1, (
        "MulBackward0 1", "BlendBackward 5", "AccumulateGrad 60")),
    "W12-count": Program(BLEND.replace("slope, None", "slope") + BLENDED + SHOWN, 2, (
        "MulBackward0 1", "BlendBackward 5", "AccumulateGrad ...")),
    "W12-shape": Program(
        BLEND.replace("grad * slope,", "torch.ones(3),") + BLENDED.replace("2.", "[2., 1.]")
        + "s = show(L, gradient=torch.ones(2, dtype=torch.double))\ns", 2, (
            "MulBackward0 [1, 1]", "BlendBackward [5, 5]", "AccumulateGrad ...")),
    "W13": Program(IN_PLACE + SHOWN, 2, (
        "MulBackward0 1", "MulBackward0 2", "MulBackward0 ...", "AccumulateGrad ...")),
    "W15": Program(HOOKS + SHOWN, 3, (
        "SumBackward0 1", "MulBackward0 [1, 1]", "MulBackward0 [2, 2]",
        "AccumulateGrad [2, 3] + [2, 3] = [4, 6]")),
    "W15-failing": Program(HOOKS + FAILING + SHOWN, 3, (
        "SumBackward0 1", "MulBackward0 [1, 1]", "MulBackward0 [2, 2]", "AccumulateGrad ...")),
    "W15-removed": Program(HOOKS + "handle.remove()\n" + SHOWN, 3, (
        "SumBackward0 1", "MulBackward0 [1, 1]", "MulBackward0 [2, 2]",
        "AccumulateGrad [4, 6] + [4, 6] = [8, 12]")),
    "W15-grad": Program(HOOKS + "s = show(L, inputs=[x], accumulate=False)\ns", 3, (
        "SumBackward0 1", "MulBackward0 [1, 1]", "MulBackward0 [2, 2]",
        "AccumulateGrad [2, 3] + [2, 3] = [4, 6]")),
    "W24": Program(WHAT_IF + SHOWN, 1, (
        "MulBackward0 1", "MulBackward0 3", "AccumulateGrad 6 + 6 = 12")),
}
