# %% [markdown]
# # 07 · Free or keep
#
# **Question: what does retain_graph really keep?**
#
# Time: about 45 minutes. You need lesson 06: what a node saves.
#
# You watch saved tensors go, one node at a time, repair a program with two losses in three ways,
# and measure which repair is cheapest. In the last cell you predict what is left of a graph of your
# own.

# %% [markdown] lang="ru"
# # 07 · Освободить или оставить
#
# **Вопрос: что на самом деле хранит retain_graph?**
#
# Время: около 45 минут. Нужен урок 06: что сохраняет узел.
#
# Вы смотрите, как узел за узлом исчезают сохранённые тензоры, чините программу с двумя функциями
# потерь тремя способами и измеряете, какой дешевле. В последней ячейке вы предсказываете, что
# осталось от вашего собственного графа.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

# %% [markdown] tags=["teacher"]
# **For the teacher.** 45 minutes; in 25, leave out sections 3 and 6. Sections 4 and 5 carry the
# lesson: two losses over a shared part are the form in which the error meets everybody. Two losses
# of your course (an image and an adversary, a policy and a value) can take the place of `head`;
# then change the numbers of 07.4. What learners believe at first: the graph disappears (07.2: the
# nodes stay, only what they saved goes), a failed pass changes nothing (section 4), and
# `retain_graph=True` is free of charge (07.4 and 07.5). 07.2 is where torch and its reference text
# part: the text says that the graph is freed, a graph that saved nothing runs again all the same.

# %% [markdown]
# ## 1 · The second pass
#
# Backward through x · x · x, twice.

# %% [markdown] lang="ru"
# ## 1 · Второй проход
#
# Обратный проход по x · x · x, дважды.

# %%
x = torch.tensor(2.0, requires_grad=True)
s = x * x
L = s * x
L.backward()
try:
    L.backward()
except RuntimeError as error:
    print(str(error).split(" (")[0])
print(x.grad)

# %% [markdown]
# The first pass wrote 3 · 2² = 12, the second wrote nothing.
#
# Why free at all? Lesson 06 gave the answer: the peak of memory lies between forward and backward.
# Each node that has run gives its tensors back, so that the bytes fall while backward goes on.
#
# Step through it. Watch the squares on the cards: which one is struck through, and when?

# %% [markdown] lang="ru"
# Первый проход записал 3 · 2² = 12, второй — ничего.
#
# Зачем вообще освобождать? Ответ дал урок 06: вершина памяти лежит между прямым и обратным
# проходом. Каждый выполненный узел отдаёт свои тензоры, и байты убывают, пока идёт обратный проход.
#
# Пройдите по шагам. Следите за квадратами на карточках: какой зачёркнут и когда?

# %% tags=["stepper", "nbval-ignore-output"]
x = torch.tensor(2.0, requires_grad=True)
s = x * x
L = s * x
freeing = show(L)
freeing

# %% [markdown]
# The same as text, after one step: `L` has given back what it saved, `s` still has it.

# %% [markdown] lang="ru"
# То же текстом, после одного шага: `L` отдал сохранённое, у `s` оно ещё есть.

# %% tags=["stepper"]
freeing.finish()
x = torch.tensor(2.0, requires_grad=True)
s = x * x
L = s * x
reader = show(L)
reader.step()
print(reader.text())

# %% [markdown]
# ## 2 · A measuring instrument
#
# To ask a node whether it still has what it saved, read it. `state` answers with one of three
# words: `"kept"`, `"freed"`, or `"nothing"` if there never was anything to keep.

# %% [markdown] lang="ru"
# ## 2 · Измерительный прибор
#
# Чтобы узнать, есть ли у узла то, что он сохранил, попробуйте это прочитать. `state` отвечает одним
# из трёх слов: `"kept"` (хранится), `"freed"` (освобождено) или `"nothing"`, если хранить было
# нечего.

