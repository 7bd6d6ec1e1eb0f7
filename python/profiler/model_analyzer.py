# SPDX-License-Identifier: Apache-2.0
"""Profiles of a graph: trees of its scopes or operations, and groups by type or line, with their sums."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.core.profiler import tfprof_log_pb2, tfprof_output_pb2
from tensorwright.python.client import timeline
from tensorwright.python.explain import source_names
from tensorwright.python.framework import ops
from tensorwright.python.platform import gfile
from tensorwright.python.profiler import (
    node_costs,
    option_builder,
    pprof,
    tfprof_logger,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.core.profiler.tfprof_log_pb2 import OpLogProto
    from tensorwright.core.profiler.tfprof_output_pb2 import (
        AdviceProto,
        GraphNodeProto,
        MultiGraphNodeProto,
    )
    from tensorwright.core.protobuf.config_pb2 import RunMetadata


__all__ = ["Profiler", "advise", "profile"]

_ROOT = "_TFProfRoot"
_COMMANDS = ("scope", "graph", "op", "code")
# Field of a report -> option with its least value.
_LEAST = {
    "total_requested_bytes": "min_bytes",
    "total_peak_bytes": "min_peak_bytes",
    "total_residual_bytes": "min_residual_bytes",
    "total_output_bytes": "min_output_bytes",
    "total_exec_micros": "min_micros",
    "total_accelerator_exec_micros": "min_accelerator_micros",
    "total_cpu_exec_micros": "min_cpu_micros",
    "total_parameters": "min_params",
    "total_float_ops": "min_float_ops",
}
_SELECTED = {
    "bytes": "requested_bytes",
    "micros": "exec_micros",
    "params": "parameters",
    "float_ops": "float_ops",
    "peak_bytes": "peak_bytes",
    "output_bytes": "output_bytes",
    "residual_bytes": "residual_bytes",
    "cpu_micros": "cpu_exec_micros",
    "accelerator_micros": "accelerator_exec_micros",
}


class Profiler:
    """Profiles of one graph over several steps.

    Args:
        graph: the graph; None: the default one.
        op_log: an OpLogProto with what is known besides.

    Example:
        profiler = tf.profiler.Profiler(session.graph)
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(step, options=options, run_metadata=metadata)
        profiler.add_step(1, metadata)
        profiler.profile_name_scope(tf.profiler.ProfileOptionBuilder.time_and_memory())
    """

    def __init__(
        self, graph: ops.Graph | None = None, op_log: OpLogProto | None = None
    ):
        self._graph = graph or ops.get_default_graph()
        self._op_log = op_log
        self._steps: dict[int, Any] = {}

    def add_step(self, step: int, run_meta: RunMetadata) -> None:
        """Takes the times of a traced run, a RunMetadata, into account."""
        self._steps[step] = run_meta

    def _costs(self, options: dict[str, Any]) -> dict[str, node_costs.Cost]:
        step = options.get("step", -1)
        if step >= 0 and step not in self._steps:
            raise ValueError(f"There is no step {step} of {sorted(self._steps)}")
        chosen = [self._steps[step]] if step >= 0 else list(self._steps.values())
        return node_costs.of_graph(self._graph, self._op_log, chosen)

    def profile_name_scope(self, options: Mapping[str, object]) -> GraphNodeProto:
        """The tree of scopes, a GraphNodeProto."""
        return self._report("scope", options)

    def profile_graph(self, options: Mapping[str, object]) -> GraphNodeProto:
        """The tree of operations, below each its inputs that are not elsewhere; a GraphNodeProto."""
        return self._report("graph", options)

    def profile_operations(self, options: Mapping[str, object]) -> MultiGraphNodeProto:
        """Operations by type, a MultiGraphNodeProto."""
        return self._report("op", options)

    def profile_python(self, options: Mapping[str, object]) -> MultiGraphNodeProto:
        """Operations by the line that made them, a MultiGraphNodeProto."""
        return self._report("code", options)

    def _report(self, command: str, options: Mapping[str, Any]) -> Any:
        options = {**option_builder.ProfileOptionBuilder().build(), **options}
        costs = self._costs(options)
        if not any(
            cost.requested_bytes or cost.output_bytes for cost in costs.values()
        ):
            # Nothing was recorded of memory: it is no reason to hide anything.
            options.update({name: 0 for name in _LEAST.values() if "bytes" in name})
        if command in ("scope", "graph"):
            below = _scopes(costs) if command == "scope" else _inputs(costs)
            report = _tree(costs, below, options)
        else:
            key = _type if command == "op" else _line
            report = _groups(costs, key, options)
        kind, _, path = options["output"].partition(":outfile=")
        if kind == "timeline":
            self._write_timeline(path, options["step"])
        elif kind == "pprof":
            if command != "code":
                raise ValueError(f"pprof output is of the code view, not of {command}")
            pprof.write(path, costs.values())
        else:
            _print(report, options)
        return report

    def _write_timeline(self, path: str, step: int) -> None:
        if not self._steps:
            raise ValueError("A timeline needs the RunMetadata of a traced run")
        chosen = self._steps[step if step >= 0 else max(self._steps)]
        trace = timeline.Timeline(chosen.step_stats).generate_chrome_trace_format()
        with gfile.GFile(path, "w") as file:
            file.write(trace)

    def advise(self, options: Mapping[str, object]) -> AdviceProto:
        """Returns a traced run's advice on operations that take most of the time, an AdviceProto.

        Args:
            options: the names of checkers, as the keys of a dict; empty for all.  There is one,
                "ExpensiveOperationChecker".
        """
        found = tfprof_output_pb2.AdviceProto()
        name = "ExpensiveOperationChecker"
        if isinstance(options, dict) and options and name not in options:
            return found
        costs = self._costs({})
        total = sum(cost.micros for cost in costs.values())
        checker = found.checkers[name]
        for cost in sorted(costs.values(), key=lambda c: -c.micros)[:3]:
            if total and cost.micros:
                checker.reports.append(
                    f"{cost.op.type}: {cost.op.name} takes {cost.micros} of {total} "
                    f"microseconds, {100 * cost.micros / total:.1f}%"
                )
        return found

    def serialize_to_string(self) -> bytes:
        """Returns the known facts about the operations, a serialized OpLogProto."""
        merged = tfprof_logger.merge_default_op_log(self._graph, self._op_log)
        assert isinstance(merged, tfprof_log_pb2.OpLogProto)
        return merged.SerializeToString()


def profile(
    graph: ops.Graph | None = None,
    run_meta: RunMetadata | None = None,
    op_log: OpLogProto | None = None,
    cmd: str = "scope",
    options: Mapping[str, object] | None = None,
) -> GraphNodeProto | MultiGraphNodeProto:
    """Profiles a graph, and prints the profile, too.

    Args:
        graph: the graph; None: the default one.
        run_meta: the RunMetadata of a traced run, for time and memory.
        op_log: an OpLogProto with what is known besides.
        cmd: "scope" or "graph": a tree, GraphNodeProto; "op" or "code": groups, MultiGraphNodeProto.
        options: options that ProfileOptionBuilder built; None: everything.

    Raises:
        ValueError: another `cmd`.

    Example:
        flops = tf.profiler.profile(graph, options=tf.profiler.ProfileOptionBuilder.float_operation())
        print(flops.total_float_ops)
    """
    if cmd not in _COMMANDS:
        raise ValueError(f"Undefined option: cmd is one of {_COMMANDS}, got {cmd!r}")
    profiler = Profiler(graph, op_log)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    return profiler._report(cmd, options or {})


def advise(
    graph: ops.Graph | None = None,
    run_meta: RunMetadata | None = None,
    options: Mapping[str, object] | None = None,
) -> AdviceProto:
    """`Profiler.advise` of a graph and a traced run."""
    profiler = Profiler(graph)
    if run_meta is not None:
        profiler.add_step(0, run_meta)
    return profiler.advise(options or {})


# --- Trees ---------------------------------------------------------------------------

_Below = dict[str, list[str]]


def _scopes(costs: dict[str, node_costs.Cost]) -> _Below:
    """Names below each scope; an operation may be a scope, too."""
    below: dict[str, dict[str, None]] = {_ROOT: {}}
    for name in costs:
        parts = name.split("/")
        parent = _ROOT
        for i in range(1, len(parts) + 1):
            path = "/".join(parts[:i])
            below.setdefault(parent, {})[path] = None
            parent = path
    return {name: list(names) for name, names in below.items()}


def _inputs(costs: dict[str, node_costs.Cost]) -> _Below:
    """Below each operation its inputs, where it is the first that is found to need them."""
    needed = {t.op.name for cost in costs.values() for t in cost.op.inputs}
    seen: set[str] = set()
    below: _Below = {_ROOT: []}
    tops = [name for name in costs if name not in needed]
    # An operation that is reached only through a loop is at the top.
    for start in [*tops, *costs]:
        if start in seen:
            continue
        seen.add(start)
        below[_ROOT].append(start)
        waiting = [start]
        while waiting:
            name = waiting.pop()
            for tensor in costs[name].op.inputs:
                if tensor.op.name not in seen:
                    seen.add(tensor.op.name)
                    below.setdefault(name, []).append(tensor.op.name)
                    waiting.append(tensor.op.name)
    return below


def _matches(expressions: Iterable[str], texts: Iterable[str]) -> bool:
    texts = list(texts)
    return any(re.search(e, text) for e in expressions for text in texts)


def _tree(
    costs: dict[str, node_costs.Cost], below: _Below, options: dict[str, Any]
) -> Any:
    made: dict[str, Any] = {}
    # Children before parents, without recursion: graphs are deep.
    order, waiting = [], [(_ROOT, 0)]
    while waiting:
        name, depth = waiting.pop()
        order.append((name, depth))
        waiting.extend((child, depth + 1) for child in below.get(name, ()))
    for name, depth in reversed(order):
        children = [made.pop(child) for child in below.get(name, ())]
        made[name] = _node(name, depth, costs.get(name), children, options)
    (shown,) = made.values()
    return shown[0]


def _node(
    name: str, depth: int, cost: Any, children: list[Any], options: dict[str, Any]
) -> tuple[Any, list[Any]]:
    """Returns (the report of a node, its share of its parent's report: itself or nodes in its place)."""
    node = tfprof_output_pb2.GraphNodeProto(name=name)
    if cost is not None and _matches(options["account_type_regexes"], cost.types):
        cost.fill(node)
        node.total_definition_count = 1
    displayed = [one for _, several in children for one in several]
    counted = displayed if options["account_displayed_op_only"] else [c for c, _ in children]  # fmt: skip
    node_costs.add_totals(node, counted)
    for child in _ordered(displayed, options["order_by"]):
        node.children.append(child)
    if name == _ROOT:
        return node, [node]
    if _matches(options["trim_name_regexes"], [name]):
        return node, []
    shown = (
        depth <= options["max_depth"]
        and _matches(options["show_name_regexes"], [name])
        and not _matches(options["hide_name_regexes"], [name])
        and _matches(options["start_name_regexes"], [name])
        and _is_enough(node, options)
        and node.total_definition_count > 0
    )
    return node, [node] if shown else displayed


def _is_enough(node: Any, options: dict[str, Any]) -> bool:
    return all(getattr(node, field) >= options[o] for field, o in _LEAST.items())


def _ordered(nodes: list[Any], attribute: str) -> list[Any]:
    field = _SELECTED.get(attribute)
    if field is None:
        return sorted(nodes, key=lambda node: node.name)
    return sorted(nodes, key=lambda node: (-getattr(node, f"total_{field}"), node.name))


# --- Groups --------------------------------------------------------------------------


def _type(cost: node_costs.Cost) -> str:
    return cost.op.type


def _line(cost: node_costs.Cost) -> str:
    frames = source_names.user_frames(cost.op)
    if not frames:
        return "unknown"
    place = frames[-1]
    return f"{place.file}:{place.line}:{place.name}"


def _groups(
    costs: dict[str, node_costs.Cost],
    key: Callable[[node_costs.Cost], str],
    options: dict[str, Any],
) -> Any:
    groups: dict[str, Any] = {}
    for name, cost in costs.items():
        if not _matches(options["account_type_regexes"], cost.types):
            continue
        group = groups.setdefault(key(cost), [])
        node = tfprof_output_pb2.GraphNodeProto(name=name, total_definition_count=1)
        cost.fill(node)
        node_costs.add_totals(node, [])
        group.append(node)
    report = tfprof_output_pb2.MultiGraphNodeProto(name=_ROOT)
    shown, all_groups = [], []
    for name, nodes in groups.items():
        group = tfprof_output_pb2.MultiGraphNodeProto(name=name, graph_nodes=nodes)
        node_costs.add_group(group, nodes)
        all_groups.append(group)
        if (
            len(nodes) >= options["min_occurrence"]
            and _is_enough(group, options)
            and _matches(options["show_name_regexes"], [name])
            and not _matches(options["hide_name_regexes"], [name])
        ):
            shown.append(group)
    counted = shown if options["account_displayed_op_only"] else all_groups
    node_costs.add_totals(report, counted)
    report.children.extend(_ordered(shown, options["order_by"]))
    return report


# --- Text ----------------------------------------------------------------------------


def _print(report: Any, options: dict[str, Any]) -> None:
    output = options["output"]
    if output == "none":
        return
    lines: list[str] = []
    waiting = [(report, 0)]
    while waiting:
        node, depth = waiting.pop()
        fields = [_SELECTED[s] for s in options["select"] if s in _SELECTED]
        values = ", ".join(
            f"{f} {getattr(node, f)}/{getattr(node, f'total_{f}')}" for f in fields
        )
        lines.append(f"{'  ' * depth}{node.name} ({values})")
        waiting.extend((child, depth + 1) for child in reversed(node.children))
    text = "\n".join(["name (own/with all below)", *lines, ""])
    if output.startswith("file:outfile="):
        with gfile.GFile(output.removeprefix("file:outfile="), "w") as file:
            file.write(text)
    else:
        sys.stdout.write(text)
