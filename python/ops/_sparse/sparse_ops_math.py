# SPDX-License-Identifier: Apache-2.0
"""Arithmetic of sparse tensors, with each other and with dense ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    gen_sparse_ops,
    math_ops,
)
from tensorwright.python.ops._sparse.sparse_ops_argument import Sparse, as_sparse
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor


def sparse_add(
    a: Sparse | TensorLike,
    b: Sparse | TensorLike,
    threshold: TensorLike | None = None,
    thresh: TensorLike | None = None,
) -> Any:
    """a + b, of which at least one is sparse: a SparseTensor if both are, else a Tensor.

    Args:
        a: a SparseTensor in row-major order, or a Tensor.
        b: likewise, of the same shape and dtype.
        threshold: where both are sparse, elements of a smaller magnitude are left out; a scalar of the real dtype.
        thresh: `threshold`, by its older name.

    Raises:
        TypeError: none of the two is sparse.
    """
    threshold = deprecated_argument_lookup("threshold", threshold, "thresh", thresh)
    if not sparse_tensor.is_sparse(a) and not sparse_tensor.is_sparse(b):
        raise TypeError("sparse_add: at least one of a and b must be a SparseTensor")
    if not sparse_tensor.is_sparse(a):
        a, b = b, a
    a = as_sparse("sparse_add", a)
    if not sparse_tensor.is_sparse(b):
        dense: Any = b
        return gen_sparse_ops._sparse_tensor_dense_add(
            a.indices, a.values, a.dense_shape, dense
        )
    b = as_sparse("sparse_add", b)
    limit = ops.convert_to_tensor(
        0 if threshold is None else threshold,
        dtype=a.values.dtype.real_dtype.base_dtype,
        name="thresh",
    )
    indices, values, shape = gen_sparse_ops._sparse_add(
        a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape, limit
    )
    for known in (a, b):
        if known.get_shape().is_fully_defined():
            shape = array_ops.identity(known.dense_shape)
    return sparse_tensor.SparseTensor(indices, values, shape)


def _extremum(op: Callable[..., Any], a: Any, b: Any, name: str) -> Any:
    with ops.name_scope(name, None, [a.values, b.values]) as scope:
        indices, values = op(
            a.indices,
            a.values,
            a.dense_shape,
            b.indices,
            b.values,
            b.dense_shape,
            name=scope,
        )
        return sparse_tensor.SparseTensor(indices, values, a.dense_shape)


def sparse_maximum(
    sp_a: Sparse, sp_b: Sparse, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """Returns the larger element at each place that one of the two has; a missing element is 0.

    Both are in row-major order and of one shape; their values are real.

    Raises:
        TypeError: one is not sparse.
        InvalidArgumentError: in the run, for different shapes.
    """
    a, b = as_sparse("sparse_maximum", sp_a), as_sparse("sparse_maximum", sp_b)
    op = gen_sparse_ops.sparse_sparse_maximum
    return _extremum(op, a, b, name or "SparseSparseMaximum")


def sparse_minimum(
    sp_a: Sparse, sp_b: Sparse, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """The smaller of the elements at each place that one of the two has; see `sparse_maximum`."""
    a, b = as_sparse("sparse_minimum", sp_a), as_sparse("sparse_minimum", sp_b)
    op = gen_sparse_ops.sparse_sparse_minimum
    return _extremum(op, a, b, name or "SparseSparseMinimum")


def sparse_softmax(
    sp_input: Sparse, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """Computes softmax over the elements of each row of the last dimension; missing elements have no share.

    sp_input: half, float32 or float64, of rank 2 or more, in row-major order.

    Raises:
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: a rank below 2.
    """
    sp_input = as_sparse("sparse_softmax", sp_input)
    with ops.name_scope(name, "SparseSoftmax", [sp_input.values]):
        values = gen_sparse_ops.sparse_softmax(
            sp_input.indices, sp_input.values, sp_input.dense_shape
        )
        return sparse_tensor.SparseTensor(
            sp_input.indices, values, sp_input.dense_shape
        )


def sparse_tensor_dense_matmul(
    sp_a: Sparse | TensorLike,
    b: Sparse | TensorLike,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """The product of a sparse and a dense matrix, in either order: [m, k] [k, n] -> dense [m, n].

    Args:
        sp_a: a SparseTensor [m, k], in any order; or a Tensor, if `b` is sparse.
        b: a Tensor [k, n]; or a SparseTensor.
        adjoint_a: the adjoint (transposed, conjugated) of `sp_a` is meant.
        adjoint_b: likewise.
        name: the op's name.

    Raises:
        TypeError: none of the two is sparse.
        InvalidArgumentError: indices outside of the shape.
    """
    if sparse_tensor.is_sparse(b):
        # a b = (b^H a^H)^H.
        product = sparse_tensor_dense_matmul(
            b, sp_a, adjoint_a=not adjoint_b, adjoint_b=not adjoint_a
        )
        return array_ops.transpose(math_ops.conj(product), name=name)
    sp_a = as_sparse("sparse_tensor_dense_matmul", sp_a)
    dense: Any = b
    with ops.name_scope(name, "SparseTensorDenseMatMul", [sp_a.values, b]) as scope:
        return gen_sparse_ops._sparse_tensor_dense_mat_mul(
            sp_a.indices,
            sp_a.values,
            sp_a.dense_shape,
            ops.convert_to_tensor(dense, dtype=sp_a.dtype.base_dtype, name="b"),
            adjoint_a=adjoint_a,
            adjoint_b=adjoint_b,
            name=scope,
        )


def sparse_map_values(
    op: Callable[..., TensorLike], *args: object, **kwargs: object
) -> SparseTensor:
    """`op` of the values of sparse arguments, at the same places: a SparseTensor.

    Sparse arguments must have the same indices and shapes; others are passed as they are.

    Raises:
        ValueError: no argument is sparse.
        InvalidArgumentError: in the run, for different indices or shapes.
    """
    found: list[sparse_tensor.SparseTensor] = []

    def values_of(value: Any) -> Any:
        if isinstance(value, sparse_tensor.SparseTensor):
            found.append(value)
            return value.values
        return value

    taken = [values_of(a) for a in args]
    named = {key: values_of(value) for key, value in kwargs.items()}
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    first = found[0]
    checks = []
    for other in found[1:]:
        for own, its in (
            (first.indices, other.indices),
            (first.dense_shape, other.dense_shape),
        ):
            message = "sparse.map_values: arguments must have the same indices."
            checks.append(check_ops.assert_equal(own, its, message=message))
    values = op(*taken, **named)
    if checks:
        values = control_flow_ops.with_dependencies(checks, values)
    return sparse_tensor.SparseTensor(first.indices, values, first.dense_shape)
