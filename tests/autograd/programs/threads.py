"""Several threads."""

import threading

from tests.autograd.observe import leaf, plain, raises


def _together(work, count=10):
    """Run `work(i)` in `count` threads at once; exceptions come back as text."""
    results, barrier = [None] * count, threading.Barrier(count)

    def run(i):
        barrier.wait()
        try:
            results[i] = work(i)
        except Exception as error:
            results[i] = f"{type(error).__name__}"

    threads = [threading.Thread(target=run, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return results


def separate_graphs(torch):
    def work(i):
        x = leaf(torch, [float(i), 1.0])
        for _ in range(20):
            y = (x * x).exp().log().sum()
            y.backward()
        return plain(x.grad)

    return _together(work)


def one_leaf(torch):
    x = torch.ones(5, 5, dtype=torch.float64, requires_grad=True)

    def work(i):
        for _ in range(10):
            y = (x + 3) * (x + 4) * 0.5
            y.sum().backward()

    _together(work)
    return [plain(x.grad[0]), bool((x.grad == x.grad[0, 0]).all())]


def autograd_grad(torch):
    x = leaf(torch, [1.0, 2.0])

    def work(i):
        return plain(torch.autograd.grad((x * x * i).sum(), x))

    return [_together(work), x.grad]


def shared_graph_retained(torch):
    x = leaf(torch, [1.0, 2.0])
    s = x * x
    _together(lambda i: (s * 2).sum().backward(retain_graph=True))
    return x.grad


def modes_are_per_thread(torch):
    def work(i):
        found = []
        with torch.set_grad_enabled(i % 2 == 0):
            for _ in range(50):
                found.append(torch.is_grad_enabled())
                (leaf(torch) * 2).requires_grad
        return all(f == (i % 2 == 0) for f in found)

    hooked = []
    graph = torch.autograd.graph
    with (
        torch.no_grad(),
        graph.saved_tensors_hooks(lambda t: (hooked.append(1), t)[1], lambda t: t),
    ):
        inside = _together(lambda i: [torch.is_grad_enabled(), (leaf(torch) ** 2).requires_grad], 2)
    with torch.inference_mode():
        inference = _together(lambda i: torch.is_inference_mode_enabled(), 2)
    return [_together(work), inside, len(hooked), inference]


def multi_grad_hooks(torch):
    a = leaf(torch)
    c, d = a * 2, a * 3
    seen = []
    torch.autograd.graph.register_multi_grad_hook((c, d), lambda g: seen.append(plain(g)))
    _together(lambda i: (c * (i + 1) + d).backward(retain_graph=True), 5)
    return sorted(seen)


def hooks_run_in_the_calling_thread(torch):
    found = []

    def work(i):
        x = leaf(torch)
        me = threading.get_ident()
        y = x * x
        y.register_hook(lambda g: found.append(threading.get_ident() == me))
        y.backward()

    _together(work, 4)
    return found


def errors_stay_in_their_thread(torch):
    class Bad(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise ValueError("x")

    def work(i):
        x = leaf(torch)
        return raises(lambda: (Bad.apply(x) if i % 2 else x * 2).backward())[0]

    return _together(work, 6)


def re_entrant_in_threads(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with torch.enable_grad():
                q = x.detach().requires_grad_()
                (q * q).sum().backward()
            return q.grad * g

    def work(i):
        x = leaf(torch, [float(i)])
        Inner.apply(x * 3).sum().backward()
        return plain(x.grad)

    return _together(work, 6)
