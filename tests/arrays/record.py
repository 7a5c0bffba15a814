"""Records PyTorch's answers, for tests without it: python -m tests.arrays.record."""

import json
from pathlib import Path

import torch

from tests.arrays.printing_cases import chosen, torch_text

HERE = Path(__file__).parent


def main():
    """Rewrite the recorded answers beside this file."""
    texts = [torch_text(torch, *case) for case in chosen()]
    (HERE / "printed.json").write_text(json.dumps(texts, indent=0) + "\n")


if __name__ == "__main__":
    main()
