# %% [markdown]
# # 15 · CPU and GPU
#
# **Question: what changes when the numbers live on another device?**
#
# Time: about 40 minutes. You need lesson 05: leaves and `.grad`.
#
# The formulas do not change. What changes is where numbers are, and what it costs to carry them.
# Without a GPU the lesson uses a simulated one: NumPy computes, nothing is faster, but the walls
# are real.

# %% [markdown] lang="ru"
# # 15 · CPU и GPU
#
# **Вопрос: что меняется, когда числа живут на другом устройстве?**
#
# Время: около 40 минут. Нужен урок 05: листья и `.grad`.
#
# Формулы не меняются. Меняется то, где лежат числа, и цена их перевозки. Без GPU урок берёт
# изображаемый: считает NumPy, быстрее ничего не становится, но стены настоящие.

# %%
import autodidact as torch
from autodidact_widgets import show
from autodidact.check import check
from autodidact.arrays import simulated, transfers
from contextlib import ExitStack

stage = ExitStack()
if not torch.cuda.is_available():
    driver = stage.enter_context(simulated.simulated_gpu())
device = "cuda" if torch.cuda.is_available() else "cpu"

# %% tags=["nbval-ignore-output", "stepper"]
torch.cuda.get_device_name() if device == "cuda" else "the CPU"

# %% [markdown] tags=["teacher"]
# **For the teacher.** 40 minutes; in 25, leave out section 4. The checks count what crosses: they
# are the same with a GPU and without one. What learners believe at first: that only `.cuda()` and
# `.cpu()` carry numbers. `item()`, `print` and `if` do, too, and each waits for the GPU. The last
# section names what a simulated GPU cannot show: time.

# %% [markdown]
# ## 1 · Where is it?
#
# A tensor says its `device`. An operation computes where its inputs are, and leaves its result
# there. Tensors of two devices do not mix; a single number of the CPU may join.

# %% [markdown] lang="ru"
# ## 1 · Где он?
#
# Тензор называет своё `device`. Операция считает там, где её входы, и там же оставляет результат.
# Тензоры двух устройств не смешиваются; одно число с CPU может присоединиться.

# %% tags=["stepper"]
x = torch.tensor([1.0, 2.0, 3.0], device=device)
w = torch.tensor(2.0)
b = torch.tensor([1.0, 1.0, 1.0])
try:
    x + b
except RuntimeError as error:
    print(error)
x

# %%
print((x * x).cpu().tolist(), x.sum().item(), (w * x).cpu().tolist())

# %% [markdown]
# **Exercise 15.1.** Where is each result: `"gpu"`, `"cpu"`, or `"python"` (a number of Python's)?

# %% [markdown] lang="ru"
# **Упражнение 15.1.** Где каждый результат: `"gpu"`, `"cpu"` или `"python"` (число Питона)?

# %% tags=["exercise"] exercise="15.1"
where = {"x * x": None, "x.sum()": None, "w * x": None, "w * w": None,
         "x.cpu()": None, "x.sum().item()": None}

# %% tags=["solution"] exercise="15.1"
where = {"x * x": "gpu", "x.sum()": "gpu", "w * x": "gpu", "w * w": "cpu",
         "x.cpu()": "cpu", "x.sum().item()": "python"}

# %% tags=["check"] exercise="15.1"
check("15.1", where)

# %% [markdown]
# ## 2 · What crosses
#
# Carrying numbers between devices is slow: the program waits until the GPU has done all that it was
# asked before. `transfers.watched()` lists what crosses, with its bytes.

# %% [markdown] lang="ru"
# ## 2 · Что переезжает
#
# Перевозить числа между устройствами медленно: программа ждёт, пока GPU сделает всё, о чём его
# просили раньше. `transfers.watched()` перечисляет, что переезжает и сколько в этом байтов.

# %% tags=["stepper"]
with transfers.watched() as crossed:
    x = torch.ones(1000).to(device)
    total = (x * x).sum()
    print(total.item())
[str(each) for each in crossed]

# %%
print(total.item(), (x * 2)[:3].cpu().tolist())

# %% [markdown]
# **Exercise 15.2.** `x` has 1000 float32 numbers on the GPU. How many bytes cross in each line?

# %% [markdown] lang="ru"
# **Упражнение 15.2.** У `x` 1000 чисел float32 на GPU. Сколько байтов переезжает в каждой строке?

# %% tags=["exercise"] exercise="15.2"
count = {"x.cpu()": None, "x * 2": None, "x.sum().item()": None, "x.double().cpu()": None,
         "if x[0] > 0: ...": None, "x.max()": None}

# %% tags=["solution"] exercise="15.2"
count = {"x.cpu()": 4000, "x * 2": 0, "x.sum().item()": 4, "x.double().cpu()": 8000,
         "if x[0] > 0: ...": 1, "x.max()": 0}

# %% tags=["check"] exercise="15.2"
check("15.2", count)

# %% [markdown]
# ## 3 · The same pass
#
# Backward goes back the way forward came: where a value crossed, its gradient crosses back. The
# leaf `a` lives on the CPU, so its `.grad` does, too. Step through it: each node says its device.

