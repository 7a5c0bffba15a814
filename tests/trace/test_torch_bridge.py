"""PyTorch's own engine through the bridge: the reference traces, exact gradients, nothing left."""

import gc
import json
import sys
import threading
import weakref
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest

from autodidact.trace.torch_bridge import TorchRecorder, tensors_in, watched
from tests.trace.test_record import validator

pytestmark = pytest.mark.oracle
SCENES = Path(__file__).parents[1] / "autograd" / "test_scenes.py"
WANT = json.loads((SCENES.parent / "data" / "scenes.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def scenes(request):
    """The module of the 14 scenes with PyTorch in autodidact's place."""
    pytest.importorskip("torch")
    source = SCENES.read_text(encoding="utf-8").replace("import autodidact as torch", "import torch")
    module = ModuleType("scenes_in_torch")
    module.__file__ = str(SCENES)
    exec(compile(source, str(SCENES), "exec"), module.__dict__)
    return module


def leftover_threads():
    """Threads of passes that have not ended."""
    return [t for t in threading.enumerate() if t.name.startswith("autodidact")]


@pytest.fixture(autouse=True)
def no_thread_is_left():
    """Every test ends its threads."""
    yield
    gc.collect()
    assert leftover_threads() == []


@pytest.mark.parametrize("by_hand", [False, True], ids=["pause", "hand"])
@pytest.mark.parametrize("name", WANT)
def test_a_scene_runs_as_recorded(scenes, name, by_hand):
    loss, names, options = scenes.SCENES[name]()
    recorder = TorchRecorder(loss, names=names, copy=by_hand, **options)
    recorder.run()
    assert scenes.rounded(recorder.record.as_reference()) == scenes.rounded(WANT[name])
    recorder.record.layout()
    validator().validate(json.loads(recorder.record.to_json()))
    assert recorder.record.text() and recorder.record.svg()
