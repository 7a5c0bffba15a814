"""The pump: widget messages delivered while a cell is stopped in the middle of its work.

A kernel runs one request at a time, so a click that arrives while a cell waits would lie in the
queue behind that cell, for ever. The pump looks into the queue from inside the waiting cell. A
message of a widget is handled at once; everything else, the next cells above all, is put back, in
its order, for the kernel's own loop to find when the cell is over.

This is the one file that knows ipykernel from the inside (6.31 to 7.4). Each name it needs is
looked up when a pump is made; where one is missing `works` is False, and whoever waits asks in
another way.
"""

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

import zmq

# Requests put back must take as many turns of the event loop as the kernel's own reading takes, or
# they overtake the cell that it has picked up already: two turns where this helper is, else one.
try:
    from ipykernel.utils import _async_in_context as two_turns
except ImportError:
    two_turns = None

__all__ = ["Pump"]

# Answered while a cell is stopped: clicks, new and closed widgets, and what a reloaded page asks.
NOW = {"comm_open", "comm_msg", "comm_close", "comm_info_request", "kernel_info_request"}


class Pump:
    """Reads the shell's queue of a kernel whose main thread is stopped inside a cell.

    Args:
        kernel: the running ipykernel.

    Attributes:
        works: whether this kernel is one that the pump understands.

    Example:
        pump = Pump(get_ipython().kernel)
        pump()          # in the loop that waits
        pump.leave()    # when the cell goes on
    """

    def __init__(self, kernel: Any) -> None:
        self.kernel, self.tasks, self.works = kernel, set(), False
        try:
            self.loop = asyncio.get_event_loop()
            self.parent_of("shell")
            self.put_back = self.connect()
            self.works = True
        except (AttributeError, KeyError, RuntimeError):
            return                                 # another kernel, or another version of it

    def connect(self) -> Callable:
        """Find the queue and the place for answers; the way to put a request back."""
        kernel = self.kernel
        thread = getattr(kernel, "shell_channel_thread", None)
        if thread is None:                         # ipykernel 6: the main thread reads the socket
            self.stream = self.answers = kernel.shell_stream
            self.socket = self.stream.socket
            return lambda frames: kernel.schedule_dispatch(kernel.dispatch_shell, frames)
        pair = thread.manager.get_shell_channel_to_subshell_pair(None)
        self.socket, self.stream = pair.to_socket, pair.to_stream
        self.answers = thread.manager.get_subshell_to_shell_channel_socket(None)
        return self.start_later

    def start_later(self, frames: list) -> None:
        """Give a request to the kernel's loop (ipykernel 7)."""
        task = self.loop.create_task(self.turns(frames))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def turns(self, frames: list) -> None:
        """Take the turns that the kernel's own reading takes."""
        request = self.kernel.shell_main(None, frames)
        await (self.loop.create_task(request) if two_turns else request)

    def __call__(self) -> None:
        """Handle what has arrived; returns when the queue is empty."""
        session = self.kernel.session
        while True:
            try:
                frames = self.socket.recv_multipart(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            if len(frames) == 1:                   # the kernel's own mark: "stop aborting here"
                self.put_back(frames)
                continue
            sender, parts = session.feed_identities(frames, copy=False)
            if session.unpack(parts[1].bytes)["msg_type"] in NOW:
                self.answer(sender, session.deserialize(parts, content=True, copy=False))
            else:
                self.put_back(frames)

    def answer(self, sender: list, message: dict) -> None:
        """Handle one message now, as a request of its own, and become the cell's request again."""
        kernel, before = self.kernel, self.parent_of("shell")
        kernel.set_parent(sender, message, channel="shell")
        try:
            kernel._publish_status("busy", "shell")
            self.handle(sender, message)
            kernel._publish_status("idle", "shell")
        except Exception:                          # somebody's widget failed: not the cell's fault
            kernel.log.exception("a widget's handler failed while a cell was stopped")
        finally:
            kernel.set_parent(*before, channel="shell")
        if hasattr(self.answers, "flush"):
            self.answers.flush(zmq.POLLOUT)

    def handle(self, sender: list, message: dict) -> None:
        """Call the handler.

        A widget's own, and not its comm's: that one ends with the events of a finished cell, and
        matplotlib would close the figure that the stopped cell is drawing.
        """
        kind = message["msg_type"]
        comm = None
        if kind == "comm_msg":
            comm = self.kernel.comm_manager.get_comm(message["content"]["comm_id"])
        callback = getattr(comm, "_msg_callback", None)
        if callback is not None:
            callback(message)
            return
        done = self.kernel.shell_handlers[kind](self.answers, sender, message)
        if inspect.iscoroutine(done):
            finish(done)

    def leave(self) -> None:
        """After a stop, an interrupted one too: let the loop look whether something came meanwhile.

        The queue's socket tells of new messages only once; one that was read past would lie there.
        """
        if self.works:
            self.loop.call_soon(lambda: self.stream.flush(zmq.POLLIN))

    def parent_of(self, channel: str) -> tuple:
        """The sender and the message that the kernel is answering now."""
        kernel = self.kernel
        if hasattr(kernel, "_get_shell_context_var"):
            sender = kernel._get_shell_context_var(kernel._shell_parent_ident)
        else:
            sender = kernel._parent_ident[channel]
        return sender, kernel.get_parent(channel)


def finish(coroutine: Any) -> None:
    """Drive a handler's coroutine that never really waits."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration:
        return
