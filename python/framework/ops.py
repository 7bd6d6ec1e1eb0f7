# SPDX-License-Identifier: Apache-2.0
"""Graph construction under TensorFlow's module name: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.framework.control_dependencies import (
    ControlDependenciesController as _ControlDependenciesController,
)
from tensorwright.python.framework.conversion import (
    convert_n_to_tensor,
    convert_n_to_tensor_or_indexed_slices,
    convert_to_tensor,
    convert_to_tensor_or_indexed_slices,
    internal_convert_n_to_tensor,
    internal_convert_n_to_tensor_or_indexed_slices,
    internal_convert_to_tensor,
    internal_convert_to_tensor_or_indexed_slices,
    register_tensor_conversion_function,
)
from tensorwright.python.framework.default_stack import (
    DefaultStack as _DefaultStack,
)
from tensorwright.python.framework.default_stack import (
    _default_graph_stack,
    _default_session_stack,
    default_session,
    get_default_session,
    reset_default_graph,
)
from tensorwright.python.framework.gradient_registry import (
    NoGradient,
    NotDifferentiable,
    RegisterGradient,
    _gradient_registry,
    get_gradient_function,
    no_gradient,
)
from tensorwright.python.framework.graph import (
    Graph,
    colocate_with,
    container,
    control_dependencies,
    device,
    get_default_graph,
    init_scope,
    prepend_name_scope,
    strip_name_scope,
)
from tensorwright.python.framework.graph_collections import (
    add_to_collection,
    add_to_collections,
    get_all_collection_keys,
    get_collection,
    get_collection_ref,
)
from tensorwright.python.framework.graph_elements import _as_graph_element
from tensorwright.python.framework.graph_keys import GraphKeys
from tensorwright.python.framework.indexed_slices import (
    IndexedSlices,
    IndexedSlicesValue,
)
from tensorwright.python.framework.name_scopes import (
    get_graph_from_inputs as _get_graph_from_inputs,
)
from tensorwright.python.framework.name_scopes import (
    get_name_scope,
    name_scope,
    op_scope,
)
from tensorwright.python.framework.op_statistics import (
    OpStats,
    RegisterShape,
    RegisterStatistics,
    get_stats_for_node_def,
    set_shapes_for_outputs,
)
from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.proto_functions import (
    get_collection_proto_type,
    get_from_proto_function,
    get_to_proto_function,
    register_proto_function,
)
from tensorwright.python.framework.tensor import (
    Tensor,
    _TensorLike,
    is_dense_tensor_like,
    register_dense_tensor_like_type,
)
