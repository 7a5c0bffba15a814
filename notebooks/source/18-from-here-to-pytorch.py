# %% [markdown]
# # 18 · From here to PyTorch
#
# **Question: does it all hold for a model of your own?**
#
# Time: about 40 minutes. You need lessons 04 and 09; 16 helps.
#
# So far the pass that you stopped was autodidact's. Here it is PyTorch's own: its engine, written
# in C++, held before each node. You step a model, find out where a real one went wrong, catch the
# first NaN where it is made, and lay both engines side by side. In the last cell you step a model
# of your own.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check
from autodidact_widgets import compare

# %% [markdown]
# The next cell puts PyTorch in autodidact's place. Where PyTorch is not installed (in a browser
# without a kernel it never is), it says so, and the lesson goes on with the same programs.

# %% tags=["nbval-ignore-output"]
try:
    import torch
except ImportError:
    print("PyTorch is not installed here: every cell below runs on autodidact, with equal numbers.")
nn = torch.nn

# %% [markdown] tags=["teacher"]
# **For the teacher.** 40 minutes; in 25, leave out section 4. The lesson is for learners who train
# models of their own: let them bring one, and take it in section 1 in place of `Net`. To swap the
# model of section 2 or 3, change the numbers of 18.3 or 18.5 in the data of the checks. Without
# PyTorch every cell runs on autodidact: numbers, nodes and their order are the same, only the
# messages have other words at their ends, and the stepper knows lines and formulas in addition.
# What learners believe at first: that the last layer's weight is the first to get its gradient
# (18.1), that the message names the guilty line (18.2), and that the node where a NaN appears is
# the one to repair (18.4).

# %% [markdown]
# ## 1 · Your model in the stepper
#
# A model as you would write it for PyTorch.

# %%
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(2, 3)
        self.out = nn.Linear(3, 1)

    def forward(self, x):
        return self.out(torch.tanh(self.hidden(x)))

# %%
torch.manual_seed(0)
net = Net()
x = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 1.0], [2.0, 2.0]])
target = torch.tensor([[1.0], [0.0], [1.0], [0.0]])


def squared_error():
    return ((net(x) - target) ** 2).mean()


print(f"{squared_error().item():.4f}")

# %% [markdown]
# Four parameters wait for a gradient: `hidden.weight`, `hidden.bias`, `out.weight`, `out.bias`. Two
# things help: a leaf runs as soon as all of its gradient has arrived (lesson 04), and a `Linear`
# multiplies by its weight **transposed**, which is a node of its own.
#
# **Exercise 18.1.** In what order do the four receive their `.grad`?

# %% tags=["exercise"] exercise="18.1"
order = [None, None, None, None]

# %% tags=["solution"] exercise="18.1"
order = ["out.bias", "out.weight", "hidden.bias", "hidden.weight"]

# %% tags=["check"] exercise="18.1"
check("18.1", order)

# %% [markdown]
# Now step. With `module=` a parameter is called by its path, and with a **function** in place of
# the loss the forward pass runs under the stepper's eyes: each node then knows its module.

# %% tags=["stepper", "nbval-ignore-output"]
stepper = show(module=net, loss=squared_error)
stepper

# %% tags=["stepper"]
stepper.finish()
print(stepper.text())

# %%
stepper.finish()
for name, weight in net.named_parameters():
    print(f"{name:14}", *(f"{number:8.4f}" for number in weight.grad.reshape(-1).tolist()))

# %% [markdown]
# **Explain.** These are the numbers of `loss.backward()`, to the last bit: under PyTorch it **was**
# `loss.backward()`. It runs in a thread of its own, and a hook before every node lets it wait for
# you. So hooks, freeing and `.grad` are real, and a pass that you close half way leaves nothing
# behind.
#
# | | autodidact | PyTorch in the stepper |
# |---|---|---|
# | nodes, order, numbers, freeing | yes | the same, from its own engine |
# | the line that made a node | yes | under `torch.autograd.set_detect_anomaly(True)` |
# | a node's formula | yes | not visible here: it is C++ |
# | hooks | listed, each an event | they fire; what they change is an event |
# | step back | in the record | in the record |
# | change a gradient | on a copy: `edit(...)` | on a copy, or in the pass: `replace(...)` |
#
# In a training loop of yours, `with autodidact.debug():` stops every `backward()` inside it in the
# same way, PyTorch's as well.

