# SPDX-License-Identifier: Apache-2.0
"""Identity matrices, and their multiples."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    math_ops,
)
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


class BaseLinearOperatorIdentity(linear_operator.LinearOperator):
    """The base of operators with a number of rows, `_num_rows`.  Constructors set `_assert_proper_shapes` too."""

    _assert_proper_shapes: bool

    def _set_num_rows(self, num_rows: TensorLike) -> None:
        util.assert_not_ref_type(num_rows, "num_rows")
        self._num_rows = util.shape_tensor(num_rows, name="num_rows")
        self._num_rows_static = util.check_size(self._num_rows, "num_rows")
        if self._assert_proper_shapes and self._num_rows_static is None:
            self._num_rows = _checked_size(self._num_rows, "num_rows")

    def _rows(self) -> ops.Tensor:
        return math_ops.cast(self._num_rows, dtypes.int32)

    def _argument(self, x: ops.Tensor, adjoint_arg: bool = False) -> ops.Tensor:
        """`x` as columns, checked in the run where that is wanted."""
        x = util.adjoint_if(x, adjoint_arg)
        if not self._assert_proper_shapes:
            return x
        check = util.assert_compatible_matrix_dimensions(self, x)
        with ops.control_dependencies([check]):
            return array_ops.identity(x)

    def _batch(self) -> Any:
        """The batch shape, for array_ops.fill."""
        return self.batch_shape_tensor()


def _checked_size(size: ops.Tensor, name: str) -> ops.Tensor:
    checks = [
        check_ops.assert_rank(
            size, 0, message=f"Argument {name} must be a 0-D Tensor."
        ),
        check_ops.assert_non_negative(
            size, message=f"Argument {name} must be non-negative."
        ),
    ]
    with ops.control_dependencies(checks):
        return array_ops.identity(size)


def checked_batch_shape(batch_shape: ops.Tensor) -> ops.Tensor:
    """A batch shape that is given as a tensor, checked in the run."""
    checks = [
        check_ops.assert_rank(
            batch_shape, 1, message="Argument batch_shape must be a 1-D Tensor."
        ),
        check_ops.assert_non_negative(
            batch_shape, message="Argument batch_shape must be non-negative."
        ),
    ]
    with ops.control_dependencies(checks):
        return array_ops.identity(batch_shape)


class BatchOfArgument:
    """The base of operators whose batch shape is an argument, `_batch_shape_arg`, None for a single matrix."""

    _assert_proper_shapes: bool

    def _set_batch_shape(self, batch_shape: TensorLike | None) -> None:
        self._batch_shape_arg = None
        self._batch_shape_static = tensor_shape.scalar()
        if batch_shape is None:
            return
        util.assert_not_ref_type(batch_shape, "batch_shape")
        tensor = util.shape_tensor(batch_shape, name="batch_shape_arg")
        self._batch_shape_static = util.check_batch_shape(tensor)
        if (
            self._assert_proper_shapes
            and not self._batch_shape_static.is_fully_defined()
        ):
            tensor = checked_batch_shape(tensor)
        self._batch_shape_arg = math_ops.cast(tensor, dtypes.int32)

    def _in_batch(self, x: ops.Tensor) -> ops.Tensor:
        """`x` [..., m, n] repeated along the operator's batch."""
        batch = self._batch_shape_arg
        if batch is None:
            return x
        return util.broadcast_batch(self._batch_shape_static, lambda: batch, x)

    def _with_batch(self, sizes: list[ops.Tensor]) -> ops.Tensor:
        matrix = array_ops.stack(sizes)
        if self._batch_shape_arg is None:
            return matrix
        return array_ops.concat([self._batch_shape_arg, matrix], 0)


