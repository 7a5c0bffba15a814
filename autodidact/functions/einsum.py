"""einsum, and the products that are special cases of it.

Every pair of operands becomes one batched matrix product: dimensions that both have and that stay
are the batch, those that both have and that vanish are the inner dimension.
"""

from functools import cache
from typing import Any

from autodidact._optional import MissingExtra, optional
from autodidact.functions.arguments import ints
from autodidact.functions.linalg import bmm, matmul
from autodidact.functions.shape import permute, reshape
from autodidact.ops import view as views
from autodidact.public import both, function
from autodidact.tensor import Tensor, wrap_dim

__all__ = ["einsum", "tensordot"]

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
ELLIPSIS = "..."


@function
def einsum(*args: Any) -> Tensor:
    """Sums of products in Einstein's notation.

    Args:
        args: an equation such as "ij,jk->ik" and the tensors; or tensors and lists of numbers.

    Raises:
        RuntimeError: an equation that does not fit the tensors.

    Example:
        >>> a = torch.tensor([[1., 2.], [3., 4.]])
        >>> torch.einsum("ij,ij->i", a, a)
        tensor([ 5., 25.])
    """
    equation, operands = arguments(args)
    terms, output, sizes = parse(equation, operands)
    order = [*output, *(c for c in sizes if c not in output)]
    kept = len(output)
    left = [(align(x, term, order), set(term)) for x, term in zip(operands, terms, strict=True)]
    for i, j in path(terms, output, sizes):
        (a, in_a), (b, in_b) = left[i], left[j]
        left = [item for k, item in enumerate(left) if k not in (i, j)]
        wanted = set(output).union(*(labels for _, labels in left))
        vanish = {k for k, c in enumerate(order) if c in in_a | in_b and c not in wanted}
        left.append((pair(a, b, vanish), (in_a | in_b) & wanted))
    result = left[0][0]
    if len(operands) == 1 and kept < len(order):
        return result.sum(tuple(range(kept, len(order))))
    return reshape(result, result._array.shape[:kept]) if kept < len(order) else result


def path(terms: list, output: list, sizes: dict) -> list:
    """Which two operands to multiply, step by step; a product joins the others at the end.

    With three and more the order decides the cost: opt_einsum finds a good one, where it is
    installed (extra `io`), as in PyTorch; otherwise they are taken from left to right.
    """
    finder = opt_einsum() if len(terms) > 2 else None
    if finder is None:
        return [(0, 1) if k == 0 else (len(terms) - k - 1, 0) for k in range(len(terms) - 1)]
    names = {label: chr(ord("a") + k) if k < 26 else chr(0x100 + k)
             for k, label in enumerate(sizes)}
    written = ",".join("".join(names[c] for c in dict.fromkeys(term)) for term in terms)
    shapes = [tuple(sizes[c] for c in dict.fromkeys(term)) for term in terms]
    equation = f"{written}->{''.join(names[c] for c in output)}"
    return finder.contract_path(equation, *shapes, shapes=True, optimize="auto")[0]


@cache
def opt_einsum() -> Any:
    """The library that plans products of many operands, or None."""
    try:
        return optional("opt_einsum", extra="io")
    except MissingExtra:
        return None


def arguments(args: tuple) -> tuple:
    """Equation and operands; lists of numbers in place of an equation are turned into letters."""
    if isinstance(args[0], str):
        operands = list(args[1]) if len(args) == 2 and isinstance(args[1], (list, tuple)) else list(
            args[1:])
        if not operands:
            raise RuntimeError("einsum(): must provide at least one operand")
        return args[0].replace(" ", ""), operands
    lists = [args[i] for i in range(1, len(args), 2)]
    letters = [spelled(numbers) for numbers in lists]
    equation = ",".join(letters)
    if len(args) % 2:
        equation += "->" + spelled(args[-1])
    return equation, list(args[0:2 * len(lists):2])


def spelled(numbers: Any) -> str:
    """[0, ..., 1] as "A...B"."""
    return "".join(ELLIPSIS if n is Ellipsis else LETTERS[n] for n in numbers)


def parse(equation: str, operands: list) -> tuple:
    """The labels of every operand, those of the output, and the size of each label.

    What an ellipsis stands for gets labels that are numbers, counted from the right.
    """
    left, arrow, right = equation.partition("->")
    written = left.split(",")
    if len(written) != len(operands):
        word = "fewer" if len(written) > len(operands) else "more"
        raise RuntimeError(f"einsum(): {word} operands were provided than specified in the "
                           "equation")
    terms, sizes, counts = [], {}, {}
    for k, (term, x) in enumerate(zip(written, operands, strict=True)):
        labels = labels_of(term, x._array.ndim, k)
        for label, n in zip(labels, x._array.shape, strict=True):
            seen = sizes.setdefault(label, n)
            if n != seen and 1 not in (n, seen):
                raise RuntimeError(f"einsum(): subscript {label} has size {n} for operand {k} "
                                   f"which does not broadcast with previously seen size {seen}")
            sizes[label] = max(n, seen) if 0 not in (n, seen) else 0
            counts[label] = counts.get(label, 0) + 1
        terms.append(labels)
    dots = sorted((c for c in sizes if isinstance(c, int)), reverse=True)
    if arrow:
        before, mark, after = right.partition(ELLIPSIS)
        output = [*before, *(dots if mark else ()), *after]
    else:
        output = dots + sorted(c for c in sizes if isinstance(c, str) and counts[c] == 1)
    for label in output:
        if label not in sizes:
            raise RuntimeError(f"einsum(): output subscript {label} does not appear in the "
                               "equation for any input operand")
        if output.count(label) > 1:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the "
                               "output")
    return terms, output, sizes


