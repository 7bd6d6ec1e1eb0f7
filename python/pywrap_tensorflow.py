# SPDX-License-Identifier: Apache-2.0
"""The functions that programs take from TensorFlow's extension module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.training.checkpoint_utils import (
    NewCheckpointReader as NewCheckpointReader,
)
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from google.protobuf.message import Message


class EventsWriter:
    """An event file, as scripts write it without a FileWriter.

    Args:
        file_prefix: what the file's path begins with; the time and the host follow.
    """

    def __init__(self, file_prefix: str | bytes):
        self._prefix = compat.as_text(file_prefix)
        self._suffix = ""
        self._core: Any = None

    def InitWithSuffix(self, suffix: str | bytes) -> bool:
        """Opens the file; its name ends in `suffix`."""
        self._suffix = compat.as_text(suffix)
        return self.Init()

    def Init(self) -> bool:
        """Opens the file, if none is open."""
        if self._core is None:
            self._core = _pywrap.EventsWriter(self._prefix, self._suffix, 0, 0)
        return True

    def WriteEvent(self, event: Message) -> None:
        """Writes an Event."""
        self.Init()
        self._core.add_event(event.SerializeToString())

    def Flush(self) -> bool:
        """Writes the waiting events."""
        self.Init()
        self._core.flush()
        return True

    def Close(self) -> bool:
        """Closes the file; the next event opens another."""
        if self._core is not None:
            self._core.close()
            self._core = None
        return True

    def FileName(self) -> bytes:
        """The path of the file."""
        self.Init()
        return compat.as_bytes(self._core.filename)
