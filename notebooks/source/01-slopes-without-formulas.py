# %% [markdown]
# # 01 · Slopes without formulas
#
# **Question: three ways to a derivative: which is exact, and which is cheap?**
#
# Time: about 45 minutes. You need lesson 00 and the product rule.
#
# You take the slope of one small program in three ways: with a difference quotient, with numbers
# that carry their slope along, and with a backward pass. You measure how far each is off and how
# often it has to run the program. In the last cell you do this to a program of your own.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 45 minutes; in 30, leave out sections 3 and 7. Any program of `+`, `-`, `*`
# can take the place of `f`, such as one from the course's own field: only the data of 01.1, 01.2
# and 01.4 belong to `f`. What learners believe at first: a smaller step is always better (section
# 2), "automatic" means formulas are derived (section 3), a backward pass is exact because it is
# slow (section 6 shows the opposite). Exercise 01.2 accepts every step from 1e-9 to 1e-7.

# %% [markdown]
# ## 1 · One program
#
# `f` is a program, not a formula. It takes anything that can be multiplied and subtracted.

# %%
def f(x):
    return x * x * x - 2 * x


print(f(3.0))

# %% [markdown]
# The question: at `x = 3`, how many times as fast as `x` does `f(x)` grow?
#
# You could write the derivative down: 3·x² − 2, which is 25. This lesson does not: real programs
# have a million lines. But we keep the 25, as a judge.

# %% [markdown]
# ## 2 · Way one: take a small step
#
# Move `x` by a step `h` and see how far `f` moves: (f(x + h) − f(x)) / h.
# This is the **difference quotient**.
#
# **Exercise 01.1.** Predict it for `x = 3` and `h = 0.1`. Here 3.1 · 3.1 · 3.1 is 29.791.

# %% tags=["exercise"] exercise="01.1"
quotient = None

# %% tags=["solution"] exercise="01.1"
quotient = ((29.791 - 2 * 3.1) - 21) / 0.1

# %% tags=["check"] exercise="01.1"
check("01.1", quotient)

# %% [markdown]
# Not 25: the error is 0.91. Predict: how large is the error for a step of 0.01? Of 10⁻¹⁵?
#
# `central` steps to both sides and divides by 2·h.

# %%
def quotient_of(f, x, h):
    return (f(x + h) - f(x)) / h


def central_quotient_of(f, x, h):
    return (f(x + h) - f(x - h)) / (2 * h)


print("step    one-sided  central   (errors)")
for k in range(1, 16):
    h = 10.0**-k
    one_sided = abs(quotient_of(f, 3.0, h) - 25)
    central = abs(central_quotient_of(f, 3.0, h) - 25)
    print(f"{h:.0e}   {one_sided:.0e}      {central:.0e}")

# %% [markdown]
# **Explain.** Down the table, two things happen.
#
# 1. At first, a step ten times as small makes the one-sided error ten times as small.
#    The curve bends away from its tangent, and a smaller step gives it less room to bend.
#    To both sides the bends nearly cancel: the central error falls a hundredfold each time.
# 2. Then the errors grow again. A Python float keeps 16 digits. With `h = 1e-15`, `f(x + h)` and
#    `f(x)` agree in the first 15 of them, and the subtraction leaves one digit. Dividing by `h`
#    makes that digit look like a slope: 21.3 instead of 25.

# %%
from matplotlib.figure import Figure
from autodidact_widgets import picture

steps = [10.0 ** (-k / 4) for k in range(4, 61)]
fig = Figure(figsize=(7.0, 3.6), layout="constrained")
ax = fig.subplots()
for way, line in ((quotient_of, "-"), (central_quotient_of, "--")):
    errors = [abs(way(f, 3.0, h) - 25) for h in steps]
    ax.loglog(steps, errors, line, label="one-sided" if way is quotient_of else "central")
ax.set(xlabel="step h", ylabel="error of the slope", title="Large steps bend, small ones round")
ax.legend()
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
picture(
    fig,
    alt="Error against step size, both axes logarithmic. Each curve is a V. From right to left, "
    "the one-sided error falls from 1 to about 1e-7 at a step near 1e-8 and then rises, jagged. "
    "The central error falls twice as steeply, to about 1e-10 near 1e-5, and joins the same rise.",
)

