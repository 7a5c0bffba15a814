# %% [markdown]
# # 00 · Start here
#
# **Question: does my set-up work, and how do I read the stepper?**
#
# Time: about 25 minutes. You need Python and the chain rule.
#
# You run a program of two operations and watch its backward pass, one node at a time.
# In the last cell you do the same with a program of your own.
#
# Every lesson works in four beats:
#
# 1. **Predict.** Write the number down before the computer shows it.
# 2. **Step.** Let one node run.
# 3. **Explain.** Say where the number came from.
# 4. **Change.** Alter the program and predict again.
#
# Run each cell with <kbd>Shift</kbd>+<kbd>Enter</kbd>, from top to bottom.
# All lessons, and shorter paths through them, are in the [index](index.ipynb).

# %% [markdown] lang="ru"
# # 00 · Начните здесь
#
# **Вопрос: всё ли у меня установлено и как читать степпер?**
#
# Время: около 25 минут. Нужны Python и правило дифференцирования сложной функции.
#
# Вы запускаете программу из двух операций и смотрите её обратный проход, узел за узлом.
# В последней ячейке вы делаете то же со своей программой.
#
# Каждый урок идёт в четыре такта:
#
# 1. **Предскажите.** Запишите число до того, как его покажет компьютер.
# 2. **Шагните.** Дайте выполниться одному узлу.
# 3. **Объясните.** Скажите, откуда взялось число.
# 4. **Измените.** Поменяйте программу и предскажите снова.
#
# Выполняйте ячейки по порядку, сверху вниз: <kbd>Shift</kbd>+<kbd>Enter</kbd>.
# Все уроки и короткие пути по ним — в [оглавлении](index.ipynb).

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check

print(torch.tensor([1.0, 2.0]) * 2)

# %% [markdown]
# The cell must print `tensor([2., 4.])`. Then the packages are there and the kernel runs.
# If it stops with `ModuleNotFoundError`, this kernel does not have the packages:
# close the lab and start it again with `python3 run.py lab`.
#
# `autodidact` uses PyTorch's names and gives PyTorch's numbers. If you have PyTorch, you can put
# `import torch` in the place of the first line: every cell still runs.
# The stepper then steps PyTorch's own engine.

# %% [markdown] lang="ru"
# Ячейка должна напечатать `tensor([2., 4.])`. Значит, пакеты на месте и ядро работает.
# Если она остановилась с `ModuleNotFoundError`, в этом ядре пакетов нет:
# закройте лабораторию и запустите её снова командой `python3 run.py lab`.
#
# `autodidact` пользуется именами PyTorch и даёт числа PyTorch. Если PyTorch у вас есть, можно
# поставить `import torch` на место первой строки: каждая ячейка по-прежнему выполняется.
# Степпер тогда шагает по движку самого PyTorch.

# %% [markdown] tags=["teacher"]
# **For the teacher.** Plan 25 minutes, 10 of them for section 3. Nothing here depends on the host:
# Lab, a hub and Binder show the same. What learners mix up: the number on a card (forward value)
# and the number in a slot (gradient), so all numbers of this lesson differ: 8, 16, 256 forward,
# 1, 32, 64 backward. To cut: section 4, unless somebody in the room reads by screen reader.
# To swap: the program of section 6; `check("00.5", ...)` compares prediction and `.grad` only,
# so any program with one leaf works.

# %% [markdown]
# ## 1 · The program
#
# `x` is a **leaf**: a tensor that you made and that asks for its gradient.
# The question to autograd is: if `x` grows a little, by how much does `L` grow?

# %% [markdown] lang="ru"
# ## 1 · Программа
#
# `x` — **лист**: тензор, который создали вы и который просит градиент.
# Вопрос к autograd: если `x` немного вырастет, на сколько вырастет `L`?

# %%
x = torch.tensor(8.0, requires_grad=True)
y = x * 2
L = y ** 2
print(L)

# %% [markdown]
# Forward computed three numbers: `x` is 8, `y` is 16, `L` is 256.
#
# It also left a **graph**: one node per operation, and one node for the leaf.
# `L.grad_fn` is the node of the last operation. From there the graph leads back to `x`.

# %% [markdown] lang="ru"
# Прямой проход вычислил три числа: `x` равно 8, `y` равно 16, `L` равно 256.
#
# Он оставил и **граф**: по узлу на каждую операцию и один узел для листа.
# `L.grad_fn` — узел последней операции. От него граф ведёт назад к `x`.

# %%
node = L.grad_fn
while node is not None:
    print(type(node).__name__)
    node = node.next_functions[0][0] if node.next_functions else None

# %% [markdown]
# Three nodes. Backward runs them in this order: first `L = y ** 2`, then `y = x * 2`,
# then `AccumulateGrad`, which writes `x.grad`.

