# SPDX-License-Identifier: Apache-2.0
"""The class of values that are made of several tensors: sparse tensors, slices, and those of programs."""

from __future__ import annotations

import abc

from tensorwright.python.framework.indexed_slices import IndexedSlices
from tensorwright.python.framework.sparse_tensor import SparseTensor


class CompositeTensor(abc.ABC):
    """Base class of values that consist of tensors, so that programs can recognize such values by `isinstance`."""


CompositeTensor.register(IndexedSlices)
CompositeTensor.register(SparseTensor)
