# SPDX-License-Identifier: Apache-2.0
"""Gradients of If, Case, While and calls of functions by attrs.

Each gradient is an op of the same kind, whose functions are the gradients of the functions.  It
computes a branch or a body anew; a loop keeps the values with which its body began each
round.
"""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.ops._functional import bodies, while_grad

for _name in ("BatchFunction", "FakeParam", "DeviceIndex", "ToBool"):
    ops.NotDifferentiable(_name)


def _with_gradient(grads: tuple) -> list[int]:
    return [i for i, g in enumerate(grads) if g is not None]


class _Branches:
    """The gradients of functions that take the same, give the same, and are chosen from."""

    def __init__(self, op: Any, functions: list[Any], args: list, grads: tuple):
        given = _with_gradient(grads)
        shapes = [x.shape for x in args]
        backward = [bodies.Backward(op, f, shapes, given) for f in functions]
        # The arguments that have a gradient from some function.
        self.of = [
            i for i in range(len(args)) if any(b.found[i] is not None for b in backward)
        ]
        dtypes, elements = [], []
        for i in self.of:
            found = next(f for b in backward if (f := b.found[i]) is not None)
            dtypes.append(found.dtype.base_dtype)
            elements.append(bodies.element_dtype(found))
        self.types = dtypes
        self.names = [
            bodies.add_function(
                op.graph,
                b.body,
                [
                    b.gradient_or_zeros(i, d, e)
                    for i, d, e in zip(self.of, dtypes, elements, strict=True)
                ],
                f"{b.name}_grad",
            )
            for b in backward
        ]
        self.inputs = [*args, *(grads[i] for i in given)]
        self.input_types = [t.dtype.base_dtype for t in self.inputs]

    def of_arguments(self, results: Any, args: list) -> list:
        """Returns a gradient for each argument, None where there is none."""
        grads: list[Any] = [None] * len(args)
        for i, result in zip(self.of, results, strict=True):
            if bodies.is_number(args[i]):
                result.set_shape(args[i].shape)
            grads[i] = result
        return grads


@ops.RegisterGradient("If")
@ops.RegisterGradient("StatelessIf")
def _if_grad(op: Any, *grads: Any) -> list:
    """The gradient of the branch that was taken."""
    args = list(op.inputs[1:])
    branches = [bodies.attr_func(op, key) for key in ("then_branch", "else_branch")]
    backward = _Branches(op, branches, args, grads)
    if not backward.of:
        return [None] * len(op.inputs)
    made = bodies.node(
        op.type,
        [op.inputs[0], *backward.inputs],
        "if_grad",
        Tin=backward.input_types,
        Tcond=op.inputs[0].dtype.base_dtype,
        Tout=backward.types,
        then_branch=bodies.func(backward.names[0]),
        else_branch=bodies.func(backward.names[1]),
    )
    return [None, *backward.of_arguments(made.outputs, args)]


@ops.RegisterGradient("Case")
@ops.RegisterGradient("StatelessCase")
def _case_grad(op: Any, *grads: Any) -> list:
    """The gradient of the branch that was taken."""
    args = list(op.inputs[1:])
    backward = _Branches(op, list(op.node_def.attr["branches"].list.func), args, grads)
    if not backward.of:
        return [None] * len(op.inputs)
    made = bodies.node(
        op.type,
        [op.inputs[0], *backward.inputs],
        "case_grad",
        Tin=backward.input_types,
        Tout=backward.types,
        branches=[bodies.func(name) for name in backward.names],
    )
    return [None, *backward.of_arguments(made.outputs, args)]


@ops.RegisterGradient("PartitionedCall")
@ops.RegisterGradient("StatefulPartitionedCall")
def _call_grad(op: Any, *grads: Any) -> list:
    """The gradient of the function."""
    args = list(op.inputs)
    backward = _Branches(op, [bodies.attr_func(op, "f")], args, grads)
    if not backward.of:
        return [None] * len(args)
    made = bodies.node(
        op.type,
        backward.inputs,
        "call_grad",
        Tin=backward.input_types,
        Tout=backward.types,
        f=bodies.func(backward.names[0]),
    )
    return backward.of_arguments(made.outputs, args)


@ops.RegisterGradient("While")
@ops.RegisterGradient("StatelessWhile")
def _while_grad(op: Any, *grads: Any) -> list:
    """The body's gradients in reverse order."""
    return while_grad.gradient(op, grads)
