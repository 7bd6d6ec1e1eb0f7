# SPDX-License-Identifier: Apache-2.0
"""Gradients of ops of sparse tensors.  Indices and shapes have none."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_sparse_ops,
    math_ops,
)

ops.NotDifferentiable("DenseCountSparseOutput")
ops.NotDifferentiable("DeserializeSparse")
ops.NotDifferentiable("RaggedCountSparseOutput")
ops.NotDifferentiable("SparseCountSparseOutput")
ops.NotDifferentiable("SparseAddGrad")
ops.NotDifferentiable("SparseConcat")


@ops.RegisterGradient("SparseReorder")
def _sparse_reorder_grad(op: ops.Operation, _: Any, grad: ops.Tensor) -> list:
    """The output's elements are the input's in another order: back into the first."""
    indices, values, shape = op.inputs
    places = math_ops.range(array_ops.size(values))
    _, order = gen_sparse_ops._sparse_reorder(indices, places, shape)
    return [None, array_ops.gather(grad, array_ops.invert_permutation(order)), None]


@ops.RegisterGradient("SparseAdd")
def _sparse_add_grad(
    op: ops.Operation, _indices: Any, grad: ops.Tensor, _shape: Any
) -> list:
    """d sum[p] / d a[p] = d sum[p] / d b[p] = 1, and 0 where the sum has no element at p."""
    a_grad, b_grad = gen_sparse_ops._sparse_add_grad(
        grad, op.inputs[0], op.inputs[3], op.outputs[0]
    )
    a_grad.set_shape(op.inputs[1].get_shape())
    b_grad.set_shape(op.inputs[4].get_shape())
    return [None, a_grad, None, None, b_grad, None, None]


@ops.RegisterGradient("SparseTensorDenseAdd")
def _sparse_tensor_dense_add_grad(op: ops.Operation, grad: ops.Tensor) -> list:
    """d out[p] / d a[p] = d out[p] / d b[p] = 1."""
    return [None, array_ops.gather_nd(grad, op.inputs[0]), None, grad]


@ops.RegisterGradient("SparseReduceSum")
def _sparse_reduce_sum_grad(op: ops.Operation, grad: ops.Tensor) -> list:
    """d out[q] / d values[i] = 1 where element i is of group q."""
    indices, _, shape, axes = op.inputs
    rank = array_ops.size(shape)
    axes = math_ops.floormod(array_ops.reshape(axes, [-1]) + rank, rank)
    kept = math_ops.cast(
        array_ops.scatter_nd(
            array_ops.expand_dims(axes, 1), array_ops.ones_like(axes), [rank]
        )
        < 1,
        dtypes.int64,
    )
    # The gradient keeps the reduced dimensions, of size 1; all elements of a group are at their only place.
    whole = array_ops.reshape(grad, shape * kept + (1 - kept))
    return [None, array_ops.gather_nd(whole, indices * kept), None, None]


@ops.RegisterGradient("SparseSlice")
def _sparse_slice_grad(
    op: ops.Operation, _indices: Any, grad: ops.Tensor, _shape: Any
) -> list:
    """Elements in the box have the slice's gradient, the others none."""
    indices, _, _, start, _ = op.inputs
    values_grad = gen_sparse_ops.sparse_slice_grad(grad, indices, start, op.outputs[0])
    values_grad.set_shape(op.inputs[1].get_shape())
    return [None, values_grad, None, None, None]


@ops.RegisterGradient("SparseTensorDenseMatMul")
def _sparse_tensor_dense_mat_mul_grad(op: ops.Operation, grad: ops.Tensor) -> list:
    """y = a b: d/da[m, k] = sum_n grad[m, n] conj(b[k, n]); d/db = a^H grad."""
    indices, values, shape, b = op.inputs
    adjoint_a, adjoint_b = op.get_attr("adjoint_a"), op.get_attr("adjoint_b")
    b_grad = gen_sparse_ops._sparse_tensor_dense_mat_mul(
        indices, values, shape, grad, adjoint_a=not adjoint_a
    )
    if adjoint_b:
        b_grad = math_ops.conj(array_ops.transpose(b_grad))
        b = math_ops.conj(array_ops.transpose(b))
    rows, columns = indices[:, 0], indices[:, 1]
    if adjoint_a:
        rows, columns = columns, rows
    of_rows = array_ops.gather(grad, rows)
    of_columns = math_ops.conj(array_ops.gather(b, columns))
    values_grad = math_ops.reduce_sum(of_rows * of_columns, axis=1)
    if adjoint_a:
        values_grad = math_ops.conj(values_grad)
    return [None, values_grad, None, b_grad]


def _dense_places(op: ops.Operation) -> ops.Tensor:
    """Returns the place of each element's partner in the dense operand of SparseDenseCwise*."""
    indices, _, shape, dense = op.inputs
    sizes = array_ops.shape(dense, out_type=dtypes.int64)
    missing = array_ops.size(shape) - array_ops.size(sizes)
    own = indices[:, missing:]
    return own * math_ops.cast(math_ops.not_equal(sizes, 1), dtypes.int64)


def _into_dense(op: ops.Operation, places: ops.Tensor, grad: ops.Tensor) -> ops.Tensor:
    """The dense operand's gradient: sums over the elements that share a place."""
    return array_ops.scatter_nd(
        places, grad, array_ops.shape(op.inputs[3], out_type=dtypes.int64)
    )