# %% [markdown] lang="ru"
# Три узла. Обратный проход выполняет их в таком порядке: сначала `L = y ** 2`, потом
# `y = x * 2`, потом `AccumulateGrad`, который записывает `x.grad`.

# %% [markdown]
# ## 2 · Predict
#
# Backward starts at `L` with the number 1, since dL/dL = 1.
# Each node multiplies what it **receives** by its own slope and **sends** the product on.
# The slope of `L = y ** 2` is 2·y.
#
# **Exercise 00.1.** Which number does `L` send to `y`? Put it in place of `None`.

# %% [markdown] lang="ru"
# ## 2 · Предскажите
#
# Обратный проход начинается в `L` с числа 1, так как dL/dL = 1.
# Каждый узел умножает то, что **получил**, на свой наклон и **отправляет** произведение дальше.
# Наклон `L = y ** 2` равен 2·y.
#
# **Упражнение 00.1.** Какое число `L` отправит в `y`? Поставьте его вместо `None`.

# %% tags=["exercise"] exercise="00.1"
sent = None

# %% tags=["solution"] exercise="00.1"
sent = 2 * 16.0

# %% tags=["check"] exercise="00.1"
check("00.1", sent)

# %% [markdown]
# ## 3 · Step
#
# The next cell opens the stepper on `L`. Nothing has run yet. Press **Step** once and compare with
# your prediction.

# %% [markdown] lang="ru"
# ## 3 · Шагните
#
# Следующая ячейка открывает степпер на `L`. Ещё ничего не выполнено. Нажмите **Step** один раз и
# сравните с вашим предсказанием.

# %% tags=["stepper", "nbval-ignore-output"]
stepper = show(L)
stepper

# %% [markdown]
# What each part shows, from top to bottom. The question mark in the bar starts a tour of the same
# list: it lights up one part after the other and says one sentence about each.
#
# | part | what it shows |
# |---|---|
# | bar | Reset, Back, **Step**, Run, its speed, steps by node or by event, how many are done |
# | time line | one mark per node, in the order in which the nodes run |
# | sentence | who sent what to whom, and who runs next |
# | card | one operation: your line, its forward value, the node's name, what it saved |
# | pill | a leaf, with its value |
# | thin line, arrow down | forward: the way the values went |
# | thick line, arrow up | backward: the way a gradient goes |
# | number on a line | a gradient; filled once it has arrived |
# | slot below a card or pill | room for one gradient; dashed while it is empty |
# | square on a card | a saved tensor: filled is kept, struck through is freed |
# | inspector | the chosen node: what it receives, saved, and will send, and by which rule |
# | bar of bytes | how much room the saved tensors still take |
# | table of leaves | `.grad` of every leaf, before the pass and now |
# | last line | every sign with its word |
#
# | key | does |
# |---|---|
# | <kbd>→</kbd> | step |
# | <kbd>←</kbd> | back |
# | <kbd>Space</kbd> | run to the end, or pause |
# | <kbd>↑</kbd> <kbd>↓</kbd> | in the picture: choose the next node, the one before |
# | <kbd>R</kbd> | back to the start of the record |
# | <kbd>T</kbd> | the same as text |
# | <kbd>N</kbd> | steps by node, or by event: each gradient that is sent |
# | <kbd>B</kbd> | a breakpoint on the chosen node: Run stops there |
#
# The keys work while the stepper has the focus: click into it, or reach it with <kbd>Tab</kbd>.
# Back and <kbd>R</kbd> go back in the record only: what has run has run.
# You ran all cells at once? Press <kbd>R</kbd>, then step through the record.
#
# **No picture?** A table in its place means that this page has no live connection.
# Run the cell again. If the table stays, use the text form of section 4: it says the same.
#
# **Exercise 00.2.** Press **Step** until all three nodes have run.
# Which number stands in the slot of `x`?

