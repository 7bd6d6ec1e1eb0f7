# SPDX-License-Identifier: Apache-2.0
"""Products of operators."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.ops import array_ops, control_flow_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_adjoint,
    linear_operator_util as util,
)


class LinearOperatorComposition(linear_operator.LinearOperator):
    """A1 A2 ... Ak of k operators, which act one after the other, the last first."""

    def __init__(
        self,
        operators: Sequence[linear_operator.LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        """
        Raises:
            TypeError: the operators are of several dtypes.
            ValueError: there are no operators, their sizes do not fit, or a hint contradicts theirs.
        """
        parameters = dict(locals())
        operators = list(operators)
        dtype = util.same_dtype(operators)
        self._operators = operators
        is_non_singular = util.implied(
            is_non_singular,
            all(operator.is_non_singular for operator in operators),
            "The composition of non-singular operators is always non-singular.",
        )
        symmetric = all(
            _are_adjoint(left, right)
            for left, right in zip(operators, reversed(operators))
        )
        is_self_adjoint = util.implied(
            is_self_adjoint,
            symmetric,
            "The composition of operators that are the adjoints of those in reverse "
            "order is always self-adjoint.",
        )
        middle = operators[len(operators) // 2]
        is_positive_definite = util.implied(
            is_positive_definite,
            symmetric
            and is_non_singular
            and (len(operators) % 2 == 0 or middle.is_positive_definite),
            "The composition of non-singular operators and their adjoints around a "
            "positive definite one is always positive definite.",
        )
        for left, right in zip(operators, operators[1:]):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        util.joint_batch_shape(operators)
        super().__init__(
            dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name or "_o_".join(operator.name for operator in operators),
            parameters,
        )

    @property
    def operators(self) -> list[linear_operator.LinearOperator]:
        """The factors, from the left."""
        return self._operators

    def _shape(self) -> tensor_shape.TensorShape:
        return util.batch_and_matrix(
            util.joint_batch_shape(self._operators),
            self._operators[0].range_dimension,
            self._operators[-1].domain_dimension,
        )

    def _shape_tensor(self) -> ops.Tensor:
        sizes = array_ops.stack(
            [
                self._operators[0].range_dimension_tensor(),
                self._operators[-1].domain_dimension_tensor(),
            ]
        )
        batch = util.joint_batch_shape_tensor(self._operators)
        return array_ops.concat([batch, sizes], 0)

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        for operator in self._operators if adjoint else reversed(self._operators):
            x = operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
            adjoint_arg = False
        return x

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        if not self._all_square():
            return super()._solve(rhs, adjoint, adjoint_arg)
        for operator in reversed(self._operators) if adjoint else self._operators:
            rhs = operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
            adjoint_arg = False
        return rhs

    def _all_square(self) -> bool:
        """False if a factor is known not to be square; the product may still be square."""
        return all(operator.is_square is not False for operator in self._operators)

    def _determinant(self) -> ops.Tensor:
        if not self._all_square():
            return super()._determinant()
        result = self._operators[0].determinant()
        for operator in self._operators[1:]:
            result *= operator.determinant()
        return result

    def _log_abs_determinant(self) -> ops.Tensor:
        if not self._all_square():
            return super()._log_abs_determinant()
        result = self._operators[0].log_abs_determinant()
        for operator in self._operators[1:]:
            result += operator.log_abs_determinant()
        return result

    def _assert_non_singular(self) -> ops.Operation:
        if not all(operator.is_square for operator in self._operators):
            return super()._assert_non_singular()
        return control_flow_ops.group(
            *[operator.assert_non_singular() for operator in self._operators]
        )


def _are_adjoint(
    a: linear_operator.LinearOperator, b: linear_operator.LinearOperator
) -> bool:
    """Whether one is known to be the other's adjoint."""
    if a is b:
        return bool(a.is_self_adjoint)
    kind = linear_operator_adjoint.LinearOperatorAdjoint
    of_a = a.operator if isinstance(a, kind) else None
    of_b = b.operator if isinstance(b, kind) else None
    return of_a is b or of_b is a
