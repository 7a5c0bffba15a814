# %% [markdown]
# # 02 · An engine in 100 lines
#
# **Question: what is the least program that can do backward?**
#
# Time: about 50 minutes. You need lessons 00 and 01.
#
# You write an engine of your own, for plain numbers, without the library. It has four parts, and
# you see which number goes wrong when one of them is missing. Then you step it in the same picture
# as the real engine, train a small network with it, and add an operation of your own.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 50 minutes, or two sessions: sections 1 to 3, then the rest. With little
# time, give 02.1 and 02.2 as they are in the solved edition and begin with section 3. Where a
# learner's function is not finished, the next cell puts a spare in its place, so nobody is stuck.
# What learners believe at first: the rule of an operation must know the whole program (section 1:
# it knows only its own numbers), any order will do (section 4), and a second gradient replaces the
# first (section 5). To swap: the operation of the last section; every function of one or two
# numbers works, and `check("02.6", ...)` only compares your engine with PyTorch's gradient.

# %% [markdown]
# ## 1 · Part one: each operation knows its own rule
#
# Backward multiplies what it receives by a slope and sends it on. Which slope? That is all a
# **rule** has to say. It knows the numbers of its own operation, and nothing about the rest of the
# program. Here is the rule of `a + b`: if `a` grows by 1, the sum grows by 1. The same for `b`.

# %%
def add_rule(grad, a, b):
    return [grad * 1, grad * 1]


print(add_rule(5.0, 2.0, 3.0))

# %% [markdown]
# `grad` is the number received. The list holds what is sent to `a` and what is sent to `b`.
#
# **Exercise 02.1.** Write the rule of `a * b`.

# %% tags=["exercise"] exercise="02.1"
def mul_rule(grad, a, b):
    ...

# %% tags=["solution"] exercise="02.1"
def mul_rule(grad, a, b):
    return [grad * b, grad * a]

# %% tags=["check"] exercise="02.1"
written = check("02.1", mul_rule)
written

# %%
if not written:  # a spare, so that the lesson goes on; try yours again later
    def mul_rule(grad, a, b):
        return [grad * b, grad * a]

# %% [markdown]
# **Exercise 02.2.** Write the rule of `tanh(a)`: a list with one number. With y = tanh(a), the
# slope is 1 − y².

# %%
import math

# %% tags=["exercise"] exercise="02.2"
def tanh_rule(grad, a):
    ...

# %% tags=["solution"] exercise="02.2"
def tanh_rule(grad, a):
    y = math.tanh(a)
    return [grad * (1 - y * y)]

# %% tags=["check"] exercise="02.2"
written = check("02.2", tanh_rule)
written

# %%
if not written:
    def tanh_rule(grad, a):
        return [grad * (1 - math.tanh(a) ** 2)]

# %% [markdown]
# Do not believe a rule because it looks right. A difference quotient tests it (lesson 01):

# %%
h = 1e-6
print(round((math.tanh(0.5 + h) - math.tanh(0.5)) / h, 4), round(tanh_rule(1.0, 0.5)[0], 4))

# %% [markdown]
# ## 2 · Part two: forward leaves a graph
#
# In forward, each operation makes a new object. The object keeps its number, its **parents** (what
# it was made from), and its rule. That is the whole graph: nobody draws it, it is left behind.

# %%
class Value:
    def __init__(self, value, parents=(), local=None, op=""):
        self.value, self.parents, self.local, self.op = value, parents, local, op

    def rule(self, grad):
        """What each parent is sent."""
        return self.local(grad, *(parent.value for parent in self.parents))

    def __add__(self, other):
        return Value(self.value + other.value, (self, other), add_rule, "+")

    def __mul__(self, other):
        return Value(self.value * other.value, (self, other), mul_rule, "*")

    def tanh(self):
        return Value(math.tanh(self.value), (self,), tanh_rule, "tanh")


a = Value(2.0)
b = Value(3.0)
c = a * b
d = c + a
L = d * d
print(L.value, [parent.value for parent in L.parents], d.rule(16.0))

# %% [markdown]
# `L` is 64. Its two parents are both `d`. And `d`, asked for its rule with 16, would send 16 to `c`
# and 16 to `a`.

# %% [markdown]
# ## 3 · Part three: an order
#
# A rule needs the whole gradient of its object. `a` gets one number from `d` and one from `c`. So
# everything that **uses** an object must run before the object itself.
#
# **Exercise 02.3.** Write `order(root)`: a list of all objects behind `root`, `root` first, each
# object once, and each before its parents. A way that works: a function `visit(node)` that first
# visits the parents and then appends the node to a list, unless it is there already. Read
# backwards, the list is an order.

# %% tags=["exercise"] exercise="02.3"
def order(root):
    ...

# %% tags=["solution"] exercise="02.3"
def order(root):
    done = []

    def visit(node):
        if node not in done:
            for parent in node.parents:
                visit(parent)
            done.append(node)
    visit(root)
    return done[::-1]

# %% [markdown]
# The test: on three graphs, count the objects that are missing, stand there twice, or run before
# something that uses them.

