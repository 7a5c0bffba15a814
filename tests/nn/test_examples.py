"""The example programs: the same end here and in PyTorch, and as good as promised."""

import contextlib
import io
import re
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent.parent / "notebooks" / "examples"
ENDS = {                       # PyTorch's loss at the end; how many digits must be right
    "digits_mlp": (0.1446, 0.95),
    "digits_cnn": (0.0476, 0.97),
    "character_lstm": (1.7546, None),
    "tiny_transformer": (2.1291, None),
}


def run(name, library):
    """The names of an example after it ran."""
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    text, count = re.subn(r"^import autodidact as torch$", f"import {library} as torch", text,
                          flags=re.MULTILINE)
    assert count == 1
    names = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(text, f"{name}.py", "exec"), names)
    assert "loss" in printed.getvalue()
    return names


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ENDS)
def test_the_end_is_that_of_pytorch(name):
    loss, right = ENDS[name]
    names = run(name, "autodidact")
    assert names["final_loss"] == pytest.approx(loss, abs=1e-3)
    assert right is None or names["accuracy"] > right


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ENDS)
def test_pytorch_ends_there(name, oracle):
    assert run(name, "torch")["final_loss"] == pytest.approx(ENDS[name][0], abs=1e-3)


def test_every_example_is_tried():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(ENDS)
