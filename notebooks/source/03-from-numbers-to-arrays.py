# %% [markdown]
# # 03 · From numbers to arrays
#
# **Question: why is the gradient of a bias a sum?**
#
# Time: about 45 minutes. You need lesson 00 and the product of two matrices. Lesson 02 helps.
#
# An operation on arrays is many operations on numbers. You write the rules of three of them, for
# whole arrays at once, and `gradcheck` tries them. In the last cell you predict the gradient of a
# bias in a layer of your own.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 45 minutes; in 30, leave out sections 2 and 6. The ten puzzles of 03.3 are a
# good quiz for the whole room; write others with `uses(left, right)`. What learners believe at
# first: the gradient has the shape of the result (section 1: it has the shape of the input), a
# Jacobian is computed somewhere (section 2), and `mean` and `sum` have the same rule (section 5).
# Where a learner's rule is not finished, a spare takes its place. To swap: the layer of the last
# section; `check("03.6", ...)` compares the prediction with `.grad` only.

# %% [markdown]
# ## 1 · One bias, many uses
#
# A linear layer: two rows of three numbers go in, two rows of two numbers come out. The bias has
# only two numbers. In forward it is added to each row: it is **broadcast**.

# %%
x = torch.tensor([[1.0, -1.0, 2.0], [0.0, 1.0, 1.0]])
W = torch.tensor([[1.0, 0.0], [2.0, -1.0], [0.0, 1.0]], requires_grad=True)
bias = torch.tensor([0.5, -0.5], requires_grad=True)
m = x @ W
s = m + bias
print(m.tolist(), "+", bias.tolist(), "=", s.tolist())

# %% [markdown]
# Number by number, `m + bias` is four additions, and `bias[0]` takes part in two of them.
# Whoever is used twice adds what comes back (lesson 00).
#
# **Exercise 03.1.** Say the four numbers of `s` receive [[10, 20], [3, 4]]. What does `bias`
# receive?

# %% tags=["exercise"] exercise="03.1"
received = [None, None]

# %% tags=["solution"] exercise="03.1"
received = [10.0 + 3.0, 20.0 + 4.0]

# %% tags=["check"] exercise="03.1"
check("03.1", received)

# %%
s.backward(torch.tensor([[10.0, 20.0], [3.0, 4.0]]))
print(bias.grad)

# %% [markdown]
# `gradient=` says what `s` receives. Here the shape must be exact: what forward would have
# broadcast, backward refuses.

# %%
try:
    (x @ W + bias).backward(torch.tensor([1.0, 1.0]))
except RuntimeError as error:
    print("RuntimeError:", "Mismatch in shape" in str(error))

# %% [markdown]
# A gradient always has the shape of what it belongs to: `bias.grad` the shape of `bias`. Otherwise
# `bias -= 0.1 * bias.grad` could not work.

# %% [markdown]
# ## 2 · A matrix that nobody builds
#
# Four numbers go into `y = v * v`, four come out. All slopes of all outputs for all inputs are a
# table of 16 numbers, the **Jacobian**. Ask for one row at a time: send 1 to one output, 0 to
# the others.

# %%
v = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
rows = []
for one_hot in torch.eye(4):
    (row,) = torch.autograd.grad(v * v, v, one_hot)
    rows.append(row)
jacobian = torch.stack(rows)
print(jacobian)

# %% [markdown]
# Backward sends one array of four numbers in and gets four numbers out: the weights times the
# table. This is a **vector-Jacobian product**, and a rule of an operation is a short way to it.

# %%
weights = torch.tensor([1.0, 10.0, 100.0, 1000.0])
(sent,) = torch.autograd.grad(v * v, v, weights)
print((weights @ jacobian).tolist())
print(sent.tolist(), (weights * 2 * v).tolist())

# %% [markdown]
# The same three times. The last one, `weights * 2 * v`, is the rule: four multiplications, and no
# table. **Change.** Predict how many numbers the table of `v * v` has for a million inputs. The
# rule still has a million multiplications.