# %%
def state(tensor):
    """Whether the node of this tensor has what it saved."""
    node = tensor.grad_fn
    names = [name for name in dir(node) if name.startswith("_saved_")]
    try:
        held = [getattr(node, name) for name in names]
    except RuntimeError:
        return "freed"
    return "kept" if any(hasattr(value, "dtype") for value in held) else "nothing"


L = x * x
print("before:", state(L))
L.backward()
print("after: ", state(L))

# %% [markdown]
# **Exercise 07.1.** `L = x * x`, made anew for each case. Is it `"kept"` or `"freed"` after the
# call? A hint from the reference text: `retain_graph` is by default what `create_graph` is.
#
# | case | call |
# |---|---|
# | `plain` | `L.backward()` |
# | `retain` | `L.backward(retain_graph=True)` |
# | `create` | `L.backward(create_graph=True)` |
# | `create, not retain` | `L.backward(create_graph=True, retain_graph=False)` |
# | `grad` | `torch.autograd.grad(L, x)` |
# | `grad, create` | `torch.autograd.grad(L, x, create_graph=True)` |

# %% [markdown] lang="ru"
# **Упражнение 07.1.** `L = x * x`, для каждого случая заново. После вызова сохранённое `"kept"` или
# `"freed"`? Подсказка из справочника: по умолчанию `retain_graph` равен `create_graph`.
#
# | случай | вызов |
# |---|---|
# | `plain` | `L.backward()` |
# | `retain` | `L.backward(retain_graph=True)` |
# | `create` | `L.backward(create_graph=True)` |
# | `create, not retain` | `L.backward(create_graph=True, retain_graph=False)` |
# | `grad` | `torch.autograd.grad(L, x)` |
# | `grad, create` | `torch.autograd.grad(L, x, create_graph=True)` |

# %% tags=["exercise"] exercise="07.1"
after = {
    "plain": None,
    "retain": None,
    "create": None,
    "create, not retain": None,
    "grad": None,
    "grad, create": None,
}

# %% tags=["solution"] exercise="07.1"
after = {
    "plain": "freed",
    "retain": "kept",
    "create": "kept",
    "create, not retain": "freed",
    "grad": "freed",
    "grad, create": "kept",
}

# %% tags=["check"] exercise="07.1"
check("07.1", after)

# %%
import warnings

warnings.filterwarnings("ignore", message=".*create_graph")  # what it warns of: lesson 12


def after_call(call, **options):
    L = x * x
    call(L, **options)
    return state(L)


def grad(L, **options):
    return torch.autograd.grad(L, x, **options)


print("plain             ", after_call(torch.Tensor.backward))
print("retain            ", after_call(torch.Tensor.backward, retain_graph=True))
print("create            ", after_call(torch.Tensor.backward, create_graph=True))
both = {"create_graph": True, "retain_graph": False}
print("create, not retain", after_call(torch.Tensor.backward, **both))
print("grad              ", after_call(grad))
print("grad, create      ", after_call(grad, create_graph=True))

# %% [markdown]
# `create_graph` builds a graph of the derivative, and that graph leads back through the first one.
# So the first one is kept, unless you say otherwise.

# %% [markdown] lang="ru"
# `create_graph` строит граф производной, и этот граф ведёт назад через первый.
# Поэтому первый остаётся, если вы не сказали иначе.

# %% [markdown]
# ## 3 · What is not freed
#
# The reference text says of `retain_graph=False` that "the graph used to compute the grads will be
# freed". Take it by its word and run each graph twice.
#
# **Exercise 07.2.** Does the second `backward` run, or does it stop? Write `"runs"` or `"stops"`.

# %% [markdown] lang="ru"
# ## 3 · Что не освобождается
#
# О `retain_graph=False` в справочнике сказано: граф, использованный для вычисления градиентов,
# будет освобождён. Поймаем его на слове и выполним каждый граф дважды.
#
# **Упражнение 07.2.** Выполнится второй `backward` или остановится? Пишите `"runs"` или `"stops"`.

# %% tags=["exercise"] exercise="07.2"
second = {
    "x + x": None,
    "x * x": None,
    "x.exp()": None,
    "x - 1": None,
    "(x + x).sum()": None,
    "x * 3": None,
}

