"""A tensor's way to Python, to NumPy and back; copies of it as an object."""

import copy
import io
import operator
import pickle

import numpy as np

from tests.autograd.observe import f64, leaf, plain, raises


def _array(x):
    return [type(x).__name__, str(getattr(x, "dtype", None)), plain(x)]


def deepcopy(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * x).sum().backward()
    x.note = {"k": [1, 2]}
    k = copy.deepcopy(x)
    with torch.no_grad():
        k += 1
    k.note["k"].append(3)
    part = leaf(torch, [[1.0, 2.0], [3.0, 4.0]]).detach().t()
    a = f64(torch, [1.0, 2.0, 3.0])
    b, c = copy.deepcopy([a, a[1:]])
    c[0] = 9.0
    twice = copy.deepcopy([x, x])
    return {
        "leaf": [plain(k), k.requires_grad, k.is_leaf, plain(k.grad), k.grad is x.grad],
        "original": plain(x),
        "attributes": [x.note, k.note],
        "strides": list(copy.deepcopy(part).stride()),
        "shared memory": plain([a, b]),
        "one object": twice[0] is twice[1],
        "non-leaf": raises(
            lambda: copy.deepcopy(x * 2),
            "Only Tensors created explicitly by the user",
            "graph leaves",
        ),
        "container": raises(lambda: copy.deepcopy({"a": [x * 2]}), "deepcopy"),
        "view of no grad": [copy.deepcopy(a[1:])._is_view(), plain(copy.deepcopy(a[1:]))],
        "integer": plain(copy.deepcopy(torch.tensor([1, 2]))),
        "shallow": copy.copy(a).data_ptr() == a.data_ptr(),
    }


def pickling(torch):
    x = leaf(torch, [1.0, 2.0])
    (x * x).sum().backward()
    y = x * 2
    found = {}
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        r, s = pickle.loads(pickle.dumps([x, y], protocol))
        found[str(protocol)] = [
            plain(r),
            r.requires_grad,
            plain(r.grad),
            s.is_leaf,
            plain(s),
            s.requires_grad,
        ]
    for dtype in ("float32", "int64", "bool", "uint8", "float16", "complex64"):
        t = torch.tensor([1, 0]).to(getattr(torch, dtype))
        found[dtype] = [
            str(pickle.loads(pickle.dumps(t)).dtype),
            plain(pickle.loads(pickle.dumps(t))),
        ]
    t = f64(torch, [[1.0, 2.0], [3.0, 4.0]]).t()
    back = pickle.loads(pickle.dumps(t))
    x.note = "kept"
    found["transposed"] = [plain(back), list(back.stride())]
    found["attribute"] = pickle.loads(pickle.dumps(x)).note
    found["dtype"] = pickle.loads(pickle.dumps(torch.float32)) is torch.float32
    return found


def save_and_load(torch):
    f = io.BytesIO()
    x = leaf(torch, [1.0, 2.0])
    torch.save({"a": x, "b": [torch.tensor([1, 2]), 3, "word", None, (1.5, True)]}, f)
    f.seek(0)
    back = torch.load(f)
    bad = io.BytesIO(pickle.dumps(io.BytesIO, protocol=2))
    return [
        plain(back),
        back["a"].requires_grad,
        raises(lambda: torch.load(bad), "Weights only load failed"),
    ]


def to_numpy(torch):
    x = leaf(torch, [1.0, 2.0])
    t = f64(torch, [1.0, 2.0])
    a = t.numpy()
    a[0] = 5.0
    text = "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
    with torch.no_grad():
        inside = raises(lambda: x.numpy().tolist(), text)
    zero = f64(torch, 3.0).numpy()
    return {
        "shares": [plain(t), _array(a)],
        "refused": raises(lambda: x.numpy(), text),
        "non-leaf": raises(lambda: (x * 2).numpy(), text),
        "no_grad": inside,
        "force": plain(x.numpy(force=True)),
        "zero dim": [type(zero).__name__, list(zero.shape)],
        "detached": plain(x.detach().numpy()),
        "transposed": list(f64(torch, [[1.0, 2.0], [3.0, 4.0]]).t().numpy().strides),
        "dtypes": [
            str(torch.ones(1, dtype=getattr(torch, d)).numpy().dtype)
            for d in (
                "float32",
                "float64",
                "float16",
                "int64",
                "int32",
                "int16",
                "int8",
                "uint8",
                "bool",
                "complex64",
                "complex128",
            )
        ],
    }


