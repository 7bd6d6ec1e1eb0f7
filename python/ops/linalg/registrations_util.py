# SPDX-License-Identifier: Apache-2.0
"""Derives a hint of a product of two operators (True, False, or None) from the hints of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tensorwright.python.ops.linalg.linear_operator import LinearOperator


def combined_commuting_self_adjoint_hint(
    operator_a: LinearOperator, operator_b: LinearOperator
) -> bool | None:
    """Whether a b is self-adjoint, for a and b with a b = b a, neither of them singular."""
    a, b = operator_a.is_self_adjoint, operator_b.is_self_adjoint
    if a and b:
        return True
    return False if {a, b} == {True, False} else None


def combined_commuting_positive_definite_hint(
    operator_a: LinearOperator, operator_b: LinearOperator
) -> bool | None:
    """Whether a b is positive definite, for a and b with a b = b a."""
    both = (operator_a, operator_b)
    known = all(o.is_positive_definite and o.is_self_adjoint for o in both)
    return True if known else None


def combined_non_singular_hint(
    operator_a: LinearOperator, operator_b: LinearOperator
) -> bool | None:
    """Whether a b, of square operators, is non-singular."""
    hints = (operator_a.is_non_singular, operator_b.is_non_singular)
    if False in hints:
        return False
    return True if all(hints) else None


def is_square(operator_a: LinearOperator, operator_b: LinearOperator) -> bool | None:
    """Whether a b is square."""
    a, b = operator_a.is_square, operator_b.is_square
    if a and b:
        return True
    return False if {a, b} == {True, False} else None