@ops.RegisterGradient("SparseDenseCwiseAdd")
def _sparse_dense_cwise_add_grad(op: ops.Operation, grad: ops.Tensor) -> list:
    """z = x + y: dz/dx = dz/dy = 1."""
    return [None, grad, None, _into_dense(op, _dense_places(op), grad)]


@ops.RegisterGradient("SparseDenseCwiseMul")
def _sparse_dense_cwise_mul_grad(op: ops.Operation, grad: ops.Tensor) -> list:
    """z = x y: dz/dx = y, dz/dy = x."""
    places = _dense_places(op)
    y = array_ops.gather_nd(op.inputs[3], places)
    return [None, grad * y, None, _into_dense(op, places, grad * op.inputs[1])]


@ops.RegisterGradient("SparseDenseCwiseDiv")
def _sparse_dense_cwise_div_grad(op: ops.Operation, grad: ops.Tensor) -> list:
    """z = x / y: dz/dx = 1 / y, dz/dy = -z / y."""
    places = _dense_places(op)
    y = array_ops.gather_nd(op.inputs[3], places)
    x_grad = grad / y
    return [None, x_grad, None, _into_dense(op, places, -x_grad * op.outputs[0])]


@ops.RegisterGradient("SparseSoftmax")
def _sparse_softmax_grad(op: ops.Operation, grad: ops.Tensor) -> list:
    """dx = (grad - sum of grad y over the row) y.

    Where y is almost 1 the difference is small: that of halves is taken in float, with y computed anew.
    """
    indices, x, shape = op.inputs
    y, dtype = op.outputs[0], x.dtype
    if dtype == dtypes.float16:
        x, grad = (math_ops.cast(v, dtypes.float32) for v in (x, grad))
        y = gen_sparse_ops.sparse_softmax(indices, x, shape)
    sums = gen_sparse_ops.sparse_reduce_sum(
        indices, grad * y, shape, [-1], keep_dims=True
    )
    centred = gen_sparse_ops.sparse_dense_cwise_add(indices, grad, shape, -sums)
    return [None, math_ops.cast(centred * y, dtype), None]


def _values_at(values: ops.Tensor, indices: ops.Tensor, wanted: ops.Tensor) -> Any:
    """The values of a sparse tensor at the rows `wanted`, in order; 0 where it has none."""
    return gen_sparse_ops._sparse_add_grad(values, wanted, wanted, indices)[0]


def _extremum_grad(op: ops.Operation, grad: ops.Tensor, first_wins: Any) -> list:
    """The gradient goes to the operand that was chosen; of equal ones to the first."""
    a_indices, a, _, b_indices, b, _ = op.inputs
    out_indices = op.outputs[0]
    b_at_a = _values_at(b, b_indices, a_indices)
    a_at_b = _values_at(a, a_indices, b_indices)
    a_grad, b_grad = gen_sparse_ops._sparse_add_grad(
        grad, a_indices, b_indices, out_indices
    )
    a_chosen = math_ops.cast(first_wins(a, b_at_a), grad.dtype)
    b_chosen = 1 - math_ops.cast(first_wins(a_at_b, b), grad.dtype)
    return [None, a_grad * a_chosen, None, None, b_grad * b_chosen, None]


@ops.RegisterGradient("SparseSparseMaximum")
def _sparse_sparse_maximum_grad(op: ops.Operation, _: Any, grad: ops.Tensor) -> list:
    """d max(a, b) / da = a >= b; missing elements are 0."""
    return _extremum_grad(op, grad, math_ops.greater_equal)


@ops.RegisterGradient("SparseSparseMinimum")
def _sparse_sparse_minimum_grad(op: ops.Operation, _: Any, grad: ops.Tensor) -> list:
    """d min(a, b) / da = a <= b; missing elements are 0."""
    return _extremum_grad(op, grad, math_ops.less_equal)


@ops.RegisterGradient("SparseFillEmptyRows")
def _sparse_fill_empty_rows_grad(
    op: ops.Operation, _indices: Any, grad: ops.Tensor, _empty: Any, _map: Any
) -> list:
    """Values have the gradient of where they are now; the default value that of all the rest."""
    values_grad, default_grad = gen_sparse_ops._sparse_fill_empty_rows_grad(
        op.outputs[3], grad
    )
    return [None, values_grad, None, default_grad]


@ops.RegisterGradient("SparseToDense")
def _sparse_to_dense_grad(op: ops.Operation, grad: ops.Tensor) -> list:
    """Values have the gradient at their places; the default value that of all the rest."""
    indices, shape, values, _ = op.inputs
    rows = array_ops.reshape(indices, array_ops.stack([-1, array_ops.size(shape)]))
    at_values = array_ops.gather_nd(grad, rows)
    default_grad = math_ops.reduce_sum(grad) - math_ops.reduce_sum(at_values)
    rank = values.get_shape().ndims
    if rank is None:
        # A scalar is the value of all elements.
        of_one = math_ops.reduce_sum(at_values, keepdims=True)
        found = at_values
        is_one = math_ops.equal(array_ops.rank(values), 0)
        at_values = control_flow_ops.cond(is_one, lambda: of_one, lambda: found)
    elif rank == 0:
        at_values = math_ops.reduce_sum(at_values)
    return [
        None,
        None,
        array_ops.reshape(at_values, array_ops.shape(values)),
        default_grad,
    ]
