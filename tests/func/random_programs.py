"""Random functions under random transforms, in PyTorch's words: what `test_random_programs` runs.

A program is up to four small operations on a (2, 3) tensor, wrapped in up to three transforms,
and asked for in one of six ways: plain, backward, twice, forward, both, or for many gradients at
once. `layer_norm` is left out: torch's own third derivative of it fails its own gradgradcheck.
"""

import random

import numpy as np

NUMBERS = np.random.RandomState(7).randn(64)


def const(torch, shape, start):
    """A fixed tensor; another one for each `start`."""
    count = int(np.prod(shape)) if shape else 1
    values = np.resize(NUMBERS[start:], count).reshape(shape)
    return torch.tensor(values.tolist(), dtype=torch.float64)


def index(torch, values):
    """A tensor of indices."""
    return torch.tensor(values, dtype=torch.int64)


# ---- custom Functions ---------------------------------------------------------------------------


def cube_of(torch):
    """x ** 3 with a generated rule for vmap."""
    class Cube(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x ** 3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])
            ctx.save_for_forward(inputs[0])

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 3 * x * x

        @staticmethod
        def jvp(ctx, t):
            (x,) = ctx.saved_tensors
            return t * 3 * x * x
    return Cube


# ---- operations that write ----------------------------------------------------------------------


def writes(torch, x):
    y = x.clone()
    y.mul_(x)
    y.sin_()
    return y


def writes_results(torch, x):
    y = x * 0.5
    y.exp_()
    y[1].tanh_()
    y.sigmoid_()
    return y


def writes_a_part(torch, x):
    y = (x * 2).clone()
    y[1] = x[0] * y[0]
    y[:, 1:].add_(x[:, :2])
    return y


def writes_under_a_view(torch, x):
    y = x * 1
    v = y.transpose(0, 1)
    y.mul_(x)
    return v.sin().transpose(0, 1)


def writes_into_zeros(torch, x):
    z = torch.zeros_like(x)
    z.add_(x)
    z[0] = x[1]
    return z * x


def constant_inside(torch, x):
    with torch.no_grad():
        c = x.cos()
    return x * c


def convolved(torch, x):
    weight = const(torch, (2, 1, 2, 2), 3)
    found = torch.nn.functional.conv2d(x.reshape(1, 1, 2, 3), weight, None, 1, 1)
    return found[0, :, :2, :3].sum(0)


def convolved_weight(torch, x):
    picture, weight = const(torch, (1, 1, 3, 4), 3), x.reshape(1, 1, 2, 3)
    found = torch.nn.functional.conv2d(picture, weight, None, 1, 1)
    return found.reshape(-1)[:6].reshape(2, 3)


