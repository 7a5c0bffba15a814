# %% [markdown]
# # 08 · Your own Function
#
# **Question: how do I add an operation, and what must I save?**
#
# Time: about 45 minutes. You need lesson 06: what a node saves, and why.
#
# You run the example of the reference page, write an operation of your own, and learn to distrust
# it: with numerical slopes, with an in-place change, with a weak reference. In the last cell your
# own operation passes the test.

# %% [markdown] lang="ru"
# # 08 · Своя Function
#
# **Вопрос: как добавить операцию и что она должна сохранить?**
#
# Время: около 45 минут. Нужен урок 06: что сохраняет узел и зачем.
#
# Вы запускаете пример со страницы справочника, пишете свою операцию и учитесь ей не доверять: с
# численным наклоном, с изменением на месте, со слабой ссылкой. В последней ячейке ваша собственная
# операция проходит проверку.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 45 minutes; in 30, leave out sections 4 and 6. An operation of your field can
# take the place of the clipped log: one with a range where its slope is 0 or infinite teaches most;
# then change the numbers of 08.2. What learners believe at first: backward is checked by somebody
# (section 2), a saved tensor and an attribute of ctx are the same (08.4), and a passed gradcheck
# proves the formula (08.5: it speaks for the points that were tried). Section 4 has three of the
# places where torch 2.13 and its reference text part: `save_for_backward` may be called twice, in
# backward, and from `setup_context`.

# %% [markdown]
# ## 1 · The example of the reference page
#
# An operation of your own is a class with two static methods. `forward` computes the result.
# `backward` gets the gradient of the result and returns one gradient for each argument of
# `forward`. `ctx` is the same object in both: what `forward` puts there, `backward` finds. Here is
# the page's example, word for word.

# %% [markdown] lang="ru"
# ## 1 · Пример из справочника
#
# Своя операция — класс с двумя статическими методами. `forward` вычисляет результат. `backward`
# получает градиент результата и возвращает по градиенту на каждый аргумент `forward`. `ctx` в обоих
# — один и тот же объект: что положил `forward`, то найдёт `backward`. Вот пример страницы, слово в
# слово.

# %%
Function = torch.autograd.Function
once_differentiable = torch.autograd.function.once_differentiable


class Func(Function):
    @staticmethod
    def forward(ctx, x: torch.Tensor, y: torch.Tensor, z: int):
        w = x * z
        out = x * y + y * z + w * y
        ctx.save_for_backward(x, y, w, out)
        ctx.z = z  # z is not a tensor
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_out):
        x, y, w, out = ctx.saved_tensors
        z = ctx.z
        gx = grad_out * (y + y * z)
        gy = grad_out * (x + z + w)
        gz = None
        return gx, gy, gz


a = torch.tensor(1., requires_grad=True, dtype=torch.double)
b = torch.tensor(2., requires_grad=True, dtype=torch.double)
c = 4
d = Func.apply(a, b, c)

# %% [markdown]
# `apply` calls `forward` and makes a node. `z` is no tensor, so it stays on `ctx`, and its gradient
# is `None`. `once_differentiable` says that this `backward` cannot be differentiated itself (lesson
# 12).
#
# **Exercise 08.1.** Work out by hand: `d`, the name of its node, and the two gradients.

# %% [markdown] lang="ru"
# `apply` вызывает `forward` и создаёт узел. `z` не тензор, поэтому он лежит прямо на `ctx`, а его
# градиент — `None`. `once_differentiable` говорит, что сам этот `backward` дифференцировать нельзя
# (урок 12).
#
# **Упражнение 08.1.** Найдите вручную: `d`, имя его узла и оба градиента.

# %% tags=["exercise"] exercise="08.1"
example = {"d": None, "node": None, "a.grad": None, "b.grad": None}

# %% tags=["solution"] exercise="08.1"
example = {
    "d": 1 * 2 + 2 * 4 + (1 * 4) * 2,
    "node": "FuncBackward",
    "a.grad": 2 + 2 * 4,
    "b.grad": 1 + 4 + 1 * 4,
}

# %% tags=["check"] exercise="08.1"
check("08.1", example)

# %%
print(d.item(), type(d.grad_fn).__name__, [t.item() for t in d.grad_fn.saved_tensors])

