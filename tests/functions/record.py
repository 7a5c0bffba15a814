"""Write down PyTorch's answers, for tests without it: `python -m tests.functions.record`."""

import json
from pathlib import Path

import torch

from tests.functions.printed_tensors import torchs_texts
from tests.functions.random_tuples import torchs_answers

HERE = Path(__file__).parent


def lines(answers):
    """A JSON object, one entry a line."""
    entries = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in answers.items())
    return "{\n" + ",\n".join(entries) + "\n}\n"


def main():
    """Rewrite the recorded answers beside this file."""
    (HERE / "random_tuples.json").write_text(lines(torchs_answers(torch)))
    (HERE / "printed_tensors.json").write_text(lines(torchs_texts(torch)))


if __name__ == "__main__":
    main()
