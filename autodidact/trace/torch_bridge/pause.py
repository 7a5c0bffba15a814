"""Pause mode: PyTorch's real engine in a thread of its own, held before every node.

A hook before each node lets the thread wait; a hook after it tells what was sent. So hooks,
freeing, errors and `.grad` are the real ones, and the pass goes forward only. Nothing runs, and no
hook is set, before the first step; when the pass is over or given up every hook is taken away again
and the thread ends. The hooks know their worker weakly: they keep no graph alive.
"""

import threading
import weakref
from collections.abc import Callable
from typing import Any

from autodidact.trace.torch_bridge.library import summary, torch
from autodidact.trace.torch_bridge.tasks import BridgeTask, places_of

__all__ = ["THREAD", "PauseTask"]

THREAD = "autodidact: torch pass"


class Abort(BaseException):
    """Ends a pass that nobody will step any more."""


class Worker:
    """The thread that runs the pass, and the two doors at which it and the stepper wait in turn.

    Args:
        call: runs the pass: `loss.backward()` or the like.
        task: told of every node, and known weakly.
    """

    def __init__(self, call: Callable, task: Any) -> None:
        self.call: Callable | None = call
        self.task = weakref.ref(task)
        self.go, self.stopped = threading.Semaphore(0), threading.Semaphore(0)
        self.aborted = self.over = False
        self.error: BaseException | None = None
        self.result: Any = None
        self.handles: list = []
        self.lock = threading.Lock()
        self.number: int | None = None                 # PyTorch's number of the pass
        self.thread = threading.Thread(target=self.work, daemon=True, name=THREAD)

    def start(self, nodes: list) -> None:
        """Set the hooks and begin; returns when the pass has come to its first node."""
        me = weakref.ref(self)
        for index, node in enumerate(nodes):
            self.handles.append(node.function.register_prehook(before(me, index)))
            self.handles.append(node.function.register_hook(behind(me, index)))
        self.thread.start()
        self.stopped.acquire()

    def work(self) -> None:
        """The thread: the whole pass."""
        try:
            self.result = self.call()
        except Abort:
            pass
        except BaseException as error:                 # shown at its node, raised by the stepper
            self.error = error
        finally:
            self.call = None
            self.take_hooks_away()
            self.over = True
            self.stopped.release()

    def take_hooks_away(self) -> None:
        """Leave the graph as it was."""
        for handle in self.handles:
            handle.remove()
        self.handles.clear()

    def next(self) -> None:
        """Let the node that waits run; returns when the next one waits, or all is over."""
        self.go.release()
        self.stopped.acquire()

    def mine(self) -> bool:
        """Whether the pass that has come to a hook is this one; others pass by unheld.

        The learner may run another pass through the same nodes while this one waits. Nodes on a GPU
        run in threads of PyTorch's own, which Python does not know.
        """
        number = torch()._C._current_graph_task_id()
        here = threading.current_thread()
        if self.number is None and (here is self.thread
                                    or isinstance(here, threading._DummyThread)):
            self.number = number
        return number == self.number

    def hold(self, index: int, grads: tuple) -> Any:
        """In the thread, before a node: wait. Returns gradients to be used instead, or None."""
        with self.lock:                                # one node at a time, on several devices too
            task = self.task()
            if task is None or self.aborted:
                raise Abort
            task.comes(index, grads)
            del task
            self.stopped.release()
            self.go.acquire()
            task = self.task()
            if task is None or self.aborted:
                raise Abort
            return task.edited(index, grads)

    def end(self) -> None:
        """Give the pass up, and wait until the thread has gone."""
        self.aborted = True
        if self.thread.ident is None:
            self.call = None
        elif self.thread.is_alive():
            self.go.release()
            self.thread.join(10)


def before(worker: Any, index: int) -> Callable:
    """The hook before a node."""
    def hook(grads: tuple) -> Any:
        found = worker()
        return None if found is None or not found.mine() else found.hold(index, grads)
    return hook


