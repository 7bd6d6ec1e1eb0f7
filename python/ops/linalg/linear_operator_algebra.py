# SPDX-License-Identifier: Apache-2.0
"""Rules by the classes of operators: which operator is an adjoint, a factor, an inverse, a product, a solution.

A rule for two classes holds for their subclasses; of those that fit the nearest counts.  Registering a rule twice is a
ValueError.  The rules are in adjoint_registrations.py, cholesky_registrations.py, ...; programs add theirs for operators
of their own:

    @linear_operator_algebra.RegisterMatmul(MyOperator, LinearOperatorDiag)
    def _product(a, b): ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops

if TYPE_CHECKING:
    from tensorwright.python.ops.linalg.linear_operator import LinearOperator


_Rule = Callable[..., Any]

_ADJOINTS: dict[tuple[type, ...], _Rule] = {}
_CHOLESKYS: dict[tuple[type, ...], _Rule] = {}
_INVERSES: dict[tuple[type, ...], _Rule] = {}
_MATMULS: dict[tuple[type, ...], _Rule] = {}
_SOLVES: dict[tuple[type, ...], _Rule] = {}


def _register(
    table: dict[tuple[type, ...], _Rule], *classes: type
) -> Callable[[_Rule], _Rule]:
    def decorator(rule: _Rule) -> _Rule:
        if not callable(rule):
            raise TypeError(f"a rule must be callable, got {rule!r}")
        if classes in table:
            names = ", ".join(c.__name__ for c in classes)
            raise ValueError(f"there is a rule for {names} already")
        table[classes] = rule
        return rule

    return decorator


def RegisterAdjoint(lin_op_cls_a: type) -> Callable[[_Rule], _Rule]:
    """Decorates `rule(a) -> LinearOperator`, the adjoint of an operator of this class."""
    return _register(_ADJOINTS, lin_op_cls_a)


def RegisterCholesky(lin_op_cls_a: type) -> Callable[[_Rule], _Rule]:
    """Decorates `rule(a) -> LinearOperator`, the Cholesky factor of an operator of this class."""
    return _register(_CHOLESKYS, lin_op_cls_a)


def RegisterInverse(lin_op_cls_a: type) -> Callable[[_Rule], _Rule]:
    """Decorates `rule(a) -> LinearOperator`, the inverse of an operator of this class."""
    return _register(_INVERSES, lin_op_cls_a)


def RegisterMatmul(lin_op_cls_a: type, lin_op_cls_b: type) -> Callable[[_Rule], _Rule]:
    """Decorates `rule(a, b) -> LinearOperator`, the product a b."""
    return _register(_MATMULS, lin_op_cls_a, lin_op_cls_b)


def RegisterSolve(lin_op_cls_a: type, lin_op_cls_b: type) -> Callable[[_Rule], _Rule]:
    """Decorates `rule(a, b) -> LinearOperator`, the X with a X = b."""
    return _register(_SOLVES, lin_op_cls_a, lin_op_cls_b)


def _apply(
    table: dict[tuple[type, ...], _Rule], what: str, name: str | None, *operators: Any
) -> Any:
    """Returns the result of the rule whose classes are nearest to those of `operators`."""
    orders = [type(operator).__mro__ for operator in operators]
    best = None
    for classes, rule in table.items():
        if all(c in order for c, order in zip(classes, orders, strict=True)):
            far = sum(o.index(c) for c, o in zip(classes, orders, strict=True))
            if best is None or far < best[0]:
                best = far, rule
    if best is None:
        names = ", ".join(type(operator).__name__ for operator in operators)
        raise NotImplementedError(f"there is no {what} for {names}")
    with ops.name_scope(name, what):
        return best[1](*operators)


def adjoint(lin_op_a: LinearOperator, name: str | None = None) -> LinearOperator:
    """The adjoint of an operator, an operator."""
    return _apply(_ADJOINTS, "adjoint", name, lin_op_a)


def cholesky(lin_op_a: LinearOperator, name: str | None = None) -> LinearOperator:
    """The Cholesky factor of a self-adjoint, positive definite operator, an operator."""
    return _apply(_CHOLESKYS, "cholesky", name, lin_op_a)


def inverse(lin_op_a: LinearOperator, name: str | None = None) -> LinearOperator:
    """The inverse of an operator, an operator."""
    return _apply(_INVERSES, "inverse", name, lin_op_a)


def matmul(
    lin_op_a: LinearOperator, lin_op_b: LinearOperator, name: str | None = None
) -> LinearOperator:
    """The product of two operators, an operator."""
    return _apply(_MATMULS, "matmul", name, lin_op_a, lin_op_b)


def solve(
    lin_op_a: LinearOperator, lin_op_b: LinearOperator, name: str | None = None
) -> LinearOperator:
    """The X with a X = b, an operator."""
    return _apply(_SOLVES, "solve", name, lin_op_a, lin_op_b)