# %% [markdown]
# ## 3 · What is stretched in forward is summed in backward
#
# Broadcasting has two moves. Missing axes are added on the left, and axes of length 1 are
# stretched. (4,) + (3, 4) adds an axis; (3, 1) + (3, 4) stretches one. Either way one number is
# used many times. So there is one rule for both: **sum over the stretched axes**.
#
# **Exercise 03.2.** Write `shrink(grad, shape)`: sum `grad` until it has `shape`. First sum over
# axes that `shape` does not have: `grad.sum(0)` takes the leftmost away. Then over axes where
# `shape` has a 1: `grad.sum(axis, keepdim=True)` leaves a 1.

# %% tags=["exercise"] exercise="03.2"
def shrink(grad, shape):
    ...

# %% tags=["solution"] exercise="03.2"
def shrink(grad, shape):
    while grad.ndim > len(shape):
        grad = grad.sum(0)
    for axis, length in enumerate(shape):
        if length == 1:
            grad = grad.sum(axis, keepdim=True)
    return grad

# %% tags=["check"] exercise="03.2"
written = check("03.2", shrink)
written

# %%
if not written:  # a spare, so that the lesson goes on; try yours again later
    def shrink(grad, shape):
        extra = list(range(grad.ndim - len(shape)))
        ones = [axis - len(shape) for axis, length in enumerate(shape) if length == 1]
        axes = extra + [axis + grad.ndim for axis in ones]
        return (grad.sum(axes) if axes else grad).reshape(list(shape))

# %%
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from autodidact_widgets import picture


def squares(ax, lines, title, first_copy):
    """Lines of numbers as squares; from line first_copy on they are copies, drawn pale."""
    for i, line in enumerate(lines):
        ink, edge = ("black", "tab:blue") if i < first_copy else ("0.5", "0.8")
        for j, number in enumerate(line):
            ax.add_patch(Rectangle((j - 0.45, -i - 0.45), 0.9, 0.9, fill=False, edgecolor=edge))
            ax.text(j, -i, number, color=ink, ha="center", va="center")
    ax.set(title=title, xlim=(-0.6, 3.6), ylim=(-2.6, 0.6), aspect="equal")
    ax.axis("off")


fig = Figure(figsize=(7.6, 2.6), layout="constrained")
left, middle, right = fig.subplots(1, 3)
squares(left, ["abcd"] * 3, "forward: 1 line becomes 3", 1)
squares(middle, [[1, 2, 3, 4], [10, 20, 30, 40], [5, 5, 5, 5]], "backward: 3 lines arrive", 3)
squares(right, [[16, 27, 38, 49]], "sent: their sum, 1 line", 3)

# %% tags=["nbval-ignore-output"]
picture(
    fig,
    alt="Three tables of squares. Left: the line a b c d, with two pale copies below it. Middle: "
    "three lines of numbers, 1 2 3 4, then 10 20 30 40, then 5 5 5 5. Right: one line with the "
    "sums of the columns, 16 27 38 49.",
)

# %% [markdown]
# *Figure: a bias of four numbers, added to three rows. Each copy that forward made is one use, and
# what comes back to the copies is summed.*
#
# **Exercise 03.3.** Ten puzzles. `x` has the left shape, `y` the right one. In `x + y`, how often
# is each number of `x` used?
#
# | puzzle | left | right | | puzzle | left | right |
# |---|---|---|---|---|---|---|
# | `p1` | (3,) | (3,) | | `p6` | (4, 1) | (1, 6) |
# | `p2` | (3,) | (2, 3) | | `p7` | (1, 6) | (4, 1) |
# | `p3` | (1,) | (5,) | | `p8` | (3, 1, 2) | (5, 1) |
# | `p4` | () | (4, 6) | | `p9` | (2,) | (7, 3, 2) |
# | `p5` | (4, 1) | (4, 6) | | `p10` | (1, 1, 1) | (2, 3, 4) |

