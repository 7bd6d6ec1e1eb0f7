# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.memory_stats`: the counts of a device's allocator."""

from tensorwright.contrib.memory_stats.python.ops.memory_stats_ops import (
    BytesInUse,
    BytesLimit,
    MaxBytesInUse,
)
