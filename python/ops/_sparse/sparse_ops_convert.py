# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors of dense ones, and dense tensors of sparse ones."""

from __future__ import annotations

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_sparse_ops, math_ops
from tensorwright.python.ops._sparse.sparse_ops_argument import Sparse, as_sparse


def from_dense(
    tensor: TensorLike, name: str | None = None
) -> sparse_tensor.SparseTensor:
    """The elements of a dense tensor that are not zero (b"", False), in row-major order."""
    with ops.name_scope(name, "dense_to_sparse"):
        tensor = ops.convert_to_tensor(tensor)
        zero = array_ops.zeros([], tensor.dtype.base_dtype)
        places = array_ops.where(math_ops.not_equal(tensor, zero))
        return sparse_tensor.SparseTensor(
            places,
            array_ops.gather_nd(tensor, places),
            array_ops.shape(tensor, out_type=dtypes.int64),
        )


def sparse_eye(
    num_rows: TensorLike,
    num_columns: TensorLike | None = None,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """Ones where row and column are the same: [num_rows, num_columns], square by default."""
    with ops.name_scope(name, "eye", [num_rows, num_columns]):
        rows = math_ops.cast(num_rows, dtypes.int64)
        columns = rows if num_columns is None else math_ops.cast(num_columns, "int64")
        places = math_ops.range(math_ops.minimum(rows, columns))
        return sparse_tensor.SparseTensor(
            array_ops.stack([places, places], axis=1),
            array_ops.ones(array_ops.shape(places), dtype),
            array_ops.stack([rows, columns]),
        )


def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """Makes a dense tensor of `default_value`, with `sparse_values` at `sparse_indices`.

    Args:
        sparse_indices: int32 or int64, [n, rank]; [n] for vectors; [] for one element of a vector.
        output_shape: [rank], of the dtype of `sparse_indices`.
        sparse_values: [n], or [] for one value at all of them; any dtype.
        default_value: a scalar of the dtype of `sparse_values`.
        validate_indices: refuse indices that are repeated or not in row-major order.
        name: the op's name.

    Raises:
        InvalidArgumentError: in the run, for indices that are outside of the shape.
    """
    return gen_sparse_ops._sparse_to_dense(
        sparse_indices,
        output_shape,
        sparse_values,
        default_value=default_value,
        validate_indices=validate_indices,
        name=name,
    )


def sparse_tensor_to_dense(
    sp_input: Sparse,
    default_value: TensorLike | None = None,
    validate_indices: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    """`sp_input` as a dense tensor, with `default_value` (0, b"", False) where it has no element.

    Raises:
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: in the run, for indices outside of the shape; unless `validate_indices` is False, for
            repeated ones and ones out of order too.
    """
    sparse = as_sparse("sparse_tensor_to_dense", sp_input)
    indices, values, shape = sparse.indices, sparse.values, sparse.dense_shape
    elsewhere = default_value
    if elsewhere is None:
        elsewhere = array_ops.zeros([], values.dtype.base_dtype)
    return sparse_to_dense(indices, shape, values, elsewhere, validate_indices, name)


def sparse_to_indicator(
    sp_input: Sparse, vocab_size: TensorLike, name: str | None = None
) -> ops.Tensor:
    """Says which ids each row has: a sparse tensor [..., n] of ids -> bools [..., vocab_size].

    Args:
        sp_input: a SparseTensor of int32 or int64, whose last coordinates do not count.
        vocab_size: a scalar above all ids.
        name: the op's name.

    Raises:
        TypeError: `sp_input` is not sparse.
        InvalidArgumentError: in the run, for ids that are not in [0, vocab_size).
    """
    sp_input = as_sparse("sparse_to_indicator", sp_input)
    with ops.name_scope(name, "SparseToIndicator", [sp_input.values]) as scope:
        ids = math_ops.cast(sp_input.values, dtypes.int64)
        size = math_ops.cast(vocab_size, dtypes.int64)
        rows = array_ops.concat(
            [sp_input.indices[:, :-1], array_ops.expand_dims(ids, 1)], 1
        )
        sizes = array_ops.concat(
            [sp_input.dense_shape[:-1], array_ops.reshape(size, [1])], 0
        )
        return sparse_to_dense(
            rows,
            sizes,
            array_ops.ones([], dtypes.bool),
            default_value=False,
            validate_indices=False,
            name=scope,
        )
