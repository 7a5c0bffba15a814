# %% [markdown]
# # 05 · .grad: who writes it, when, and how
#
# **Question: why do gradients pile up?**
#
# Time: about 45 minutes. You need lesson 04: leaves, slots, the order of nodes.
#
# You watch the one node that writes `.grad`, spoil a training loop by leaving out one line, and
# then put the piling up to use. In the last cell you predict a pile of your own.

# %% [markdown] lang="ru"
# # 05 · .grad: кто его пишет, когда и как
#
# **Вопрос: почему градиенты накапливаются?**
#
# Время: около 45 минут. Нужен урок 04: листья, слоты, порядок узлов.
#
# Вы наблюдаете за единственным узлом, который пишет `.grad`, портите цикл обучения, пропустив одну
# строку, а потом пускаете накопление в дело. В последней ячейке вы предсказываете свою сумму.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 45 minutes; in 25, leave out sections 3, 7 and 8. Sections 1, 2 and 5 carry
# the lesson. Any training loop of your course can take the place of `broken` in section 5: leave
# out one clearing line and change the three numbers of 05.3. What learners believe at first: a
# second `backward` replaces `.grad` (05.1), a kept `.grad` is a record of one pass (section 3), and
# `None` is a shorter way to write zero (section 4). In 05.4 the common fault is the mean of each
# part without its weight; parts of three and one find it. Section 8 has the one place where torch
# 2.13 and its reference text part: a mapping that is not exactly a dict is refused as `inputs`.

# %% [markdown]
# ## 1 · One writer
#
# Every leaf has a node of its own, **AccumulateGrad**. It is the only node that writes `.grad`.
# Take the smallest program, and run it more than once:
#
# ```python
# x = torch.tensor(2.0, requires_grad=True)
# (x * x).backward()     # first
# (x * x).backward()     # second
# x.grad = None
# (x * x).backward()     # after None
# x.grad.zero_()
# (x * x).backward()     # after zero_
# ```
#
# Each of these lines makes a new graph, so nothing is used up. The slope of x · x at 2 is 4.
#
# **Exercise 05.1.** Predict `x.grad` after each of the four passes.

# %% [markdown] lang="ru"
# ## 1 · Один писатель
#
# У каждого листа есть свой узел, **AccumulateGrad**. Только он и пишет `.grad`.
# Возьмём самую маленькую программу и выполним её несколько раз:
#
# ```python
# x = torch.tensor(2.0, requires_grad=True)
# (x * x).backward()     # first
# (x * x).backward()     # second
# x.grad = None
# (x * x).backward()     # after None
# x.grad.zero_()
# (x * x).backward()     # after zero_
# ```
#
# Каждая такая строка строит новый граф, поэтому ничего не израсходовано. Наклон x · x в точке 2
# равен 4.
#
# **Упражнение 05.1.** Предскажите `x.grad` после каждого из четырёх проходов.

# %% tags=["exercise"] exercise="05.1"
pile = {"first": None, "second": None, "after None": None, "after zero_": None}

# %% tags=["solution"] exercise="05.1"
pile = {"first": 4, "second": 8, "after None": 4, "after zero_": 4}

# %% tags=["check"] exercise="05.1"
check("05.1", pile)

# %% [markdown]
# Now step through the first pass. The table of leaves below the picture has two columns, `.grad`
# before the pass and now.

# %% [markdown] lang="ru"
# Теперь пройдите первый проход по шагам. В таблице листьев под картинкой два столбца: `.grad` до
# прохода и сейчас.

# %% tags=["stepper", "nbval-ignore-output"]
x = torch.tensor(2.0, requires_grad=True)
L = x * x
first_pass = show(L)
first_pass

# %%
first_pass.finish()
first = x.grad
print(x.grad)

# %% [markdown]
# And the second pass. Watch the last line of the text: which number was there, which one came,
# and into which tensor did it go?

# %% [markdown] lang="ru"
# И второй проход. Смотрите на таблицу листьев в тексте: что там было, что пришло и в какой тензор
# оно попало?

