# SPDX-License-Identifier: Apache-2.0
"""Graph construction under TensorFlow's module name: re-exports."""

# ruff: noqa: F401
from tensorwright.python.framework.control_dependencies import (
    ControlDependenciesController as _ControlDependenciesController,
)
from tensorwright.python.framework.conversion import (
    convert_n_to_tensor as convert_n_to_tensor,
    convert_n_to_tensor_or_indexed_slices as convert_n_to_tensor_or_indexed_slices,
    convert_to_tensor as convert_to_tensor,
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
    internal_convert_n_to_tensor as internal_convert_n_to_tensor,
    internal_convert_n_to_tensor_or_indexed_slices as internal_convert_n_to_tensor_or_indexed_slices,
    internal_convert_to_tensor as internal_convert_to_tensor,
    internal_convert_to_tensor_or_indexed_slices as internal_convert_to_tensor_or_indexed_slices,
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from tensorwright.python.framework.default_stack import (
    DefaultStack as _DefaultStack,
    _default_graph_stack,
    _default_session_stack,
    default_session as default_session,
    get_default_session as get_default_session,
    reset_default_graph as reset_default_graph,
)
from tensorwright.python.framework.eager_names import (
    EagerTensor as EagerTensor,
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
    uid as uid,
)
from tensorwright.python.framework.gradient_registry import (
    NoGradient as NoGradient,
    NotDifferentiable as NotDifferentiable,
    RegisterGradient as RegisterGradient,
    _gradient_registry,
    get_gradient_function as get_gradient_function,
    no_gradient as no_gradient,
)
from tensorwright.python.framework.graph import (
    Graph as Graph,
    colocate_with as colocate_with,
    container as container,
    control_dependencies as control_dependencies,
    device as device,
    get_default_graph as get_default_graph,
    init_scope as init_scope,
)
from tensorwright.python.framework.graph_collections import (
    add_to_collection as add_to_collection,
    add_to_collections as add_to_collections,
    get_all_collection_keys as get_all_collection_keys,
    get_collection as get_collection,
    get_collection_ref as get_collection_ref,
)
from tensorwright.python.framework.graph_elements import _as_graph_element
from tensorwright.python.framework.graph_keys import GraphKeys as GraphKeys
from tensorwright.python.framework.indexed_slices import (
    IndexedSlices as IndexedSlices,
    IndexedSlicesValue as IndexedSlicesValue,
)
from tensorwright.python.framework.name_scopes import (
    get_graph_from_inputs as _get_graph_from_inputs,
    get_name_scope as get_name_scope,
    name_scope as name_scope,
    op_scope as op_scope,
    prepend_name_scope as prepend_name_scope,
    strip_name_scope as strip_name_scope,
)
from tensorwright.python.framework.op_statistics import (
    OpStats as OpStats,
    RegisterShape as RegisterShape,
    RegisterStatistics as RegisterStatistics,
    get_stats_for_node_def as get_stats_for_node_def,
    set_shapes_for_outputs as set_shapes_for_outputs,
)
from tensorwright.python.framework.operation import (
    Operation as Operation,
    _NodeDef,
)
from tensorwright.python.framework.proto_functions import (
    get_collection_proto_type as get_collection_proto_type,
    get_from_proto_function as get_from_proto_function,
    get_to_proto_function as get_to_proto_function,
    register_proto_function as register_proto_function,
)
from tensorwright.python.framework.tensor import (
    Tensor as Tensor,
    _TensorLike,
    is_dense_tensor_like as is_dense_tensor_like,
    register_dense_tensor_like_type as register_dense_tensor_like_type,
)

# TensorFlow's packages ask by these whether graphs and shape functions are C++, as they are here.
_USE_C_API = True
_USE_C_SHAPES = True
