# %% [markdown]
# # 16 · Debugging clinic
#
# **Question: what does the message really say?**
#
# Time: about 50 minutes. You need lessons 04 and 05; 07 and 09 help.
#
# Six patients stop with a famous error. You read what the message says, see in the stepper where
# the pass stopped, and repair each in at most two lines. Three more patients are worse: they say
# nothing and are wrong. You write the test that finds them. In the last cell you make a patient of
# your own.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 50 minutes; in 30, take one patient of each pair and section 5. Each repair
# is tried with hidden inputs, so numbers written in by hand fail. Let learners say aloud what a
# message claims before they look at the code: most read only its last sentence, which is often bad
# advice (patients 1 and 5). To swap: a patient is a program that returns numbers, and its line in
# the data of 16.1 to 16.3 holds inputs and right results. The messages here are autodidact's;
# PyTorch's have the same key words.

# %%
import textwrap


def admit(patient, *inputs):
    """Run a patient; print what it returns, or the message it stops with."""
    try:
        print("returns", patient(*inputs))
    except RuntimeError as error:
        print(textwrap.fill(f"{type(error).__name__}: {error}", 88))

# %% [markdown]
# ## 1 · The pass comes back to something that is gone
#
# **Patient 1.** Two losses over one shared part. `again` wants the gradient of both together.
# Predict: which line stops?

# %%
def again(x):
    w = torch.tensor(x, requires_grad=True)
    shared = w * w
    one = shared * 3
    two = shared * shared
    one.backward()
    two.backward()
    return w.grad.item()

# %% tags=["message"]
admit(again, 2.0)

# %% [markdown]
# `two.backward()` stopped, and yet it is the first pass through `two`. Look where:

# %%
w = torch.tensor(2.0, requires_grad=True)
shared = w * w
one = shared * 3
two = shared * shared
one.backward()

# %% tags=["stepper", "nbval-ignore-output"]
patient = show(two)
patient

# %% tags=["stepper"]
try:
    patient.finish()
except RuntimeError:
    print(patient.text())

# %% [markdown]
# **What it really says.** Not "you called backward twice", but: a node was reached that has given
# up what it saved. `two` ran. `shared` did not: the pass of `one` had been there (lesson 07).
#
# The advice at the end, `retain_graph=True`, works. It is not always the best cure: if both losses
# are there, `(one + two).backward()` does it in one pass.
#
# **Patient 2.** `changed` adds 1 to `y` in place. Predict: does the line `y += 1` stop?

# %%
def changed(x):
    w = torch.tensor(x, requires_grad=True)
    y = w * 2
    z = y * y
    y += 1
    total = z + y
    total.backward()
    return w.grad.item()

# %% tags=["message"]
admit(changed, 2.0)

# %%
w = torch.tensor(2.0, requires_grad=True)
y = w * 2
z = y * y
y += 1
total = z + y

# %% tags=["stepper", "nbval-ignore-output"]
patient = show(total)
patient

# %% tags=["stepper"]
try:
    patient.finish()
except RuntimeError:
    print(patient.text())

# %% [markdown]
# **What it really says.** `z = y * y` saved `y` in version 0. Backward found version 1. The line
# that did it stands in no traceback, for it ran long before; the stepper has noted it. "Output 0 of
# Add" is not the line that saved `y`, but the one that changed it (lesson 09).
#
# **Exercise 16.1.** The next two cells hold the two patients once more. Repair them there: change
# at most two lines in each. The check tries other inputs.

# %% tags=["exercise"] exercise="16.1"
def again_repaired(x):
    w = torch.tensor(x, requires_grad=True)
    shared = w * w
    one = shared * 3
    two = shared * shared
    one.backward()
    two.backward()
    return w.grad.item()

# %% tags=["solution"] exercise="16.1"
def again_repaired(x):
    w = torch.tensor(x, requires_grad=True)
    shared = w * w
    one = shared * 3
    two = shared * shared
    (one + two).backward()
    return w.grad.item()

# %% tags=["exercise"] exercise="16.1"
def changed_repaired(x):
    w = torch.tensor(x, requires_grad=True)
    y = w * 2
    z = y * y
    y += 1
    total = z + y
    total.backward()
    return w.grad.item()

# %% tags=["solution"] exercise="16.1"
def changed_repaired(x):
    w = torch.tensor(x, requires_grad=True)
    y = w * 2
    z = y * y
    y = y + 1
    total = z + y
    total.backward()
    return w.grad.item()

# %% tags=["check"] exercise="16.1"
check("16.1", {"again_repaired": again_repaired, "changed_repaired": changed_repaired})

