# SPDX-License-Identifier: Apache-2.0
"""Converts the arguments of functions of sparse tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import sparse_tensor

if TYPE_CHECKING:
    pass

Sparse = sparse_tensor.SparseTensor | sparse_tensor.SparseTensorValue


def as_sparse(function: str, value: object) -> sparse_tensor.SparseTensor:
    """A SparseTensor of one, or of a SparseTensorValue; TypeError for anything else."""
    if isinstance(value, sparse_tensor.SparseTensorValue):
        return sparse_tensor.SparseTensor.from_value(value)
    if not isinstance(value, sparse_tensor.SparseTensor):
        raise TypeError(f"{function}: not a SparseTensor: {value!r}")
    return value