# %% [markdown]
# ## 2 · An error in a real model
#
# This model adds its input to what the inner layer makes of it, a *residual connection*. One line
# was written to save memory. Predict: which line will stop?

# %%
class Residual(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.outer = nn.Linear(2, 1)

    def forward(self, x):
        h = torch.tanh(self.inner(x))
        h += x
        return self.outer(h)

# %% tags=["message"]
torch.manual_seed(0)
model = Residual()
loss = (model(x) ** 2).mean()
try:
    loss.backward()
except RuntimeError as error:
    print(str(error).split(". ")[0])

# %% [markdown]
# `backward()` stopped; the message names no line of `forward`. It names an output, two versions and
# an operation. See where in the pass that was.

# %% tags=["stepper", "nbval-ignore-output"]
torch.manual_seed(0)
model = Residual()
stepper = show(module=model, loss=lambda: (model(x) ** 2).mean())
stepper

# %% tags=["stepper"]
try:
    stepper.finish()
except RuntimeError:
    print(stepper.text())

# %% [markdown]
# **Exercise 18.2.** Read it off: the class of the node that stopped (without its number), the
# version at which it had saved its result, the version now, and how many of the four parameters had
# their gradient by then.

# %% tags=["exercise"] exercise="18.2"
clue = {"node": None, "saved": None, "now": None, "parameters": None}

# %% tags=["solution"] exercise="18.2"
clue = {"node": "TanhBackward0", "saved": 0, "now": 1, "parameters": 2}

# %% tags=["check"] exercise="18.2"
check("18.2", clue)

# %% [markdown]
# **Explain.** The slope of tanh is 1 - tanh², so its node saves its own result, `h`, in version 0.
# `h += x` writes into that very tensor. The forward pass does not mind; the node does, much later.
# Had the inner function been a `relu`, the same line would pass or stop depending on what that
# function keeps (lesson 06).
#
# An optimizer that steps now would change two of four parameters, if you caught the error and went
# on: two have their new gradient, two have none.
#
# **Exercise 18.3.** Repair `forward`. The check makes a fresh model and compares all gradients.

# %%
def gradients(make):
    """A fresh model's gradients in thousandths; None for those that the pass never reached."""
    torch.manual_seed(0)
    model = make()
    try:
        (model(x) ** 2).mean().backward()
    except RuntimeError:
        pass
    found = [(name, weight.grad) for name, weight in model.named_parameters()]
    return {name: None if g is None else torch.round(g * 1000).tolist() for name, g in found}

# %% tags=["exercise"] exercise="18.3"
class Repaired(Residual):
    def forward(self, x):
        h = torch.tanh(self.inner(x))
        h += x
        return self.outer(h)

# %% tags=["solution"] exercise="18.3"
class Repaired(Residual):
    def forward(self, x):
        h = torch.tanh(self.inner(x))
        h = h + x
        return self.outer(h)

# %% tags=["check"] exercise="18.3"
check("18.3", gradients(Repaired))

# %% [markdown]
# ## 3 · Where does the NaN come from?
#
# A model that learns a distance: two points go through the same layer, and the root of the summed
# squares is taken. Its loss looks harmless.

# %%
class Distance(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(2, 2)

    def forward(self, a, b):
        d = self.embed(a) - self.embed(b)
        return (d * d).sum(1).sqrt()

# %%
torch.manual_seed(0)
model = Distance()
a = torch.tensor([[1.0, 2.0], [3.0, -1.0]])
b = torch.tensor([[1.0, 2.0], [0.0, 1.0]])
loss = model(a, b).mean()
loss.backward()
print(f"loss {loss.item():.4f}", model.embed.weight.grad.tolist())

# %% [markdown]
# The loss is a number, and every gradient is NaN. One step of an optimizer, and the whole model is.
# Printing the gradients layer by layer tells that they are NaN, not who began. A breakpoint does:
# it stops at the first node that **makes** a NaN of something that was none.

# %%
model.zero_grad()
loss = model(a, b).mean()

# %% tags=["stepper", "nbval-ignore-output"]
stepper = show(loss, module=model)
stepper.break_at(nan=True)
stepper.run_to_break()
stepper

# %% tags=["stepper"]
print(stepper.text())

# %% [markdown]
# **Exercise 18.4.** Which node made the first NaN? It multiplied an infinity by zero, so look at
# what it received: which node, two rows above, had made the infinity? Give the classes of both.

# %% tags=["exercise"] exercise="18.4"
culprits = {"made the NaN": None, "made the infinity": None}

# %% tags=["solution"] exercise="18.4"
culprits = {"made the NaN": "MulBackward0", "made the infinity": "SqrtBackward0"}

# %% tags=["check"] exercise="18.4"
check("18.4", culprits)

# %%
stepper.finish()
print(model.embed.weight.grad.tolist())

# %% [markdown]
# **Explain.** The slope of the root is 1 / (2·√s), and the first pair is one point twice: s = 0,
# and the slope is infinite. Behind the root stands a square, whose slope there is 0. Mathematics
# could take the limit of the product; floating-point arithmetic says ∞ · 0 = NaN.
#
# So the place to repair is not the node with the NaN, but the one before it that made the infinity.
# `torch.where(s > 0, s.sqrt(), 0)` does not help: the branch not taken still sends back its ∞,
# times zero.
#
# **Exercise 18.5.** Write `forward` so that equal points send back a gradient of 0 and the other
# distances stay as they are, to four digits.

# %%
def trained_on(make):
    """The loss of a fresh model on the pairs above, and its gradient in thousandths."""
    torch.manual_seed(0)
    model = make()
    loss = model(a, b).mean()
    loss.backward()
    slopes = torch.round(model.embed.weight.grad * 1000)
    finite = bool(torch.isfinite(slopes).all())
    return {"loss": round(loss.item(), 4), "gradient": slopes.tolist() if finite else None}

# %% tags=["exercise"] exercise="18.5"
class Safe(Distance):
    def forward(self, a, b):
        d = self.embed(a) - self.embed(b)
        return (d * d).sum(1).sqrt()

# %% tags=["solution"] exercise="18.5"
class Safe(Distance):
    def forward(self, a, b):
        d = self.embed(a) - self.embed(b)
        return ((d * d).sum(1) + 1e-12).sqrt()

# %% tags=["check"] exercise="18.5"
check("18.5", trained_on(Safe))

# %% [markdown]
# ## 4 · Two engines side by side
#
# The same program, once with each library. One Step moves both, and the view names the first
# difference, if there is one. Predict: will there be?

# %%
import autodidact


def residual_of(library):
    """A residual connection, repaired, on either library."""
    w = library.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
    x = library.tensor([1.0, 2.0])
    h = library.tanh(w @ x)
    y = h + x
    loss = (y * y).sum()
    return show(loss)

# %% tags=["stepper", "nbval-ignore-output"]
both = compare(residual_of(torch), residual_of(autodidact))
both

# %% tags=["stepper"]
both.finish()
print(both.text())

# %%
both.finish()
print(both.comparison.differences())

# %% [markdown]
# **Explain.** An empty list: the same nodes in the same order, the same numbers, freed at the same
# steps. That is why what you have learned holds. Sums may be added in another order, so the last
# digit of a float32 can differ; that counts as the same.

# %% [markdown]
# ## 5 · Your own experiment
#
# **Does it all hold for a model of your own?**
#
# **Exercise 18.6.** Write `mine()`: it returns a model with at least two parameters, and a function
# that gives its loss. Predict the name of the parameter that gets its gradient first.

# %%
def first_written(mine):
    """Step the pass of `mine()` until a parameter has its gradient; the parameter's name."""
    made = mine()
    if made is None or made is ...:
        return None
    stepper = show(module=made[0], loss=made[1])
    while not stepper.done:
        stepper.step()
        written = [n for n, weight in made[0].named_parameters() if weight.grad is not None]
        if written:
            stepper.finish()
            return written[0]

# %% tags=["exercise"] exercise="18.6"
def mine():
    ...


predicted = None

# %% tags=["solution"] exercise="18.6"
def mine():
    model = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 2, bias=False))
    return model, lambda: (model(x) ** 2).sum()


predicted = "2.weight"

# %% tags=["check"] exercise="18.6"
check("18.6", [predicted, first_written(mine)])
