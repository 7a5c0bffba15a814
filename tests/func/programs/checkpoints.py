"""utils.checkpoint."""

import functools
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


def runs_that_differ_in_number(torch):
    """Fewer saved tensors the second time: each message says what is wrong."""
    m, found = _module(torch), []
    for early in (True, False):
        for second in (lambda x: x.sin(), lambda x: x + 1):
            runs = iter((lambda x: x.sin().exp().sin(), second))

            def act(runs=runs, early=early):
                with m.set_checkpoint_early_stop(early):
                    y = m.checkpoint(lambda x: next(runs)(x), leaf(torch, [0.3]),
                                     use_reentrant=False)
                y.sum().backward()
            found.append(raises(act, "A different number of tensors was saved during the original "
                                "forward and recomputation.", "Number of tensors saved during "
                                "forward: 3"))
    return found


def what_a_frame_keeps(torch):
    """Nothing that was computed again outlives its place; a graph and its places die together."""
    with collector_off():
        c, x, seen = _module(torch).checkpoint, leaf(torch, [0.3]), []

        def f(x):
            y = x.exp()
            seen.append(weakref.ref(y))
            return y.sin().cos()

        out = c(f, x, use_reentrant=False)
        torch.autograd.grad(out, x, retain_graph=True)
        again = [r() is not None for r in seen]
        note = type("Note", (), {})()
        out.grad_fn.metadata["note"] = note
        node = weakref.ref(note)
        del note, out
        return [again, node() is None, [r() is not None for r in seen]]


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


def _selective(torch, f, policy, *args, between=lambda: None, **words):
    """Gradients of `f` under a selective checkpoint; `between` happens before backward."""
    m = _module(torch)
    out = m.checkpoint(f, *args, use_reentrant=False, context_fn=functools.partial(
        m.create_selective_checkpoint_contexts, policy, **words))
    between()
    return torch.autograd.grad(out.sum(), [a for a in args if a.requires_grad])


def selective_what_is_computed_again(torch):
    """A factor changes between the runs: what was saved does not see it, the rest does."""
    m, found = _module(torch), []
    sin, cos = torch.ops.aten.sin.default, torch.ops.aten.cos.default
    for saved in ([], [sin], [cos], [sin, cos]):
        for as_list in (True, False):
            x, factor, asked = leaf(torch, [0.3, 0.5]), f64(torch, [1.0, 2.0]), []

            def policy(ctx, op, *args, saved=saved, asked=asked):
                asked.append([ctx.is_recompute, op == sin, op == cos, list(ctx.op_output.shape)])
                return (m.CheckpointPolicy.MUST_SAVE if op in saved else
                        m.CheckpointPolicy.PREFER_RECOMPUTE)

            found.append(_selective(
                torch, lambda x, factor=factor: (x * factor).sin().cos().exp(),
                saved if as_list else policy, x, between=lambda factor=factor: factor.mul_(3)))
            found.append(asked)
    return found


def selective_policies(torch):
    """Which words save; True is an old one."""
    m, found = _module(torch), []
    for policy in [*m.CheckpointPolicy, True, False]:
        x, factor = leaf(torch, [0.3, 0.5]), f64(torch, [1.0, 2.0])
        if "OFFLOAD" in str(policy):
            continue
        found.append([str(policy), _selective(
            torch, lambda x, factor=factor: (x * factor).sin().cos(),
            lambda ctx, op, *args, policy=policy: policy, x,
            between=lambda factor=factor: factor.mul_(3))])
    return found


def selective_layers(torch):
    """A network whose products are saved: the gradients are those of the plain one."""
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
    net.double()
    x, found, aten = leaf(torch, [[0.3, 0.5, 0.1]]), [], torch.ops.aten
    for saved in ([aten.addmm.default], [aten.addmm.default, aten.tanh.default, aten.t.default]):
        m = _module(torch)
        out = m.checkpoint(net, x, use_reentrant=False, context_fn=functools.partial(
            m.create_selective_checkpoint_contexts, saved))
        found += torch.autograd.grad(out.sum(), [x, *net.parameters()])
    return found


def selective_written_to(torch):
    """A saved result that was written to is refused, or taken as it is."""
    def f(x):
        return (x * 1).sin().mul_(2).cos().exp()
    found, x = [], leaf(torch, [0.3, 0.5])
    saved = [torch.ops.aten.sin.default]
    found.append(raises(lambda: _selective(torch, f, saved, x), "has been mutated"))
    found.append(_selective(torch, f, saved, x, allow_cache_entry_mutation=True))
    return found