OPERATIONS = [
    writes, writes_results, writes_a_part, writes_under_a_view, writes_into_zeros, constant_inside,
    convolved, convolved_weight,
    lambda torch, x: x.sin(), lambda torch, x: x.tanh(), lambda torch, x: x * x,
    lambda torch, x: (x * 0.3).exp(), lambda torch, x: x + const(torch, (3,), 1),
    lambda torch, x: x * const(torch, (2, 1), 2), lambda torch, x: 1.5 - x,
    lambda torch, x: x / (2.5 + x.cos()), lambda torch, x: x ** 3 * 0.2,
    lambda torch, x: (x * x + 1) ** (x * 0.2), lambda torch, x: (x * x + 1).sqrt(),
    lambda torch, x: (x * x + 1).log(), lambda torch, x: x.abs(), lambda torch, x: x.relu(),
    lambda torch, x: x * x.sum(1, keepdim=True), lambda torch, x: x * x.sin().sum(0),
    lambda torch, x: x - x.mean(), lambda torch, x: x.softmax(1), lambda torch, x: x.log_softmax(0),
    lambda torch, x: x.cumsum(1), lambda torch, x: x - x.logsumexp(1, keepdim=True),
    lambda torch, x: x * x.amax(1, keepdim=True),
    lambda torch, x: x * (x + 3).prod(1, keepdim=True) * 0.05,
    lambda torch, x: (x.transpose(0, 1) * x.T).transpose(0, 1),
    lambda torch, x: x.reshape(3, 2).sin().reshape(2, 3),
    lambda torch, x: x.view(6).flip(0).view(2, 3), lambda torch, x: x[:1].expand(2, 3) * x,
    lambda torch, x: (x.unsqueeze(1) * x.unsqueeze(0)).sum(0), lambda torch, x: x[:, 1:2] * x,
    lambda torch, x: x[1] * x, lambda torch, x: x[index(torch, [1, 0])] * x,
    lambda torch, x: x[:, index(torch, [2, 0, 0])],
    lambda torch, x: x[index(torch, [0, 1]), index(torch, [2, 2])].unsqueeze(1) * x,
    lambda torch, x: x.gather(1, index(torch, [[0, 2, 2], [1, 1, 0]])),
    lambda torch, x: x.index_select(1, index(torch, [1, 1, 0])),
    lambda torch, x: torch.index_put(x.sin(), (index(torch, [0]),), x[1:]),
    lambda torch, x: torch.index_put(x, (index(torch, [0, 0]),), x, True),
    lambda torch, x: x.scatter_add(1, index(torch, [[0, 0, 1], [2, 1, 1]]), x.sin()),
    lambda torch, x: torch.cat([x[:1].sin(), x[1:] * x[:1]], 0),
    lambda torch, x: torch.stack([x[0] * x[1], x[1].cos()], 0),
    lambda torch, x: torch.where(x > 0.1, x.sin(), x * 2), lambda torch, x: x.clamp(-0.7, 0.9) * x,
    lambda torch, x: torch.maximum(x, x.flip(1)), lambda torch, x: x.masked_fill(x > 0.5, 0.3),
    lambda torch, x: x @ const(torch, (3, 3), 4), lambda torch, x: (x @ x.T) @ x * 0.3,
    lambda torch, x: (x @ x[0]).unsqueeze(1) * x, lambda torch, x: (x[0] @ x[1]) * x,
    lambda torch, x: (x.unsqueeze(0) @ const(torch, (2, 3, 3), 5))[1], lambda torch, x: x.triu(),
    lambda torch, x: x * x.diagonal().sum(), lambda torch, x: x * x.detach(),
    lambda torch, x: x * x.var(1, keepdim=True), lambda torch, x: x.norm(dim=1, keepdim=True) * x,
    lambda torch, x: x.sort(1).values * x, lambda torch, x: torch.nn.functional.gelu(x),
    lambda torch, x: (x - x.mean(1, keepdim=True)) / (x.var(1, keepdim=True) + 0.1).sqrt(),
    lambda torch, x: torch.einsum("ij,kj->ik", x, x) @ x * 0.3,
    lambda torch, x: x * torch.nn.functional.mse_loss(x, x.cos()),
    lambda torch, x: x * torch.nn.functional.cross_entropy(x, index(torch, [2, 0])),
    lambda torch, x: cube_of(torch).apply(x),
]


# ---- transforms ---------------------------------------------------------------------------------


def by_grad(torch, f, k):
    return lambda x: torch.func.grad(lambda y: (f(y) * const(torch, (2, 3), k)).sum())(x)


def by_grad_that_captures(torch, f, k):
    return lambda x: torch.func.grad(lambda y: (f(y) * x * y).sum())(x * 2)


def by_jvp(torch, f, k):
    return lambda x: torch.func.jvp(f, (x,), (x.sin(),))[1]


def by_jvp_that_captures(torch, f, k):
    return lambda x: torch.func.jvp(lambda y: f(y) * x, (x * 0.5,), (x * x,))[1]


def by_vmap(torch, f, k):
    return lambda x: torch.vmap(f)(torch.stack([x, x.cos(), x * 0.5], 0)).sum(0)


def by_vmap_along_the_last(torch, f, k):
    def g(x):
        found = torch.vmap(f, in_dims=2, out_dims=1)(torch.stack([x, x * 0.3], 2))
        return (found * const(torch, (2, 1), k)).sum(1)
    return g


def by_vmap_of_one_argument(torch, f, k):
    factors = const(torch, (3,), k) * 0.5
    return lambda x: torch.vmap(lambda c, y: f(y * c) * y, in_dims=(0, None))(factors, x).sum(0)


def by_vmap_over_rows(torch, f, k):
    return lambda x: torch.vmap(lambda row: f(x * row).sum(0))(x)


def by_vjp(torch, f, k):
    def g(x):
        out, back = torch.func.vjp(f, x)
        return back(out.cos())[0]
    return g


def by_vmap_of_vjp(torch, f, k):
    def g(x):
        out, back = torch.func.vjp(f, x)
        return torch.vmap(back)(torch.stack([out, out * 2], 0))[0].sum(0) + out
    return g


