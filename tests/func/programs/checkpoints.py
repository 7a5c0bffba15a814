"""utils.checkpoint."""

import importlib
import weakref

from tests.autograd.observe import collector_off, f64, leaf, raises, warned


def _module(torch):
    return importlib.import_module(f"{torch.__name__}.utils.checkpoint")


def _counting(f):
    calls = [0]

    def counted(*args, **kwargs):
        calls[0] += 1
        return f(*args, **kwargs)

    return counted, calls


def values(torch):
    c = _module(torch).checkpoint
    found = []
    for reentrant in (True, False):
        f, calls = _counting(lambda x: (x.sin() * x).exp())
        x = leaf(torch, [0.3, 0.5])
        c(f, x, use_reentrant=reentrant).sum().backward()
        found += [x.grad, calls[0]]
    return found


def warnings_without_a_choice(torch):
    m, x = _module(torch), leaf(torch, [0.3])
    phrase = "the use_reentrant parameter should be passed explicitly"
    return [
        warned(lambda: m.checkpoint(torch.sin, x), phrase)[0],
        phrase
        in str(warned(lambda: m.checkpoint_sequential([torch.sin, torch.cos], 1, x), phrase)),
    ]


def reentrant_limits(torch):
    c, x = _module(torch).checkpoint, leaf(torch, [0.3])
    y = c(torch.sin, x, use_reentrant=True)
    first = raises(lambda: torch.autograd.grad(y, x), "torch.utils.checkpoint is incompatible")
    later = c(torch.sin, x, use_reentrant=True)
    later.backward()
    return [
        first,
        x.grad,
        raises(
            lambda: c(lambda x: x.detach() * 2, x, use_reentrant=True).backward(),
            "none of output has requires_grad=True",
        ),
        raises(
            lambda: c(torch.sin, x, use_reentrant=True, context_fn=lambda: None),
            "only supported when use_reentrant=False",
        ),
    ]


def structures(torch):
    c, x, w = _module(torch).checkpoint, f64(torch, [0.3, 0.5]), leaf(torch, [1.0, 2.0])

    def f(d, none, word, *, scale):
        return {"y": d["x"] * w * scale, "n": none, "w": word, "d": (d["x"] * w).detach()}

    out = c(f, {"x": x}, None, "word", scale=w, use_reentrant=False)
    (g,) = torch.autograd.grad(out["y"].sum(), w)
    return [g, out["n"], out["w"], out["d"].requires_grad]