# %% [markdown] lang="ru"
# Что показывает каждая часть, сверху вниз. Вопросительный знак на панели проводит по тому же
# списку: он подсвечивает части одну за другой и о каждой говорит одно предложение.
#
# | часть | что показывает |
# |---|---|
# | панель | Reset, Back, **Step**, Run, её скорость, шаг по узлам или событиям, сколько сделано |
# | шкала времени | по отметке на узел, в порядке выполнения |
# | предложение | кто что кому отправил и кто следующий |
# | карточка | одна операция: ваша строка, её значение, имя узла, что он сохранил |
# | капсула | лист и его значение |
# | тонкая линия, стрелка вниз | прямой проход: так шли значения |
# | толстая линия, стрелка вверх | обратный проход: так идёт градиент |
# | число на линии | градиент; залит, когда прибыл |
# | слот под карточкой или капсулой | место для одного градиента; пунктир, пока пуст |
# | квадрат на карточке | сохранённый тензор: залит — хранится, зачёркнут — освобождён |
# | инспектор | выбранный узел: что получает, что сохранил, что отправит и по какому правилу |
# | полоска байтов | сколько ещё занимают сохранённые тензоры |
# | таблица листьев | `.grad` каждого листа, до прохода и сейчас |
# | внизу | каждый знак и его слово |
#
# | клавиша | действие |
# |---|---|
# | <kbd>→</kbd> | шаг |
# | <kbd>←</kbd> | назад |
# | <kbd>Space</kbd> | до конца или пауза |
# | <kbd>↑</kbd> <kbd>↓</kbd> | на картинке: выбрать следующий узел, предыдущий |
# | <kbd>R</kbd> | к началу записи |
# | <kbd>T</kbd> | то же текстом |
# | <kbd>N</kbd> | шаг по узлам или по событиям: каждый отправленный градиент |
# | <kbd>B</kbd> | точка останова на выбранном узле: Run остановится там |
#
# Клавиши действуют, пока фокус в степпере: щёлкните в него или дойдите клавишей <kbd>Tab</kbd>.
# Back и <kbd>R</kbd> возвращают только по записи: что выполнено, то выполнено.
# Выполнили все ячейки сразу? Нажмите <kbd>R</kbd> и шагайте по записи.
#
# **Картинки нет?** Если вместо неё таблица, у страницы нет живой связи с ядром.
# Выполните ячейку ещё раз. Если таблица осталась, читайте текст из раздела 4: в нём то же самое.
#
# **Упражнение 00.2.** Нажимайте **Step**, пока не выполнятся все три узла.
# Какое число стоит в слоте `x`?

# %% tags=["exercise"] exercise="00.2"
found = None

# %% tags=["solution"] exercise="00.2"
found = 64.0

# %% tags=["check"] exercise="00.2"
check("00.2", found)

# %% [markdown]
# The stepper ran the real backward pass, so `x.grad` is set now.
# `finish()` runs whatever you have not stepped; after the last step it does nothing.
# The cell after a stepper begins with it. So its numbers do not depend on your clicks.

# %% [markdown] lang="ru"
# Степпер выполнил настоящий обратный проход, поэтому `x.grad` теперь записан.
# `finish()` выполняет то, до чего вы не дошли; после последнего шага она не делает ничего.
# Ячейка после степпера начинается с неё. Поэтому её числа не зависят от ваших нажатий.

# %%
stepper.finish()
print(x.grad)

# %% [markdown]
# **Explain.** Three numbers went up the picture: 1, then 1 · (2 · 16) = 32, then 32 · 2 = 64.
# That is the chain rule, read from its outer end: dL/dx = dL/dy · dy/dx.
# If `x` grows by 0.001, `L` grows by about 0.064. Here is the test:

# %% [markdown] lang="ru"
# **Объясните.** Вверх по картинке прошли три числа: 1, затем 1 · (2 · 16) = 32, затем 32 · 2 = 64.
# Это правило дифференцирования сложной функции с внешнего конца: dL/dx = dL/dy · dy/dx.
# Если `x` вырастет на 0,001, `L` вырастет примерно на 0,064. Проверка:

# %%
print(round(((8.001 * 2) ** 2 - (8.0 * 2) ** 2), 3))

# %% [markdown]
# The same in a picture: the curve is `L` for all values of `x`. The line touches it at `x = 8`
# and has the slope 64, taken from `x.grad`.

# %% [markdown] lang="ru"
# То же на рисунке: кривая — это `L` при всех значениях `x`. Прямая касается её в точке `x = 8`,
# и её наклон 64 взят из `x.grad`.

# %%
from matplotlib.figure import Figure
from autodidact_widgets import picture

values = [i / 10 for i in range(40, 121)]
fig = Figure(figsize=(6.5, 3.2), layout="constrained")
ax = fig.subplots()
ax.plot(values, [(value * 2) ** 2 for value in values], label="L = (x * 2) ** 2")
ax.plot(values, [256 + x.grad.item() * (value - 8) for value in values], "--", label="slope x.grad")
ax.plot(8, 256, "ko")
ax.set(xlabel="x", ylabel="L")
ax.legend()
ax.grid(alpha=0.3)

# %% tags=["nbval-ignore-output"]
picture(
    fig,
    alt="The curve of L for x from 4 to 12 rises from 64 to 576 and bends upwards. A broken line, "
    "straight, touches it in one point, at x = 8 and L = 256, and rises by 64 for each unit of x.",
)

# %% [markdown]
# *Figure: `.grad` is the slope of the line that touches the curve.*

