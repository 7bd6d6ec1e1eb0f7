# SPDX-License-Identifier: Apache-2.0
"""Initialization of the tables of a graph."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.ops import control_flow_ops
from tensorwright.python.util import deprecation


def tables_initializer(name: str = "init_all_tables") -> ops.Operation:
    """An operation that runs the initializers in the collection TABLE_INITIALIZERS; it does nothing where none are."""
    initializers = ops.get_collection(ops.GraphKeys.TABLE_INITIALIZERS)
    return control_flow_ops.group(*initializers, name=name)


@deprecation.deprecated(None, "Use `tf.tables_initializer` instead.")
def initialize_all_tables(name: str = "init_all_tables") -> ops.Operation:
    """The old name of `tables_initializer`."""
    return tables_initializer(name)
