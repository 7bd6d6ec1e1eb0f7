# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.input_pipeline: strings one after the other, round and round.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.input_pipeline.python.ops.input_pipeline_ops import (
    obtain_next,
    seek_next,
)
