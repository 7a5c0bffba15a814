# %% [markdown]
# # 09 · Views, in-place, versions
#
# **Question: how does autograd notice that I cheated?**
#
# Time: about 45 minutes. You need lesson 06: what a node saves.
#
# You change a tensor behind autograd's back and get caught, find the counter that gave you away,
# and the two ways past it. Then you repair three programs. In the last cell you predict whether a
# program of your own gets caught.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 45 minutes; in 30, leave out sections 5 and 6. Programs from your students'
# mail can take the place of the three in section 7; keep them short, and change the numbers of
# 09.5. What learners believe at first: in-place operations are forbidden (09.3: four of six run),
# the check looks at the numbers (section 7: it looks at a counter, which all views share), and
# `clone()` everywhere is the cure (each repair of 09.5 does without). Section 3 is where torch 2.13
# and its reference text part: the text promises a check of saved tensors; a change through `.data`,
# and one under hooks for saved tensors, gets past it.

# %% [markdown]
# ## 1 · Caught
#
# `y = w * w` needs `w` for its slope, so its node saved it. Then `w` is changed **in place**: the
# same tensor, other numbers. Functions that do this end in `_`.

# %%
x = torch.tensor(3.0, requires_grad=True)
w = x * 1
y = w * w
L = y * 2
w.add_(1)
print(w.item(), y.item())

# %% [markdown]
# `y` is 9, computed from the old `w`. Its slope is 2 · 3 = 6, but the 3 is gone: where it was,
# there is now a 4. Backward could compute 8, and nobody would know that this is the slope of
# nothing.
#
# Predict: which node notices, and which nodes have run by then? Then step.

# %% tags=["stepper", "nbval-ignore-output"]
caught = show(L)
caught

# %%
try:
    caught.finish()
except RuntimeError as error:
    print(str(error).split(":")[0])
print("x.grad:", x.grad)

# %% tags=["stepper"]
print(caught.text())

# %% [markdown]
# **Explain.** Find the line of `self w` in the text: **version 0/1, stale**. When `w` was saved,
# its version was 0. Now it is 1. The node compared two small numbers and stopped the pass. It did
# not compare the 3 with the 4: the 3 is gone.

# %% [markdown]
# ## 2 · The counter
#
# Every tensor has `_version`: how often its memory was written to in place. Making a new tensor
# starts at 0.
#
# ```python
# x = torch.zeros(3)
# x += 1               # a
# x[0] = 5             # b
# y = x * 2            # c
# x = x + 1            # d
# x.mul_(2)            # e
# x.copy_(y)           # f
# x.clone().add_(1)    # g
# ```
#
# **Exercise 09.1.** What is `x._version` after each of the seven lines?

# %% tags=["exercise"] exercise="09.1"
versions = [None, None, None, None, None, None, None]  # after a, b, c, d, e, f, g

# %% tags=["solution"] exercise="09.1"
versions = [1, 2, 2, 0, 1, 2, 2]

# %% tags=["check"] exercise="09.1"
check("09.1", versions)

# %%
x = torch.zeros(3)
x += 1
print("a", x._version)
x[0] = 5
print("b", x._version)
y = x * 2
print("c", x._version)
x = x + 1
print("d", x._version)
x.mul_(2)
print("e", x._version)
x.copy_(y)
print("f", x._version)
x.clone().add_(1)
print("g", x._version)

# %% [markdown]
# `x += 1` writes into the old tensor. `x = x + 1` makes a new one and lets the name point to it.
# In Python these look alike; for autograd they are not.

# %% [markdown]
# ## 3 · Who shares the counter?
#
# A **view** is a second tensor on the same memory: a slice, a reshape, a transpose. If you write to
# one, the other has changed too. So they must share one counter.
#
# **Exercise 09.2.** `base = torch.zeros(4)`, then `alias` is made as below, then `alias.add_(1)`.
# Give `base._version`, and whether the numbers of `base` have changed: `[0 or 1, True or False]`.

# %% tags=["exercise"] exercise="09.2"
after_write = {
    "base[1:]": [None, None],
    "base.view(2, 2)": [None, None],
    "base.detach()": [None, None],
    "base.data": [None, None],
    "base.clone()": [None, None],
}

