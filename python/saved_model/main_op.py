# SPDX-License-Identifier: Apache-2.0
"""Operations for a program to run when a SavedModel was loaded."""

from tensorwright.python.framework import ops
from tensorwright.python.ops import control_flow_ops, lookup_ops, variables


def main_op() -> ops.Operation:
    """Initializes variables, local ones too, and tables."""
    return control_flow_ops.group(
        variables.global_variables_initializer(),
        variables.local_variables_initializer(),
        lookup_ops.tables_initializer(),
    )


def main_op_with_restore(restore_op_name: str) -> ops.Operation:
    """The same, and then the operation of a saver, which sets the variables."""
    with ops.control_dependencies([main_op()]):
        restore = ops.get_default_graph().as_graph_element(restore_op_name)
        return control_flow_ops.group(restore)