# %% tags=["exercise"] exercise="03.3"
used = {"p1": None, "p2": None, "p3": None, "p4": None, "p5": None,
        "p6": None, "p7": None, "p8": None, "p9": None, "p10": None}

# %% tags=["solution"] exercise="03.3"
used = {"p1": 1, "p2": 2, "p3": 5, "p4": 24, "p5": 6,
        "p6": 6, "p7": 4, "p8": 5, "p9": 21, "p10": 24}

# %% tags=["check"] exercise="03.3"
check("03.3", used)

# %% [markdown]
# The experiment that answers any such puzzle: add, sum up, and read `x.grad`. Each use sends 1.

# %%
def uses(left, right):
    x = torch.zeros(left, requires_grad=True)
    (x + torch.zeros(right)).sum().backward()
    return x.grad


print(uses((4, 1), (1, 6)).tolist())
print(uses((3, 1, 2), (5, 1)).tolist())

# %% [markdown]
# ## 4 · See the sum in the picture
#
# The layer of section 1 again, with a `relu` and a sum behind it. `relu` keeps positive numbers and
# makes the others 0. Predict: `s` is [[−0.5, 2.5], [2.5, −0.5]]; what will it receive? Then step,
# choose `s`, and look at what it sends to `bias`.

# %%
W.grad, bias.grad = None, None
m = x @ W
s = m + bias
r = s.relu()
loss = r.sum()
print(s.tolist())

# %% tags=["stepper", "nbval-ignore-output"]
layer = show(loss)
layer

# %%
layer.finish()
print(bias.grad.tolist(), W.grad.tolist())

# %% tags=["stepper"]
for _ in range(4):
    layer.back()  # in the record only: to the moment before s runs
print(layer.text())

# %% [markdown]
# `s` received one array of four numbers and sent on two: the whole array to `m`, the sum
# over the rows to `bias`. `bias` is a leaf and runs at once (lesson 04), before `m`.

# %% [markdown]
# ## 5 · Two more rules
#
# **Matrix product.** In `m = x @ W`, the number `m[i, j]` is the sum of `x[i, k] * W[k, j]` over
# `k`. So `x[i, k]` is used once for each `j`, with the slope `W[k, j]`. It receives the sum of
# `grad[i, j] * W[k, j]` over `j`. That is a matrix product again. You need not keep the letters
# straight: here `grad` is (2, 2), `x` is (2, 3), `W` is (3, 2), and what `x` receives must be (2,
# 3). There is only one way to multiply that fits.
#
# **Exercise 03.4.** Write `matmul_rule(grad, x, W)`: a list of what `x` receives and what `W`
# receives. `W.T` is `W` turned over.

# %% tags=["exercise"] exercise="03.4"
def matmul_rule(grad, x, W):
    ...

# %% tags=["solution"] exercise="03.4"
def matmul_rule(grad, x, W):
    return [grad @ W.T, x.T @ grad]

# %% tags=["check"] exercise="03.4"
written = check("03.4", matmul_rule)
written

# %%
if not written:
    def matmul_rule(grad, x, W):
        return [grad @ W.T, x.T @ grad]

# %% [markdown]
# **Mean over the rows.** `y = x.mean(0)` sums over the rows and divides by their number. Each
# number of `x` is used once, with the slope 1 / rows. So each row receives the same: a reduction in
# forward is a broadcast in backward, just as a broadcast in forward is a sum in backward.
#
# **Exercise 03.5.** Write `mean_rule(grad, x)` for `x.mean(0)`. `grad` is one row. The result has
# the shape of `x`. `grad.expand(x.shape)` repeats a row.

# %% tags=["exercise"] exercise="03.5"
def mean_rule(grad, x):
    ...

# %% tags=["solution"] exercise="03.5"
def mean_rule(grad, x):
    return grad.expand(x.shape) / x.shape[0]

# %% tags=["check"] exercise="03.5"
written = check("03.5", mean_rule)
written