# %% [markdown]
# *Figure: the error of the difference quotient. On the right of each V the curve's bend decides,
# on the left the rounding. The best step lies where the two meet.*
#
# **Exercise 01.2.** Which step is best for the one-sided quotient? Read it off the table.

# %% tags=["exercise"] exercise="01.2"
best_step = None

# %% tags=["solution"] exercise="01.2"
best_step = 1e-8

# %% tags=["check"] exercise="01.2"
check("01.2", best_step)

# %% [markdown]
# The digits decide it: a float of 16 digits gives at best 8 digits of slope, with the step in the
# middle, near 10⁻⁸. The central quotient reaches 10 to 11 digits, near 10⁻⁵.
#
# **Change.** Tensors keep 7 digits unless you ask for more. Predict the best step for them, then
# run.

# %%
x = torch.tensor(3.0)
for k in range(1, 8):
    h = 10.0**-k
    print(f"{h:.0e}  {abs(quotient_of(f, x, h).item() - 25):.4f}")

# %% [markdown]
# The least error is 0.005, at a step of 0.001. With 10⁻⁷ the step is lost in the rounding
# of `x + h`: the slope comes out as 0. This is why `gradcheck`, which compares gradients with
# difference quotients, wants float64.

# %% [markdown]
# ## 3 · A side road: let the computer derive the formula
#
# A formula can be derived by rules, without thinking. Here is a deriver of seven lines, for `+` and
# `*`. A formula is `"x"`, a number, or a triple such as `("*", "x", "x")`. `size` counts its
# symbols.

# %%
def derive(formula):
    if not isinstance(formula, tuple):
        return 1 if formula == "x" else 0
    sign, a, b = formula
    if sign == "+":
        return ("+", derive(a), derive(b))
    return ("+", ("*", derive(a), b), ("*", a, derive(b)))


def size(formula):
    return 1 + size(formula[1]) + size(formula[2]) if isinstance(formula, tuple) else 1


print(derive(("*", "x", "x")))

# %% [markdown]
# (1 · x) + (x · 1): the product rule, exact. Now a program of ten lines: ten times `y = y * y`.
# Predict: how many symbols does the formula of its derivative have?

# %%
formula = "x"
for line in range(1, 11):
    formula = ("*", formula, formula)
    if line in (1, 2, 5, 10):
        print(f"{line:2} lines   formula {size(formula):5}   derivative {size(derive(formula)):6}")

# %% [markdown]
# Ten lines of program, 22527 symbols of derivative. A program gives a value a name and uses it
# twice; a formula writes it out twice. So keep the program, and let it carry the slopes. There are
# two directions in which it can.

# %% [markdown]
# ## 4 · Way two: carry the slope along
#
# A **dual number** is a pair: a value, and how fast it grows when `x` grows. `x` itself has slope
# 1, a constant has slope 0. Each operation computes the value and, by its own rule, the slope.

# %%
class Dual:
    def __init__(self, value, slope):
        self.value, self.slope = value, slope

    def __add__(self, other):
        return Dual(self.value + other.value, self.slope + other.slope)

    def __sub__(self, other):
        return Dual(self.value - other.value, self.slope - other.slope)

    def __mul__(self, other):
        slope = self.slope * other.value + self.value * other.slope
        return Dual(self.value * other.value, slope)

    def __rmul__(self, constant):  # 2 * x
        return Dual(constant * self.value, constant * self.slope)


result = f(Dual(3.0, 1.0))
print(result.value, result.slope)

# %% [markdown]
# 25.0, to the last digit, with no step size to choose and without a change in `f`.
#
# **Explain.** `x * x` became (9, 6). Then `x * x * x` became (27, 6 · 3 + 9 · 1), which is (27,
# 27). 2·x, which is (6, 2), took 2 away: 25.
#
# **Exercise 01.3.** Division is missing. Write `divide(a, b)` for two pairs `(value, slope)`;
# return a pair. The slope of a/b is (a'·b − a·b') / b².

# %% tags=["exercise"] exercise="01.3"
def divide(a, b):
    ...

# %% tags=["solution"] exercise="01.3"
def divide(a, b):
    value = a[0] / b[0]
    slope = (a[1] * b[0] - a[0] * b[1]) / b[0] ** 2
    return value, slope

# %% tags=["check"] exercise="01.3"
check("01.3", divide)

# %% [markdown]
# PyTorch has dual numbers, too. `jvp` takes the program, the values and their slopes; it returns
# the result and its slope (more in lesson 14).

