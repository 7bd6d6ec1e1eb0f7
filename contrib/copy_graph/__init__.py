# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.copy_graph`: operations and variables copied from graph to graph."""

from tensorwright.contrib.copy_graph.python.util import copy_elements
from tensorwright.contrib.copy_graph.python.util.copy_elements import (
    copy_op_to_graph,
    copy_variable_to_graph,
    get_copied_op,
)
