# SPDX-License-Identifier: Apache-2.0
"""Views taken out of their graph, put together, and left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tensorwright.contrib.graph_editor import reroute, select, subgraph, util

if TYPE_CHECKING:
    from tensorwright.contrib.graph_editor.subgraph import SubGraphView
    from tensorwright.contrib.graph_editor.util import ControlOutputs
    from tensorwright.python.framework.operation import Operation


def detach_control_inputs(sgv: SubGraphView) -> None:
    """Operations of a view wait for none outside."""
    sgv = subgraph.make_view(sgv)
    for op in sgv.ops:
        outside = [c for c in op.control_inputs if c not in sgv.ops]
        if outside:
            reroute.remove_control_inputs(op, outside)


def detach_control_outputs(sgv: SubGraphView, control_outputs: object) -> None:
    """No operation outside waits for one of a view; `control_outputs` is the graph's ControlOutputs, TypeError else."""
    if not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_outputs)}")
    control_outputs.update()
    sgv = subgraph.make_view(sgv)
    for op in sgv.ops:
        for after in control_outputs.get(op):
            if after not in sgv.ops:
                reroute.remove_control_inputs(after, op)


def detach_inputs(sgv: SubGraphView, control_inputs: bool = False) -> tuple:
    """A view takes placeholders in the stead of its inputs.

    Returns:
        (the view, the placeholders).
    """
    sgv = subgraph.make_view(sgv)
    with sgv.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(t) for t in sgv.inputs]
    changed = set(sgv.ops) | set(util.get_consuming_ops(sgv.passthroughs))
    reroute.reroute_ts(placeholders, sgv.inputs, can_modify=changed)
    names = dict(zip(sgv.inputs, placeholders, strict=True))
    sgv = reroute._renamed(sgv, names)
    if control_inputs:
        detach_control_inputs(sgv)
    return sgv, placeholders


def detach_outputs(
    sgv: SubGraphView, control_outputs: ControlOutputs | None = None
) -> tuple:
    """Gives placeholders to the consumers of a view's outputs, in place of the outputs.

    Returns:
        (a view of the outputs that were taken, the placeholders).
    """
    sgv = subgraph.make_view(sgv)
    inside = set(sgv.ops)
    taken = [
        i
        for i, t in enumerate(sgv.outputs)
        if any(op not in inside for op in t.consumers())
    ]
    result = sgv.copy()
    result._output_ts = [sgv.outputs[i] for i in taken]
    with sgv.graph.as_default():
        placeholders = [util.make_placeholder_from_tensor(t) for t in result.outputs]
    reroute.reroute_ts(placeholders, result.outputs, cannot_modify=sgv.ops)
    if control_outputs is not None:
        detach_control_outputs(sgv, control_outputs)
    return result, placeholders


def detach(
    sgv: SubGraphView,
    control_inputs: bool = False,
    control_outputs: ControlOutputs | None = None,
    control_ios: ControlOutputs | None = None,
) -> tuple:
    """detach_inputs and detach_outputs: (the view, placeholders of inputs, of outputs)."""
    control_inputs, control_outputs = select.check_cios(
        control_inputs, control_outputs, control_ios
    )
    _, inputs = detach_inputs(sgv, control_inputs)
    result, outputs = detach_outputs(sgv, control_outputs)
    names = dict(zip(subgraph.make_view(sgv).inputs, inputs, strict=True))
    return reroute._renamed(result, names), inputs, outputs


def connect(
    sgv0: SubGraphView | Operation | Iterable[Operation],
    sgv1: SubGraphView | Operation | Iterable[Operation],
    disconnect_first: bool = False,
) -> tuple:
    """The inputs of `sgv1` are the outputs of `sgv0`.

    Args:
        disconnect_first: whether outputs of `sgv0` are taken from who had them.

    Returns:
        (view 0, view 1).

    Raises:
        ValueError: where they do not fit in number, dtypes or shapes.
    """
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    if disconnect_first:
        detach_outputs(sgv0)
    ts0, ts1 = sgv0.outputs, sgv1.inputs
    changed = [*sgv1.ops, *util.get_consuming_ops(sgv1.passthroughs)]
    reroute.reroute_ts(ts0, ts1, can_modify=changed)
    return sgv0, reroute._renamed(sgv1, dict(zip(ts1, ts0, strict=True)))


def bypass(sgv: SubGraphView) -> tuple:
    """Gives a view's inputs to the consumers of its outputs, in their order; the view takes placeholders.

    Returns:
        (the view, the placeholders).
    """
    sgv = subgraph.make_view(sgv)
    inputs = sgv.inputs
    result, placeholders = detach_inputs(sgv)
    reroute.reroute_ts(inputs, result.outputs, cannot_modify=sgv.ops)
    return result, placeholders
