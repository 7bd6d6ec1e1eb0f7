# SPDX-License-Identifier: Apache-2.0
"""The risks of running a graph: it reaches outside, it takes memory or time; and other things that are worth knowing."""

from __future__ import annotations

import collections
import os
import pathlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from tensorwright.tools.tw import (
    doctor_graph,
    graph_bodies,
    inspect_faults,
    inspect_graph,
    inspect_needs,
    inspect_sizes,
)
from tensorwright.tools.tw.inspect_graph import (
    COSTLY,
    NOTE,
    OUTSIDE,
    Finding,
    Inspected,
)
from tensorwright.tools.tw.inspect_needs import Place

# As tf.Policy.sandbox() has it.
SANDBOX_TENSOR_BYTES = 1 << 30
# Calls of functions in one run, from which on they are told.
_MANY_CALLS = 1_000_000
# Steps that are told of a way to a function.
_LONGEST_WAY = 6
_MOST_OF_A_KIND = 100
_DOES = {
    "files read": "reads files",
    "files written": "writes or deletes files",
    "network": "reaches the network",
    "python": "calls Python functions of this process",
    "native code": "runs native code",
    "host": "sees or changes the process or the machine",
}
# Who needs a node, and words about that.
_IN_USE, _FOR_LOADING, _NOT_AT_ALL, _UNKNOWN = "use", "loading", "nothing", "unknown"
_NEEDED = {
    _IN_USE: "",
    _FOR_LOADING: "; only loading needs it",
    _NOT_AT_ALL: "; neither loading nor a signature needs it",
    _UNKNOWN: "",
}
_LOOPS = ("While", "StatelessWhile", "For")
# The inputs that are integers and decide no size.
_NO_SIZES = (
    *("indices", "images", "image", "input", "values", "data", "seed", "seed2"),
    *("grads", "segment_ids", "key", "counter", "alg", "index", "count", "axes"),
    *("boxes", "box_ind", "tensor", "labels", "a_indices", "reduction_axes"),
)
# The inputs whose numbers, multiplied, are the elements of the result.
_SHAPES = ("shape", "dims", "output_shape")


def findings(it: Inspected) -> list[Finding]:
    """The faults and risks of a graph, the worst first."""
    found = [*_outside(it), *inspect_faults.findings(it), *_costly(it), *_notes(it)]
    found.sort(key=lambda finding: inspect_graph.LEVELS.index(finding.level))
    return list(_capped(found))


def _capped(found: Iterable[Finding]) -> Iterator[Finding]:
    counted: collections.Counter[tuple[str, str]] = collections.Counter()
    for finding in found:
        key = (finding.level, finding.kind)
        counted[key] += 1
        if counted[key] <= _MOST_OF_A_KIND:
            yield finding
    for (level, kind), count in counted.items():
        if count > _MOST_OF_A_KIND:
            text = f"{count - _MOST_OF_A_KIND} more findings about: {kind}"
            yield Finding(level, kind, text)


# ---- Outside.


def _outside(it: Inspected) -> Iterator[Finding]:
    yield from _libraries(it)
    for kind, places in it.places.items():
        if kind in _DOES:
            yield from _reaches(it, kind, places)
    yield from _paths(it)


def _reaches(it: Inspected, kind: str, places: list[Place]) -> Iterator[Finding]:
    """The findings about one capability; a model's own saver, and the files that its loader reads, apart from others."""
    assets = {str(file) for file in it.assets.values()}
    own = {(u.function, u.node.name) for u in it.uses if u.file in assets}
    groups: dict[tuple[str, str], list[Place]] = {}
    quiet = [place for place in places if place.op in it.quiet_ops]
    if quiet:
        could = "write" if kind == "files written" else "read"
        text = (
            f"could {could} files, and opens none here: {inspect_graph.ops_text(quiet)}"
        )
        yield Finding(NOTE, kind, text, quiet)
    for place in places:
        if place.op in it.quiet_ops:
            continue
        needed = _needed(it, place)
        is_own = (place.function, place.node) in own or graph_bodies.is_checkpoint(
            place.op
        )
        is_usual = it.meta is not None and is_own and needed != _IN_USE
        groups.setdefault((NOTE if is_usual else OUTSIDE, needed), []).append(place)
    for (level, needed), group in groups.items():
        text = f"{_DOES[kind]}: {inspect_graph.ops_text(group)}"
        functions = list(dict.fromkeys(p.function for p in group if p.function))
        if functions:
            ways = [_way(it, f) for f in functions[:2]] + functions[2:]
            text += f"; reached by {inspect_graph.listed(ways, 2)}"
        yield Finding(level, kind, text + _NEEDED[needed], group)