# %% tags=["stepper"]
L = x * x
second_pass = show(L)
second_pass.finish()
print(second_pass.text())

# %%
second_pass.finish()
print(x.grad, first)

# %% [markdown]
# **Explain.** AccumulateGrad has two ways to write:
#
# * `.grad` is `None`: the gradient that arrived **becomes** `.grad`.
# * `.grad` is a tensor: the gradient is **added to it, in place**.
#
# The second pass did not make a second tensor. `first` was 4 when you kept it; it is the same
# tensor, so now it reads 8.

# %% [markdown] lang="ru"
# **Объясните.** AccumulateGrad пишет двумя способами:
#
# * `.grad` равен `None`: пришедший градиент **становится** `.grad`.
# * `.grad` — тензор: градиент **прибавляется к нему на месте** (in-place).
#
# Второй проход не создал второго тензора. Когда вы сохранили `first`, в нём было 4; это тот же
# тензор, поэтому теперь в нём 8.

# %% [markdown]
# ## 2 · Why add?
#
# In lesson 04 the leaf `a` was used twice in one program, received 16 and 48, and wrote 64.
# Two passes are the same case: `x` is used in two losses.

# %% [markdown] lang="ru"
# ## 2 · Зачем прибавлять?
#
# В уроке 04 лист `a` был использован в программе дважды, получил 16 и 48 и записал 64.
# Два прохода — тот же случай: `x` использован в двух функциях потерь.

# %%
x = torch.tensor(2.0, requires_grad=True)
(x * x).backward()
(x * 5).backward()
print("two passes: ", x.grad)

x.grad = None
(x * x + x * 5).backward()
print("one pass:   ", x.grad)

# %% [markdown]
# The derivative of a sum is the sum of the derivatives: 4 + 5 = 9.
# So `.grad` always answers one question: **what is the slope of the sum of all losses that you have
# called `backward` on since `.grad` was last cleared?**
#
# Nobody but you knows when a new sum should begin. So nobody but you clears it.

# %% [markdown] lang="ru"
# Производная суммы равна сумме производных: 4 + 5 = 9.
# Поэтому `.grad` всегда отвечает на один вопрос: **каков наклон суммы всех функций потерь, для
# которых вы вызвали `backward` с тех пор, как `.grad` последний раз очистили?**
#
# Кроме вас, никто не знает, когда должна начаться новая сумма. Поэтому, кроме вас, никто её и не
# очищает.

# %% [markdown]
# ## 3 · The same tensor, or a new one?
#
# Somebody wants to keep the gradient of every pass. Predict what is printed.

# %% [markdown] lang="ru"
# ## 3 · Тот же тензор или новый?
#
# Кто-то хочет сохранить градиент каждого прохода. Предскажите, что напечатается.

# %%
x = torch.tensor([1.0, 2.0], requires_grad=True)
history = []
for scale in (1.0, 10.0):
    (x * scale).sum().backward()
    history.append(x.grad)
print([grad.tolist() for grad in history])

# %% [markdown]
# The list holds one tensor twice: `history[0] is history[1]`. To keep a value, write
# `history.append(x.grad.clone())`.
#
# **Exercise 05.2.** In `second(between)`, a pass runs, its `.grad` is kept, `between` does
# something, and a second pass runs. Is `.grad` then the `"same"` tensor as before, or a `"new"`
# one?
#
# | case | between the passes | second pass |
# |---|---|---|
# | `nothing` | nothing | plain |
# | `None` | `x.grad = None` | plain |
# | `zero_` | `x.grad.zero_()` | plain |
# | `zero_grad` | `torch.optim.SGD([x], lr=0.1).zero_grad()` | plain |
# | `create_graph` | nothing | with `create_graph=True` |

