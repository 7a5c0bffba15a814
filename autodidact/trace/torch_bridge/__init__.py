"""PyTorch's own engine under the same stepper: `show(loss)` with a tensor of PyTorch's.

Two ways, one record format. Pause mode runs the real pass, held before every node (`pause.py`);
hand mode calls the nodes from Python, on a copy (`hand.py`). PyTorch is never loaded here: it is
there already, or there is nothing to step.
"""

from autodidact.trace.torch_bridge.calls import asked_first
from autodidact.trace.torch_bridge.fork import ForkedTorchRecorder
from autodidact.trace.torch_bridge.library import is_module, is_tensor
from autodidact.trace.torch_bridge.modules import watched
from autodidact.trace.torch_bridge.names import tensors_in
from autodidact.trace.torch_bridge.pause import THREAD
from autodidact.trace.torch_bridge.recorder import TorchRecorder
from autodidact.trace.torch_bridge.saved import used_up

__all__ = ["THREAD", "ForkedTorchRecorder", "TorchRecorder", "asked_first", "is_module",
           "is_tensor", "tensors_in", "used_up", "watched"]
