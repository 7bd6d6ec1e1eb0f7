# SPDX-License-Identifier: Apache-2.0
"""Sets have no gradients."""

from __future__ import annotations

from tensorwright.python.framework import ops

for _name in (
    "DenseToDenseSetOperation",
    "DenseToSparseSetOperation",
    "SetSize",
    "SparseToSparseSetOperation",
):
    ops.NotDifferentiable(_name)
