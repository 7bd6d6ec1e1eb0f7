# SPDX-License-Identifier: Apache-2.0
"""Operators plus a product of thin matrices."""

from __future__ import annotations

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_linalg_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_diag,
    linear_operator_identity,
    linear_operator_util as util,
)


class LinearOperatorLowRankUpdate(linear_operator.LinearOperator):
    """L + U D V^H: L an operator [..., M, N], U [..., M, K], V [..., N, K], D diagonal [..., K, K].

    Solutions and determinants are those of L and of C = D^-1 + V^H L^-1 U [..., K, K]:

        (L + U D V^H)^-1 = L^-1 - L^-1 U C^-1 V^H L^-1        (Sherman, Morrison, Woodbury)
        det(L + U D V^H) = det(L) det(D) det(C)
    """

    def __init__(
        self,
        base_operator: linear_operator.LinearOperator,
        u: TensorLike,
        diag_update: TensorLike | None = None,
        v: TensorLike | None = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        """
        base_operator: L.
        u, v: matrices of L's dtype; v is u if it is None.
        diag_update: the diagonal of D, [..., K], all 1 if it is None.
        is_diag_update_positive: whether the whole diagonal is positive.

        Raises:
            ValueError: shapes do not fit, or is_diag_update_positive is False without a diagonal.
            TypeError: dtypes differ.
        """
        parameters = dict(locals())
        dtype = base_operator.dtype
        if diag_update is None:
            is_diag_update_positive = util.implied(
                is_diag_update_positive,
                True,
                "Default diagonal is the identity, which is positive.  However, user "
                "set 'is_diag_update_positive' to False.",
            )
        self._is_diag_update_positive = is_diag_update_positive
        with ops.name_scope(name):
            self._base_operator = base_operator
            self._u = util.convert_nonref_to_tensor(u, dtype, "u")
            self._v = self._u
            if v is not None:
                self._v = util.convert_nonref_to_tensor(v, dtype, "v")
            self._diag_update = util.convert_nonref_to_tensor(
                diag_update, dtype, "diag_update"
            )
            util.check_rank_at_least(self._u, 2, "Argument u")
            util.check_rank_at_least(self._v, 2, "Argument v")
            symmetric = v is None and base_operator.is_self_adjoint
            positive = symmetric and is_diag_update_positive
            is_self_adjoint = util.implied(
                is_self_adjoint,
                positive or (symmetric and not dtype.is_complex),
                "A self-adjoint operator plus U D U^H, D real, is always self-adjoint.",
            )
            is_positive_definite = util.implied(
                is_positive_definite,
                positive and base_operator.is_positive_definite,
                "A positive definite operator plus U D U^H, D positive, is always "
                "positive definite.",
            )
            self._set_diag_operator()
            self._check_shapes()
        # C is Hermitian and positive definite then.
        self._use_cholesky = bool(positive and base_operator.is_positive_definite)
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

    def _set_diag_operator(self) -> None:
        if self._diag_update is not None:
            self._diag_operator = linear_operator_diag.LinearOperatorDiag(
                self._diag_update,
                is_positive_definite=self._is_diag_update_positive or None,
            )
            return
        rank = tensor_shape.dimension_at_index(self._u.get_shape(), -1).value
        self._diag_operator = linear_operator_identity.LinearOperatorIdentity(
            array_ops.shape(self._u)[-1] if rank is None else rank,
            dtype=self._base_operator.dtype,
        )

    def _check_shapes(self) -> None:
        base = self._base_operator
        u, v = self._u.get_shape(), self._v.get_shape()
        at = tensor_shape.dimension_at_index
        base.range_dimension.assert_is_compatible_with(at(u, -2))
        base.domain_dimension.assert_is_compatible_with(at(v, -2))
        at(u, -1).assert_is_compatible_with(at(v, -1))
        self._diag_operator.domain_dimension.assert_is_compatible_with(at(u, -1))
        self._static_batch()

    def _static_batch(self) -> tensor_shape.TensorShape:
        batch = util.joint_batch_shape([self._base_operator, self._diag_operator])
        for x in (self._u, self._v):
            batch = array_ops.broadcast_static_shape(batch, util.static_batch(x))
        return batch

    @property
    def base_operator(self) -> linear_operator.LinearOperator:
        """L."""
        return self._base_operator

    @property
    def u(self) -> TensorLike:
        """U, as it was given."""
        return self._u

    @property
    def v(self) -> TensorLike:
        """V, as it was given."""
        return self._v

    @property
    def diag_update(self) -> TensorLike | None:
        """The diagonal of D, as it was given."""
        return self._diag_update

    @property
    def diag_operator(self) -> linear_operator.LinearOperator:
        """D."""
        return self._diag_operator

    @property
    def is_diag_update_positive(self) -> bool | None:
        """Whether D's diagonal is positive."""
        return self._is_diag_update_positive

    def _shape(self) -> tensor_shape.TensorShape:
        base = self._base_operator
        return util.batch_and_matrix(
            self._static_batch(), base.range_dimension, base.domain_dimension
        )

    def _shape_tensor(self) -> ops.Tensor:
        batch = util.joint_batch_shape_tensor(
            [self._base_operator, self._diag_operator]
        )
        for x in (self._u, self._v):
            batch = array_ops.broadcast_dynamic_shape(batch, array_ops.shape(x)[:-2])
        return array_ops.concat([batch, self._base_operator.shape_tensor()[-2:]], 0)

    def _sides(self, adjoint: bool) -> tuple[TensorLike, TensorLike]:
        return (self._v, self._u) if adjoint else (self._u, self._v)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        u, v = self._sides(adjoint)
        x = util.adjoint_if(x, adjoint_arg)
        inner = util.matmul_with_broadcast(v, x, adjoint_a=True)
        inner = self._diag_operator.matmul(inner, adjoint=adjoint)
        product = util.matmul_with_broadcast(u, inner)
        return self._base_operator.matmul(x, adjoint=adjoint) + product

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        if self._base_operator.is_non_singular is False:
            return super()._solve(rhs, adjoint, adjoint_arg)
        u, v = self._sides(adjoint)
        rhs = util.adjoint_if(rhs, adjoint_arg)
        first = self._base_operator.solve(rhs, adjoint=adjoint)
        inner = util.matmul_with_broadcast(v, first, adjoint_a=True)
        small = self._capacitance()
        if self._use_cholesky:
            inner = util.cholesky_solve_with_broadcast(
                gen_linalg_ops.cholesky(small), inner
            )
        else:
            inner = util.matrix_solve_with_broadcast(small, inner, adjoint=adjoint)
        correction = util.matmul_with_broadcast(u, inner)
        return first - self._base_operator.solve(correction, adjoint=adjoint)

    def _capacitance(self) -> ops.Tensor:
        """C."""
        solved = self._base_operator.solve(ops.convert_to_tensor(self._u))
        product = util.matmul_with_broadcast(self._v, solved, adjoint_a=True)
        return self._diag_operator.inverse().add_to_tensor(product)

    def _determinant(self) -> ops.Tensor:
        if self._base_operator.is_non_singular is False:
            return super()._determinant()
        if self._use_cholesky:
            return math_ops.exp(self._log_abs_determinant())
        return (
            gen_linalg_ops.matrix_determinant(self._capacitance())
            * self._diag_operator.determinant()
            * self._base_operator.determinant()
        )

    def _log_abs_determinant(self) -> ops.Tensor:
        if self._base_operator.is_non_singular is False:
            return super()._log_abs_determinant()
        small = self._capacitance()
        if self._use_cholesky:
            diag = array_ops.matrix_diag_part(gen_linalg_ops.cholesky(small))
            of_small = 2 * math_ops.reduce_sum(math_ops.log(diag), axis=-1)
        else:
            of_small = gen_linalg_ops.log_matrix_determinant(small)[1]
        return (
            of_small
            + self._diag_operator.log_abs_determinant()
            + self._base_operator.log_abs_determinant()
        )

    def _diag_part(self) -> ops.Tensor:
        if self.is_square is not True:
            return super()._diag_part()
        products = self._u * math_ops.conj(self._v)
        if self._diag_update is not None:
            products *= array_ops.expand_dims(self._diag_update, -2)
        return self._base_operator.diag_part() + math_ops.reduce_sum(products, axis=-1)

    def _trace(self) -> ops.Tensor:
        return math_ops.reduce_sum(self._diag_part(), axis=-1)