# %% [markdown]
# ## 2 · The pass cannot begin
#
# **Patient 3.** `cut` wants the slope of (3·w)². Predict: which line is guilty, and is it the line
# that stops?

# %%
def cut(x):
    w = torch.tensor(x, requires_grad=True)
    y = w.detach() * 3
    loss = y * y
    loss.backward()
    return w.grad.item()

# %% tags=["message"]
admit(cut, 2.0)

# %%
w = torch.tensor(2.0, requires_grad=True)
y = w.detach() * 3
loss = y * y
print(w.requires_grad, y.requires_grad, loss.requires_grad)

# %% tags=["stepper"]
print(show(loss))

# %% [markdown]
# **What it really says.** "Element 0 of tensors" is `loss`. It has no graph: somewhere between `w`
# and `loss` the recording was off. Print `requires_grad` line by line, and the first `False` is the
# guilty one. Here it is `detach()`; just as often it is `torch.no_grad()`, `.item()`, or a tensor
# made anew with `torch.tensor(...)`.
#
# **Patient 4.** `many` wants the gradient of the sum of squares. Predict: what is missing?

# %%
def many(numbers):
    w = torch.tensor(numbers, requires_grad=True)
    loss = w ** 2
    loss.backward()
    return w.grad.tolist()

# %% tags=["message"]
admit(many, [1.0, 2.0, 3.0])

# %% tags=["stepper"]
w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
loss = w ** 2
print(show(loss))

# %% [markdown]
# **What it really says.** A pass starts with the number 1 at its root, since dL/dL = 1. A root of
# three numbers has no such 1: which of the three do you mean, or what mixture (lesson 04)?
# "Implicitly created" is that 1.
#
# **Exercise 16.2.** Repair both, in at most two lines each.

# %% tags=["exercise"] exercise="16.2"
def cut_repaired(x):
    w = torch.tensor(x, requires_grad=True)
    y = w.detach() * 3
    loss = y * y
    loss.backward()
    return w.grad.item()

# %% tags=["solution"] exercise="16.2"
def cut_repaired(x):
    w = torch.tensor(x, requires_grad=True)
    y = w * 3
    loss = y * y
    loss.backward()
    return w.grad.item()

# %% tags=["exercise"] exercise="16.2"
def many_repaired(numbers):
    w = torch.tensor(numbers, requires_grad=True)
    loss = w ** 2
    loss.backward()
    return w.grad.tolist()

# %% tags=["solution"] exercise="16.2"
def many_repaired(numbers):
    w = torch.tensor(numbers, requires_grad=True)
    loss = (w ** 2).sum()
    loss.backward()
    return w.grad.tolist()

# %% tags=["check"] exercise="16.2"
check("16.2", {"cut_repaired": cut_repaired, "many_repaired": many_repaired})

# %% [markdown]
# ## 3 · The leaf is not what you think
#
# **Patient 5.** `unused` shall give the gradients of (w·x + b)² at w = 2 and b = 1. Predict: does
# the message name the right cure?

# %%
def unused(x):
    w = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    s = w * x
    grads = torch.autograd.grad(s * s, [w, b])
    return [grad.item() for grad in grads]

# %% tags=["message"]
admit(unused, 3.0)

# %% [markdown]
# **What it really says.** No way leads from the root to one of the tensors you asked for. `b` was
# made and then forgotten: `s` should be `w * x + b`. Do as the message says, and you get None for
# `b`, and a `w` that is wrong as well:

# %%
w, b = torch.tensor(2.0, requires_grad=True), torch.tensor(1.0, requires_grad=True)
s = w * 3.0
obeyed = torch.autograd.grad(s * s, [w, b], allow_unused=True)
s = w * 3.0 + b
right = torch.autograd.grad(s * s, [w, b])
print("obeyed", [grad and grad.item() for grad in obeyed])
print("right ", [grad.item() for grad in right])

# %% [markdown]
# `backward()` would not even have complained: it visits the leaves that it finds. So `b.grad` would
# stay None, quietly.
#
# **Patient 6.** `descend` makes one step of gradient descent. Predict: which line stops, and is
# there any backward left to run at that time?

# %%
def descend(x):
    w = torch.tensor(x, requires_grad=True)
    loss = (w * 3) ** 2
    loss.backward()
    w -= 0.01 * w.grad
    return w.item()

# %% tags=["message"]
admit(descend, 2.0)

