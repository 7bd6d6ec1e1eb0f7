# SPDX-License-Identifier: Apache-2.0
"""The functions that programs take from TensorFlow's extension module."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import op_def_registry
from tensorwright.python.training.checkpoint_utils import (
    NewCheckpointReader as NewCheckpointReader,
)
from tensorwright.python.training.quantize_training import (
    do_quantize_training_on_graphdef as do_quantize_training_on_graphdef,
)
from tensorwright.python.util import compat
from tensorwright.python.util.lazy_protos import op_def_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message


class _Buffer:
    """Bytes that TF_GetBuffer returns."""

    def __init__(self, data: bytes):
        self.data = data


def TF_GetAllOpList() -> _Buffer:
    """The OpList of all registered ops, serialized in a buffer."""
    registered = op_def_registry.get_registered_ops()
    op_list = op_def_pb2.OpList(op=[registered[name] for name in sorted(registered)])
    return _Buffer(op_list.SerializeToString())


def TF_GetBuffer(buf: _Buffer) -> bytes:
    """The bytes of a buffer."""
    return buf.data


def TF_DeleteBuffer(buf: _Buffer) -> None:
    """Lets go of a buffer's bytes."""
    buf.data = b""


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