# %% [markdown] lang="ru"
# В списке дважды один и тот же тензор: `history[0] is history[1]`. Чтобы сохранить значение, пишите
# `history.append(x.grad.clone())`.
#
# **Упражнение 05.2.** В `second(between)` выполняется проход, его `.grad` запоминается, `between`
# что-то делает, и идёт второй проход. Останется ли `.grad` тем же тензором (`"same"`) или это новый
# (`"new"`)?
#
# | случай | между проходами | второй проход |
# |---|---|---|
# | `nothing` | ничего | обычный |
# | `None` | `x.grad = None` | обычный |
# | `zero_` | `x.grad.zero_()` | обычный |
# | `zero_grad` | `torch.optim.SGD([x], lr=0.1).zero_grad()` | обычный |
# | `create_graph` | ничего | с `create_graph=True` |

# %% tags=["exercise"] exercise="05.2"
tensor_is = {
    "nothing": None,
    "None": None,
    "zero_": None,
    "zero_grad": None,
    "create_graph": None,
}

# %% tags=["solution"] exercise="05.2"
tensor_is = {
    "nothing": "same",
    "None": "new",
    "zero_": "same",
    "zero_grad": "new",
    "create_graph": "new",
}

# %% tags=["check"] exercise="05.2"
check("05.2", tensor_is)

# %%
import warnings

warnings.filterwarnings("ignore", message=".*create_graph")  # what it warns of: lesson 12


def second(between, create_graph=False):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * x).sum().backward()
    before = x.grad
    between(x)
    (x * x).sum().backward(create_graph=create_graph)
    return "same" if x.grad is before else "new"


print("nothing     ", second(lambda x: None))
print("None        ", second(lambda x: setattr(x, "grad", None)))
print("zero_       ", second(lambda x: x.grad.zero_()))
print("zero_grad   ", second(lambda x: torch.optim.SGD([x], lr=0.1).zero_grad()))
print("create_graph", second(lambda x: None, create_graph=True))

# %% [markdown]
# `zero_grad()` sets `.grad` to `None`, whatever its name says.
#
# With `create_graph=True` the sum has a graph of its own (lesson 12). A tensor that somebody may
# still differentiate must not be changed in place, so a new one is made and the old one keeps its
# value. That is the third and last way of AccumulateGrad.

# %% [markdown] lang="ru"
# `zero_grad()` ставит в `.grad` значение `None`, что бы ни говорило имя.
#
# При `create_graph=True` у суммы есть свой граф (урок 12). Тензор, который кто-то ещё может
# дифференцировать, нельзя менять на месте, поэтому создаётся новый, а старый сохраняет значение.
# Это третий и последний способ AccumulateGrad.

# %% [markdown]
# ## 4 · None is not zero
#
# `None` says: no gradient has come since the last clearing. Zero says: one has come, and it was 0.
# Who would notice? An optimizer. `weight_decay=0.5` pulls every weight towards 0 in each step.
# `p` and `q` both start at 1. Neither is used in any loss. Predict both after one step.

# %% [markdown] lang="ru"
# ## 4 · None — это не ноль
#
# `None` значит: с последней очистки градиента не было. Ноль значит: градиент был, и он равен 0.
# Кто заметит разницу? Оптимизатор. `weight_decay=0.5` на каждом шаге тянет каждый вес к нулю.
# `p` и `q` начинают с 1. Ни один не входит ни в какую функцию потерь. Предскажите оба после
# одного шага.

# %%
p = torch.tensor(1.0, requires_grad=True)
q = torch.tensor(1.0, requires_grad=True)
q.grad = torch.tensor(0.0)
optimizer = torch.optim.SGD([p, q], lr=0.1, weight_decay=0.5)
optimizer.step()
print("p:", round(p.item(), 4), " q:", round(q.item(), 4))

# %% [markdown]
# A weight without a gradient is skipped; a weight with the gradient 0 moves: 1 - 0.1 · 0.5 = 0.95.
# In a network with a branch that is switched off, `None` leaves the branch alone. Zero lets it
# decay.

# %% [markdown] lang="ru"
# Вес без градиента пропускается; вес с градиентом 0 сдвигается: 1 - 0,1 · 0,5 = 0,95.
# В сети с отключённой ветвью `None` не трогает её веса. Ноль даёт им затухать.

