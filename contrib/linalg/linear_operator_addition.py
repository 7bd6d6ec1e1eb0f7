# SPDX-License-Identifier: Apache-2.0
"""Sums of linear operators, each as cheap a kind as it can be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.ops import array_ops, check_ops
from tensorwright.python.ops.linalg.linear_operator import LinearOperator
from tensorwright.python.ops.linalg.linear_operator_diag import LinearOperatorDiag
from tensorwright.python.ops.linalg.linear_operator_full_matrix import (
    LinearOperatorFullMatrix,
)
from tensorwright.python.ops.linalg.linear_operator_identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from tensorwright.python.ops.linalg.linear_operator_lower_triangular import (
    LinearOperatorLowerTriangular,
)

_IDENTITIES = (LinearOperatorIdentity, LinearOperatorScaledIdentity)
# Adding to an operator of these classes is as cheap as adding elements.
_EFFICIENT = (
    *_IDENTITIES,
    LinearOperatorDiag,
    LinearOperatorLowerTriangular,
    LinearOperatorFullMatrix,
)


class _Hints:
    """The hints of a sum, from the hints of both operators."""

    def __init__(self, op1: LinearOperator, op2: LinearOperator):
        both = op1.is_self_adjoint and op2.is_self_adjoint
        self.is_self_adjoint = True if both else None
        positive = op1.is_positive_definite and op2.is_positive_definite
        self.is_positive_definite = True if positive else None
        self.is_non_singular = True if positive else None

    def as_arguments(self) -> dict[str, bool | None]:
        return dict(vars(self))


class Adder:
    """Adds two operators of some kinds."""

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        """Whether it does these."""
        raise NotImplementedError

    def add(
        self,
        op1: LinearOperator,
        op2: LinearOperator,
        operator_name: str | None = None,
        hints: _Hints | None = None,
    ) -> LinearOperator:
        """The sum."""
        hints = hints or _Hints(op1, op2)
        name = operator_name or f"Add/{op1.name}__{op2.name}/"
        return self._add(op1, op2, name.strip("/").replace("/", "_"), hints)

    def _add(self, op1: Any, op2: Any, name: str, hints: _Hints) -> LinearOperator:
        raise NotImplementedError


class AddAndReturnScaledIdentity(Adder):
    """Identities, scaled or not."""

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        return isinstance(op1, _IDENTITIES) and isinstance(op2, _IDENTITIES)

    def _add(self, op1: Any, op2: Any, name: str, hints: _Hints) -> LinearOperator:
        return LinearOperatorScaledIdentity(
            num_rows=op1.range_dimension_tensor(),
            multiplier=_multiplier(op1) + _multiplier(op2),
            name=name,
            **hints.as_arguments(),
        )


def _multiplier(op: Any) -> ops.Tensor:
    if isinstance(op, LinearOperatorScaledIdentity):
        return op.multiplier
    return array_ops.ones(op.batch_shape_tensor(), dtype=op.dtype)


class AddAndReturnDiag(Adder):
    """Identities and diagonal operators."""

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        kinds = (*_IDENTITIES, LinearOperatorDiag)
        return isinstance(op1, kinds) and isinstance(op2, kinds)

    def _add(self, op1: Any, op2: Any, name: str, hints: _Hints) -> LinearOperator:
        return LinearOperatorDiag(
            op1.diag_part() + op2.diag_part(), name=name, **hints.as_arguments()
        )


class _AddToDense(Adder):
    kind: Any
    dense: Any

    def _add(self, op1: Any, op2: Any, name: str, hints: _Hints) -> LinearOperator:
        first, other = (op1, op2)
        if isinstance(op1, self.dense) and not isinstance(op2, self.dense):
            first, other = op2, op1
        return self.kind(
            first.add_to_tensor(other.to_dense()), name=name, **hints.as_arguments()
        )


class AddAndReturnTriL(_AddToDense):
    """Lower triangular operators, and such with diagonal ones."""

    kind = dense = LinearOperatorLowerTriangular

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        kinds = (*_IDENTITIES, LinearOperatorDiag, LinearOperatorLowerTriangular)
        return isinstance(op1, kinds) and isinstance(op2, kinds)


class AddAndReturnMatrix(_AddToDense):
    """All operators."""

    kind = LinearOperatorFullMatrix
    dense = LinearOperatorFullMatrix

    def can_add(self, op1: LinearOperator, op2: LinearOperator) -> bool:
        del op1, op2
        return True

    def _add(self, op1: Any, op2: Any, name: str, hints: _Hints) -> LinearOperator:
        # The cheaper of both goes to the other's matrix.
        first, other = (op1, op2) if isinstance(op1, _EFFICIENT[:3]) else (op2, op1)
        return self.kind(
            first.add_to_tensor(other.to_dense()), name=name, **hints.as_arguments()
        )


_TIERS: list[list[Adder]] = [
    [AddAndReturnScaledIdentity()],
    [AddAndReturnDiag()],
    [AddAndReturnTriL()],
    [AddAndReturnMatrix()],
]


def add_operators(
    operators: Sequence[LinearOperator],
    operator_name: str | None = None,
    addition_tiers: Sequence[Sequence[Adder]] | None = None,
    name: str | None = None,
) -> list[LinearOperator]:
    """Returns operators whose sum is that of `operators`, as few as the tiers allow.

    Args:
        operators: operators of one dtype, with dimensions that fit.
        operator_name: the name of the sums.
        addition_tiers: lists of adders; those of a tier add as much as they can before the next one's.  None:
        identities,
            diagonal, triangular, all others, so that one operator is left.
        name: the name of the ops.

    Raises:
        TypeError: no list or tuple, or not of operators of one dtype.
        ValueError: none, or dimensions that do not fit.
    """
    tiers = _TIERS if addition_tiers is None else addition_tiers
    if not isinstance(operators, (list, tuple)):
        raise TypeError(f"operators must be a list or tuple, got {type(operators).__name__}")  # fmt: skip
    if not operators:
        raise ValueError("Argument 'operators' must contain at least one operator. Found: []")  # fmt: skip
    for operator in operators:
        if not isinstance(operator, LinearOperator):
            raise TypeError(f"{operator!r} is no LinearOperator")
    check_ops.assert_proper_iterable(operators)
    _check(operators)
    with ops.name_scope(name, "add_operators"):
        left = list(operators)
        for tier in tiers:
            left = _added(left, tier, operator_name)
        return left


def _check(operators: Sequence[LinearOperator]) -> None:
    first = operators[0]
    batch: Any = first.batch_shape
    for other in operators[1:]:
        if dtypes.as_dtype(other.dtype) != dtypes.as_dtype(first.dtype):
            raise TypeError(f"Operators must have one dtype, got {[o.dtype.name for o in operators]}")  # fmt: skip
        if not (
            first.range_dimension.is_compatible_with(other.range_dimension)
            and first.domain_dimension.is_compatible_with(other.domain_dimension)
        ):
            raise ValueError(f"Operators must have one shape, got {[str(o.shape) for o in operators]}")  # fmt: skip
        batch = array_ops.broadcast_static_shape(
            tensor_shape.as_shape(batch), other.batch_shape
        )


def _added(
    operators: list[LinearOperator], tier: Sequence[Adder], name: str | None
) -> list[LinearOperator]:
    """Adds operators until no adder of the tier can add any two, and returns the rest."""
    left: list[LinearOperator] = []
    todo = list(operators)
    while todo:
        op1 = todo.pop()
        for i, op2 in enumerate(todo):
            adder = next((a for a in tier if a.can_add(op1, op2)), None)
            if adder is not None:
                todo[i] = adder.add(op2, op1, name)
                break
        else:
            left.insert(0, op1)
    return left