# %%
if not written:
    def mean_rule(grad, x):
        return grad.expand(x.shape) / x.shape[0]

# %% [markdown]
# Now let somebody else try your three rules. A `Function` is an operation with a backward of your
# own (lesson 08). This one is a whole layer: product, bias, mean over the rows. `gradcheck` moves
# each input a little, both ways, and compares with what your rules say.

# %%
class Layer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, W, bias):
        ctx.save_for_backward(x, W, bias)
        return (x @ W + bias).mean(0)

    @staticmethod
    def backward(ctx, grad):
        x, W, bias = ctx.saved_tensors
        at_sum = mean_rule(grad, x @ W + bias)
        return *matmul_rule(at_sum, x, W), shrink(at_sum, bias.shape)


def some(rows, columns):
    numbers = [(7 * i) % 5 - 1.5 for i in range(rows * columns)]
    return torch.tensor(numbers, dtype=torch.float64).reshape(rows, columns).requires_grad_()


inputs = (some(3, 2), some(2, 4), torch.ones(4, dtype=torch.float64, requires_grad=True))
print(torch.autograd.gradcheck(Layer.apply, inputs))

# %% [markdown]
# `True`: right for all 3·2 + 2·4 + 4 inputs. Now break a rule. Predict: does `gradcheck` notice
# that the division is missing?

# %%
right_rule = mean_rule


def mean_rule(grad, x):
    return grad.expand(x.shape)


try:
    print(torch.autograd.gradcheck(Layer.apply, inputs))
except RuntimeError as error:
    print("not equal:", "Jacobian mismatch" in str(error))
mean_rule = right_rule

# %% [markdown]
# ## 6 · What the engine does without being asked
#
# Predict: your backward sends (3, 4) to a bias of shape (4,), because you forgot `shrink`. Error,
# or wrong number?

# %%
right_shrink = shrink


def shrink(grad, shape):
    return grad


print(torch.autograd.gradcheck(Layer.apply, inputs))
shrink = right_shrink

# %% [markdown]
# Neither. The engine compares the shape of each gradient with the shape of its receiver. If the
# receiver could be broadcast to that shape, it sums for you. Only what cannot be a
# broadcast is an error.
#
# One more rule, to see that a rule is a choice where numbers are equal. The largest of 1, 5, 5:
# which 5 gets the gradient?

# %%
x = torch.tensor([1.0, 5.0, 5.0], requires_grad=True)
x.amax().backward()
print("x.amax()       ", x.grad.tolist())
x.grad = None
x.max(0).values.backward()
print("x.max(0).values", x.grad.tolist())

# %% [markdown]
# `amax` shares, `max(0)` gives all to one: it also returns an index, and that is the one.
# Both are right slopes: in one direction the maximum grows, in the other it does not.

# %% [markdown]
# ## 7 · Your own experiment
#
# **Why is the gradient of a bias a sum?** Answer it with a layer and a loss of your own.
#
# **Exercise 03.6.** Change the number of rows of `own_x` and the line of `own_loss`. Predict the
# two numbers of the bias's gradient: what does each number of `s` receive, and how many rows meet
# in the bias? Try a sum and a mean: which of the two does not depend on the number of rows?

# %% tags=["exercise"] exercise="03.6"
own_x = torch.tensor([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0]])


def own_loss(s):
    return (s * 2).sum()  # change this line


predicted = [None, None]

# %% tags=["solution"] exercise="03.6"
own_x = torch.tensor([[1.0, 2.0, 0.0]] * 5)


def own_loss(s):
    return (s * torch.tensor([3.0, -1.0])).mean()


predicted = [5 * 3.0 / 10, 5 * -1.0 / 10]

# %% tags=["check"] exercise="03.6"
own_bias = torch.tensor([0.5, -0.5], requires_grad=True)
own_loss(own_x @ W.detach() + own_bias).backward()
check("03.6", [predicted, own_bias.grad])