# %%
print(torch.func.jvp(f, (torch.tensor(3.0),), (torch.tensor(1.0),)))

# %% [markdown]
# ## 5 · Way three: send the slope back
#
# A dual number follows one `x` forward to all results. A backward pass starts at one result and
# goes back to every `x`. The same program, line by line, so that the values have names:

# %%
x = torch.tensor(3.0, requires_grad=True)
s = x * x
p = s * x
q = 2 * x
L = p - q
print(s.item(), p.item(), q.item(), L.item())

# %% [markdown]
# `x` stands in these lines four times. From each place a number comes back, and `x` adds them up.
#
# **Exercise 01.4.** `L` sends 1 to `p` and −1 to `q`. What do `p`, `q` and `s` send to `x`?
# `s = x * x` uses `x` twice and sends to it twice: give one of the two, they are equal.

# %% tags=["exercise"] exercise="01.4"
to_x = {"p": None, "q": None, "s": None}

# %% tags=["solution"] exercise="01.4"
to_x = {"p": 1 * 9.0, "q": -1 * 2.0, "s": 3 * 3.0}

# %% tags=["check"] exercise="01.4"
check("01.4", to_x)

# %% [markdown]
# Step, and watch the four slots of `x`.

# %% tags=["stepper", "nbval-ignore-output"]
stepper = show(L)
stepper

# %% tags=["stepper"]
stepper.finish()
print(stepper.text())

# %%
print(x.grad)

# %% [markdown]
# **Explain.** 9 + 9 + 9 − 2 = 25. Each `x` in `x * x * x` is multiplied by the other two, that is
# by 9, and there are three of them. The school rule for x³, "3·x²", is nothing but this sum.

# %% [markdown]
# The three ways side by side. Run the second cell and move the slider: at which `x` does the
# difference quotient get every digit right? (With `x = 0` it should be easy.) Below the numbers
# the backward pass of that `x` waits for your steps.

# %%
def three_ways(x, h):
    leaf = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    f(leaf).backward()
    print(f"difference quotient  {quotient_of(f, x, h):.12f}")
    print(f"dual number          {f(Dual(x, 1.0)).slope:.12f}")
    print(f"backward pass        {leaf.grad.item():.12f}")


three_ways(3.0, 1e-8)

# %% tags=["nbval-ignore-output"]
from autodidact.trace import recording
from IPython.display import display
from ipywidgets import FloatSlider, interact


@interact(x=FloatSlider(3.0, min=-4.0, max=4.0, step=0.5, continuous_update=False))
def ways_at(x):
    three_ways(x, 1e-8)
    x = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    with recording():                # a slider is no cell: here names and lines are noted
        L = f(x)
    display(show(L))

# %% [markdown]
# ## 6 · What does it cost?
#
# Dual number and backward pass agree. To tell them apart, take many inputs: `g` multiplies each
# number of a list by its right neighbour and adds up. It also counts how often it is called.

# %%
def g(xs):
    g.calls += 1
    total = xs[0] * xs[1]
    for left, right in zip(xs[1:], xs[2:]):
        total = total + left * right
    return total


g.calls = 0
print(g([1.0, 2.0, 3.0, 4.0]))

# %% [markdown]
# 1·2 + 2·3 + 3·4 = 20. We want the slope for every number of the list. Three functions do it in
# our three ways.

# %%
def by_differences(g, xs, h=1e-8):
    start = g(xs)
    moved = [xs[:i] + [xs[i] + h] + xs[i + 1:] for i in range(len(xs))]
    return [(g(one) - start) / h for one in moved]


def by_duals(g, xs):
    rows = [[Dual(x, type(x)(i == j)) for j, x in enumerate(xs)] for i in range(len(xs))]
    return [g(row).slope for row in rows]


def by_backward(g, xs):
    leaves = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in xs]
    g(leaves).backward()
    # An input that g does not use keeps .grad None: its slope is 0.
    return [0.0 if leaf.grad is None else leaf.grad.item() for leaf in leaves]


print(by_duals(g, [1.0, 2.0, 3.0, 4.0]))
print(by_backward(g, [1.0, 2.0, 3.0, 4.0]))

# %% [markdown]
# **Exercise 01.5.** For a list of 100 numbers: how often is `g` called by each way? `central` would
# be `by_differences` with a step to both sides.

