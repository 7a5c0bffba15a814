"""Tests of the devices. Those in `test_*.py` need no GPU; `run_gpu.py` does."""
