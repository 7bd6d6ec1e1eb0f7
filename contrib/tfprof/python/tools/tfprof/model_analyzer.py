# SPDX-License-Identifier: Apache-2.0
"""Profiles of a graph by the functions of TensorFlow 1.0 to 1.3."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.profiler import model_analyzer, option_builder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.core.profiler.tfprof_log_pb2 import OpLogProto
    from tensorwright.core.profiler.tfprof_output_pb2 import (
        GraphNodeProto,
        MultiGraphNodeProto,
    )
    from tensorwright.core.protobuf.config_pb2 import RunMetadata


__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "Profiler",
    "advise",
    "print_model_analysis",
    "profile",
]

Profiler = model_analyzer.Profiler
advise = model_analyzer.advise
profile = model_analyzer.profile

TRAINABLE_VARS_PARAMS_STAT_OPTIONS = (
    option_builder.ProfileOptionBuilder.trainable_variables_parameter()
)
FLOAT_OPS_OPTIONS = option_builder.ProfileOptionBuilder.float_operation()
PRINT_ALL_TIMING_MEMORY = option_builder.ProfileOptionBuilder.time_and_memory()
ALL_ADVICE = {
    "ExpensiveOperationChecker": {},
    "AcceleratorUtilizationChecker": {},
    "JobChecker": {},
    "OperationChecker": {},
}


def print_model_analysis(
    graph: ops.Graph,
    run_meta: RunMetadata | None = None,
    op_log: OpLogProto | None = None,
    tfprof_cmd: str = "scope",
    tfprof_options: Mapping[str, object] = TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
) -> GraphNodeProto | MultiGraphNodeProto:
    """A profile of a graph, which is printed, too: `tf.profiler.profile` with these arguments.

    Args:
        graph: the graph.
        run_meta: the RunMetadata of a traced run, for time and memory.
        op_log: an OpLogProto with further known facts.
        tfprof_cmd: "scope" or "graph", "op" or "code".
        tfprof_options: which operations are shown and counted; options that are absent are those of
            `tf.profiler.ProfileOptionBuilder`.

    Returns:
        A GraphNodeProto, whose `total_parameters` and the like are the sums; of groups a MultiGraphNodeProto.

    Raises:
        ValueError: another `tfprof_cmd`.
    """
    defaults = option_builder.ProfileOptionBuilder().build()
    options = {**defaults, **(tfprof_options or {})}
    return model_analyzer.profile(graph, run_meta, op_log, tfprof_cmd, options)