class LinearOperatorIdentity(BatchOfArgument, BaseLinearOperatorIdentity):
    """Identity matrices: batch_shape + [num_rows, num_rows]."""

    def __init__(
        self,
        num_rows: TensorLike,
        batch_shape: TensorLike | None = None,
        dtype: DTypeLike | None = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        """
        num_rows, batch_shape: integers, or tensors of them.
        dtype: float32 if it is None.
        assert_proper_shapes: whether runs check the parts of the shapes that are unknown now, at some cost.

        Raises:
            ValueError: a hint is not True, or a shape has another rank or is negative.
            TypeError: a shape is not of integers.
        """
        parameters = dict(locals())
        self._assert_proper_shapes = assert_proper_shapes
        with ops.name_scope(name):
            for hint, what in (
                (is_self_adjoint, "self adjoint"),
                (is_non_singular, "non-singular"),
                (is_positive_definite, "positive-definite"),
                (is_square, "square"),
            ):
                if not hint:
                    raise ValueError(f"An identity operator is always {what}.")
            self._set_num_rows(num_rows)
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
        rows = self._num_rows_static
        return util.batch_and_matrix(self._batch_shape_static, rows, rows)

    def _shape_tensor(self) -> ops.Tensor:
        return self._with_batch([self._rows(), self._rows()])

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._in_batch(self._argument(x, adjoint_arg))

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self) -> ops.Tensor:
        return util.zeros_of(self._batch(), self.dtype, 1)

    def _log_abs_determinant(self) -> ops.Tensor:
        return util.zeros_of(self._batch(), self.dtype)

    def _cond(self) -> ops.Tensor:
        return util.zeros_of(self._batch(), self.dtype.real_dtype, 1)

    def _trace(self) -> ops.Tensor:
        return math_ops.cast(self._num_rows, self.dtype) * self._determinant()

    def _diag_part(self) -> ops.Tensor:
        return util.zeros_of(self.shape_tensor()[:-1], self.dtype, 1)

    def _eigvals(self) -> ops.Tensor:
        return self._diag_part()

    def _to_dense(self) -> ops.Tensor:
        return array_ops.matrix_diag(self._diag_part())

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> ops.Tensor:
        """The identity + mat: mat [..., N, N] -> [..., N, N]."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: ops.Tensor) -> ops.Tensor:
        x = self._in_batch(x)
        diag = array_ops.matrix_diag_part(x)
        return array_ops.matrix_set_diag(
            x, diag + np.ones([], diag.dtype.as_numpy_dtype)
        )

    def _assert_non_singular(self) -> ops.Operation:
        return control_flow_ops.no_op("assert_non_singular")

    def _assert_positive_definite(self) -> ops.Operation:
        return control_flow_ops.no_op("assert_positive_definite")

    def _assert_self_adjoint(self) -> ops.Operation:
        return control_flow_ops.no_op("assert_self_adjoint")


class LinearOperatorScaledIdentity(BaseLinearOperatorIdentity):
    """Identity matrices times `multiplier` [B1, ..., Bb]: [B1, ..., Bb, num_rows, num_rows]."""

    def __init__(
        self,
        num_rows: TensorLike,
        multiplier: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        """
        Raises:
            ValueError: is_square is not True, is_self_adjoint is False of real numbers, or `num_rows` is no size.
            TypeError: `num_rows` is no integer.
        """
        parameters = dict(locals())
        self._assert_proper_shapes = assert_proper_shapes
        with ops.name_scope(name, values=[multiplier]):
            self._multiplier = util.convert_nonref_to_tensor(
                multiplier, name="multiplier"
            )
            dtype = util.known_dtype(self._multiplier)
            is_self_adjoint = util.implied(
                is_self_adjoint,
                not dtype.is_complex,
                "A real diagonal operator is always self adjoint.",
            )
            if not is_square:
                raise ValueError("A ScaledIdentity operator is always square.")
            self._set_num_rows(num_rows)
        super().__init__(
            dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name,
            parameters,
        )

    @property
    def multiplier(self) -> TensorLike:
        """The diagonals' values, as they were given."""
        return self._multiplier

    def _shape(self) -> tensor_shape.TensorShape:
        rows = self._num_rows_static
        return util.batch_and_matrix(self._multiplier.get_shape(), rows, rows)

    def _shape_tensor(self) -> ops.Tensor:
        sizes = array_ops.stack([self._rows(), self._rows()])
        return array_ops.concat([array_ops.shape(self._multiplier), sizes], 0)

    def _as_matrix(self, adjoint: bool = False) -> ops.Tensor:
        """[B1, ..., Bb, 1, 1]."""
        return util.conj_if(self._multiplier, adjoint)[..., None, None]

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._argument(x, adjoint_arg) * self._as_matrix(adjoint)

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._argument(rhs, adjoint_arg) / self._as_matrix(adjoint)

    def _determinant(self) -> ops.Tensor:
        """Multiplies the elements: powers of complex numbers by logarithms would lose digits."""
        return math_ops.reduce_prod(self._diag_part(), axis=-1)

    def _log_abs_determinant(self) -> ops.Tensor:
        rows = math_ops.cast(self._num_rows, self.dtype.real_dtype)
        logs = rows * math_ops.log(math_ops.abs(self._multiplier))
        return math_ops.cast(logs, self.dtype)

    def _cond(self) -> ops.Tensor:
        return array_ops.ones_like(math_ops.abs(self._multiplier))

    def _trace(self) -> ops.Tensor:
        return self._multiplier * math_ops.cast(self._num_rows, self.dtype)

    def _diag_part(self) -> ops.Tensor:
        ones = util.zeros_of(array_ops.expand_dims(self._rows(), 0), self.dtype, 1)
        return array_ops.expand_dims(self._multiplier, -1) * ones

    def _eigvals(self) -> ops.Tensor:
        return self._diag_part()

    def _to_dense(self) -> ops.Tensor:
        return array_ops.matrix_diag(self._diag_part())

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> ops.Tensor:
        """A + mat: mat [..., N, N] -> [..., N, N]."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: ops.Tensor) -> ops.Tensor:
        x = util.broadcast_batch(self.batch_shape, self.batch_shape_tensor, x)
        diag = array_ops.matrix_diag_part(x)
        multiplier = array_ops.expand_dims(self._multiplier, -1)
        return array_ops.matrix_set_diag(x, diag + multiplier)

    def _assert_non_singular(self) -> ops.Operation:
        return util.assert_no_entries_with_modulus_zero(
            self._multiplier, message="LinearOperator was singular"
        )

    def _assert_positive_definite(self) -> ops.Operation:
        return check_ops.assert_positive(
            math_ops.real(self._multiplier),
            message="LinearOperator was not positive definite.",
        )

    def _assert_self_adjoint(self) -> ops.Operation:
        return util.assert_zero_imag_part(
            self._multiplier, message="LinearOperator was not self-adjoint"
        )
