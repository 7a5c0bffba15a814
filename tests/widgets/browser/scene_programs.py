"""The programs of the scenes, and what PyTorch's engine does with each.

A program ends with its stepper `s`. Its trace is what PyTorch 2.13 leaves of the same pass: a line
for each node in the order of running, with the class and what the node receives, as the text form
writes it. `test_scenes.py` steps them in JupyterLab, `../test_scene_traces.py` asks PyTorch again.
"""

import re
from dataclasses import dataclass

FIRST = """import autodidact as torch
from autodidact_widgets import show, show_own
D = {"dtype": torch.double, "requires_grad": True}"""


@dataclass(frozen=True)
class Program:
    """A scene's program, the lines of its trace, and the step that shows its point."""

    code: str
    at: int
    trace: tuple[str, ...]


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
