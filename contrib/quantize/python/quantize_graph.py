# SPDX-License-Identifier: Apache-2.0
"""Puts roundings into a graph: behind the weights, and behind the activations, of its layers.

A layer is a convolution or product whose second operand is a variable.  Its weights are rounded to their range; what
follows it, up to its Relu or Relu6, or to its bias if it has neither, to a moving average of its range.  Batch
normalisation stays where it is: it is not multiplied into the weights.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.contrib.quantize.python import quant_ops
from tensorwright.python.framework import ops
from tensorwright.python.ops import control_flow_ops, math_ops, variable_scope
from tensorwright.python.training import training_util

__all__ = [
    "create_eval_graph",
    "create_training_graph",
    "experimental_create_eval_graph",
    "experimental_create_training_graph",
]

_LAYERS = ("Conv2D", "DepthwiseConv2dNative", "MatMul")
_READS = ("Identity", "ReadVariableOp")
_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_ACTIVATIONS = ("Relu", "Relu6")
# Operations that may stand between a layer and its activation.
_PASSED = (
    "Add",
    "AddV2",
    "BiasAdd",
    "FusedBatchNorm",
    "FusedBatchNormV2",
    "FusedBatchNormV3",
    "Identity",
    "Mul",
)


def create_training_graph(
    input_graph: ops.Graph | None = None, quant_delay: int = 0
) -> None:
    """Puts roundings for training into a graph, before gradients are made.

    Args:
        input_graph: the graph; None: the default one.
        quant_delay: from which global step on values are rounded.

    Raises:
        ValueError: the graph has no layer that can be quantized, or has roundings already.

    Example:
        loss = model(x)
        tf.contrib.quantize.create_training_graph()
        train = optimizer.minimize(loss)
    """
    _quantize(input_graph, True, 8, 8, quant_delay, None)


def create_eval_graph(input_graph: ops.Graph | None = None) -> None:
    """Puts roundings for use into a graph: by the ranges that training has kept.

    Args:
        input_graph: the graph; None: the default one.

    Raises:
        ValueError: the graph has no layer that can be quantized, or has roundings already.
    """
    _quantize(input_graph, False, 8, 8, 0, None)


def experimental_create_training_graph(
    input_graph: ops.Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    quant_delay: int = 0,
    freeze_bn_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """As `create_training_graph`, with other numbers of bits, and of the layers of one scope.

    Args:
        input_graph, quant_delay: as in `create_training_graph`.
        weight_bits, activation_bits: for weights and activations.
        freeze_bn_delay: for batch normalisation that is multiplied into weights; without effect here.
        scope: where names of layers begin; None: all layers.
    """
    del freeze_bn_delay
    _quantize(input_graph, True, weight_bits, activation_bits, quant_delay, scope)


def experimental_create_eval_graph(
    input_graph: ops.Graph | None = None,
    weight_bits: int = 8,
    activation_bits: int = 8,
    quant_delay: int | None = None,
    scope: str | None = None,
) -> None:
    """As `create_eval_graph`; further arguments as in `experimental_create_training_graph`."""
    del quant_delay
    _quantize(input_graph, False, weight_bits, activation_bits, 0, scope)


def _quantize(
    graph: ops.Graph | None, training: bool, weight_bits: int, activation_bits: int, delay: int, scope: str | None
) -> None:  # fmt: skip
    graph = graph or ops.get_default_graph()
    with graph.as_default():
        layers = [op for op in graph.get_operations() if _is_layer(op, scope)]
        if not layers:
            raise ValueError("quantize: the graph has no convolution or product of a variable to quantize")  # fmt: skip # noqa: E501
        for layer in layers:
            context = layer.name.rpartition("/")[0]
            weights = layer.inputs[1]
            _insert(
                weights,
                [layer],
                f"{context}/weights_quant" if context else "weights_quant",
                lambda t: quant_ops.last_value_quantize(t, training, weight_bits, narrow_range=True),
                delay if training else 0,
            )  # fmt: skip # noqa: B023
            found = _activation_of(layer)
            if found is None:
                continue
            _insert(
                found,
                list(found.consumers()),
                f"{context}/act_quant" if context else "act_quant",
                lambda t: quant_ops.moving_avg_quantize(t, training, activation_bits),
                delay if training else 0,
            )


def _is_layer(op: ops.Operation, scope: str | None) -> bool:
    if op.type not in _LAYERS or (scope and not op.name.startswith(scope)):
        return False
    read = op.inputs[1].op
    if read.type.startswith("FakeQuant"):
        raise ValueError(f"quantize: the weights of {op.name} are quantized already")
    return read.type in _READS and read.inputs[0].op.type in _VARIABLES


def _activation_of(layer: ops.Operation) -> ops.Tensor | None:
    """The output of a layer's activation, or of its bias; None if it has neither and another layer follows."""
    last, waiting, seen = layer, [layer], set()
    bias: ops.Operation | None = None
    while waiting:
        op = waiting.pop(0)
        for follower in op.outputs[0].consumers():
            if follower in seen:
                continue
            seen.add(follower)
            if follower.type in _ACTIVATIONS:
                return follower.outputs[0]
            if follower.type in _PASSED:
                waiting.append(follower)
                if follower.type == "BiasAdd" and bias is None:
                    bias = follower
    if bias is not None:
        return bias.outputs[0]
    followers = last.outputs[0].consumers()
    if any(f.type in _LAYERS for f in followers):
        return None
    return last.outputs[0]


def _insert(
    tensor: ops.Tensor,
    consumers: list[ops.Operation],
    name: str,
    rounding: Callable[[ops.Tensor], ops.Tensor],
    delay: int,
) -> None:
    """Makes `consumers` take a rounding of a tensor."""
    places = [(op, i) for op in dict.fromkeys(consumers) for i, t in enumerate(op.inputs) if t is tensor]  # fmt: skip # noqa: E501
    with ops.control_dependencies(None):
        # A layer that is applied twice has two roundings.
        with variable_scope.variable_scope(None, default_name=name):
            rounded: Any = rounding(tensor)
            if delay > 0:
                step = training_util.get_or_create_global_step()
                begun = math_ops.greater_equal(step, math_ops.cast(delay, step.dtype.base_dtype))  # fmt: skip # noqa: E501
                exact, quantized = tensor, rounded
                rounded = control_flow_ops.cond(begun, lambda: quantized, lambda: exact)
            rounded.set_shape(tensor.get_shape())
    for op, i in places:
        op._update_input(i, rounded)
