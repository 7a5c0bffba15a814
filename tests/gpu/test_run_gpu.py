"""The script for the GPU, tried on a simulated one: that it runs; what it proves needs a GPU."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).with_name("run_gpu.py")


@pytest.mark.slow
def test_the_script_runs():
    found = subprocess.run([sys.executable, str(SCRIPT), "--simulate", "--quick"],
                           capture_output=True, text=True, check=False, timeout=300)
    last = found.stdout.strip().splitlines()[-1] if found.stdout else found.stderr
    match = re.fullmatch(r"SIMULATED: OK (\d+) of (\d+)", last)
    assert match and match[1] == match[2], found.stdout + found.stderr