# %% [markdown]
# A node of your own is a node like any other: it has an order, slots, saved tensors. Step it, and
# look at what it saved: two inputs, one intermediate value, the output. Press <kbd>N</kbd> first:
# then each Step is one event, and you walk through the lines of `backward` and see each tensor as
# it is unpacked.

# %% [markdown] lang="ru"
# Ваш узел — узел как все: у него есть место в порядке, слоты, сохранённые тензоры. Пройдите по
# шагам и посмотрите, что он сохранил: два входа, одно промежуточное значение, выход. Сначала
# нажмите <kbd>N</kbd>: тогда шаг — одно событие, и вы идёте по строкам `backward` и видите, как
# распаковывается каждый тензор.

# %% tags=["stepper", "nbval-ignore-output"]
own_node = show(d)
own_node

# %%
own_node.finish()
print(a.grad.item(), b.grad.item())

# %% tags=["stepper"]
d = Func.apply(a, b, c)
reader = show(d)
print(reader.step().text())

# %% [markdown]
# ## 2 · Nobody checks your formula
#
# The smallest operation of your own, with a mistake. The slope of x² is 2·x.

# %% [markdown] lang="ru"
# ## 2 · Вашу формулу никто не проверяет
#
# Самая маленькая своя операция, с ошибкой. Наклон x² равен 2·x.

# %%
class Square(Function):
    @staticmethod
    def forward(ctx, x):
        Square.records = torch.is_grad_enabled()
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * x  # the 2 is missing


x = torch.tensor(3.0, requires_grad=True)
Square.apply(x).backward()
print(x.grad, " forward was recorded:", Square.records)

# %% [markdown]
# 3 in place of 6, and no complaint. Inside `forward` nothing is recorded: the engine does not see
# `x * x`, only your promise about its slope. In a training loop it would only halve every step: the
# loss would still fall, and hide the mistake.
#
# **gradcheck** compares the promise with difference quotients (lesson 01). It wants float64, for
# float32 is too coarse for a difference of 0.000001.

# %% [markdown] lang="ru"
# 3 вместо 6, и никаких жалоб. Внутри `forward` ничего не записывается: движок видит не `x * x`, а
# только ваше обещание о наклоне. В цикле обучения он лишь вдвое укоротил бы каждый шаг: loss всё
# равно падал бы и скрывал ошибку.
#
# **gradcheck** сравнивает обещание с разностным отношением (урок 01). Ему нужен float64: float32
# слишком груб для разности 0,000001.

# %%
def passes(operation, *values):
    """Whether the gradients of an operation agree with difference quotients, at these values."""
    x = torch.tensor(values, dtype=torch.float64, requires_grad=True)
    return torch.autograd.gradcheck(operation, (x,), raise_exception=False)


print("x * x:", passes(lambda x: x * x, 3.0))
print("Square:", passes(Square.apply, 3.0))

# %% [markdown]
# ## 3 · An operation of your own
#
# log(x) is -∞ at 0 and undefined below. A **clipped log** treats everything below `least` as
# `least`:
#
# * value: log(x) where x > least, log(least) elsewhere;
# * slope: 1/x where x > least, 0 elsewhere.
#
# **Exercise 08.2.** Write `ClippedLog`, to be used as `ClippedLog.apply(x, 0.1)`. What must be
# saved, and how? `x.clamp(min=least)` and a comparison like `x > least` are useful. Mind x = 0 in
# `backward`: 0 / 0 is not 0.

# %% [markdown] lang="ru"
# ## 3 · Своя операция
#
# log(x) равен -∞ в нуле и не определён левее. **Обрезанный логарифм** считает всё, что ниже
# `least`, равным `least`:
#
# * значение: log(x) там, где x > least, и log(least) в остальных местах;
# * наклон: 1/x там, где x > least, и 0 в остальных местах.
#
# **Упражнение 08.2.** Напишите `ClippedLog`, который вызывают так: `ClippedLog.apply(x, 0.1)`. Что
# надо сохранить и как? Пригодятся `x.clamp(min=least)` и сравнение вроде `x > least`. В `backward`
# помните про x = 0: 0 / 0 — это не 0.

