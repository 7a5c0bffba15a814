"""Tests of floor 2: the engine, hooks, saved tensors, custom functions, what a tensor owes them."""
