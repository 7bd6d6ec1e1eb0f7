# SPDX-License-Identifier: Apache-2.0
"""tf.config.threading: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.framework.config import (
    get_inter_op_parallelism_threads as get_inter_op_parallelism_threads,
    get_intra_op_parallelism_threads as get_intra_op_parallelism_threads,
    set_inter_op_parallelism_threads as set_inter_op_parallelism_threads,
    set_intra_op_parallelism_threads as set_intra_op_parallelism_threads,
)