# %% tags=["exercise"] exercise="08.2"
ClippedLog = None  # class ClippedLog(Function): ...

# %% tags=["solution"] exercise="08.2"
class ClippedLog(Function):
    @staticmethod
    def forward(ctx, x, least):
        ctx.save_for_backward(x)
        ctx.least = least
        return x.clamp(min=least).log()
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x > ctx.least) / x.clamp(min=ctx.least), None

# %% tags=["check"] exercise="08.2"
def report(operation):
    x = torch.tensor([-1.0, 0.0, 0.5, 2.0], requires_grad=True)
    y = operation.apply(x, 0.1)
    y.backward(torch.tensor([1.0, 1.0, 1.0, 10.0]))
    return {"values": y, "gradients": x.grad}


check("08.2", report(ClippedLog) if ClippedLog else None)

# %%
if ClippedLog:
    print(passes(lambda x: ClippedLog.apply(x, 0.1), -1.0, 0.0, 0.5, 2.0))

# %%
from matplotlib.figure import Figure

xs = torch.linspace(-0.5, 1.5, 401).requires_grad_()
ys = ClippedLog.apply(xs, 0.1) if ClippedLog else xs.clamp(min=0.1).log()
ys.sum().backward()
fig = Figure(figsize=(7.5, 3.0), layout="constrained")
ax = fig.subplots()
ax.plot(xs.tolist(), ys.tolist(), "-", label="clipped log")
ax.plot(xs.tolist(), xs.grad.tolist(), "--", label="its gradient")
ax.axvline(0.1, color="0.7", linewidth=1)
ax.set(xlabel="x", title="A value without a step, a gradient with one")
ax.legend()
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
from base64 import b64encode
from io import BytesIO

from IPython.display import Image

png = BytesIO()
fig.savefig(png, format="png", dpi=100)
alt = (
    "The clipped log is flat at -2.3 up to x = 0.1 and then rises like the log. Its gradient is 0 "
    "up to x = 0.1, jumps to 10 and falls like 1/x."
)
Image(url="data:image/png;base64," + b64encode(png.getvalue()).decode(), alt=alt)

# %% [markdown]
# *Figure: the clipped log and its gradient. Left of 0.1 the value is flat at -2.3 and the gradient
# is 0. At 0.1 the value goes on without a step, the gradient jumps from 0 to 10.*

# %% [markdown] lang="ru"
# *Рисунок: обрезанный логарифм и его градиент. Левее 0,1 значение постоянно, -2,3, а градиент равен
# 0. В точке 0,1 значение идёт дальше без скачка, а градиент прыгает с 0 до 10.*

# %% [markdown]
# ## 4 · The rules of saving
#
# The reference page says: `save_for_backward` should be called at most once, only from inside
# `forward`, and only with tensors; an argument may also be `None`. What if you do not keep to that?
#
# **Exercise 08.3.** Predict for each case: `"works"`, `"error"`, `"ignored"` (what `forward` saved
# comes back) or `"last wins"`.
#
# | case | what is done |
# |---|---|
# | `twice` | `forward` calls it with `x`, then with `x * 10` |
# | `in backward` | `backward` calls it with the gradient, then reads `saved_tensors` |
# | `a number` | `forward` calls it with `3` |
# | `None` | `forward` calls it with `None, x` |
# | `setup_context` | `forward` has no `ctx`; a third method, `setup_context`, saves |
# | `one too few` | `backward` returns one gradient for two arguments |

# %% [markdown] lang="ru"
# ## 4 · Правила сохранения
#
# На странице справочника сказано: `save_for_backward` следует вызывать не более одного раза, только
# внутри `forward` и только с тензорами; аргументом может быть и `None`. А если не соблюдать?
#
# **Упражнение 08.3.** Предскажите для каждого случая: `"works"` (работает), `"error"` (ошибка),
# `"ignored"` (возвращается то, что сохранил `forward`) или `"last wins"` (побеждает последний).
#
# | случай | что делается |
# |---|---|
# | `twice` | `forward` вызывает с `x`, потом с `x * 10` |
# | `in backward` | `backward` вызывает с градиентом, потом читает `saved_tensors` |
# | `a number` | `forward` вызывает с `3` |
# | `None` | `forward` вызывает с `None, x` |
# | `setup_context` | у `forward` нет `ctx`; сохраняет третий метод, `setup_context` |
# | `one too few` | `backward` возвращает один градиент на два аргумента |