# %% tags=["solution"] exercise="07.2"
second = {
    "x + x": "runs",
    "x * x": "stops",
    "x.exp()": "stops",
    "x - 1": "runs",
    "(x + x).sum()": "runs",
    "x * 3": "stops",
}

# %% tags=["check"] exercise="07.2"
check("07.2", second)

# %%
def run_twice(operation):
    L = operation(torch.tensor(2.0, requires_grad=True))
    L.backward()
    try:
        L.backward()
    except RuntimeError:
        return "stops"
    return "runs"


print("x + x        ", run_twice(lambda x: x + x))
print("x * x        ", run_twice(lambda x: x * x))
print("x.exp()      ", run_twice(lambda x: x.exp()))
print("x - 1        ", run_twice(lambda x: x - 1))
print("(x + x).sum()", run_twice(lambda x: (x + x).sum()))
print("x * 3        ", run_twice(lambda x: x * 3))

# %% [markdown]
# **Explain.** The graph is still there after a pass: its nodes, their order, the way to the leaves.
# What goes is **what the nodes saved**. A graph of additions saved nothing, so it can run for ever.
# `x * 3` saved the number 3, and a number counts. The reference text speaks of the graph; torch
# 2.13 frees only what was saved.
#
# That is half of the answer: `retain_graph=True` keeps saved tensors, and nothing else.

# %% [markdown] lang="ru"
# **Объясните.** После прохода граф на месте: узлы, их порядок, путь к листьям. Исчезает **то, что
# узлы сохранили**. Граф из сложений ничего не сохранил, поэтому может выполняться сколько угодно.
# `x * 3` сохранил число 3, а число тоже считается. Справочник говорит о графе; torch 2.13
# освобождает только сохранённое.
#
# Это половина ответа на наш вопрос: `retain_graph=True` хранит сохранённые тензоры, и больше
# ничего.

# %% [markdown]
# ## 4 · Two losses over a shared part
#
# `s` is used by two losses. Each gets a pass of its own.

# %% [markdown] lang="ru"
# ## 4 · Две функции потерь над общей частью
#
# `s` использован в двух функциях потерь. Каждая получает свой проход.

# %%
x = torch.tensor(2.0, requires_grad=True)
s = x * x
one = s + 1
two = s * 2
one.backward()
print("x.grad", x.grad.item(), " s", state(s), " two", state(two))

# %% [markdown]
# The first pass ran `one` and `s`. `two` has not run, so it still has its number 2. But its way to
# `x` leads through `s`. Predict before you step: which nodes will run, and what will `x.grad` be?

# %% [markdown] lang="ru"
# Первый проход выполнил `one` и `s`. `two` не выполнялся, поэтому его число 2 ещё при нём. Но его
# путь к `x` ведёт через `s`. Предскажите, прежде чем шагать: какие узлы выполнятся и чему будет
# равно `x.grad`?

# %% tags=["stepper", "nbval-ignore-output"]
stopped = show(two)
stopped

# %%
try:
    stopped.finish()
except RuntimeError as error:
    print("stopped:", "second time" in str(error))
print("x.grad", x.grad.item(), " s", state(s), " two", state(two))

# %% tags=["stepper"]
print(stopped.text())

# %% [markdown]
# **Explain.** `two` ran and was freed; then `s` was asked for what it no longer has. The pass
# stopped there. `x.grad` is still 4, but the failed pass was not without effect: `two` is used up
# as well. A pass that fails does not put back what it has freed.

# %% [markdown] lang="ru"
# **Объясните.** `two` выполнился и освободил своё; потом у `s` спросили то, чего у него уже нет.
# Там проход и остановился. `x.grad` всё ещё 4, но неудачный проход не прошёл бесследно: `two` тоже
# израсходован. Проход, который не удался, не возвращает того, что освободил.

# %% [markdown]
# Now the same two passes twice, side by side: on the left as before, on the right the first pass
# has `retain_graph=True`. One **Step** moves both. Predict the first difference. Is it a number?