def _needed(it: Inspected, place: Place) -> str:
    """Whether a node is in use, only for loading, or not at all; in use if nobody knows."""
    if len(it.purposes) < 2:
        is_loading = any(purpose.has(place) for purpose in it.purposes)
        return _FOR_LOADING if is_loading else _UNKNOWN
    purposes = it.purposes_of(place)
    if not purposes:
        return _NOT_AT_ALL
    return _FOR_LOADING if purposes == [inspect_needs.LOADING] else _IN_USE


def _way(it: Inspected, function: str) -> str:
    way = [inspect_graph.short(step) for step in it.calls.way(function)]
    if len(way) > _LONGEST_WAY:
        way[_LONGEST_WAY // 2 : -_LONGEST_WAY // 2] = ["..."]
    return " -> ".join(way) or "nothing in the graph"


def _libraries(it: Inspected) -> Iterator[Finding]:
    by_op: dict[str, list[Place]] = {}
    for body in it.bodies:
        for node in body.nodes:
            data = it.known.get(node.op)
            if data is not None and data["library"] and node.op not in it.functions:
                place = Place(node.name, node.op, body.function)
                by_op.setdefault(node.op, []).append(place)
    for op, places in sorted(by_op.items()):
        library = it.known[op]["library"]
        text = f"op {op} is the native code of {library}: {inspect_graph.nodes_text(places)}"
        yield Finding(OUTSIDE, "library", text, places)


def _paths(it: Inspected) -> Iterator[Finding]:
    """Files outside of the model's folder that constants name."""
    for use in it.uses:
        why = _why_outside(it, use.file)
        if not use.file or not why:
            continue
        does = "writes" if "files written" in use.touches else "reads"
        place = Place(use.node.name, use.node.op, use.function)
        text = f"{does} {use.file!r}, {why}: {use.node.op} ({inspect_graph.place_text(place)})"
        yield Finding(OUTSIDE, "path", text, [place])


def _why_outside(it: Inspected, file: str) -> str:
    if "://" in file:
        return "a file of another system"
    if any(it.assets[node] == pathlib.Path(file) for node in it.assets):
        folder = os.path.realpath(it.path)
        inside = os.path.realpath(file).startswith(folder + os.sep)
        return "" if inside else "an asset outside of the model's folder"
    if os.path.isabs(file):
        return "an absolute path"
    return "a path that leads upwards" if ".." in pathlib.PurePath(file).parts else ""


# ---- Memory and time.


def _costly(it: Inspected) -> Iterator[Finding]:
    yield from _loops(it)
    count = it.calls.count
    if count is not None and count >= _MANY_CALLS:
        text = f"one run may call functions {count:,} times, or more"
        yield Finding(COSTLY, "calls", text)
    yield from _large(it)
    yield from _memory(it)
    places = it.places.get("blocking", [])
    if places:
        text = (
            f"waits for what other nodes or runs do: {inspect_graph.ops_text(places)}"
        )
        yield Finding(NOTE, "blocking", text, places)


def _loops(it: Inspected) -> Iterator[Finding]:
    frames: dict[tuple[str, str], Place] = {}
    for body in it.bodies:
        for node in body.nodes:
            place = Place(node.name, node.op, body.function)
            if node.op in ("Enter", "RefEnter") and "frame_name" in node.attr:
                frame = node.attr["frame_name"].s.decode("utf-8", "backslashreplace")
                frames.setdefault((body.function, frame), place)
            elif node.op in _LOOPS:
                frames[body.function, node.name] = place
    if frames:
        loops = "1 loop runs" if len(frames) == 1 else f"{len(frames)} loops run"
        names = inspect_graph.listed(inspect_graph.short(name) for _, name in frames)
        text = f"{loops} as long as the data says (max_run_seconds ends it): {names}"
        yield Finding(COSTLY, "loop", text, list(frames.values()))


def _large(it: Inspected) -> Iterator[Finding]:
    """Constants and variables that a sandbox has no room for."""
    for constant in it.constants:
        if constant.size <= SANDBOX_TENSOR_BYTES:
            break
        place = Place(constant.node, "Const", constant.function)
        size = inspect_sizes.size_text(constant.size)
        stored = inspect_sizes.size_text(constant.stored)
        text = f"the constant {inspect_graph.place_text(place)} takes {size}, of which the file has {stored}"
        yield Finding(COSTLY, "constant", text, [place])
    for variable in it.variables:
        if (variable.size or 0) <= SANDBOX_TENSOR_BYTES:
            break
        place = Place(variable.node, "", variable.function)
        size = inspect_sizes.size_text(variable.size)
        text = f"the variable {inspect_graph.place_text(place)} takes {size}"
        yield Finding(COSTLY, "variable", text, [place])


def _memory(it: Inspected) -> Iterator[Finding]:
    """Nodes whose inputs decide how much memory they take, unless these are constants."""
    bodies = {body.function: body for body in it.bodies}
    by_value: list[Place] = []
    for place in it.places.get("unbounded memory", []):
        body = bodies[place.function]
        node = body.by_name.get(place.node)
        data = it.known.get(place.op)
        if node is None or data is None or node.op != place.op:
            by_value.append(place)
            continue
        sizes = _size_inputs(graph_bodies.op_def(data["op_def"]), node)
        values = [graph_bodies.constant(body, text) for _, text in sizes]
        if not sizes or any(value is None for value in values):
            by_value.append(place)
            continue
        for (arg, _), value in zip(sizes, values, strict=True):
            elements = _product(value) if arg in _SHAPES else None
            if elements is not None and elements > SANDBOX_TENSOR_BYTES:
                text = f"{place.op} {inspect_graph.place_text(place)} asks for {elements:,} elements"
                yield Finding(COSTLY, "memory", text, [place])
    groups: dict[str, list[Place]] = {}
    for place in by_value:
        # A file of the model is as large as it is.
        if it.meta is None or not graph_bodies.is_checkpoint(place.op):
            groups.setdefault(_needed(it, place), []).append(place)
    for needed, places in groups.items():
        level = NOTE if needed in (_NOT_AT_ALL, _FOR_LOADING) else COSTLY
        ops = inspect_graph.ops_text(places)
        text = f"values, or the number of calls, decide how much memory they take: {ops}{_NEEDED[needed]}"
        yield Finding(level, "memory", text, places)


def _size_inputs(definition: Any, node: Any) -> list[tuple[str, str]]:
    """(argument, input) of the integers that decide the size of a node's results."""
    places = graph_bodies.places_of_args(definition.input_arg, node) or {}
    found = []
    for arg in definition.input_arg:
        number = arg.type
        if arg.type_attr and arg.type_attr in node.attr:
            number = node.attr[arg.type_attr].type
        is_integer = doctor_graph.dtype_name(number) in ("int32", "int64")
        if is_integer and arg.name not in _NO_SIZES:
            inputs = (p for p in places.get(arg.name, ()) if p < len(node.input))
            found.extend((arg.name, node.input[p]) for p in inputs)
    return found


def _product(tensor: Any) -> int | None:
    """The product of the integers in a tensor; None if it has none, or has them in a way that is not valid."""
    dims = inspect_sizes.shape_of(tensor.tensor_shape)
    count = None if dims is None else inspect_sizes.elements(dims)
    dtype = doctor_graph.dtype_name(tensor.dtype)
    if count is None or count > 254 or dtype not in ("int32", "int64"):
        return None
    content = tensor.tensor_content
    if content:
        if len(content) != count * np.dtype(dtype).itemsize:
            return None
        numbers = [int(n) for n in np.frombuffer(content, dtype)]
    else:
        numbers = list(tensor.int_val or tensor.int64_val)
        # The last stands for all that follow.
        numbers += numbers[-1:] * (count - len(numbers))
    product = 1
    for number in numbers:
        product *= number
    return product if product > 0 and numbers else None


# ---- Notes.


def _notes(it: Inspected) -> Iterator[Finding]:
    yield from _missing_files(it)
    yield from _checkpoint(it)
    yield from _devices(it)
    for token, places in _tokens(it).items():
        text = f"calls the Python function {inspect_graph.short(token)!r}, which no other process has: {inspect_graph.nodes_text(places)}"
        yield Finding(inspect_graph.BROKEN, "python", text, places)
    idle = [b.function for b in it.bodies[1:] if not it.calls.is_reached(b.function)]
    if idle:
        names = inspect_graph.listed(map(inspect_graph.short, idle))
        text = f"nothing in the graph calls {inspect_graph.counted(len(idle), 'function')}: {names}"
        yield Finding(NOTE, "function", text)


def _tokens(it: Inspected) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for body in it.bodies:
        for node in body.nodes:
            if node.op.startswith("PyFunc") and "token" in node.attr:
                token = node.attr["token"].s.decode("utf-8", "backslashreplace")
                place = Place(node.name, node.op, body.function)
                found.setdefault(token, []).append(place)
    return found


def _missing_files(it: Inspected) -> Iterator[Finding]:
    for file in dict.fromkeys(it.assets.values()):
        if not doctor_graph.exists(file):
            text = f"the asset {str(file)!r} is not there"
            yield Finding(inspect_graph.BROKEN, "asset", text)
    for use in it.uses:
        is_asset = any(str(file) == use.file for file in it.assets.values())
        if "files read" not in use.touches or not use.file or is_asset:
            continue
        if use.has_parts or doctor_graph.is_there(use.file, it.path):
            continue
        place = Place(use.node.name, use.node.op, use.function)
        text = f"the file {use.file!r} is not there: {use.node.op} ({inspect_graph.place_text(place)})"
        yield Finding(NOTE, "file", text, [place])


def _checkpoint(it: Inspected) -> Iterator[Finding]:
    if it.checkpoint_error:
        text = f"the checkpoint beside it cannot be read: {it.checkpoint_error}"
        yield Finding(inspect_graph.BROKEN, "variable", text)
    elif it.checkpoint is None and it.path.is_dir() and it.variables:
        text = f"no checkpoint beside the graph has values for {inspect_graph.counted(len(it.variables), 'variable')}"
        yield Finding(inspect_graph.BROKEN, "variable", text)
    if it.checkpoint is None:
        return
    by_answer: dict[str, list[Place]] = {}
    for variable in it.variables:
        if variable.in_checkpoint != "yes":
            place = Place(variable.node, "", variable.function)
            by_answer.setdefault(variable.in_checkpoint, []).append(place)
    for answer, places in by_answer.items():
        names = inspect_graph.listed(map(inspect_graph.place_text, places))
        if answer == "missing":
            text = f"the checkpoint lacks {inspect_graph.counted(len(places), 'variable')}: {names}"
        else:
            text = f"the checkpoint {answer} for {names}"
        yield Finding(inspect_graph.BROKEN, "variable", text, places)


def _devices(it: Inspected) -> Iterator[Finding]:
    lacking: dict[str, list[Place]] = {}
    tasks: dict[str, list[Place]] = {}
    for body in it.bodies:
        for node in body.nodes:
            if not node.device:
                continue
            place = Place(node.name, node.op, body.function)
            if kind := doctor_graph.unknown_device(node.device):
                lacking.setdefault(kind, []).append(place)
            elif "/job:" in node.device and "/job:localhost" not in node.device:
                tasks.setdefault(node.device, []).append(place)
    for kind, places in sorted(lacking.items()):
        have = ", ".join(doctor_graph.local_devices())
        text = (
            f"asks for device {inspect_graph.short(kind)}, which this process does not have ({have}): "
            f"{inspect_graph.nodes_text(places)}; allow_soft_placement=True places them here"
        )
        yield Finding(NOTE, "device", text, places)
    for device, places in sorted(tasks.items()):
        text = f"asks for a device of a cluster, {inspect_graph.short(device)}: {inspect_graph.nodes_text(places)}"
        yield Finding(NOTE, "device", text, places)
