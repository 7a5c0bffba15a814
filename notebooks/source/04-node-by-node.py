# %% [markdown]
# # 04 · Node by node
#
# **Question: in what order does backward run, and why?**
#
# Time: about 45 minutes. You need lesson 00: nodes, slots, Step.
#
# You predict the order of four programs, measure it with three short functions, and find the
# three rules behind it. In the last cell you predict the order of a program of your own.

# %% [markdown] lang="ru"
# # 04 · Узел за узлом
#
# **Вопрос: в каком порядке идёт обратный проход и почему?**
#
# Время: около 45 минут. Нужен урок 00: узлы, слоты, Step.
#
# Вы предсказываете порядок четырёх программ, измеряете его тремя короткими функциями и находите
# три правила, которые за ним стоят. В последней ячейке вы предсказываете порядок своей программы.

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

# %% [markdown] lang="ru"
# ## 1 · Ромб
#
# `a` используется дважды: в `c` и в `d`. Поэтому от `L` к `a` ведут два пути.

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

# %% [markdown] lang="ru"
# Прежде чем выполнить первый узел, движок один раз обходит граф и считает:
# **сколько градиентов получит каждый узел?** Это число — **счётчик ожидания** узла.
# Он равен числу использований на пути к `L`. `c` используется один раз, в `d`: его счётчик 1.
#
# **Упражнение 04.1.** Назовите счётчики. Учтите: в `L = d * d` тензор `d` стоит с обеих сторон.

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

# %% [markdown] lang="ru"
# **Правило 1. Узел может выполняться, когда его счётчик ожидания дошёл до 0.**
# Каждый прибывший градиент уменьшает счётчик на 1 и ждёт в слоте узла.
# Узел со счётчиком 0 **готов**.
#
# **Упражнение 04.2.** В каком порядке выполняются пять узлов? `L` — корень, он начинает.
# Последние два готовы на одном и том же шаге; тогда первым идёт тот, кому отправили раньше.

# %% tags=["exercise"] exercise="04.2"
predicted = ["L", None, None, None, None]

# %% tags=["solution"] exercise="04.2"
predicted = ["L", "d", "c", "a", "b"]

# %% tags=["check"] exercise="04.2"
check("04.2", predicted)

# %% [markdown]
# Now step. Look at the slots of `a`: after two steps it holds 16 and waits for one more.
#
# Press <kbd>N</kbd> to take smaller steps: one **event** at a time. Then you see `d` send to `c`
# and to `a` one after the other, and the count of `c` come down to 0 in between.

# %% [markdown] lang="ru"
# Теперь шагайте. Следите за слотами `a`: после двух шагов там 16, и ждать ещё одного.
#
# Нажмите <kbd>N</kbd>, чтобы шаги стали мельче: по одному **событию**. Тогда видно, как `d`
# отправляет сначала в `c`, потом в `a`, и как между этим счётчик `c` доходит до 0.

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
# Had `a` run right after `d`, it would have written 16, and later 48 on top: twice the work, and in
# between a wrong number.

# %% [markdown] lang="ru"
# **Объясните.** `a` получил 16 от `d` и 16 · 3 = 48 от `c`. Он выполнился один раз, с числом 64.
# Если бы `a` выполнился сразу после `d`, он записал бы 16, а потом добавил 48: работы вдвое больше,
# а в промежутке — неверное число.

# %% [markdown]
# ## 2 · A measuring instrument
#
# The stepper shows the order. To compare many programs, let the nodes report themselves:
# a **hook** on a node is a function that is called each time the node has run (more in lesson 10).
# `order` puts one hook on every node, calls `backward`, and returns the log.

# %% [markdown] lang="ru"
# ## 2 · Измерительный прибор
#
# Степпер показывает порядок. Чтобы сравнить много программ, пусть узлы сообщают о себе сами:
# **хук** на узле — функция, которая вызывается, когда узел выполнился (подробнее в уроке 10).
# `order` ставит хук на каждый узел, вызывает `backward` и возвращает журнал.

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

# %% [markdown] lang="ru"
# Снова ромб. Граф раздела 1 израсходован, поэтому строки прямого прохода выполняются ещё раз.

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

# %% [markdown] lang="ru"
# ## 3 · Зачем ждать?
#
# Двадцать раз подряд возведём в квадрат. Каждый узел следующий использует дважды, поэтому число
# путей от корня к `t` удваивается 20 раз. Сколько раз выполнялись бы узлы, если бы каждый
# градиент шёл дальше сразу? А сколько выполнений со счётчиками ожидания?

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