# %% [markdown] lang="ru"
# Теперь те же два прохода дважды, рядом: слева как прежде, справа у первого прохода
# `retain_graph=True`. Один **Step** двигает оба. Предскажите первое различие. Это число?

# %% tags=["stepper", "nbval-ignore-output"]
from autodidact_widgets import compare


def two_passes(retain):
    x = torch.tensor(2.0, requires_grad=True)
    s = x * x
    one = s + 1
    two = s * 2
    return [show(one, retain_graph=retain), show(two)]


side_by_side = compare(two_passes(False), two_passes(True))
side_by_side

# %% tags=["stepper"]
side_by_side.finish()
print(side_by_side.text())

# %% [markdown]
# Up to the end of the first pass every gradient is the same. What differs first is a square: on the
# left `s` has let go of `x`. The number follows one pass later: 4 against 12.
#
# **Exercise 07.3.** `p = a * a`, `q = b * b`, `z = p + q`. Only nodes that run are freed. What are
# `p` and `q` after each call? In `failing`, a hook on `p` raises an error; `q` was made later than
# `p`.
#
# | case | call |
# |---|---|
# | `grad to a` | `torch.autograd.grad(z, a)` |
# | `inputs=[b]` | `z.backward(inputs=[b])` |
# | `failing` | `z.backward()`, stopped by the hook on `p` |

# %% [markdown] lang="ru"
# До конца первого прохода все градиенты одинаковы. Первым различается квадрат: слева `s` отпустил
# `x`. Число расходится проходом позже: 4 против 12.
#
# **Упражнение 07.3.** `p = a * a`, `q = b * b`, `z = p + q`. Освобождаются только выполненные узлы.
# Что с `p` и `q` после каждого вызова? В случае `failing` хук на `p` бросает исключение; `q` создан
# позже, чем `p`.
#
# | случай | вызов |
# |---|---|
# | `grad to a` | `torch.autograd.grad(z, a)` |
# | `inputs=[b]` | `z.backward(inputs=[b])` |
# | `failing` | `z.backward()`, остановлен хуком на `p` |

# %% tags=["exercise"] exercise="07.3"
p_and_q = {
    "grad to a": [None, None],
    "inputs=[b]": [None, None],
    "failing": [None, None],
}

# %% tags=["solution"] exercise="07.3"
p_and_q = {
    "grad to a": ["freed", "kept"],
    "inputs=[b]": ["kept", "freed"],
    "failing": ["kept", "freed"],
}

# %% tags=["check"] exercise="07.3"
check("07.3", p_and_q)

# %%
def fail(gradient):
    raise ValueError("from the hook")


def partly(call, hook=None):
    a, b = (torch.tensor(3.0, requires_grad=True) for _ in "ab")
    p = a * a
    q = b * b
    z = p + q
    if hook:
        p.register_hook(hook)
    try:
        call(z, a, b)
    except ValueError:
        pass
    return [state(p), state(q)]


print("grad to a ", partly(lambda z, a, b: torch.autograd.grad(z, a)))
print("inputs=[b]", partly(lambda z, a, b: z.backward(inputs=[b])))
print("failing   ", partly(lambda z, a, b: z.backward(), hook=fail))

# %% [markdown]
# ## 5 · Three repairs, and their price
#
# The same fault with arrays. Four steps are shared, then each loss has two steps of its own; each
# step saves one array of 4000 bytes.

# %% [markdown] lang="ru"
# ## 5 · Три починки и их цена
#
# Та же ошибка с массивами. Четыре шага общие, потом у каждой функции потерь по два своих; каждый
# шаг сохраняет один массив в 4000 байт.

# %%
silu = torch.nn.functional.silu


def new_weights():
    return torch.linspace(0.0, 1.0, 1000).requires_grad_()


def shared(w):
    return silu(silu(silu(silu(w))))


def head(h):
    return silu(silu(h)).sum()


def losses(w):
    h = shared(w)
    return head(h), head(-h)