def selective_twice(torch):
    """Backward once only, where something was saved."""
    m, found = _module(torch), []
    for saved in ([], [torch.ops.aten.sin.default]):
        x = leaf(torch, [0.3, 0.5])
        out = m.checkpoint(lambda x: x.sin().cos(), x, use_reentrant=False,
                           context_fn=functools.partial(
                               m.create_selective_checkpoint_contexts, saved))
        out.sum().backward(retain_graph=True)
        found.append(raises(lambda out=out: out.sum().backward(retain_graph=True),
                            "Trying to backward an extra time"))
    return found


def selective_runs_that_differ(torch):
    """The second run meets an operation that the first did not."""
    runs, found = iter((torch.sin, torch.cos, torch.sin, lambda x: x.sin().sin())), []
    for phrase in ("encountered during backward but not found in storage", "index 1"):
        found.append(raises(lambda: _selective(
            torch, lambda x: next(runs)(x).exp().exp(), [torch.ops.aten.tanh.default],
            leaf(torch, [0.3])), phrase))
    return found


def selective_refusals(torch):
    create = _module(torch).create_selective_checkpoint_contexts
    return [raises(lambda: create([torch.ops.aten.mm]), "Expected op in `op_list` to be an OpOv"),
            raises(lambda: create([torch.mm]), "Expected op in `op_list` to be an OpOverload"),
            raises(lambda: create(3), "must be either a function or a list of ops"),
            raises(lambda: torch.ops.aten.no_such_thing, "has no attribute 'no_such_thing'"),
            str(torch.ops.aten.mm.default), str(torch.ops.aten.mm),
            repr(torch.ops.aten.mm.default)]


def selective_lets_go(torch):
    """What was saved dies with the graph; and, once taken, with the pass."""
    with collector_off():
        x, seen = leaf(torch, [0.3]), []

        def policy(ctx, op, *args):
            if op == torch.ops.aten.exp.default:
                seen.append(weakref.ref(ctx.op_output))
                return _module(torch).CheckpointPolicy.MUST_SAVE
            return _module(torch).CheckpointPolicy.PREFER_RECOMPUTE
        m = _module(torch)
        out = m.checkpoint(lambda x: x.exp().sin().cos(), x, use_reentrant=False,
                           context_fn=functools.partial(
                               m.create_selective_checkpoint_contexts, policy))
        del out
        return [len(seen), seen[0]() is None]


def selective_several_outputs(torch):
    x, sort = leaf(torch, [3.0, 1.0, 2.0]), torch.ops.aten.sort.default
    return _selective(torch, lambda x: (x * 2).sort().values.sin().sort().values * x, [sort], x)


def selective_nested(torch):
    """Selective inside selective; an operation without a graph, and random numbers, in both."""
    m, x = _module(torch), leaf(torch, [0.3, 0.5])
    saving = functools.partial(m.create_selective_checkpoint_contexts,
                               [torch.ops.aten.sin.default])

    def inner(x):
        return x.sin().cos()

    def outer(x):
        y = m.checkpoint(inner, x, use_reentrant=False, context_fn=saving)
        return torch.nn.functional.dropout(y, 0.5) * y.detach().sin()
    torch.manual_seed(3)
    return _selective(torch, outer, [torch.ops.aten.cos.default], x)


def objects_stay_the_same(torch):
    """What the function gives back is its own result: no copy, also of an input."""
    c, x, kept = _module(torch).checkpoint, leaf(torch, [0.3]), []

    def f(x):
        y = x.exp()
        kept.append(y)
        return y, x, None, "word"

    y, same, none, word = c(f, x, use_reentrant=False)
    return [y is kept[0], same is x, none, word, y.grad_fn is kept[0].grad_fn]


def early_stop_counts_when_forward_runs(torch):
    """The switch at the time of the call decides, not that at backward."""
    m, found = _module(torch), []
    for forward, backward in ((True, False), (False, True)):
        reached = []

        def f(x, reached=reached):
            y = x.exp()
            reached.append(1)
            return y + 1

        with m.set_checkpoint_early_stop(forward):
            y = m.checkpoint(f, leaf(torch, [0.3]), use_reentrant=False)
        with m.set_checkpoint_early_stop(backward):
            y.backward()
        found.append(len(reached))
    with m.set_checkpoint_early_stop(False), m.set_checkpoint_early_stop(True):
        y = m.checkpoint(f, leaf(torch, [0.3]), use_reentrant=False)
    reached.clear()
    y.backward()
    return [*found, len(reached)]


