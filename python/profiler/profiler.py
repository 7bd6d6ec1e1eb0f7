# SPDX-License-Identifier: Apache-2.0
"""tf.profiler: re-exports, no code."""

from tensorwright.core.profiler.tfprof_log_pb2 import OpLogProto as OpLogProto
from tensorwright.core.profiler.tfprof_output_pb2 import (
    AdviceProto as AdviceProto,
    GraphNodeProto as GraphNodeProto,
    MultiGraphNodeProto as MultiGraphNodeProto,
)
from tensorwright.python.profiler.model_analyzer import (
    Profiler as Profiler,
    advise as advise,
    profile as profile,
)
from tensorwright.python.profiler.option_builder import (
    ProfileOptionBuilder as ProfileOptionBuilder,
)
from tensorwright.python.profiler.tfprof_logger import write_op_log as write_op_log
