# SPDX-License-Identifier: Apache-2.0
"""Assignments to variables and optimizers' steps."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
from gpu_cases import FLOATS, Case

import tensorwright as tf
from tensorwright.python.framework import op_def_registry

# The variables of a rule behind the first one, and its scalars before and behind the gradient.
_RULES = {
    "GradientDescent": (0, [0.25], []),
    "Momentum": (1, [0.25], [0.5]),
    "Adam": (2, [0.5, 0.75, 0.25, 0.5, 0.75, 0.125], []),
    "AdaMax": (2, [0.5, 0.25, 0.5, 0.75, 0.125], []),
    "Adagrad": (1, [0.25], []),
    "RMSProp": (2, [0.25, 0.5, 0.75, 0.125], []),
    "CenteredRMSProp": (3, [0.25, 0.5, 0.75, 4.0], []),
    "Adadelta": (2, [0.25, 0.5, 0.125], []),
    "AddSign": (1, [0.25, 0.5, 0.75, 0.5], []),
    "PowerSign": (1, [0.25, 0.5, 0.75, 0.5], []),
}


def _variables(resource: bool, values: list[Any]) -> tuple[list[Any], list[Any]]:
    """Returns variables without a value, and the ops that give them `values`."""
    variables, assigned = [], []
    for value in values:
        dtype, shape = value.dtype, value.shape
        if resource:
            # Several cases have one graph.
            name = tf.get_default_graph().unique_name("v")
            handle = tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name=name)
            variables.append(handle)
            assigned.append(tf.raw_ops.AssignVariableOp(resource=handle, value=value))
        else:
            ref = tf.raw_ops.VariableV2(dtype=dtype, shape=shape)
            variables.append(ref)
            assigned.append(tf.assign(ref, value, validate_shape=False))
    return variables, assigned


def _values_of(resource: bool, variables: list[Any], values: list[Any]) -> list[Any]:
    if not resource:
        return [tf.identity(v) for v in variables]
    return [
        tf.raw_ops.ReadVariableOp(resource=v, dtype=value.dtype)
        for v, value in zip(variables, values, strict=True)
    ]


def _arguments_of(op: str) -> list[str]:
    """Returns the names of the arguments of an op that are tensors, in order."""
    return [a.name for a in op_def_registry.get(op).input_arg]


def _step(rule: str, resource: bool, nesterov: bool, *values: Any) -> list[Any]:
    """Returns all variables after two steps of a rule."""
    slots, before, after = _RULES[rule]
    *initial, grad = values
    variables, assigned = _variables(resource, initial)
    attrs = {"use_nesterov": True} if nesterov else {}
    name = ("ResourceApply" if resource else "Apply") + rule
    with tf.control_dependencies(assigned):
        scalars = [
            [tf.constant(s, grad.dtype) for s in some] for some in (before, after)
        ]
        step = grad
    for _ in range(2):
        with tf.control_dependencies(assigned):
            op = getattr(tf.raw_ops, name)
            arguments = [*variables, *scalars[0], step, *scalars[1]]
            result = op(
                **dict(zip(_arguments_of(name), arguments, strict=True)), **attrs
            )
            assigned = [result]
    with tf.control_dependencies(assigned):
        return _values_of(resource, variables, initial)


def _steps() -> Iterator[Case]:
    random = np.random.RandomState(0)
    for dtype, rule, size in itertools.product(FLOATS, _RULES, (1, 33, 1025)):
        slots = _RULES[rule][0]
        arrays = [
            (np.abs(random.randint(1, 9, size)) / 4, dtype) for _ in range(slots + 1)
        ]
        arrays.append((random.randint(-8, 9, size) / 4, dtype))
        for resource in (False, True):
            yield Case(
                f"{'Resource' if resource else ''}Apply{rule}",
                dtype,
                lambda *a, rule=rule, resource=resource: _step(
                    rule, resource, False, *a
                ),
                arrays,
                slack=8,
            )
        if rule in ("Momentum", "Adam"):
            yield Case(
                f"Apply{rule} nesterov",
                dtype,
                lambda *a, rule=rule: _step(rule, False, True, *a),
                arrays,
                slack=8,
            )


def _assigned(resource: bool, subtracts: bool, value: Any, change: Any) -> list[Any]:
    variables, assigned = _variables(resource, [value])
    with tf.control_dependencies(assigned):
        if resource:
            update = (
                tf.raw_ops.AssignSubVariableOp
                if subtracts
                else tf.raw_ops.AssignAddVariableOp
            )
            changed = update(resource=variables[0], value=change)
        else:
            update = tf.raw_ops.AssignSub if subtracts else tf.raw_ops.AssignAdd
            changed = update(ref=variables[0], value=change)
    with tf.control_dependencies([changed]):
        return _values_of(resource, variables, [value])


def _assignments() -> Iterator[Case]:
    random = np.random.RandomState(1)
    for dtype, size in itertools.product((*FLOATS, "int64"), (0, 1, 257, 70001)):
        x, y = (random.randint(-9, 9, size) for _ in range(2))
        for resource, subtracts in itertools.product((False, True), repeat=2):
            kind = "VariableOp" if resource else ""
            yield Case(
                f"Assign{'Sub' if subtracts else 'Add'}{kind}",
                dtype,
                lambda *a, r=resource, s=subtracts: _assigned(r, s, *a),
                [(x, dtype), (y, dtype)],
                exact=True,
            )


def cases() -> Iterator[Case]:
    """Returns the cases of this family."""
    return itertools.chain(_assignments(), _steps())