# %% tags=["solution"] exercise="09.2"
after_write = {
    "base[1:]": [1, True],
    "base.view(2, 2)": [1, True],
    "base.detach()": [1, True],
    "base.data": [0, True],
    "base.clone()": [0, False],
}

# %% tags=["check"] exercise="09.2"
check("09.2", after_write)

# %%
def write_to(make):
    base = torch.zeros(4)
    make(base).add_(1)
    return [base._version, base.sum().item() != 0]


print("base[1:]       ", write_to(lambda base: base[1:]))
print("base.view(2, 2)", write_to(lambda base: base.view(2, 2)))
print("base.detach()  ", write_to(lambda base: base.detach()))
print("base.data      ", write_to(lambda base: base.data))
print("base.clone()   ", write_to(lambda base: base.clone()))

# %% [markdown]
# One line stands out: **changed, and version 0**. `.data` is the same memory with a counter of its
# own. The reference page says that saved tensors are checked for in-place changes before you get
# them. With `.data` they are not. Once more the program of section 1; the right slope is 6.

# %%
def cheat(change):
    x = torch.tensor(3.0, requires_grad=True)
    w = x * 1
    y = w * w
    change(w)
    try:
        y.backward()
    except RuntimeError:
        return "caught"
    return x.grad.item()


print("w.add_(1)         ", cheat(lambda w: w.add_(1)))
print("w.detach().add_(1)", cheat(lambda w: w.detach().add_(1)))
print("w.data.add_(1)    ", cheat(lambda w: w.data.add_(1)))

# %% [markdown]
# 8, and silence. Write `detach()`, or `with torch.no_grad():`, and the counter stays in force.
#
# There is a second way past the check. **Hooks for saved tensors** (lesson 11) decide themselves
# what is kept: `pack` gets the tensor, and what it returns is kept in its place. Autograd cannot
# know what that is, so it compares no versions. An alias of the tensor is then as bad as `.data`; a
# copy is right.

# %%
def cheat_with_hooks(pack):
    x = torch.tensor(3.0, requires_grad=True)
    w = x * 1
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda packed: packed):
        y = w * w
    w.add_(1)
    y.backward()
    return x.grad.item()


print("pack an alias:", cheat_with_hooks(lambda t: t.detach()))
print("pack a copy:  ", cheat_with_hooks(lambda t: t.detach().clone()))

# %% [markdown]
# ## 4 · In-place is not forbidden
#
# A change is an error only if some node has saved what was changed **and** is asked for it later.
# Your table of lesson 06 says who saves what.
#
# **Exercise 09.3.** `x` is a leaf with two numbers. Does `backward` run or stop? Write `"runs"` or
# `"stops"`.
#
# | case | program |
# |---|---|
# | `after add` | `a = x + 1; a.mul_(2); a.sum().backward()` |
# | `after exp` | `a = x.exp(); a.mul_(2); a.sum().backward()` |
# | `after sin` | `a = x.sin(); a.mul_(2); a.sum().backward()` |
# | `relu_` | `a = x * 2; a.relu_(); a.sum().backward()` |
# | `between` | `a = x * 2; b = a * a; a.add_(1); b.sum().backward()` |
# | `between, sum` | `a = x * 2; b = a + a; a.add_(1); b.sum().backward()` |

# %% tags=["exercise"] exercise="09.3"
outcome = {
    "after add": None,
    "after exp": None,
    "after sin": None,
    "relu_": None,
    "between": None,
    "between, sum": None,
}

# %% tags=["solution"] exercise="09.3"
outcome = dict.fromkeys(["after add", "after sin", "relu_", "between, sum"], "runs")
outcome |= dict.fromkeys(["after exp", "between"], "stops")

# %% tags=["check"] exercise="09.3"
check("09.3", outcome)

# %%
def runs(make, change, use=None):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    a = make(x)
    b = use(a) if use else None
    change(a)
    try:
        (b if use else a).sum().backward()
    except RuntimeError:
        return "stops"
    return f"runs, x.grad = {[round(grad, 3) for grad in x.grad.tolist()]}"


print("after add   ", runs(lambda x: x + 1, lambda a: a.mul_(2)))
print("after exp   ", runs(lambda x: x.exp(), lambda a: a.mul_(2)))
print("after sin   ", runs(lambda x: x.sin(), lambda a: a.mul_(2)))
print("relu_       ", runs(lambda x: x * 2, lambda a: a.relu_()))
print("between     ", runs(lambda x: x * 2, lambda a: a.add_(1), use=lambda a: a * a))
print("between, sum", runs(lambda x: x * 2, lambda a: a.add_(1), use=lambda a: a + a))

