# SPDX-License-Identifier: Apache-2.0
"""Loops of training steps."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, control_flow_ops

__all__ = ["repeat", "while_loop"]


def _split(found: Any) -> tuple[list[Any], list[ops.Operation]]:
    """Splits the result of a body into (tensors, operations)."""
    if found is None:
        return [], []
    items = list(found) if isinstance(found, (list, tuple)) else [found]
    operations = [x for x in items if isinstance(x, ops.Operation)]
    tensors = [ops.convert_to_tensor(x) for x in items if not isinstance(x, ops.Operation)]  # fmt: skip
    return tensors, operations


def while_loop(
    condition: Callable[..., object],
    body: Callable[..., object],
    inputs: Sequence[TensorLike] | None = None,
    name: str | None = None,
) -> Any:
    """Calls `body` with its own last results, as long as `condition` holds, and returns the last.

    Args:
        condition: a function of as many tensors as `inputs` has; it returns a bool [].
        body: a function of these that returns as many, and operations that each round runs too.
        inputs: the inputs of the first round.
        name: the name of the operations.

    Returns:
        A list of tensors; the operation of the loop if there are no inputs.
    """
    given = [ops.convert_to_tensor(x) for x in (inputs or ())]
    # A loop needs something that goes round.
    first = given or [array_ops.zeros([])]

    def test(*values: Any) -> Any:
        return condition(*values[: len(given)])

    def step(*values: Any) -> list[Any]:
        tensors, operations = _split(body(*values[: len(given)]))
        if len(tensors) != len(given):
            raise ValueError(
                f"while_loop: body must give as many tensors as it gets, {len(given)}, "
                f"got {len(tensors)}"
            )
        with ops.control_dependencies(operations):
            return [array_ops.identity(t) for t in (tensors or values)]

    found = control_flow_ops.while_loop(test, step, first, parallel_iterations=1, name=name)  # fmt: skip
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    return found if given else control_flow_ops.group(*found)


def repeat(
    n: TensorLike,
    body: Callable[..., object],
    inputs: Sequence[TensorLike] | None = None,
    name: str | None = None,
) -> Any:
    """Calls `body` `n` times with its own last results; arguments and result as in `while_loop`.

    Args:
        n: how many times, an int or an int32 [].
    """
    given = list(inputs or ())

    def step(i: Any, *values: Any) -> list[Any]:
        tensors, operations = _split(body(*values))
        return [i + 1, *tensors, *operations]

    found = while_loop(lambda i, *_: i < n, step, [0, *given], name)
    return found[1:] if given else found[0].op
