# SPDX-License-Identifier: Apache-2.0
"""A GraphDef as what `tw doctor` and `tw inspect` ask of it: bodies, the ends of edges, constants, calls of functions, files.

All of it is read as text: a graph from a stranger may name nodes that do not exist, be cyclic, or nest as deep as it likes.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any

from tensorwright.python import _pywrap

# They have the value of their first input.
_PASSES_ON = ("Identity", "Snapshot", "StopGradient")
_GRADIENT_OP = "SymbolicGradient"
# The inputs and attrs by which ops name files.
_FILE_INPUTS = (
    "filename",
    "filenames",
    "file_pattern",
    "pattern",
    "prefix",
    "path",
    "logdir",
    "ckpt_path",
    "new_vocab_file",
    "old_vocab_file",
    "checkpoint_prefixes",
    "destination_prefix",
)
_FILE_ATTRS = ("filename", "file_pattern", "vocab_file", "memory_region_name")
# These may name a file by a URL, or something else: stderr, grpc://localhost.
_URL_ATTRS = ("output_stream", "debug_urls")
# Stands for the name of a function that has none; nothing can call it.
UNNAMED = "(without a name)"
FILE_TOUCHES = ("files read", "files written")


@dataclasses.dataclass
class Body:
    """The nodes of a graph, or of one of its functions.

    Attributes:
        function: the function's name; "" for the graph.
        nodes: the NodeDefs.
        args: the names of the function's arguments.
    """

    function: str
    nodes: Any
    args: list[str] = dataclasses.field(default_factory=list)

    @functools.cached_property
    def by_name(self) -> dict[str, Any]:
        """The node of each name; the last, where several have it."""
        return {node.name: node for node in self.nodes}


def bodies(graph: Any) -> list[Body]:
    """The graph's own nodes, and each function of its library."""
    found = [Body("", graph.node)]
    for function in graph.library.function:
        signature = function.signature
        args = [arg.name for arg in signature.input_arg]
        # "" would be the graph itself.
        found.append(Body(signature.name or UNNAMED, function.node_def, args))
    return found


def split_input(text: str) -> tuple[str, int]:
    """The node and the output that an input names; -1 for a control input.

    "a:2" is ("a", 2), and so is "a:product:2", as functions write it.
    """
    if text.startswith("^"):
        return text[1:], -1
    name, _, rest = text.partition(":")
    port = rest.rpartition(":")[2]
    is_number = port.isascii() and port.isdecimal() and len(port) < 10
    return name, int(port) if is_number else 0


def source(body: Body, text: str) -> tuple[Any, int] | None:
    """The node, and its output, whose value an input has; None for a control input, an argument and what is not there."""
    seen: set[str] = set()
    while True:
        name, port = split_input(text)
        node = body.by_name.get(name)
        if node is None or port < 0:
            return None
        if node.op not in _PASSES_ON or not node.input or name in seen:
            return node, port
        seen.add(name)
        text = node.input[0]


def argument(body: Body, text: str) -> int | None:
    """The place of the function's argument whose value an input has; None if it has none of that."""
    seen: set[str] = set()
    while True:
        name, port = split_input(text)
        if port >= 0 and name in body.args:
            return body.args.index(name)
        node = body.by_name.get(name)
        if node is None or node.op not in _PASSES_ON or not node.input or name in seen:
            return None
        seen.add(name)
        text = node.input[0]


def constant(body: Body, text: str) -> Any | None:
    """The TensorProto of the constant behind an input, or None."""
    found = source(body, text)
    if found is None or found[0].op != "Const":
        return None
    value = found[0].attr["value"] if "value" in found[0].attr else None
    return value.tensor if value is not None and value.HasField("tensor") else None


def texts(body: Body, name: str) -> list[str]:
    """The value of a constant of strings behind an input; none for anything else."""
    tensor = constant(body, name)
    if tensor is None:
        return []
    return [value.decode("utf-8", "backslashreplace") for value in tensor.string_val]


# ---- Registrations.


def registrations(graph: Any) -> dict[str, dict[str, Any]]:
    """The registrations of the ops that a graph's nodes, and its functions, are called like; without those that are not there."""
    names = {node.op for body in bodies(graph) for node in body.nodes}
    names |= {function.signature.name for function in graph.library.function}
    found = {}
    for name in names:
        try:
            found[name] = _pywrap.op_registration(name)
        except KeyError:
            continue  # A function's, or nobody's.
    return found


@functools.cache
def op_def(serialized: bytes) -> Any:
    """The OpDef of a registration, `data["op_def"]`; do not change it."""
    from tensorwright.core.framework import op_def_pb2

    return op_def_pb2.OpDef.FromString(serialized)


# ---- Arguments.


def places_of_args(args: Any, node: Any) -> dict[str, range] | None:
    """The places that each argument of a list (OpDef.input_arg, .output_arg) has among the inputs or outputs of a node.

    None if the node's attrs do not say how many there are.
    """
    places: dict[str, range] = {}
    at = 0
    for arg in args:
        count = 1
        if arg.number_attr or arg.type_list_attr:
            name = arg.number_attr or arg.type_list_attr
            if name not in node.attr:
                return None
            value = node.attr[name]
            field = "i" if arg.number_attr else "list"
            if value.WhichOneof("value") != field:
                return None
            count = value.i if arg.number_attr else len(value.list.type)
        if count < 0:
            return None
        places[arg.name] = range(at, at + count)
        at += count
    return places