# %% [markdown] lang="ru"
# *Рисунок: `.grad` — наклон прямой, которая касается кривой.*

# %% [markdown]
# ## 4 · The same as text
#
# Everything in the picture also exists as text, for a page without widgets, for a screen reader,
# and for copying into a mail. Here is a program with two leaves. One step is done.

# %% [markdown] lang="ru"
# ## 4 · То же текстом
#
# Всё, что есть на картинке, есть и как текст: для страницы без виджетов, для программы чтения с
# экрана, для письма. Вот программа с двумя листьями. Один шаг сделан.

# %% tags=["stepper"]
u = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(5.0, requires_grad=True)
p = u * w
K = p * 3
reader = show(K)
reader.step()
print(reader.text())

# %% [markdown]
# The first table has one line per node, in the order in which they run. `>` marks the next one.
# Below it stands what that node saved and what it sends. Then come the leaves, and last what
# happened in the step before.
#
# **Exercise 00.3.** What does `p` send to `u`, and what to `w`?

# %% [markdown] lang="ru"
# В первой таблице по строке на узел, в порядке выполнения. Знак `>` отмечает следующий узел.
# Под ней — что этот узел сохранил и что отправит. Дальше листья, а в конце — что произошло на
# предыдущем шаге.
#
# **Упражнение 00.3.** Что `p` отправит в `u` и что в `w`?

# %% tags=["exercise"] exercise="00.3"
sends = {"u": None, "w": None}

# %% tags=["solution"] exercise="00.3"
sends = {"u": 3 * 5.0, "w": 3 * 2.0}

# %% tags=["check"] exercise="00.3"
check("00.3", sends)

# %%
reader.finish()
print(u.grad, w.grad)

# %% [markdown]
# ## 5 · Change
#
# **Exercise 00.4.** Write `slope(value)`: run the program of section 1 with `value` in place
# of 8.0, call `L.backward()`, and return `x.grad`. `backward()` is the same pass as in the
# stepper, without a stop. Five lines are enough. First predict: what will `slope(1.0)` be?

# %% [markdown] lang="ru"
# ## 5 · Измените
#
# **Упражнение 00.4.** Напишите `slope(value)`: программа раздела 1, но с `value` вместо 8.0;
# вызовите `L.backward()` и верните `x.grad`. `backward()` — тот же проход, что и в степпере,
# без остановок. Пяти строк хватит. Сначала предскажите: чему равно `slope(1.0)`?

# %% tags=["exercise"] exercise="00.4"
def slope(value):
    ...

# %% tags=["solution"] exercise="00.4"
def slope(value):
    x = torch.tensor(value, requires_grad=True)
    y = x * 2
    L = y ** 2
    L.backward()
    return x.grad

# %% tags=["check"] exercise="00.4"
check("00.4", slope)

# %%
for value in (8.0, 1.0, -3.0):
    print(value, slope(value))

# %% [markdown]
# ## 6 · Your own experiment
#
# **Does my set-up work, and how do I read the stepper?** Answer it with a program of your own.
#
# **Exercise 00.5.** Change the line of `M`; use `*`, `+`, `-` and `**`.
# Work out dM/dv on paper and put it in place of `None`. Then run the cell and step to the end.
# With `ask=True` the stepper hides each number before its step and asks you for it; it says whether
# you are right, and keeps a tally. **Show me** gives the number away. Any stepper asks like this
# after a click on the speech bubble in its bar.

# %% [markdown] lang="ru"
# ## 6 · Ваш опыт
#
# **Всё ли у меня установлено и как читать степпер?** Ответьте своей программой.
#
# **Упражнение 00.5.** Измените строку `M`; берите `*`, `+`, `-` и `**`.
# Найдите dM/dv на бумаге и поставьте вместо `None`. Потом выполните ячейку и шагайте до конца.
# С `ask=True` степпер прячет каждое число до его шага и спрашивает его у вас; он говорит, верно ли,
# и ведёт счёт. **Показать** выдаёт число. Так спрашивает любой степпер после щелчка по облачку
# речи на его панели.

# %% tags=["exercise", "stepper", "nbval-ignore-output"] exercise="00.5"
v = torch.tensor(5.0, requires_grad=True)
M = (v * 3) ** 2  # change this line
predicted = None  # dM/dv
own = show(M, ask=True)
own

# %% tags=["solution", "stepper", "nbval-ignore-output"] exercise="00.5"
v = torch.tensor(5.0, requires_grad=True)
M = v ** 3 - v * 4
predicted = 3 * 5.0**2 - 4
own = show(M, ask=True)
own

# %% tags=["check"] exercise="00.5"
own.finish()
check("00.5", [predicted, v.grad])