# %% [markdown]
# Where it runs, the gradient is right: an in-place operation is recorded like any other. `a` got a
# new node, and its old one is behind it. `relu_` saves its output, and that is what the memory
# holds now.

# %% [markdown]
# ## 5 · The leaf rule
#
# One tensor may not be changed in place while autograd records: a leaf that asks for its gradient.

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
try:
    x.add_(1)
except RuntimeError as error:
    print("leaf:", "leaf Variable that requires grad" in str(error))
try:
    x[0:1].mul_(2)
except RuntimeError as error:
    print("view of a leaf:", "view of a leaf" in str(error))
print("version", x._version)

# %% [markdown]
# If it were allowed, `x` would be the *result* of an addition, so no leaf, and `x.grad` would never
# be written. This error comes at once, at the line, not in backward.
#
# An optimizer must change leaves. It does so under `no_grad`, where nothing is recorded. The
# counter counts all the same:

# %%
y = x * x
with torch.no_grad():
    x.add_(1)
print("version", x._version)
try:
    y.sum().backward()
except RuntimeError as error:
    print("caught:", "modified by an inplace operation" in str(error))

# %% [markdown]
# That is the error of the training loop that calls `optimizer.step()` between forward and backward,
# or keeps a graph over a step, as at the end of lesson 07. The order is: forward, backward, step.

# %% [markdown]
# ## 6 · Writing through a view
#
# `base` is made of zeros; it asks for no gradient. Then a number that has a graph is written into
# it.

# %%
x = torch.tensor(4.0, requires_grad=True)
base = torch.zeros(3)
print("before:", base.grad_fn)
base[1] = x * x
print("after: ", type(base.grad_fn).__name__, base.tolist())
L = (base * 8).sum()

# %% [markdown]
# `base` got a node after it was made: **CopySlices**. It has two inputs: what `base` was before (no
# graph, so nothing is sent there), and what was written. Step and see how it shares out the
# gradient.

# %% tags=["stepper", "nbval-ignore-output"]
rewired = show(L)
rewired

# %%
rewired.finish()
print(x.grad)

# %% tags=["stepper"]
print(rewired.text())

# %% [markdown]
# The value that was overwritten gets the gradient 0: it has no influence any more.
#
# **Exercise 09.4.** `x` is `[1., 2., 3.]` and `base = x * 1`. Give `x.grad` after
# `base.sum().backward()`.
#
# | case | line in between |
# |---|---|
# | `scaled` | `base[0:1].mul_(10)` |
# | `overwritten` | `base[0] = 7` |
# | `copied` | `base[2] = base[0] * 5` |

# %% tags=["exercise"] exercise="09.4"
gradients = {"scaled": None, "overwritten": None, "copied": None}

# %% tags=["solution"] exercise="09.4"
gradients = {"scaled": [10, 1, 1], "overwritten": [0, 1, 1], "copied": [6, 1, 0]}

# %% tags=["check"] exercise="09.4"
check("09.4", gradients)

# %%
def after(change):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = x * 1
    change(base)
    base.sum().backward()
    return x.grad.tolist()


print("scaled     ", after(lambda base: base[0:1].mul_(10)))
print("overwritten", after(lambda base: base.__setitem__(0, 7)))
print("copied     ", after(lambda base: base.__setitem__(2, base[0] * 5)))

# %% [markdown]
# ## 7 · Three repairs
#
# Each of these stops. `attempt` says so, and notes the value and the gradient if there is one.

# %%
def first(x):
    h = x.exp()
    h += 1
    return h.sum()


def second(x):
    w = x * 1
    y = w * w
    w.add_(1)
    return (y + w).sum()


def third(x):
    rows = torch.zeros(3, 2)
    total = 0
    for t in range(3):
        rows[t] = x * (t + 1)
        total = total + (rows[t] ** 2).sum()
    return total


def attempt(program):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = program(x)
    try:
        loss.backward()
    except RuntimeError:
        return f"stops; the value is {round(loss.item(), 4)}"
    return [loss.item(), x.grad.tolist()]


