"""What a viewer shows of an array: a SUMMARY, plain JSON of bounded size.

Arrays come in as nested lists (`array.tolist()`), so that this file needs no array library. Small
arrays carry their values; of a large one the caller hands over only the statistics and a heat map
of at most 16 x 16 blocks (`blocks` says which rows and columns go together).
"""

import math

MOST_VALUES = 64
MOST_BLOCKS = 16
DIGITS = {"float32": 9, "float16": 5}       # that tell every number of the dtype apart
_NOT_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def number(value):
    """A number as a chip shows it: at most 6 significant digits, no needless zeros.

    Integers of integer dtype keep all digits. Example: 16.0 -> "16", 1e-05 -> "1e-5", 1/3 ->
    "0.333333", (1+2j) -> "1+2j", float("nan") -> "nan".
    """
    if isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, str):
        return {shown: name for name, shown in _NOT_FINITE.items()}.get(value, value)
    if isinstance(value, complex):
        imaginary = number(value.imag)
        sign = "" if imaginary.startswith("-") else "+"
        return f"{number(value.real)}{sign}{imaginary}j"
    mantissa, e, exponent = f"{value:.6g}".partition("e")
    return f"{mantissa}e{int(exponent)}" if e else mantissa


def json_number(value):
    """The number as JSON can hold it: NaN, infinities and complex numbers become strings."""
    if isinstance(value, complex):
        return number(value)
    if isinstance(value, float) and not math.isfinite(value):
        return _NOT_FINITE[str(value)]
    return value


def flat(values):
    """All numbers of a nested list, in order; a bare number is a list of one. No recursion."""
    stack, out = [values], []
    while stack:
        top = stack.pop()
        if isinstance(top, (list, tuple)):
            stack.extend(reversed(top))
        else:
            out.append(top)
    return out


def blocks(length, most=MOST_BLOCKS):
    """How `length` rows or columns go into at most `most` blocks: a list of (start, stop).

    Example: blocks(5, 2) is [(0, 2), (2, 5)].
    """
    count = min(length, most)
    return [(i * length // count, (i + 1) * length // count) for i in range(count)]


def summarise(values, shape, dtype, *, heat=None, statistics=None):
    """The SUMMARY of an array.

    Args:
        values: nested list (or bare number) of all elements, or None when there are too many to
            hand over.
        shape: the array's shape.
        dtype: its dtype's name, such as "float64".
        heat: a list of rows of numbers, at most 16 x 16; computed here when `values` is given.
        statistics: {"min", "max", "mean", "norm"}; computed here when `values` is given.

    Returns:
        A dict as in `record.schema.json`. Example: `summarise(16.0, (), "float64")["text"]` is
        "16".
    """
    shape = [int(n) for n in shape]
    count = math.prod(shape)
    elements = flat(values) if values is not None and count else []
    if elements:
        statistics = statistics or _statistics(elements)
        heat = heat or _heat(elements, shape)
    statistics = statistics or dict.fromkeys(("min", "max", "mean", "norm"))
    if count == 1 and elements:
        text, label = number(elements[0]), "value"
    elif count == 0:
        text, label = "[]", "value"
    else:
        norm = statistics["norm"]
        text, label = "?" if norm is None else number(float(norm)), "norm"
    return {
        "shape": shape,
        "dtype": dtype,
        "text": text,
        "label": label,
        "values": _json_values(values, DIGITS.get(dtype, 17))
        if count <= MOST_VALUES and values is not None
        else None,
        "heat": [[json_number(rounded(x, 3)) for x in row] for row in heat] if heat else None,
        **{key: json_number(rounded(statistics[key], 9)) for key in ("min", "max", "mean", "norm")},
    }


def rounded(value, digits):
    """A float with no more digits than can be seen (heat maps, statistics) or than it has."""
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def _json_values(values, digits):
    """The nested list, its numbers fit for JSON; it nests no deeper than an array has axes."""
    if isinstance(values, (list, tuple)):
        return [_json_values(each, digits) for each in values]
    return json_number(rounded(values, digits) if digits < 17 else values)


def _statistics(elements):
    size = [abs(x) for x in elements]
    peak = max(size)
    if not math.isfinite(peak):
        norm = math.nan if any(x != x for x in size) else math.inf
    else:  # scaled, so that squares neither overflow nor vanish
        norm = peak * math.sqrt(math.fsum((x / peak) ** 2 for x in size)) if peak else 0.0
    if isinstance(elements[0], complex):
        return {"min": None, "max": None, "mean": sum(elements) / len(elements), "norm": norm}
    if any(x != x for x in elements):
        return dict.fromkeys(("min", "max", "mean", "norm"), math.nan)
    return {
        "min": min(elements),
        "max": max(elements),
        "mean": sum(elements) / len(elements),
        "norm": norm,
    }


def _heat(elements, shape):
    """At most 16 x 16 numbers that stand for the array: the one of largest size in each block."""
    columns = shape[-1] if shape else 1
    rows = len(elements) // columns
    value = [float(abs(x)) if isinstance(x, complex) else float(x) for x in elements]
    return [
        [
            max(
                (value[r * columns + c] for r in range(*row) for c in range(*column)),
                key=lambda x: math.inf if x != x else abs(x),
            )
            for column in blocks(columns)
        ]
        for row in blocks(rows)
    ]
