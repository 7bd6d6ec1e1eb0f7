# SPDX-License-Identifier: Apache-2.0
"""How many floating-point operations a node takes, for shapes that are known; a multiplication and an addition are two."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.op_statistics import OpStats, RegisterStatistics

_UNARY = """
    Abs Ceil Cos Cosh Elu Exp Floor Log Log1p Neg Reciprocal Relu Relu6 Rint Round Rsqrt Sigmoid Sign Sin Sinh Softplus
    Softsign Sqrt Square Tan Tanh
""".split()
_BINARY = """
    Add AddV2 Sub Mul Div RealDiv FloorDiv Maximum Minimum Pow SquaredDifference Greater GreaterEqual Less LessEqual
    Equal NotEqual BiasAdd ReluGrad Relu6Grad SigmoidGrad TanhGrad EluGrad RsqrtGrad SqrtGrad
""".split()
_REDUCTIONS = "Sum Max Min Prod Mean ArgMax ArgMin".split()
_POOLS = "MaxPool AvgPool".split()


def _output(graph: ops.Graph, node: Any, index: int = 0) -> tensor_shape.TensorShape:
    return _known(graph.get_operation_by_name(node.name).outputs[index].get_shape(), node)  # fmt: skip


def _input(graph: ops.Graph, node: Any, index: int) -> tensor_shape.TensorShape:
    return _known(graph.get_operation_by_name(node.name).inputs[index].get_shape(), node)  # fmt: skip


def _known(shape: tensor_shape.TensorShape, node: Any) -> tensor_shape.TensorShape:
    if not shape.is_fully_defined():
        raise ValueError(f"The shape of {node.name} is not known: {shape}")
    return shape


def _count(shape: tensor_shape.TensorShape) -> int:
    return math.prod(shape.as_list())


def _register(op_type: str, flops: Callable[[ops.Graph, Any], float]) -> None:
    @RegisterStatistics(op_type, "flops")
    def _statistic(graph: ops.Graph, node: Any) -> OpStats:
        return OpStats("flops", flops(graph, node))


def _product(graph: ops.Graph, node: Any) -> int:
    transposed = node.attr["transpose_a"].b or node.attr["adj_x"].b
    inner = _input(graph, node, 0).as_list()[-2 if transposed else -1]
    return 2 * inner * _count(_output(graph, node))


def _convolution(graph: ops.Graph, node: Any) -> int:
    *window, channels, _ = _input(graph, node, 1).as_list()
    return 2 * math.prod(window) * channels * _count(_output(graph, node))


def _depthwise(graph: ops.Graph, node: Any) -> int:
    window = _input(graph, node, 1).as_list()[:-2]
    return 2 * math.prod(window) * _count(_output(graph, node))


def _filter_gradient(graph: ops.Graph, node: Any) -> int:
    # Each product of the convolution is there once.
    window = _output(graph, node).as_list()[:-1]
    return 2 * math.prod(window) * _count(_input(graph, node, 2))


def _input_gradient(graph: ops.Graph, node: Any) -> int:
    window = _input(graph, node, 1).as_list()[:-1]
    return 2 * math.prod(window) * _count(_input(graph, node, 2))


def _pool(graph: ops.Graph, node: Any) -> int:
    return math.prod(node.attr["ksize"].list.i) * _count(_output(graph, node))


def _softmax(graph: ops.Graph, node: Any) -> int:
    # The maximum, the difference, the exponential, their sum, the quotient.
    return 5 * _count(_input(graph, node, 0))


for _name in _UNARY + _BINARY:
    _register(_name, lambda graph, node: _count(_output(graph, node)))
for _name in _REDUCTIONS:
    _register(_name, lambda graph, node: _count(_input(graph, node, 0)))
for _name in _POOLS:
    _register(_name, _pool)
for _name in ("MatMul", "BatchMatMul", "BatchMatMulV2"):
    _register(_name, _product)
for _name in ("Conv2D", "Conv3D"):
    _register(_name, _convolution)
_register("DepthwiseConv2dNative", _depthwise)
_register("Conv2DBackpropFilter", _filter_gradient)
_register("Conv2DBackpropInput", _input_gradient)
_register("L2Loss", lambda graph, node: 2 * _count(_input(graph, node, 0)))
_register("Softmax", _softmax)
_register(
    "AddN",
    lambda graph, node: (len(node.input) - 1) * _count(_output(graph, node)),
)
