# SPDX-License-Identifier: Apache-2.0
"""Partitioning and stitching of tensors."""

# ruff: noqa: F401
from tensorwright.python.ops.gen_data_flow_ops import (
    dynamic_partition as dynamic_partition,
    dynamic_stitch as dynamic_stitch,
)
