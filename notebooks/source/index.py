# %% [markdown]
# # autodidact: the course
#
# You learn how a backward pass works by stopping one, looking at it, and predicting what it does
# next.
#
# **How to work.** Open a lesson, run its cells from top to bottom with
# <kbd>Shift</kbd>+<kbd>Enter</kbd>, and write your predictions before you step. Each lesson asks
# one question, and its last cell answers it with an experiment of your own. The checks work at once
# and without a network. You need Python and the chain rule; each lesson says which others it builds
# on.

# %% [markdown] lang="ru"
# # autodidact: курс
#
# Вы учитесь тому, как работает обратный проход: останавливаете его, смотрите на него и
# предсказываете, что он сделает дальше.
#
# **Как работать.** Откройте урок, выполняйте ячейки сверху вниз клавишами
# <kbd>Shift</kbd>+<kbd>Enter</kbd> и записывайте предсказания до шага. Каждый урок задаёт один
# вопрос, и его последняя ячейка отвечает на него вашим собственным опытом. Проверки работают сразу
# и без сети. Нужны Python и правило дифференцирования сложной функции; каждый урок говорит, на
# какие другие он опирается.

# %% [markdown]
# ## The full course
#
# <!-- lessons: 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 -->

# %% [markdown] lang="ru"
# ## Весь курс
#
# <!-- lessons: 00 01 02 03 04 05 06 07 08 09 10 11 12 13 14 15 16 17 18 -->

# %% [markdown]
# ## One lecture
#
# The core: in what order the pass runs, what it writes, and what it keeps.
#
# <!-- lessons: 04 05 07 -->

# %% [markdown] lang="ru"
# ## Одна лекция
#
# Главное: в каком порядке идёт проход, что он записывает и что сохраняет.
#
# <!-- lessons: 04 05 07 -->

# %% [markdown]
# ## A workshop
#
# From the first step to six famous errors. Leave out what the teacher's note of a lesson names, and
# it fits two to three hours.
#
# <!-- lessons: 00 04 05 06 07 16 -->

# %% [markdown] lang="ru"
# ## Мастерская
#
# От первого шага до шести знаменитых ошибок. Если опустить то, что называет заметка для учителя,
# хватит двух-трёх часов.
#
# <!-- lessons: 00 04 05 06 07 16 -->

# %% [markdown]
# ## For those who build frameworks
#
# An engine of your own, then what a real one needs besides.
#
# <!-- lessons: 02 06 08 09 12 14 -->

# %% [markdown] lang="ru"
# ## Для тех, кто строит фреймворки
#
# Свой движок, а потом то, что нужно настоящему сверх того.
#
# <!-- lessons: 02 06 08 09 12 14 -->

# %% [markdown]
# ## For those who train networks
#
# What goes wrong in practice, and how to see it.
#
# <!-- lessons: 05 07 10 13 15 16 18 -->

# %% [markdown] lang="ru"
# ## Для тех, кто обучает сети
#
# Что идёт не так на практике и как это увидеть.
#
# <!-- lessons: 05 07 10 13 15 16 18 -->

# %% [markdown]
# ## Where you are
#
# A right answer is noted in one file on this machine. Nothing is sent anywhere. Run the cell to
# read it.

# %% [markdown] lang="ru"
# ## Где вы сейчас
#
# Верный ответ отмечается в одном файле на этой машине. Никуда ничего не отправляется. Выполните
# ячейку, чтобы прочитать его.

# %%
from autodidact.check import progress

progress()

# %% [markdown]
# The next cell says where the file is. Delete the file to begin afresh.

# %% [markdown] lang="ru"
# Следующая ячейка скажет, где лежит этот файл. Удалите его, чтобы начать сначала.

# %%
from autodidact.checking.progress import path

print(path())

# %% [markdown]
# **You teach?** The solved edition of each lesson, with a note for the teacher, is in the folder
# [solved](solved).

# %% [markdown] lang="ru"
# **Вы преподаёте?** Решённые уроки с заметкой для учителя лежат в папке [solved](../solved)
# (по-английски).
