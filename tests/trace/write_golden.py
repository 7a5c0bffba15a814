"""`python -m tests.trace.write_golden`: write the agreed texts anew."""

from autodidact.trace.record import Record
from tests.trace import samples
from tests.trace.test_text import GOLDEN, SHOWN

if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, step in SHOWN:
        text = Record(*samples.ALL[name]()).text(step)
        (GOLDEN / f"{name}_{step}.txt").write_text(text, encoding="utf-8")
