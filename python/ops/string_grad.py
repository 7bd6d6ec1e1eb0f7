# SPDX-License-Identifier: Apache-2.0
"""Strings have no gradient."""

from tensorwright.python.framework import ops

ops.NotDifferentiable("StringJoin")
