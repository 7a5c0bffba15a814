"""Random programs of views and in-place writes, statement by statement.

A program starts with two leaves `a`, `b`, a plain tensor `c` and some `x`; each statement makes a
view, computes, writes in place, changes a shape in place, hooks, calls a custom Function or
deletes. The text is the same for every library that has PyTorch's names.
"""

import random

import numpy as np

WEIGHTS = {"view": 30, "several": 5, "compute": 14, "write": 26, "assign": 10, "reshape": 3,
           "flag": 5, "hook": 4, "custom": 5, "delete": 3, "advanced": 3}
STARTS = ["x = a.clone()", "x = a * 2", "x = c.clone()", "x = a", "x = c.clone().requires_grad_()",
          "x = a.clone().t()", "x = (a * b).view(3, 2)"]
COMPUTE = ["{v} * {w}", "{v} + {w}", "{v} - {w}", "{v}.sin()", "{v}.exp().tanh()", "{v} * 2",
           "{v}.sum()", "{v}.clone()", "{v}.sigmoid()", "{v}.tanh()", "{v} / 2", "{v}.cos()"]
WRITE = ["{v}.mul_({w})", "{v}.mul_(2)", "{v}.add_({w})", "{v}.sub_({w})", "{v}.sin_()",
         "{v}.tanh_()", "{v}.sigmoid_()", "{v}.neg_()", "{v}.zero_()", "{v}.fill_(.5)",
         "{v}.copy_({w})", "{v} *= {w}", "{v} += {w}", "{v}.add_(1)", "{v}.pow_(2)", "{v}.cos_()",
         "{v}.div_(2)", "{v}.copy_({w}.clone())",
         "{v}.mul_({w}.detach())"]
ASSIGN = ["{v}[{i}] = .25", "{v}[{i}:] = {w}", "{v}[{i}] = {w}", "{v}[..., 0] = {w}",
          "{v}[:] = {w}", "{v}[...] = 2.", "{v}[{i}] *= 2", "{v}[{i}:].sin_()",
          "{v}[{i}] = {v}[{i}] * 2"]
HOOKS = ["{v}.retain_grad()",
         "{v}.register_hook(lambda g, n={n}: g is None or log.append((n, g.detach().clone())))",
         "{v}.register_hook(lambda g: g * 2 if g is not None else None)"]


