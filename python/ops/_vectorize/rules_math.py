# SPDX-License-Identifier: Apache-2.0
"""Batching rules of ops that compute: elementwise ones, products, reductions."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op
from tensorwright.python.framework.batching_registry import (
    Batched,
    RegisterBatchingRule,
)
from tensorwright.python.ops import array_ops, math_ops
from tensorwright.python.ops._vectorize import rule_parts as parts

# Each works on one tensor of any rank, or on its last axes.
_UNARY = """
Abs Acos Acosh Angle Asin Asinh Atan Atanh BesselI0e BesselI1e Bitcast Cast Ceil CheckNumerics Cholesky ComplexAbs Conj
Cos Cosh Digamma Elu Erf Erfc Exp Expm1 Floor Identity Imag Inv Invert IsFinite IsInf IsNan LeakyRelu Lgamma Log Log1p
LogSoftmax LogicalNot MatrixDeterminant MatrixDiag MatrixDiagPart MatrixInverse Neg OnesLike PreventGradient Real
Reciprocal Relu Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh Snapshot Softmax Softplus Softsign Sqrt Square
StopGradient Tan Tanh ZerosLike
""".split()

_BINARY = """
Add AddV2 ApproximateEqual Atan2 BitwiseAnd BitwiseOr BitwiseXor Complex Div DivNoNan Equal FloorDiv FloorMod Greater
GreaterEqual Igamma Igammac LeftShift Less LessEqual LogicalAnd LogicalOr Maximum Minimum Mod Mul MulNoNan NextAfter
NotEqual Polygamma Pow RealDiv RightShift SelectV2 SquaredDifference Sub TruncateDiv TruncateMod Xdivy Xlog1py Xlogy Zeta
""".split()

# Each takes tensors of one shape, or of one batch.
_ALIKE = """
AddN BatchMatMul CholeskyGrad EluGrad InvGrad LeakyReluGrad MatrixSolve MatrixTriangularSolve ReciprocalGrad Relu6Grad
ReluGrad RsqrtGrad SeluGrad SigmoidGrad SoftplusGrad SoftsignGrad SqrtGrad TanhGrad
""".split()

_REDUCTIONS = "All Any Max Mean Min Prod Sum".split()


def _unary(op: Any, inputs: list[Batched]) -> list[Any]:
    return parts.again(op, [inputs[0].tensor])


def _binary(op: Any, inputs: list[Batched]) -> list[Any]:
    return parts.again(op, parts.broadcasting(op, inputs))


def _alike(op: Any, inputs: list[Batched]) -> list[Any]:
    return parts.again(op, parts.stack_all(inputs))


def _reduce(op: Any, inputs: list[Batched]) -> list[Any]:
    parts.unstacked(inputs, 1)
    axes = inputs[1].tensor
    # Negative axes count from the end, where the batch is not.
    moved = array_ops.where(math_ops.less(axes, 0), axes, axes + 1)
    return parts.again(op, [inputs[0].tensor, moved])


def _along_axis(op: Any, inputs: list[Batched]) -> list[Any]:
    axis = parts.constant_of(op, inputs, 1)
    moved = parts.behind_batch(axis, parts.rank_of(op.inputs[0]))
    return parts.again(op, [inputs[0].tensor, constant_op.constant(moved, axis.dtype)])


for _ops, _rule in (
    (_UNARY, _unary),
    (_BINARY, _binary),
    (_ALIKE, _alike),
    (_REDUCTIONS, _reduce),
    (["ArgMax", "ArgMin", "Cumprod", "Cumsum"], _along_axis),
):
    for _op in _ops:
        RegisterBatchingRule(_op)(_rule)


@RegisterBatchingRule("Select")
def _select(op: Any, inputs: list[Batched]) -> Any:
    """Picks by a condition of the values' shape, of a scalar, or of their first axis."""
    condition, x, y = parts.stack_all(inputs)
    missing = parts.rank_of(op.inputs[1]) - parts.rank_of(op.inputs[0])
    if parts.rank_of(op.inputs[0]) > 0 and missing > 0:
        ones = [1] * missing
        shape = array_ops.concat([array_ops.shape(condition), ones], 0)
        condition = math_ops.logical_or(
            array_ops.reshape(condition, shape), array_ops.zeros_like(x, "bool")
        )
    return parts.again(op, [condition, x, y])


