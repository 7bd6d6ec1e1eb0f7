# SPDX-License-Identifier: Apache-2.0
"""Writing a graph to a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tensorwright.python.lib.io import file_io
from tensorwright.python.util.lazy_protos import text_format

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.python.framework.graph import Graph


def write_graph(
    graph_or_graph_def: Graph | Message, logdir: str, name: str, as_text: bool = True
) -> str:
    """Writes a Graph or GraphDef to `logdir/name`, as text or binary proto.

    Returns the path.
    """
    graph_def: Any = graph_or_graph_def
    if hasattr(graph_def, "as_graph_def"):
        graph_def = graph_def.as_graph_def()
    logdir = os.fspath(logdir)
    file_io.recursive_create_dir(logdir)
    path = os.path.join(logdir, name)
    if as_text:
        # The types of protobuf lack this argument.
        exact: dict[str, Any] = {"float_format": ""}
        text = text_format.MessageToString(graph_def, **exact)
        file_io.atomic_write_string_to_file(path, text)
    else:
        file_io.atomic_write_string_to_file(path, graph_def.SerializeToString())
    return path
