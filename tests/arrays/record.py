"""Records PyTorch's answers, for tests without it: python -m tests.arrays.record."""

import json
from pathlib import Path

import torch

from tests.arrays.printing_cases import chosen, torch_text
from tests.arrays.random_cases import torchs_answers

HERE = Path(__file__).parent


def main():
    """Rewrite the recorded answers beside this file."""
    texts = [torch_text(torch, *case) for case in chosen()]
    (HERE / "printed.json").write_text(json.dumps(texts, indent=0) + "\n")
    answers = [f"{json.dumps(key)}: {json.dumps(value)}"
               for key, value in torchs_answers(torch).items()]
    (HERE / "drawn.json").write_text("{\n" + ",\n".join(answers) + "\n}\n")


if __name__ == "__main__":
    main()
