# %% [markdown]
# # Every scene of the stepper, as text
#
# One cell for each scene of the widget, W01 to W30: what a terminal and a screen reader get of it.
# nbval compares these outputs. This is no lesson: see `index.ipynb` for those.
#
# Not here: W27 (it needs PyTorch; lesson 18), and what is a matter of the eye alone.

# %%
import io
import warnings
from contextlib import redirect_stderr

import autodidact as torch
from autodidact_widgets import clinic, compare, debug, film, show, show_own

warnings.simplefilter("ignore")
D = {"dtype": torch.double, "requires_grad": True}


def every_step(stepper):
    """The text form before the pass and after each step; an error of the pass is a state of it."""
    print(stepper.text())
    while not stepper.done:
        try:
            stepper.step()
        except RuntimeError:
            pass
        print(stepper.text())


def said(stepper, *states):
    """The sentences of a pass."""
    from autodidact.trace.messages import paragraph

    states = states or range(len(stepper.record))
    for k in states:
        print(k, paragraph(stepper.record.state(k)["say"]))

# %% [markdown]
# ## W01 A first graph

# %%
x = torch.tensor(3.0, **D)
y = x * x
L = y + 1
every_step(show(L))

# %% [markdown]
# ## W02 Three derivatives of one formula
#
# The difference quotient, the dual number, and the reverse pass, stepped.

# %%
def formula(t):
    return t * t * 3 + t


x = torch.tensor(2.0, **D)
step = 1e-6
quotient = (formula(2.0 + step) - formula(2.0 - step)) / (2 * step)
value, pushed = torch.func.jvp(formula, (x.detach(),), (torch.tensor(1.0, dtype=torch.double),))
print("quotient", round(quotient, 6), " dual number", pushed.item())
L = formula(x)
s = show(L)
s.finish()
said(s)

# %% [markdown]
# ## W03 An engine of one's own, in the right order and in a wrong one

# %%
class Value:
    def __init__(self, number, made_from=(), slopes=()):
        self.number, self.made_from, self.slopes = number, made_from, slopes

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
for order in ([L, d, c, a, b], [L, c, d, a, b]):
    s = show_own(L, order=order)
    s.finish()
    print(s.text())

# %% [markdown]
# ## W04 Slots and shapes: a gradient shrinks to a bias

# %%
x = torch.tensor([[1.0, -1.0, 2.0], [0.0, 1.0, 1.0]], dtype=torch.double)
W = torch.tensor([[1.0, 0.0], [2.0, -1.0], [0.0, 1.0]], **D)
bias = torch.tensor([0.5, -0.5], **D)
L = ((x @ W) + bias).relu().sum()
every_step(show(L))

# %% [markdown]
# ## W05 Order: the diamond

# %%
def diamond():
    a, b = torch.tensor(2.0, **D), torch.tensor(3.0, **D)
    c = a * b
    d = c + a
    L = d * d
    return a, b, c, d, L


a, b, c, d, L = diamond()
every_step(show(L))

# %% [markdown]
# ## W06 Many uses: a recurrent chain, and an output that nobody used

# %%
h, x, u = torch.zeros(1, dtype=torch.double), torch.tensor([0.5], **D), torch.tensor([0.3], **D)
for _ in range(3):
    h = torch.tanh(h * u + x)
s = show(h)
s.finish()
print(s.text())
said(s)

# %%
x = torch.tensor([1.0, 2.0], **D)
p, q = x.unbind(0)
every_step(show(p * 4))

# %% [markdown]
# ## W07 .grad: who writes it, and which tensor it is

# %%
x = torch.tensor(2.0, **D)
y = x * x
L = y * 3
for _ in range(2):
    s = show(L, retain_graph=True)
    s.finish()
    said(s, len(s.record) - 1)
x.grad = None
s = show(L, create_graph=True)
s.finish()
said(s, len(s.record) - 1)
given = torch.ones(3, dtype=torch.double)
x = torch.ones(3, **D)
s = show(x + 0, gradient=given)
s.finish()
print(s.text())

# %% [markdown]
# ## W08 Saved tensors: input, output, nothing, and one of two

# %%
x, fixed = torch.tensor([[1.0, 2.0], [3.0, 4.0]], **D), torch.ones(2, 2, dtype=torch.double)
for result in (x * x, x.relu(), x + 1, x @ fixed):
    print(show(result.sum()).text())

# %% [markdown]
# ## W09 Memory over the pass

# %%
torch.manual_seed(0)
w1, w2 = torch.ones(3, 4, **D), torch.ones(4, 2, **D)
h = torch.ones(5, 3, dtype=torch.double) @ w1
r = h.relu()
L = (r @ w2).square().sum()
s = show(L)
print(s.memory().text())
s.finish()
print(s.memory().text())

