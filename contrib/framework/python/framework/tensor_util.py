# SPDX-License-Identifier: Apache-2.0
"""Sums, and checks of shapes and dtypes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    confusion_matrix,
    control_flow_ops,
    math_ops,
    variables,
)

__all__ = [
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_scalar_int",
    "convert_to_tensor_or_sparse_tensor",
    "is_tensor",
    "reduce_sum_n",
    "remove_squeezable_dimensions",
    "with_same_shape",
    "with_shape",
]

assert_same_float_dtype = check_ops.assert_same_float_dtype
assert_scalar = check_ops.assert_scalar
convert_to_tensor_or_sparse_tensor = sparse_tensor.convert_to_tensor_or_sparse_tensor


def is_tensor(x: TensorLike) -> bool:
    """Whether `x` is a tensor of a graph: Tensor, SparseTensor or Variable."""
    kinds = (ops.Tensor, sparse_tensor.SparseTensor, variables.Variable)
    return isinstance(x, kinds) or ops.is_dense_tensor_like(x)


def reduce_sum_n(tensors: Iterable[TensorLike], name: str | None = None) -> ops.Tensor:
    """The sum of all elements of all tensors: a scalar.

    Raises:
        ValueError: for no tensors.
    """
    tensors = list(tensors)
    if not tensors:
        raise ValueError("No tensors provided.")
    with ops.name_scope(name, "reduce_sum_n", tensors) as scope:
        sums = [math_ops.reduce_sum(t, name=f"sum_{i}") for i, t in enumerate(tensors)]
        if len(sums) == 1:
            return array_ops.identity(sums[0], name=scope)
        return math_ops.add_n(sums, name=scope)


def remove_squeezable_dimensions(
    predictions: TensorLike, labels: TensorLike, name: str | None = None
) -> tuple[ops.Tensor, ops.Tensor]:
    """(predictions, labels) of one rank: a last dimension of 1 that only one has goes."""
    labels, predictions = confusion_matrix.remove_squeezable_dimensions(
        labels, predictions, name=name
    )
    return predictions, labels


def assert_scalar_int(tensor: TensorLike, name: str | None = None) -> ops.Tensor:
    """The tensor, which must be an integer scalar.

    Raises:
        ValueError: it is not.
    """
    with ops.name_scope(name, "assert_scalar_int", [tensor]) as scope:
        tensor = ops.convert_to_tensor(tensor)
        if not tensor.dtype.base_dtype.is_integer:
            raise ValueError(
                f"Expected integer type for {tensor.name}, received type: {tensor.dtype}."
            )
        return check_ops.assert_scalar(tensor, name=scope)


def with_same_shape(expected_tensor: TensorLike, tensor: TensorLike) -> ops.Tensor:
    """`tensor`, which must have the shape of `expected_tensor`.

    Raises:
        ValueError: static shapes that differ; those of a run make it fail.
    """
    with ops.name_scope(f"{tensor.op.name}/", values=[expected_tensor, tensor]):
        expected = expected_tensor.get_shape()
        if expected.is_fully_defined():
            return with_shape(expected.as_list(), tensor)
        return with_shape(array_ops.shape(expected_tensor), tensor)


def _is_shape_tensor(value: Any) -> bool:
    return isinstance(value, (ops.Tensor, variables.Variable))


def _checked_in_run(expected: Any, tensor: ops.Tensor) -> ops.Tensor:
    shape = array_ops.shape(tensor)
    same = control_flow_ops.cond(
        math_ops.equal(array_ops.size(expected), array_ops.rank(tensor)),
        lambda: math_ops.reduce_all(
            math_ops.logical_or(
                math_ops.equal(expected, -1), math_ops.equal(expected, shape)
            )
        ),
        lambda: ops.convert_to_tensor(False),
    )
    text = [f"Wrong shape for {tensor.name} [expected] [actual].", expected, shape]
    with ops.control_dependencies([control_flow_ops.Assert(same, text)]):
        return array_ops.identity(tensor)


def with_shape(
    expected_shape: Sequence[int | None] | TensorLike, tensor: TensorLike
) -> ops.Tensor:
    """Returns `tensor`, which must have a shape.

    Args:
        expected_shape: sizes, where -1 and None stand for any; an int vector; or a tensor of one.
        tensor: a tensor or SparseTensor.

    Raises:
        ValueError: static shapes differ, or the expected shape is none; shapes that only a run knows fail the run.
    """
    if isinstance(tensor, sparse_tensor.SparseTensor):
        raise ValueError("SparseTensor not supported.")
    if isinstance(expected_shape, tensor_shape.TensorShape):
        expected_shape = expected_shape.as_list()
    with ops.name_scope(f"{tensor.op.name}/", values=[tensor]):
        if _is_shape_tensor(expected_shape):
            expected = ops.convert_to_tensor(expected_shape)
            if not expected.dtype.base_dtype.is_integer:
                raise ValueError(
                    f"Invalid dtype {expected.dtype} for shape {expected_shape} expected of "
                    f"tensor {tensor.name}."
                )
            rank = expected.get_shape().ndims
            if rank is not None and rank != 1:
                raise ValueError(
                    f"Invalid rank {rank} for shape {expected_shape} expected of tensor "
                    f"{tensor.name}."
                )
            return _checked_in_run(math_ops.cast(expected, dtypes.int32), tensor)
        sizes = [-1 if s is None else s for s in expected_shape]
        array = np.asarray(sizes)
        if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
            raise ValueError(
                f"Invalid shape {expected_shape} expected of tensor {tensor.name}."
            )
        wanted = tensor_shape.TensorShape([None if s < 0 else int(s) for s in sizes])
        actual = tensor.get_shape()
        if not actual.is_compatible_with(wanted):
            raise ValueError(
                f"Invalid shape for {tensor.name}, expected {sizes}, got {actual}."
            )
        if actual.is_fully_defined():
            return tensor
        checked = _checked_in_run(ops.convert_to_tensor(sizes, dtypes.int32), tensor)
        checked.set_shape(wanted)
        return checked