def broken(w):
    one, two = losses(w)
    one.backward()
    two.backward()


try:
    broken(new_weights())
except RuntimeError as error:
    print("second time" in str(error))

# %% [markdown]
# `measure` runs a program and counts four things: one number of the gradient, how many arrays
# forward saved, how many backward read, and the most bytes kept at any moment (leaves apart). It
# hands every saved tensor over in a `Box` that knows when it is thrown away (more in lesson 11).

# %% [markdown] lang="ru"
# `measure` выполняет программу и считает четыре вещи: одно число градиента, сколько массивов
# сохранил прямой проход, сколько прочитал обратный и наибольшее количество байт в один момент (без
# листьев). Каждый сохранённый тензор он кладёт в коробку `Box`, которая знает, когда её выбрасывают
# (подробнее в уроке 11).

# %%
class Box:
    """A saved tensor, whose bytes are counted for as long as it is kept."""

    now = peak = packed = opened = 0

    def __init__(self, tensor):
        self.tensor, self.bytes = tensor, 0 if tensor.is_leaf else tensor.nbytes
        Box.now += self.bytes
        Box.peak = max(Box.peak, Box.now)
        Box.packed += 1

    def __del__(self):
        Box.now -= self.bytes

    def open(self):
        Box.opened += 1
        return self.tensor


def measure(program):
    Box.now = Box.peak = Box.packed = Box.opened = 0
    w = new_weights()
    with torch.autograd.graph.saved_tensors_hooks(Box, Box.open):
        program(w)
    return [round(w.grad[-1].item(), 3), Box.packed, Box.opened, Box.peak]


def one_loss(w):
    head(shared(w)).backward()


print("one loss alone:", measure(one_loss))

# %% [markdown]
# One loss alone saves six arrays and reads six. The first of them is the leaf `w`, so the peak is
# five arrays: 20000 bytes.
#
# **Exercise 07.4.** Repair `broken` in three ways.
#
# | function | repair |
# |---|---|
# | `by_sum(w)` | one pass over the sum of both losses |
# | `by_retain(w)` | two passes, the first with `retain_graph=True` |
# | `by_twice(w)` | `head(shared(w))` and its pass, then `head(-shared(w))` and its pass |
#
# Before you run it, predict: which has the lowest peak? Which reads least?

# %% [markdown] lang="ru"
# Одна функция потерь сохраняет шесть массивов и читает шесть. Первый из них — лист `w`, поэтому
# вершина — пять массивов: 20000 байт.
#
# **Упражнение 07.4.** Почините `broken` тремя способами.
#
# | функция | починка |
# |---|---|
# | `by_sum(w)` | один проход по сумме обеих функций потерь |
# | `by_retain(w)` | два прохода, первый с `retain_graph=True` |
# | `by_twice(w)` | `head(shared(w))` и её проход, потом `head(-shared(w))` и её проход |
#
# Прежде чем выполнять, предскажите: у какой вершина ниже всего? Какая читает меньше всего?

# %% tags=["exercise"] exercise="07.4"
by_sum = by_retain = by_twice = None  # three functions of w

# %% tags=["solution"] exercise="07.4"
def by_sum(w):
    sum(losses(w)).backward()
def by_retain(w):
    one, two = losses(w)
    one.backward(retain_graph=True)
    two.backward()
def by_twice(w):
    head(shared(w)).backward()
    head(-shared(w)).backward()

# %% tags=["check"] exercise="07.4"
repairs = {"by_sum": by_sum, "by_retain": by_retain, "by_twice": by_twice}
table = {name: measure(program) for name, program in repairs.items() if program}
counts = {name: row[:3] for name, row in table.items()}
check("07.4", counts if len(counts) == 3 else None)

# %%
for name, (grad, saves, reads, peak) in table.items():
    print(f"{name:10} gradient {grad}  saves {saves:2}  reads {reads:2}  peak {peak} B")

