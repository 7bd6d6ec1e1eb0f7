# SPDX-License-Identifier: Apache-2.0
"""Gradients of elementwise and matrix math; the other math_grad_*.py hold those that their names mention.

g stands for the gradient of the op's output in the formulas.  Gradients of complex functions are
conjugated, as TensorFlow defines them: g * conj(f'(x)).
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.ops import array_ops, gen_array_ops, gen_math_ops, math_ops
from tensorwright.python.ops._math import (  # noqa: F401 (math_grad_* register themselves)
    math_grad_einsum,
    math_grad_reduce,
    math_grad_safe,
    math_grad_segment,
    math_grad_special,
    math_grad_special_unary,
)
from tensorwright.python.ops._math.math_grad_unary import _conj

# ---- Unary.


for _name in ("Floor", "Ceil", "Round", "Rint"):

    @ops.RegisterGradient(_name)
    def _step_grad(op: ops.Operation, grad: Any) -> Any:
        """Returns None: the op is constant wherever it is differentiable."""
        del op, grad
        return


# ---- Binary, with broadcasting.


def _same_shape(x: Any, y: Any, grad: Any) -> bool:
    """Whether static shapes alone show that nothing was broadcast."""
    shape = x.get_shape()
    return (
        shape.is_fully_defined()
        and y.get_shape().is_fully_defined()
        and grad.get_shape().is_fully_defined()
        and shape.as_list() == y.get_shape().as_list() == grad.get_shape().as_list()
    )


def _unbroadcast(op: Any, gx: Any, gy: Any) -> tuple[Any, Any]:
    """Sums each gradient over the axes along which its input was repeated."""
    x, y = op.inputs[0], op.inputs[1]
    if _same_shape(x, y, op.outputs[0]):
        return gx, gy
    sx, sy = array_ops.shape(x), array_ops.shape(y)
    rx, ry = gen_array_ops.broadcast_gradient_args(sx, sy)

    def reduced(g: Any, axes: Any, shape: Any) -> Any:
        return array_ops.reshape(math_ops.reduce_sum(g, axes), shape)

    return (
        None if gx is None else reduced(gx, rx, sx),
        None if gy is None else reduced(gy, ry, sy),
    )


@ops.RegisterGradient("Add")
@ops.RegisterGradient("AddV2")
def _add_grad(op: ops.Operation, grad: Any) -> Any:
    """g and g."""
    return _unbroadcast(op, grad, grad)


@ops.RegisterGradient("Sub")
def _sub_grad(op: ops.Operation, grad: Any) -> Any:
    """g and -g."""
    return _unbroadcast(op, grad, -grad)


@ops.RegisterGradient("Mul")
def _mul_grad(op: ops.Operation, grad: Any) -> Any:
    """g y and g x."""
    x, y = _conj(op.inputs[0]), _conj(op.inputs[1])
    return _unbroadcast(op, grad * y, x * grad)


@ops.RegisterGradient("Div")
@ops.RegisterGradient("RealDiv")
def _div_grad(op: ops.Operation, grad: Any) -> Any:
    """g / y and -g x / y^2."""
    x, y = _conj(op.inputs[0]), _conj(op.inputs[1])
    ratio = math_ops.div(grad, y)
    return _unbroadcast(op, ratio, -ratio * math_ops.div(x, y))


for _name in ("FloorDiv", "TruncateDiv"):

    @ops.RegisterGradient(_name)
    def _integer_div_grad(op: ops.Operation, grad: Any) -> Any:
        """Returns None: the op is constant wherever it is differentiable."""
        del op, grad
        return None, None


@ops.RegisterGradient("FloorMod")
@ops.RegisterGradient("Mod")
def _floor_mod_grad(op: ops.Operation, grad: Any) -> Any:
    """g and -g floor(x / y)."""
    x, y = op.inputs[0], op.inputs[1]
    if op.type == "FloorMod":
        quotient = math_ops.floor_div(x, y)
    else:
        quotient = (
            math_ops.truncatediv(x, y) if x.dtype.is_integer else _toward_zero(x, y)
        )
    return _unbroadcast(op, grad, -grad * quotient)


def _toward_zero(x: Any, y: Any) -> Any:
    ratio = x / y
    return math_ops.sign(ratio) * math_ops.floor(math_ops.abs(ratio))


@ops.RegisterGradient("Pow")
def _pow_grad(op: ops.Operation, grad: Any) -> Any:
    """g y x^(y-1) and g x^y log(x), the latter 0 where x <= 0 (or = 0, complex)."""
    x, y, z = (_conj(t) for t in (op.inputs[0], op.inputs[1], op.outputs[0]))
    gx = grad * y * math_ops.pow(x, y - 1)
    positive = math_ops.not_equal(x, 0) if x.dtype.is_complex else x > 0
    safe = array_ops.where(positive, x, array_ops.ones_like(x))
    log = array_ops.where(positive, math_ops.log(safe), array_ops.zeros_like(x))
    return _unbroadcast(op, gx, grad * z * log)


@ops.RegisterGradient("Maximum")
def _maximum_grad(op: ops.Operation, grad: Any) -> Any:
    """g goes to x where x >= y, else to y."""
    return _select_grad(op, grad, math_ops.greater_equal)


@ops.RegisterGradient("Minimum")
def _minimum_grad(op: ops.Operation, grad: Any) -> Any:
    """g goes to x where x <= y, else to y."""
    return _select_grad(op, grad, math_ops.less_equal)


def _select_grad(op: Any, grad: Any, compare: Any) -> Any:
    zeros = array_ops.zeros_like(grad)
    to_x = compare(op.inputs[0], op.inputs[1])
    gx = gen_math_ops.select(to_x, grad, zeros)
    return _unbroadcast(op, gx, gen_math_ops.select(to_x, zeros, grad))


@ops.RegisterGradient("SquaredDifference")
def _squared_difference_grad(op: ops.Operation, grad: Any) -> Any:
    """2 g (x - y) and its negative."""
    x, y = op.inputs[0], op.inputs[1]
    with ops.control_dependencies([grad]):
        two = constant_op.constant(2, dtype=grad.dtype.base_dtype)
        gx = two * grad * (x - y)
    return _unbroadcast(op, gx, -gx)


@ops.RegisterGradient("Select")
def _select_op_grad(op: ops.Operation, grad: Any) -> Any:
    """g where the condition holds goes to x, elsewhere to y."""
    condition, zeros = op.inputs[0], array_ops.zeros_like(op.inputs[1])
    return (
        None,
        gen_math_ops.select(condition, grad, zeros),
        gen_math_ops.select(condition, zeros, grad),
    )


@ops.RegisterGradient("SelectV2")
def _select_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """As for Select, summed where x or y was broadcast."""
    condition, x, y = op.inputs
    zero = array_ops.zeros([], grad.dtype.base_dtype)

    def summed(g: ops.Tensor, to: ops.Tensor) -> ops.Tensor:
        sizes = array_ops.shape(to)
        over, _ = gen_array_ops.broadcast_gradient_args(sizes, array_ops.shape(g))
        return array_ops.reshape(math_ops.reduce_sum(g, over), sizes)

    return (
        None,
        summed(gen_math_ops.select_v2(condition, grad, zero), x),
        summed(gen_math_ops.select_v2(condition, zero, grad), y),
    )


@ops.RegisterGradient("AccumulateNV2")
@ops.RegisterGradient("AddN")
def _add_n_grad(op: ops.Operation, grad: Any) -> Any:
    """g to each."""
    return [grad] * len(op.inputs)


# ---- Matrices.


def _product_grads(product: Any, a: Any, b: Any, g: Any, ta: bool, tb: bool) -> Any:
    """Gradients of C = op(A) op(B): of A, g op(B)^T, of B, op(A)^T g, transposed back."""
    if not ta and not tb:
        return product(g, b, False, True), product(a, g, True, False)
    if not ta:
        return product(g, b, False, False), product(g, a, True, False)
    if not tb:
        return product(b, g, False, True), product(a, g, False, False)
    return product(b, g, True, True), product(g, a, True, True)


@ops.RegisterGradient("MatMul")
def _mat_mul_grad(op: ops.Operation, grad: Any) -> Any:
    """A: g B^T; B: A^T g, with transposes as the attrs say."""

    def product(x: Any, y: Any, tx: bool, ty: bool) -> Any:
        return gen_math_ops.mat_mul(x, y, transpose_a=tx, transpose_b=ty)

    a, b = _conj(op.inputs[0]), _conj(op.inputs[1])
    ta, tb = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    return _product_grads(product, a, b, grad, ta, tb)


@ops.RegisterGradient("BatchMatMul")
def _batch_mat_mul_grad(op: ops.Operation, grad: Any) -> Any:
    """As for MatMul, matrix by matrix; adjoints conjugate by themselves."""

    def product(x: Any, y: Any, ax: bool, ay: bool) -> Any:
        return gen_math_ops.batch_mat_mul(x, y, adj_x=ax, adj_y=ay)

    a, b = op.inputs
    return _product_grads(
        product, a, b, grad, op.get_attr("adj_x"), op.get_attr("adj_y")
    )


@ops.RegisterGradient("BatchMatMulV2")
def _batch_mat_mul_v2_grad(op: ops.Operation, grad: Any) -> Any:
    """As for BatchMatMul, summed over the broadcast dimensions."""

    def product(x: Any, y: Any, ax: bool, ay: bool) -> Any:
        return gen_math_ops.batch_mat_mul_v2(x, y, adj_x=ax, adj_y=ay)

    a, b = op.inputs
    ga, gb = _product_grads(
        product, a, b, grad, op.get_attr("adj_x"), op.get_attr("adj_y")
    )
    shapes = [array_ops.shape(a), array_ops.shape(b)]
    axes = gen_array_ops.broadcast_gradient_args(shapes[0][:-2], shapes[1][:-2])
    return [
        array_ops.reshape(math_ops.reduce_sum(g, axis), shape)
        for g, axis, shape in zip((ga, gb), axes, shapes)
    ]


@ops.RegisterGradient("BatchMatMulV3")
def _batch_mat_mul_v3_grad(op: ops.Operation, grad: Any) -> Any:
    """As for BatchMatMulV2, of operands that have the type of the result; integers have none."""
    shapes = [array_ops.shape(x) for x in op.inputs]
    axes = gen_array_ops.broadcast_gradient_args(shapes[0][:-2], shapes[1][:-2])

    def product(x: Any, y: Any, ax: bool, ay: bool) -> Any:
        return gen_math_ops.batch_mat_mul_v3(x, y, grad.dtype, adj_x=ax, adj_y=ay)

    a, b = op.inputs
    ga, gb = _product_grads(
        product, a, b, grad, op.get_attr("adj_x"), op.get_attr("adj_y")
    )
    return [
        array_ops.reshape(math_ops.reduce_sum(g, axis), shape)
        if x.dtype.base_dtype == grad.dtype.base_dtype
        else None
        for x, g, axis, shape in zip(op.inputs, (ga, gb), axes, shapes)
    ]


@ops.RegisterGradient("SparseMatMul")
def _sparse_mat_mul_grad(op: ops.Operation, grad: Any) -> Any:
    """As for MatMul; an argument said to be sparse still is."""
    a, b = op.inputs
    sparse = {a.name: op.get_attr("a_is_sparse"), b.name: op.get_attr("b_is_sparse")}

    def product(x: Any, y: Any, tx: bool, ty: bool) -> Any:
        return gen_math_ops.sparse_mat_mul(
            x,
            y,
            transpose_a=tx,
            transpose_b=ty,
            a_is_sparse=sparse.get(x.name, False),
            b_is_sparse=sparse.get(y.name, False),
        )

    ta, tb = op.get_attr("transpose_a"), op.get_attr("transpose_b")
    ga, gb = _product_grads(product, a, b, grad, ta, tb)
    return math_ops.cast(ga, a.dtype), math_ops.cast(gb, b.dtype)


for _name in (
    "Less",
    "LessEqual",
    "Greater",
    "GreaterEqual",
    "Equal",
    "NotEqual",
    "LogicalAnd",
    "LogicalOr",
    "LogicalNot",
    "HistogramFixedWidth",
    "Range",
    "LinSpace",
):
    ops.NotDifferentiable(_name)