# %% tags=["exercise"] exercise="08.3"
rules = {
    "twice": None,
    "in backward": None,
    "a number": None,
    "None": None,
    "setup_context": None,
    "one too few": None,
}

# %% tags=["solution"] exercise="08.3"
rules = {
    "twice": "last wins",
    "in backward": "ignored",
    "a number": "error",
    "None": "works",
    "setup_context": "works",
    "one too few": "error",
}

# %% tags=["check"] exercise="08.3"
check("08.3", rules)

# %%
class Probe(Function):
    """Multiplies by 2; `save` says what to save, `late` what to save in backward."""

    @staticmethod
    def forward(ctx, x, save, late=None):
        save(ctx, x)
        ctx.late = late
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        if ctx.late:
            ctx.late(ctx, grad)
        print("   saved:", [t if t is None else t.item() for t in ctx.saved_tensors])
        return grad * 2, None, None


def attempt(name, *what):
    print(name)
    x = torch.tensor(3.0, requires_grad=True)
    try:
        Probe.apply(x, *what).backward()
    except (TypeError, RuntimeError) as error:
        print("  ", type(error).__name__)


def save(ctx, x):
    ctx.save_for_backward(x)


attempt("twice", lambda ctx, x: (save(ctx, x), save(ctx, x * 10)))
attempt("in backward", save, save)
attempt("a number", lambda ctx, x: save(ctx, 3))
attempt("None", lambda ctx, x: ctx.save_for_backward(None, x))

# %%
class Doubled(Function):
    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, grad):
        return (grad * ctx.factor,)  # two arguments, one gradient


x = torch.tensor(3.0, requires_grad=True)
y = Doubled.apply(x, 2.0)
print("setup_context saved:", y.grad_fn.saved_tensors[0].item())
try:
    y.backward()
except RuntimeError as error:
    print("one too few:", "number of gradients" in str(error))

# %% [markdown]
# Three times torch 2.13 is milder than the page. A second call replaces the first, without a word.
# A call in `backward` does nothing. And `setup_context`, which the page's text leaves out, may save
# too. The rules are good all the same: keep to them, and the next section tells you why.

# %% [markdown] lang="ru"
# Трижды torch 2.13 мягче страницы. Второй вызов молча заменяет первый. Вызов в `backward` не делает
# ничего. А `setup_context`, которого в тексте страницы нет, тоже может сохранять.
# Правила всё равно хороши: соблюдайте их, а почему — скажет следующий раздел.

# %% [markdown]
# ## 5 · Why not simply ctx.x = x?
#
# An attribute of `ctx` would hold the tensor just as well. Two things are lost.
#
# **The check.** A saved tensor remembers its version (lesson 09). If somebody changes it in place
# before backward, reading it is an error. An attribute notices nothing.
#
# **The cut.** The output leads to its node, and the node to `ctx`. If `ctx` holds the output, that
# is a ring: output, node, ctx, output. Nothing in a ring is freed until Python's cycle collector
# happens to run. `save_for_backward` keeps an output in a way that makes no ring.
#
# **Exercise 08.4.** `out = x * x`, whose slope can be had from `x` or from `out` (it is 2·√out).
# Four ways to keep it. For each, is a later in-place change of the kept tensor `"noticed"` or
# `"silent"`? And once `out` is deleted: is the node `"gone"`, or is it still there (`"stays"`)?

# %% [markdown] lang="ru"
# ## 5 · Почему не просто ctx.x = x?
#
# Атрибут `ctx` держал бы тензор ничуть не хуже. Теряются две вещи.
#
# **Проверка.** Сохранённый тензор помнит свою версию (урок 09). Если его изменили на месте до
# обратного прохода, чтение станет ошибкой. Атрибут ничего не замечает.
#
# **Разрыв.** Выход ведёт к своему узлу, узел — к `ctx`. Если `ctx` держит выход, получается кольцо:
# выход, узел, ctx, выход. В кольце ничто не освобождается, пока не придёт сборщик циклов Python.
# `save_for_backward` хранит выход так, что кольца нет.
#
# **Упражнение 08.4.** `out = x * x`; наклон можно получить из `x` или из `out` (он равен 2·√out).
# Четыре способа хранить. Для каждого: замечено ли позднейшее изменение хранимого тензора на месте
# (`"noticed"`) или нет (`"silent"`)? И исчез ли узел после удаления `out` (`"gone"`) или остался
# (`"stays"`)?