# %% [markdown]
# ## 5 · The missing line
#
# A line through the origin, four points on it, slope 3. `train` fits `w`, with or without clearing.
# Predict: without clearing, will the loss fall more slowly, faster, or not at all?

# %% [markdown] lang="ru"
# ## 5 · Пропущенная строка
#
# Прямая через начало координат, на ней четыре точки, наклон 3. `train` подбирает `w`, с очисткой
# или без. Предскажите: без очистки loss падает медленнее, быстрее или не падает вовсе?

# %%
xs = torch.tensor([0.0, 1.0, 2.0, 3.0])
ys = 3 * xs


def train(clear, momentum=0.0):
    w = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.05, momentum=momentum)
    losses = []
    for _ in range(24):
        loss = ((w * xs - ys) ** 2).mean()
        if clear:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


cleared, piled = train(clear=True), train(clear=False)
print("cleared:", [round(loss, 2) for loss in cleared[:8]])
print("piled:  ", [round(loss, 2) for loss in piled[:8]])

# %%
from matplotlib.figure import Figure

fig = Figure(figsize=(7.5, 3.2), layout="constrained")
ax = fig.subplots()
ax.plot(piled, "o--", color="tab:orange", label="never cleared")
ax.plot(cleared, "s-", color="tab:blue", label="cleared in every step")
ax.legend(loc="upper right")
ax.set(xlabel="step", ylabel="loss", title="The same loop, with and without one line")
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
from base64 import b64encode
from io import BytesIO

from IPython.display import Image

png = BytesIO()
fig.savefig(png, format="png", dpi=100)
alt = (
    "Loss over 24 steps. Cleared in every step, it falls from 31.5 to below 0.1 within 7 steps. "
    "Never cleared, it swings between about 0 and 34 all the time."
)
Image(url="data:image/png;base64," + b64encode(png.getvalue()).decode(), alt=alt)

# %% [markdown]
# *Figure: the loss of 24 training steps. Cleared, it is below 0.1 after 7 steps. Never cleared, it
# swings between almost 0 and 34 and does not settle.*
#
# **Explain.** Without clearing, each step moves by the sum of all gradients so far. When `w`
# reaches 3 the newest gradient is 0, but the pile is not: `w` runs past 3, and back, without end.
# There is a name for moving by the sum of all past gradients: momentum 1, no friction. The two
# programs give the same numbers:

# %% [markdown] lang="ru"
# *Рисунок: loss за 24 шага обучения. С очисткой он меньше 0,1 уже после 7 шагов. Без очистки
# качается почти от 0 до 34 и не успокаивается.*
#
# **Объясните.** Без очистки каждый шаг сдвигает на сумму всех прошлых градиентов. Когда `w` доходит
# до 3, новый градиент равен 0, а накопленная сумма — нет: `w` проскакивает 3, возвращается, и так
# без конца. У движения по сумме всех прошлых градиентов есть имя: momentum 1, без трения.
# Обе программы дают одни и те же числа:

# %%
print(train(clear=True, momentum=1.0) == piled)

# %% [markdown]
# There is no error message for this fault. Here is a loop without an optimizer, for the points
# y = 3·x + 1. Done right, it is at `w` = 2.87, `b` = 1.24 after 10 steps.

# %% [markdown] lang="ru"
# Сообщения об этой ошибке нет. Вот цикл без оптимизатора, для точек y = 3·x + 1.
# Правильный цикл после 10 шагов даёт `w` = 2,87, `b` = 1,24.

# %%
def broken(steps):
    w, b = (torch.tensor(0.0, requires_grad=True) for _ in "wb")
    for _ in range(steps):
        ((w * xs + b - (3 * xs + 1)) ** 2).mean().backward()
        with torch.no_grad():
            w -= 0.05 * w.grad
            b -= 0.05 * b.grad
        w.grad = None
    return [w.item(), b.item()]


