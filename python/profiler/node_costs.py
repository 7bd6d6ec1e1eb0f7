# SPDX-License-Identifier: Apache-2.0
"""The costs of each operation of a graph: its parameters, its computation, its time and memory."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops
from tensorwright.python.profiler import tfprof_logger

if TYPE_CHECKING:
    from tensorwright.core.profiler.tfprof_log_pb2 import OpLogProto
    from tensorwright.core.profiler.tfprof_output_pb2 import GraphNodeProto
    from tensorwright.core.protobuf.config_pb2 import RunMetadata


_VARIABLES = frozenset({"Variable", "VariableV2", "VarHandleOp", "AutoReloadVariable"})
# Fields of reports that have a sum, `total_...`.
FIELDS = (
    "exec_micros",
    "accelerator_exec_micros",
    "cpu_exec_micros",
    "requested_bytes",
    "peak_bytes",
    "residual_bytes",
    "output_bytes",
    "parameters",
    "float_ops",
)


@dataclasses.dataclass
class Cost:
    """The costs of one operation; times and sizes are means over steps."""

    op: ops.Operation
    types: list[str]
    parameters: int = 0
    float_ops: int = 0
    runs: int = 0
    micros: int = 0
    accelerator_micros: int = 0
    requested_bytes: int = 0
    peak_bytes: int = 0
    residual_bytes: int = 0
    output_bytes: int = 0
    devices: list[str] = dataclasses.field(default_factory=list)

    def fill(self, node: GraphNodeProto) -> None:
        """Writes it to a GraphNodeProto."""
        node.parameters, node.float_ops = self.parameters, self.float_ops
        node.run_count, node.exec_micros = self.runs, self.micros
        node.accelerator_exec_micros = self.accelerator_micros
        node.cpu_exec_micros = self.micros - self.accelerator_micros
        node.requested_bytes, node.peak_bytes = self.requested_bytes, self.peak_bytes
        node.residual_bytes, node.output_bytes = self.residual_bytes, self.output_bytes
        node.devices.extend(self.devices)
        for tensor in self.op.outputs:
            node.shapes.append(tensor.get_shape().as_proto())
        for i, tensor in enumerate(self.op.inputs):
            node.input_shapes[i].CopyFrom(tensor.get_shape().as_proto())


def of_graph(
    graph: ops.Graph, op_log: OpLogProto | None, steps: list[RunMetadata]
) -> dict[str, Cost]:
    """The costs of a graph's operations, by name, from an OpLogProto and RunMetadata."""
    merged = tfprof_logger.merge_default_op_log(graph, op_log, add_trace=False)
    known = {entry.name: entry for entry in merged.log_entries}
    found = {}
    for op in graph.get_operations():
        entry = known.get(op.name)
        types = [op.type, *([op.device] if op.device else [])]
        cost = Cost(op, types + list(entry.types if entry else ()))
        cost.float_ops = entry.float_ops if entry else 0
        if op.type in _VARIABLES:
            cost.parameters = _size(op)
        found[op.name] = cost
    for step in steps:
        _add_times(found, step)
    for cost in found.values():
        for field in ("micros", "accelerator_micros", "requested_bytes", "output_bytes"):  # fmt: skip
            setattr(cost, field, getattr(cost, field) // max(1, len(steps)))
    return found


def _size(op: ops.Operation) -> int:
    dims = [d.size for d in op.node_def.attr["shape"].shape.dim]
    return math.prod(dims) if all(d >= 0 for d in dims) else 0


def _add_times(found: dict[str, Cost], step: Any) -> None:
    for device in step.step_stats.dev_stats:
        for stats in device.node_stats:
            cost = found.get(stats.node_name.partition(":")[0])
            if cost is None:
                continue
            # An operation that ran has taken time, if less than a microsecond.
            micros = -(-stats.all_end_rel_nanos // 1000) or stats.all_end_rel_micros
            cost.runs += 1
            cost.micros += micros
            if "gpu" in device.device.lower():
                cost.accelerator_micros += micros
            if device.device not in cost.devices:
                cost.devices.append(device.device)
                cost.types.append(device.device)
            for memory in stats.memory:
                cost.requested_bytes += max(0, memory.total_bytes)
                cost.peak_bytes = max(cost.peak_bytes, memory.peak_bytes)
                cost.residual_bytes = max(cost.residual_bytes, memory.live_bytes)
            of_outputs = sum(
                max(0, out.tensor_description.allocation_description.requested_bytes)
                for out in stats.output
            )
            cost.output_bytes += of_outputs
            if not stats.memory:  # Only the outputs' requests are known.
                cost.requested_bytes += of_outputs


def add_totals(node: Any, children: Iterable[Any]) -> None:
    """Sets the sums of a report: its own values and its children's sums."""
    children = list(children)
    for field in FIELDS:
        total = getattr(node, field) + sum(getattr(c, f"total_{field}") for c in children)  # fmt: skip
        setattr(node, f"total_{field}", total)
    if hasattr(node, "total_run_count"):
        node.total_run_count = node.run_count + sum(c.total_run_count for c in children)
        node.total_definition_count += sum(c.total_definition_count for c in children)


def add_group(group: Any, nodes: Iterable[Any]) -> None:
    """Sets the values of a group: the sums of its operations'."""
    nodes = list(nodes)
    for field in FIELDS:
        value = sum(getattr(node, field) for node in nodes)
        setattr(group, field, value)
        setattr(group, f"total_{field}", value)
