# SPDX-License-Identifier: Apache-2.0
"""tf.train.do_quantize_training_on_graphdef: roundings in front of products and convolutions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, errors, tensor_util
from tensorwright.python.util.lazy_protos import graph_pb2

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.framework.node_def_pb2 import NodeDef

__all__ = ["do_quantize_training_on_graphdef"]

# Ops whose first two inputs are rounded.
_LAYERS = ("Conv2D", "MatMul")
_FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
_LEAST_BITS, _MOST_BITS = 1, 63
# Op -> the range of its values, if the op says it: None for an end that it leaves open.
_RANGES: dict[str, tuple[float | None, float | None]] = {
    "Relu": (0.0, None),
    "Relu6": (0.0, 6.0),
    "Sigmoid": (0.0, 1.0),
    "Tanh": (-1.0, 1.0),
}
# Ops that count as having the range of their first input.
_SAME_RANGE = ("AvgPool", "ConcatV2", "Identity", "MaxPool", "Reshape")
_DECAY = 0.999
_GRADIENTS = re.compile(r"gradients(_\d+)?$")


def do_quantize_training_on_graphdef(input_graph: GraphDef, num_bits: int) -> GraphDef:
    """A copy of a graph whose products and convolutions compute with rounded numbers, as integers of few bits have them.

    Each float operand of a MatMul or Conv2D goes through a QuantizeAndDequantizeV2: numbers of 0 and above use the whole
    range of an unsigned integer, others that of a signed one.  If the op before tells the range (Relu6, Sigmoid, Tanh,
    also by way of an Identity, Reshape, pool or, for its first part, concatenation), that is used.  Else two variables,
    named after the operand, keep a moving average of its least and largest number, which every run updates; the first
    run sets them, so they need no initializer.  Savers of the graph save and restore them.  In a loop the range is that
    of each round.  Gradients pass the roundings as if they were not there; what computes gradients in the graph
    (operations in a scope "gradients") stays as it is.

    Args:
        input_graph: a GraphDef; it is not changed.
        num_bits: how many bits the integers have, from 1 to 63; the op itself takes 2 to 62 of signed ones.

    Returns:
        A GraphDef with the same nodes and, for each operand x, "x/QuantizeAndDequantizeV2" and nodes for the range:
        "x/InputMin" and "x/InputMax", or "x/Min/Variable" and "x/Max/Variable" with what updates them.

    Raises:
        TypeError: `input_graph` is no GraphDef.
        tf.errors.OutOfRangeError: for another `num_bits`.
        tf.errors.InvalidArgumentError: for a node with an input that the graph does not have.

    Example:
        rounded = tf.train.do_quantize_training_on_graphdef(graph.as_graph_def(), 8)
        with tf.Graph().as_default():
            tf.import_graph_def(rounded, name="")
    """
    if not isinstance(input_graph, graph_pb2.GraphDef):
        raise TypeError(
            "do_quantize_training_on_graphdef: input_graph must be a GraphDef, got "
            f"{type(input_graph).__name__}"
        )
    if not _LEAST_BITS <= num_bits <= _MOST_BITS:
        raise errors.OutOfRangeError(
            None,
            None,
            "do_quantize_training_on_graphdef: num_bits should be in range "
            f"[{_LEAST_BITS}, {_MOST_BITS}], got {num_bits}",
        )
    result = graph_pb2.GraphDef()
    result.CopyFrom(input_graph)
    return _Rewriter(result, int(num_bits)).rewrite()


class _Rewriter:
    def __init__(self, graph: GraphDef, bits: int):
        self._graph, self._bits = graph, bits
        self._nodes: dict[str, Any] = {n.name: n for n in graph.node}
        self._in_loops = _in_loops(graph)
        # Operand -> the output of its rounding.
        self._rounded: dict[str, str] = {}
        self._variables: list[NodeDef] = []

    def rewrite(self) -> GraphDef:
        savers = [n for n in self._graph.node if n.op == "SaveV2"]
        for node in list(self._graph.node):
            dtype = dtypes.as_dtype(node.attr["T"].type) if _is_layer(node) else None
            if dtype in _FLOATS:
                for i in range(2):
                    node.input[i] = self._rounding(node, i, dtype)
        for saver in savers if self._variables else ():
            self._add_to_saver(saver)
        return self._graph

    def _producer(self, node: NodeDef, i: int) -> NodeDef:
        name = _node_of(node.input[i]) if i < len(node.input) else ""
        if name not in self._nodes:
            raise errors.InvalidArgumentError(
                None,
                None,
                "do_quantize_training_on_graphdef: the graph has no node "
                f"{name!r}, input {i} of {node.name!r}",
            )
        return self._nodes[name]

    def _range(self, node: NodeDef) -> tuple[float | None, float | None]:
        """Follows operations that keep the range, each once."""
        seen: set[str] = set()
        while node.op in _SAME_RANGE and node.name not in seen:
            seen.add(node.name)
            node = self._producer(node, 0)
        return _RANGES.get(node.op, (None, None))

    def _rounding(self, layer: NodeDef, i: int, dtype: Any) -> str:
        """The output of the rounding of an operand; operands that several layers have are rounded once."""
        operand = layer.input[i].removesuffix(":0")
        if operand in self._rounded:
            return self._rounded[operand]
        producer = self._producer(layer, i)
        name = operand.replace(":", "_")
        low, high = self._range(producer)
        is_known = low is not None and high is not None
        is_kept = not is_known and producer.name not in self._in_loops
        if is_kept:
            ends = self._kept_range(name, operand, dtype, layer.device)
        else:
            # In a loop or a branch the constants must run when the operand does.
            before = (f"^{producer.name}",)
            values = (low, high) if is_known else (0.0, 0.0)
            ends = [
                self._constant(f"{name}/Input{end}", v, dtype, layer.device, before)
                for end, v in zip(("Min", "Max"), values, strict=True)
            ]
        self._rounded[operand] = self._add(
            f"{name}/QuantizeAndDequantizeV2",
            "QuantizeAndDequantizeV2",
            [operand, *ends],
            layer.device,
            dtype,
            num_bits=self._bits,
            signed_input=low is None or low < 0,
            range_given=is_known or is_kept,
        )
        return self._rounded[operand]

    def _kept_range(self, name: str, operand: str, dtype: Any, device: str) -> list[str]:  # fmt: skip # noqa: E501
        """The moving averages of the least and the largest number, after their update."""
        rank = self._add(f"{name}/Axes/Rank", "Rank", [operand], device, dtype)
        zero = self._constant(f"{name}/Axes/Zero", 0, dtypes.int32, device)
        one = self._constant(f"{name}/Axes/One", 1, dtypes.int32, device)
        axes = self._add(f"{name}/Axes", "Range", [zero, rank, one], device)
        # The difference as TensorFlow rounds it, which computes it in the graph.
        kind = dtype.as_numpy_dtype
        rate = self._constant(f"{name}/Decay", kind(1) - kind(_DECAY), dtype, device)
        ends = []
        for end in ("Min", "Max"):
            scope = f"{name}/{end}"
            found = self._add(scope, end, [operand, axes], device, dtype)
            ends.append(self._average(scope, found, rate, dtype, device))
        return ends

    def _average(
        self, scope: str, value: str, rate: str, dtype: Any, device: str
    ) -> str:
        """A variable that takes `value` in the first run, and later moves towards it."""
        variable = self._add(f"{scope}/Variable", "VariableV2", [], device)
        node = self._nodes[variable]
        node.attr["dtype"].type = dtype.as_datatype_enum
        node.attr["shape"].shape.SetInParent()
        self._variables.append(node)
        has_value = self._add(
            f"{scope}/IsInitialized", "IsVariableInitialized", [variable], device
        )
        self._nodes[has_value].attr["dtype"].type = dtype.as_datatype_enum

        def add(part: str, op: str, *inputs: str) -> str:
            return self._add(f"{scope}/{part}", op, inputs, device, dtype)

        first = add("Switch", "Switch", value, has_value)
        gap = add("Average/Gap", "Sub", variable, f"{first}:1")
        step = add("Average/Step", "Mul", gap, rate)
        moved = add("Average", "Sub", variable, step)
        merged = add("Merge", "Merge", first, moved)
        self._nodes[merged].attr["N"].i = 2
        return add("AssignValue", "Assign", variable, merged)

    def _add_to_saver(self, save: NodeDef) -> None:
        """Lets a saver's operations save and restore the variables, too."""
        scope = save.name.rpartition("/")[0]
        prefix = f"{scope}/" if scope else ""
        restore_all = self._nodes.get(f"{prefix}restore_all")
        names, slices = self._producer(save, 1), self._producer(save, 2)
        if restore_all is None or {names.op, slices.op} != {"Const"}:
            return
        for i, variable in enumerate(self._variables):
            dtype = variable.attr["dtype"].type
            _append_text(names, variable.name)
            _append_text(slices, "")
            save.input.insert(_data_inputs(save), variable.name)
            save.attr["dtypes"].list.type.append(dtype)
            base = f"{prefix}RestoreV2/quantize_training_{i}"
            restored = self._add(
                base,
                "RestoreV2",
                [
                    save.input[0],
                    self._texts(f"{base}/tensor_names", variable.name),
                    self._texts(f"{base}/shape_and_slices", ""),
                ],
                save.device,
            )
            self._nodes[restored].attr["dtypes"].list.type.append(dtype)
            assign = self._add(
                f"{prefix}Assign/quantize_training_{i}",
                "Assign",
                [variable.name, restored],
                variable.device,
                dtypes.as_dtype(dtype),
            )
            restore_all.input.append(f"^{assign}")

    def _texts(self, name: str, text: str) -> str:
        return self._constant(name, [text], dtypes.string, "")

    def _constant(
        self, name: str, value: Any, dtype: Any, device: str, inputs: Any = ()
    ) -> str:
        made = self._add(name, "Const", inputs, device)
        node = self._nodes[made]
        node.attr["dtype"].type = dtype.as_datatype_enum
        node.attr["value"].tensor.CopyFrom(
            tensor_util.make_tensor_proto(value, dtype=dtype)
        )
        return made

    def _add(
        self,
        name: str,
        op: str,
        inputs: Sequence[str],
        device: str,
        dtype: Any = None,
        **attrs: bool | int,
    ) -> str:
        """Adds a node, and returns its name, which has a number if another node has it."""
        unique, count = name, 0
        while unique in self._nodes:
            count += 1
            unique = f"{name}_{count}"
        node = self._graph.node.add(name=unique, op=op, device=device, input=inputs)
        if dtype is not None:
            node.attr["T"].type = dtype.as_datatype_enum
        for key, value in attrs.items():
            setattr(node.attr[key], "b" if isinstance(value, bool) else "i", value)
        self._nodes[unique] = node
        return unique


