# SPDX-License-Identifier: Apache-2.0
"""`tw doctor` on a graph: the ops, kernels, devices and files that it wants, read from a GraphDef, MetaGraphDef or SavedModel."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import functools
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.tools.tw import registry_dump

SUFFIXES = (".pb", ".pbtxt", ".meta")
MISSING, DIFFERENT, READS, WRITES = "missing", "different", "reads", "writes"
# Since 1.14 the producer of a GraphDef grows by one a day; TensorFlow's header dates this one.
_PRODUCER, _ITS_DAY = 440, datetime.date(2020, 6, 22)
_FIRST_DAILY = 100
_MOST_NAMES = 3


@dataclasses.dataclass
class Finding:
    """A kind, and words about it."""

    kind: str
    text: str


def is_graph(path: pathlib.Path) -> bool:
    """Is it a file with a graph, or the folder of a SavedModel?"""
    if path.is_dir():
        return any((path / f"saved_model{s}").exists() for s in (".pb", ".pbtxt"))
    return path.suffix in SUFFIXES


def examine(path: pathlib.Path) -> tuple[str, list[Finding]]:
    """Returns (a line about the graphs in the file, what was found in them).

    Raises:
        ValueError: the file holds no graph.
        OSError: it cannot be read.
    """
    graphs = _read(path)
    found: list[Finding] = []
    for _, graph in graphs:
        found.extend(_findings(graph, path))
    made = ", ".join(dict.fromkeys(_made_by(version, g) for version, g in graphs))
    nodes = sum(sum(1 for _ in _nodes(g)) for _, g in graphs)
    found = list({(f.kind, f.text): f for f in found}.values())
    return f"{nodes} nodes, made by {made}", found


def _read(path: pathlib.Path) -> list[tuple[str, Any]]:
    """Returns (the version that wrote it or "", the GraphDef) of each graph in a file."""
    from google.protobuf import message, text_format

    from tensorwright.core.framework import graph_pb2
    from tensorwright.core.protobuf import meta_graph_pb2, saved_model_pb2

    if path.is_dir():
        path = next(p for p in sorted(path.glob("saved_model.pb*")))
    if path.name.startswith("saved_model."):
        kind: Any = saved_model_pb2.SavedModel
    else:
        is_meta = path.suffix == ".meta"
        kind = meta_graph_pb2.MetaGraphDef if is_meta else graph_pb2.GraphDef
    parsed = kind()
    data = path.read_bytes()
    try:
        if path.suffix == ".pbtxt":
            text_format.Parse(data.decode(), parsed)
        else:
            parsed.ParseFromString(data)
    except (message.DecodeError, text_format.ParseError, UnicodeDecodeError) as error:
        raise ValueError(f"no {kind.DESCRIPTOR.name}: {error}") from error
    metas = getattr(parsed, "meta_graphs", [parsed])
    graphs = [
        (m.meta_info_def.tensorflow_version, m.graph_def)
        if hasattr(m, "graph_def")
        else ("", m)
        for m in metas
    ]
    if not any(graph.node for _, graph in graphs):
        raise ValueError(f"a {kind.DESCRIPTOR.name} without a node")
    return graphs


def _made_by(version: str, graph: Any) -> str:
    producer = graph.versions.producer
    if version and version != "unknown":
        return f"TensorFlow {version} (producer {producer})"
    if producer < _FIRST_DAILY:
        return f"TensorFlow 1.x or earlier (producer {producer})"
    day = _ITS_DAY + datetime.timedelta(days=producer - _PRODUCER)
    return f"a TensorFlow of about {day:%B %Y} (producer {producer})"


def _nodes(graph: Any) -> Iterator[Any]:
    yield from graph.node
    for function in graph.library.function:
        yield from function.node_def


def _findings(graph: Any, path: pathlib.Path) -> Iterator[Finding]:
    known = {data["name"]: data for data in _pywrap.op_registrations()}
    functions = {f.signature.name for f in graph.library.function}
    without: dict[str, list[str]] = collections.defaultdict(list)
    kernels: dict[str, list[str]] = collections.defaultdict(list)
    devices: dict[str, list[str]] = collections.defaultdict(list)
    for node in _nodes(graph):
        if node.op in functions:
            continue
        if node.op not in known:
            without[node.op].append(node.name)
        elif why := _lacks_kernel(node, known[node.op]):
            kernels[why].append(node.name)
        if kind := unknown_device(node.device):
            devices[kind].append(node.name)
    for op, names in sorted(without.items()):
        similar = registry_dump.similar_ops(op)
        hint = f"; similar: {', '.join(similar)}" if similar else ""
        text = f"op {op}, which {_named(names)}: {_origin(op)}{hint}"
        yield Finding(MISSING, text)
    for why, names in sorted(kernels.items()):
        yield Finding(MISSING, f"{why}, which {_named(names)}")
    for kind, names in sorted(devices.items()):
        have = ", ".join(local_devices())
        yield Finding(
            DIFFERENT,
            f"device {kind} is none of this process ({have}): {_named(names)}; "
            "ConfigProto(allow_soft_placement=True) or import_meta_graph(clear_devices=True) places them here",
        )
    yield from _files(graph, known, path)


def _named(names: list[str]) -> str:
    shown = ", ".join(names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    rest = f" and {more} more" if more > 0 else ""
    plural = "s use" if len(names) > 1 else " uses"
    return f"{len(names)} node{plural} ({shown}{rest})"


# The names that TensorFlow 2.21 registers, for ops that are missing here.
_NAMES = pathlib.Path(__file__).parent / "ops_of_2_21.txt"


def _origin(op: str) -> str:
    if op in _NAMES.read_text().split():
        return "it came between TensorFlow 1.3 and 2.21"
    return "no op of TensorFlow 2.21, but of an op library (tf.load_op_library)"


def _lacks_kernel(node: Any, registration: Any) -> str:
    """Words about the types for which no CPU kernel of this op is registered; "" if one is."""
    from tensorwright.core.framework import op_def_pb2
    from tensorwright.python.framework import dtypes

    registered = _kernels(node.op)
    if not registered:
        return ""
    definition = op_def_pb2.OpDef.FromString(registration["op_def"])
    types = {
        a.name: node.attr[a.name] if a.name in node.attr else a.default_value
        for a in definition.attr
        if a.type == "type"
    }
    # The attr of a function's node may stand for one of the function.
    names = {
        name: dtypes.as_dtype(value.type).base_dtype.name
        for name, value in types.items()
        if value.type
    }
    for constraints in registered:
        if all(names.get(a, allowed[0]) in allowed for a, allowed in constraints):
            return ""
    text = ", ".join(f"{name}={value}" for name, value in names.items())
    return f"a CPU kernel of {node.op} for {text}"


@functools.cache
def _kernels(op: str) -> list[list[tuple[str, list[str]]]]:
    return [
        list(kernel["constraints"].items())
        for kernel in _pywrap.kernel_registrations(op)
        if kernel["device"] == "CPU"
    ]


@functools.cache
def local_devices() -> tuple[str, ...]:
    """The devices of this process: ("CPU:0",)."""
    from tensorwright.python.client import device_lib

    names = (device.name for device in device_lib.list_local_devices())
    return tuple(name.rpartition("device:")[2] for name in names)


def unknown_device(device: str) -> str:
    """The type and number of a device of this task that is not there; "" for others.

    "/gpu:0" and "/device:GPU:0" are one device.  A device of another task is there when its server is.
    """
    for part in device.lower().split("/"):
        words = part.split(":")
        if words[0] == "device":
            words = words[1:]
        elif words[0] in ("job", "replica", "task"):
            continue
        if words and words[0] and words[0] != "*":
            kinds = {d.partition(":")[0].lower() for d in local_devices()}
            if words[0] not in kinds:
                return ":".join([words[0].upper(), *words[1:]])
    return ""


def _files(graph: Any, known: Any, path: pathlib.Path) -> Iterator[Finding]:
    """The files that nodes read or write: their names, where constants give them."""
    nodes = {node.name: node for node in graph.node}
    unnamed: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for node in graph.node:
        touched = known.get(node.op, {"touches": ()})["touches"]
        if not {"files read", "files written"} & set(touched):
            continue
        kind = WRITES if any(w in node.op for w in ("Save", "Write")) else READS
        texts = [t for name in node.input for t in _texts(nodes, name)]
        # The names of tensors in a checkpoint are texts, too: the first input is the file.
        files = _texts(nodes, node.input[0]) if _is_checkpoint(node.op) else texts
        if not files:
            unnamed[kind, node.op].append(node.name)
        for file in files:
            yield Finding(
                kind, f"{file}{_there(file, path, kind)}, {node.op} {node.name}"
            )
    for (kind, op), names in unnamed.items():
        yield Finding(kind, f"a file that is named when it runs: {op}, {_named(names)}")


def _is_checkpoint(op: str) -> bool:
    return op.startswith(("Save", "Restore", "MergeV2"))


def _texts(nodes: dict[str, Any], name: str) -> list[str]:
    """The value of a constant of strings behind an input; none for anything else."""
    node = nodes.get(name.removeprefix("^").partition(":")[0])
    while node is not None and node.op == "Identity":
        node = nodes.get(node.input[0].partition(":")[0])
    if node is None or node.op != "Const" or name.startswith("^"):
        return []
    return [v.decode("utf-8", "replace") for v in node.attr["value"].tensor.string_val]


def _there(file: str, path: pathlib.Path, kind: str) -> str:
    """Says that a file to read is nowhere: as it is named, nor among the assets beside the graph."""
    if kind == WRITES or "://" in file:
        return ""
    folder = path if path.is_dir() else path.parent
    places: Iterable[pathlib.Path] = (
        pathlib.Path(file),
        folder / "assets" / pathlib.Path(file).name,
    )
    prefix = pathlib.Path(f"{file}.index")
    return "" if any(p.exists() for p in (*places, prefix)) else " (no such file here)"
