# SPDX-License-Identifier: Apache-2.0
"""Matrices of zeros."""

from __future__ import annotations

import numpy as np

from tensorwright.python.framework import dtypes, errors, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator_identity,
    linear_operator_util as util,
)


class LinearOperatorZeros(
    linear_operator_identity.BatchOfArgument,
    linear_operator_identity.BaseLinearOperatorIdentity,
):
    """Zeros: batch_shape + [num_rows, num_columns]."""

    def __init__(
        self,
        num_rows: TensorLike,
        num_columns: TensorLike | None = None,
        batch_shape: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        """
        num_rows, num_columns, batch_shape: integers, or tensors of them; as many columns as rows if they are not given.
        dtype: float32 if it is None.
        assert_proper_shapes: whether runs check the parts of the shapes that are unknown now, at some cost.

        Raises:
            ValueError: a hint does not fit zeros, or a shape has another rank, is negative, or contradicts is_square.
            TypeError: a shape is not of integers.
        """
        parameters = dict(locals())
        self._assert_proper_shapes = assert_proper_shapes
        with ops.name_scope(name):
            if not is_self_adjoint and is_square:
                raise ValueError("A zero operator is always self adjoint.")
            if is_non_singular:
                raise ValueError("A zero operator is always singular.")
            if is_positive_definite:
                raise ValueError("A zero operator is always not positive-definite.")
            self._set_num_rows(num_rows)
            self._num_columns = self._num_rows
            if num_columns is not None:
                util.assert_not_ref_type(num_columns, "num_columns")
                self._num_columns = util.shape_tensor(num_columns, name="num_columns")
            self._num_columns_static = util.check_size(self._num_columns, "num_columns")
            sizes = (self._num_rows_static, self._num_columns_static)
            if is_square and None not in sizes and sizes[0] != sizes[1]:
                raise ValueError(
                    "LinearOperatorZeros initialized as is_square=True, but got "
                    f"num_rows({sizes[0]}) != num_columns({sizes[1]})"
                )
            self._set_batch_shape(batch_shape)
        super().__init__(
            dtype or dtypes.float32,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    def _shape(self) -> tensor_shape.TensorShape:
        return util.batch_and_matrix(
            self._batch_shape_static, self._num_rows_static, self._num_columns_static
        )

    def _columns(self) -> ops.Tensor:
        return math_ops.cast(self._num_columns, dtypes.int32)

    def _shape_tensor(self) -> ops.Tensor:
        return self._with_batch([self._rows(), self._columns()])

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        if self._assert_proper_shapes and not adjoint:
            x = self._argument(x, adjoint_arg)
        else:
            x = util.adjoint_if(x, adjoint_arg)
        rows, known = self.range_dimension_tensor(), self.range_dimension
        if adjoint:
            rows, known = self.domain_dimension_tensor(), self.domain_dimension
        x = self._in_batch(x)
        shape = array_ops.shape(x)
        shape = array_ops.concat([shape[:-2], [rows], shape[-1:]], 0)
        result = array_ops.zeros(shape, dtype=x.dtype.base_dtype)
        static = x.get_shape()
        if static.ndims is not None:
            result.set_shape(
                util.batch_and_matrix(static[:-2], known, static.as_list()[-1])
            )
        return result

    def _determinant(self) -> ops.Tensor:
        return util.zeros_of(self._batch(), self.dtype)

    def _log_abs_determinant(self) -> ops.Tensor:
        return util.zeros_of(self._batch(), self.dtype, -np.inf)

    def _trace(self) -> ops.Tensor:
        return self._determinant()

    def _diag_part(self) -> ops.Tensor:
        shape = self.shape_tensor()
        length = math_ops.reduce_min(shape[-2:], keepdims=True)
        result = util.zeros_of(array_ops.concat([shape[:-2], length], 0), self.dtype)
        rows, columns = self._num_rows_static, self._num_columns_static
        known = None if rows is None or columns is None else min(rows, columns)
        result.set_shape(
            self._batch_shape_static.concatenate(tensor_shape.TensorShape([known]))
        )
        return result

    def _eigvals(self) -> ops.Tensor:
        return self._diag_part()

    def _to_dense(self) -> ops.Tensor:
        return util.zeros_of(self.shape_tensor(), self.dtype)

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> ops.Tensor:
        """mat, repeated along the operator's batch: mat [..., M, N] -> [..., M, N]."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: ops.Tensor) -> ops.Tensor:
        return self._in_batch(x)

    def _assert_non_singular(self) -> ops.Operation:
        raise errors.InvalidArgumentError(
            None, None, "Zero operators are always non-invertible."
        )

    def _assert_positive_definite(self) -> ops.Operation:
        raise errors.InvalidArgumentError(
            None, None, "Zero operators are always non-positive definite."
        )

    def _assert_self_adjoint(self) -> ops.Operation:
        return control_flow_ops.no_op("assert_self_adjoint")