def _node_of(name: str) -> str:
    return name.removeprefix("^").partition(":")[0]


def _data_inputs(node: NodeDef) -> int:
    return sum(not i.startswith("^") for i in node.input)


def _append_text(constant: NodeDef, text: str) -> None:
    """Adds an element to a Const, a vector of strings."""
    tensor = constant.attr["value"].tensor
    values = [*tensor_util.MakeNdarray(tensor).tolist(), text.encode()]
    tensor.CopyFrom(tensor_util.make_tensor_proto(values, dtype=dtypes.string))


def _is_layer(node: NodeDef) -> bool:
    scopes = node.name.split("/")[:-1]
    return node.op in _LAYERS and not any(_GRADIENTS.match(s) for s in scopes)


def _in_loops(graph: GraphDef) -> set[str]:
    """The nodes that run in the rounds of loops."""
    readers: dict[str, list[NodeDef]] = {}
    for node in graph.node:
        for name in node.input:
            readers.setdefault(_node_of(name), []).append(node)
    waiting = [n for n in graph.node if n.op in ("Enter", "RefEnter")]
    found: set[str] = set()
    while waiting:
        node = waiting.pop()
        if node.name not in found and node.op not in ("Exit", "RefExit"):
            found.add(node.name)
            waiting.extend(readers.get(node.name, ()))
    return found
