# SPDX-License-Identifier: Apache-2.0
"""Gradients of tables: there are none.  (Of an export TensorFlow says nothing.)"""

from tensorwright.python.framework import ops

for _op in (
    "HashTable",
    "InitializeTable",
    "InitializeTableFromTextFile",
    "LookupTableFind",
    "LookupTableInsert",
    "LookupTableSize",
    "MutableDenseHashTable",
    "MutableHashTable",
    "MutableHashTableOfTensors",
):
    ops.NotDifferentiable(_op)
    ops.NotDifferentiable(f"{_op}V2")
