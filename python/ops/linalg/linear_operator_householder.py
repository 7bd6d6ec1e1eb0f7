# SPDX-License-Identifier: Apache-2.0
"""Reflections at a plane through the origin."""

from __future__ import annotations

from tensorwright.python.framework import errors, ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


class LinearOperatorHouseholder(linear_operator.LinearOperator):
    """I - 2 v v^H of v = reflection_axis / |reflection_axis|, its own inverse: [B1, ..., Bb, N, N]."""

    def __init__(
        self,
        reflection_axis: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        """
        reflection_axis: [B1, ..., Bb, N], not zero.

        Raises:
            ValueError: a hint is not that of a reflection, or `reflection_axis` is a scalar.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[reflection_axis]):
            self._reflection_axis = util.convert_nonref_to_tensor(
                reflection_axis, name="reflection_axis"
            )
            util.check_rank_at_least(
                self._reflection_axis, 1, "Argument reflection_axis"
            )
            is_self_adjoint = util.implied(
                is_self_adjoint, True, "A Householder operator is always self adjoint."
            )
            is_square = util.implied(
                is_square, True, "A Householder operator is always square."
            )
            is_non_singular = util.implied(
                is_non_singular, True, "A Householder operator is always non-singular."
            )
            if is_positive_definite:
                raise ValueError(
                    "A Householder operator is always non-positive definite."
                )
        super().__init__(
            util.base_dtype(self._reflection_axis),
            None,
            is_non_singular,
            is_self_adjoint,
            False,
            is_square,
            name,
            parameters,
        )

    @property
    def reflection_axis(self) -> TensorLike:
        """The normal of the plane, as it was given."""
        return self._reflection_axis

    def _shape(self) -> tensor_shape.TensorShape:
        shape = self._reflection_axis.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> ops.Tensor:
        shape = array_ops.shape(self._reflection_axis)
        return array_ops.concat([shape, shape[-1:]], 0)

    def _unit(self) -> ops.Tensor:
        """The axis at length 1: [B1, ..., Bb, N, 1]."""
        axis = ops.convert_to_tensor(self._reflection_axis)
        squares = math_ops.square(math_ops.abs(axis))
        length = math_ops.sqrt(math_ops.reduce_sum(squares, axis=-1, keepdims=True))
        return array_ops.expand_dims(axis / math_ops.cast(length, self.dtype), -1)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        x = util.adjoint_if(x, adjoint_arg)
        v = self._unit()
        along = math_ops.reduce_sum(math_ops.conj(v) * x, axis=-2, keepdims=True)
        return x - 2 * v * along

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> ops.Tensor:
        return util.zeros_of(self.batch_shape_tensor(), self.dtype, -1)

    def _log_abs_determinant(self) -> ops.Tensor:
        return util.zeros_of(self.batch_shape_tensor(), self.dtype)

    def _trace(self) -> ops.Tensor:
        rows = math_ops.cast(self.domain_dimension_tensor(), self.dtype)
        return (rows - 2) * util.zeros_of(self.batch_shape_tensor(), self.dtype, 1)

    def _diag_part(self) -> ops.Tensor:
        squares = math_ops.square(math_ops.abs(self._unit()[..., 0]))
        return math_ops.cast(1 - 2 * squares, self.dtype)

    def _to_dense(self) -> ops.Tensor:
        v = self._unit()
        outer = -2 * v * util.matrix_adjoint(v)
        return array_ops.matrix_set_diag(outer, 1 + array_ops.matrix_diag_part(outer))

    def _eigvals(self) -> ops.Tensor:
        """-1, and then all 1."""
        shape = self.shape_tensor()[:-1]
        first = math_ops.equal(math_ops.range(shape[-1]), 0)
        signs = 1 - 2 * math_ops.cast(first, self.dtype)
        result = array_ops.broadcast_to(signs, shape)
        result.set_shape(self.shape[:-1])
        return result

    def _cond(self) -> ops.Tensor:
        return util.zeros_of(self.batch_shape_tensor(), self.dtype.real_dtype, 1)

    def _assert_non_singular(self) -> ops.Operation:
        return control_flow_ops.no_op("assert_non_singular")

    def _assert_positive_definite(self) -> ops.Operation:
        raise errors.InvalidArgumentError(
            None, None, "Householder operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> ops.Operation:
        return control_flow_ops.no_op("assert_self_adjoint")
