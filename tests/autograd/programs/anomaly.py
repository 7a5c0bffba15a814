"""Anomaly mode."""

import sys
import warnings
from io import StringIO

from tests.autograd.observe import leaf, plain, raises, warned


def _nan(torch, which=0):
    class MyFunc(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x + y

        @staticmethod
        def backward(ctx, g):
            bad = g * float("nan")
            return (bad, g) if which == 0 else (g, bad)

    return MyFunc


def _fail(act):
    """The exception's class and text; its warnings go to whoever listens."""
    try:
        act()
    except Exception as error:
        return [type(error).__name__, str(error)[:80]]
    return "nothing raised"


def entering_warns(torch):
    def enter():
        with torch.autograd.detect_anomaly():
            pass

    return [
        warned(enter, "Anomaly Detection has been enabled"),
        warned(lambda: torch.autograd.set_detect_anomaly(True).__exit__(None, None, None)),
    ]


def state(torch):
    def look():
        return [torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled()]

    found = [look()]
    with torch.autograd.detect_anomaly():
        found.append(look())
        with torch.autograd.detect_anomaly(check_nan=False):
            found.append(look())
        with torch.autograd.set_detect_anomaly(False):
            found.append(look())
        found.append(look())
    torch.autograd.set_detect_anomaly(True, False)
    found.append(look())
    torch.autograd.set_detect_anomaly(False)
    found.append(look())
    torch.autograd.set_detect_anomaly(False, True)
    found.append(look())
    torch.set_anomaly_enabled(True)
    found.append(look())
    torch.set_anomaly_enabled(False)
    return [*found, look()]


def nan_found(torch):
    found = []
    for which in (0, 1):
        x, y = leaf(torch, [1.0, 2.0]), leaf(torch, [1.0, 2.0])
        F = _nan(torch, which)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            F.apply(x, y).sum().backward()
            with torch.autograd.detect_anomaly():
                out = F.apply(x, y)
                found.append(
                    raises(
                        lambda: out.sum().backward(),
                        f"Function 'MyFuncBackward' returned nan values in its {which}th output.",
                    )
                )
            with torch.autograd.detect_anomaly(check_nan=False):
                found.append(raises(lambda: F.apply(x, y).sum().backward()))
                with torch.autograd.detect_anomaly(check_nan=True):
                    found.append(raises(lambda: F.apply(x, y).sum().backward(), "nan values"))
    return found


def operations_found(torch):
    found = {}
    for name, f in {
        "log": lambda x: (x - x).log() * 0,
        "sqrt": lambda x: (x - x).sqrt() * 0,
        "div": lambda x: (x - x) / (x - x),
        "fine": lambda x: x * x,
    }.items():
        x = leaf(torch)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.detect_anomaly():
                y = f(x)
                found[name] = raises(
                    y.backward, "LogBackward0", "SqrtBackward0", "DivBackward0", "MulBackward0"
                )
    return found


def forward_line_shown(torch):
    F = _nan(torch)
    x = leaf(torch)

    def fail():
        with torch.autograd.detect_anomaly():
            out = F.apply(x, x)  # the line to be named
            _fail(out.backward)

    inside = warned(
        fail,
        "Error detected in MyFuncBackward",
        "Traceback of forward call",
        "the line to be named",
        "in fail",
    )

    def without():
        out = F.apply(x, x)
        with torch.autograd.detect_anomaly():
            _fail(out.backward)

    return [
        inside,
        warned(without, "Error detected in MyFuncBackward", "No forward pass information"),
        _operation(torch),
    ]


def _operation(torch):
    def fail():
        with torch.autograd.detect_anomaly():
            y = leaf(torch, 0.0) ** 0.5  # this power
            _fail((y * 0).backward)

    return warned(fail, "Error detected in PowBackward0", "this power")


def exceptions_are_reported_too(torch):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("trouble")

    def fail():
        with torch.autograd.detect_anomaly():
            log.append(_fail(Bad.apply(leaf(torch)).backward))

    log = []
    return [warned(fail, "Error detected in BadBackward"), log]


def parents_follow(torch):
    """A node made by a recorded backward names the forward line that led to it."""

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return _nan(torch).apply(g * x, x)

    def fail():
        with torch.autograd.detect_anomaly():
            x = leaf(torch)
            y = Twice.apply(x)  # the outer line
            (g,) = torch.autograd.grad(y, x, create_graph=True)
            _fail(g.backward)

    return warned(
        fail,
        "Error detected in MyFuncBackward",
        "revious calculation",
        "TwiceBackward",
        "the outer line",
    )


def warnings_as_errors_go_to_stderr(torch):
    F = _nan(torch)
    x = leaf(torch)
    before, sys.stderr = sys.stderr, StringIO()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with torch.autograd.detect_anomaly():
                out = F.apply(x, x)
                warnings.simplefilter("error")
                error = None
                try:
                    out.backward()
                except Exception as found:
                    error = [type(found).__name__, "nan values" in str(found)]
        return [error, "Error detected in MyFuncBackward" in sys.stderr.getvalue()]
    finally:
        sys.stderr = before


def in_place_error_names_the_line(torch):
    def fail():
        with torch.autograd.detect_anomaly():
            m = leaf(torch) * 1
            y = m * m  # the product
            m.add_(1)
            log.append(_fail(y.backward)[0])

    log = []
    return [warned(fail, "Error detected in MulBackward0", "the product"), log]


def off_again(torch):
    x = leaf(torch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            pass
    y = _nan(torch).apply(x, x)
    y.backward()
    return [plain(x.grad), list(y.grad_fn.metadata)]


def bookkeeping_makes_no_cycles(torch):
    from tests.autograd.observe import alive, collector_off

    class Thing:
        pass

    with warnings.catch_warnings(), collector_off():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            x = leaf(torch)
            y = x * x
            thing = Thing()
            y.grad_fn.metadata["thing"] = thing
            state = alive(thing)
            del thing
            z = y.exp()
            del y
            before = state()
            del z
            return [before, state()]


def the_stack_ends_at_the_users_line(torch):
    def fail():
        with torch.autograd.detect_anomaly():
            x = leaf(torch, 0.0)
            y = (x * 0).log() * 0  # of the user
            _fail(y.backward)
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        fail()
    log = [w for w in log if w.category is UserWarning]
    lines = [line for line in str(log[1].message).splitlines() if line.strip()]
    place = next(i for i, line in enumerate(lines) if "# of the user" in line)
    inside = [i for i, line in enumerate(lines) if "in fail" in line]
    return [len(log), place - inside[-1], lines[-1].strip()[:1] == "y" or "Triggered" in lines[-1]]


def previous_calculation_without_forward(torch):
    F = _nan(torch)

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return F.apply(g * x, x)

    def fail():
        x = leaf(torch)
        y = Twice.apply(x)
        with torch.autograd.detect_anomaly():
            (g,) = torch.autograd.grad(y, x, create_graph=True)
            _fail(g.backward)
    return warned(
        fail,
        "Error detected in MyFuncBackward",
        "Traceback of forward call",
        "No forward pass information available",
        "TwiceBackward",
    )
