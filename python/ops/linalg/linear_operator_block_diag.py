# SPDX-License-Identifier: Apache-2.0
"""Operators along a diagonal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops.linalg import (
    linear_operator,
    linear_operator_blockwise,
    linear_operator_util as util,
)


class LinearOperatorBlockDiag(linear_operator_blockwise.BlockwiseOperator):
    """A1, ..., Ak along the diagonal, zeros elsewhere.  Arguments may be lists of k blocks, results are then too."""

    def __init__(
        self,
        operators: Sequence[linear_operator.LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        """
        is_square: counts if the operators' shapes are not known.

        Raises:
            TypeError: the operators are of several dtypes.
            ValueError: there are no operators, or a hint contradicts theirs.
        """
        parameters = dict(locals())
        operators = list(operators)
        dtype = util.same_dtype(operators)
        self._operators = operators
        of_all = "The direct sum of {0} operators is always {0}."
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
            all(o.is_positive_definite for o in operators),
            of_all.format("positive definite"),
        )
        is_square = util.implied(
            is_square, all(o.is_square for o in operators), of_all.format("square")
        )
        rows, columns = self._sizes()
        if None not in (rows, columns) and rows != columns:
            is_square = False
        util.joint_batch_shape(operators)
        super().__init__(
            dtype,
            None,
            is_non_singular,
            is_self_adjoint,
            is_positive_definite,
            is_square,
            name or "_ds_".join(operator.name for operator in operators),
            parameters,
        )

    @property
    def operators(self) -> list[linear_operator.LinearOperator]:
        """The blocks, from the top."""
        return self._operators

    def _block_rows(self) -> Sequence[linear_operator.LinearOperator]:
        return self._operators

    _block_columns = _block_rows

    def _sizes(self) -> tuple[int | None, int | None]:
        sizes = []
        for side in ("range_dimension", "domain_dimension"):
            known = [getattr(o, side).value for o in self._operators]
            sizes.append(None if None in known else sum(known))
        return tuple(sizes)

    def _shape(self) -> tensor_shape.TensorShape:
        return util.batch_and_matrix(
            util.joint_batch_shape(self._operators), *self._sizes()
        )

    def _shape_tensor(self) -> ops.Tensor:
        sizes = [
            math_ops.add_n(self._block_range_dimension_tensors()),
            math_ops.add_n(self._block_domain_dimension_tensors()),
        ]
        batch = util.joint_batch_shape_tensor(self._operators)
        return array_ops.concat([batch, array_ops.stack(sizes)], 0)

    def _matmul_blocks(self, x: list[ops.Tensor], adjoint: bool) -> list[ops.Tensor]:
        pairs = zip(self._operators, x, strict=True)
        return [o.matmul(part, adjoint=adjoint) for o, part in pairs]

    def _solve(
        self, rhs: ops.Tensor, adjoint: bool = False, adjoint_arg: bool = False
    ) -> ops.Tensor:
        if not self._all_square():
            return linear_operator.LinearOperator._solve(
                self, rhs, adjoint, adjoint_arg
            )
        return super()._solve(rhs, adjoint, adjoint_arg)

    def _solve_blocks(self, rhs: list[ops.Tensor], adjoint: bool) -> list[ops.Tensor]:
        pairs = zip(self._operators, rhs, strict=True)
        return [o.solve(part, adjoint=adjoint) for o, part in pairs]

    def _all_square(self) -> bool:
        return all(o.is_square is not False for o in self._operators)

    def _combined(
        self, method: str, combine: Callable[[ops.Tensor, ops.Tensor], ops.Tensor]
    ) -> ops.Tensor:
        result = getattr(self._operators[0], method)()
        for operator in self._operators[1:]:
            result = combine(result, getattr(operator, method)())
        return result

    def _determinant(self) -> ops.Tensor:
        if not self._all_square():
            return super()._determinant()
        return self._combined("determinant", math_ops.multiply)

    def _log_abs_determinant(self) -> ops.Tensor:
        if not self._all_square():
            return super()._log_abs_determinant()
        return self._combined("log_abs_determinant", math_ops.add)

    def _trace(self) -> ops.Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._trace()
        return self._combined("trace", math_ops.add)

    def _diag_part(self) -> ops.Tensor:
        if not all(o.is_square for o in self._operators):
            return super()._diag_part()
        parts = [o.diag_part() for o in self._operators]
        return linear_operator_blockwise.joined_vectors(parts)

    def _eigvals(self) -> ops.Tensor:
        if not all(o.is_self_adjoint for o in self._operators):
            return super()._eigvals()
        parts = [o.eigvals() for o in self._operators]
        return linear_operator_blockwise.joined_vectors(parts)

    def _to_dense(self) -> ops.Tensor:
        """Each block with zeros on its left and right."""
        blocks = util.broadcast_matrix_batch_dims(
            [o.to_dense() for o in self._operators]
        )
        whole = self.domain_dimension_tensor()
        before, rows = ops.convert_to_tensor(0), []
        for operator, block in zip(self._operators, blocks, strict=True):
            width = operator.domain_dimension_tensor()
            here = array_ops.stack([before, whole - before - width])
            none = array_ops.zeros([array_ops.rank(block) - 1, 2], dtype=here.dtype)
            rows.append(array_ops.pad(block, array_ops.concat([none, here[None]], 0)))
            before = before + width
        dense = array_ops.concat(rows, -2)
        dense.set_shape(self.shape)
        return dense

    def _of_all(self, method: str) -> ops.Operation:
        return control_flow_ops.group(*[getattr(o, method)() for o in self._operators])

    def _assert_non_singular(self) -> ops.Operation:
        return self._of_all("assert_non_singular")

    def _assert_self_adjoint(self) -> ops.Operation:
        return self._of_all("assert_self_adjoint")

    def _assert_positive_definite(self) -> ops.Operation:
        return self._of_all("assert_positive_definite")
