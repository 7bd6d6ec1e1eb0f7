# SPDX-License-Identifier: Apache-2.0
"""Makes a frozen graph smaller and faster: without the nodes of training, with convolutions that take in their
neighbours.  `tw optimize` does so too.

The results are the same up to rounding.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.core.framework import graph_pb2, node_def_pb2
from tensorwright.python.framework import dtypes, graph_util, tensor_util
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.tools import strip_unused_lib

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.framework.node_def_pb2 import NodeDef

# Op -> the places of its inputs.
INPUT_ORDER = {
    "BatchNormWithGlobalNormalization": ["conv_op", "mean_op", "var_op", "beta_op", "gamma_op"],
    "FusedBatchNorm": ["conv_op", "gamma_op", "beta_op", "mean_op", "var_op"],
    "FusedBatchNormV2": ["conv_op", "gamma_op", "beta_op", "mean_op", "var_op"],
    "FusedBatchNormV3": ["conv_op", "gamma_op", "beta_op", "mean_op", "var_op"],
}  # fmt: skip
# Op -> the attr with the number that is added to the variance, and its default.
EPSILON_ATTR = {
    "BatchNormWithGlobalNormalization": "variance_epsilon",
    "FusedBatchNorm": "epsilon",
    "FusedBatchNormV2": "epsilon",
    "FusedBatchNormV3": "epsilon",
}
_DEFAULT_EPSILON = 1e-4
_CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative")


def optimize_for_inference(
    input_graph_def: GraphDef,
    input_node_names: Sequence[str],
    output_node_names: Sequence[str],
    placeholder_type_enum: int | Sequence[int],
    toco_compatible: bool = False,
) -> GraphDef:
    """A GraphDef that gives the same outputs, for programs that only run it.

    Nodes that the outputs do not need go, and those that only pass values on; batch normalisations become a part of
    the convolution before them, and resizes and paddings a part of the one behind.

    Args:
        input_graph_def: a graph without variables.
        input_node_names: nodes in whose place come placeholders.
        output_node_names: nodes whose results count.
        placeholder_type_enum: the DataType of the placeholders, or one for each.
        toco_compatible: leave resizes and paddings as they are.

    Raises:
        ValueError: the graph is malformed: see `ensure_graph_is_valid`.
        KeyError, AssertionError: names that the graph does not have: see `strip_unused`.
    """
    ensure_graph_is_valid(input_graph_def)
    graph = strip_unused_lib.strip_unused(
        input_graph_def, input_node_names, output_node_names, placeholder_type_enum
    )
    graph = graph_util.remove_training_nodes(graph, output_node_names)
    graph = _with_folded_norms(graph, output_node_names)
    if not toco_compatible:
        graph = fuse_resize_and_conv(graph, output_node_names)
    ensure_graph_is_valid(graph)
    return graph


def ensure_graph_is_valid(graph_def: GraphDef) -> None:
    """Raises ValueError if two nodes have one name, or an input is of no node."""
    names = collections.Counter(node.name for node in graph_def.node)
    for name, count in names.items():
        if count > 1:
            raise ValueError(f"Duplicate node names detected for {name}")
    for node in graph_def.node:
        for name in node.input:
            if node_name_from_input(name) not in names:
                raise ValueError(f"Input for {node.name} not found: {name}")


def node_name_from_input(node_name: str) -> str:
    """The node of an input: "x" of "x:1" and of "^x"."""
    return node_name.removeprefix("^").partition(":")[0]


def node_from_map(node_map: Mapping[str, NodeDef], name: str) -> NodeDef:
    """The node of an input; ValueError if the map has none."""
    node = node_map.get(node_name_from_input(name))
    if node is None:
        raise ValueError(f"No node named {node_name_from_input(name)!r} found in map.")
    return node


def values_from_const(node_def: NodeDef) -> np.ndarray:
    """The value of a Const; ValueError for another node."""
    if node_def.op != "Const":
        raise ValueError(f"{node_def.name} should be a Const op, it is {node_def.op}.")
    return tensor_util.MakeNdarray(node_def.attr["value"].tensor)


def scale_after_normalization(node: NodeDef) -> bool:
    """Whether a batch normalisation multiplies by its gamma."""
    if node.op == "BatchNormWithGlobalNormalization":
        return node.attr["scale_after_normalization"].b
    return True


def fold_batch_norms(input_graph_def: GraphDef) -> GraphDef:
    """A GraphDef whose batch normalisations behind convolutions are parts of their filters, and an addition.

    The filter and all arguments of a normalisation must be constants, and it must use those, not the batch's moments;
    one of which another node needs the convolution itself stays.
    """
    return _with_folded_norms(input_graph_def, ())


class _Graph:
    """The nodes of a GraphDef by name, and who uses them."""

    def __init__(self, graph_def: GraphDef, outputs: Iterable[str]):
        self.nodes = {node.name: node for node in graph_def.node}
        self.users: dict[str, list[str]] = collections.defaultdict(list)
        for node in graph_def.node:
            for name in node.input:
                self.users[node_name_from_input(name)].append(name)
        self._outputs = set(outputs)

    def input(self, node: NodeDef, place: int) -> NodeDef:
        return node_from_map(self.nodes, node.input[place])

    def is_for_one(self, node: NodeDef) -> bool:
        """Whether one input uses the node's first result, and nothing else needs it."""
        users = self.users[node.name]
        return (
            users in ([node.name], [f"{node.name}:0"])
            and node.name not in self._outputs
        )

    def uses_first_result_alone(self, node: NodeDef) -> bool:
        allowed = (node.name, f"{node.name}:0", f"^{node.name}")
        return all(name in allowed for name in self.users[node.name])