# %% [markdown] lang="ru"
# ## 3 · Тот же проход
#
# Обратный проход идёт тем же путём назад: где переехало значение, там назад едет его градиент. Лист
# `a` живёт на CPU, поэтому и его `.grad` там же. Пройдите по шагам: каждый узел называет своё
# устройство.

# %%
a = torch.tensor([1.0, 2.0], requires_grad=True)
m = torch.tensor([[1.0, 0.0], [0.0, 3.0]], device=device, requires_grad=True)
y = m @ a.to(device)
loss = (y * y).sum()

# %% tags=["stepper"]
stepper = show(loss)
stepper

# %% tags=["stepper"]
stepper.finish()
if device == "cuda":
    print(stepper.record.text(5))

# %%
if a.grad is None:
    loss.backward()
print(a.grad)
m.grad.cpu()

# %% [markdown]
# **Exercise 15.3.** In this backward pass: how many nodes ran on the GPU (leaves included), how
# many bytes crossed, and where is `m.grad`?

# %% [markdown] lang="ru"
# **Упражнение 15.3.** В этом обратном проходе: сколько узлов выполнилось на GPU (с листьями),
# сколько байтов переехало и где `m.grad`?

# %% tags=["exercise"] exercise="15.3"
found = {"nodes on the GPU": None, "bytes": None, "m.grad": None}

# %% tags=["solution"] exercise="15.3"
found = {"nodes on the GPU": 5, "bytes": 8, "m.grad": "gpu"}

# %% tags=["check"] exercise="15.3"
check("15.3", found)

# %% [markdown]
# ## 4 · Streams, in words
#
# A GPU works through a **stream**: a queue, done in order while the program goes on. Two streams
# have no order. One that uses what another makes must wait for it; if it does not, the numbers
# may be wrong, sometimes. The engine keeps this rule for you: each node's backward runs on the
# stream of its forward, and waits for the gradients it needs. The simulated GPU notes each
# forgotten wait.

# %% [markdown] lang="ru"
# ## 4 · Потоки, на словах
#
# GPU работает через **поток** (stream): очередь, которая выполняется по порядку, пока программа
# идёт дальше. У двух потоков порядка нет. Кто берёт сделанное в другом, должен его подождать;
# иначе числа иногда неверны. Движок соблюдает это за вас: узел выполняется в потоке своего
# прямого прохода и ждёт нужных ему градиентов. Изображаемый GPU отмечает каждое забытое ожидание.

# %% tags=["stepper"]
if device == "cuda" and "driver" in globals():
    driver.races.clear()
    side, x = torch.cuda.Stream(), torch.ones(3, device=device)
    with torch.cuda.stream(side):
        x * 2                                         # nobody told side to wait for x
    print("races:", len(driver.races))
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        x * 2
    print("races:", len(driver.races))

# %% [markdown]
# ## 5 · Find the hidden transfer
#
# This training loop is right, and slow on a GPU: in every step numbers come back to the CPU.

# %% [markdown] lang="ru"
# ## 5 · Найдите скрытую перевозку
#
# Этот цикл обучения верен и медлен на GPU: на каждом шаге числа возвращаются на CPU.

# %% tags=["stepper"]
def train(steps, note):
    """Fit w to 3; `note` keeps the losses."""
    w = torch.zeros(1, device=device, requires_grad=True)
    for _ in range(steps):
        loss = ((w - 3) ** 2).sum()
        w.grad = None
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        note(loss)
    return w


losses = []
with transfers.watched() as crossed:
    train(20, lambda loss: losses.append(loss.item()))
len(crossed)

# %%
print(len(losses), [round(loss, 3) for loss in losses[:4]])

# %% [markdown]
# **Exercise 15.4.** Write `note` and `read` so that the losses end as a list of 20 numbers and only
# one transfer is made. `torch.stack` joins tensors where they are.

# %% [markdown] lang="ru"
# **Упражнение 15.4.** Напишите `note` и `read` так, чтобы в конце был список из 20 чисел, а
# переезд был один. `torch.stack` соединяет тензоры там, где они лежат.

# %% tags=["exercise"] exercise="15.4"
kept = []
note = None                     # a function of a loss: keep it
read = None                     # a function without arguments: all losses as Python's numbers

# %% tags=["solution"] exercise="15.4"
kept = []


def note(loss):
    kept.append(loss.detach())


def read():
    return torch.stack(kept).tolist()


# %% tags=["stepper"]
result = None
if note and read:
    with transfers.watched() as crossed:
        train(20, note)
        numbers = read()
    result = [len(numbers), len(crossed)]
result

# %%
print(round(train(20, lambda loss: None).item(), 4))

# %% tags=["gpu", "nbval-ignore-output", "stepper"]
if device == "cuda" and "driver" not in globals():
    big = torch.randn(4096, 4096, device=device)
    begun, ended = torch.cuda.Event(True), torch.cuda.Event(True)
    begun.record(); (big @ big).sum(); ended.record()
    torch.cuda.synchronize()
    print(f"{begun.elapsed_time(ended):.1f} ms on the GPU")
else:
    print("No GPU here: this cell measures time on one, and is skipped.")

# %% tags=["check", "stepper"] exercise="15.4"
check("15.4", result)