def numpy_reads_tensors(torch):
    t, x = f64(torch, [1.0, 4.0]), leaf(torch, [1.0])
    a = np.asarray(t)
    return {
        "asarray": _array(a),
        "shares": a.ctypes.data == t.data_ptr(),
        "array": np.array(t).ctypes.data == t.data_ptr(),
        "dtype": _array(np.asarray(t, dtype=np.float32)),
        "refused": raises(lambda: np.asarray(x)),
        "float": float(np.float64(f64(torch, 2.0))),
        "list": _array(np.array([f64(torch, 1.0), 2.0])),
        "allclose": bool(np.allclose(t, [1.0, 4.0])),
        "stack": _array(np.stack([t, t])),
        "mean": plain(np.asarray(np.mean(a))),
    }


def from_numpy(torch):
    a = np.array([1.0, 2.0])
    t = torch.from_numpy(a)
    t.mul_(3)
    return [
        plain(a),
        str(t.dtype),
        t.requires_grad,
        raises(lambda: torch.from_numpy([1.0])),
        raises(lambda: torch.from_numpy(a[::-1])),
        raises(lambda: torch.from_numpy(np.array(["x"]))),
        list(torch.from_numpy(np.zeros((2, 3)).T).stride()),
        plain(torch.as_tensor(a)),
        torch.as_tensor(a).data_ptr() == t.data_ptr(),
        torch.tensor(a).data_ptr() == t.data_ptr(),
    ]


def dlpack(torch):
    a = np.array([1.0, 2.0])
    t = torch.from_dlpack(a)
    t.mul_(3)
    u = f64(torch, [1.0, 2.0])
    b = np.from_dlpack(u)
    u.mul_(5)
    return [
        plain(a),
        str(t.dtype),
        plain(b),
        list(u.__dlpack_device__()),
        raises(
            lambda: np.from_dlpack(leaf(torch, [1.0])), "Can't export tensors that require gradient"
        ),
        plain(torch.from_dlpack(torch.to_dlpack(u))),
        list(torch.from_dlpack(np.zeros((2, 3)).T).stride()),
        plain(torch.from_dlpack(u)),
        torch.from_dlpack(u).data_ptr() == u.data_ptr(),
    ]


def asarray(torch):
    a = np.array([1.0, 2.0])
    t = f64(torch, [1.0, 2.0])
    x = leaf(torch, [1.0])
    return [
        torch.asarray(t) is t,
        torch.asarray(a).data_ptr() == a.ctypes.data,
        torch.asarray(a, copy=True).data_ptr() == a.ctypes.data,
        str(torch.asarray([1, 2]).dtype),
        str(torch.asarray([1, 2], dtype=torch.float32).dtype),
        raises(lambda: torch.asarray([1.0], copy=False)),
        torch.asarray(x).requires_grad,
        torch.asarray(x, requires_grad=True).requires_grad,
    ]


def python_numbers(torch):
    def t(v, dtype=None):
        return torch.tensor(v, dtype=dtype)

    return {
        "float": float(t(2.5)),
        "int": int(t(2.9)),
        "negative": int(t(-2.9)),
        "bool": bool(t(0.0)),
        "int of int": int(t([[3]])),
        "float of bool": float(t(True)),
        "complex": plain(complex(t(1 + 2j))),
        "index": [10, 20, 30][t(1)],
        "index of bool": raises(lambda: [10, 20][t(True)]),
        "index of float": raises(lambda: [10, 20][t(1.0)]),
        "range": list(range(t(3))),
        "nan": raises(lambda: int(t(float("nan")))),
        "inf": raises(lambda: int(t(float("inf")))),
        "float nan": str(float(t(float("nan")))),
        "bool nan": bool(t(float("nan"))),
        "several": [raises(lambda: f(t([1.0, 2.0])))[0] for f in (float, int, bool, complex)],
        "none": [raises(lambda: f(t([])))[0] for f in (float, int, bool)],
        "float of complex": raises(lambda: float(t(1 + 2j)))[0],
        "float of 1+0j": raises(lambda: float(t(1 + 0j))),
        "requires grad": float(leaf(torch)),
        "item": [t(2.5).item(), t([[3]]).item(), t(True).item(), type(t(1).item()).__name__],
        "item of several": raises(lambda: t([1, 2]).item(), "cannot be converted to Scalar"),
        "round": raises(lambda: round(3.7)),
        "format": [f"{t(2.5):.3f}", f"{t(3)}", f"{t([1.0])}", f"{t(2.5)}"],
        "format of several": raises(lambda: f"{t([1.0, 2.0]):.2f}")[0],
        "truth text": raises(
            lambda: bool(t([1, 2])), "Boolean value of Tensor with more than one value is ambiguous"
        ),
        "in": [2 in t([1, 2]), 3 in t([1, 2]), t(1) in t([1, 2])],
        "len": [len(t([1, 2])), raises(lambda: len(t(1)), "len() of a 0-d tensor")],
        "iter": [
            plain(list(t([[1, 2], [3, 4]]))),
            raises(lambda: iter(t(1)), "iteration over a 0-d tensor"),
        ],
        "reversed": plain(reversed(t([1, 2]))),
        "unpack": plain([*t([1, 2])]),
    }