# %% [markdown]
# **What it really says.** It is a forward line that stops. Recorded, `w -= ...` would make `w` the
# result of an operation, and `w` would be no leaf any more; a leaf that asks for its gradient must
# stay what it is. Between two passes you mean no recording: say so with `torch.no_grad()`.
#
# No pass stops here, so `show` has nothing to show. `clinic` takes the whole patient: it runs it,
# stands where it stopped, marks the lines, and names repairs. "Repair and retry" runs it again.

# %% tags=["stepper", "nbval-ignore-output"]
from autodidact_widgets import clinic

ward = clinic(descend, 2.0)
ward

# %% tags=["stepper"]
print(ward.text())

# %% [markdown]
# **Exercise 16.3.** Repair both. For patient 5, give what was meant, (w·x + b)².

# %% tags=["exercise"] exercise="16.3"
def unused_repaired(x):
    w = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    s = w * x
    grads = torch.autograd.grad(s * s, [w, b])
    return [grad.item() for grad in grads]

# %% tags=["solution"] exercise="16.3"
def unused_repaired(x):
    w = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(1.0, requires_grad=True)
    s = w * x + b
    grads = torch.autograd.grad(s * s, [w, b])
    return [grad.item() for grad in grads]

# %% tags=["exercise"] exercise="16.3"
def descend_repaired(x):
    w = torch.tensor(x, requires_grad=True)
    loss = (w * 3) ** 2
    loss.backward()
    w -= 0.01 * w.grad
    return w.item()

# %% tags=["solution"] exercise="16.3"
def descend_repaired(x):
    w = torch.tensor(x, requires_grad=True)
    loss = (w * 3) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    return w.item()

# %% tags=["check"] exercise="16.3"
check("16.3", {"unused_repaired": unused_repaired, "descend_repaired": descend_repaired})

# %% [markdown]
# ## 4 · The card for the wall
#
# | words of the message | it says | look for | lesson |
# |---|---|---|---|
# | second time | a node has let go of what it saved | two passes over a shared part | 07 |
# | modified by an inplace operation | a saved tensor was changed | `+=`, `x[0] =`, `add_` | 09 |
# | does not require grad | the root has no graph | `detach`, `no_grad`, `.item()` | 06 |
# | only for scalar outputs | the root has several numbers | a missing `sum` or `mean` | 04 |
# | not have been used in the graph | no way leads to that tensor | a forgotten term | 05 |
# | leaf Variable that requires grad | a recorded write into a leaf | a missing `no_grad` | 09 |

# %% [markdown]
# ## 5 · Three who say nothing
#
# Each patient below takes a number and returns two: a value, and the slope of that value. One is
# healthy. The others return wrong slopes, without any message.

# %%
def healthy(x):
    w = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    loss = (w * 3) ** 2
    loss.backward()
    return loss.item(), w.grad.item()


kept = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)


def forgetful(x):
    with torch.no_grad():
        kept.fill_(x)
    loss = (kept * 3) ** 2
    loss.backward()
    return loss.item(), kept.grad.item()


def sly(x):
    w = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = w * 3
    loss = y * y
    y.data += 1.0
    loss.backward()
    return loss.item(), w.grad.item()

# %% [markdown]
# The last patient returns a slope and the slope of that slope. Its function is x³ + x², and the
# x³ comes from an operation that somebody wrote by hand, for one backward pass only.

# %%
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w ** 3

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        (w,) = ctx.saved_tensors
        return grad * 3 * w ** 2


def shortened(x):
    w = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    total = Cube.apply(w) + w ** 2
    (slope,) = torch.autograd.grad(total, w, create_graph=True)
    slope.backward()
    return slope.item(), w.grad.item()


for patient in (healthy, forgetful, sly, shortened):
    print(f"{patient.__name__:10}", patient(2.0))

# %% [markdown]
# Four pairs of numbers that look alike. Which can you trust? You have an instrument that knows
# nothing of autograd: the difference quotient (lesson 01). The value of a patient a little to the
# right, less its value a little to the left, gives its slope.
#
# **Exercise 16.4.** Write `honest(patient)`: True if the slope that `patient(x)` returns agrees
# with the central difference quotient of its values, for several `x`, else False. The numbers are
# float64, so a step of 1e-5 is good. One `x` is not enough: why?

# %% tags=["exercise"] exercise="16.4"
def honest(patient):
    ...

# %% tags=["solution"] exercise="16.4"
def honest(patient):
    h, ok = 1e-5, True
    for x in (2.0, -1.0, 0.5):
        slope = patient(x)[1]
        measured = (patient(x + h)[0] - patient(x - h)[0]) / (2 * h)
        ok = ok and abs(measured - slope) < 1e-4 * (1 + abs(slope))
    return ok