# %% [markdown]
# ## W10 Freeing, and W11 side by side: retain_graph True and False

# %%
def two_losses(retain):
    x = torch.tensor(2.0, **D)
    s = x * x
    l1, l2 = s * 1, s * 2
    return [show(l1, retain_graph=retain), show(l2)]


both = compare(two_losses(False), two_losses(True))
both.finish()
print(both.text())
for first, _ in (two_losses(False), two_losses(True)):
    first.finish()
    print(first.text())

# %% [markdown]
# ## W12 A Function of one's own, line by line

# %%
class Blend(torch.autograd.Function):
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
        slope = m + ctx.factor * x
        return grad * slope, None


x = torch.tensor(2.0, **D)
y = Blend.apply(x, 3.0)
L = y * 5
every_step(show(L))

# %% [markdown]
# ## W13 Changed in place, with the program's lines; a repair tried on a copy

# %%
x = torch.tensor(3.0, **D)
w = x * 1
y = w * w
L = y * 2
w.add_(1)
s = show(L)
every_step(s)
mended = s.repair()
mended.finish()
print(mended.text())

# %% [markdown]
# ## W14 A write through a view

# %%
base = torch.zeros(3, dtype=torch.double)
x = torch.tensor(2.0, **D)
view, shared, own = base[0], base.detach(), base.data
base[1] = x * x
L = (base * base).sum()
every_step(show(L))

# %% [markdown]
# ## W15 Hooks: when they fire, and what they change

# %%
x = torch.tensor([2.0, 3.0], **D)
y = x * x
L = (y * 2).sum()


def clip(grad):
    return grad.clamp(max=1)


y.register_hook(clip)
y.grad_fn.register_prehook(lambda grads: None)
y.grad_fn.register_hook(lambda results, grads: None)
x.register_hook(lambda grad: None)
x.register_post_accumulate_grad_hook(lambda t: None)
every_step(show(L))

# %% [markdown]
# ## W16 Packed, and unpacked again

# %%
drawers = []


def pack(t):
    drawers.append(t.clone())
    return f"drawer {len(drawers) - 1}"


def unpack(name):
    return drawers[int(name.split()[1])]


x = torch.tensor(3.0, **D)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = x * x
L = y * 2
y.grad_fn._saved_self, y.grad_fn._saved_self
L.backward(retain_graph=True)
every_step(show(L))

# %% [markdown]
# ## W17 The gradient's own graph, and its pass

# %%
x = torch.tensor(2.0, **D)
y = x**3
s = show(y, create_graph=True)
every_step(s)
second = s.second("x")
every_step(second)

# %% [markdown]
# ## W18 A second derivative that is cut off

# %%
class Sinh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sinh()

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.cosh()


class SinhOnce(Sinh):
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x.cosh()


def curved(function):
    x = torch.tensor(1.0, **D)
    y = function.apply(x)
    return show(y, create_graph=True)


both = compare(curved(Sinh), curved(SinhOnce), labels=["sinh", "once"])
both.finish()
print(both.text())

# %% [markdown]
# ## W19 A segment that is computed again

# %%
x = torch.tensor(2.0, **D)
calls = []


def segment(t):
    calls.append(1)
    return (t * t).sin()


y = torch.utils.checkpoint.checkpoint(segment, x, use_reentrant=False)
L = y * 3
s = show(L)
print(s.text(), "forward calls:", len(calls))
s.finish()
print(s.text(), "forward calls:", len(calls))

# %% [markdown]
# ## W20 Directions: many back at once, in which the user's backward is called once; one forward

# %%
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        print("backward is called with a gradient of shape", tuple(grad.shape))
        (x,) = ctx.saved_tensors
        return 2 * x * grad


x = torch.tensor([1.0, 2.0], **D)
m = Square.apply(x)
y = m * 3
eye = torch.eye(2, dtype=torch.double)
rows = torch.autograd.grad(y, x, eye, retain_graph=True, is_grads_batched=True)
s = show(y, gradient=eye, inputs=[x], is_grads_batched=True)
print(s.text())
s.finish()
print(s.text(), rows[0])

# %%
x = torch.tensor(3.0, **D)
w = torch.tensor([1.0, 2.0], **D)
with torch.autograd.forward_ad.dual_level():
    d = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))
    y = d * d
    z = (y * w).sum()
    s = show(z)
print(s.text())

# %% [markdown]
# ## W22 The error clinic: six errors, and three without an exception

# %%
def again(x):
    w = torch.tensor(x, requires_grad=True)
    shared = w * w
    one = shared * 3
    two = shared * shared
    one.backward()
    two.backward()
    return w.grad.item()


def changed(x):
    w = torch.tensor(x, requires_grad=True)
    y = w * 2
    z = y * y
    y += 1
    total = z + y
    total.backward()
    return w.grad.item()


