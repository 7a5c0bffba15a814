# %% [markdown]
# # 06 · What forward keeps
#
# **Question: which tensors does an operation save, and what does that cost?**
#
# Time: about 45 minutes. You need lesson 04, and the squares on the cards of the stepper.
#
# You predict what twelve operations save, count the bytes of a small network with a function of
# your own, and cut them by more than half with one line. In the last cell you predict the bytes of
# a program that you wrote.

# %% [markdown] lang="ru"
# # 06 · Что хранит прямой проход
#
# **Вопрос: какие тензоры сохраняет операция и чего это стоит?**
#
# Время: около 45 минут. Нужен урок 04 и квадраты на карточках степпера.
#
# Вы предсказываете, что сохраняют двенадцать операций, считаете байты маленькой сети своей функцией
# и одной строкой сокращаете их больше чем вдвое. В последней ячейке вы предсказываете байты
# программы, которую написали сами.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 45 minutes; in 30, leave out sections 4 and 6. Section 3 must stay: `kept` is
# used until the end. Your own network and its batch can take the place of section 2 and 3; then
# change the numbers of 06.2 and 06.3. What learners believe at first: every operation keeps its
# inputs (06.1: eight of twelve do not), the weights are the memory (06.2 counts none of them), and
# a list of losses is a list of numbers (06.5). All bytes here are bytes that autograd keeps for
# backward; what the allocator of a graphics card shows is more. Nothing in this lesson differs
# between torch 2.13 and its reference text.

# %% [markdown]
# ## 1 · What a slope needs
#
# The slope of x² is 2·x: backward needs `x`, long after the line has run. So forward **saves** it:
# the node of the operation holds a reference to the tensor. The slope of x + x is 2. It needs
# nothing. The slope of exp(x) is exp(x): that is the **output**, and it is there already.
#
# `node._saved_self`, `node._saved_result` and their like show what a node holds:

# %% [markdown] lang="ru"
# ## 1 · Что нужно наклону
#
# Наклон x² равен 2·x: обратному проходу нужен `x`, хотя строка давно выполнена. Поэтому прямой
# проход его **сохраняет**: узел операции держит ссылку на тензор. Наклон x + x равен 2. Ему не
# нужно ничего. Наклон exp(x) равен exp(x): это **выход** (output), и он уже есть.
#
# `node._saved_self`, `node._saved_result` и подобные показывают, что держит узел:

# %%
def saved(node):
    """The arrays that a node holds for backward, by name; none once they are freed."""
    names = [name for name in dir(node) if name.startswith("_saved_")]
    try:
        found = {name[7:]: getattr(node, name) for name in names}
    except RuntimeError:
        return {}
    return {name: t for name, t in found.items() if isinstance(t, torch.Tensor) and t.dim()}


x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
print("x ** 2  ", saved((x**2).grad_fn))
print("x + x   ", saved((x + x).grad_fn))
print("x.exp() ", saved(x.exp().grad_fn).keys())
print("the very x:", saved((x**2).grad_fn)["self"] is x)

# %% [markdown]
# No copy is made. The node holds the learner's own tensor. So saving costs next to nothing in time,
# but the tensor cannot go away while the graph is there.
#
# **Exercise 06.1.** What does each operation save: its `"input"`, its `"output"`, or `"nothing"`?
# Do not guess: write down the slope and see what it needs.
# Where input and output would both do, the output is taken. Example: √x has the slope 1 / (2·√x).

# %% [markdown] lang="ru"
# Копия не делается. Узел держит тот самый тензор. Поэтому сохранение почти не стоит времени, но
# тензор не может исчезнуть, пока есть граф.
#
# **Упражнение 06.1.** Что сохраняет каждая операция: вход (`"input"`), выход (`"output"`) или
# ничего (`"nothing"`)? Не гадайте: запишите наклон и посмотрите, что ему нужно. Где подошли бы и
# вход, и выход, берётся выход. Пример: наклон √x равен 1 / (2·√x).

