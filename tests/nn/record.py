"""Write down PyTorch's answers: `python -m tests.nn.record`."""

import json

import torch

from tests.nn import test_behaviour
from tests.nn.behaviour import PROGRAMS
from tests.nn.modules import TABLE, trained
from tests.nn.test_modules import ANSWERS, IDS, summed


def main():
    """All modules of the table, and all programs."""
    found = {}
    for name, one in zip(IDS, TABLE, strict=True):
        facts = trained(one, torch)
        found[name] = {k: v if k in ("repr", "keys") else summed(v) for k, v in facts.items()}
    ANSWERS.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
    programs = {program.__name__: program(torch) for program in PROGRAMS}
    test_behaviour.ANSWERS.write_text(json.dumps(programs) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