def hooks_of_the_first_graph(torch):
    """Hooks on tensors and nodes made in the first run fire; those made again do not count."""
    c, x, seen = _module(torch).checkpoint, leaf(torch, [0.3]), []

    def f(x):
        y = x.exp()
        y.register_hook(lambda g: seen.append(["tensor", g]))
        y.grad_fn.register_prehook(lambda g: seen.append(["pre", g[0]]))
        y.grad_fn.register_hook(lambda i, o: seen.append(["post", i[0]]))
        return y.sin() * y

    c(f, x, use_reentrant=False).backward()
    return [seen, x.grad]


def inputs_without_history(torch):
    """No input requires grad: a captured weight does; or nothing does; or a part is detached."""
    c, x, w = _module(torch).checkpoint, f64(torch, [0.3]), leaf(torch, [2.0])
    y = c(lambda x: (x * w).exp(), x, use_reentrant=False)
    (g,) = torch.autograd.grad(y, w)
    quiet = c(lambda x: (x * 2).exp(), x, use_reentrant=False)
    part = c(lambda x: (x * w.detach()).exp() + (w * 2).sin(), leaf(torch, [0.3]),
             use_reentrant=False)
    (h,) = torch.autograd.grad(part, w)
    with torch.no_grad():
        off = c(lambda x: (x * w).exp(), x, use_reentrant=False)
    return [g, quiet.requires_grad, h, off.requires_grad]


def second_pass(torch):
    """Freed after a pass; with retain_graph each pass computes again."""
    c, x = _module(torch).checkpoint, leaf(torch, [0.3])
    f, calls = _counting(lambda x: x.exp().sin())
    y = c(f, x, use_reentrant=False)
    y.backward(retain_graph=True)
    first = calls[0]
    y.backward(retain_graph=True)
    second = calls[0]
    y.backward()
    return [first, second, calls[0], x.grad, raises(y.backward, "Specify retain_graph=True")]


def saved_tensor_hooks_around(torch):
    """save_on_cpu inside and outside a checkpoint."""
    c, found = _module(torch).checkpoint, []
    save = torch.autograd.graph.save_on_cpu
    for reentrant in (True, False):
        x = leaf(torch, [0.3, 0.5])

        def inside(x):
            with save():
                return x.exp().sin()
        c(inside, x, use_reentrant=reentrant).sum().backward()
        found.append(x.grad)
        y = leaf(torch, [0.3, 0.5])
        with save():
            c(lambda x: x.exp().sin(), y, use_reentrant=reentrant).sum().backward()
        found.append(y.grad)
    return found


def reentrant_in_detail(torch):
    """Structures pass; inputs without gradients warn; backward with inputs= is refused."""
    c, x = _module(torch).checkpoint, leaf(torch, [0.3])
    y, word = c(lambda x, w: (x.sin(), w), x, "w", use_reentrant=True)
    y.backward()
    z = c(torch.sin, x, use_reentrant=True)
    return [
        x.grad, word,
        raises(lambda: z.backward(inputs=[x]), "torch.utils.checkpoint is incompatible"),
        [w for _, *w in warned(lambda: c(torch.sin, f64(torch, [0.3]), use_reentrant=True),
                               "None of the inputs have requires_grad=True")],
        raises(lambda: c(torch.sin, x, use_reentrant=True, colour="red"), "Unexpected keyword"),
        raises(lambda: c(lambda x: x, x, use_reentrant=True, debug=True),
               "only supported when use_reentrant=False"),
        raises(lambda: c(torch.sin, x, use_reentrant=False, determinism_check="perhaps"),
               "determinism_check"),
    ]


def deep_nesting(torch):
    """Checkpoints in checkpoints, four deep, first and second derivatives."""
    c, x, found = _module(torch).checkpoint, leaf(torch, [0.3, 0.5]), []

    def nest(x, depth):
        if not depth:
            return x.sin() * x
        return c(lambda x: nest(x, depth - 1).cos() + x, x, use_reentrant=False)

    for depth in (1, 2, 4):
        (g,) = torch.autograd.grad(nest(x, depth).sum(), x, create_graph=True)
        found.append([g, torch.autograd.grad(g.sum(), x)])
    return found
