"""Tensors of many kinds, as code that either library runs, to be printed.

`tests/arrays/printing_cases.py` tries the formatting of numbers; here is all that stands around
them: what the tensor is, where it came from, which options hold.
"""

# Numbers that do not depend on the last bit of a function: n runs from 0.
NUMBERS = [
    "n", "n - 2", "n / 4", "n * 1000", "n * 1e6", "n / 1000", "n * 1e-7", "2.0 ** n", "10.0 ** -n",
    "n / 3", "n if n != 1 else NAN", "n if n % 2 else -INF", "n * 0", "-n * 1e9 + 0.5",
]
SHAPES = ["()", "(1,)", "(4,)", "(3, 2)", "(2, 1, 3)", "(0,)", "(2, 0)", "(30,)"]
FLOATS = ["float32", "float64", "float16"]
OTHERS = ["int64", "int32", "int16", "int8", "uint8", "bool", "complex64", "complex128"]


def grid():
    """Every way of numbers in some shape and dtype, and every shape in each dtype."""
    for i, numbers in enumerate(NUMBERS):
        for j, dtype in enumerate(FLOATS):
            yield f"tensor_of({SHAPES[(i + 3 * j) % 5]}, lambda n: {numbers}, {dtype})"
    for i, shape in enumerate(SHAPES):
        for j, dtype in enumerate(OTHERS):
            numbers = "n" if dtype == "uint8" else ["n", "n - 2", "n * 11"][(i + j) % 3]
            yield f"tensor_of({shape}, lambda n: {numbers}, {dtype})"


