# SPDX-License-Identifier: Apache-2.0
"""Facts about a graph's operations that the graph does not have: floating-point operations, kinds, lines."""

from __future__ import annotations

import linecache
import os
from typing import TYPE_CHECKING, Any

from tensorwright.core.profiler import tfprof_log_pb2
from tensorwright.python.framework import ops
from tensorwright.python.framework.op_statistics import get_stats_for_node_def
from tensorwright.python.platform import gfile
from tensorwright.python.profiler import flops_registry  # noqa: F401

if TYPE_CHECKING:
    from tensorwright.core.profiler.tfprof_log_pb2 import OpLogProto
    from tensorwright.core.protobuf.config_pb2 import RunMetadata


TRAINABLE_VARIABLES = "_trainable_variables"


def merge_default_op_log(
    graph: ops.Graph,
    op_log: OpLogProto | None = None,
    run_meta: RunMetadata | None = None,
    add_trace: bool = True,
) -> OpLogProto:
    """Returns an OpLogProto with the known facts about each operation of a graph, and those that `op_log` adds.

    Args:
        graph: the graph.
        op_log: an OpLogProto; what it says goes first.
        run_meta: the RunMetadata of a traced run; its operations alone count then, if there are any.
        add_trace: whether lines of code are in it.
    """
    ran = {
        stats.node_name
        for device in (run_meta.step_stats.dev_stats if run_meta is not None else ())
        for stats in device.node_stats
    }
    entries = {e.name: e for e in (op_log.log_entries if op_log is not None else ())}
    trained = {
        v.op.name for v in graph.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES)
    }
    merged = tfprof_log_pb2.OpLogProto()
    if op_log is not None:
        merged.id_to_string.update(op_log.id_to_string)
    ids = {text: key for key, text in merged.id_to_string.items()}
    for op in graph.get_operations():
        given = entries.get(op.name)
        entry = tfprof_log_pb2.OpLogEntry(name=op.name)
        if given is not None:
            entry.CopyFrom(given)
        if not entry.float_ops and (not ran or op.name in ran):
            entry.float_ops = _flops(graph, op)
        if op.name in trained and TRAINABLE_VARIABLES not in entry.types:
            entry.types.append(TRAINABLE_VARIABLES)
        if add_trace:
            _add_trace(entry, op, ids)
        if entry.float_ops or entry.types or add_trace:
            merged.log_entries.append(entry)
    merged.id_to_string.update({key: text for text, key in ids.items()})
    return merged


def _flops(graph: ops.Graph, op: ops.Operation) -> int:
    try:
        return int(get_stats_for_node_def(graph, op.node_def, "flops").value or 0)
    except ValueError:
        return 0  # A shape is not known.


def _add_trace(entry: Any, op: ops.Operation, ids: dict[str, int]) -> None:
    for file, line, function in op.traceback or ():
        trace = entry.code_def.traces.add(lineno=line or 0)
        text = linecache.getline(file, line or 0).strip()
        for field, value in (("file_id", file), ("function_id", function), ("line_id", text)):  # fmt: skip
            setattr(trace, field, ids.setdefault(str(value), len(ids) + 1))


def write_op_log(
    graph: ops.Graph | None,
    log_dir: str,
    op_log: OpLogProto | None = None,
    run_meta: RunMetadata | None = None,
    add_trace: bool = True,
) -> None:
    """Writes what `merge_default_op_log` gives to the file "tfprof_log" of a folder; of the default graph for None."""
    graph = graph or ops.get_default_graph()
    merged = merge_default_op_log(graph, op_log, run_meta, add_trace)
    gfile.MakeDirs(log_dir)
    with gfile.GFile(os.path.join(log_dir, "tfprof_log"), "wb") as file:
        file.write(merged.SerializeToString())
