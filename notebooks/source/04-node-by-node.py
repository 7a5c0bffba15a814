# %% [markdown]
# # 04 · Node by node
#
# **Question: in what order does backward run, and why?**
#
# Time: about 45 minutes. You need lesson 00: nodes, slots, Step.
#
# You predict the order of four programs, measure it with eight lines of Python, and find the three
# rules behind it. In the last cell you predict the order of a program of your own.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 45 minutes; in 30, leave out sections 3 and 7. Section 2 must stay:
# its `order` is used until the end. Any graph up to 60 nodes can take the place of
# the diamond; then change the data of 04.1 and 04.2 too. What learners believe at first:
# backward is "the program read from the bottom" (section 5 agrees, sections 4 and 6 do not), and
# leaves come last (section 4). Exercise 04.5 is where torch and the text of its reference part:
# the text asks for a gradient "of matching type", torch 2.13 casts instead.

# %% [markdown]
# ## 1 · The diamond
#
# `a` is used twice: in `c` and in `d`. So two ways lead from `L` back to `a`.

# %%
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = c + a
L = d * d
print(c.item(), d.item(), L.item())

# %% [markdown]
# Before the first node runs, the engine walks through the graph once and counts:
# **how many gradients will each node receive?** That number is the node's **waiting count**.
# It is the number of uses on the way to `L`. `c` is used once, in `d`, so its count is 1.
#
# **Exercise 04.1.** Give the waiting counts. Mind that `L = d * d` uses `d` on both sides.

# %% tags=["exercise"] exercise="04.1"
counts = {"d": None, "c": None, "a": None, "b": None}

# %% tags=["solution"] exercise="04.1"
counts = {"d": 2, "c": 1, "a": 2, "b": 1}

# %% tags=["check"] exercise="04.1"
check("04.1", counts)

# %% [markdown]
# **Rule 1. A node may run when its waiting count has come down to 0.**
# Each arriving gradient lowers the count by 1 and waits in a slot of the node.
# A node whose count is 0 is **ready**.
#
# **Exercise 04.2.** In which order do the five nodes run? `L` is the root, it starts.
# The last two become ready in the same step; then the one that was sent to first runs first.

# %% tags=["exercise"] exercise="04.2"
predicted = ["L", None, None, None, None]

# %% tags=["solution"] exercise="04.2"
predicted = ["L", "d", "c", "a", "b"]

# %% tags=["check"] exercise="04.2"
check("04.2", predicted)

# %% [markdown]
# Now step. Look at the slots of `a`: after two steps it holds 16 and waits for one more.

# %% tags=["stepper", "nbval-ignore-output"]
stepper = show(L)
stepper

# %%
stepper.finish()
print(a.grad, b.grad)

# %% tags=["stepper"]
print(stepper.text())

# %% [markdown]
# **Explain.** `a` received 16 from `d` and 16 · 3 = 48 from `c`. It ran once, with 64.
# Had `a` run right after `d`, it would have written 16.

# %% [markdown]
# ## 2 · A measuring instrument
#
# The stepper shows the order. To compare many programs, let the nodes report themselves:
# a **hook** on a node is a function that is called each time the node has run (more in lesson 10).
# `order` puts one hook on every node, calls `backward`, and returns the log.