def _rebuilt(
    graph_def: GraphDef, new: Mapping[str, Sequence[NodeDef]], gone: Iterable[str]
) -> GraphDef:
    """The graph with `new` nodes in the place of one, and without those that are `gone`."""
    out = graph_pb2.GraphDef()
    out.library.CopyFrom(graph_def.library)
    out.versions.CopyFrom(graph_def.versions)
    left_out = set(gone)
    for node in graph_def.node:
        if node.name in new:
            out.node.extend(new[node.name])
        elif node.name not in left_out:
            out.node.add().CopyFrom(node)
    return out


def _with_folded_norms(graph_def: GraphDef, outputs: Iterable[str]) -> GraphDef:
    graph = _Graph(graph_def, outputs)
    new: dict[str, list[NodeDef]] = {}
    gone: set[str] = set()
    for node in graph_def.node:
        if node.op not in INPUT_ORDER:
            continue
        parts = {
            role: graph.input(node, i) for i, role in enumerate(INPUT_ORDER[node.op])
        }
        reason = _unfoldable(graph, node, parts)
        if reason:
            logging.warning("%s is not folded: %s", node.name, reason)
            continue
        filter_op = graph.input(parts["conv_op"], 1)
        new[node.name] = _folded(node, parts, filter_op, graph.is_for_one(filter_op))
        gone.add(parts["conv_op"].name)
        gone.update(
            part.name
            for role, part in (*parts.items(), ("filter_op", filter_op))
            if role != "conv_op" and graph.is_for_one(part)
        )
    return _rebuilt(graph_def, new, gone)


def _unfoldable(graph: _Graph, node: NodeDef, parts: Mapping[str, NodeDef]) -> str:
    """Returns why a batch normalisation stays, or ""."""
    convolution = parts["conv_op"]
    if convolution.op not in _CONVOLUTIONS:
        return f"{convolution.name} before it is a {convolution.op}"
    for role, part in parts.items():
        if role != "conv_op" and part.op != "Const":
            return f"{part.name} is no constant"
    if graph.input(convolution, 1).op != "Const":
        return f"the filter of {convolution.name} is no constant"
    if "is_training" in node.attr and node.attr["is_training"].b:
        return "it takes the moments of its batch"
    if not graph.uses_first_result_alone(node):
        return "something needs its moments"
    if not graph.is_for_one(convolution):
        return f"something else needs {convolution.name}"
    if _format(node) != _format(convolution):
        return f"{convolution.name} has another data_format"
    return ""


def _format(node: NodeDef) -> bytes:
    return node.attr["data_format"].s if "data_format" in node.attr else b"NHWC"


def _folded(
    node: NodeDef, parts: Mapping[str, NodeDef], filter_op: NodeDef, owned: bool
) -> list[NodeDef]:
    """The nodes in the place of a batch normalisation: filter, convolution, offset and their sum, of its name."""
    convolution = parts["conv_op"]
    name = EPSILON_ATTR[node.op]
    epsilon = node.attr[name].f if name in node.attr else _DEFAULT_EPSILON
    value = {
        role: values_from_const(part).astype(np.float64)
        for role, part in parts.items()
        if role != "conv_op"
    }
    scale = 1 / np.sqrt(value["var_op"] + epsilon)
    if scale_after_normalization(node):
        scale = scale * value["gamma_op"]
    offset = value["beta_op"] - value["mean_op"] * scale
    weights = values_from_const(filter_op)
    scales = scale
    if convolution.op == "DepthwiseConv2dNative":
        # Result channels are the input's channels times the multiplier.
        scales = scale.reshape(weights.shape[2:])
    scaled = _constant(
        filter_op.name if owned else f"{convolution.name}_bn_filter",
        (weights * scales).astype(weights.dtype),
    )
    new_convolution = node_def_pb2.NodeDef()
    new_convolution.CopyFrom(convolution)
    new_convolution.input[1] = scaled.name
    added = _constant(f"{convolution.name}_bn_offset", offset.astype(weights.dtype))
    total = node_def_pb2.NodeDef(name=node.name, op="BiasAdd", device=node.device)
    total.attr["T"].CopyFrom(convolution.attr["T"])
    total.attr["data_format"].s = _format(convolution)
    total.input.extend([convolution.name, added.name])
    total.input.extend(i for i in node.input if i.startswith("^"))
    return [scaled, new_convolution, added, total]


