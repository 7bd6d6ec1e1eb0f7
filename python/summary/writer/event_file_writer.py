# SPDX-License-Identifier: Apache-2.0
"""EventFileWriter: events on their way to a file, in a queue with a thread of its own."""

from __future__ import annotations

import atexit
import os
import weakref
from typing import TYPE_CHECKING

from tensorwright.python import _pywrap
from tensorwright.python.platform import gfile
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.framework.type_aliases import PathLike

# Those that are open: a program that ends without closing them loses nothing.
_open_writers: weakref.WeakSet[EventFileWriter] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    for writer in list(_open_writers):
        writer.close()


class EventFileWriter:
    """Writes `Event` protos to `<logdir>/events.out.tfevents.<seconds>.<host>`.

    `add_event` puts an event into a queue, and waits only while that is full.  A thread
    of C++, which needs no lock of Python's, writes it.

    Thread-safe.  An error in writing, such as a full disk, is raised by every later
    call.  After a fork the writer is the parent's: in the child nothing is written.
    """

    def __init__(
        self,
        logdir: PathLike,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str | None = None,
    ):
        """Makes `logdir`, if there is none, and opens a file in it.

        Args:
            logdir: the folder.
            max_queue: how many events may wait to be written; any number for 0.
            flush_secs: after how many seconds, at most, an event is seen by readers.
            filename_suffix: goes behind the name of the file.
        """
        self._logdir = compat.as_text(compat.path_to_str(logdir))
        self._max_queue = max_queue
        self._flush_secs = flush_secs
        self._suffix = compat.as_text(filename_suffix or "")
        if not gfile.IsDirectory(self._logdir):
            gfile.MakeDirs(self._logdir)
        self._open()

    def _open(self) -> None:
        self._pid = os.getpid()
        self._core = _pywrap.EventsWriter(
            os.path.join(self._logdir, "events"),
            self._suffix,
            self._max_queue,
            self._flush_secs,
        )
        self._closed = False
        # Bound once: a training loop calls it each step.
        self._add_summary = self._core.add_summary
        _open_writers.add(self)

    def get_logdir(self) -> str:
        """The folder that the file is in."""
        return self._logdir

    def reopen(self) -> None:
        """Opens a new file, if this is closed; does nothing otherwise."""
        if self._closed:
            self._open()

    def add_event(self, event: Message) -> None:
        """Queues an event; does nothing when this is closed."""
        if self._is_usable():
            self._core.add_event(event.SerializeToString())

    def add_serialized_summary(
        self, summary: bytes, wall_time: float, step: int
    ) -> bool:
        """Queues an event with a serialized `Summary`; False if it is none.

        The metadata of a tag is written once a file.
        """
        return not self._is_usable() or self._add_summary(summary, wall_time, step)

    def _is_usable(self) -> bool:
        return not self._closed and self._pid == os.getpid()

    def flush(self) -> None:
        """Waits until all that was added is where readers see it."""
        if self._is_usable():
            self._core.flush()

    def close(self) -> None:
        """Writes the queued events and closes the file.  Adding does nothing afterwards."""
        if self._is_usable():
            self._closed = True
            _open_writers.discard(self)
            self._core.close()
