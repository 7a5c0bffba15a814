"""A Jupyter kernel and a page of the least kind: it runs cells, sees widgets, and clicks.

    with run_page() as page:
        cell = page.run("with torch.debug(): L.backward()")
        stepper = page.widget("_head")
        stepper.send({"type": "step"})
        page.wait(lambda: stepper.state["position"] == 1)
        ...
        page.wait(cell.done)

No browser: the messages of the kernel are read, as a page reads them, and kept by the cell or the
widget that they belong to.
"""

import contextlib
import os
import queue
import sys
import time
from pathlib import Path

from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 30


class Cell:
    """One request to run code: `status` when it is answered, and what it has put out."""

    def __init__(self):
        self.status = self.error = self.count = None
        self.idle = False
        self.text, self.data = "", []

    def done(self):
        """Whether the kernel has answered, and all output has come."""
        return self.status is not None and self.idle


class Widget:
    """The page's side of one widget: its `state`, what it has received, and a way to speak."""

    def __init__(self, page, identity, state):
        self.page, self.identity, self.state, self.received = page, identity, state, []

    def send(self, content):
        """Send a custom message, as `model.send` does."""
        self.page.comm("comm_msg", self.identity, {"method": "custom", "content": content})

    def set(self, **state):
        """Change traits, as `model.save_changes` does."""
        self.page.comm("comm_msg", self.identity, {"method": "update", "state": state})


class Page:
    """Everything that a kernel says, sorted."""

    def __init__(self, client, manager):
        self.client, self.manager = client, manager
        self.forget()

    def forget(self):
        """Begin anew, with the same kernel."""
        self.cells, self.widgets, self.order, self.listeners = {}, {}, [], []
        self.asked = None

    def run(self, code):
        """Ask the kernel to run code; returns at once."""
        cell = Cell()
        self.cells[self.client.execute(code, allow_stdin=True)] = cell
        return cell

    def result(self, code):
        """Run code that needs no click; what it printed."""
        cell = self.run(code)
        self.wait(cell.done)
        assert cell.status == "ok", cell.error
        return cell.text

    def comm(self, kind, identity, data):
        """One message to a widget."""
        message = self.client.session.msg(kind, {"comm_id": identity, "data": data})
        self.client.shell_channel.send(message)

    def widget(self, trait, number=0):
        """The widget that has such a trait, as soon as there is one."""
        found = []

        def there():
            found[:] = [w for w in self.widgets.values() if trait in w.state]
            return len(found) > number

        self.wait(there)
        return found[number]

    def wait(self, until):
        """Read messages until something is so."""
        end = time.monotonic() + PATIENCE
        while not until():
            assert time.monotonic() < end, f"waited in vain; {self.seen()}"
            self.read(0.05)

    def stays(self, so, seconds=0.5):
        """Whether something stays so for a while."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.read(0.05)
            if not so():
                return False
        return True

    def seen(self):
        """What the cells have put out so far."""
        return [(c.status, c.error, c.text[-400:]) for c in self.cells.values()]

    def read(self, timeout):
        """Take what has arrived."""
        with contextlib.suppress(queue.Empty):
            self.said(self.client.get_iopub_msg(timeout=timeout))
        with contextlib.suppress(queue.Empty):
            while True:
                self.answered(self.client.get_shell_msg(timeout=0))
        with contextlib.suppress(queue.Empty):
            self.asked = self.client.get_stdin_msg(timeout=0)["content"]["prompt"]

    def answer(self, text):
        """Answer the kernel's `input()`."""
        self.wait(lambda: self.asked is not None)
        asked, self.asked = self.asked, None
        self.client.input(text)
        return asked

    def said(self, message):
        """A message to every page."""
        kind, content = message["msg_type"], message["content"]
        cell = self.cells.get(message["parent_header"].get("msg_id"), Cell())
        if kind == "status":
            cell.idle = content["execution_state"] == "idle"
        elif kind == "stream":
            cell.text += content["text"]
        elif kind in ("display_data", "execute_result"):
            cell.data.append(content["data"])
        elif kind == "error":
            cell.error = content["ename"]
        elif kind == "comm_open":
            data = content["data"]
            self.widgets[content["comm_id"]] = Widget(self, content["comm_id"], data["state"])
        elif kind == "comm_msg" and content["comm_id"] in self.widgets:
            widget, data = self.widgets[content["comm_id"]], content["data"]
            if data["method"] == "update":
                widget.state |= data["state"]
            elif data["method"] == "custom":
                widget.received.append(data["content"])

    def answered(self, message):
        """The answer to a request of ours."""
        for listener in self.listeners:
            listener(message)
        cell = self.cells.get(message["parent_header"].get("msg_id"))
        if cell is not None and message["msg_type"] == "execute_reply":
            cell.status = message["content"]["status"]
            cell.count = message["content"].get("execution_count")
            self.order.append(cell)


@contextlib.contextmanager
def run_page():
    """A fresh kernel of this Python, and its page; the kernel ends with the block."""
    paths = [str(ROOT), str(ROOT / "widgets"), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    manager = KernelManager(kernel_name="python3")
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    manager.kernel_spec.argv = command
    manager.start_kernel(env=environment)
    client = manager.client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=60)
        yield Page(client, manager)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
