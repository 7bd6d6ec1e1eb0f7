# SPDX-License-Identifier: Apache-2.0
"""`tw doctor` on a graph: the ops, kernels, devices and files that it wants, read from a GraphDef, MetaGraphDef or SavedModel."""

from __future__ import annotations

import collections
import dataclasses
import functools
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.tools.tw import graph_bodies, graph_file, registry_dump

MISSING, DIFFERENT, READS, WRITES = "missing", "different", "reads", "writes"
_MOST_NAMES = 3
# Names like those of missing ops are looked for this often, and for names of that length: more is no help.
_MOST_SIMILAR, _LONGEST_SIMILAR = 20, 60


@dataclasses.dataclass
class Finding:
    """A kind, and words about it."""

    kind: str
    text: str


def examine(path: pathlib.Path) -> tuple[str, list[Finding]]:
    """Returns (a line about the graphs in the file, what was found in them).

    Raises:
        ValueError: the file holds no graph.
        OSError: it cannot be read.
    """
    graphs = graph_file.read(path).graphs
    found: list[Finding] = []
    for item in graphs:
        found.extend(_findings(item.graph, path))
    made = ", ".join(
        dict.fromkeys(graph_file.made_by(item.version, item.graph) for item in graphs)
    )
    nodes = sum(sum(1 for _ in graph_file.nodes(item.graph)) for item in graphs)
    found = list({(f.kind, f.text): f for f in found}.values())
    return f"{nodes} nodes, made by {made}", found


def _findings(graph: Any, path: pathlib.Path) -> Iterator[Finding]:
    known = graph_bodies.registrations(graph)
    functions = {f.signature.name for f in graph.library.function}
    without: dict[str, list[str]] = collections.defaultdict(list)
    kernels: dict[str, list[str]] = collections.defaultdict(list)
    devices: dict[str, list[str]] = collections.defaultdict(list)
    for node in graph_file.nodes(graph):
        if node.op in functions:
            continue
        if node.op not in known:
            without[node.op].append(node.name)
        elif why := lacks_kernel(node, known[node.op]):
            kernels[why].append(node.name)
        if kind := unknown_device(node.device):
            devices[kind].append(node.name)
    similar = similar_ops(sorted(without))
    for op, names in sorted(without.items()):
        hint = f"; similar: {', '.join(similar[op])}" if similar[op] else ""
        text = f"op {op}, which {_named(names)}: {origin(op)}{hint}"
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


def origin(op: str) -> str:
    """Words about where an op that is missing here comes from."""
    if op in _later_names():
        return "it came between TensorFlow 1.3 and 2.21"
    return "no op of TensorFlow 2.21, but of an op library (tf.load_op_library)"


@functools.cache
def _later_names() -> frozenset[str]:
    return frozenset(_NAMES.read_text().split())


def similar_ops(missing: Iterable[str]) -> dict[str, list[str]]:
    """The registered ops with names like those of missing ones: name -> names; none for very long or very many of them."""
    found: dict[str, list[str]] = {}
    missing = list(missing)
    names = registry_dump.public_names() if missing else []
    left = _MOST_SIMILAR
    for op in missing:
        is_asked = left > 0 and len(op) <= _LONGEST_SIMILAR
        left -= is_asked
        found[op] = registry_dump.similar_ops(op, names) if is_asked else []
    return found


def lacks_kernel(node: Any, registration: Any) -> str:
    """Words about the types for which no CPU kernel of this op is registered; "" if one is."""
    registered = _kernels(node.op)
    if not registered:
        return ""
    definition = graph_bodies.op_def(registration["op_def"])
    types = {
        a.name: node.attr[a.name] if a.name in node.attr else a.default_value
        for a in definition.attr
        if a.type == "type"
    }
    # The attr of a function's node may stand for one of the function.
    names = {n: dtype_name(value.type) for n, value in types.items() if value.type}
    for constraints in registered:
        if all(names.get(a, allowed[0]) in allowed for a, allowed in constraints):
            return ""
    text = ", ".join(f"{name}={value}" for name, value in names.items())
    return f"a CPU kernel of {node.op} for {text}"


@functools.cache
def dtype_name(number: int) -> str:
    """`float32` of 1, also of its reference type; `type 99` of a number that stands for none."""
    from tensorwright.python.framework import dtypes

    try:
        return dtypes.as_dtype(number).base_dtype.name
    except TypeError:
        return f"type {number}"


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
    unnamed: dict[tuple[str, str], list[str]] = collections.defaultdict(list)
    for body in graph_bodies.bodies(graph):
        for use in graph_bodies.file_uses(body, known):
            kind = WRITES if "files written" in use.touches else READS
            if not use.file:
                unnamed[kind, use.node.op].append(use.node.name)
                continue
            missing = kind == READS and not is_there(use.file, path)
            there = " (no such file here)" if missing else ""
            text = f"{use.file}{there}, {use.node.op} {use.node.name}"
            yield Finding(kind, text)
    for (kind, op), names in unnamed.items():
        yield Finding(kind, f"a file that is named when it runs: {op}, {_named(names)}")


def is_there(file: str, path: pathlib.Path) -> bool:
    """Is a file that the graph at `path` reads there: as it is named, or among the assets beside the graph?

    Of files of another system, as gs://, nobody knows; they count as being there.
    """
    if "://" in file:
        return True
    folder = path if path.is_dir() else path.parent
    places = (
        pathlib.Path(file),
        folder / "assets" / pathlib.Path(file).name,
        pathlib.Path(f"{file}.index"),
    )
    return any(map(exists, places))


def exists(path: pathlib.Path) -> bool:
    """Is there a file or folder of that name, which may be one that no file can have?"""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False
