"""A backward pass on the streams of a GPU, by PyTorch's rules.

    Each node's backward runs on the stream of its forward.
    Before it begins, that stream waits for the streams on which its gradients were made.
    After the pass the streams that were current when it was called wait for all that took part:
    what follows may read every `.grad` without further ado.

Every value says by its dtype on which stream it was made (`arrays/foreign.py`), and a node keeps
the dtype of its value: so a node knows its stream. The rules cost nothing until a second stream is
made.
"""

from typing import Any

from autodidact.arrays import gpu
from autodidact.autograd.graph import Node

__all__ = ["aware", "stream_of"]


def stream_of(node: Any) -> gpu.Queue | None:
    """The stream of a node's forward; None on the CPU."""
    outputs = getattr(node, "outputs", None)
    dtype = outputs[0][1] if outputs else getattr(node, "dtype", None)
    return dtype.metadata["stream"] if dtype is not None and dtype.metadata and (
        "stream" in dtype.metadata) else None


class OnStreams:
    """What a GraphTask does beside its own work when there are several streams."""

    def run(self, limit: int = -1) -> bool:
        """Run; at the end let what follows wait for what was done here."""
        left = super().run(limit)
        if not left:
            for queue in vars(self).pop("streams", ()):
                gpu.current(queue.device).wait_for(queue)
        return left

    def apply(self, node: Node, grads: list) -> Any:
        """The node's own work, on its own stream."""
        return self.there(node, super().apply, node, grads)

    def deliver(self, node: Any, results: Any) -> None:
        """Sums of what arrives, on the stream of the node that sends."""
        self.there(node, super().deliver, node, results)

    def there(self, node: Any, work: Any, *args: Any) -> Any:
        """Do something on a node's stream, where every operation waits for its inputs."""
        queue = stream_of(node)
        if queue is not None:
            self.__dict__.setdefault("streams", {})[queue] = True
        with gpu.on_stream(queue), gpu.patiently():
            return work(*args)


KINDS: dict[type, type] = {}


def aware(kind: type) -> type:
    """The class of task that keeps the rules: `kind` itself while there is one stream only."""
    if not gpu.several_streams():
        return kind
    if kind not in KINDS:
        KINDS[kind] = type(kind.__name__, (OnStreams, kind), {})
    return KINDS[kind]
