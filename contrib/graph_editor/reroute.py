# SPDX-License-Identifier: Apache-2.0
"""Reroutes the ends of tensors and views to others, and adds control inputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.graph_editor import subgraph, util

if TYPE_CHECKING:
    from tensorwright.contrib.graph_editor.subgraph import SubGraphView
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor


def _check_alike(ts0: list, ts1: list) -> None:
    if len(ts0) != len(ts1):
        raise ValueError(f"ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}")
    for t0, t1 in zip(ts0, ts1, strict=True):
        if t0.dtype.base_dtype != t1.dtype.base_dtype:
            raise ValueError(
                f"Dtypes {t0.dtype} and {t1.dtype} are not compatible: {t0.name}, {t1.name}"
            )
        if not t0.get_shape().is_compatible_with(t1.get_shape()):
            raise ValueError(
                f"Shapes {t0.get_shape()} and {t1.get_shape()} are not compatible: "
                f"{t0.name}, {t1.name}"
            )


def _places(t: Any, allowed: set | None, forbidden: set) -> list:
    """(operation, number of its input) that take `t` and may be changed."""
    return [
        (op, i)
        for op in util.unique(t.consumers())
        if (allowed is None or op in allowed) and op not in forbidden
        for i, own in enumerate(op.inputs)
        if own is t
    ]


def _reroute(
    ts0: Any, ts1: Any, swap: bool, can_modify: Any = None, cannot_modify: Any = None
) -> int:
    ts0, ts1 = util.make_list_of_t(ts0), util.make_list_of_t(ts1)
    _check_alike(ts0, ts1)
    allowed = None if can_modify is None else set(util.make_list_of_op(can_modify))
    forbidden = set(util.make_list_of_op(cannot_modify or ()))
    changes = []
    # All are read before the first is changed: a tensor may be in several pairs.
    for t0, t1 in zip(ts0, ts1, strict=True):
        if t0 is t1:
            continue
        changes += [(op, i, t0) for op, i in _places(t1, allowed, forbidden)]
        if swap:
            changes += [(op, i, t1) for op, i in _places(t0, allowed, forbidden)]
    for op, i, t in changes:
        op._update_input(i, t)
    return len(changes)


def swap_ts(
    ts0: Tensor | Iterable[Tensor],
    ts1: Tensor | Iterable[Tensor],
    can_modify: Tensor | Iterable[Tensor] | None = None,
    cannot_modify: Tensor | Iterable[Tensor] | None = None,
) -> int:
    """Swaps the consumers of each pair of tensors.

    Args:
        ts0, ts1: lists of tensors, alike in dtypes and shapes.
        can_modify: the operations that may be changed; by default all.
        cannot_modify: operations that may not be changed.

    Returns:
        The number of changed inputs.

    Raises:
        ValueError: the lists differ in length, or a pair in dtype or shape.
    """
    return _reroute(ts0, ts1, True, can_modify, cannot_modify)


def reroute_ts(
    ts0: Tensor | Iterable[Tensor],
    ts1: Tensor | Iterable[Tensor],
    can_modify: Tensor | Iterable[Tensor] | None = None,
    cannot_modify: Tensor | Iterable[Tensor] | None = None,
) -> int:
    """Makes the consumers of each tensor of `ts1` take its partner in `ts0`; otherwise as `swap_ts`."""
    return _reroute(ts0, ts1, False, can_modify, cannot_modify)


def _views(sgv0: Any, sgv1: Any) -> tuple:
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.get_unique_graph(
        [x for v in (sgv0, sgv1) for x in v.ops + v.passthroughs], none_if_empty=True
    )
    return sgv0, sgv1


def _renamed(view: Any, names: dict) -> Any:
    """A view whose inputs, and passthroughs that are, are others now."""
    result = view.copy()
    result._input_ts = [names.get(t, t) for t in view._input_ts]
    passed = {t: names.get(t, t) for t in view._passthrough_ts}
    result._passthrough_ts = list(passed.values())
    result._output_ts = [passed.get(t, t) for t in view._output_ts]
    return result


def _inputs(sgv0: Any, sgv1: Any, swap: bool) -> tuple:
    sgv0, sgv1 = _views(sgv0, sgv1)
    passed = util.get_consuming_ops(sgv0.passthroughs + sgv1.passthroughs)
    can_modify = [*sgv0.ops, *sgv1.ops, *passed]
    ts0, ts1 = sgv0.inputs, sgv1.inputs
    _reroute(ts0, ts1, swap, can_modify=can_modify)
    new1 = _renamed(sgv1, dict(zip(ts1, ts0, strict=True)))
    new0 = _renamed(sgv0, dict(zip(ts0, ts1, strict=True))) if swap else sgv0
    return new0, new1


def _outputs(sgv0: Any, sgv1: Any, swap: bool) -> tuple:
    sgv0, sgv1 = _views(sgv0, sgv1)
    _reroute(sgv0.outputs, sgv1.outputs, swap, cannot_modify=sgv0.ops + sgv1.ops)
    return sgv0, sgv1


def swap_inputs(
    sgv0: SubGraphView | Operation | Iterable[Operation],
    sgv1: SubGraphView | Operation | Iterable[Operation],
) -> tuple:
    """Two views take each other's inputs.

    Returns:
        (view 0, view 1) with their new inputs.

    Raises:
        ValueError: where they have not as many inputs, or inputs of other dtypes or shapes.
    """
    return _inputs(sgv0, sgv1, True)


def reroute_inputs(
    sgv0: SubGraphView | Operation | Iterable[Operation],
    sgv1: SubGraphView | Operation | Iterable[Operation],
) -> tuple:
    """`sgv1` takes the inputs of `sgv0`; as `swap_inputs` otherwise."""
    return _inputs(sgv0, sgv1, False)


def swap_outputs(
    sgv0: SubGraphView | Operation | Iterable[Operation],
    sgv1: SubGraphView | Operation | Iterable[Operation],
) -> tuple:
    """Swaps the outputs of two views for their consumers; operations inside both stay as they are."""
    return _outputs(sgv0, sgv1, True)


def reroute_outputs(
    sgv0: SubGraphView | Operation | Iterable[Operation],
    sgv1: SubGraphView | Operation | Iterable[Operation],
) -> tuple:
    """Gives the outputs of `sgv0` to the consumers of the outputs of `sgv1`."""
    return _outputs(sgv0, sgv1, False)


def swap_ios(
    sgv0: SubGraphView | Operation | Iterable[Operation],
    sgv1: SubGraphView | Operation | Iterable[Operation],
) -> tuple:
    """swap_outputs and swap_inputs."""
    return swap_inputs(*swap_outputs(sgv0, sgv1))


def reroute_ios(
    sgv0: SubGraphView | Operation | Iterable[Operation],
    sgv1: SubGraphView | Operation | Iterable[Operation],
) -> tuple:
    """reroute_outputs and reroute_inputs."""
    return reroute_inputs(*reroute_outputs(sgv0, sgv1))


def remove_control_inputs(
    op: Operation, cops: Graph | Operation | Iterable[Operation]
) -> None:
    """`op` no longer waits for `cops`; ValueError where it did not."""
    (op,) = util.make_list_of_op(op, allow_graph=False)
    cops = util.make_list_of_op(cops, allow_graph=False)
    for cop in cops:
        if cop not in op.control_inputs:
            raise ValueError(f"{cop.name} is not a control_input of {op.name}")
    rest = [c for c in op.control_inputs if c not in cops]
    op._remove_all_control_inputs()
    op._add_control_inputs(rest)


def add_control_inputs(
    op: Operation, cops: Graph | Operation | Iterable[Operation]
) -> None:
    """`op` waits for `cops`; ValueError where it does already."""
    (op,) = util.make_list_of_op(op, allow_graph=False)
    cops = util.make_list_of_op(cops, allow_graph=False)
    for cop in cops:
        if cop in op.control_inputs:
            raise ValueError(f"{cop.name} is already a control_input of {op.name}")
    op._add_control_inputs(cops)
