# SPDX-License-Identifier: Apache-2.0
"""Reading event files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tensorwright.core.util import event_pb2
from tensorwright.python import _pywrap
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.core.util.event_pb2 import Event
    from tensorwright.python.framework.type_aliases import PathLike


def summary_iterator(path: PathLike) -> Iterator[Event]:
    """The `Event` protos of an event file, in order.

    Stops at the end of the file, and before an event that is cut off, as the last one
    of a writer that was killed, or is still at work, may be.

    Raises:
        NotFoundError: there is no such file.
        DataLossError: bytes of an event are not those that were written.
    """
    reader = _pywrap.RecordReader(
        compat.as_text(compat.path_to_str(path)), stop_where_cut_off=True
    )
    while (record := reader.next()) is not None:
        yield event_pb2.Event.FromString(record)
