"""What needs a GPU, in one run of at most four minutes: `python tests/gpu/run_gpu.py`.

It prints one table and a last line, `GPU: OK n of N`. Needed: CuPy with its CUDA libraries (extra
`cuda12` or `cuda13`) and a GPU; PyTorch with CUDA for the column that compares times.

`--simulate` tries the script itself on a simulated GPU; its last line says so and proves nothing.
"""

import argparse
import contextlib
import io
import runpy
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

import autodidact as ad  # noqa: E402
from autodidact.arrays import transfers  # noqa: E402
from autodidact.arrays.simulated import simulated_gpu  # noqa: E402
from tests.gpu.test_rows import HOST, ROWS, WITH_GRADIENT, there  # noqa: E402
from tests.ops.differences import cotangents, gradients, run, tensors_of  # noqa: E402

LIMIT = 225                       # seconds; what has not been reached by then counts as not OK
NARROW = {"float64": np.float32, "complex128": np.complex64}


class Table:
    """The checks: name, how many of how many, seconds, a note."""

    def __init__(self):
        self.began, self.good, self.all, self.faults = time.perf_counter(), 0, 0, []
        print(f"{'check':<34}{'ok':>6}{'of':>6}{'seconds':>9}  note", flush=True)

    def left(self):
        """Seconds until the limit."""
        return LIMIT - (time.perf_counter() - self.began)

    def row(self, name, cases, check, share=1.0):
        """Try `check(case)` on every case, for at most a share of the time that is left."""
        begun, good, faults = time.perf_counter(), 0, []
        until = begun + self.left() * share
        for count, case in enumerate(cases):
            if time.perf_counter() > until:
                faults.append(f"{len(cases) - count} not reached")
                break
            try:
                check(case)
                good += 1
            except Exception as error:
                faults.append(f"{getattr(case, 'id', case)}: {type(error).__name__}: "
                              f"{str(error).strip().splitlines()[0][:120] if str(error) else ''}")
        self.good, self.all = self.good + good, self.all + len(cases)
        self.faults += [f"{name}: {fault}" for fault in faults]
        self.line(name, good, len(cases), time.perf_counter() - begun, faults[0] if faults else "")

    def line(self, name, good, count, seconds, note):
        """One line."""
        print(f"{name:<34}{good:>6}{count:>6}{seconds:>9.1f}  {note[:90]}", flush=True)


# ---- rows ---------------------------------------------------------------------------------------


def numbers(case, narrow):
    """The inputs of a case; in single precision if asked."""
    if not narrow:
        return case.arrays()
    kinds = [(a, getattr(getattr(a, "dtype", None), "name", None)) for a in case.arrays()]
    return [a.astype(NARROW[kind]) if kind in NARROW else a for a, kind in kinds]


def close(found, expected, narrow):
    """The same values (up to rounding, which differs), shapes and dtypes, on the GPU."""
    assert found.is_cuda and found.dtype is expected.dtype and found.shape == expected.shape
    loose = {"rtol": 2e-3, "atol": 2e-4} if narrow else {"rtol": 1e-9, "atol": 1e-10}
    np.testing.assert_allclose(found.detach().cpu().numpy(), expected.detach().numpy(), **loose)


def free_choice(case):
    """Rows whose result is one of several right ones: signs of vectors, order of equal values."""
    return case.row.startswith(("linalg_eig", "linalg_svd", "linalg_qr", "svd_complement"))


def forward(narrow):
    """The check of a row's value."""
    def check(case):
        arrays = numbers(case, narrow)
        expected = run(case, tensors_of(arrays, False))
        inputs = [there(t, "cuda") for t in tensors_of(arrays, False)]
        with transfers.watched() as crossed:
            found = run(case, inputs)
        assert bool(crossed) == (case.row in HOST or case.id in HOST), f"hidden transfer {crossed}"
        for f, e in zip(found, expected, strict=True):
            if free_choice(case):
                assert f.is_cuda and f.shape == e.shape
            else:
                close(f, e, narrow)
    return check


def backward(narrow):
    """The check of a row's gradients."""
    def check(case):
        arrays = numbers(case, narrow)
        weights = cotangents([o._array for o in run(case, tensors_of(arrays, False))],
                             np.random.default_rng(8))
        if narrow:
            weights = [w if w is None else w.astype(NARROW[w.dtype.name]) for w in weights]
        expected = gradients(case, tensors_of(arrays), weights)
        sent = [w if w is None else ad.tensor(w, device="cuda") for w in weights]
        inputs = [there(t, "cuda") for t in tensors_of(arrays)]
        with transfers.watched() as crossed:
            found = gradients(case, inputs, sent)
        assert bool(crossed) == (case.row in HOST or case.id in HOST), f"hidden transfer {crossed}"
        for f, e in zip(found, expected, strict=True):
            if not free_choice(case):
                close(f, e, narrow)
    return check


# ---- engine, memory, training -------------------------------------------------------------------


