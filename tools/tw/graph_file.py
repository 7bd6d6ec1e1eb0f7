# SPDX-License-Identifier: Apache-2.0
"""Reads the graphs of a file: a GraphDef, a MetaGraphDef, or the folder of a SavedModel.  Nothing of them is imported.

The file may be a stranger's: whatever is in it, the reader returns graphs or raises ValueError or OSError.
"""

from __future__ import annotations

import dataclasses
import datetime
import pathlib
from collections.abc import Iterator
from typing import Any

SUFFIXES = (".pb", ".pbtxt", ".meta")
# A proto cannot be larger.
_MOST_BYTES = (1 << 31) - 1
# Since 1.14 the producer of a GraphDef grows by one a day; TensorFlow's header dates this one.
_PRODUCER, _ITS_DAY = 440, datetime.date(2020, 6, 22)
_FIRST_DAILY, _LAST_DAILY = 100, 10_000
# Files that users take for a graph, by its first bytes or those from the fifth on.
_OTHERS = {
    b"\x89HDF": "an HDF5 file, as Keras writes them: tf.keras.models.load_model reads it",
    b"PK\x03\x04": "a zip archive",
    b"\x1f\x8b": "compressed by gzip: unpack it first",
    b"TFL3": "a model of TensorFlow Lite",
    b"\x57\xfb\x80\x8b": "the table of a checkpoint",
}


@dataclasses.dataclass
class GraphInFile:
    """One graph.

    Attributes:
        graph: the GraphDef.
        meta: the MetaGraphDef around it, or None.
    """

    graph: Any
    meta: Any | None = None

    @property
    def version(self) -> str:
        """The version of TensorFlow that wrote it; "" if it does not say."""
        return "" if self.meta is None else self.meta.meta_info_def.tensorflow_version


@dataclasses.dataclass
class GraphFile:
    """The graphs of a file.

    Attributes:
        file: the file itself, also for the folder of a SavedModel.
        kind: "GraphDef", "MetaGraphDef" or "SavedModel".
        is_text: whether it is in protobuf's text format.
        size: its bytes.
        graphs: at least one has a node.
    """

    file: pathlib.Path
    kind: str
    is_text: bool
    size: int
    graphs: list[GraphInFile]


def is_graph(path: pathlib.Path) -> bool:
    """Is it a file with a graph, or the folder of a SavedModel?"""
    if path.is_dir():
        return any((path / f"saved_model{s}").exists() for s in (".pb", ".pbtxt"))
    return path.suffix in SUFFIXES


def read(path: pathlib.Path) -> GraphFile:
    """Returns the graphs of a file, or of a SavedModel's folder.

    Raises:
        ValueError: it holds no graph.
        OSError: it cannot be read.
    """
    if path.is_dir():
        path = next(p for p in sorted(path.glob("saved_model.pb*")))
    if path.exists() and not path.is_file():
        raise ValueError("neither a file nor a folder")
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise ValueError(f"{size} bytes, more than a graph can have ({_MOST_BYTES})")
    data = path.read_bytes()
    is_text = path.suffix == ".pbtxt"
    reasons = []
    # The file of a SavedModel may have been renamed.
    for kind in _kinds(path):
        try:
            parsed = _parse(kind, data, is_text)
        except ValueError as error:
            reasons.append(str(error))
            continue
        graphs = _graphs(parsed)
        if any(g.graph.node for g in graphs):
            return GraphFile(path, kind.DESCRIPTOR.name, is_text, size, graphs)
        reasons.append(f"a {kind.DESCRIPTOR.name} without a node")
    raise ValueError(_what_else(data) or reasons[0])


def _kinds(path: pathlib.Path) -> list[Any]:
    """The messages that a file may hold; its name says which comes first."""
    from tensorwright.core.framework import graph_pb2
    from tensorwright.core.protobuf import meta_graph_pb2, saved_model_pb2

    kinds = [
        graph_pb2.GraphDef,
        saved_model_pb2.SavedModel,
        meta_graph_pb2.MetaGraphDef,
    ]
    if path.name.startswith("saved_model."):
        return [kinds[1]]
    return kinds[::-1] if path.suffix == ".meta" else kinds


def _parse(kind: Any, data: bytes, is_text: bool) -> Any:
    """Raises ValueError if the bytes are no such message."""
    from google.protobuf import message, text_format

    parsed = kind()
    try:
        if is_text:
            text_format.Parse(data.decode(), parsed)
        else:
            parsed.ParseFromString(data)
    except UnicodeDecodeError as error:
        raise ValueError(f"no {kind.DESCRIPTOR.name}: {error}") from error
    except RecursionError as error:
        text = f"no {kind.DESCRIPTOR.name}: messages are nested too deep"
        raise ValueError(text) from error
    except message.DecodeError as error:
        raise ValueError(
            f"no {kind.DESCRIPTOR.name}: {error} (it is cut off, of another kind, or has a name that is not UTF-8)"
        ) from error
    # A number that fits no field, or a type that is not known, is no ParseError everywhere.
    except (text_format.Error, ValueError, TypeError, KeyError) as error:
        raise ValueError(f"no {kind.DESCRIPTOR.name}: {error}") from error
    return parsed


def _graphs(parsed: Any) -> list[GraphInFile]:
    if not hasattr(parsed, "meta_graphs") and not hasattr(parsed, "graph_def"):
        return [GraphInFile(parsed)]
    metas = getattr(parsed, "meta_graphs", [parsed])
    return [GraphInFile(meta.graph_def, meta) for meta in metas]


def _what_else(data: bytes) -> str:
    """Words about a file of another kind; "" if it is none that is known."""
    for magic, what in _OTHERS.items():
        if magic in (data[:4], data[:2], data[4:8], data[-8:-4]):
            return f"no graph, but {what}"
    return ""


def made_by(version: str, graph: Any) -> str:
    """Words about the TensorFlow that wrote a GraphDef; `version` is what the MetaGraphDef says, or ""."""
    producer = graph.versions.producer
    if version and version != "unknown":
        return f"TensorFlow {version} (producer {producer})"
    if producer < _FIRST_DAILY:
        return f"TensorFlow 1.x or earlier (producer {producer})"
    if producer > _LAST_DAILY:
        return f"an unknown version (producer {producer})"
    day = _ITS_DAY + datetime.timedelta(days=producer - _PRODUCER)
    return f"a TensorFlow of about {day:%B %Y} (producer {producer})"


def nodes(graph: Any) -> Iterator[Any]:
    """The nodes of a GraphDef and those of its functions."""
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def
