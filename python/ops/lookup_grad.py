# SPDX-License-Identifier: Apache-2.0
"""Ops of tables have no gradients.  (TensorFlow registers none for an export.)"""

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