def cut(x):
    w = torch.tensor(x, requires_grad=True)
    y = w.detach() * 3
    loss = y * y
    loss.backward()
    return w.grad.item()


for patient in (again, changed, cut):
    print(clinic(patient, 2.0).text())

# %%
def many(numbers):
    w = torch.tensor(numbers, requires_grad=True)
    loss = w**2
    loss.backward()
    return w.grad.tolist()


def unused(x):
    w = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    s = w * x
    grads = torch.autograd.grad(s * s, [w, b])
    return [grad.item() for grad in grads]


def descend(x):
    w = torch.tensor(x, requires_grad=True)
    loss = (w * 3) ** 2
    loss.backward()
    w -= 0.5 * w.grad
    return w.item()


for patient, given in ((many, [1.0, 2.0, 3.0]), (unused, 3.0), (descend, 2.0)):
    print(clinic(patient, given).text())

# %%
def forgetful(x):
    w = torch.tensor(x, requires_grad=True)
    for _ in range(2):
        loss = (w - 3.0) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.5 * w.grad
    return w.item()


def sly(x):
    w = torch.tensor(x, dtype=torch.double, requires_grad=True)
    y = w * 3
    loss = y * y
    y.data += 1.0
    loss.backward()
    return w.grad.item()


def shortened(x):
    w = torch.tensor(x, dtype=torch.double, requires_grad=True)
    total = SinhOnce.apply(w) + w**2
    (slope,) = torch.autograd.grad(total, w, create_graph=True)
    slope.backward()
    return w.grad.item()


for patient in (forgetful, sly, shortened):
    print(clinic(patient, 2.0).text())
print(clinic(again, 2.0).retry(2).text())

# %%
w = torch.tensor(2.0, requires_grad=True)
y = w * 3
target = w.detach() * 2
loss = (y - target) ** 2
total = y * y + loss
y.data += 1.0
stepper = show(total).step().step()
print(stepper.text())
stepper.finish()
print(stepper.text())

# %% [markdown]
# ## W23 A training as a film

# %%
w = torch.tensor([1.0, -1.0], **D)
data = torch.tensor([[1.0, 2.0], [3.0, 1.0]], dtype=torch.double)
training = film([w], every=4)
for _ in range(5):
    with training:
        w.grad = None
        error = data @ w - 1
        loss = (error * error).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.02 * w.grad
print(training.text(0, "backward"))
print(training.text(3))
print(training.text(4, "optimizer"))

# %% [markdown]
# ## W24 What if a gradient were ten times as large?

# %%
x = torch.tensor(2.0, **D)
y = x * x
L = y * 3
s = show(L)
s.step()
other = s.edit("y", lambda grad: grad * 10)
other.finish()
print(other.text())
s.finish()
print(s.text())

# %% [markdown]
# ## W25 Back in time, event by event

# %%
a, b, c, d, L = diamond()
s = show(L)
s.step_event()
s.step_event()
print(s.text())
s.step()
s.step()
s.back()
print(s.text())
s.finish()

# %% [markdown]
# ## W26 Breakpoints

# %%
a, b, c, d, L = diamond()
s = show(L).break_at(op="MulBackward0").break_at(norm=40.0).break_at(nan=True)
for _ in range(4):
    s.run_to_break()
    print(s.text())

# %% [markdown]
# ## W28 Ask me

# %%
a, b, c, d, L = diamond()
s = show(L, ask=True)
print(s.text())
s.answer(16)
s.step()
s.answer(7)
print(s.text())

# %% [markdown]
# ## W29 Which nodes are asked for

# %%
def chain():
    x = torch.tensor(2.0, **D)
    m = x * x
    y = m * 3
    L = y * y
    return x, m, y, L


for accumulate in (True, False):
    x, m, y, L = chain()
    s = show(L, inputs=[m], accumulate=accumulate)
    s.finish()
    print(s.text())

a, b = torch.tensor(2.0, **D), torch.tensor(3.0, **D)
p = a * a
q = b * b
z = p + q
s = show(z, inputs=[a], accumulate=False)
s.finish()
print(s.text())

# %% [markdown]
# ## W30 A graph of a thousand nodes: its end, and what it says

# %%
x = torch.tensor(1.0, **D)
t = x
for _ in range(1000):
    t = t * 1.001
s = show(t)
s.finish()
lines = s.text().splitlines()
print(len(s.record.head["nodes"]), "nodes")
print(lines[0])
said(s, 1, len(s.record) - 1)

# %% [markdown]
# ## A cell that waits at each node: without anybody to click it runs through

# %%
a, b, c, d, L = diamond()
with redirect_stderr(io.StringIO()), debug() as session:
    L.backward()
print(session.passes[0].text() if session.passes else a.grad)