# %% tags=["exercise"] exercise="01.5"
calls = {"differences": None, "central": None, "duals": None, "backward": None}

# %% tags=["solution"] exercise="01.5"
calls = {"differences": 101, "central": 200, "duals": 100, "backward": 1}

# %% tags=["check"] exercise="01.5"
check("01.5", calls)

# %% [markdown]
# Now measure, calls and errors. Who judges the errors, if we have no formula? Python's fractions
# do: they never round. `Dual` does not care what its numbers are, so dual numbers of fractions give
# the exact slopes.

# %%
from fractions import Fraction


def measure(g, xs):
    """For each way: how often it called g, and its largest error."""
    g.calls, found = 0, {}
    judge = by_duals(g, [Fraction(x) for x in xs])
    for way in (by_differences, by_duals, by_backward):
        g.calls = 0
        slopes = way(g, xs)
        error = max(abs(Fraction(a) - b) for a, b in zip(slopes, judge))
        found[way.__name__] = g.calls, float(error)
    return found


for n in (4, 100):
    for way, (count, error) in measure(g, [i / 7 for i in range(n)]).items():
        print(f"{n:3} numbers  {way:15} {count:3} calls   error {error:.0e}")

# %% [markdown]
# **Explain.** Differences and duals ask one question at a time: "what if only this number grows?"
# For 100 numbers they call `g` 100 times. The backward pass runs `g` once, then each node once, and
# every leaf has its slope.
#
# Errors: dual numbers and backward pass are exact up to the last of 16 digits. The difference
# quotient keeps 9 digits on the short list and 5 on the long one. There `g` is 6600: the larger a
# number, the more rounding takes from it.
#
# A call is not all that counts: a call with dual numbers does more than a call with floats, and
# the backward pass has its price, too. So count the additions and multiplications.
#
# Inside a backward pass we cannot count. But each operation of `g` leaves one node, and the node of
# a multiplication multiplies twice. So forward and backward together are at most three calls'
# worth.

# %%
class Counted(float):
    """A float that counts what is done with it."""

    operations = 0


def counting(sign):
    def operation(self, other):
        Counted.operations += 1
        return Counted(getattr(float, sign)(self, other))

    return operation


for sign in ("__add__", "__sub__", "__mul__", "__rmul__"):
    setattr(Counted, sign, counting(sign))


def operations(way, n):
    Counted.operations = 0
    way(g, [Counted(1.0)] * n)
    return Counted.operations


sizes = (5, 10, 20, 40, 80, 160)
work = {
    "by_differences": [operations(by_differences, n) for n in sizes],
    "by_duals": [operations(by_duals, n) for n in sizes],
    "by_backward": [3 * operations(lambda g, xs: g(xs), n) for n in sizes],
}
for way, counts in work.items():
    print(f"{way:15}", *(f"{count:7}" for count in counts))

# %%
fig = Figure(figsize=(7.0, 3.4), layout="constrained")
ax = fig.subplots()
for (way, counts), mark in zip(work.items(), "os^"):
    ax.loglog(sizes, counts, marker=mark, label=way)
ax.set(xlabel="numbers in the list", ylabel="operations", title="Work for all slopes")
ax.legend()
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
picture(
    fig,
    alt="Operations against the length of the list, 5 to 160, both axes logarithmic. by_duals and "
    "by_differences are parallel lines, duals about three times as high; by_backward is half as "
    "steep. At 5 numbers it is less than half of the lower one, at 160 it is a fiftieth.",
)

# %% [markdown]
# *Figure: a list of twice the length costs differences and duals four times the work: twice as many
# calls of a program twice as long. It costs the backward pass only twice the work.*
#
# A network has millions of numbers and one loss. That is why training runs backward.
#
# The other way round, with one input and many results, dual numbers win. Count:

# %%
def many(x):
    return [x * x, x * x * x, 2 * x]


print([result.slope for result in many(Dual(3.0, 1.0))], "in one run")

x = torch.tensor(3.0, requires_grad=True)
slopes = []
for result in many(x):
    x.grad = None
    result.backward()
    slopes.append(x.grad.item())
print(slopes, "in", len(slopes), "backward passes")

# %% [markdown]
# ## 7 · All slopes as one arrow
#
# All slopes together are the **gradient**. For two inputs it is an arrow in the plane of the
# inputs. Predict: where does it point on a hillside: along it, up, or down?

