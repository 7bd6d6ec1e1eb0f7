# SPDX-License-Identifier: Apache-2.0
"""Linear operators as pairs of functions, products and norms of vectors."""

from __future__ import annotations

import collections
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, math_ops

if TYPE_CHECKING:
    from tensorwright.python.framework.dtypes import DType


# `apply` multiplies the matrix with a column [n, 1], `apply_adjoint` its adjoint with one [m, 1].
LinearOperator = collections.namedtuple(
    "LinearOperator", ["shape", "dtype", "apply", "apply_adjoint"]
)


class OperatorLike(Protocol):
    """A LinearOperator, or another object with these parts of one."""

    @property
    def shape(self) -> Sequence[int] | ops.Tensor: ...
    @property
    def dtype(self) -> DType: ...
    @property
    def apply(self) -> Callable[[ops.Tensor], ops.Tensor]: ...


class OperatorWithAdjoint(OperatorLike, Protocol):
    """An OperatorLike of which also the adjoint's products are known."""

    @property
    def apply_adjoint(self) -> Callable[[ops.Tensor], ops.Tensor]: ...


def create_operator(matrix: TensorLike) -> LinearOperator:
    """The operator of a matrix [m, n]."""
    matrix = ops.convert_to_tensor(matrix)
    static = matrix.get_shape()
    shape: Any = array_ops.shape(matrix)
    if static.is_fully_defined():
        shape = static.as_list()
    return LinearOperator(
        shape=shape,
        dtype=matrix.dtype,
        apply=lambda v: math_ops.matmul(matrix, v, adjoint_a=False),
        apply_adjoint=lambda v: math_ops.matmul(matrix, v, adjoint_a=True),
    )


def identity_operator(matrix: TensorLike) -> LinearOperator:
    """The identity of the shape and dtype of a matrix."""
    matrix = ops.convert_to_tensor(matrix)
    return LinearOperator(
        shape=matrix.get_shape().as_list()
        if matrix.get_shape().is_fully_defined()
        else array_ops.shape(matrix),
        dtype=matrix.dtype,
        apply=lambda v: v,
        apply_adjoint=lambda v: v,
    )


def dot(x: TensorLike, y: TensorLike) -> ops.Tensor:
    """The scalar product of two columns: conj(x) . y."""
    return math_ops.reduce_sum(math_ops.conj(x) * y)


def l2norm_squared(v: TensorLike) -> ops.Tensor:
    """The scalar product of a vector with itself."""
    return dot(v, v)


def l2norm(v: TensorLike) -> ops.Tensor:
    """The length of a vector."""
    return math_ops.sqrt(l2norm_squared(v))


def l2normalize(v: TensorLike) -> tuple[ops.Tensor, ops.Tensor]:
    """(the vector of length 1 and the same direction, the length)."""
    length = l2norm(v)
    return v / length, length
