# SPDX-License-Identifier: Apache-2.0
"""Resources of a graph: objects behind handles, each with an op that makes it and one that says whether it exists."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops

if TYPE_CHECKING:
    from collections.abc import Iterable


class _Resource(NamedTuple):
    handle: Any
    create: Any
    is_initialized: Any


def register_resource(
    handle: object,
    create_op: ops.Operation,
    is_initialized_op: ops.Tensor,
    is_shared: bool = True,
) -> None:
    """Adds a resource to those of the graph.

    Args:
        handle: the tensor that stands for it.
        create_op: makes it.
        is_initialized_op: a bool scalar: whether it is there.
        is_shared: whether it is one for all sessions of a cluster, or one for each process.
    """
    keys = ops.GraphKeys
    collection = keys.RESOURCES if is_shared else keys.LOCAL_RESOURCES
    ops.add_to_collection(collection, _Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list:
    """The resources that all sessions of a cluster share."""
    return ops.get_collection(ops.GraphKeys.RESOURCES)


def local_resources() -> list:
    """The resources that each process has for itself."""
    return ops.get_collection(ops.GraphKeys.LOCAL_RESOURCES)


def initialize_resources(
    resource_list: Iterable[_Resource] | None, name: str = "init"
) -> ops.Operation:
    """An operation that makes the listed resources."""
    makers = [r.create for r in resource_list or ()]
    return control_flow_ops.group(*makers, name=name)


def report_uninitialized_resources(
    resource_list: list[_Resource] | None = None,
    name: str = "report_uninitialized_resources",
) -> ops.Tensor:
    """Returns the names of the handles without a resource behind them, a string vector; of all resources by default."""
    if resource_list is None:
        resource_list = shared_resources() + local_resources()
    with ops.name_scope(name):
        if not resource_list:
            return array_ops.constant([], dtype=dtypes.string)
        there = array_ops.stack([r.is_initialized for r in resource_list])
        names = array_ops.constant([r.handle.name for r in resource_list])
        return array_ops.boolean_mask(names, math_ops.logical_not(there))
