# SPDX-License-Identifier: Apache-2.0
"""Assertions on tensors: checked at once where the values are known, else in the run.

Each assert_* returns an op to depend on; if the assertion does not hold, the run fails with InvalidArgumentError.
If static values decide, a violation is raised while the graph is built.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops._check.check_ops_compare import (
    assert_equal as assert_equal,
    assert_greater as assert_greater,
    assert_greater_equal as assert_greater_equal,
    assert_less as assert_less,
    assert_less_equal as assert_less_equal,
    assert_near as assert_near,
    assert_negative as assert_negative,
    assert_non_negative as assert_non_negative,
    assert_non_positive as assert_non_positive,
    assert_none_equal as assert_none_equal,
    assert_positive as assert_positive,
)
from tensorwright.python.ops._check.check_ops_rank import (
    assert_rank as assert_rank,
    assert_rank_at_least as assert_rank_at_least,
    assert_rank_in as assert_rank_in,
    assert_scalar as assert_scalar,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.ops._variables.variables_variable import Variable


def assert_integer(
    x: TensorLike, message: str | None = None, name: str | None = None
) -> ops.Operation:
    """`x` is of an integer dtype; TypeError if not."""
    with ops.name_scope(name, "assert_integer", [x]):
        x = ops.convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(
                f'{message or ""} Expected "x" to be integer type. Found: {x.dtype}'.strip()
            )
        return control_flow_ops.no_op("statically_determined_was_integer")


def assert_type(
    tensor: TensorLike,
    tf_type: DTypeLike,
    message: str | None = None,
    name: str | None = None,
) -> ops.Operation:
    """`tensor` is of dtype `tf_type`; TypeError if not."""
    with ops.name_scope(name, "assert_type", [tensor]):
        tensor = ops.convert_to_tensor(tensor, name="tensor")
        if tensor.dtype != tf_type:
            raise TypeError(f"{message or ''} {tensor.name} must be of type {tf_type}")
        return control_flow_ops.no_op("statically_determined_correct_type")


def assert_same_float_dtype(
    tensors: Iterable[ops.Tensor | Variable | SparseTensor | None] | None = None,
    dtype: DTypeLike | None = None,
) -> DType:
    """Returns the one floating dtype of `tensors`, float32 if there are none.

    Raises ValueError if they differ or are not floating.
    """
    for tensor in tensors or []:
        if tensor is None:
            continue
        found = tensor.dtype.base_dtype
        if dtype is not None and found != dtypes.as_dtype(dtype):
            raise ValueError(f"Tensor {tensor} must be of type {dtype}, got {found}")
        dtype = found
    dtype = dtypes.float32 if dtype is None else dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f"Expected floating point type, got {dtype}.")
    return dtype


def assert_proper_iterable(values: object) -> None:
    """TypeError unless `values` is an iterable that is no tensor, array or string."""
    wrong = (ops.Tensor, ops.IndexedSlices, np.ndarray, bytes, str)
    for what, fails in (
        ('a "proper" iterable', isinstance(values, wrong)),
        ("iterable", not hasattr(values, "__iter__")),
    ):
        if fails:
            raise TypeError(
                f'Expected argument "values" to be {what}. Found: {type(values)}'
            )


def is_numeric_tensor(tensor: TensorLike | SparseTensor) -> bool:
    """Whether the argument is a tensor of numbers."""
    return isinstance(tensor, ops.Tensor) and (
        tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex
    )


def is_non_decreasing(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """Whether each element is >= the one before, in row-major order: a bool scalar."""
    with ops.name_scope(name, "is_non_decreasing", [x]):
        return math_ops.reduce_all(_differences(x) >= 0)


def is_strictly_increasing(x: TensorLike, name: str | None = None) -> ops.Tensor:
    """Whether each element is > the one before, in row-major order: a bool scalar."""
    with ops.name_scope(name, "is_strictly_increasing", [x]):
        return math_ops.reduce_all(_differences(x) > 0)


def _differences(x: Any) -> ops.Tensor:
    x = array_ops.reshape(ops.convert_to_tensor(x, name="x"), [-1])
    return x[1:] - x[:-1]