# %% tags=["exercise"] exercise="06.1"
saves = {
    "x + x": None,
    "x * x": None,
    "x ** 2": None,
    "x.exp()": None,
    "x.log()": None,
    "x.sqrt()": None,
    "x.tanh()": None,
    "x.relu()": None,
    "x.sin()": None,
    "x.sum()": None,
    "x.reshape(3, 1)": None,
    "x.clone()": None,
}

# %% tags=["solution"] exercise="06.1"
names = "x + x|x.sum()|x.reshape(3, 1)|x.clone()"
saves = dict.fromkeys(names.split("|"), "nothing")
saves |= dict.fromkeys(["x * x", "x ** 2", "x.log()", "x.sin()"], "input")
saves |= dict.fromkeys(["x.exp()", "x.sqrt()", "x.tanh()", "x.relu()"], "output")

# %% tags=["check"] exercise="06.1"
check("06.1", saves)

# %%
def what_it_saves(operation):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    held = saved(operation(x).grad_fn).values()
    if not held:
        return "nothing"
    return "input" if all(tensor is x for tensor in held) else "output"


print("x + x          ", what_it_saves(lambda x: x + x))
print("x * x          ", what_it_saves(lambda x: x * x))
print("x ** 2         ", what_it_saves(lambda x: x**2))
print("x.exp()        ", what_it_saves(lambda x: x.exp()))
print("x.log()        ", what_it_saves(lambda x: x.log()))
print("x.sqrt()       ", what_it_saves(lambda x: x.sqrt()))
print("x.tanh()       ", what_it_saves(lambda x: x.tanh()))
print("x.relu()       ", what_it_saves(lambda x: x.relu()))
print("x.sin()        ", what_it_saves(lambda x: x.sin()))
print("x.sum()        ", what_it_saves(lambda x: x.sum()))
print("x.reshape(3, 1)", what_it_saves(lambda x: x.reshape(3, 1)))
print("x.clone()      ", what_it_saves(lambda x: x.clone()))

# %% [markdown]
# **Explain.** tanh has the slope 1 - tanh², so the output will do. relu has the slope 1 where its
# output is above 0, and 0 elsewhere; the input itself is not needed.
# `sum` and `reshape` need a shape, which is a few numbers and no array.

# %% [markdown] lang="ru"
# **Объясните.** У tanh наклон 1 - tanh², значит, хватит выхода. У relu наклон 1 там, где выход
# больше 0, и 0 в остальных местах; сам вход не нужен. `sum` и `reshape` нужна форма, а это
# несколько чисел, а не массив.

# %% [markdown]
# ## 2 · A network
#
# 100 rows of 64 numbers, as small pictures would be. Two layers, one relu.

# %% [markdown] lang="ru"
# ## 2 · Сеть
#
# 100 строк по 64 числа, как у маленьких картинок. Два слоя, один relu.

# %%
W1 = torch.full((64, 32), 0.01, requires_grad=True)
W2 = torch.full((32, 10), 0.01, requires_grad=True)


def network(rows=100, first=W1):
    x = torch.ones(rows, 64)
    a = x @ first
    h = a.relu()
    out = h @ W2
    loss = (out * out).mean()
    return x, a, h, out, loss


x, a, h, out, loss = network()
print(round(loss.item(), 4))

# %% [markdown]
# A number in float32 takes 4 bytes: `x` is 100 · 64 · 4 = 25600 B. In `x @ W1`, the gradient of
# `W1` needs `x`. The gradient of `x` would need `W1`, but nobody asks for the gradient of `x`.
#
# **Exercise 06.2.** How many bytes of each tensor does the graph keep? Write 0 if no node saves it.

# %% [markdown] lang="ru"
# Число в float32 занимает 4 байта: `x` — это 100 · 64 · 4 = 25600 байт.
# В `x @ W1` градиенту `W1` нужен `x`. Градиенту `x` был бы нужен `W1`, но градиента `x` никто не
# просит.
#
# **Упражнение 06.2.** Сколько байт каждого тензора хранит граф? Пишите 0, если ни один узел его не
# сохраняет.

# %% tags=["exercise"] exercise="06.2"
bytes_kept = {"x": None, "a": None, "h": None, "out": None}