for program in (first, second, third):
    print(program.__name__, attempt(program))

# %% [markdown]
# The third one is the most unfair. Row 0 is squared, then row 1 is written; row 0 is as it was. But
# the three rows are views of one memory, and they share one counter. Watch it climb:

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
rows = torch.zeros(3, 2)
steps, saved_at = [rows._version], []
for t in range(3):
    rows[t] = x * (t + 1)
    square = rows[t] ** 2
    saved_at.append(rows._version)
    steps += [rows._version, rows._version]
print("saved at version", saved_at, " read at version", rows._version)

# %%
from matplotlib.figure import Figure

fig = Figure(figsize=(7.5, 2.8), layout="constrained")
ax = fig.subplots()
ax.step(range(7), steps, where="post", color="0.5", linewidth=2)
ax.plot([2, 4, 6], saved_at, "o", color="tab:blue", label="a row is saved")
ax.plot([2, 4, 6], [3, 3, 3], "x", color="tab:red", markersize=9, label="its version when read")
ax.set_xticks(range(7), ["start", *["write", "square"] * 3])
ax.set_yticks(range(4))
ax.set(ylabel="version of rows", title="Saved and read at the same version? Only the last row is.")
ax.legend(loc="lower right")
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
from base64 import b64encode
from io import BytesIO

from IPython.display import Image

png = BytesIO()
fig.savefig(png, format="png", dpi=100)
alt = (
    "A staircase: each of three writes lifts the version of rows by one, from 0 to 3. Rows are "
    "saved at versions 1, 2 and 3 and all read at version 3, so only the last one fits."
)
Image(url="data:image/png;base64," + b64encode(png.getvalue()).decode(), alt=alt)

# %% [markdown]
# *Figure: the version of `rows` while the third program runs. Each write lifts it by one. The rows
# were saved at versions 1, 2 and 3; backward reads all of them at version 3. Only the last fits.*
#
# Autograd errs on the safe side: it may stop a pass that would have been right, but a change
# through a view does not get past it.
#
# **Exercise 09.5.** Repair all three: the same values, the right gradients. No `clone()` is needed.
# Write `one(x)`, `two(x)`, `three(x)`; two or three lines are enough for each.

# %% tags=["exercise"] exercise="09.5"
one = two = three = None  # three functions of x

# %% tags=["solution"] exercise="09.5"
def one(x):
    return (x.exp() + 1).sum()
def two(x):
    w = x * 1
    y = w * w
    return (y + (w + 1)).sum()
def three(x):
    rows = torch.stack([x * (t + 1) for t in range(3)])
    return (rows**2).sum()

# %% tags=["check"] exercise="09.5"
repaired = {"first": one, "second": two, "third": three}
done = all(repaired.values())
check("09.5", {name: attempt(program) for name, program in repaired.items()} if done else None)

# %% [markdown]
# Three patterns of repair, in the order of the programs: write **out of place** (`h = h + 1`); give
# the changed tensor a **new name**, so that the old one stays; **collect first, stack later** in
# place of filling a buffer. In the third, filling the buffer first and squaring it once after the
# loop works too.

# %% [markdown]
# ## 8 · Your own experiment
#
# **How does autograd notice that I cheated?** It notes the version when it saves, and compares when
# it reads. All views share the counter, `detach()` too; `.data` does not.
#
# **Exercise 09.6.** Write a program that changes some tensor in place and returns it together with
# the loss. Predict the version of that tensor at the end, and whether backward `"runs"` or
# `"stops"`.

# %% tags=["exercise"] exercise="09.6"
def own(x):
    a = x * 2  # change these lines
    b = a.sin()
    a[0] = 0
    return a, b.sum()


predicted = [None, None]  # version, "runs" or "stops"

# %% tags=["solution"] exercise="09.6"
def own(x):
    a = x.sigmoid()
    b = a.view(2, 1)
    b.mul_(3)
    b.detach().zero_()
    return a, (b + 1).sum()


predicted = [2, "stops"]

# %% tags=["check"] exercise="09.6"
changed, loss = own(torch.tensor([1.0, 2.0], requires_grad=True))
try:
    loss.backward()
    measured = [changed._version, "runs"]
except RuntimeError:
    measured = [changed._version, "stops"]
check("09.6", [predicted, measured])
