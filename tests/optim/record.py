"""Write down PyTorch's answers: `python -m tests.optim.record`."""

import json

import torch

from tests.optim.programs import OPTIMIZERS, SCHEDULES, optimized, scheduled
from tests.optim.test_optimizers import ANSWERS


def main():
    """All optimizers and schedules."""
    found = {"optimizers": {code: optimized(code, torch) for code in OPTIMIZERS},
             "schedules": {code: scheduled(code, torch) for code in SCHEDULES}}
    ANSWERS.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
