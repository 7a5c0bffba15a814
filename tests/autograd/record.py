"""Ask real torch the programs and keep its answers: `python -m tests.autograd.record [topic]`."""

import sys

from tests.autograd import programs
from tests.programs import Programs

PROGRAMS = Programs(programs)

if __name__ == "__main__":
    import torch

    PROGRAMS.record(torch, sys.argv[1:])
