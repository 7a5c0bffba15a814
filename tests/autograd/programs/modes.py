"""Grad mode, its spellings and where it holds."""

from tests.autograd.observe import leaf, plain, raises, warned


def _on(torch):
    return torch.is_grad_enabled()


def spellings(torch):
    found, on = {}, lambda: _on(torch)
    with torch.no_grad():
        found["no_grad"] = on()
        with torch.enable_grad():
            found["enable_grad"] = on()
        with torch.set_grad_enabled(True):
            found["set_grad_enabled"] = on()
        found["back"] = on()

    @torch.no_grad()
    def a():
        return on()

    @torch.no_grad
    def b():
        """The docstring."""
        return on()

    @torch.set_grad_enabled(False)
    def c():
        return on()

    @torch.enable_grad
    def d():
        return on()

    found["decorators"] = [a(), b(), c()]
    with torch.no_grad():
        found["inside"] = [d(), a()]
    found["called"] = [torch.no_grad(on)(), torch.no_grad()(on)(), torch.enable_grad()(on)()]
    found["kept"] = [b.__name__, b.__doc__]
    found["after"] = on()
    return found


def set_grad_enabled_at_once(torch):
    found = []
    torch.set_grad_enabled(False)
    found.append(_on(torch))
    torch.set_grad_enabled(True)
    found.append(_on(torch))
    guard = torch.set_grad_enabled(False)
    found.append(_on(torch))
    with guard:
        found.append(_on(torch))
    found.append(_on(torch))
    guard = torch.set_grad_enabled(False)
    inside = guard(lambda: _on(torch))
    found += [_on(torch), inside(), _on(torch)]
    torch.set_grad_enabled(True)
    return found


def exceptions_restore(torch):
    def fail():
        with torch.no_grad():
            raise ValueError

    guarded = torch.no_grad()(lambda: 1 // 0)
    return [raises(fail), _on(torch), raises(guarded), _on(torch)]


def one_guard_twice(torch):
    guard = torch.no_grad()
    found = []
    with guard:
        found.append(_on(torch))
    with torch.enable_grad(), guard:
        found.append(_on(torch))
    found.append(_on(torch))
    return found


def class_decorated(torch):
    def decorate():
        @torch.no_grad()
        class Thing:
            def __init__(self):
                self.made = _on(torch)

            def use(self):
                return _on(torch)

        found.append([Thing().made, Thing().use()])

    class Quiet:
        @torch.no_grad()
        def use(self):
            return _on(torch)

    found = []
    return [warned(decorate, "Decorating classes is deprecated"), found, Quiet().use(), _on(torch)]


def generators(torch):
    log = []

    @torch.no_grad()
    def counting():
        got = None
        try:
            while True:
                log.append(_on(torch))
                try:
                    got = yield got, _on(torch)
                except ValueError:
                    log.append(["threw", _on(torch)])
        finally:
            log.append(["closed", _on(torch)])

    g = counting()
    found = [next(g), _on(torch), g.send("x"), _on(torch), g.throw(ValueError), _on(torch)]
    with torch.no_grad():
        next(g)
    with torch.enable_grad():
        next(g)
        found.append(_on(torch))
    g.close()

    @torch.enable_grad()
    def returning():
        yield _on(torch)
        return "end"

    def collect():
        result = yield from returning()
        yield result

    with torch.no_grad():
        values = list(collect())
    return [plain(found), log, _on(torch), values]


def generator_that_fails(torch):
    @torch.no_grad()
    def failing():
        yield 1
        raise KeyError("x")

    g = failing()
    next(g)
    return [raises(lambda: next(g)), _on(torch), raises(lambda: next(g))]


def recursion(torch):
    @torch.no_grad()
    def off(n):
        return [_on(torch)] + (on(n - 1) if n else []) + [_on(torch)]

    @torch.enable_grad()
    def on(n):
        return [_on(torch)] + (off(n - 1) if n else []) + [_on(torch)]

    return [off(3), _on(torch)]


def in_a_backward_pass(torch):
    seen = []
    x = leaf(torch)
    y = x * x
    y.register_hook(lambda g: seen.append(_on(torch)))
    y.backward(retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    with torch.no_grad():
        torch.autograd.grad(y, x, create_graph=True)

    class Nested(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            before = _on(torch)
            with torch.enable_grad():
                q = leaf(torch)
                torch.autograd.grad(q * q, q)
                seen.append(["inside", _on(torch)])
            seen.append(["after", before, _on(torch)])
            return g

    Nested.apply(x).backward()
    return [seen, _on(torch)]


def without_recording(torch):
    x = leaf(torch)
    with torch.no_grad():
        y = x * 2
        x.add_(1)
    return [
        y.requires_grad,
        y.grad_fn,
        raises(y.backward),
        x.requires_grad,
        x.is_leaf,
        x._version,
        plain(x),
    ]


def per_thread(torch):
    import threading

    found = []

    def look():
        found.append([_on(torch), torch.is_inference_mode_enabled()])
        torch.set_grad_enabled(False)
        found.append(_on(torch))

    with torch.no_grad():
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    return [found, _on(torch)]


def decorated_functions_call_themselves(torch):
    """One decorated function, inside itself: the caller's mode comes back."""
    seen = []

    def count(n):
        seen.append(torch.is_grad_enabled())
        if n:
            inner(n - 1)
        seen.append(torch.is_grad_enabled())

    found = []
    for guard in (torch.no_grad(), torch.set_grad_enabled(False), torch.inference_mode()):
        inner = guard(count)
        inner(2)
        found.append(torch.is_grad_enabled())
        with torch.no_grad():
            torch.enable_grad()(count)(0)
            found.append(torch.is_grad_enabled())
    return [found, seen]