def on_streams(seed):
    """A graph over two streams, long enough that an engine that does not wait would fail."""
    rng = np.random.default_rng(seed)
    start = rng.normal(size=(512, 512)) / 23
    x = ad.tensor(start, device="cuda", requires_grad=True)
    side = ad.cuda.Stream()
    side.wait_stream(ad.cuda.current_stream())
    with ad.cuda.stream(side):
        y = x
        for _ in range(8):
            y = (y @ x).tanh()
    ad.cuda.current_stream().wait_stream(side)
    (y * x).sum().backward()
    z = ad.tensor(start, requires_grad=True)
    w = z
    for _ in range(8):
        w = (w @ z).tanh()
    (w * z).sum().backward()
    np.testing.assert_allclose(x.grad.cpu(), z.grad, rtol=1e-8, atol=1e-10)


def memory_is_freed(kind):
    """A graph's memory goes with its last reference, or with the pass."""
    ad.cuda.synchronize()
    before = ad.cuda.memory_allocated()
    x = ad.ones(256, 1024, device="cuda", requires_grad=True)
    y = x
    for _ in range(20):
        y = y.exp().log()
    held = ad.cuda.memory_allocated()
    y = y.sum()
    if kind == "pass":
        y.backward()
        kept = 3 * x.nbytes
    else:
        del y
        kept = 2 * x.nbytes
    after = ad.cuda.memory_allocated()
    assert after - before <= kept, f"{after - before} bytes are still held"
    assert held - before >= 20 * x.nbytes or SIMULATED


def example(path):
    """One of the examples with `device="cuda"` as the only change: it learns as on the CPU.

    (Not the same numbers: data are shuffled by the CPU's generator, weights drawn by the GPU's.)
    """
    found = []
    for where in ("cpu", "cuda"):
        with ad.device(where), contextlib.redirect_stdout(io.StringIO()), \
                contextlib.redirect_stderr(io.StringIO()):
            found.append(runpy.run_path(str(path))["final_loss"])
    assert found[1] <= 1.25 * found[0] + 0.02, f"losses {found}"


# ---- speed --------------------------------------------------------------------------------------


def problem(torch, name):
    """One training step of a model, in words that are the same in both libraries."""
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(0)
    if name == "mlp-big":
        model = nn.Sequential(nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(),
                              nn.Linear(1024, 10))
        x = torch.randn(512, 1024)
    elif name == "conv":
        model = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                              nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                              nn.Flatten(), nn.Linear(32 * 49, 10))
        x = torch.randn(32, 1, 28, 28)
    else:
        layer = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, batch_first=True)
        model = nn.Sequential(layer, nn.Flatten(), nn.Linear(128 * 64, 10))
        x = torch.randn(16, 64, 128)
    model, x = model.to("cuda"), x.to("cuda")
    target = torch.arange(len(x)).to("cuda") % 10
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        F.cross_entropy(model(x), target).backward()
        optimizer.step()
    return step


def seconds(torch, name, repeats=15):
    """The fastest step."""
    step = problem(torch, name)
    found = []
    for _ in range(3 if SIMULATED else repeats):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        step()
        torch.cuda.synchronize()
        found.append(time.perf_counter() - begun)
    return min(found)


def speeds(table):
    """Ratios to PyTorch on the same GPU; the one for mlp-big is a check."""
    try:
        import torch
        theirs = torch if torch.cuda.is_available() and not SIMULATED else None
    except ImportError:
        theirs = None
    for name in ("mlp-big", "conv", "transformer"):
        ours, note = seconds(ad, name), "PyTorch with CUDA is not here: not compared"
        if theirs is not None:
            other = seconds(theirs, name)
            note = f"PyTorch {other * 1e3:.2f} ms: {ours / other:.2f} times its time"
            if name == "mlp-big":
                table.all, table.good = table.all + 1, table.good + (ours <= 1.3 * other)
                note += " (at most 1.3)"
        table.line(f"bench {name}", 0, 0, ours, f"{ours * 1e3:.2f} ms a step; {note}")


def main(quick):
    """All checks."""
    print(f"{ad.cuda.get_device_name()}; NumPy {np.__version__}", flush=True)
    table = Table()
    some = slice(None, None, 40 if quick else 1)
    table.row("engine on streams", list(range(2 if quick else 10)), on_streams, 0.2)
    table.row("memory freed", ["pass", "reference"], memory_is_freed, 0.2)
    speeds(table)
    table.row("rows forward, float64", ROWS[some], forward(False), 0.35)
    table.row("rows backward, float64", WITH_GRADIENT[some], backward(False), 0.5)
    table.row("rows forward, float32", ROWS[some], forward(True), 0.4)
    table.row("rows backward, float32", WITH_GRADIENT[some], backward(True), 0.5)
    examples = sorted((ROOT / "notebooks" / "examples").glob("*.py"))
    table.row("examples trained", [] if quick else examples, example)
    for fault in table.faults:
        print("  ", fault)
    print(f"{'SIMULATED' if SIMULATED else 'GPU'}: OK {table.good} of {table.all}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulate", action="store_true")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    SIMULATED = options.simulate
    with simulated_gpu() if SIMULATED else contextlib.nullcontext():
        main(options.quick)
