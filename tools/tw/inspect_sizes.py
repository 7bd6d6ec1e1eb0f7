# SPDX-License-Identifier: Apache-2.0
"""The sizes in a graph: of its constants, of its variables, and whether a checkpoint has each of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from tensorwright.tools.tw import checkpoint, doctor_graph, graph_bodies, inspect_calls

VARIABLE_OPS = ("Variable", "VariableV2", "VarHandleOp")
_ASSIGNS = ("Assign", "AssignVariableOp")
_RESTORES = ("Restore", "RestoreSlice", "RestoreV2")
_MOST_DIMS = 254
_MOST_ELEMENTS = (1 << 63) - 1
# The field of a TensorProto that has the values of a dtype, and how many an element takes.
_FIELDS = {
    "float32": ("float_val", 1),
    "float64": ("double_val", 1),
    "float16": ("half_val", 1),
    "bfloat16": ("half_val", 1),
    "string": ("string_val", 1),
    "complex64": ("scomplex_val", 2),
    "complex128": ("dcomplex_val", 2),
    "int64": ("int64_val", 1),
    "bool": ("bool_val", 1),
    "uint32": ("uint32_val", 1),
    "uint64": ("uint64_val", 1),
    **dict.fromkeys(("int8", "int16", "int32", "uint8", "uint16"), ("int_val", 1)),
    **dict.fromkeys(("qint8", "quint8", "qint16", "quint16", "qint32"), ("int_val", 1)),
}
_HANDLES = {"resource": "resource_handle_val", "variant": "variant_val"}


@dataclasses.dataclass
class Constant:
    """A tensor in an attr of a node.

    Attributes:
        node: the node's name.
        function: the function in which it is; "" for the graph.
        attr: the attr's name; "value" of a Const.
        dtype: the dtype's name.
        shape: the declared shape; None if it is not known or too long.
        size: the bytes that it has in memory by dtype and shape, of strings those of their texts.
        stored: its bytes in the file.
        fault: why it is no valid tensor; "" if it is one.
    """

    node: str
    function: str
    attr: str
    dtype: str
    shape: list[int] | None
    size: int
    stored: int
    fault: str = ""


@dataclasses.dataclass
class Variable:
    """A variable.

    Attributes:
        node: the node's name.
        function: the function in which it is made; "" for the graph.
        dtype: the dtype's name.
        shape: None if it is not known, -1 for a size that is not.
        size: its bytes; None if the shape does not say.
        key: what a checkpoint calls it.
        is_whole: it is no slice of what the checkpoint has by that key.
        in_checkpoint: "yes", "missing", or how dtype or shape differ; "" without a checkpoint.
    """

    node: str
    function: str
    dtype: str
    shape: list[int] | None
    size: int | None
    key: str
    is_whole: bool = True
    in_checkpoint: str = ""


def elements(dims: list[int]) -> int | None:
    """The product of sizes; None if it has more than 63 bits or a size is negative."""
    if any(d < 0 for d in dims):
        return None
    if 0 in dims:
        return 0
    count = 1
    for size in dims:
        count *= size
        if count > _MOST_ELEMENTS:
            return None
    return count


def shape_of(shape: Any) -> list[int] | None:
    """The sizes of a TensorShapeProto, -1 where one is not known; None for an unknown rank, or one that no tensor has."""
    if shape.unknown_rank or len(shape.dim) > _MOST_DIMS:
        return None
    return [dim.size for dim in shape.dim]


def itemsize(dtype: str) -> int:
    """The bytes of an element; 0 for what has no fixed size."""
    from tensorwright.python.framework import dtypes

    if dtype not in _FIELDS or dtype == "string":
        return 0
    return dtypes.as_dtype(dtype).size


# ---- Constants.


def constants(bodies: list[graph_bodies.Body]) -> Iterator[Constant]:
    """Every tensor in an attr of a node."""
    for body in bodies:
        for node in body.nodes:
            for attr, value in node.attr.items():
                which = value.WhichOneof("value")
                if which not in ("tensor", "list"):
                    continue
                tensors = [value.tensor] if which == "tensor" else value.list.tensor
                for tensor in tensors:
                    yield _constant(body, node, attr, tensor)


def _constant(body: Any, node: Any, attr: str, tensor: Any) -> Constant:
    dtype = doctor_graph.dtype_name(tensor.dtype)
    shape = shape_of(tensor.tensor_shape)
    made = Constant(node.name, body.function, attr, dtype, shape, 0, tensor.ByteSize())
    if dtype in _HANDLES:
        if getattr(tensor, _HANDLES[dtype]):
            made.fault = f"it holds a {dtype}, which only a running process can make"
        return made
    if dtype not in _FIELDS:
        made.fault = f"no constant can have the dtype {dtype}"
        return made
    count = None if shape is None else elements(shape)
    if count is None:
        made.fault = f"no tensor can have the shape {shape_text(shape)}"
        return made
    made.size = count * itemsize(dtype)
    if dtype == "string":
        made.size = sum(len(text) for text in tensor.string_val)
    made.fault = _misfit(tensor, dtype, count)
    return made


def _misfit(tensor: Any, dtype: str, count: int) -> str:
    """Why the values of a tensor are not those of its shape; "" if they are."""
    field, parts = _FIELDS[dtype]
    given = len(getattr(tensor, field))
    if tensor.tensor_content:
        have, want = len(tensor.tensor_content), count * itemsize(dtype)
        if dtype != "string" and have != want:
            return f"its shape asks for {want} bytes, and it has {have}"
        return ""
    # The last value stands for all that follow.
    if given > count * parts:
        return f"its shape asks for {count} values, and it has {given // parts}"
    return ""


def shape_text(shape: list[int] | None) -> str:
    """`[?, 3]`, or "of any rank"."""
    if shape is None:
        return "of any rank"
    sizes = ("?" if size == -1 else str(size) for size in shape[:12])
    return f"[{', '.join(sizes)}{', ...' if len(shape) > 12 else ''}]"


# ---- Variables.


def variables(
    bodies: list[graph_bodies.Body], calls: inspect_calls.Calls
) -> list[Variable]:
    """The variables of a graph, with what its own nodes that restore them call them."""
    keys = _keys(bodies, calls)
    found = []
    for body in bodies:
        for node in body.nodes:
            if node.op not in VARIABLE_OPS:
                continue
            attr = node.attr
            dtype = doctor_graph.dtype_name(
                attr["dtype"].type if "dtype" in attr else 0
            )
            shape = shape_of(attr["shape"].shape) if "shape" in attr else None
            count = None if shape is None else elements(shape)
            size = None if count is None else count * itemsize(dtype)
            key, is_whole = keys.get((body.function, node.name), (node.name, True))
            made = Variable(node.name, body.function, dtype, shape, size, key, is_whole)
            found.append(made)
    return found


def _keys(
    bodies: list[graph_bodies.Body], calls: inspect_calls.Calls
) -> dict[tuple[str, str], tuple[str, bool]]:
    """(function, node) of a variable -> (its name in checkpoints, whether it is all that they have by that name)."""
    callers = _callers(bodies[0], calls)
    found: dict[tuple[str, str], tuple[str, bool]] = {}
    for body in bodies:
        for node in body.nodes:
            if node.op not in _ASSIGNS or len(node.input) < 2:
                continue
            key = _restored(body, node.input[1])
            if key is None:
                continue
            variable = graph_bodies.source(body, node.input[0])
            if variable is not None:
                found.setdefault((body.function, variable[0].name), key)
            for at in _from_callers(body, node.input[0], callers):
                found.setdefault(("", at), key)
    return found


def _callers(graph: graph_bodies.Body, calls: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for node in graph.nodes:
        for name in calls.library.named_by(node)[0]:
            found.setdefault(name, []).append(node)
    found["(the graph)"] = [graph]
    return found


def _from_callers(body: Any, text: str, callers: dict[str, list[Any]]) -> Iterator[str]:
    """The nodes of the graph that nodes which call this function give it for an argument."""
    name, _ = graph_bodies.split_input(text)
    if name not in body.args:
        return
    place = body.args.index(name)
    (graph,) = callers["(the graph)"]
    for node in callers.get(body.function, ()):
        if place < len(node.input):
            given = graph_bodies.source(graph, node.input[place])
            if given is not None:
                yield given[0].name


def _restored(body: graph_bodies.Body, text: str) -> tuple[str, bool] | None:
    """The name by which a node restores the value behind an input, and whether it is no slice; None if none does."""
    found = graph_bodies.source(body, text)
    if found is None or found[0].op not in _RESTORES or len(found[0].input) < 2:
        return None
    node, port = found
    names = graph_bodies.texts(body, node.input[1])
    if port >= len(names):
        return None
    slices = graph_bodies.texts(body, node.input[2]) if len(node.input) > 2 else []
    return names[port], not (port < len(slices) and slices[port])


# ---- Checkpoints.


@dataclasses.dataclass
class Checkpoint:
    """The tensors of a checkpoint.

    Attributes:
        path: its prefix.
        shapes: name -> shape.
        dtypes: name -> name of the dtype.
    """

    path: str
    shapes: dict[str, list[int]]
    dtypes: dict[str, str]

    @classmethod
    def read(cls, path: str) -> Checkpoint:
        """Reads the names, dtypes and shapes, and no values.

        Raises:
            errors.OpError: it cannot be read.
        """
        from tensorwright.python.training import checkpoint_utils

        reader = checkpoint_utils.NewCheckpointReader(path)
        dtypes = {
            n: d.base_dtype.name for n, d in reader.get_variable_to_dtype_map().items()
        }
        return cls(path, reader.get_variable_to_shape_map(), dtypes)

    def size(self, name: str) -> int | None:
        """The bytes of a tensor; None of strings, and where the shape is not valid."""
        count = elements(self.shapes[name])
        item = itemsize(self.dtypes[name])
        return count * item if count is not None and item else None

    def compare(self, found: list[Variable]) -> list[str]:
        """Sets what the checkpoint says of each variable; returns the tensors that belong to none."""
        for variable in found:
            variable.in_checkpoint = self._said(variable)
        keys = {variable.key for variable in found}
        return sorted(name for name in self.shapes if name not in keys)

    def _said(self, variable: Variable) -> str:
        if variable.key not in self.shapes:
            return "missing"
        dtype, shape = self.dtypes[variable.key], self.shapes[variable.key]
        if dtype != variable.dtype:
            return f"has {dtype}"
        mine = variable.shape
        if mine is None or not variable.is_whole:
            return "yes"
        fits = len(mine) == len(shape) and all(
            m in (-1, s) for m, s in zip(mine, shape, strict=True)
        )
        return "yes" if fits else f"has the shape {shape_text(shape)}"


def size_text(size: int | None) -> str:
    """`31.4 kB`; "of unknown size" of None."""
    return "of unknown size" if size is None else checkpoint.size_text(size)