def tolist(torch):
    return [
        torch.tensor(v).tolist() for v in (1, 2.5, True, [1, 2], [[1.0], [2.0]], [], [[], []])
    ] + [
        plain(torch.tensor([1 + 2j]).tolist()),
        type(torch.tensor(1.5).tolist()).__name__,
        torch.ones(2, requires_grad=True).tolist(),
        torch.zeros(2, 0).tolist(),
    ]


def casts_are_differentiable(torch):
    x = leaf(torch, [1.0, 2.0])
    found = {}
    for name, f in {
        "float": lambda x: x.float(),
        "half": lambda x: x.half(),
        "double": lambda x: x.double(),
        "to": lambda x: x.to(torch.float32),
        "type": lambda x: x.type(torch.float32),
        "type name": lambda x: x.type("torch.FloatTensor"),
        "type_as": lambda x: x.type_as(torch.ones(1)),
        "cfloat": lambda x: x.to(torch.complex64),
        "long": lambda x: x.long(),
        "bool": lambda x: x.bool(),
    }.items():
        y = f(x)
        if not y.requires_grad:
            found[name] = [str(y.dtype), y.grad_fn]
            continue
        (g,) = torch.autograd.grad(y, x, torch.ones_like(y) * 3)
        found[name] = [str(y.dtype), y is x, y.data_ptr() == x.data_ptr(), plain(g), str(g.dtype)]
    return found


def legacy_types(torch):
    return {
        "list": [
            str(torch.DoubleTensor([1, 2]).dtype),
            plain(torch.LongTensor([1, 2])),
            plain(torch.ByteTensor([1, 0])),
            plain(torch.BoolTensor([True, False])),
        ],
        "sizes": [list(torch.FloatTensor(2, 3).shape), list(torch.IntTensor().shape)],
        "tensor": plain(torch.Tensor([1, 2])),
        "tensor sizes": [list(torch.Tensor(2, 3).shape), str(torch.Tensor(1).dtype)],
        "isinstance": [
            isinstance(torch.ones(1), torch.FloatTensor),
            isinstance(torch.ones(1), torch.DoubleTensor),
            isinstance(torch.ones(1), torch.Tensor),
            isinstance(torch.tensor([1]), torch.LongTensor),
        ],
        "type": [
            torch.ones(1).type(),
            torch.tensor([1]).type(),
            torch.tensor([True]).type(),
            torch.ones(1, dtype=torch.float64).type(),
            torch.ones(1, dtype=torch.complex64).type(),
        ],
        "new": [
            plain(f64(torch, 1.0).new([1, 2])),
            list(f64(torch, 1.0).new(2, 3).shape),
            str(f64(torch, 1.0).new([1]).dtype),
        ],
    }


def questions(torch):
    t, x = f64(torch, [[1.0, 2.0], [3.0, 4.0]]), leaf(torch)
    return [
        torch.is_tensor(t),
        torch.is_tensor(1),
        torch.is_floating_point(t),
        torch.is_complex(t),
        t.is_floating_point(),
        torch.numel(t),
        t.nelement(),
        t.ndimension(),
        t.dim(),
        t.element_size(),
        t.is_contiguous(),
        t.t().is_contiguous(),
        list(t.t().stride()),
        t.stride(0),
        t[1].storage_offset(),
        t.get_device(),
        str(t.device),
        t.is_cuda,
        t.is_cpu,
        torch.is_nonzero(x),
        t.is_set_to(t),
        t.is_set_to(t[:]),
        t.itemsize,
        t.nbytes,
        str(t.size()),
        t.size(1),
        t.size(-1),
        raises(lambda: t.size(2)),
        str(t.shape),
        t.shape == (2, 2),
        t.shape.numel(),
        t.ndim,
        torch.tensor([1, 2]).is_signed(),
        torch.tensor([1], dtype=torch.uint8).is_signed(),
    ]


def variable(torch):
    V = torch.autograd.Variable
    x = V(torch.ones(2), requires_grad=True)
    return [
        isinstance(x, torch.Tensor),
        x.requires_grad,
        isinstance(torch.ones(1), V),
        isinstance(3, V),
        V(torch.ones(1)).requires_grad,
    ]