def higher_derivatives_and_nesting(torch):
    c, x = _module(torch).checkpoint, leaf(torch, [0.3, 0.5])
    f, _ = _counting(lambda x: x.sin().exp())

    def nested(x):
        return c(lambda x: c(f, x, use_reentrant=False) * x, x, use_reentrant=False).tanh()

    y = c(nested, x, use_reentrant=False)
    (g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    z = f(x) * x
    want = torch.autograd.grad(z.tanh().sum(), x, create_graph=True)[0]
    return [
        g,
        h,
        bool(torch.allclose(g, want)),
        bool(torch.allclose(h, torch.autograd.grad(want.sum(), x)[0])),
    ]


def reading_saved_values(torch):
    c, x = _module(torch).checkpoint, leaf(torch, [0.3])
    f, calls = _counting(lambda x: x.exp())
    y = c(f, x, use_reentrant=False)
    node, seen = y.grad_fn, [calls[0]]
    seen.append(node._saved_result)
    seen.append(calls[0])
    node._saved_result
    seen.append(calls[0])
    y.backward()
    seen.append(calls[0])
    return [
        *seen,
        raises(
            lambda: node._saved_result,
            "or directly access saved tensors after they have already been freed",
        ),
    ]


def shared_within_one_pass(torch):
    c, x = _module(torch).checkpoint, leaf(torch, [0.3])
    f, calls = _counting(lambda x: x.exp().sin().cos())
    c(f, x, use_reentrant=False).backward()
    return calls[0]


def unpacked_twice(torch):
    c, x = _module(torch).checkpoint, leaf(torch, [0.3])

    class Twice(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            ctx.saved_tensors
            ctx.saved_tensors
            return g * 2

    return raises(
        lambda: c(Twice.apply, x, use_reentrant=False).backward(),
        "Unpack is being triggered for a tensor that was already unpacked once",
    )


def runs_that_differ(torch):
    m, found = _module(torch), []
    pairs = [
        (lambda x: x.sin().exp(), lambda x: x.sin(), "A different number of tensors was saved"),
        (
            lambda x: x.sin(),
            lambda x: x.sin().exp().tanh(),
            "trying to save more tensors during recomputation",
        ),
        (lambda x: (x * x).sin(), lambda x: (x[:1] * x[:1]).sin(), "have different metadata"),
    ]
    for early in (True, False):
        for first, second, phrase in pairs:
            for debug in (False, True):
                runs = iter((first, second))

                def act(runs=runs, debug=debug, early=early):
                    with m.set_checkpoint_early_stop(early):
                        y = m.checkpoint(
                            lambda x: next(runs)(x),
                            leaf(torch, [0.3, 0.4]),
                            use_reentrant=False,
                            debug=debug,
                        )
                    y.sum().backward()
                    return "passed"

                said = (
                    "You are seeing this error because you passed `debug=True`" if debug else phrase
                )
                found.append(raises(act, said))
    return found


def metadata_not_compared(torch):
    c, runs = _module(torch).checkpoint, iter((lambda x: x.sin(), lambda x: x.double().sin()))
    x = torch.tensor([0.3], requires_grad=True)
    c(lambda x: next(runs)(x), x, use_reentrant=False, determinism_check="none").backward()
    return str(x.grad.dtype)


def debug_switched_off(torch):
    m, runs = _module(torch), iter((lambda x: (x * x).sin(), lambda x: (x[:1] * x[:1]).sin()))

    def act():
        with m.set_checkpoint_debug_enabled(False):
            y = m.checkpoint(lambda x: next(runs)(x), leaf(torch, [0.3, 0.4]), use_reentrant=False,
                             debug=True)
        y.sum().backward()
    return raises(act, "Recomputed values for the following tensors have different")


def early_stop(torch):
    m, found = _module(torch), []
    for enabled in (True, False):
        reached = []

        def f(x, reached=reached):
            y = x.exp()
            reached.append(1)
            return y + 1

        x = leaf(torch, [0.3])
        with m.set_checkpoint_early_stop(enabled):
            y = m.checkpoint(f, x, use_reentrant=False)
        y.backward()
        found.append(len(reached))
    f, calls = _counting(lambda x: x + 1)
    m.checkpoint(f, leaf(torch, [1.0]), use_reentrant=False).backward()
    return [*found, calls[0]]


def graphs_die(torch):
    c = _module(torch).checkpoint
    with collector_off():
        x = leaf(torch, [0.3])
        y = c(
            lambda x: c(lambda x: x.exp().sin(), x, use_reentrant=False).cos(),
            x,
            use_reentrant=False,
        )
        note = type("Note", (), {})()
        y.grad_fn.metadata["note"] = note
        node = weakref.ref(note)
        del note
        torch.autograd.grad(y, x, retain_graph=True)
        del y
        return node() is None


def sequential(torch):
    m, found = _module(torch), []
    for reentrant in (True, False):
        x = leaf(torch, [0.3, 0.5])
        y = m.checkpoint_sequential(
            [torch.sin, torch.cos, torch.exp, torch.tanh, torch.sin], 2, x, use_reentrant=reentrant
        )
        y.sum().backward()
        found += [y, x.grad]
    return found


def random_numbers_are_the_same(torch):
    c, found = _module(torch).checkpoint, []
    for reentrant in (True, False):
        torch.manual_seed(0)
        x = torch.ones(20, dtype=torch.float64, requires_grad=True)
        y = c(lambda x: torch.nn.functional.dropout(x, 0.5) * x, x, use_reentrant=reentrant)
        following = torch.rand(1)
        y.sum().backward()
        found += [bool((x.grad == 2 * y).all()), following, torch.rand(1)]
    return found


def contexts(torch):
    c, seen = _module(torch).checkpoint, []

    class Note:
        def __init__(self, name):
            self.name = name

        def __enter__(self):
            seen.append(f"enter {self.name}")

        def __exit__(self, *error):
            seen.append(f"exit {self.name}")

    x = leaf(torch, [0.3])
    c(
        torch.exp, x, use_reentrant=False, context_fn=lambda: (Note("first"), Note("second"))
    ).backward()
    return seen


def hooks_on_parameters(torch):
    c, x, w, fired = _module(torch).checkpoint, leaf(torch, [0.3]), leaf(torch, [2.0]), []
    w.register_hook(lambda g: fired.append(g.item()))
    (c(lambda x: (x * w).exp(), x, use_reentrant=False) * w).sum().backward()
    return fired