# %% [markdown]
# **Explain.** All three give the same gradient. They differ in the price:
#
# * `by_sum` runs the shared part once, backward too: the gradients of both losses meet at `h` and
#   go on as one. It is the least work. Its peak holds both heads.
# * `by_retain` goes through the shared part twice in backward: 12 reads in place of 8. Its peak is
#   no lower.
# * `by_twice` has the lowest peak, since only one head is there at a time. It pays with a second
#   forward: 12 saves in place of 8.
#
# `retain_graph=True` is the right one if you need the two gradients **apart**, for example to
# compare their sizes. If you need their sum, take the sum of the losses.

# %% [markdown] lang="ru"
# **Объясните.** Градиент у всех трёх один. Разница в цене:
#
# * `by_sum` проходит общую часть один раз, и в обратном проходе тоже: градиенты обеих функций
#   потерь встречаются в `h` и идут дальше одним. Это меньше всего работы. На вершине лежат обе
#   головы.
# * `by_retain` в обратном проходе идёт по общей части дважды: 12 чтений вместо 8. Вершина не ниже.
# * у `by_twice` вершина ниже всего: в каждый момент есть только одна голова. Плата — второй прямой
#   проход: 12 сохранений вместо 8.
#
# `retain_graph=True` нужен, если оба градиента нужны **по отдельности**, например, чтобы сравнить
# их величину. Если нужна сумма, складывайте функции потерь.

# %% [markdown]
# ## 6 · The wrong cure
#
# A recurrent network reads one number after the other and has a loss after each. The state `h` is
# carried on from step to step. `cure` says what is done against "a second time".

# %% [markdown] lang="ru"
# ## 6 · Не то лекарство
#
# Рекуррентная сеть читает число за числом, и после каждого есть loss. Состояние `h` переходит из
# шага в шаг. `cure` говорит, что делается против «a second time».

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


def read(steps, cure):
    """How many nodes the backward pass of each step runs."""
    u = torch.tensor([0.5], requires_grad=True)
    h, runs = torch.zeros(1), []
    for _ in range(steps):
        if cure == "detach":
            h = h.detach()
        h = torch.tanh(h * u + 1.0)
        loss = h.sum()
        runs.append(len(nodes(loss)))
        loss.backward(retain_graph=cure == "retain")
    return runs


try:
    read(2, cure=None)
except RuntimeError as error:
    print("second time" in str(error))
print("retain:", read(4, cure="retain"))
print("detach:", read(4, cure="detach"))

# %% [markdown]
# Both cures make the message go away. With `retain_graph=True`, each new `h` drags the graph of all
# steps before it along, and every pass goes through all of it again.
# `h.detach()` cuts: the same number, no graph behind it. Then each pass sees its own step only.
#
# **Exercise 07.5.** How many nodes does the pass of step 10 run, and how many do the passes of the
# first 10 steps run together?

# %% [markdown] lang="ru"
# Оба лекарства избавляют от сообщения. С `retain_graph=True` каждый новый `h` тащит за собой граф
# всех прежних шагов, и каждый проход идёт по нему целиком. `h.detach()` режет: то же число, но
# графа за ним нет. Тогда каждый проход видит только свой шаг.
#
# **Упражнение 07.5.** Сколько узлов выполнит проход шага 10 и сколько — проходы первых 10 шагов
# вместе?

# %% tags=["exercise"] exercise="07.5"
runs = {
    "retain, step 10": None,
    "retain, together": None,
    "detach, step 10": None,
    "detach, together": None,
}

# %% tags=["solution"] exercise="07.5"
runs = {
    "retain, step 10": 5 + 9 * 3,
    "retain, together": sum(5 + step * 3 for step in range(10)),
    "detach, step 10": 5,
    "detach, together": 10 * 5,
}

# %% tags=["check"] exercise="07.5"
check("07.5", runs)

# %%
from matplotlib.figure import Figure

fig = Figure(figsize=(7.5, 3.2), layout="constrained")
ax = fig.subplots()
for cure, style in (("retain", "o--"), ("detach", "s-")):
    ax.plot(range(1, 41), read(40, cure), style, markersize=3, label=cure)