def ufuncs_on_tensors(torch):
    t, x = f64(torch, [1.0, 4.0]), leaf(torch, [1.0])
    return {
        "sqrt": [type(np.sqrt(t)).__name__, plain(np.sqrt(t))],
        "array * tensor": raises(lambda: np.array([1.0, 2.0]) * t),
        "scalar * tensor": raises(
            lambda: [type(np.float64(2.0) * t).__name__, plain(np.float64(2.0) * t)]
        ),
        "scalar operators": [
            plain(f(np.float64(2.0), t))
            for f in (operator.add, operator.sub, operator.mul, operator.truediv, operator.pow)
        ],
        "recorded": raises(lambda: (np.float64(2.0) * x).requires_grad),
        "requires grad": raises(lambda: np.sqrt(x)),
    }


def attribute_imag_of_a_real_tensor(torch):
    return [
        raises(lambda: hasattr(f64(torch, 1.0), "imag")),
        hasattr(torch.ones(1, dtype=torch.complex64), "imag"),
    ]


def own_attributes(torch):
    x = f64(torch, 1.0)
    x.label = "x"
    y = x * 2
    return [x.label, hasattr(y, "label"), raises(lambda: y.label)]


def storage(torch):
    t = torch.arange(4.0)
    u, s = t[1:].untyped_storage(), t[1:].storage()
    return [
        u.data_ptr() == t.data_ptr(),
        u.nbytes(),
        u.size(),
        len(u),
        len(s),
        s.size(),
        s.tolist(),
        s[2],
        s.data_ptr() == t.storage().data_ptr(),
        t.clone().storage().data_ptr() == t.data_ptr(),
    ]


def asarray_with_dtype_and_copy(torch):
    t = f64(torch, [1.0, 2.0])
    a = np.array([1.0, 2.0])
    f32 = torch.asarray(t, dtype=torch.float32)
    return [
        str(f32.dtype),
        f32.data_ptr() == t.data_ptr(),
        torch.asarray(t, dtype=torch.float64) is t,
        torch.asarray(t, copy=True).data_ptr() == t.data_ptr(),
        raises(lambda: torch.asarray(t, dtype=torch.float32, copy=False))[0],
        torch.asarray(t, copy=False).data_ptr() == t.data_ptr(),
        torch.asarray(a, dtype=torch.float64).data_ptr() == a.ctypes.data,
        torch.asarray(a, dtype=torch.float32).data_ptr() == a.ctypes.data,
        plain(torch.asarray(a, dtype=torch.int64)),
    ]


def deepcopy_of_odd_ones(torch):
    x = leaf(torch, [1.0, 2.0])
    x.grad = f64(torch, [5.0, 6.0])
    wide = f64(torch, [[1.0], [2.0]]).expand(2, 3)
    every_second = f64(torch, [1.0, 2.0, 3.0, 4.0])[::2]
    copies = copy.deepcopy([wide, every_second, every_second])
    found = [plain(c) for c in copies]
    copies[1][0] = 9.0
    memo = {}
    return [
        found,
        x.__deepcopy__(memo) is x.__deepcopy__(memo),
        copies[1] is copies[2],
        plain(every_second),
        list(copies[0].shape),
        plain(copy.deepcopy(x).grad),
        copy.deepcopy(x).grad.requires_grad,
        torch.is_storage(x),
        x.detach().is_pinned(),
        plain(x.detach().resolve_conj()),
        plain(x.detach().resolve_neg()),
        x.is_shared(),
        plain(x.detach().cpu()),
        torch.is_conj(x),
        torch.is_neg(x),
        x.is_same_size(x.detach()),
    ]


def in_the_dtype_of_another(torch):
    """type_as, type, to: the gradient comes back in the source's dtype; same dtype, same memory."""
    found = []
    for kind in (torch.float32, torch.float64, torch.float16, torch.complex64, torch.int64,
                 torch.bool):
        x, other = leaf(torch, [1.0, 0.0, 2.5]), torch.zeros(1, dtype=kind)
        for y in (x.type_as(other), x.type(kind), x.to(other), x.type(other.type())):
            found.append([y, str(y.dtype), y is x, y.requires_grad, y.data_ptr() == x.data_ptr()])
            if y.requires_grad and y is not x:
                g, = torch.autograd.grad(y.real.sum() if y.is_complex() else (y * y).sum(), x)
                found.append([str(g.dtype), g, y.grad_fn.name()])
    return [*found, raises(lambda: x.type_as(3)), raises(lambda: x.type("torch.NoTensor"))]