# %%
def everything(root):
    found, todo = set(), [root]
    while todo:
        node = todo.pop()
        if node not in found:
            found.add(node)
            todo += node.parents
    return found


def misplaced(order, root):
    ran = order(root)
    if ran is None:
        return None
    nodes = everything(root)
    early = {parent for at, node in enumerate(ran) for parent in node.parents if parent in ran[:at]}
    return len(early) + abs(len(ran) - len(nodes)) + len(nodes - set(ran))


chain = Value(0.5).tanh().tanh().tanh()
ladder = Value(1.01)
for _ in range(12):
    ladder = ladder * ladder + ladder
graphs = {"chain": chain, "diamond": L, "ladder": ladder}

# %% tags=["check"] exercise="02.3"
written = check("02.3", {name: misplaced(order, root) for name, root in graphs.items()})
written

# %%
if not written:
    def order(root):
        done = []

        def visit(node):
            if node not in done:
                for parent in node.parents:
                    visit(parent)
                done.append(node)
        visit(root)
        return done[::-1]

# %% [markdown]
# ## 4 · Step your own engine
#
# The stepper does not ask who made an object. It asks for its parents, its value and its rule.
# `show_own` hands the gradients on; the rules and the order are yours.

# %%
from autodidact_widgets import show_own

# %% tags=["stepper", "nbval-ignore-output"]
mine = show_own(L, order=order)
mine

# %%
mine.finish()
print(mine.text())

# %% [markdown]
# `a` ends with 64 and `b` with 32, as in PyTorch.
#
# Now break the order. Let `c` run before `d`: then nothing has arrived at `c` yet, and it can only
# send 0. What arrives later is never sent on.
#
# **Exercise 02.4.** In the order `L`, `c`, `d`, `a`, `b`: what do `a` and `b` end with?

# %% tags=["exercise"] exercise="02.4"
broken = {"a": None, "b": None}

# %% tags=["solution"] exercise="02.4"
broken = {"a": 16.0, "b": 0.0}

# %% tags=["check"] exercise="02.4"
check("02.4", broken)

# %% [markdown]
# Step it. What is wrong is shown in red, with the number that was expected.

# %% tags=["stepper", "nbval-ignore-output"]
wrong = show_own(L, order=[L, c, d, a, b])
wrong

# %%
wrong.finish()
print(wrong.text())

# %% [markdown]
# **Explain.** No error, no warning: only numbers that are wrong. `d` sent 16 to `c`, but `c` had
# run already. An engine must never run a node too early, and nothing will tell it when it does.

# %% [markdown]
# ## 5 · Part four: the sum
#
# Now hand the gradients on yourself. `grads` holds what has arrived at each object so far.

# %%
def backward(root):
    grads = {root: 1.0}
    for node in order(root):
        if node.parents:
            for parent, sent in zip(node.parents, node.rule(grads[node])):
                grads[parent] = grads.get(parent, 0.0) + sent
    return grads


grads = backward(L)
print(grads[a], grads[b])

# %% [markdown]
# This is the engine. With the three rules, `Value` and `order` it has 34 lines, blank ones and the
# docstring left out. The other 66 of the hundred are yours to spend.
#
# **Exercise 02.5.** Predict: what if the last line of the loop were `grads[parent] = sent`, so that
# a new number takes the place of the old one? `L` sends 8 to `d`, twice. Each object sends to its
# parents from left to right. What do `d`, `a` and `b` end with?

# %% tags=["exercise"] exercise="02.5"
replaced = {"d": None, "a": None, "b": None}

# %% tags=["solution"] exercise="02.5"
replaced = {"d": 8.0, "a": 8.0 * 3, "b": 8.0 * 2}

# %% tags=["check"] exercise="02.5"
check("02.5", replaced)

# %%
def backward_that_replaces(root):
    grads = {root: 1.0}
    for node in order(root):
        if node.parents:
            grads.update(zip(node.parents, node.rule(grads[node])))
    return grads


grads = backward_that_replaces(L)
print(grads[d], grads[a], grads[b])

# %% [markdown]
# **Explain.** `L` grows through the left `d` and through the right `d`: 8 + 8. Whoever is used
# twice must add. This is the chain rule for several ways, and it is one `+` in the program.

# %% [markdown]
# ## 6 · Is it the same as PyTorch?
#
# The same program for both engines. It only uses `+`, `*` and `.tanh()`, so it runs on `Value` and
# on tensors.

# %%
def program(x, y):
    s = (x * y + x).tanh()
    return s * s + s * y


x, y = Value(0.3), Value(-0.8)
grads = backward(program(x, y))
print(f"mine  {grads[x]:.6f} {grads[y]:.6f}")

X = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
Y = torch.tensor(-0.8, dtype=torch.float64, requires_grad=True)
result = program(X, Y)
real = show(result)

# %% tags=["stepper", "nbval-ignore-output"]
real

# %%
real.finish()
print(f"torch {X.grad.item():.6f} {Y.grad.item():.6f}")

# %% [markdown]
# Equal to the sixth digit. Now look for differences. Predict: what happens when backward runs a
# second time on the same graph, in your engine and in PyTorch's?