for steps in (10, 100):
    print(steps, "steps:", [round(value, 2) for value in broken(steps)])

# %% [markdown]
# After 10 steps `b` is at 5.1, after 100 both are right: here the fault even hides.
#
# **Exercise 05.3.** Find the missing line and write `fit(steps)`: `broken`, repaired.

# %% [markdown] lang="ru"
# После 10 шагов `b` равно 5,1, после 100 верны оба: здесь ошибка ещё и прячется.
#
# **Упражнение 05.3.** Найдите пропущенную строку и напишите `fit(steps)`: исправленный `broken`.

# %% tags=["exercise"] exercise="05.3"
fit = None  # def fit(steps): ...

# %% tags=["solution"] exercise="05.3"
def fit(steps):
    w, b = (torch.tensor(0.0, requires_grad=True) for _ in "wb")
    for _ in range(steps):
        ((w * xs + b - (3 * xs + 1)) ** 2).mean().backward()
        with torch.no_grad():
            w -= 0.05 * w.grad
            b -= 0.05 * b.grad
        w.grad = None
        b.grad = None
    return [w.item(), b.item()]

# %% tags=["check"] exercise="05.3"
check("05.3", fit)

# %% [markdown]
# `w` was cleared, `b` was not. Each leaf has its own AccumulateGrad and its own pile.

# %% [markdown] lang="ru"
# `w` очищали, `b` — нет. У каждого листа свой AccumulateGrad и своя сумма.

# %% [markdown]
# ## 6 · Piling up on purpose
#
# A batch that is too large for the memory can be cut into parts: one `backward` per part, **no**
# clearing between them, one optimizer step at the end. What the graph of a part keeps is freed
# before the next part begins (lesson 06 counts the bytes).
#
# `whole()` is the gradient of all four points at once.

# %% [markdown] lang="ru"
# ## 6 · Накопление в дело
#
# Пакет (batch), который не помещается в память, можно разрезать на части: по `backward` на часть,
# между ними **никакой** очистки, в конце один шаг оптимизатора. То, что хранит граф части,
# освобождается раньше, чем начнётся следующая (байты считает урок 06).
#
# `whole()` — градиент по всем четырём точкам сразу.

# %%
def whole():
    w = torch.tensor(0.0, requires_grad=True)
    ((w * xs - ys) ** 2).mean().backward()
    return w.grad


print(whole())

# %% [markdown]
# **Exercise 05.4.** Write `in_parts(size)`: the same gradient, but with one `backward` per part of
# `size` points (the last part may be smaller). Mind that `mean` divides by the size of the part,
# while `whole` divides by 4.

# %% [markdown] lang="ru"
# **Упражнение 05.4.** Напишите `in_parts(size)`: тот же градиент, но по одному `backward` на часть
# из `size` точек (последняя часть может быть меньше). Учтите: `mean` делит на размер части, а
# `whole` делит на 4.

# %% tags=["exercise"] exercise="05.4"
def in_parts(size):
    ...

# %% tags=["solution"] exercise="05.4"
def in_parts(size):
    w = torch.tensor(0.0, requires_grad=True)
    for start in range(0, len(xs), size):
        part = slice(start, start + size)
        loss = ((w * xs[part] - ys[part]) ** 2).sum() / len(xs)
        loss.backward()
    return w.grad

# %% tags=["check"] exercise="05.4"
check("05.4", in_parts)

# %% [markdown]
# ## 7 · Where the numbers lie
#
# "The gradient that arrived becomes `.grad`": is it copied? Look at the table of leaves.

# %% [markdown] lang="ru"
# ## 7 · Где лежат числа
#
# «Пришедший градиент становится `.grad`»: копируется ли он? Посмотрите на таблицу листьев.

# %% tags=["stepper"]
x = torch.ones(3, requires_grad=True)
weights = torch.tensor([1.0, 10.0, 100.0])
same = x.view_as(x)
shared = show(same, gradient=weights)
shared.finish()
print(shared.text())

