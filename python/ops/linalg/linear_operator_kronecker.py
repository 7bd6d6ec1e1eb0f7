# SPDX-License-Identifier: Apache-2.0
"""Kronecker products of operators."""

from __future__ import annotations

import functools
import math
import operator as operator_module
from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import errors, ops, tensor_shape
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_util as util,
)


def _product(sizes: list[int | None]) -> int | None:
    """Multiplies sizes; None if one of them is not known."""
    known = [size for size in sizes if size is not None]
    return math.prod(known) if len(known) == len(sizes) else None


class LinearOperatorKronecker(linear_operator.LinearOperator):
    """A1 x A2 x ... x Ak: rows and columns are products of theirs, elements products of one element of each.

    A product or solution is one of each factor in turn, on a vector of N elements as a block of k dimensions.
    """

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
            ValueError: there are no operators, or a hint contradicts theirs.
        """
        parameters = dict(locals())
        operators = list(operators)
        dtype = util.same_dtype(operators)
        self._operators = operators
        of_all = "The Kronecker product of {0} operators is always {0}."
        is_square = util.implied(
            is_square, all(o.is_square for o in operators), of_all.format("square")
        )
        is_non_singular = util.implied(
            is_non_singular,
            all(o.is_non_singular for o in operators),
            of_all.format("non-singular"),
        )
        is_self_adjoint = util.implied(
            is_self_adjoint,
            all(o.is_self_adjoint for o in operators),
            of_all.format("self-adjoint"),
        )
        is_positive_definite = util.implied(
            is_positive_definite,
            all(o.is_positive_definite and o.is_self_adjoint for o in operators),
            of_all.format("positive definite"),
        )
        util.joint_batch_shape(operators)
        super().__init__(
            dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name or "_x_".join(operator.name for operator in operators),
            parameters,
        )

    @property
    def operators(self) -> list[linear_operator.LinearOperator]:
        """The factors, from the left."""
        return self._operators

    def _shape(self) -> tensor_shape.TensorShape:
        rows = [o.range_dimension.value for o in self._operators]
        columns = [o.domain_dimension.value for o in self._operators]
        return util.batch_and_matrix(
            util.joint_batch_shape(self._operators),
            _product(rows),
            _product(columns),
        )

    def _shape_tensor(self) -> ops.Tensor:
        sizes = [
            math_ops.reduce_prod(
                array_ops.stack([getattr(o, side)() for o in self._operators])
            )
            for side in ("range_dimension_tensor", "domain_dimension_tensor")
        ]
        batch = util.joint_batch_shape_tensor(self._operators)
        return array_ops.concat([batch, array_ops.stack(sizes)], 0)

    def _in_turn(
        self, x: ops.Tensor, act: Callable[..., ops.Tensor], transposed: bool
    ) -> ops.Tensor:
        """Each factor acts on its dimension of x [..., n1 ... nk, R].

        The dimension is the first of the block [n1, ..., nk, R] and becomes the last, so that the next one is the first;
        after all of them the block is [R, m1, ..., mk].
        """
        for place, operator in enumerate(self._operators):
            side = "domain_dimension" if not transposed else "range_dimension"
            rows = getattr(operator, side).value
            if rows is None:
                rows = getattr(operator, f"{side}_tensor")()
            if place:
                x = array_ops.matrix_transpose(x)
            x = _with_rows(x, rows)
            x = act(operator, x)
        return array_ops.matrix_transpose(x)

    def _applied(
        self,
        x: ops.Tensor,
        act: Callable[..., ops.Tensor],
        adjoint: bool,
        inverse: bool,
    ) -> ops.Tensor:
        columns = array_ops.shape(x)[-1]
        known = x.get_shape()
        # A matrix takes as many rows as it has columns; an adjoint or an inverse, as many as it has rows.
        y = self._in_turn(x, act, transposed=adjoint != inverse)
        y = array_ops.matrix_transpose(_with_rows(y, columns))
        if known.ndims is not None and self.batch_shape.ndims is not None:
            rows = self.domain_dimension if adjoint != inverse else self.range_dimension
            batch = array_ops.broadcast_static_shape(known[:-2], self.batch_shape)
            y.set_shape(util.batch_and_matrix(batch, rows, known.as_list()[-1]))
        return y

    def _matmul(
        self, x: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        x = util.adjoint_if(x, adjoint_arg)
        return self._applied(
            x, lambda o, part: o.matmul(part, adjoint=adjoint), adjoint, False
        )

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        if any(o.is_square is False for o in self._operators):
            return super()._solve(rhs, adjoint, adjoint_arg)
        rhs = util.adjoint_if(rhs, adjoint_arg)
        return self._applied(
            rhs, lambda o, part: o.solve(part, adjoint=adjoint), adjoint, True
        )

    def _powers(self) -> list[ops.Tensor]:
        """Returns how often each factor stands in the product: N over its own size."""
        whole = self.domain_dimension_tensor()
        return [whole // o.domain_dimension_tensor() for o in self._operators]

    def _determinant(self) -> ops.Tensor:
        """The product of the factors' determinants, each as often as the others have rows."""
        if any(o.is_square is False for o in self._operators):
            return super()._determinant()
        result = None
        for operator, times in zip(self._operators, self._powers(), strict=True):
            det = operator.determinant()
            power = math_ops.reduce_prod(
                det[..., None] * util.zeros_of(times[None], self.dtype, 1), axis=-1
            )
            result = power if result is None else result * power
        assert result is not None  # There are operators.
        return result

    def _log_abs_determinant(self) -> ops.Tensor:
        if any(o.is_square is False for o in self._operators):
            return super()._log_abs_determinant()
        logs = [
            operator.log_abs_determinant() * math_ops.cast(times, self.dtype)
            for operator, times in zip(self._operators, self._powers(), strict=True)
        ]
        return functools.reduce(operator_module.add, logs)

    def _known_squares(self) -> bool:
        """Whether the diagonal is made of the factors' diagonals."""
        return all(o.is_square for o in self._operators)

    def _trace(self) -> ops.Tensor:
        if not self._known_squares():
            return super()._trace()
        result = self._operators[0].trace()
        for operator in self._operators[1:]:
            result *= operator.trace()
        return result

    def _vectors(self, parts: Sequence[ops.Tensor]) -> ops.Tensor:
        """The products of one element of each, the last fastest: [..., n1], ..., [..., nk] -> [..., n1 ... nk]."""
        result = parts[0]
        for part in parts[1:]:
            both = result[..., :, None] * part[..., None, :]
            shape = array_ops.shape(both)
            result = array_ops.reshape(both, array_ops.concat([shape[:-2], [-1]], 0))
        return result

    def _diag_part(self) -> ops.Tensor:
        if not self._known_squares():
            return super()._diag_part()
        result = self._vectors([o.diag_part() for o in self._operators])
        result.set_shape(self.shape[:-1])
        return result

    def _eigvals(self) -> ops.Tensor:
        if not all(o.is_self_adjoint for o in self._operators):
            return super()._eigvals()
        result = self._vectors([o.eigvals() for o in self._operators])
        result.set_shape(self.shape[:-1])
        return result

    def _cond(self) -> ops.Tensor:
        result = self._operators[0].cond()
        for operator in self._operators[1:]:
            result *= operator.cond()
        return result

    def _to_dense(self) -> ops.Tensor:
        result = self._operators[0].to_dense()
        for operator in self._operators[1:]:
            part = operator.to_dense()
            product = result[..., :, None, :, None] * part[..., None, :, None, :]
            shape = array_ops.shape(product)
            sizes = [shape[-4] * shape[-3], shape[-2] * shape[-1]]
            result = array_ops.reshape(
                product, array_ops.concat([shape[:-4], array_ops.stack(sizes)], 0)
            )
        result.set_shape(self.shape)
        return result

    def _of_all(self, method: str) -> ops.Operation:
        return control_flow_ops.group(*[getattr(o, method)() for o in self._operators])

    def _assert_non_singular(self) -> ops.Operation:
        if not all(operator.is_square for operator in self._operators):
            raise errors.InvalidArgumentError(
                None,
                None,
                "All Kronecker factors must be square for the product to be invertible. "
                "Expected hint `is_square` to be True for every operator in argument "
                "`operators`.",
            )
        return self._of_all("assert_non_singular")

    def _assert_self_adjoint(self) -> ops.Operation:
        if not all(operator.is_square for operator in self._operators):
            raise errors.InvalidArgumentError(
                None,
                None,
                "All Kronecker factors must be square for the product to be self "
                "adjoint. Expected hint `is_square` to be True for every operator in "
                "argument `operators`.",
            )
        return self._of_all("assert_self_adjoint")


def _with_rows(x: ops.Tensor, rows: Any) -> ops.Tensor:
    """[..., m, n] as [..., rows, m n / rows]."""
    batch = array_ops.shape(x)[:-2]
    sizes = [rows, -1] if isinstance(rows, int) else array_ops.stack([rows, -1])
    result = array_ops.reshape(x, array_ops.concat([batch, sizes], 0))
    static = x.get_shape()
    if static.ndims is not None:
        m, n = static.as_list()[-2:]
        known = rows if isinstance(rows, int) else None
        rest = m * n // known if known and None not in (m, n) else None
        result.set_shape(
            static[:-2].concatenate(tensor_shape.TensorShape([known, rest]))
        )
    return result