# %%
def cheerful(x):
    """Healthy, too: a test that finds everybody ill is of no use."""
    w = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    loss = torch.sin(w) * w
    loss.backward()
    return loss.item(), w.grad.item()


def verdicts(honest):
    kept.grad = None  # forgetful begins afresh
    ward = (healthy, cheerful, forgetful, sly, shortened)
    return {patient.__name__: honest(patient) for patient in ward}

# %% tags=["check"] exercise="16.4"
check("16.4", verdicts(honest))

# %% [markdown]
# **What they hide, and the repair.**
#
# * `forgetful` never empties `kept.grad`. The first call is right, the second adds to the first
#   (lesson 05). In a training loop this is the missing `zero_grad()`. Repair: `kept.grad = None`.
# * `sly` changes a saved tensor through `.data`. PyTorch's text on saved tensors promises that such
#   a change is noticed, but `.data` counts its versions apart, so torch 2.13 does not notice
#   (lesson 09). Repair: write `y += 1.0`, and you get patient 2's message. A loud error is the
#   better half of a cure; `y = y + 1.0` is the other.
# * `shortened` loses the part of `Cube` in the second derivative: 2 in place of 6·x + 2. The text
#   says that `once_differentiable` makes a second backward an error. With torch 2.13 the error does
#   not come when another term carries the graph (lesson 12). Repair: take the decorator away; this
#   backward can be differentiated.
#
# The clinic finds these three as well, for it looks at more than exceptions:

# %% tags=["stepper"]
print(clinic(sly, 2.0).text())

# %%
def forgetful_repaired(x):
    kept.grad = None
    return forgetful(x)


def sly_repaired(x):
    w = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    y = w * 3
    loss = y * y
    y = y + 1.0
    loss.backward()
    return loss.item(), w.grad.item()


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w ** 3

    @staticmethod
    def backward(ctx, grad):
        (w,) = ctx.saved_tensors
        return grad * 3 * w ** 2


for patient in (forgetful_repaired, sly_repaired, shortened):
    print(f"{patient.__name__:18}", [round(number, 6) for number in patient(2.0)])

# %% [markdown]
# How does a missing `zero_grad()` look from outside? Predict the curve of the loss: does it still
# fall?

# %%
def losses(forget):
    w, seen = torch.tensor(0.0, requires_grad=True), []
    for _ in range(40):
        loss = (w - 3.0) ** 2
        seen.append(loss.item())
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        if not forget:
            w.grad = None
    return seen


print("emptied  ", [round(loss, 2) for loss in losses(forget=False)[::8]])
print("forgotten", [round(loss, 2) for loss in losses(forget=True)[::8]])

# %%
from matplotlib.figure import Figure
from autodidact_widgets import picture

fig = Figure(figsize=(7.0, 3.2), layout="constrained")
ax = fig.subplots()
ax.plot(losses(forget=False), label="emptied after each step")
ax.plot(losses(forget=True), "--", label="never emptied")
ax.set(xlabel="step", ylabel="loss", title="One line is missing", ylim=(-0.5, 12))
ax.legend(ncols=2, loc="upper center")
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
picture(
    fig,
    alt="The loss over 40 steps, two curves from 9. One falls to nearly 0 in about 15 steps and "
    "stays there. The other falls to 0 in 3 steps, rises to 9 again in 3 more, and swings on "
    "like this to the end.",
)

# %% [markdown]
# *Figure: with the old gradients added in, each step still feels all earlier ones. The loss comes
# down, runs past the bottom, and swings.*

# %% [markdown]
# ## 6 · Your own experiment
#
# **What does the message really say?** You know it when you can bring it about.
#
# **Exercise 16.5.** Write a program `mine()` that stops with one of the six messages, in a way that
# none of the six patients used. Predict its words: one of those printed below.

# %%
famous = [
    "second time",
    "modified by an inplace operation",
    "does not require grad and does not have a grad_fn",
    "only for scalar outputs",
    "not have been used in the graph",
    "leaf Variable that requires grad",
]


def words_of(program):
    """Which famous words a program stops with; None if it does nothing."""
    try:
        result = program()
    except RuntimeError as error:
        return next((words for words in famous if words in str(error)), "other words")
    return None if result in (None, ...) else "no error"


print("\n".join(famous))

# %% tags=["exercise"] exercise="16.5"
def mine():
    ...


predicted = None

# %% tags=["solution"] exercise="16.5"
def mine():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    y = w.exp()
    y[0] = 5.0
    y.sum().backward()
    return w.grad


predicted = "modified by an inplace operation"

# %% tags=["check"] exercise="16.5"
check("16.5", [predicted, words_of(mine)])
