"""Levels: how grad, jvp and vmap nest.

    level.py    what a level is, and what a tensor of a level is
    steps.py    what an operation does on a level of grad or jvp: below first, then its own record
    lanes.py    what an operation does on a level of vmap: its row's batch rule

A transform pushes a level onto a stack and gives its function tensors of that level. A tensor of a
level is an ordinary Tensor whose `_array` is no array but holds a tensor one level down, and so on,
down to the ground, where tensors hold NumPy arrays. Every operation inside takes the slow door to
`steps.step`, which looks at the top of the stack only and repeats the operation one level down.
"""
