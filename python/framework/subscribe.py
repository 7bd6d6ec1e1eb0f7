# SPDX-License-Identifier: Apache-2.0
"""subscribe: side effects that happen whenever a tensor of a finished graph is computed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, variables
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    output_context,
)
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import T


_SCOPE = "subscription"


def subscribe(
    tensors: T,
    side_effects: Callable[[ops.Tensor], object]
    | Sequence[Callable[[ops.Tensor], object]],
) -> T:
    """Makes side effects run before the consumers of tensors.

    Each tensor gets an Identity that waits for the side effects.  The operations that took the tensor now take the
    Identity, and those that waited for the tensor's operation wait for the Identity, too.

    Args:
        tensors: a tensor, or a structure of them.  A variable stands for the tensor of its value that programs read.
        side_effects: a function, or a list of functions, of a tensor; each returns a list of tensors or operations.

    Returns:
        The Identities, in the structure of `tensors`.  A tensor that has one keeps it and gets more side effects.  A tensor of
        resources, which has no value that could be seen, stands for itself and gets none.

    Raises:
        TypeError: `tensors` has an element that is no tensor.
    """
    effects: Any = (
        side_effects if isinstance(side_effects, (list, tuple)) else [side_effects]
    )
    tensors = nest.map_structure(_read, tensors)
    for tensor in nest.flatten(tensors):
        if not isinstance(tensor, ops.Tensor):
            raise TypeError(
                f"{tensor!r} is not a tensor, so nothing can subscribe to it"
            )
    return nest.map_structure(lambda t: _subscribe(t, effects), tensors)


def _read(value: Any) -> Any:
    return value.value() if isinstance(value, variables.Variable) else value


def _subscribe(tensor: ops.Tensor, side_effects: list) -> ops.Tensor:
    if tensor.dtype.base_dtype == dtypes.resource:
        return tensor
    found = tensor if _is_subscribed_identity(tensor) else None
    for consumer in tensor.consumers():
        if consumer.type == "Identity" and _is_subscribed_identity(consumer.outputs[0]):
            found = consumer.outputs[0]
    if found is not None:
        with _beside(found.op.inputs[0]):
            found.op._add_control_inputs(_effects(found.op.inputs[0], side_effects))
        return found
    consumers = list(tensor.consumers())
    followers = [
        op for op in tensor.graph.get_operations() if tensor.op in op.control_inputs
    ]
    with _beside(tensor):
        with ops.control_dependencies(_effects(tensor, side_effects)):
            identity = array_ops.identity(tensor)
    for op in consumers:
        for i, taken in enumerate(op.inputs):
            if taken is tensor:
                op._update_input(i, identity)
    for op in followers:
        op._add_control_input(identity.op)
    return identity


def _is_subscribed_identity(tensor: ops.Tensor) -> bool:
    """Whether `subscribe` made the tensor; programs that walk graphs ask by this name."""
    op = tensor.op
    if op.type != "Identity":
        return False
    source = op.inputs[0].op.name
    return op.name.startswith(f"{source}/{_SCOPE}")


@contextlib.contextmanager
def _beside(tensor: ops.Tensor) -> Iterator[None]:
    """Makes new operations take the tensor's name and device, and run when its operation does."""
    graph = tensor.graph
    outside = graph._get_control_flow_context()
    with (
        graph.as_default(),
        ops.control_dependencies(None),
        ops.colocate_with(tensor.op),
        ops.name_scope(f"{tensor.op.name}/{_SCOPE}/"),
    ):
        graph._set_control_flow_context(output_context(tensor.op))
        try:
            yield
        finally:
            graph._set_control_flow_context(outside)


def _effects(tensor: ops.Tensor, side_effects: list[Callable]) -> list[ops.Operation]:
    made: list = []
    for effect in side_effects:
        result = effect(tensor)
        made.extend(result if isinstance(result, (list, tuple)) else [result])
    return [getattr(item, "op", item) for item in made if item is not None]