# %% [markdown] lang="ru"
# 21 выполнение: каждый узел выполнился один раз, с суммой всего, что ему отправили.
# Правило узла линейно по полученному градиенту, поэтому «сложить, потом умножить» даёт то же
# число, что «умножить, потом сложить». Только дешевле: 21 выполнение вместо двух миллионов.

# %% [markdown]
# ## 4 · Leaves at once
#
# A linear layer with a bias. `x` does not ask for a gradient; `W` and `bias` do.

# %% [markdown] lang="ru"
# ## 4 · Листья сразу
#
# Линейный слой со сдвигом. `x` не просит градиента; `W` и `bias` просят.

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

# %% [markdown] lang="ru"
# `s` отправляет в `m` и в `bias` на одном шаге, и у обоих счётчик 1.
# Готовы два узла. Предскажите: какой пойдёт первым? Потом шагайте.

# %% tags=["stepper", "nbval-ignore-output"]
linear = show(loss)
linear

# %%
linear.finish()
print(bias.grad.tolist(), W.grad.tolist())

# %% tags=["stepper"]
print(linear.text())

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
# [[0, 1], [1, 0]] becomes [1, 1]. Choose `s` in the picture to see both (more in lesson 03).

# %% [markdown] lang="ru"
# **Правило 2. Готовый лист выполняется сразу, раньше любого другого готового узла.**
# Лист ничего не отправляет дальше, поэтому его никто не ждёт, и градиент из его слота можно убрать.
#
# И ещё одно: `s` получил массив формы (2, 2), а у `bias` форма (2,).
# В прямом проходе один сдвиг прибавлялся к обеим строкам. Это два использования, и строки
# складываются: из [[0, 1], [1, 0]] выходит [1, 1]. Выберите `s` на картинке и увидите оба
# (подробнее в уроке 03).

# %% [markdown]
# ## 5 · Latest first
#
# What if two nodes are ready and neither is a leaf?

# %% [markdown] lang="ru"
# ## 5 · Последний — первым
#
# Что, если готовы два узла и ни один из них не лист?

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

# %% [markdown] lang="ru"
# После `total` готовы и `p`, и `q`. Первым пошёл `q`.
#
# Предскажите: потому ли, что `q` стоит справа в `p + q`, или потому, что строка `q`
# выполнялась позже?
#
# **Упражнение 04.3.** Решите опытом. Напишите `two(a, b)`: те же три тензора с теми же
# значениями, но чтобы в обратном проходе `p` выполнялся раньше `q`.

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

# %% [markdown]
# **Rule 3. Otherwise the ready node that was made last runs first.**
# Each node gets a **sequence number** in forward, one higher than the node before it.
# The engine takes the highest one. Writing `q + p` changes nothing; swapping the lines does.
#
# The order changes only *when* a gradient is there, not its value:
# put `print(a.grad, b.grad)` before the `return` of `run` to see it.

# %% [markdown] lang="ru"
# **Правило 3. В остальных случаях первым идёт готовый узел, созданный последним.**
# В прямом проходе каждый узел получает **порядковый номер**, на единицу больше предыдущего.
# Движок берёт наибольший. Запись `q + p` ничего не меняет; перестановка строк меняет.
#
# Порядок меняет только то, *когда* градиент готов, но не его значение:
# поставьте `print(a.grad, b.grad)` перед `return` в `run` и посмотрите.

# %% [markdown]
# ## 6 · A recurrent network
#
# Three times the same step: `h = tanh(h * u + x)`. `u` and `x` are used three times each.

# %% [markdown] lang="ru"
# ## 6 · Рекуррентная сеть
#
# Трижды один и тот же шаг: `h = tanh(h * u + x)`. `u` и `x` используются по три раза.

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

# %% [markdown]
# Backward begins with `total`, `h3`, `s3`, `m3`, `h2`, ...
#
# **Exercise 04.4.** Which are the last four nodes, in order? Before them comes `h1`.
# `x` has waiting count 3 and has received two gradients by then; so has `u`.

# %% [markdown] lang="ru"
# Обратный проход начинается так: `total`, `h3`, `s3`, `m3`, `h2`, ...
#
# **Упражнение 04.4.** Какие четыре узла последние и в каком порядке? Перед ними идёт `h1`.
# У `x` счётчик 3, и к этому времени он получил два градиента; `u` тоже.

# %% tags=["exercise"] exercise="04.4"
last_four = [None, None, None, None]

