# SPDX-License-Identifier: Apache-2.0
"""Selects operations and tensors: by name, by their connections, by walks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.graph_editor import util
from tensorwright.python.framework import ops as tf_ops

if TYPE_CHECKING:
    from tensorwright.contrib.graph_editor.util import ControlOutputs
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor


# A pattern that begins so is for tensors alone, or for operations.
_FOR_TENSORS, _FOR_OPS = "(?#ts)", "(?#ops)"


def can_be_regex(obj: object) -> bool:
    """Is it a string or a compiled pattern?"""
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj: str | re.Pattern[str]) -> re.Pattern[str]:
    """A compiled pattern; ValueError where it is neither that nor a string."""
    if not can_be_regex(obj):
        raise ValueError(f"Expected a string or a regex, got: {type(obj)}")
    return re.compile(obj)


def filter_ts(
    ops: Graph | Operation | Iterable[Operation], positive_filter: Callable | bool
) -> list:
    """Outputs of operations, those for which `positive_filter` is, or gives, true."""
    ts = [t for op in util.make_list_of_op(ops) for t in op.outputs]
    if positive_filter is True:
        return ts
    return [t for t in ts if positive_filter(t)]


def filter_ts_from_regex(
    ops: Graph | Operation | Iterable[Operation], regex: str | re.Pattern
) -> list:
    """Outputs of operations whose name has a match."""
    pattern = make_regex(regex)
    return filter_ts(ops, lambda t: pattern.search(t.name))


def filter_ops(
    ops: Graph | Operation | Iterable[Operation], positive_filter: Callable | bool
) -> list:
    """Operations for which `positive_filter` is, or gives, true."""
    ops = util.make_list_of_op(ops)
    if positive_filter is True:
        return ops
    return [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(
    ops: Graph | Operation | Iterable[Operation], regex: str | re.Pattern
) -> list:
    """Operations whose name has a match."""
    pattern = make_regex(regex)
    return filter_ops(ops, lambda op: pattern.search(op.name))


def get_name_scope_ops(
    ops: Graph | Operation | Iterable[Operation], scope: str
) -> list:
    """Operations in a name scope."""
    scope = scope.removesuffix("/")
    return filter_ops_from_regex(ops, f"^{re.escape(scope)}(/.*)?$")


def check_cios(
    control_inputs: bool = False,
    control_outputs: ControlOutputs | None = None,
    control_ios: ControlOutputs | None = None,
) -> tuple:
    """(control_inputs, control_outputs): `control_ios`, a ControlOutputs, stands for both.

    Raises TypeError for another kind of value, ValueError if one of both is given too.
    """
    if control_ios is not None:
        if not isinstance(control_ios, util.ControlOutputs):
            raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_ios)}")
        if control_outputs is not None:
            raise ValueError("control_outputs should be None when using control_ios.")
        if control_inputs:
            raise ValueError("control_inputs should be False when using control_ios.")
        control_inputs, control_outputs = True, control_ios
    elif control_outputs is not None and not isinstance(
        control_outputs, util.ControlOutputs
    ):
        raise TypeError(f"Expected a util.ControlOutputs, got: {type(control_outputs)}")
    if control_outputs is not None:
        control_outputs.update()
    return control_inputs, control_outputs


def get_ops_ios(
    ops: Graph | Operation | Iterable[Operation],
    control_inputs: bool = False,
    control_outputs: ControlOutputs | None = None,
    control_ios: ControlOutputs | None = None,
) -> list:
    """Returns the operations that make inputs of `ops` or take their outputs, also those linked by control edges."""
    control_inputs, control_outputs = check_cios(
        control_inputs, control_outputs, control_ios
    )
    found = []
    for op in util.make_list_of_op(ops):
        found += [t.op for t in op.inputs]
        found += [c for t in op.outputs for c in t.consumers()]
        if control_outputs is not None:
            found += control_outputs.get(op)
        if control_inputs:
            found += op.control_inputs
    return util.unique(found)


def compute_boundary_ts(
    ops: Graph | Operation | Iterable[Operation],
) -> tuple[list, list, list]:
    """Returns (inputs from outside, outputs taken outside or not at all, tensors taken inside) of operations.

    A tensor that is taken inside and outside is an output and inside.
    """
    ops = util.make_list_of_op(ops)
    inside = set(ops)
    inputs = util.unique(t for op in ops for t in op.inputs)
    outputs = util.unique(t for op in ops for t in op.outputs)
    made = set(outputs)
    inner = [t for t in inputs if t in made]
    closed = {t for t in inner if inside.issuperset(t.consumers())}
    return (
        [t for t in inputs if t not in made],
        [t for t in outputs if t not in closed],
        inner,
    )


def get_within_boundary_ops(
    ops: Graph | Operation | Iterable[Operation],
    seed_ops: Graph | Operation | Iterable[Operation],
    boundary_ops: Graph | Operation | Iterable[Operation] = (),
    inclusive: bool = True,
    control_inputs: bool = False,
    control_outputs: ControlOutputs | None = None,
    control_ios: ControlOutputs | None = None,
) -> list:
    """Returns the `ops` that are connected with seeds without crossing a boundary, with the boundary if `inclusive`.

    Raises ValueError if a seed is on the boundary.
    """
    control_inputs, control_outputs = check_cios(
        control_inputs, control_outputs, control_ios
    )
    boundary = set(util.make_list_of_op(boundary_ops))
    wave = set(util.make_list_of_op(seed_ops))
    if boundary & wave:
        raise ValueError("Boundary is intersecting with the seeds.")
    reached = set(wave)
    while wave:
        near = get_ops_ios(list(wave), control_inputs, control_outputs)
        fresh = [op for op in near if op not in reached]
        wave = {op for op in fresh if op not in boundary}
        reached |= wave
        if inclusive:
            reached.update(op for op in fresh if op in boundary)
    return [op for op in util.make_list_of_op(ops) if op in reached]


def _seeds(seed_ops: Any, ops_of_ts: Callable) -> list:
    """Operations, or those next to tensors."""
    if isinstance(seed_ops, (tf_ops.Operation, tf_ops.Tensor)):
        seed_ops = [seed_ops]
    seed_ops = list(seed_ops or ())
    if seed_ops and isinstance(seed_ops[0], tf_ops.Tensor):
        return util.unique(ops_of_ts(seed_ops))
    return util.make_list_of_op(seed_ops, allow_graph=False)


def _walk(seeds: list, inclusive: bool, within: Any, following: Callable) -> list:
    """Returns the operations that `following` reaches from seeds, within `within` or among all."""
    allowed = None if within is None else set(util.make_list_of_op(within))
    seeds = [op for op in seeds if allowed is None or op in allowed]
    reached, wave = dict.fromkeys(seeds), seeds
    while wave:
        fresh = util.unique(
            new
            for op in wave
            for new in following(op)
            if new not in reached and (allowed is None or new in allowed)
        )
        reached.update(dict.fromkeys(fresh))
        wave = fresh
    if inclusive:
        return list(reached)
    return [op for op in reached if op not in set(seeds)]


def get_forward_walk_ops(
    seed_ops: Graph | Operation | Iterable[Operation],
    inclusive: bool = True,
    within_ops: Graph | Operation | Iterable[Operation] | None = None,
    stop_at_ts: Tensor | Iterable[Tensor] = (),
    control_outputs: ControlOutputs | None = None,
) -> list:
    """Returns the operations that are computed from seeds.

    Args:
        seed_ops: operations, or tensors, whose consumers.
        inclusive: whether seeds count.
        within_ops: the operations that the walk may reach; by default all.
        stop_at_ts: tensors that it does not cross.
        control_outputs: a ControlOutputs, of edges to follow too.
    """
    _, control_outputs = check_cios(False, control_outputs)
    stops = set(util.make_list_of_t(stop_at_ts))

    def following(op: Any) -> list:
        found = [c for t in op.outputs if t not in stops for c in t.consumers()]
        return (
            found if control_outputs is None else found + list(control_outputs.get(op))
        )

    return _walk(
        _seeds(seed_ops, util.get_consuming_ops), inclusive, within_ops, following
    )


def get_backward_walk_ops(
    seed_ops: Graph | Operation | Iterable[Operation],
    inclusive: bool = True,
    within_ops: Graph | Operation | Iterable[Operation] | None = None,
    stop_at_ts: Tensor | Iterable[Tensor] = (),
    control_inputs: bool = False,
) -> list:
    """Operations that seeds are computed from; arguments as in `get_forward_walk_ops`."""
    control_inputs, _ = check_cios(control_inputs, None)
    stops = set(util.make_list_of_t(stop_at_ts))

    def following(op: Any) -> list:
        found = [t.op for t in op.inputs if t not in stops]
        return found + list(op.control_inputs) if control_inputs else found

    return _walk(
        _seeds(seed_ops, util.get_generating_ops), inclusive, within_ops, following
    )


def get_walks_intersection_ops(
    forward_seed_ops: Graph | Operation | Iterable[Operation],
    backward_seed_ops: Graph | Operation | Iterable[Operation],
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Graph | Operation | Iterable[Operation] | None = None,
    control_inputs: bool = False,
    control_outputs: ControlOutputs | None = None,
    control_ios: ControlOutputs | None = None,
) -> list:
    """Operations between: on a walk forward from some seeds and on one backward from others."""
    control_inputs, control_outputs = check_cios(
        control_inputs, control_outputs, control_ios
    )
    forward = get_forward_walk_ops(
        forward_seed_ops, forward_inclusive, within_ops, (), control_outputs
    )
    backward = set(
        get_backward_walk_ops(
            backward_seed_ops, backward_inclusive, within_ops, (), control_inputs
        )
    )
    return [op for op in forward if op in backward]


def get_walks_union_ops(
    forward_seed_ops: Graph | Operation | Iterable[Operation],
    backward_seed_ops: Graph | Operation | Iterable[Operation],
    forward_inclusive: bool = True,
    backward_inclusive: bool = True,
    within_ops: Graph | Operation | Iterable[Operation] | None = None,
    control_inputs: bool = False,
    control_outputs: ControlOutputs | None = None,
    control_ios: ControlOutputs | None = None,
) -> list:
    """Operations on a walk forward from some seeds or on one backward from others."""
    control_inputs, control_outputs = check_cios(
        control_inputs, control_outputs, control_ios
    )
    forward = get_forward_walk_ops(
        forward_seed_ops, forward_inclusive, within_ops, (), control_outputs
    )
    return util.unique(
        forward
        + get_backward_walk_ops(
            backward_seed_ops, backward_inclusive, within_ops, (), control_inputs
        )
    )


def _options(kwargs: dict, *restrictions: str) -> tuple:
    """(graph, positive_filter, the first of `restrictions`); TypeError for other names."""
    for name in kwargs:
        if name not in ("graph", "positive_filter", *restrictions):
            raise TypeError(f"Wrong keywords argument: {name}.")
    graph = kwargs.get("graph")
    if graph is not None and not isinstance(graph, tf_ops.Graph):
        raise TypeError(f"Expected a tf.Graph, got: {type(graph)}")
    return graph, kwargs.get("positive_filter"), kwargs.get(restrictions[0], False)


def _select(args: tuple, options: tuple, mine: str, other: str, by_name: Any, by_list: Any) -> list:  # fmt: skip
    graph, positive_filter, restricted = options
    found: list = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            pattern = make_regex(arg)
            if pattern.pattern.startswith(other):
                continue
            if restricted and not pattern.pattern.startswith(mine):
                continue
            found += by_name(graph, pattern)
        else:
            found += by_list(arg)
    if positive_filter is not None:
        found = [x for x in found if positive_filter(x)]
    return util.unique(found)


def select_ops(*args: object, **kwargs: object) -> list:
    """Operations by lists and patterns of names.

    Args:
        *args: operations, iterables of such, patterns; tensors among them are left out.
        graph: where patterns look; needed with these.
        positive_filter: f(operation) that must be true.
        restrict_ops_regex: whether only patterns that begin with "(?#ops)" count.
    """
    return _select(
        args,
        _options(kwargs, "restrict_ops_regex", "restrict_ts_regex"),
        _FOR_OPS,
        _FOR_TENSORS,
        filter_ops_from_regex,
        lambda arg: util.make_list_of_op(arg, ignore_ts=True),
    )


def select_ts(*args: object, **kwargs: object) -> list:
    """Tensors by lists and patterns of names; as `select_ops`, with `restrict_ts_regex` and "(?#ts)"."""
    return _select(
        args,
        _options(kwargs, "restrict_ts_regex", "restrict_ops_regex"),
        _FOR_TENSORS,
        _FOR_OPS,
        filter_ts_from_regex,
        lambda arg: util.make_list_of_t(arg, ignore_ops=True),
    )


def select_ops_and_ts(*args: object, **kwargs: object) -> tuple[list, list]:
    """(operations, tensors): patterns are for operations, but those that begin with "(?#ts)"."""
    return (
        select_ops(*args, restrict_ops_regex=False, **kwargs),
        select_ts(*args, restrict_ts_regex=True, **kwargs),
    )
