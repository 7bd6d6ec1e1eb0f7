# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.tfprof`: the older names of `tf.profiler`.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.tfprof.python.tools.tfprof import model_analyzer
from tensorwright.python.profiler import tfprof_logger