def labels_of(term: str, ndim: int, k: int) -> list:
    """One label for each dimension of an operand."""
    before, mark, after = term.partition(ELLIPSIS)
    named = len(before) + len(after)
    for c in before + after:
        if c not in LETTERS:
            raise RuntimeError("einsum(): invalid subscript given at index 0 in the equation "
                               f"string, subscripts must be in [a-zA-Z], got {c!r}")
    if named > ndim or (named < ndim and not mark):
        raise RuntimeError(f"einsum(): the number of subscripts in the equation ({named}) does not "
                           f"match the number of dimensions ({ndim}) for operand {k} and no "
                           "ellipsis was given" if not mark else
                           f"einsum(): the number of subscripts in the equation ({named}) is more "
                           f"than the number of dimensions ({ndim}) for operand {k}")
    return [*before, *reversed(range(ndim - named)), *after]


def align(x: Tensor, term: list, order: list) -> Tensor:
    """An operand with one dimension for every label, in order; size 1 where it has none."""
    labels = list(term)
    for label in dict.fromkeys(term):
        while labels.count(label) > 1:               # a repeated label means the diagonal
            i = labels.index(label)
            j = labels.index(label, i + 1)
            x = x.diagonal(0, i, j)
            labels = [c for d, c in enumerate(labels) if d not in (i, j)] + [label]
    for label in order:
        if label not in labels:
            x = x.unsqueeze(x._array.ndim)
            labels.append(label)
    return permute(x, [labels.index(label) for label in order])


def pair(left: Tensor, right: Tensor, vanish: set) -> Tensor:
    """The product of two aligned operands, summed over the dimensions in `vanish` (kept as 1)."""
    shared, lefts, rights, inner = [], [], [], 1
    a, b = left._array.shape, right._array.shape
    vanish = [i for i in sorted(vanish) if a[i] != 1 or b[i] != 1]
    if not vanish:
        return left * right
    for i in range(len(a)):
        if i in vanish:
            if a[i] != 1 and b[i] != 1:
                inner *= a[i]
            elif a[i] != 1:
                left = left.sum(i, keepdim=True)
            else:
                right = right.sum(i, keepdim=True)
        elif a[i] != 1 and b[i] != 1:
            shared.append(i)
        else:
            (lefts if a[i] != 1 else rights).append(i)
    batch, n, m = (product(s, d) for s, d in ((a, shared), (a, lefts), (b, rights)))
    one = reshape(permute(left, [*shared, *lefts, *vanish, *rights]), batch, n, inner)
    two = reshape(permute(right, [*shared, *vanish, *rights, *lefts]), batch, inner, m)
    order = [*shared, *lefts, *vanish, *rights]
    sizes = [a[i] if i in shared or i in lefts else 1 if i in vanish else b[i] for i in order]
    result = views.view.call(bmm(one, two), tuple(sizes))
    return permute(result, [order.index(i) for i in range(len(a))])


def product(shape: tuple, dims: list) -> int:
    """The product of some of the sizes."""
    count = 1
    for d in dims:
        count *= shape[d]
    return count


# ---- special cases -------------------------------------------------------------------------------


@function
def tensordot(a: Tensor, b: Tensor, dims: Any = 2, out: Any = None) -> Tensor:
    """The product summed over pairs of dimensions: last of `a` with first of `b`, or listed."""
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        ours, theirs = list(range(a._array.ndim - dims, a._array.ndim)), list(range(dims))
    else:
        ours, theirs = (list(d) if isinstance(d, (list, tuple)) else [d] for d in (
            dims.tolist() if isinstance(dims, Tensor) else dims))
    ours = [wrap_dim(d, a._array.ndim) for d in ours]
    theirs = [wrap_dim(d, b._array.ndim) for d in theirs]
    for i, j in zip(ours, theirs, strict=True):
        if a._array.shape[i] == 1:
            b = b.sum(j, keepdim=True)
        elif b._array.shape[j] == 1:
            a = a.sum(i, keepdim=True)
        elif a._array.shape[i] != b._array.shape[j]:
            raise RuntimeError("contracted dimensions need to match, but first has size "
                               f"{a._array.shape[i]} in dim {i} and second has size "
                               f"{b._array.shape[j]} in dim {j}")
    rest_a = [d for d in range(a._array.ndim) if d not in ours]
    rest_b = [d for d in range(b._array.ndim) if d not in theirs]
    sizes_a, sizes_b = ([x._array.shape[d] for d in rest] for x, rest in ((a, rest_a), (b, rest_b)))
    inner = product(a._array.shape, ours)
    left = reshape(permute(a, rest_a + ours), product(sizes_a, range(len(sizes_a))), inner)
    right = reshape(permute(b, theirs + rest_b), inner, product(sizes_b, range(len(sizes_b))))
    return reshape(matmul(left, right), ints((sizes_a + sizes_b,)))


@both
def inner(input: Tensor, other: Tensor, *, out: Any = None) -> Tensor:
    """Sums of products over the last dimensions."""
    if not input._array.ndim or not other._array.ndim:
        return input * other
    return tensordot(input, other, ([-1], [-1]))


@both
def kron(input: Tensor, other: Tensor) -> Tensor:
    """The Kronecker product: every entry of one times the whole of the other."""
    n = max(input._array.ndim, other._array.ndim)
    a = (1,) * (n - input._array.ndim) + input._array.shape
    b = (1,) * (n - other._array.ndim) + other._array.shape
    left = reshape(input, [k for size in a for k in (size, 1)])
    right = reshape(other, [k for size in b for k in (1, size)])
    return reshape(left * right, [x * y for x, y in zip(a, b, strict=True)])
