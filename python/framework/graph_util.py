# SPDX-License-Identifier: Apache-2.0
"""Operations on GraphDef protos: the names users import."""

# ruff: noqa: F401
from tensorwright.python.framework.graph_util_impl import (
    convert_variables_to_constants as convert_variables_to_constants,
    extract_sub_graph as extract_sub_graph,
    must_run_on_cpu as must_run_on_cpu,
    remove_training_nodes as remove_training_nodes,
    set_cpu0 as set_cpu0,
    tensor_shape_from_node_def_name as tensor_shape_from_node_def_name,
)
from tensorwright.python.framework.importer import import_graph_def as import_graph_def