def by_jacrev(torch, f, k):
    return lambda x: (torch.func.jacrev(f)(x) * const(torch, (2, 3, 1, 1), k)).sum((0, 1))


def by_jacfwd(torch, f, k):
    return lambda x: (torch.func.jacfwd(f)(x) * const(torch, (2, 3, 1, 1), k)).sum((0, 1))


def by_hessian(torch, f, k):
    def number(y):
        return (f(y) * const(torch, (2, 3), k)).sum()
    weights = const(torch, (2, 3, 1, 1), k + 1)
    return lambda x: (torch.func.hessian(number)(x) * weights).sum((0, 1))


def by_grad_without_recording(torch, f, k):
    def g(x):
        with torch.no_grad():
            found = torch.func.grad(lambda y: f(y).sum())(x)
        return found * x
    return g


FORWARD = (by_jvp, by_jvp_that_captures, by_jacfwd, by_hessian)
LARGE = (by_jacrev, by_jacfwd, by_hessian)
TRANSFORMS = [by_grad, by_grad_that_captures, by_jvp, by_jvp_that_captures, by_vmap,
              by_vmap_along_the_last, by_vmap_of_one_argument, by_vmap_over_rows, by_vjp,
              by_vmap_of_vjp, by_jacrev, by_jacfwd, by_hessian, by_grad_without_recording]


# ---- ways to ask --------------------------------------------------------------------------------


def plainly(torch, f, x):
    return f(x)


def backward(torch, f, x):
    y = f(x.requires_grad_())
    if not y.requires_grad:
        return x * 0
    return torch.autograd.grad((y * const(torch, (2, 3), 5)).sum(), x)[0]


def twice(torch, f, x):
    y = f(x.requires_grad_())
    if not y.requires_grad:
        return x * 0
    (g,) = torch.autograd.grad((y * const(torch, (2, 3), 5)).sum(), x, create_graph=True)
    return torch.autograd.grad((g * g).sum(), x)[0] if g.requires_grad else x * 0


def many_at_once(torch, f, x):
    y, many = f(x.requires_grad_()), const(torch, (3, 2, 3), 4)
    if not y.requires_grad:
        return many * 0
    return torch.autograd.grad(y, x, many, is_grads_batched=True)[0]


def forward(torch, f, x):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        found = fw.unpack_dual(f(fw.make_dual(x, const(torch, (2, 3), 6)))).tangent
        return x * 0 if found is None else found + 0


def forward_over_backward(torch, f, x):
    fw = torch.autograd.forward_ad
    with fw.dual_level():
        dual = fw.make_dual(x.requires_grad_(), const(torch, (2, 3), 6))
        y = f(dual)
        if not y.requires_grad:
            return x * 0
        (g,) = torch.autograd.grad((y * const(torch, (2, 3), 5)).sum(), dual, create_graph=True)
        found = fw.unpack_dual(g).tangent
        return x * 0 if found is None else found + 0


WAYS = [plainly, plainly, backward, twice, many_at_once, forward, forward_over_backward]


# ---- programs -----------------------------------------------------------------------------------


class Program:
    """One random program."""

    def __init__(self, seed):
        choose = random.Random(seed)
        self.operations = [choose.randrange(len(OPERATIONS)) for _ in range(choose.randint(1, 4))]
        self.transforms = [(choose.choice(TRANSFORMS), choose.randint(1, 20))
                           for _ in range(choose.randint(0, 3))]
        if sum(t in LARGE for t, _ in self.transforms) > 2:
            self.transforms = self.transforms[:2]
        self.way = choose.choice(WAYS)

    def __repr__(self):
        return (f"operations {self.operations}, transforms "
                f"{[(t.__name__, k) for t, k in self.transforms]}, {self.way.__name__}")

    def torch_is_wrong(self):
        """A custom Function under two forward levels: torch loses the inner tangent."""
        levels = sum(t in FORWARD for t, _ in self.transforms)
        levels += self.way in (forward, forward_over_backward)
        return levels > 1 and len(OPERATIONS) - 1 in self.operations

    def run(self, torch):
        """The answer as an array."""
        def f(x):
            for place in self.operations:
                x = OPERATIONS[place](torch, x)
            return x
        for transform, k in self.transforms:
            f = transform(torch, f, k)
        return np.array(self.way(torch, f, const(torch, (2, 3), 11)).detach().numpy())