# %%
root = program(x, y)
print("mine ", backward(root)[x] == backward(root)[x])
try:
    result.backward()
except RuntimeError as error:
    print("torch RuntimeError:", "second time" in str(error))

# %% [markdown]
# Yours keeps all its numbers for ever. PyTorch frees what it has saved as soon as a node has run,
# and refuses the second pass (lessons 06 and 07).
#
# And a long program: 5000 additions in a row.

# %%
total, Total = Value(1.0), torch.tensor(1.0, requires_grad=True)
start = Total
for _ in range(5000):
    total, Total = total + Value(1.0), Total + 1.0
Total.backward()
print("torch", start.grad.item())
try:
    order(total)
    print("mine  5001 nodes")
except RecursionError as error:
    print("mine ", type(error).__name__)

# %% [markdown]
# `visit` calls itself, once for each step down, and Python allows a few thousand such calls. The
# real engine does not visit; it counts (lesson 04).

# %% [markdown]
# ## 7 · It learns
#
# Are 34 lines enough to train a network? Here is one with two hidden values and nine weights. It
# shall learn "one or the other, but not both", with −1 for no and 1 for yes.
# Predict: how far does the loss come down in 100 steps, starting near 5.6?

# %%
weights = [Value(w) for w in (0.5, -0.6, 0.1, 0.7, 0.8, -0.2, 0.9, -0.8, 0.05)]
cases = [(-1.0, -1.0, -1.0), (-1.0, 1.0, 1.0), (1.0, -1.0, 1.0), (1.0, 1.0, -1.0)]


def network(x, y):
    w = weights
    left = (w[0] * x + w[1] * y + w[2]).tanh()
    right = (w[3] * x + w[4] * y + w[5]).tanh()
    return (w[6] * left + w[7] * right + w[8]).tanh()


def loss_of_all():
    loss = Value(0.0)
    for x, y, wanted in cases:
        error = network(Value(x), Value(y)) + Value(-wanted)
        loss = loss + error * error
    return loss


losses = []
for _ in range(101):
    loss = loss_of_all()
    losses.append(loss.value)
    grads = backward(loss)
    for weight in weights:
        weight.value -= 0.1 * grads[weight]
print([round(loss, 2) for loss in losses[::20]])

# %%
for x, y, wanted in cases:
    print(x, y, "wanted", wanted, "got", round(network(Value(x), Value(y)).value, 1))

# %%
from matplotlib.figure import Figure
from autodidact_widgets import picture

fig = Figure(figsize=(7.0, 3.0), layout="constrained")
ax = fig.subplots()
ax.plot(losses)
ax.set(xlabel="step", ylabel="loss", title="Your engine learns", ylim=(0, None))
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
picture(
    fig,
    alt="The loss over 100 steps: it starts at 5.6, falls slowly to about 4 in ten steps, then "
    "quickly to 0.25 at step 40, and creeps towards 0.03 at step 100.",
)

# %% [markdown]
# *Figure: the loss of the small network, trained by your engine.*
#
# Everything that PyTorch adds to this is for speed, memory and safety: arrays in place of numbers
# (lesson 03), an order without recursion (04), gradients that are kept in `.grad` (05), saved
# tensors that are freed (06, 07), a check that nobody changed them (09).

# %% [markdown]
# ## 8 · Your own experiment
#
# **What is the least program that can do backward?** A rule for each operation, parents, an order,
# and a sum. Show that nothing else is needed: add an operation without touching `order` or
# `backward`.
#
# **Exercise 02.6.** Give the engine a new operation: its rule, and a function that makes the
# `Value`. Here stands `exp`; choose another one if you like, such as `a / b` or `a - b`. Let `own`
# use it, on tensors with PyTorch's operation of the same name. The check compares the gradients of
# `x` and `y` by your engine with PyTorch's.

# %% tags=["exercise"] exercise="02.6"
def exp_rule(grad, a):
    return [None]  # what is sent to a


def exp(v):
    if isinstance(v, Value):
        return Value(math.exp(v.value), (v,), exp_rule, "exp")
    return v.exp()  # a tensor


def own(x, y):
    return exp(x * y) * x + y  # change this line

# %% tags=["solution"] exercise="02.6"
def exp_rule(grad, a):
    return [grad * math.exp(a)]


def exp(v):
    return Value(math.exp(v.value), (v,), exp_rule, "exp") if isinstance(v, Value) else v.exp()


def own(x, y):
    return exp(x * y) * exp(x) + y * y

# %%
def mine_and_torchs(own):
    """The gradients of x and y by both engines; None where a rule is not written."""
    x, y = Value(0.5), Value(-1.5)
    X, Y = (torch.tensor(v.value, dtype=torch.float64, requires_grad=True) for v in (x, y))
    own(X, Y).backward()
    try:
        grads = backward(own(x, y))
    except TypeError:
        return None
    return [[grads[x], grads[y]], [X.grad.item(), Y.grad.item()]]

# %% tags=["check"] exercise="02.6"
check("02.6", mine_and_torchs(own))