# %% tags=["solution"] exercise="06.2"
bytes_kept = {"x": 100 * 64 * 4, "a": 0, "h": 100 * 32 * 4, "out": 100 * 10 * 4}

# %% tags=["check"] exercise="06.2"
check("06.2", bytes_kept)

# %% [markdown]
# Look at the squares on the cards. Then press <kbd>M</kbd> for the memory view: a curve of the
# bytes, forward and backward, and below it one row per storage. Step, and watch the curve fall.

# %% [markdown] lang="ru"
# Посмотрите на квадраты на карточках. Потом нажмите <kbd>M</kbd>: вид памяти, кривая байтов в
# прямом и обратном проходе, а под ней по строке на хранилище. Шагайте и смотрите, как кривая
# убывает.

# %% tags=["stepper", "nbval-ignore-output"]
memory = show(loss)
memory

# %% tags=["stepper"]
memory.finish()
x, a, h, out, loss = network()
reader = show(loss)
print(reader.text())

# %% [markdown]
# The memory view as text, after the pass. Who keeps `h`, and how often is it counted?

# %% [markdown] lang="ru"
# Вид памяти текстом, после прохода. Кто держит `h` и сколько раз он посчитан?

# %% tags=["stepper"]
reader.finish()
print(reader.memory().text())

# %% [markdown]
# `h` is the result of relu **and** the input of the second product. Two nodes keep it, but it is
# one storage: its 12800 bytes count once. `out * out` keeps `out` twice, once for each side; that
# is 4000 bytes, not 8000. `W2` is kept too. It is a parameter, its 1280 bytes are there anyway, so
# they are told apart: without them the peak is 42400.

# %% [markdown] lang="ru"
# `h` — результат relu **и** вход второго произведения. Держат его два узла, но хранилище одно: его
# 12800 байт считаются один раз. `out * out` держит `out` дважды, по разу для каждой стороны; это
# 4000 байт, а не 8000. Хранится и `W2`. Это параметр, его 1280 байт заняты в любом случае, поэтому
# они указаны отдельно: без них вершина — 42400.

# %% [markdown]
# ## 3 · A measuring instrument
#
# `nodes` walks through the graph, as in lesson 04. `kept` adds up what the nodes hold: every
# **storage** once, leaves apart. A storage is the memory behind a tensor and behind all its views.

# %% [markdown] lang="ru"
# ## 3 · Измерительный прибор
#
# `nodes` обходит граф, как в уроке 04. `kept` складывает то, что держат узлы: каждое **хранилище**
# (storage) один раз, листья отдельно. Storage — память, которая стоит за тензором и за всеми его
# представлениями.

# %%
def nodes(loss):
    """Every node of the graph behind loss, each once; none if there is no graph."""
    found, todo = [], [getattr(loss, "grad_fn", None)]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.append(node)
            todo += [receiver for receiver, slot in node.next_functions]
    return found


def kept(graph):
    """The bytes that these nodes hold: every storage once, leaves apart."""
    leaves = [node.variable for node in graph if hasattr(node, "variable")]
    tensors = [tensor for node in graph for tensor in saved(node).values()]
    storages = {t.untyped_storage().data_ptr(): t.untyped_storage().nbytes() for t in tensors}
    for leaf in leaves:
        storages.pop(leaf.untyped_storage().data_ptr(), None)
    return sum(storages.values())


x, a, h, out, loss = network()
print("before backward:", kept(nodes(loss)))
graph = nodes(loss)
loss.backward()
print("after backward: ", kept(graph))

# %% [markdown]
# 25600 + 12800 + 4000 = 42400 bytes, and 0 afterwards: backward frees what a node has saved as soon
# as the node has run (lesson 07).
#
# **Exercise 06.3.** Predict `kept` for four changes, each made alone.
#
# | case | change |
# |---|---|
# | `200 rows` | `network(rows=200)` |
# | `frozen` | `network(first=W1.detach())`: the first layer asks for no gradient |
# | `no_grad` | `with torch.no_grad(): network()` |
# | `detached` | behind the relu stands `h = h.detach()` |