# %% tags=["exercise"] exercise="08.4"
ways = {
    "ctx.x = x": [None, None],
    "ctx.out = out": [None, None],
    "save_for_backward(x)": [None, None],
    "save_for_backward(out)": [None, None],
}

# %% tags=["solution"] exercise="08.4"
ways = {
    "ctx.x = x": ["silent", "gone"],
    "ctx.out = out": ["silent", "stays"],
    "save_for_backward(x)": ["noticed", "gone"],
    "save_for_backward(out)": ["noticed", "gone"],
}

# %% tags=["check"] exercise="08.4"
check("08.4", ways)

# %%
class Keep(Function):
    """x * x, which keeps x or out, on ctx or saved."""

    @staticmethod
    def forward(ctx, x, which, saved):
        out = x * x
        kept = x if which == "x" else out
        ctx.which, ctx.saved = which, saved
        if saved:
            ctx.save_for_backward(kept)
        else:
            ctx.kept = kept
        return out

    @staticmethod
    def backward(ctx, grad):
        kept = ctx.saved_tensors[0] if ctx.saved else ctx.kept
        return grad * 2 * (kept if ctx.which == "x" else kept.sqrt()), None, None


def gradient_after_a_change(which, saved):
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 1
    out = Keep.apply(y, which, saved)
    with torch.no_grad():
        (y if which == "x" else out).mul_(100)
    try:
        out.backward()
    except RuntimeError as error:
        return "error: " + str("modified by an inplace operation" in str(error))
    return x.grad.item()


for which in ("x", "out"):
    for saved in (False, True):
        print(f"{which:4}saved {saved!s:6}x.grad", gradient_after_a_change(which, saved))

# %% [markdown]
# The right gradient is 4. With an attribute it is 400 or 40, and nobody says a word. Now the ring,
# seen by a **weak reference**: it leads to the node without keeping it alive.

# %% [markdown] lang="ru"
# Верный градиент — 4. С атрибутом он 400 или 40, и никто не скажет ни слова. Теперь кольцо: его
# видно по **слабой ссылке**, которая ведёт к узлу, но не держит его.

# %%
import gc
import weakref


def node_after_delete(which, saved):
    out = Keep.apply(torch.tensor(2.0, requires_grad=True), which, saved)
    node = weakref.ref(out.grad_fn)
    del out
    return "gone" if node() is None else "stays"


gc.disable()
for which in ("x", "out"):
    for saved in (False, True):
        print(f"{which:4}saved {saved!s:6}", node_after_delete(which, saved))
gc.enable()
print("found by the cycle collector:", gc.collect() > 0)

# %% [markdown]
# In a training loop such a ring keeps one graph per step until the collector comes by: the memory
# climbs and falls like a saw.

# %% [markdown] lang="ru"
# В цикле обучения такое кольцо удерживает по графу на шаг, пока не придёт сборщик: память растёт и
# падает пилой.

# %% [markdown]
# ## 6 · Not more than was asked for
#
# `ctx.needs_input_grad` has one entry per argument: is a gradient wanted? If not, return `None` and
# save the work. A product by hand, as the built-in one does it (lesson 06):

# %% [markdown] lang="ru"
# ## 6 · Не больше, чем просили
#
# В `ctx.needs_input_grad` по записи на аргумент: нужен ли градиент? Если нет, верните `None` и не
# работайте зря. Произведение вручную, как его делает встроенное (урок 06):

# %%
class Product(Function):
    @staticmethod
    def forward(ctx, a, b):
        print("forward: ", ctx.needs_input_grad)
        needs_a, needs_b = ctx.needs_input_grad
        ctx.save_for_backward(a if needs_b else None, b if needs_a else None)
        return a @ b

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return (None if b is None else grad @ b.t(), None if a is None else a.t() @ grad)