ax.set(xlabel="step", ylabel="nodes run by its pass", title="The price of carrying the graph on")
ax.legend()
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
from base64 import b64encode
from io import BytesIO

from IPython.display import Image

png = BytesIO()
fig.savefig(png, format="png", dpi=100)
alt = (
    "Nodes run by the pass of each of 40 steps. With retain they grow in a straight line from 5 to "
    "122. With detach they stay at 5."
)
Image(url="data:image/png;base64," + b64encode(png.getvalue()).decode(), alt=alt)

# %% [markdown]
# *Figure: nodes run by the backward pass of each step. With `retain` they grow from 5 to 122 in 40
# steps, with `detach` they stay at 5.*
#
# **Explain.** The work of all passes together grows with the square of the number of steps, and so
# do the bytes kept in a growing graph: a training that gets slower every minute has this fault.
# `detach` is another computation, and that is the point: it says on purpose that the past is a
# fact, and no gradient shall flow into it.
#
# With an optimizer in the loop, `retain` does not even get rid of the error:

# %% [markdown] lang="ru"
# *Рисунок: сколько узлов выполняет обратный проход каждого шага. С `retain` их число растёт от 5 до
# 122 за 40 шагов, с `detach` остаётся 5.*
#
# **Объясните.** Работа всех проходов вместе растёт как квадрат числа шагов, а байты — вместе с
# графом: обучение, которое замедляется с каждой минутой, страдает именно этим. `detach` — другое
# вычисление, и в этом смысл: вы намеренно говорите, что прошлое — данность и градиент в него не
# течёт.
#
# А если в цикле есть оптимизатор, `retain` не избавляет даже от ошибки:

# %%
u = torch.tensor([0.5], requires_grad=True)
optimizer = torch.optim.SGD([u], lr=0.1)
h = torch.zeros(1)
try:
    for step in (1, 2, 3):
        print("step", step)
        h = torch.tanh(h * u + 1.0)
        h.sum().backward(retain_graph=True)
        optimizer.step()
except RuntimeError as error:
    print("modified by an inplace operation" in str(error))

# %% [markdown]
# The kept graph of step 2 has saved `u`, and the optimizer has changed `u` in place since then. Why
# that must be an error is the subject of lesson 09.

# %% [markdown] lang="ru"
# Оставленный граф шага 2 сохранил `u`, а оптимизатор с тех пор изменил `u` на месте. Почему это
# должно быть ошибкой — тема урока 09.

# %% [markdown]
# ## 7 · Your own experiment
#
# **What does retain_graph really keep?** What the nodes saved, of the nodes that ran, and nothing
# else.
#
# **Exercise 07.6.** Change `own`: at least three named tensors, and one or more passes, with or
# without `retain_graph`, over all of the graph or a part. Predict the state of every tensor, in the
# order of the list that `own` returns. Then run both cells.

# %% [markdown] lang="ru"
# ## 7 · Ваш опыт
#
# **Что на самом деле хранит retain_graph?** То, что сохранили узлы, которые выполнялись, и больше
# ничего.
#
# **Упражнение 07.6.** Измените `own`: не меньше трёх тензоров и один или несколько проходов, с
# `retain_graph` или без, по всему графу или по части. Предскажите состояние каждого тензора, в
# порядке списка, который возвращает `own`. Потом выполните обе ячейки.

# %% tags=["exercise"] exercise="07.6"
def own(x):
    p = x * x  # change these lines
    q = p.exp()
    r = p + x
    r.backward()
    return [p, q, r]


predicted = None  # for example ["kept", "freed", "nothing"]

# %% tags=["solution"] exercise="07.6"
def own(x):
    p, q = x * x, x.exp()
    r = p + q
    r.backward(inputs=[q], retain_graph=True)
    torch.autograd.grad(r, p)
    q.backward()
    return [p, q, r]


predicted = ["kept", "freed", "nothing"]

# %% tags=["check"] exercise="07.6"
check("07.6", [predicted, [state(t) for t in own(torch.tensor(0.5, requires_grad=True))]])