def _constant(name: str, value: np.ndarray) -> NodeDef:
    node = node_def_pb2.NodeDef(name=name, op="Const")
    node.attr["dtype"].type = dtypes.as_dtype(value.dtype).as_datatype_enum
    node.attr["value"].tensor.CopyFrom(tensor_util.make_tensor_proto(value))
    return node


def fuse_resize_and_conv(
    input_graph_def: GraphDef, output_node_names: Iterable[str]
) -> GraphDef:
    """A GraphDef in which a Conv2D takes in the ResizeBilinear and the MirrorPad before it.

    They become one FusedResizeAndPadConv2D or FusedPadConv2D, which has no large result between.  Only float32 and
    float16 in the order NHWC without dilations, and nodes of which nothing else needs the result.
    """
    graph = _Graph(input_graph_def, output_node_names)
    new: dict[str, list[NodeDef]] = {}
    gone: set[str] = set()
    for node in input_graph_def.node:
        if node.op != "Conv2D" or not _is_plain(node):
            continue
        before = graph.input(node, 0)
        pad = resize = None
        if _can_take_in(graph, before, "MirrorPad"):
            pad, before = before, graph.input(before, 0)
        if _can_take_in(graph, before, "ResizeBilinear") and _same_type(before, node):
            resize = before
        if pad is None and resize is None:
            continue
        new[node.name] = _fused(node, pad, resize)
        gone.update(part.name for part in (pad, resize) if part is not None)
    return _rebuilt(input_graph_def, new, gone)


def _is_plain(node: NodeDef) -> bool:
    dilations = list(node.attr["dilations"].list.i) if "dilations" in node.attr else []
    return (
        _format(node) == b"NHWC"
        and all(d == 1 for d in dilations)
        and node.attr["padding"].s in (b"SAME", b"VALID")
        and node.attr["T"].type
        in (dtypes.float32.as_datatype_enum, dtypes.float16.as_datatype_enum)
    )


def _can_take_in(graph: _Graph, node: NodeDef, op: str) -> bool:
    return (
        node.op == op
        and graph.is_for_one(node)
        and not node.attr["half_pixel_centers"].b
        and not any(name.startswith("^") for name in node.input)
        # The sizes of paddings may be of either type in MirrorPad, and are int32 in what replaces it.
        and node.attr["Tpaddings"].type in (0, dtypes.int32.as_datatype_enum)
    )


def _same_type(resize: NodeDef, convolution: NodeDef) -> bool:
    """Whether images go in as they come out: a resize gives float32 of any type."""
    wanted = dtypes.float32.as_datatype_enum
    return resize.attr["T"].type == convolution.attr["T"].type == wanted


def _fused(
    convolution: NodeDef, pad: NodeDef | None, resize: NodeDef | None
) -> list[NodeDef]:
    node = node_def_pb2.NodeDef(name=convolution.name, device=convolution.device)
    for name in ("T", "strides", "padding"):
        node.attr[name].CopyFrom(convolution.attr[name])
    node.attr["mode"].s = b"REFLECT"
    made = []
    if pad is None:
        paddings = _constant(
            f"{convolution.name}_no_paddings", np.zeros([4, 2], np.int32)
        )
        made.append(paddings)
        padded_by: Any = paddings.name
    else:
        node.attr["mode"].CopyFrom(pad.attr["mode"])
        padded_by = pad.input[1]
    if resize is None:
        assert pad is not None, "one of the two is there"
        node.op = "FusedPadConv2D"
        node.input.extend([pad.input[0], padded_by, convolution.input[1]])
    else:
        node.op = "FusedResizeAndPadConv2D"
        node.attr["resize_align_corners"].b = resize.attr["align_corners"].b
        node.input.extend([*resize.input[:2], padded_by, convolution.input[1]])
    node.input.extend(i for i in convolution.input if i.startswith("^"))
    return [*made, node]