data = torch.ones(3, 2)
W = torch.ones(2, 2, requires_grad=True)
out = Product.apply(data, W)
print("saved:   ", [t if t is None else tuple(t.shape) for t in out.grad_fn.saved_tensors])
out.sum().backward()
print("W.grad:  ", W.grad.tolist())

# %% [markdown]
# ## 7 · What gradcheck does not see
#
# √(x² + 1) is a smooth form of |x|. Its slope is x / √(x² + 1). Somebody wrote:

# %% [markdown] lang="ru"
# ## 7 · Чего не видит gradcheck
#
# √(x² + 1) — гладкая форма |x|. Её наклон x / √(x² + 1). Кто-то написал:

# %%
class SmoothAbs(Function):
    @staticmethod
    def forward(ctx, x):
        out = (x * x + 1).sqrt()
        ctx.save_for_backward(out)
        return out

    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return grad * (out * out - 1).sqrt() / out


print(passes(SmoothAbs.apply, 0.5, 1.0, 2.0))

# %% [markdown]
# It saves only its output and gets x back as √(out² - 1). Gradcheck is content. You should not be.
#
# **Exercise 08.5.** Find a value at which `SmoothAbs` fails its test. What must be saved instead?

# %% [markdown] lang="ru"
# Сохраняется только выход, а x восстанавливается как √(out² - 1). gradcheck доволен. А вам не
# стоит.
#
# **Упражнение 08.5.** Найдите значение, при котором `SmoothAbs` не проходит проверку. Что надо было
# сохранить?

# %% tags=["exercise"] exercise="08.5"
culprit = None  # a number

# %% tags=["solution"] exercise="08.5"
culprit = -1.0

# %% tags=["check"] exercise="08.5"
tried = {"at 0.5": passes(SmoothAbs.apply, 0.5)}
tried["at the culprit"] = None if culprit is None else passes(SmoothAbs.apply, culprit)
check("08.5", tried)

# %% [markdown]
# The output does not know the sign of its input: out = √2 at x = 1 and at x = -1. An operation may
# save its output only if its slope can be read off it everywhere. exp and tanh can; this one needs
# `x`. Gradcheck speaks for the points that you give it. Give it both signs, 0, and the places where
# the formula changes.

# %% [markdown] lang="ru"
# Выход не знает знака своего входа: out = √2 и при x = 1, и при x = -1. Операция может сохранять
# выход, только если по нему всюду можно узнать наклон. У exp и tanh можно; этой нужен `x`.
# gradcheck говорит о тех точках, которые ему дали. Давайте оба знака, 0 и места, где формула
# меняется.

# %% [markdown]
# ## 8 · Your own experiment
#
# **How do I add an operation, and what must I save?** A class with `forward` and `backward`; save
# with `save_for_backward` whatever the slope needs, input or output; then let gradcheck look at all
# sorts of points.
#
# **Exercise 08.6.** Change `Own` into an operation that you like, with its slope. Predict the slope
# at x = 2. The check compares your number, what `backward` gives, and what gradcheck says.

# %% [markdown] lang="ru"
# ## 8 · Ваш опыт
#
# **Как добавить операцию и что она должна сохранить?** Класс с `forward` и `backward`; через
# `save_for_backward` сохраните то, что нужно наклону, вход или выход; а потом дайте gradcheck самые
# разные точки.
#
# **Упражнение 08.6.** Сделайте из `Own` операцию по своему вкусу, вместе с наклоном. Предскажите
# наклон в точке x = 2. Проверка сравнивает ваше число, результат `backward` и ответ gradcheck.

# %% tags=["exercise"] exercise="08.6"
class Own(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x ** 3  # change this line

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x ** 2  # and this one


predicted = None  # the slope at 2

# %% tags=["solution"] exercise="08.6"
class Own(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(out := 1 / (1 + x * x))
        return out
    @staticmethod
    def backward(ctx, grad):
        (out,) = ctx.saved_tensors
        return grad * -2 * out * out * ((1 - out) / out).sqrt()
predicted = -4 / 25

# %% tags=["check"] exercise="08.6"
x = torch.tensor(2.0, requires_grad=True)
Own.apply(x).backward()
check("08.6", [[predicted, True], [x.grad, passes(Own.apply, 0.5, 2.0)]])