# %% tags=["solution"] exercise="04.4"
last_four = ["s1", "x", "m1", "u"]

# %% tags=["check"] exercise="04.4"
check("04.4", last_four)

# %% [markdown]
# Now step, and watch the slots of `x` and `u` fill. Or choose `x` in the picture and press
# <kbd>B</kbd>: that is a breakpoint, and Run stops in front of it. `retain_graph=True` keeps the
# graph for a second pass (lesson 07).

# %% [markdown] lang="ru"
# Теперь шагайте и смотрите, как заполняются слоты `x` и `u`. Или выберите `x` на картинке и нажмите
# <kbd>B</kbd>: это точка останова, и Run остановится перед ним. `retain_graph=True` сохраняет граф
# для второго прохода (урок 07).

# %% tags=["stepper", "nbval-ignore-output"]
unrolled = show(total, retain_graph=True)
unrolled

# %%
unrolled.finish()
print(round(x.grad.item(), 4), round(u.grad.item(), 4))

# %% [markdown]
# How long does each gradient wait? Note who sends to whom, and let `order` run the second pass.

# %% [markdown] lang="ru"
# Сколько ждёт каждый градиент? Запишем, кто кому отправляет, и пусть `order` выполнит второй
# проход.

# %%
rnn["total"] = total
edges = [
    (label(node, rnn), label(receiver, rnn))
    for node in nodes(total)
    for receiver, _slot in node.next_functions
    if receiver is not None
]

# %%
ran = {name: step for step, name in enumerate(order(total, rnn), start=1)}
arrived = {name: [] for name in ran}
for sender, receiver in edges:
    arrived[receiver].append(ran[sender])
for name in ("s1", "x", "m1", "u"):
    print(f"{name:3} received in steps {sorted(arrived[name])}, ran in step {ran[name]}")

# %%
from matplotlib.figure import Figure

fig = Figure(figsize=(7.5, 3.8), layout="constrained")
ax = fig.subplots()
for row, (name, step) in enumerate(ran.items()):
    arrivals = sorted(arrived[name]) or [step]
    ax.plot([arrivals[0], step], [row, row], color="0.6", linewidth=6, solid_capstyle="butt")
    ax.plot(arrivals, [row] * len(arrivals), "o", color="black", markerfacecolor="white")
    ax.plot(step, row, "s", color="tab:blue", markersize=9)
ax.set_yticks(range(len(ran)), ran)
ax.set_xticks(range(1, len(ran) + 1))
ax.set(xlabel="step", title="Circle: a gradient arrives. Bar: it waits. Square: the node runs.")
ax.invert_yaxis()

# %% tags=["nbval-ignore-output"]
from base64 import b64encode
from io import BytesIO

from IPython.display import Image

png = BytesIO()
fig.savefig(png, format="png", dpi=100)
alt = (
    "Twelve rows, one per node, in the order in which they run. Eight rows have a bar of one step, "
    "m1 has one of two. The bars of x and u are long: steps 3 to 10 and steps 4 to 12."
)
Image(url="data:image/png;base64," + b64encode(png.getvalue()).decode(), alt=alt)

# %% [markdown]
# *Figure: how long gradients wait in the recurrent network. Eight nodes run one step after their
# gradient has arrived, `m1` after two. `x` holds its first gradient from step 3 to step 10,
# `u` from step 4 to step 12.*
#
# **Explain.** `x` is a leaf (rule 2), yet it ran almost last: it had to wait for its third gradient
# (rule 1), which `s1` sent in step 9. Then both `x` and `m1` were ready. `x` went first, and `m1`
# waited one step longer.
# Rule 1 decides who may run. Rules 2 and 3 only choose among those.

# %% [markdown] lang="ru"
# *Рисунок: сколько ждут градиенты в рекуррентной сети. Восемь узлов выполняются через шаг после
# прихода градиента, `m1` — через два. `x` держит первый градиент с шага 3 до шага 10,
# `u` — с шага 4 до шага 12.*
#
# **Объясните.** `x` — лист (правило 2), и всё же он почти последний: он ждал третий градиент
# (правило 1), который `s1` отправил на шаге 9. Тогда готовы были и `x`, и `m1`. `x` пошёл первым,
# а `m1` ждал на шаг дольше.
# Правило 1 решает, кому можно. Правила 2 и 3 только выбирают среди тех, кому можно.