# %%
def hill(x, y):
    return x * y - x * x * x / 8.0


def gradient(x, y):
    leaves = [torch.tensor(value, requires_grad=True) for value in (x, y)]
    hill(*leaves).backward()
    return [leaf.grad.item() for leaf in leaves]


print(gradient(1.0, 2.0), gradient(2.0, 1.5))

# %%
import plotly.graph_objects as go

grid = [i / 4 for i in range(-8, 13)]
heights = [[hill(x, y) for x in grid] for y in grid]
lines = {"z": {"show": True, "project_z": True, "start": -8, "end": 8, "size": 1}}
surface = go.Surface(x=grid, y=grid, z=heights, contours=lines, showscale=False, opacity=0.8)


def arrow(x, y):
    """The gradient at (x, y), drawn on the floor, and a stalk up to the point on the hill."""
    right, up = gradient(x, y)
    floor = min(map(min, heights))
    tip = (x + right / 3, y + up / 3)
    corners = ((x, y, hill(x, y)), (x, y, floor), (*tip, floor))
    xs, ys, zs = zip(*corners)
    return go.Scatter3d(x=xs, y=ys, z=zs, mode="lines+markers", line={"width": 7},
                        marker={"size": [4, 2, 6], "symbol": ["circle", "circle", "diamond"]})


places = [(-1.5, 2.0), (-0.5, 2.0), (0.5, 2.0), (1.5, 2.0), (2.5, 2.0)]
moves = [{"label": f"x = {x}", "method": "animate", "args": [[f"{x}"], {"mode": "immediate"}]}
         for x, _ in places]
hillside = go.Figure(
    [surface, arrow(*places[0])],
    {
        "sliders": [{"steps": moves}],
        "scene": {"aspectratio": {"x": 1, "y": 1, "z": 0.6},
                  "camera": {"eye": {"x": 0.9, "y": -1.2, "z": 1.1}}},
        "margin": {"t": 0, "l": 0, "r": 0}, "height": 520, "showlegend": False,
    },
    [go.Frame(name=f"{x}", data=[arrow(x, y)], traces=[1]) for x, y in places],
)

# %% tags=["nbval-ignore-output"]
picture(
    hillside,
    alt="A hillside over the plane of x and y, with lines of equal height on its floor. At the "
    "point chosen with the slider, an arrow lies on the floor. It stands at a right angle to "
    "the line of equal height and points to higher lines; it is longer where the hill is steeper.",
)

# %% [markdown]
# *Figure: the gradient on the floor below a hill. Drag to turn it, look straight down, and move the
# point with the slider.*
#
# **Explain.** The arrow lies in the floor, not on the hill: it has one number per input. It points
# where the hill rises fastest, at a right angle to the line of equal height. Training steps the
# other way. Here is one step of a tenth of the arrow, downhill:

# %%
right, up = gradient(1.0, 2.0)
print(hill(1.0, 2.0), "->", round(hill(1.0 - 0.1 * right, 2.0 - 0.1 * up), 3))

# %% [markdown]
# ## 8 · Your own experiment
#
# **Three ways to a derivative: which is exact, and which is cheap?** Answer it with a program of
# your own.
#
# **Exercise 01.6.** Change `own`: use `+`, `-`, `*` and the numbers of the list; a factor such as 3
# stands on the left. Give `numbers` a length that you like, at least 4. Predict how often each
# way will call `own`, and which way has the largest error. Then run both cells.

# %% tags=["exercise"] exercise="01.6"
def own(xs):
    own.calls += 1
    return xs[0] * xs[1] - 3 * xs[2]  # change this line


numbers = [0.1, 0.2, 0.3, 0.4]
# calls of by_differences, by_duals, by_backward; then the name of the least exact
predicted = [None, None, None, None]

# %% tags=["solution"] exercise="01.6"
def own(xs):
    own.calls += 1
    return xs[0] * xs[1] * xs[2] - 3 * xs[3] * xs[4] * xs[4]


numbers = [0.1, 0.2, 0.3, 0.4, 0.5]
predicted = [6, 5, 1, "by_differences"]

# %% tags=["check"] exercise="01.6"
found = measure(own, numbers)
worst = max(found, key=lambda way: found[way][1])
check("01.6", [predicted, [count for count, _ in found.values()] + [worst]])
