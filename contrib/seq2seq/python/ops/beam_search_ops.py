# SPDX-License-Identifier: Apache-2.0
"""Ops of beam search: re-exports, no code."""

from tensorwright.python.ops.gen_contrib_ops import gather_tree as gather_tree