def functions(m):
    """Custom Functions of the library `m`: a view, a view and a value, a write, the input."""
    class F(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class F2(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x), x * 2

        @staticmethod
        def backward(ctx, g, h):
            return g * 3 + h

    class D(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(3)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 3

    class Id(m.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 5

    return {"F": F, "F2": F2, "D": D, "Id": Id}


def environment(m):
    """Where a program runs: the library as `m`, the tensors it starts with, a log for hooks."""
    def leaf(low, high, shape):
        return m.from_numpy(np.linspace(low, high, int(np.prod(shape))).reshape(shape).copy())

    return {"m": m, "log": [], "a": leaf(.1, 1.2, (2, 3)).requires_grad_(),
            "b": leaf(-.7, .9, (3,)).requires_grad_(), "c": leaf(.3, .8, (2, 3)), **functions(m)}


class Author:
    """Writes statements that make sense for the tensors there are."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = ["a", "b", "c", "x"]
        self.count = 0
        self.env = {}

    def start(self):
        """The first statement."""
        return self.random.choice(STARTS)

    def fresh(self, n=1):
        """New names."""
        names = [f"v{self.count + i + 1}" for i in range(n)]
        self.count += n
        return names

    def statement(self, env):
        """The next statement, and the names it will define; `env` tells shapes."""
        self.env, r = env, self.random
        v = r.choice(self.names[-6:] if r.random() < .7 else self.names)
        kind = r.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        text, new = getattr(self, kind)(v, r.choice(self.names), env[v])
        x = r.random()
        if new and env[v].is_inference() and ".sum()" in text:
            text = f"{new[0]} = {v} * 1"
        if kind == "reshape" and env[v]._base is None:
            x = 1
        if x < .13:
            text = "with m.no_grad(): " + text
        elif x < .17:
            text = "with m.inference_mode(): " + text
        return text, new

    def view(self, v, w, t):
        """One view."""
        r, s, nd = self.random, tuple(t.shape), t.dim()
        o = [f"{v}.view_as({v})", f"{v}.unsqueeze(0)", f"{v}.squeeze()", f"{v}.view(-1)",
             f"{v}.reshape(-1)", f"{v}[...]", f"{v}.detach()",
             f"{v}.expand(2, {', '.join(map(str, s))})" if nd else f"{v}.expand(2)"]
        if nd:
            i, d = r.randrange(max(s[0], 1)), r.randrange(nd)
            o += [f"{v}[{i}]", f"{v}[{i}:]", f"{v}[:]", f"{v}[::2]",
                  f"{v}[..., {r.randrange(max(s[-1], 1))}]", f"{v}[None, {i}]",
                  f"{v}.transpose(0, {d})", f"{v}.narrow({d}, 0, {max(1, s[d] - 1)})",
                  f"{v}.select({d}, 0)", f"{v}.as_strided(({min(2, s[0])},), (1,))",
                  f"{v}.permute({', '.join(map(str, r.sample(range(nd), nd)))})"]
            if t.numel() > 1:
                o.append(f"{v}.as_strided((2,), (1,), {t.storage_offset()})")
        if nd == 2:
            o += [f"{v}.t()", f"{v}.diagonal()", f"{v}[{i}, 1:]" if s[1] > 1 else f"{v}.T"]
        if r.random() < .05 and not t.is_inference():
            o = [f"{v}.data"]
        new = self.fresh()
        return f"{new[0]} = {r.choice(o)}", new

    def several(self, v, w, t):
        """Several views at once."""
        if not t.dim() or t.shape[0] < 2:
            return self.compute(v, w, t)
        a, b = self.fresh(2)
        last = t.dim() - 1 if t.shape[-1] >= 2 else 0
        return f"{a}, {b} = " + self.random.choice(
            [f"{v}.unbind(0)[:2]", f"{v}.split(1)[:2]", f"{v}.chunk(2)",
             f"{v}.split_with_sizes([1, {t.shape[0] - 1}])", f"{v}.unbind({last})[-2:]"]), [a, b]

    def compute(self, v, w, t):
        """A new tensor."""
        new = self.fresh()
        return f"{new[0]} = " + self.random.choice(COMPUTE).format(v=v, w=w), new

    def write(self, v, w, t):
        """A write into a whole tensor."""
        return self.random.choice(WRITE).format(v=v, w=w), []

    def assign(self, v, w, t):
        """A write into a part."""
        if not t.dim():
            return f"{v}.mul_(1)", []
        i, other = self.random.randrange(max(t.shape[0], 1)), self.env[w]
        if w != v and other.untyped_storage().data_ptr() == t.untyped_storage().data_ptr():
            w += ".clone()"                         # else PyTorch's result depends on the order
        return self.random.choice(ASSIGN).format(v=v, w=w, i=i), []

    def reshape(self, v, w, t):
        """A shape changed in place."""
        if t.retains_grad:                          # PyTorch leaves the retain hook behind
            return f"{v}.grad_fn is None", []
        turn = f"{v}.t_()" if t.dim() <= 2 else f"{v}.transpose_(0, 1)"
        last = f"{v}.transpose_(0, -1)" if t.dim() else f"{v}.unsqueeze_(0)"
        return self.random.choice([f"{v}.unsqueeze_(0)", f"{v}.squeeze_()", turn, last]), []

    def flag(self, v, w, t):
        """A leaf switched on or off."""
        return self.random.choice([f"{v}.detach_()", f"{v}.requires_grad_()",
                                   f"{v}.requires_grad_(False)"]), []

    def hook(self, v, w, t):
        """A hook; not on a stale view, where PyTorch crashes."""
        try:
            t.grad_fn  # noqa: B018
        except RuntimeError:
            return f"{v}.grad_fn", []
        return self.random.choice(HOOKS).format(v=v, n=len(self.names)), []

    def custom(self, v, w, t):
        """A custom Function."""
        new = self.fresh()
        return f"{new[0]} = " + self.random.choice(
            ["F.apply({v})", "D.apply({v})", "Id.apply({v})", "F2.apply({v})[0]"]).format(v=v), new

    def delete(self, v, w, t):
        """A name forgotten."""
        if len(self.names) <= 5:
            return f"{v}.mul_(1)", []
        gone = self.random.choice(self.names[3:])
        self.names.remove(gone)
        return f"del {gone}", []

    def advanced(self, v, w, t):
        """Index tensors."""
        if not t.dim() or t.is_inference() or 0 in t.stride():
            return f"{v}.mul_(1)", []
        new = self.fresh()
        return self.random.choice([f"{new[0]} = {v}[[0, 0]]",
                                   f"{v}[[0]] = .5; {new[0]} = {v} * 1"]), new
