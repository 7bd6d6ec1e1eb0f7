# SPDX-License-Identifier: Apache-2.0
"""Gradient functions of ops: who registered which, and where."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python import _pywrap
from tensorwright.python.framework import registry
from tensorwright.python.util import later

if TYPE_CHECKING:
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.type_aliases import F

_gradient_registry = registry.Registry("gradient")


class GradientLocation(NamedTuple):
    """A registered gradient; `function` is None for "not differentiable"."""

    function: Callable[..., Any] | None
    name: str
    file: str
    line: int


def _check_op_type(what: str, op_type: Any) -> None:
    if not isinstance(op_type, str):
        raise TypeError(f"{what}: op_type must be a string, got {op_type!r}")


class RegisterGradient:
    """Decorator that makes a function the gradient of an op type.

    The function gets the `Operation` and one gradient for each of its outputs,
    and returns one gradient (a Tensor, IndexedSlices or None) for each input.

    Example:
        @tf.RegisterGradient("RowEnergy")
        def _row_energy_grad(op, grad):
            return 2 * op.inputs[0] * tf.expand_dims(grad, -1)
    """

    def __init__(self, op_type: str):
        _check_op_type("RegisterGradient", op_type)
        self._op_type = op_type

    def __call__(self, f: F) -> F:
        _gradient_registry.register(f, self._op_type, depth=2)
        return f


def NotDifferentiable(op_type: str) -> None:
    """Declares that an op has no gradient; its inputs get None."""
    _check_op_type("NotDifferentiable", op_type)
    _gradient_registry.register(None, op_type, depth=2)


NoGradient = NotDifferentiable
no_gradient = NotDifferentiable


def get_gradient_function(op: Operation) -> Callable[..., object] | None:
    """The gradient function of an Operation; None if it is not differentiable.

    Raises LookupError where none is registered.  The attr `_gradient_op_type`
    (see `Graph.gradient_override_map`) names another op's gradient.
    """
    if not op.inputs:
        return None
    try:
        op_type = op.get_attr("_gradient_op_type")
    except ValueError:
        op_type = op.type
    if isinstance(op_type, bytes):
        op_type = op_type.decode()
    try:
        return _registration(op_type).value
    except LookupError:
        function = None
        if op_type == op.type:
            function = later.part("function gradients").gradient_of_call(op)
        if function is None:
            found = _registered_in_cpp(op_type)
            if found is None:
                raise
            return found.function
        return function


def _registered_in_cpp(op_type: str) -> GradientLocation | None:
    """Finds the gradient that REGISTER_OP_GRADIENT registered for an op; None if there is none."""
    found = _pywrap.op_gradient(op_type)
    if found is None:
        return None
    function = None
    if found["differentiable"]:
        function = later.part("function gradients").gradient_of_body
    name = found["name"] or "not differentiable"
    return GradientLocation(function, name, found["file"], found["line"])


def _registration(op_type: str) -> registry.Registration:
    try:
        return _gradient_registry.registration(op_type)
    except LookupError:
        # The users' ops of the tree are loaded when they are first asked for.
        if not _is_user_op(op_type):
            raise
    later.part("user ops")
    return _gradient_registry.registration(op_type)


def _is_user_op(op_type: str) -> bool:
    try:
        file = _pywrap.op_registration(op_type)["file"]
    except KeyError:
        return False
    return file.startswith("user_ops/")


def lookup_location(op_type: str) -> GradientLocation | None:
    """Returns the place where an op's gradient was registered; None if it has none."""
    try:
        found = _registration(op_type)
    except LookupError:
        return _registered_in_cpp(op_type)
    name = getattr(found.value, "__name__", "not differentiable")
    return GradientLocation(found.value, name, found.file, found.line)