# %% [markdown]
# ## 7 · Where backward starts
#
# The root of the diamond was one number, and it received 1.
# A root with several numbers needs to be told what it receives: `gradient=`.

# %% [markdown] lang="ru"
# ## 7 · Где начинается обратный проход
#
# Корень ромба был одним числом и получил 1.
# Корню из нескольких чисел надо сказать, что он получает: `gradient=`.

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
# | `constant` | `torch.ones(1).backward()` |
# | `extra axis` | `square(3).backward(torch.ones(1, 3))` |
# | `integers` | `square(3).backward(torch.ones(3, dtype=torch.int64))` |
# | `complex` | `square(3).backward(torch.ones(3, dtype=torch.complex64))` |

# %% [markdown] lang="ru"
# Наклоны равны 2, 4, 6; каждый умножен на свой вес. Как если бы корнем было
# `(y * weights).sum()`.
#
# **Упражнение 04.5.** Какие вызовы выполняются, а какие останавливаются с ошибкой?
# Пишите `"runs"` (выполняется) или `"stops"` (останавливается). `square(shape)` создаёт единицы
# этой формы в float64 и возводит их в квадрат.
#
# | случай | вызов |
# |---|---|
# | `three` | `square(3).backward()` |
# | `one by one` | `square((1, 1)).backward()` |
# | `none at all` | `square(0).backward()` |
# | `constant` | `torch.ones(1).backward()` |
# | `extra axis` | `square(3).backward(torch.ones(1, 3))` |
# | `integers` | `square(3).backward(torch.ones(3, dtype=torch.int64))` |
# | `complex` | `square(3).backward(torch.ones(3, dtype=torch.complex64))` |

# %% tags=["exercise"] exercise="04.5"
quiz = {
    "three": None,
    "one by one": None,
    "none at all": None,
    "constant": None,
    "extra axis": None,
    "integers": None,
    "complex": None,
}

# %% tags=["solution"] exercise="04.5"
quiz = {
    "three": "stops",
    "one by one": "runs",
    "none at all": "stops",
    "constant": "stops",
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


def outcome(root, gradient=None):
    """Run backward from root; say what happened, with the key words of the error."""
    reasons = ("only for scalar", "does not require grad", "Mismatch in shape", "Mismatch in dtype")
    try:
        root.backward(gradient)
    except RuntimeError as error:
        return "stops: " + next(words for words in reasons if words in str(error))
    return "runs"


print("three      ", outcome(square(3)))
print("one by one ", outcome(square((1, 1))))
print("none at all", outcome(square(0)))
print("constant   ", outcome(torch.ones(1)))
print("extra axis ", outcome(square(3), torch.ones(1, 3)))
print("integers   ", outcome(square(3), torch.ones(3, dtype=torch.int64)))
print("complex    ", outcome(square(3), torch.ones(3, dtype=torch.complex64)))

# %% [markdown]
# "Scalar" means one element, whatever the number of axes. `constant` has one element but no graph:
# none of its inputs asked for a gradient. A shape must fit exactly: nothing is broadcast.
# For `integers`, PyTorch's reference text asks for a gradient of "matching type", but
# torch 2.13 does not insist: it casts a real gradient, here to float64. A complex one it refuses.
#
# A leaf can be a root too. Its graph is one node, AccumulateGrad, which adds the 1 to `.grad`.

# %% [markdown] lang="ru"
# «Скаляр» — это один элемент, сколько бы ни было осей. В `constant` элемент один, но графа нет:
# ни один из входов не просил градиента. Форма должна совпасть точно: растяжения нет.
# Для `integers` справочник PyTorch требует градиент «подходящего типа», но torch 2.13 на этом не
# настаивает: вещественный градиент он приводит, здесь к float64. Комплексный он не берёт.
#
# Корнем может быть и лист. Его граф — один узел, AccumulateGrad; он прибавляет 1 к `.grad`.

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

# %% [markdown] lang="ru"
# ## 8 · Ваш опыт
#
# **В каком порядке идёт обратный проход и почему?** Три правила вместе:
#
# 1. Узел может выполняться, когда его счётчик ожидания равен 0.
# 2. Среди готовых узлов лист выполняется сразу.
# 3. Иначе первым идёт тот, что создан последним.
#
# **Упражнение 04.6.** Измените `own` так, чтобы в графе было не меньше шести узлов вместе с
# листьями, и дайте каждому тензору имя в словаре. Предскажите порядок, потом выполните обе ячейки.
# Используйте `a` хотя бы дважды: тогда правилу 1 есть что сказать.

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