# %% [markdown] lang="ru"
# 25600 + 12800 + 4000 = 42400 байт, а после — 0: обратный проход освобождает сохранённое, как
# только узел выполнен (урок 07).
#
# **Упражнение 06.3.** Предскажите `kept` для четырёх изменений, каждое само по себе.
#
# | случай | изменение |
# |---|---|
# | `200 rows` | `network(rows=200)` |
# | `frozen` | `network(first=W1.detach())`: первый слой не просит градиента |
# | `no_grad` | `with torch.no_grad(): network()` |
# | `detached` | после relu стоит `h = h.detach()` |

# %% tags=["exercise"] exercise="06.3"
totals = {"200 rows": None, "frozen": None, "no_grad": None, "detached": None}

# %% tags=["solution"] exercise="06.3"
totals = {"200 rows": 84800, "frozen": 12800 + 4000, "no_grad": 0, "detached": 16800}

# %% tags=["check"] exercise="06.3"
check("06.3", totals)

# %%
print("200 rows", kept(nodes(network(rows=200)[-1])))
print("frozen  ", kept(nodes(network(first=W1.detach())[-1])))
with torch.no_grad():
    print("no_grad ", kept(nodes(network()[-1])))
h = network()[2].detach()
out = h @ W2
print("detached", kept(nodes((out * out).mean())))

# %% [markdown]
# **Explain.** The bytes grow with the batch; the weights do not. With the first layer frozen,
# nothing before `h` has a graph, so `x` is not saved. `detach` cuts there, with the same effect,
# but `W1` would silently learn nothing. An operation saves only what some asked-for gradient needs.
# Whoever asks for less, keeps less.

# %% [markdown] lang="ru"
# **Объясните.** Байты растут вместе с пакетом; веса не растут. С замороженным первым слоем до `h`
# нет графа, поэтому `x` не сохраняется. `detach` режет там же, с тем же действием, но `W1` молча
# перестаёт учиться. Операция сохраняет только то, что нужно какому-нибудь запрошенному градиенту.
# Кто просит меньше, тот и хранит меньше.

# %% [markdown]
# ## 4 · Up in forward, down in backward
#
# A chain of eight steps, each h · sigmoid(h), on 1000 numbers. `curve` notes the bytes after each
# step of forward, and again before each node of backward.

# %% [markdown] lang="ru"
# ## 4 · Вверх в прямом, вниз в обратном
#
# Цепочка из восьми шагов, каждый h · sigmoid(h), на 1000 числах. `curve` записывает байты после
# каждого шага прямого прохода и снова перед каждым узлом обратного.

# %%
def by_hand(h):
    return h * torch.sigmoid(h)


def curve(step):
    """Bytes kept after each step of forward, then before each node of backward."""
    h = torch.linspace(-1.0, 1.0, 1000, requires_grad=True)
    forward, backward = [0], []
    for _ in range(8):
        h = step(h)
        forward.append(kept(nodes(h)))
    loss = h.sum()
    graph = nodes(loss)
    for node in graph:
        node.register_prehook(lambda *grads: backward.append(kept(graph)))
    loss.backward()
    return forward, [*backward, kept(graph)]


forward, backward = curve(by_hand)
print("forward: ", forward)
print("backward:", backward[::2])

# %% [markdown]
# Each step keeps two arrays of 4000 bytes: `h` and `sigmoid(h)`, for the slope of a product needs
# both factors. sigmoid holds its output, which is the second of them. (The first `h` is the leaf.)
#
# **Exercise 06.4.** Write `leaner(h)`: the same numbers and the same gradients, at most half of the
# bytes. One line will do. The function h · sigmoid(h) has a name: SiLU. An operation that knows its
# own slope as a whole needs to save `h` only.

# %% [markdown] lang="ru"
# Каждый шаг хранит два массива по 4000 байт: `h` и `sigmoid(h)`, ведь наклону произведения нужны
# оба множителя. sigmoid держит свой выход, а это второй из них. (Первый `h` — лист.)
#
# **Упражнение 06.4.** Напишите `leaner(h)`: те же числа, те же градиенты, не больше половины байт.
# Хватит одной строки. У функции h · sigmoid(h) есть имя: SiLU. Операции, которая знает свой наклон
# целиком, достаточно сохранить `h`.