# %%
shared.finish()
weights.zero_()
print(x.grad)

# %% [markdown]
# No copy was made: a view passes its gradient on unchanged, and the first gradient may be taken as
# it is. So the tensor that you handed in *is* now `x.grad`, and clearing it cleared the gradient.
# Hand in a clone if you want to use the tensor again.
#
# A tensor's **strides** say how far to go in memory to reach the next row and the next column.
# `torch.zeros(4, 3)` has strides (3, 1). Its transpose is the same memory, read with (1, 3).
# Which strides does a new `.grad` have? Two rules:
#
# 1. The leaf fills its memory without gaps and overlaps: `.grad` gets the strides of the leaf.
# 2. Otherwise `.grad` is laid out row after row.
#
# And a `.grad` that is there already keeps its strides: adding in place moves nothing.
#
# **Exercise 05.5.** Give the strides of `.grad` after one pass, as a list.
#
# | case | leaf | strides of the leaf |
# |---|---|---|
# | `transposed` | `torch.zeros(4, 3).t()` | (1, 3) |
# | `every other` | `torch.zeros(8)[::2]` | (2,) |
# | `expanded` | `torch.zeros(1, 3).expand(4, 3)` | (0, 1) |
# | `grad was there` | `torch.zeros(4, 3)`, with `.grad = torch.zeros(3, 4).t()` | (3, 1) |

# %% [markdown] lang="ru"
# Копии не было: представление (view) передаёт градиент дальше без изменений, и первый градиент
# можно взять как есть. Значит, тензор, который вы передали, теперь *и есть* `x.grad`, и, обнулив
# его, вы обнулили градиент. Если тензор ещё нужен, передавайте клон.
#
# **Strides** тензора говорят, на сколько чисел надо сдвинуться в памяти до следующей строки и до
# следующего столбца. У `torch.zeros(4, 3)` strides (3, 1). Транспонированный тензор — та же память,
# прочитанная с (1, 3). Какие strides у нового `.grad`? Два правила:
#
# 1. Лист заполняет свою память без пропусков и наложений: `.grad` получает strides листа.
# 2. Иначе `.grad` лежит строка за строкой.
#
# А если `.grad` уже есть, он сохраняет свои strides: прибавление на месте ничего не переставляет.
#
# **Упражнение 05.5.** Назовите strides у `.grad` после одного прохода, списком.
#
# | случай | лист | strides листа |
# |---|---|---|
# | `transposed` | `torch.zeros(4, 3).t()` | (1, 3) |
# | `every other` | `torch.zeros(8)[::2]` | (2,) |
# | `expanded` | `torch.zeros(1, 3).expand(4, 3)` | (0, 1) |
# | `grad was there` | `torch.zeros(4, 3)`, уже с `.grad = torch.zeros(3, 4).t()` | (3, 1) |

# %% tags=["exercise"] exercise="05.5"
strides = {
    "transposed": None,
    "every other": None,
    "expanded": None,
    "grad was there": None,
}

# %% tags=["solution"] exercise="05.5"
strides = {
    "transposed": [1, 3],
    "every other": [1],
    "expanded": [3, 1],
    "grad was there": [1, 4],
}

# %% tags=["check"] exercise="05.5"
check("05.5", strides)

# %%
warnings.filterwarnings("ignore", message="grad and param")  # what it warns of: see below


def strides_of_grad(leaf, grad=None):
    leaf.requires_grad_()
    leaf.grad = grad
    (leaf * leaf).sum().backward()
    return leaf.grad.stride()


print("transposed    ", strides_of_grad(torch.zeros(4, 3).t()))
print("every other   ", strides_of_grad(torch.zeros(8)[::2]))
print("expanded      ", strides_of_grad(torch.zeros(1, 3).expand(4, 3)))
print("grad was there", strides_of_grad(torch.zeros(4, 3), grad=torch.zeros(3, 4).t()))

# %% [markdown]
# In the last case the leaf is read row by row and its `.grad` column by column. The numbers are
# right, but an optimizer jumps about in memory. Torch 2.13 warns of it: "grad and param do not obey
# the gradient layout contract".