# ---- Functions.


class Library:
    """The functions of a graph by name, and which of them a node may call."""

    def __init__(self, graph: Any):
        self.functions = {
            f.signature.name or UNNAMED: f for f in graph.library.function
        }
        pairs = ((g.function_name, g.gradient_func) for g in graph.library.gradient)
        self.gradients = {f: g for f, g in pairs if g in self.functions}

    def named_by(self, node: Any) -> tuple[list[str], bool]:
        """The functions that a node may call: its op, those in its attrs and in their attrs, gradients that it asks for.

        Returns:
            (names, whether it asks for the gradient of a function that its caller chooses, which may be any).
        """
        if not self.functions:
            return [], False
        found: dict[str, None] = {}
        is_any = False
        left = [(node.op, node.attr)]
        while left:
            name, attrs = left.pop()
            if name in self.functions:
                found[name] = None
            for value in attrs.values():
                left.extend((f.name, f.attr) for f in _functions_in(value))
            if name == _GRADIENT_OP:
                given = attrs["f"].func.name if "f" in attrs else ""
                is_any = is_any or not given
                if given in self.gradients:
                    found[self.gradients[given]] = None
        return list(found), is_any

    def named_by_defaults(self, function: str) -> list[str]:
        """The functions that the attrs of a function name where its caller does not."""
        found = []
        for attr in self.functions[function].signature.attr:
            for value in _functions_in(attr.default_value):
                found.extend(n for n in (value.name,) if n in self.functions)
        return found


def _functions_in(value: Any) -> list[Any]:
    which = value.WhichOneof("value")
    if which == "func":
        return [value.func]
    return list(value.list.func) if which == "list" else []


# ---- Files.

# The texts behind an input of a body, each with the node of its constant, and whether these are all.
_Read = Callable[[Body, str], tuple[dict[str, str], bool]]


@dataclasses.dataclass
class FileUse:
    """A file that a node opens.

    Attributes:
        touches: "files read", "files written" or both.
        file: its name, where a constant gives it; "" for one that is named when the node runs.
        constant: the node of that constant; "" for the name in an attr.
        node: the NodeDef.
        function: the function in which the node is; "" for the graph.
        has_parts: the name is the prefix of several files, or a pattern.
    """

    touches: tuple[str, ...]
    file: str
    node: Any
    function: str
    constant: str = ""
    has_parts: bool = False


def file_uses(
    body: Body, known: dict[str, Any], read: _Read | None = None
) -> Iterator[FileUse]:
    """The files that the nodes of a body open; a node that opens none gives none.

    `known` has the registrations by name.  `read(body, input)` returns the texts behind an input and whether these are all
    that it can have; constants of the body alone are looked for without it.
    """
    read = _constants_of if read is None else read
    for node in body.nodes:
        touched = known.get(node.op, {"touches": ()})["touches"]
        touches = tuple(kind for kind in FILE_TOUCHES if kind in touched)
        if not touches:
            continue
        names, is_told = _names_of_files(body, node, known[node.op], read)
        parts = "pattern" in node.op.lower() or node.op == "MatchingFiles"
        parts = parts or is_checkpoint(node.op)
        for name, by in names.items():
            has_parts = parts or any(c in name for c in "*?[")
            yield FileUse(touches, name, node, body.function, by, has_parts)
        if not is_told:
            yield FileUse(touches, "", node, body.function)


def _constants_of(body: Body, text: str) -> tuple[dict[str, str], bool]:
    found = source(body, text)
    name = "" if found is None else found[0].name
    given = dict.fromkeys(texts(body, text), name)
    return given, bool(given)


def is_checkpoint(op: str) -> bool:
    """Does the op read or write a checkpoint, whose name is the beginning of those of its files?"""
    return op.startswith(("Save", "Restore", "MergeV2")) and op != "SaveDataset"


def _names_of_files(
    body: Body, node: Any, data: Any, read: _Read
) -> tuple[dict[str, str], bool]:
    """The names that constants and attrs give, each with its constant's node, and whether these are all."""
    definition = op_def(data["op_def"])
    names: dict[str, str] = {}
    is_told = True
    some = False  # Does any argument name a file?
    places = places_of_args(definition.input_arg, node) or {}
    for arg in definition.input_arg:
        if arg.name not in _FILE_INPUTS:
            continue
        some = True
        for place in places.get(arg.name, range(0)):
            text = node.input[place] if place < len(node.input) else ""
            found, are_all = read(body, text)
            is_told = is_told and are_all
            names.update(found)
        is_told = is_told and arg.name in places
    for attr in definition.attr:
        some = some or attr.name in _FILE_ATTRS or attr.name in _URL_ATTRS
        if attr.name not in node.attr:
            continue
        value = node.attr[attr.name]
        given = [
            text.decode("utf-8", "backslashreplace")
            for text in (value.s, *value.list.s)
        ]
        if attr.name in _FILE_ATTRS:
            names.update(dict.fromkeys(given, ""))
        elif attr.name in _URL_ATTRS:
            urls = [url for url in given if url.startswith("file://")]
            names.update({url.removeprefix("file://"): "" for url in urls})
    # An empty name is none: CacheDataset then keeps its elements in memory.
    names.pop("", None)
    return names, is_told and some