# %% tags=["exercise"] exercise="06.4"
leaner = None  # def leaner(h): ...

# %% tags=["solution"] exercise="06.4"
def leaner(h):
    return torch.nn.functional.silu(h)

# %% tags=["check"] exercise="06.4"
def report(step):
    h = torch.linspace(-1.0, 1.0, 1000, requires_grad=True)
    y = step(h)
    y.sum().backward()
    return {"bytes": curve(step)[0][-1], "y[999]": y[999], "h.grad[999]": h.grad[999]}


check("06.4", report(leaner) if leaner else None)

# %%
from matplotlib.figure import Figure

fig = Figure(figsize=(7.5, 3.2), layout="constrained")
ax = fig.subplots()
for step, style in ((by_hand, "o-"), (leaner or by_hand, "s--")):
    up, down = curve(step)
    places = [i / 8 for i in range(9)] + [1 + i / (len(down) - 1) for i in range(len(down))]
    ax.plot(places, up + down, style, markersize=4, label=step.__name__)
ax.set_xticks([0, 1, 2], ["start", "forward done", "backward done"])
ax.set(ylabel="bytes kept", title="One training step")
ax.legend()
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
from base64 import b64encode
from io import BytesIO

from IPython.display import Image

png = BytesIO()
fig.savefig(png, format="png", dpi=100)
alt = (
    "Two tents. The bytes kept rise in a straight line during forward and fall again to 0 during "
    "backward. h * sigmoid(h) peaks at 60000 bytes, the leaner step at 28000."
)
Image(url="data:image/png;base64," + b64encode(png.getvalue()).decode(), alt=alt)

# %% [markdown]
# *Figure: bytes kept over one training step. They rise in forward, peak where the loss is known,
# and fall in backward. `h * sigmoid(h)` peaks at 60000, the leaner step at 28000. (While 06.4 is
# open, both lines are the same.)*
#
# **Explain.** The peak is what must fit into memory. It lies between forward and backward.
# Twice as many steps, or twice as many rows, double it.

# %% [markdown] lang="ru"
# *Рисунок: байты за один шаг обучения. Они растут в прямом проходе, выше всего там, где loss уже
# известен, и убывают в обратном. У `h * sigmoid(h)` вершина 60000, у экономного шага 28000. (Пока
# 06.4 без ответа, обе линии совпадают.)*
#
# **Объясните.** В память должна поместиться вершина. Она лежит между прямым и обратным проходом.
# Вдвое больше шагов или вдвое больше строк — вдвое выше вершина.

# %% [markdown]
# ## 5 · Who holds the graph?
#
# The loss holds its node, the node holds its saved tensors and the next nodes, and so on down to
# the leaves. As long as *one* variable leads to the graph, all of it stays. Somebody measures the
# loss on five batches and collects the results:

# %% [markdown] lang="ru"
# ## 5 · Кто держит граф?
#
# Loss держит свой узел, узел держит сохранённые тензоры и следующие узлы, и так до листьев. Пока к
# графу ведёт *хоть одна* переменная, он остаётся целиком. Кто-то измеряет loss на пяти пакетах и
# собирает результаты:

# %%
W = torch.full((64, 10), 0.01, requires_grad=True)


def validate():
    losses = []
    for batch in range(1, 6):
        x = torch.full((100, 64), float(batch))
        losses.append(((x @ W) ** 2).mean())
    return losses


losses = validate()
print(sum(kept(nodes(loss)) for loss in losses), "bytes for", len(losses), "numbers")

# %% [markdown]
# Five numbers should take 20 bytes. Each of these drags 29600 bytes behind it, since no `backward`
# ever frees them. A thousand batches would keep 30 MB for 4 kB of numbers.
#
# **Exercise 06.5.** Write `validate_light()`: the same five losses, and no bytes kept.

