# SPDX-License-Identifier: Apache-2.0
"""Graphs, operations, tensors, dtypes, shapes, errors."""