# %%
def nodes(loss):
    """Every node of the graph behind loss, each once."""
    found, todo = [], [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.append(node)
            todo += [receiver for receiver, slot in node.next_functions]
    return found

# %%
def label(node, tensors):
    """The name of the tensor that node belongs to; the node's own name if there is none."""
    for name, t in tensors.items():
        if node is t.grad_fn or getattr(node, "variable", None) is t:
            return name
    return type(node).__name__

# %%
def order(loss, tensors):
    """Run backward and return the nodes' names, first to run first."""
    log = []
    for node in nodes(loss):
        name = label(node, tensors)
        node.register_hook(lambda *grads, name=name: log.append(name))
    loss.backward()
    return log

# %% [markdown]
# The diamond again. The graph of section 1 has been used up, so the forward lines run once more.

# %%
c = a * b
d = c + a
L = d * d
print(order(L, {"a": a, "b": b, "c": c, "d": d, "L": L}))

# %% [markdown]
# ## 3 · Why wait?
#
# Square 20 times in a row. Each node is used twice by the next one, so the number of ways
# from the root to `t` doubles 20 times. How often would nodes run if each gradient were passed on
# as soon as it arrives? And how many runs are there with waiting counts?

# %%
t = torch.tensor(1.0, requires_grad=True)
z = t
for _ in range(20):
    z = z * z
print("ways:", 2**20, " runs:", len(order(z, {"t": t})), " t.grad:", t.grad.item())

# %% [markdown]
# 21 runs: each node ran once, with the sum of all it was sent.
# The rule of a node is linear in the gradient it receives, so "add, then multiply" gives the same
# number as "multiply, then add". It is only cheaper: 21 runs in place of about two million.

# %% [markdown]
# ## 4 · Leaves at once
#
# A linear layer with a bias. `x` does not ask for a gradient; `W` and `bias` do.

# %%
x = torch.tensor([[1.0, -1.0, 2.0], [0.0, 1.0, 1.0]])
W = torch.tensor([[1.0, 0.0], [2.0, -1.0], [0.0, 1.0]], requires_grad=True)
bias = torch.tensor([0.5, -0.5], requires_grad=True)
m = x @ W
s = m + bias
r = s.relu()
loss = r.sum()
print(s.tolist())

# %% [markdown]
# `s` sends to `m` and to `bias` in the same step, and both have waiting count 1.
# Two nodes are ready. Predict: which one runs first? Then step.

# %% tags=["stepper", "nbval-ignore-output"]
linear = show(loss)
linear

# %%
linear.finish()
print(bias.grad.tolist(), W.grad.tolist())

# %%
m = x @ W
s = m + bias
r = s.relu()
loss = r.sum()
print(order(loss, {"W": W, "bias": bias, "m": m, "s": s, "r": r, "loss": loss}))

# %% [markdown]
# **Rule 2. A leaf that is ready runs at once, before any other ready node.**
# A leaf sends nothing on, so nobody waits for it, and the gradient in its slot can be put away.
#
# A second thing to see: `s` received an array of shape (2, 2), `bias` has shape (2,).
# In forward, one bias was added to both rows. That is two uses, so the rows are summed:
# [[0, 1], [1, 0]] becomes [1, 1]. The edge in the picture says "sum over rows". See lesson 03.

# %% [markdown]
# ## 5 · Latest first
#
# What if two nodes are ready and neither is a leaf?

# %%
def run(program):
    """Run program(a, b) forward and backward; return the order of its nodes."""
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    made = program(a, b)
    names = order(made["total"], {"a": a, "b": b, **made})
    return names


def one(a, b):
    p = a * 2
    q = b * 3
    return {"p": p, "q": q, "total": p + q}


print(run(one))

# %% [markdown]
# After `total`, both `p` and `q` are ready. `q` ran first.
#
# Predict: is it because `q` stands on the right of `p + q`, or because the line of `q` ran later?
#
# **Exercise 04.3.** Decide it by an experiment. Write `two(a, b)`: the same three tensors with the
# same values, but such that `p` runs before `q` in backward.

# %% tags=["exercise"] exercise="04.3"
two = None  # def two(a, b): ...

# %% tags=["solution"] exercise="04.3"
def two(a, b):
    q = b * 3
    p = a * 2
    return {"p": p, "q": q, "total": p + q}

# %% tags=["check"] exercise="04.3"
orders = [run(one), run(two) if two else None]
check("04.3", orders)

# %%
print(orders)

# %% [markdown]
# **Rule 3. Otherwise the ready node that was made last runs first.**
# Each node gets a **sequence number** in forward, one higher than the node before it.
# The engine takes the highest one. Writing `q + p` changes nothing; swapping the lines does.
#
# The order changes only *when* a gradient is there, not its value:
# put `print(a.grad, b.grad)` before the `return` of `run` to see it.

# %% [markdown]
# ## 6 · A recurrent network
#
# Three times the same step: `h = tanh(h * u + x)`. `u` and `x` are used three times each.

# %%
x = torch.tensor([0.5], requires_grad=True)
u = torch.tensor([0.3], requires_grad=True)
h = torch.zeros(1)
rnn = {"x": x, "u": u}
for i in "123":
    m = h * u
    s = m + x
    h = torch.tanh(s)
    rnn.update({"m" + i: m, "s" + i: s, "h" + i: h})
total = h.sum()
rnn["total"] = total

# %% [markdown]
# Backward begins with `total`, `h3`, `s3`, `m3`, `h2`, ...
#
# **Exercise 04.4.** Which are the last four nodes, in order? Before them comes `h1`.
# `x` has waiting count 3 and has received two gradients by then; so has `u`.

# %% tags=["exercise"] exercise="04.4"
last_four = [None, None, None, None]

# %% tags=["solution"] exercise="04.4"
last_four = ["s1", "x", "m1", "u"]

# %% tags=["check"] exercise="04.4"
check("04.4", last_four)

# %% [markdown]
# Before the pass runs, note who sends to whom; the plot below needs it.

# %% tags=["stepper", "nbval-ignore-output"]
edges = []
for node in nodes(total):
    for receiver, _slot in node.next_functions:
        if receiver is not None:
            edges.append((label(node, rnn), label(receiver, rnn)))
unrolled = show(total, retain_graph=True)
unrolled

# %%
unrolled.finish()
print(round(x.grad.item(), 4), round(u.grad.item(), 4))

# %% [markdown]
# The second pass, on the same graph, gives the order. The graph is still there because of
# `retain_graph=True` above (lesson 07).

# %%
ran = {name: step for step, name in enumerate(order(total, rnn), start=1)}
arrived = {name: [] for name in ran}
for sender, receiver in edges:
    arrived[receiver].append(ran[sender])
for name in ("s1", "x", "m1", "u"):
    print(f"{name:3} received in steps {sorted(arrived[name])}, ran in step {ran[name]}")

# %% tags=["nbval-ignore-output"]
from base64 import b64encode
from io import BytesIO

import matplotlib.pyplot as plt
from IPython.display import Image

fig, ax = plt.subplots(figsize=(7.5, 3.8), layout="constrained")
for row, (name, step) in enumerate(ran.items()):
    arrivals = sorted(arrived[name]) or [step]
    ax.plot([arrivals[0], step], [row, row], color="0.6", linewidth=6, solid_capstyle="butt")
    ax.plot(arrivals, [row] * len(arrivals), "o", color="black", markerfacecolor="white")
    ax.plot(step, row, "s", color="tab:blue", markersize=9)
ax.set_yticks(range(len(ran)), ran)
ax.set_xticks(range(1, len(ran) + 1))
ax.set(xlabel="step", title="Circle: a gradient arrives. Bar: it waits. Square: the node runs.")
ax.invert_yaxis()
png = BytesIO()
fig.savefig(png, format="png", dpi=100)
plt.close(fig)
alt = (
    "Twelve rows, one per node, in the order in which they run. Ten rows have a bar of one step. "
    "The rows of x and u have long bars: x waits from step 3 to 10, u from step 4 to 12."
)
Image(url="data:image/png;base64," + b64encode(png.getvalue()).decode(), alt=alt)

# %% [markdown]
# *Figure: how long gradients wait in the recurrent network. Ten nodes run one step after their
# gradient has arrived. `x` holds its first gradient from step 3 to step 10, `u` from step 4 to 12.*
#
# **Explain.** `x` is a leaf (rule 2), yet it ran almost last: it had to wait for the third gradient
# (rule 1), which `s1` sent in step 9. In step 10 both `x` and `m1` were ready, and `x` was first.
# Rule 1 decides who may run. Rules 2 and 3 only choose among those.

# %% [markdown]
# ## 7 · Where backward starts
#
# The root of the diamond was one number, and it received 1.
# A root with several numbers needs to be told what it receives: `gradient=`.

# %%
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
y.backward(gradient=torch.tensor([1.0, 10.0, 100.0]))
print(x.grad.tolist())

# %% [markdown]
# The slopes are 2, 4, 6; each was multiplied by its weight. It is as if the root had been
# `(y * weights).sum()`.
#
# **Exercise 04.5.** Which of these calls run, and which stop with an error?
# Write `"runs"` or `"stops"`. `square(shape)` makes ones of that shape in float64 and squares them.
#
# | case | call |
# |---|---|
# | `three` | `square(3).backward()` |
# | `one by one` | `square((1, 1)).backward()` |
# | `none at all` | `square(0).backward()` |
# | `extra axis` | `square(3).backward(torch.ones(1, 3))` |
# | `integers` | `square(3).backward(torch.ones(3, dtype=torch.int64))` |
# | `complex` | `square(3).backward(torch.ones(3, dtype=torch.complex64))` |

# %% tags=["exercise"] exercise="04.5"
quiz = {
    "three": None,
    "one by one": None,
    "none at all": None,
    "extra axis": None,
    "integers": None,
    "complex": None,
}

# %% tags=["solution"] exercise="04.5"
quiz = {
    "three": "stops",
    "one by one": "runs",
    "none at all": "stops",
    "extra axis": "stops",
    "integers": "runs",
    "complex": "stops",
}

# %% tags=["check"] exercise="04.5"
check("04.5", quiz)

# %%
def square(shape):
    x = torch.ones(shape, dtype=torch.float64, requires_grad=True)
    return x * x


def outcome(shape, gradient=None):
    try:
        square(shape).backward(gradient)
    except RuntimeError as error:
        reasons = ("only for scalar outputs", "Mismatch in shape", "Mismatch in dtype")
        return "stops: " + next(reason for reason in reasons if reason in str(error))
    return "runs"


print("three      ", outcome(3))
print("one by one ", outcome((1, 1)))
print("none at all", outcome(0))
print("extra axis ", outcome(3, torch.ones(1, 3)))
print("integers   ", outcome(3, torch.ones(3, dtype=torch.int64)))
print("complex    ", outcome(3, torch.ones(3, dtype=torch.complex64)))

# %% [markdown]
# "Scalar" means one element, whatever the number of axes. The shape must fit exactly: nothing is
# broadcast. For `integers`, PyTorch's reference text asks for a gradient of "matching type", but
# torch 2.13 does not insist: it casts a real gradient, here to float64. A complex one it refuses.
#
# A leaf can be a root too. Its graph is one node, AccumulateGrad, which adds the 1 to `.grad`.

# %%
z = torch.tensor(5.0, requires_grad=True)
z.backward()
z.backward()
print(z.grad)

# %% [markdown]
# ## 8 · Your own experiment
#
# **In what order does backward run, and why?** The three rules in one place:
#
# 1. A node may run when its waiting count is 0.
# 2. Among the ready nodes a leaf runs at once.
# 3. Otherwise the one that was made last runs first.
#
# **Exercise 04.6.** Change `own` so that its graph has at least six nodes, leaves included, and
# give every tensor a name in the dict. Predict the order, then run both cells.
# Use `a` at least twice: then rule 1 has something to say.

# %% tags=["exercise"] exercise="04.6"
def own(a, b):
    p = a * b  # change these lines
    return {"p": p, "total": p + a}


my_order = None  # a list of names, "total" first

# %% tags=["solution"] exercise="04.6"
def own(a, b):
    p = a * b
    q = p * a
    r = b + 1
    return {"p": p, "q": q, "r": r, "total": q * r}


my_order = ["total", "r", "q", "p", "a", "b"]

# %% tags=["check"] exercise="04.6"
check("04.6", [my_order, run(own)])
