# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.memory_stats`: what the allocator of a device counts."""

from tensorwright.contrib.memory_stats.python.ops.memory_stats_ops import (
    BytesInUse,
    BytesLimit,
    MaxBytesInUse,
)