# What came from where. x (2, 3) is a leaf that requires grad, c a plain one, z complex.
SINGLE = """
x
c
z
x + 1
x * 2
x / 2
x - c
-x
x @ c.t()
x.sum()
x.mean()
x.max()
x.max(1)
x.sort()
x.topk(2)
x.min(0).indices
x.exp() * 0
x.relu()
x.sigmoid() * 0
x.softmax(1).detach() > 0.5
x.detach()
x.clone()
x.t()
x[0]
x[0, 1]
x[:, 1:]
x[x > 1]
x.view(3, 2)
x.reshape(6)
x.flatten()
x.permute(1, 0)
x.unsqueeze(0)
x.expand(2, 2, 3)
x.unbind()
x.split(1)
x.chunk(2, 1)
x.double()
x.half()
x.to(torch.complex64)
x.long()
x.bool()
x.shape
x.dtype
x.device
x.layout
x.size()
x.stride()
x.is_leaf
x.grad
(x * 1).grad_fn.name()
x.data
x.abs()
x ** 2
torch.cat([x, c])
torch.stack([x, c])
torch.where(x > 2, x, c)
torch.nn.Parameter(c)
torch.nn.Parameter(torch.tensor(2.0))
torch.nn.Parameter(torch.zeros(0))
torch.nn.Parameter(c, requires_grad=False)
torch.nn.ParameterList([c, c[0]])
torch.nn.Linear(2, 1)
[x, c]
{"a": c, "b": x}
(c,)
z.real
z.imag
z.conj()
z.abs()
z.requires_grad_()
z * 2
torch.view_as_real(z)
torch.linalg.svd(torch.zeros(2, 2))
torch.linalg.qr(torch.eye(2))
torch.linalg.slogdet(torch.eye(2))
torch.linalg.eigh(torch.diag(torch.tensor([1.0, 2])))
torch.slogdet(torch.eye(2))
torch.linalg.lu(torch.eye(2))
torch.linalg.lu_factor(torch.eye(2))
torch.linalg.inv_ex(torch.eye(2))
torch.linalg.cholesky_ex(torch.eye(2))
torch.linalg.lstsq(torch.eye(2), torch.ones(2, 1))
torch.lu_unpack(torch.eye(2), torch.tensor([1, 2], dtype=torch.int32))
torch.aminmax(c)
torch.mode(c)
torch.frexp(c)
torch.kthvalue(c, 1)
torch.cummax(c, 0)
torch.median(c, 0)
torch.nanmedian(c, 0)
torch.unique(c, return_counts=True)
torch.std_mean(c)
torch.histogram(c, 3)
torch.empty(2, 3, device="meta")
torch.empty(0, device="meta", dtype=torch.int64)
torch.empty(2, device="meta", dtype=torch.int64)
torch.empty(2, device="meta", requires_grad=True)
torch.nn.Parameter(torch.empty(2, device="meta"))
torch.arange(5)
torch.arange(0, 1, 0.25)
torch.arange(1001)
torch.arange(2000).reshape(2, 1000)
torch.arange(1200.0).reshape(10, 10, 12)
torch.linspace(0, 1, 5)
torch.logspace(0, 4, 5)
torch.eye(3)
torch.ones(2, 3, dtype=torch.bool)
torch.zeros(2, 3, 2, dtype=torch.int8)
torch.full((2, 2), float("nan"))
torch.full((3,), float("inf"))
torch.tensor([float("-inf"), 0.0, 2.5])
torch.tensor([1e-10, 1.0])
torch.tensor([1e10, 1.0])
torch.tensor([1e8])
torch.tensor([99999999.0])
torch.tensor(1e-5)
torch.tensor(123456.789)
torch.tensor(0.1, dtype=torch.float64)
torch.tensor([True])
torch.tensor([[]])
torch.tensor([[1, -2], [300, 4]])
torch.tensor([0.1 + 2j, -3e-6j])
torch.tril(torch.ones(3, 3))
torch.rand(2, 3)
torch.rand(2, 2, dtype=torch.float64)
torch.randint(100, (3, 4))
torch.randperm(12)
torch.rand(1100)
torch.finfo(torch.float32).eps
torch.iinfo(torch.int8)
torch.iinfo(torch.int64)
torch.finfo(torch.float16)
torch.finfo(torch.float64)
torch.finfo(torch.complex64)
torch.Size([2, 3])
torch.device("cpu")
torch.device("cuda", 1)
torch.strided
torch.contiguous_format
str(x)
f"{x.sum()}"
f"{c[0, 1]:.3f}"
f"{c[0]}"
str(torch.tensor(3))
printed(c * 1.23456789, precision=2)
printed(c * 1.23456789, precision=10)
printed(c * 1e5, sci_mode=True)
printed(c * 1e-9, sci_mode=False)
printed(torch.arange(100), threshold=20)
printed(torch.arange(100), threshold=20, edgeitems=2)
printed(torch.arange(40.0), linewidth=40)
printed(torch.arange(40.0).reshape(2, 20), profile="short")
printed(torch.arange(1100), profile="full")
""".split("\n")[1:-1]

CODES = [*grid(), *SINGLE]


def text_of(library, code):
    """What is printed for one line of code under a library."""
    def tensor_of(shape, rule, dtype):
        count = 1
        for length in shape:
            count *= length
        made = library.tensor([rule(i) for i in range(count)], dtype=library.float64)
        return made.reshape(shape).to(getattr(library, dtype))

    def printed(tensor, **options):
        library.set_printoptions(**options)
        try:
            return repr(tensor)
        finally:
            library.set_printoptions(profile="default")

    library.manual_seed(0)
    x = library.arange(6.0).reshape(2, 3).requires_grad_()
    names = {"torch": library, "tensor_of": tensor_of, "printed": printed, "x": x,
             "c": library.arange(6.0).reshape(2, 3) / 2,
             "z": library.tensor([1 + 2j, -0.5j, 3]),
             "NAN": float("nan"), "INF": float("inf"),
             **{name: name for name in (*FLOATS, *OTHERS)}}
    found = eval(code, names)
    return found if isinstance(found, str) else repr(found)


def torchs_texts(torch):
    """What PyTorch prints for each."""
    return {code: text_of(torch, code) for code in CODES}