@RegisterBatchingRule("MatMul")
def _mat_mul(op: Any, inputs: list[Batched]) -> Any:
    a, b = inputs
    flags = {name: op.get_attr(name) for name in ("transpose_a", "transpose_b")}
    if a.stacked and not b.stacked and not flags["transpose_a"]:
        # [n, m, k] x [k, p] is one product of n * m rows.
        n, m, k = array_ops.unstack(array_ops.shape(a.tensor), num=3)
        rows = array_ops.reshape(a.tensor, array_ops.stack([n * m, k]))
        (product,) = parts.again(op, [rows, b.tensor])
        p = array_ops.shape(product)[1]
        return array_ops.reshape(product, array_ops.stack([n, m, p]))
    left, right = parts.stack_all(inputs)
    return math_ops.matmul(left, right, **flags)


@RegisterBatchingRule("BatchMatMulV2")
def _batch_mat_mul(op: Any, inputs: list[Batched]) -> Any:
    return parts.again(op, parts.broadcasting(op, inputs))


@RegisterBatchingRule("L2Loss")
def _l2_loss(op: Any, inputs: list[Batched]) -> Any:
    axes = list(range(1, parts.rank_of(op.inputs[0]) + 1))
    return math_ops.reduce_sum(math_ops.square(inputs[0].tensor), axes) / 2


@RegisterBatchingRule("BiasAdd")
def _bias_add(op: Any, inputs: list[Batched]) -> Any:
    value, bias = inputs
    rank = parts.rank_of(op.inputs[0])
    behind = 0 if op.get_attr("data_format") == b"NHWC" else rank - 2
    return _plus_vector(value.tensor, bias, rank, behind)


def _plus_vector(value: Any, bias: Batched, rank: int, behind: int) -> Any:
    """Adds a vector along the axis that `behind` others follow."""
    shape = array_ops.shape(bias.tensor)
    before = [1] * (rank - behind - 1)
    pieces = [shape[:1], before, shape[1:]] if bias.stacked else [shape]
    shape = array_ops.concat([*pieces, [1] * behind], 0)
    return value + array_ops.reshape(bias.tensor, shape)


@RegisterBatchingRule("BiasAddGrad")
def _bias_add_grad(op: Any, inputs: list[Batched]) -> Any:
    rank = parts.rank_of(op.inputs[0])
    channels = rank if op.get_attr("data_format") == b"NHWC" else 2
    axes = [axis for axis in range(1, rank + 1) if axis != channels]
    return math_ops.reduce_sum(inputs[0].tensor, axes)


@RegisterBatchingRule("SoftmaxCrossEntropyWithLogits")
@RegisterBatchingRule("SparseSoftmaxCrossEntropyWithLogits")
def _cross_entropy(op: Any, inputs: list[Batched]) -> Any:
    """Logits [n, b, c] and labels: the rows of all elements are one batch."""
    return _rows_as_one_batch(op, parts.stack_all(inputs), 2)


def _images(op: Any, inputs: list[Batched]) -> Any:
    """Makes the rule of ops on a batch of images: all elements' images become one batch."""
    parts.unstacked(inputs, *range(1, len(inputs)))
    return _rows_as_one_batch(op, [i.tensor for i in inputs], 1)


def _rows_as_one_batch(op: Any, inputs: list[Any], batched: int) -> list[Any]:
    """Runs an op on [n * b, ...] for [n, b, ...] of the inputs that have batches."""
    lead = array_ops.shape(inputs[0])[:2]
    rows = math_ops.reduce_prod(lead, keepdims=True)

    def join(tensor: Any) -> Any:
        rest = array_ops.shape(tensor)[2:]
        return array_ops.reshape(tensor, array_ops.concat([rows, rest], 0))

    joined = [join(t) if i < batched else t for i, t in enumerate(inputs)]
    results = []
    for result in parts.again(op, joined):
        rest = array_ops.shape(result)[1:]
        results.append(array_ops.reshape(result, array_ops.concat([lead, rest], 0)))
    return results


for _op in ("AvgPool", "Conv2D", "DepthwiseConv2dNative", "MaxPool", "LRN"):
    RegisterBatchingRule(_op)(_images)