# %% [markdown] lang="ru"
# Пять чисел должны занимать 20 байт. Каждое из этих тянет за собой 29600 байт: никакой `backward`
# их не освободит. Тысяча пакетов держала бы 30 МБ ради 4 кБ чисел.
#
# **Упражнение 06.5.** Напишите `validate_light()`: те же пять значений loss и ни одного байта.

# %% tags=["exercise"] exercise="06.5"
validate_light = None  # def validate_light(): ...

# %% tags=["solution"] exercise="06.5"
def validate_light():
    losses = []
    with torch.no_grad():
        for batch in range(1, 6):
            x = torch.full((100, 64), float(batch))
            losses.append(((x @ W) ** 2).mean())
    return losses

# %% tags=["check"] exercise="06.5"
light = validate_light() if validate_light else []
answer = {"losses": light, "bytes": sum(kept(nodes(loss)) for loss in light)}
check("06.5", answer if light else None)

# %% [markdown]
# Three ways lead there. `no_grad()` never builds the graph and is the cheapest. `loss.item()` turns
# the loss into a Python number, `loss.detach()` into a tensor without a graph; with both, the graph
# is built first and dropped with the loss.

# %% [markdown] lang="ru"
# Туда ведут три пути. `no_grad()` вовсе не строит графа, это дешевле всего. `loss.item()` делает из
# loss число Python, `loss.detach()` — тензор без графа; в обоих случаях граф сначала строится, а
# потом исчезает вместе с loss.

# %% [markdown]
# ## 6 · What does not count
#
# Not every name in your program is kept, and not every kept tensor has a name. `a` in section 2 is
# saved by nobody: once the variable is deleted, its memory is free. The tensors inside
# `x.exp().sin().log()` have no names, and two of them are kept: exp saves its output, sin its
# input. Are these one tensor or two?

# %% [markdown] lang="ru"
# ## 6 · Что не считается
#
# Не каждое имя вашей программы хранится, и не у каждого хранимого тензора есть имя. `a` из раздела
# 2 никто не сохраняет: удалите переменную, и его память свободна. У тензоров внутри
# `x.exp().sin().log()` имён нет, а хранятся двое: exp сохраняет свой выход, sin — свой вход. Это
# один тензор или два?

# %%
x = torch.full((1000,), 0.5, requires_grad=True)
y = x.exp().sin().log()
for node in nodes(y):
    print(type(node).__name__, list(saved(node)), kept([node]))
print("all:", kept(nodes(y)))

# %% [markdown]
# The output of exp *is* the input of sin: one storage, 4000 bytes. log saves its own input, the
# output of sin: another 4000.

# %% [markdown] lang="ru"
# Выход exp и *есть* вход sin: одно хранилище, 4000 байт. log сохраняет свой вход, выход sin: ещё
# 4000.

# %% [markdown]
# ## 7 · Your own experiment
#
# **Which tensors does an operation save, and what does that cost?** Its inputs or its output, if
# the slope needs them; every storage costs its bytes once, until backward or the end of the graph.
#
# **Exercise 06.6.** Write a program of at least three operations on `x`, which has 1000 numbers.
# Predict the bytes that its graph keeps, then run both cells.

# %% [markdown] lang="ru"
# ## 7 · Ваш опыт
#
# **Какие тензоры сохраняет операция и чего это стоит?** Входы или выход, если они нужны наклону;
# каждое хранилище стоит своих байт один раз, до обратного прохода или до конца графа.
#
# **Упражнение 06.6.** Напишите программу не меньше чем из трёх операций над `x`, в котором 1000
# чисел. Предскажите, сколько байт хранит её граф, потом выполните обе ячейки.

# %% tags=["exercise"] exercise="06.6"
def own(x):
    return (x * 2).tanh().sum()  # change this line


predicted = None  # bytes

# %% tags=["solution"] exercise="06.6"
def own(x):
    h = x.exp() + x.tanh()
    return (h * h).sum()


predicted = 3 * 4000

# %% tags=["check"] exercise="06.6"
x = torch.linspace(0.1, 1.0, 1000, requires_grad=True)
check("06.6", [predicted, kept(nodes(own(x)))])