def behind(worker: Any, index: int) -> Callable:
    """The hook after a node."""
    def hook(results: tuple, grads: tuple) -> None:
        found = worker()
        task = None if found is None or not found.mine() else found.task()
        if task is not None:
            task.went(index, results)
    return hook


class PauseTask(BridgeTask):
    """A real pass of PyTorch's, node by node.

    Args:
        call: runs it.
        *args, **options: see `BridgeTask`.
    """

    def __init__(self, call: Callable, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.order = list(self.graph.nodes.values())
        self.worker = Worker(call, self)
        self.finalizer = weakref.finalize(self, Worker.end, self.worker)
        self.current: Any = None                       # the node at which the thread waits
        self.changed: tuple | None = None              # what hooks have made of its gradient
        self.sent: list[tuple] | None = None           # what the node that runs has sent
        self.failed = False

    @property
    def result(self) -> Any:
        """What the call has returned."""
        return self.worker.result

    def hold(self, grad: Any) -> Any:
        """A copy: an extra reference would change how PyTorch stores a leaf's gradient."""
        return None if grad is None else grad.detach().clone()

    def run(self, limit: int = -1) -> bool:
        """Run `limit` nodes (-1: to the end); True while some are left."""
        while self.ready and limit:
            limit -= 1
            self.step()
        return bool(self.ready)

    def step(self) -> None:
        """Let one node run."""
        worker, node = self.worker, self.ready[0][2]
        if worker.thread.ident is None:
            worker.start(self.order)
        if self.current is not node and worker.over:
            self.events.append(("run", node, True))
            self.fail()
        if self.changed is not None:
            self.events.append(("hook", node, "tensor", "?", *self.changed))
        self.changed, self.sent = None, None
        self.events.append(("run", node, self.came))
        events, self.events, places = self.events, [], places_of(node)
        worker.next()
        sent, self.events = self.events, events
        self.ran_again(places)
        if self.sent is None:                          # the hook after the node was not reached
            self.fail()
        self.ready = [item for item in self.ready if item[2] is not node]
        self.not_ready.pop(node, None)
        if node.saved and node not in self.freed and node.freed():
            self.freed.add(node)
            self.events.append(("free", node))
        self.events += sent
        self.put_first()

    def put_first(self) -> None:
        """The engine decides who is next; the plan only foretells it."""
        if self.worker.over and self.worker.error is None:
            self.ready.clear()
        elif not self.worker.over and self.ready and self.ready[0][2] is not self.current:
            rest = [item for item in self.ready if item[2] is not self.current]
            self.ready = [(-self.current.sequence_nr, 0, self.current), *rest]

    def fail(self) -> None:
        """Raise what the pass raised."""
        error, self.failed = self.worker.error, True
        raise error if error is not None else RuntimeError("the pass ended before this node")

    # ---- in the thread, while the stepper waits -----------------------------------------------

    def comes(self, index: int, grads: tuple) -> None:
        """A node is about to run."""
        node = self.current = self.order[index]
        self.came = any(grad is not None for grad in grads)
        told = [summary(grad) for grad in grads]
        expected = [self.totals.get((node, slot)) for slot in range(len(told))]
        if node in self.not_ready and told != expected:
            self.changed = (expected, told)

    def went(self, index: int, results: tuple) -> None:
        """A node has run."""
        self.sent = []
        self.deliver(self.order[index], results)

    def arrive(self, edge: tuple | None, node: Any, slot: int, grad: Any, midway: bool) -> None:
        """As ever; the sum's SUMMARY is remembered, to see what hooks make of it."""
        super().arrive(edge, node, slot, grad, midway)
        if not hasattr(self, "totals"):
            self.totals: dict[tuple, Any] = {}
        if self.events and self.events[-1][2:4] == (node, slot):
            self.totals[node, slot] = self.events[-1][5]

    def edited(self, index: int, grads: tuple) -> Any:
        """The gradients that were put in place of the ones that came; None where none were."""
        edits = self.edits.pop(self.order[index], None)
        if edits is None:
            return None
        return tuple(edits.get(slot, grad) for slot, grad in enumerate(grads))

    def close(self) -> None:
        """End the thread, take the hooks away."""
        self.finalizer()