# %% [markdown] lang="ru"
# В последнем случае лист читается по строкам, а его `.grad` по столбцам. Числа верны, но
# оптимизатор скачет по памяти. Torch 2.13 об этом предупреждает: «grad and param do not obey the
# gradient layout contract».

# %% [markdown]
# ## 8 · Tensors that are not leaves
#
# Only leaves have an AccumulateGrad. A tensor in the middle gets its gradient, passes it on, and
# forgets it. Two ways to keep it. The first: say so beforehand.

# %% [markdown] lang="ru"
# ## 8 · Тензоры, которые не листья
#
# AccumulateGrad есть только у листьев. Тензор посередине получает градиент, передаёт его дальше и
# забывает. Сохранить его можно двумя способами. Первый: сказать об этом заранее.

# %%
x = torch.tensor(2.0, requires_grad=True)
m = x * x
m.retain_grad()
(m * 3).backward()
print("m.grad:", m.grad, " x.grad:", x.grad)

# %% [markdown]
# The second: name it in `inputs=`. Then `.grad` is written for what you name and for nothing else.

# %% [markdown] lang="ru"
# Второй: назвать его в `inputs=`. Тогда `.grad` пишется для названного и больше ни для чего.

# %%
x = torch.tensor(2.0, requires_grad=True)
m = x * x
(m * 3).backward(inputs=[m])
print("m.grad:", m.grad, " x.grad:", x.grad)

# %% [markdown]
# `inputs` may be a dict too, so that `dict(model.named_parameters())` fits. The reference text says
# "a dict of tensors". Torch 2.13 means it to the letter: another mapping is refused, even one that
# Python itself counts as a dict.

# %% [markdown] lang="ru"
# `inputs` может быть и словарём: так подходит `dict(model.named_parameters())`. В справочнике
# сказано «словарь тензоров». Torch 2.13 понимает это буквально: другое отображение он не берёт,
# даже такое, которое сам Python считает словарём.

# %%
from collections import OrderedDict

named = OrderedDict(x=x)
print("a dict for Python:", isinstance(named, dict))
try:
    (x * 3).backward(inputs=named)
except TypeError as error:
    print("TypeError:", "must be a dict, not OrderedDict" in str(error))
(x * 3).backward(inputs=dict(named))
print(x.grad)

# %% [markdown]
# ## 9 · Your own experiment
#
# **Why do gradients pile up?** Because `.grad` is the slope of a sum, and every `backward` adds one
# more loss to that sum. Test it with losses of your own.
#
# **Exercise 05.6.** Change `one` and `two`. Predict `x.grad` after a pass of each, at x = 2, with
# no clearing between them. The check also runs one pass over the sum, and all three must agree.

# %% [markdown] lang="ru"
# ## 9 · Ваш опыт
#
# **Почему градиенты накапливаются?** Потому что `.grad` — наклон суммы, и каждый `backward`
# добавляет к этой сумме ещё одно слагаемое. Проверьте на своих функциях.
#
# **Упражнение 05.6.** Измените `one` и `two`. Предскажите `x.grad` в точке x = 2 после прохода по
# каждой, без очистки между ними. Проверка делает ещё один проход, по сумме; все три числа должны
# совпасть.

# %% tags=["exercise"] exercise="05.6"
def one(x):
    return x * x  # change this line


def two(x):
    return x * 5  # and this one


predicted = None  # x.grad after both passes

# %% tags=["solution"] exercise="05.6"
def one(x):
    return x ** 3


def two(x):
    return 1 / x


predicted = 3 * 2.0**2 - 1 / 2.0**2

# %% tags=["check"] exercise="05.6"
x = torch.tensor(2.0, requires_grad=True)
one(x).backward()
two(x).backward()
of_sum = torch.autograd.grad(one(x) + two(x), x)[0]
check("05.6", [[predicted, predicted], [x.grad, of_sum]])
