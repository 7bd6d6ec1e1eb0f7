# SPDX-License-Identifier: Apache-2.0
"""tf.sets: sets along the last dimension of dense and sparse tensors."""

from __future__ import annotations

from typing import Any, cast

from tensorwright.python.framework import ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_set_ops

_TYPES = frozenset(("int8", "int16", "int32", "int64", "uint8", "uint16", "string"))


def _as_set(x: Any) -> ops.Tensor | sparse_tensor.SparseTensor:
    x = sparse_tensor.convert_to_tensor_or_sparse_tensor(x)
    if x.dtype.base_dtype.name not in _TYPES:
        raise TypeError(f"sets must be of integers or strings, got {x.dtype.name}")
    return x


def set_size(
    a: TensorLike | sparse_tensor.SparseTensor, validate_indices: bool = True
) -> ops.Tensor:
    """Counts the different values of each set: SparseTensor [..., n] -> int32 [...].

    Raises:
        TypeError: `a` is no SparseTensor, or its values are neither integers nor strings.
    """
    a = sparse_tensor.convert_to_tensor_or_sparse_tensor(a, name="a")
    if not isinstance(a, sparse_tensor.SparseTensor):
        raise TypeError(f"set_size: a must be a SparseTensor, got {a}")
    _as_set(a)
    return gen_set_ops.set_size(a.indices, a.values, a.dense_shape, validate_indices)


def _operation(
    a: Any, b: Any, name: str, validate_indices: bool
) -> sparse_tensor.SparseTensor:
    a, b = cast(Any, _as_set(a)), cast(Any, _as_set(b))
    if a.dtype.base_dtype != b.dtype.base_dtype:
        raise TypeError(
            f"sets must be of one dtype, got {a.dtype.name} and {b.dtype.name}"
        )
    sparse_a, sparse_b = (sparse_tensor.is_sparse(each) for each in (a, b))
    if sparse_a and not sparse_b:
        # There is an op for the other order alone.
        a, b = b, a
        name = {"a-b": "b-a", "b-a": "a-b"}.get(name, name)
    if sparse_a and sparse_b:
        found = gen_set_ops.sparse_to_sparse_set_operation(
            a.indices,
            a.values,
            a.dense_shape,
            b.indices,
            b.values,
            b.dense_shape,
            name,
            validate_indices,
        )
    elif sparse_a or sparse_b:
        found = gen_set_ops.dense_to_sparse_set_operation(
            a, b.indices, b.values, b.dense_shape, name, validate_indices
        )
    else:
        found = gen_set_ops.dense_to_dense_set_operation(a, b, name, validate_indices)
    return sparse_tensor.SparseTensor(*found)


def set_intersection(
    a: TensorLike, b: TensorLike, validate_indices: bool = True
) -> sparse_tensor.SparseTensor:
    """The values that both of two sets have.

    Args:
        a: a Tensor or SparseTensor [..., n] of integers or strings, sets along the last dimension.
        b: a tensor of the same dtype, [..., m], with the same dimensions before the last.
        validate_indices: checks that indices of SparseTensors ascend.

    Returns:
        A SparseTensor [..., most], values ascending.
    """
    return _operation(a, b, "intersection", validate_indices)


def set_difference(
    a: TensorLike, b: TensorLike, aminusb: bool = True, validate_indices: bool = True
) -> sparse_tensor.SparseTensor:
    """The values of `a` that `b` lacks, or with aminusb=False the other way round; see `set_intersection`."""
    return _operation(a, b, "a-b" if aminusb else "b-a", validate_indices)


def set_union(
    a: TensorLike, b: TensorLike, validate_indices: bool = True
) -> sparse_tensor.SparseTensor:
    """The values that one of two sets has, or both; see `set_intersection`."""
    return _operation(a, b, "union", validate_indices)
