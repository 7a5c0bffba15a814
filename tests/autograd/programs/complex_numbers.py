"""Complex tensors through the engine: the conjugate convention."""

from tests.autograd.observe import f64, leaf, plain, raises, warned


def _z(torch, values=(1 + 2j, 3 - 1j)):
    return torch.tensor(list(values), dtype=torch.complex128, requires_grad=True)


def operations(torch):
    found = {}
    for name, f in {
        "mul": lambda z: z * z,
        "scalar": lambda z: z * (2 + 1j),
        "imaginary": lambda z: z * 0.5j,
        "div": lambda z: 1 / z,
        "exp": lambda z: z.exp(),
        "sin": lambda z: z.sin(),
        "pow": lambda z: z**3,
        "conj": lambda z: z.conj(),
        "sum": lambda z: z.sum(),
        "abs": lambda z: z.abs(),
        "neg": lambda z: -z,
        "real": lambda z: z.real,
        "imag": lambda z: z.imag,
        "mul conj": lambda z: z * z.conj(),
        "matmul": lambda z: z @ z,
        "cat": lambda z: torch.cat([z, z]),
        "index": lambda z: z[0],
        "sub": lambda z: z - 1,
        "rsub": lambda z: 1j - z,
        "log": lambda z: z.log(),
        "sqrt": lambda z: z.sqrt(),
        "tanh": lambda z: z.tanh(),
        "mean": lambda z: z.mean(),
        "reciprocal": lambda z: z.reciprocal(),
        "view_as_real": lambda z: torch.view_as_real(z),
        "prod": lambda z: z.prod(),
        "stack": lambda z: torch.stack([z, z * 2]),
        "where": lambda z: torch.where(z.real > 2, z, z * 2),
    }.items():
        z = _z(torch)
        y = f(z)
        g = torch.ones_like(y)
        (grad,) = torch.autograd.grad(y, z, g * (1 + 1j) if y.is_complex() else g)
        found[name] = [plain(y), plain(grad)]
    return found


def real_to_complex(torch):
    found = {}
    w = torch.tensor([1j, 2.0], dtype=torch.complex128)
    for name, f in {
        "mul": lambda x: x * w,
        "imaginary": lambda x: x * 0.5j,
        "add": lambda x: x + w,
        "to": lambda x: x.to(torch.complex128),
        "cat": lambda x: torch.cat([x, w]),
        "stack": lambda x: torch.stack([w, x]),
        "pow": lambda x: x**w,
        "copy_": lambda x: torch.zeros(2, dtype=torch.complex128).copy_(x),
        "complex": lambda x: torch.complex(x, x * 2),
        "div": lambda x: x / w,
        "sub": lambda x: w - x,
        "setitem": lambda x: _put(torch.zeros(2, dtype=torch.complex128), x),
        "matmul": lambda x: x.to(torch.complex128) @ w,
        "rdiv": lambda x: 1j / x,
    }.items():
        x = leaf(torch, [1.0, 3.0])
        y = f(x)
        grads = []

        def act():
            grads.append(torch.autograd.grad(y, x, torch.ones_like(y) * (1 + 2j))[0])

        warnings = warned(act)
        found[name] = [str(y.dtype), plain(y), str(grads[0].dtype), plain(grads[0]), warnings]
    return found


def _put(t, x):
    t[...] = x
    return t


def descent_direction(torch):
    z = _z(torch)
    loss = (z * z.conj()).real.sum()
    loss.backward()
    return [loss, z.grad]


def implicit_gradient(torch):
    z = _z(torch)
    return [
        raises(
            lambda: (z * z).sum().backward(),
            "grad can be implicitly created only for real scalar outputs",
        ),
        raises(
            lambda: torch.autograd.grad(z * z, z, torch.ones(2, dtype=torch.float64)),
            "Mismatch in dtype",
        ),
        raises(lambda: z.abs().sum().backward()),
        z.grad,
    ]


def views_and_in_place(torch):
    x = leaf(torch, [[1.0, 2.0], [3.0, 4.0]])
    m = x * 1
    z = torch.view_as_complex(m)
    z.mul_(1j)
    first = [plain(m), m.grad_fn.name(), z._is_view(), z._base is m]
    z.real.mul_(3)
    (m * f64(torch, [[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    w = _z(torch)
    n = w * 1
    r = torch.view_as_real(n)
    r[:, 0] = 5.0
    n.imag.mul_(2)
    (n * (1 + 1j)).sum().backward(torch.tensor(1 + 0j, dtype=torch.complex128))
    a, _b = torch.view_as_real(w * 1).unbind(-1)
    return [
        first,
        plain(m),
        plain(x.grad),
        plain(n),
        plain(w.grad),
        raises(
            lambda: a.mul_(2), "This view is the output of a function that returns multiple views"
        ),
    ]


def second_derivatives(torch):
    z = _z(torch)
    (g,) = torch.autograd.grad((z**3).abs().sum(), z, create_graph=True)
    (h,) = torch.autograd.grad(g.abs().sum(), z)
    return [g, h]


def gradient_assignment(torch):
    z = _z(torch)
    z.grad = torch.zeros(2, dtype=torch.complex128)
    z.sum().backward(torch.tensor(2j, dtype=torch.complex128))
    return [
        z.grad,
        raises(lambda: setattr(z, "grad", torch.zeros(2, dtype=torch.float64)), "dtype"),
    ]


def custom_function(torch):
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, z):
            ctx.save_for_backward(z)
            return z * z

        @staticmethod
        def backward(ctx, g):
            (z,) = ctx.saved_tensors
            return g * (2 * z).conj()

    z = _z(torch)
    Square.apply(z).sum().backward(torch.tensor(1 + 1j, dtype=torch.complex128))
    return z.grad


def hooks_see_complex(torch):
    z, seen = _z(torch), []
    m = z * 1j
    m.register_hook(lambda g: (seen.append(plain(g)), g.conj())[1])
    m.abs().sum().backward()
    return [seen, z.grad]


def memory_that_holds_no_complex_numbers(torch):
    """view_as_complex needs pairs that lie where complex numbers would."""
    x = torch.arange(24.0, dtype=torch.float64).reshape(3, 4, 2)
    odd = torch.arange(9.0, dtype=torch.float64)
    said = ("last dimension of size 2", "last dimension with stride 1", "stride divisible by 2",
            "storage_offset divisible by 2", "one or more dimensions")
    found = []
    for part in (x, x[1:, 2:], x[..., :1], x.transpose(0, 2), odd[:8].view(4, 2),
                 odd[1:].view(4, 2), odd.as_strided((2, 2), (3, 1)), odd[3:7].view(2, 2)[1:],
                 odd[::2][:4].view(2, 2), x.view(-1)[1:3], x[:0], x[0, 0, 0]):
        found.append(raises(
            lambda part=part: torch.view_as_real(torch.view_as_complex(part)), *said))
    return found
