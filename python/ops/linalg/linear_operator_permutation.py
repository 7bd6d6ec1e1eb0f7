# SPDX-License-Identifier: Apache-2.0
"""Permutations of rows."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from tensorwright.python.framework import dtypes, ops, tensor_shape, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    sort_ops,
)
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


class LinearOperatorPermutation(linear_operator.LinearOperator):
    """Row i of A x is row perm[i] of x: perm [B1, ..., Bb, N] -> [B1, ..., Bb, N, N]."""

    def __init__(
        self,
        perm: TensorLike,
        dtype: DTypeLike = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        """
        perm: integers 0 to N - 1, each once; runs do not check a value that is unknown now.
        dtype: the dtype of the matrices.

        Raises:
            TypeError: `perm` is not of integers.
            ValueError: a hint does not fit a permutation; `perm` is a scalar, or known to be no permutation.
        """
        parameters = dict(locals())
        with ops.name_scope(name, values=[perm]):
            self._perm = util.convert_nonref_to_tensor(perm, name="perm")
            is_non_singular = util.implied(
                is_non_singular, True, "A Permutation operator is always non-singular."
            )
            is_square = util.implied(
                is_square, True, "A Permutation operator is always square."
            )
            self._check_perm()
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

    def _check_perm(self) -> None:
        util.check_rank_at_least(self._perm, 1, "Argument perm")
        if not util.known_dtype(self._perm).is_integer:
            raise TypeError(f"Argument perm must be integer dtype, got {self._perm}")
        known = None
        if isinstance(self._perm, ops.Tensor):
            known = tensor_util.constant_value(self._perm)
        if known is not None:
            wanted = np.arange(known.shape[-1])
            if not np.all(np.sort(known, axis=-1) == wanted):
                raise ValueError(
                    "Argument perm must be a vector of unique integers from 0 to "
                    f"{known.shape[-1] - 1}, got {known}"
                )

    @property
    def perm(self) -> TensorLike:
        """The permutation, as it was given."""
        return self._perm

    def _shape(self) -> tensor_shape.TensorShape:
        shape = self._perm.get_shape()
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self) -> ops.Tensor:
        shape = array_ops.shape(self._perm)
        return array_ops.concat([shape, shape[-1:]], 0)

    def inverse_perm(self) -> ops.Tensor:
        """The place to which each row went: [B1, ..., Bb, N]."""
        return sort_ops.argsort(self._perm, axis=-1)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        perm = ops.convert_to_tensor(self._perm)
        if adjoint:
            perm = self.inverse_perm()
        x = util.adjoint_if(x, adjoint_arg)
        rank = x.get_shape().ndims
        if perm.get_shape().ndims == 1 and rank is not None:
            return array_ops.gather(x, perm, axis=rank - 2)
        # One batch of both, as one dimension.
        x = util.broadcast_batch(self.batch_shape, self.batch_shape_tensor, x)
        shape = array_ops.shape(x)
        perm = util.broadcast_batch(
            util.static_batch(x), lambda: shape[:-2], perm, inner=1
        )
        rows = array_ops.reshape(x, array_ops.concat([[-1], shape[-2:]], 0))
        perm = array_ops.reshape(perm, array_ops.stack([-1, shape[-2]]))
        moved = array_ops.gather(rows, perm, axis=1, batch_dims=1)
        result = array_ops.reshape(moved, shape)
        result.set_shape(x.get_shape())
        return result

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _determinant(self) -> ops.Tensor:
        """-1 where the number of pairs that stand in the wrong order is odd."""
        after = math_ops.greater(self._perm[..., :, None], self._perm[..., None, :])
        pairs = array_ops.matrix_band_part(math_ops.cast(after, dtypes.int32), 0, -1)
        count = math_ops.reduce_sum(pairs, axis=[-2, -1])
        return math_ops.cast(1 - 2 * math_ops.floormod(count, 2), self.dtype)

    def _log_abs_determinant(self) -> ops.Tensor:
        return util.zeros_of(self.batch_shape_tensor(), self.dtype)

    def _cond(self) -> ops.Tensor:
        return util.zeros_of(self.batch_shape_tensor(), self.dtype.real_dtype, 1)

    def _diag_part(self) -> ops.Tensor:
        return math_ops.cast(math_ops.equal(self._perm, self._places()), self.dtype)

    def _places(self) -> ops.Tensor:
        """0, 1, ..., N - 1."""
        return math_ops.range(
            math_ops.cast(
                self.domain_dimension_tensor(), cast(Any, util.base_dtype(self._perm))
            )
        )

    def _to_dense(self) -> ops.Tensor:
        moved = math_ops.equal(self._perm[..., None], self._places())
        return math_ops.cast(moved, self.dtype)

    def _assert_non_singular(self) -> ops.Operation:
        return control_flow_ops.no_op("assert_non_singular")
