# SPDX-License-Identifier: Apache-2.0
"""The public names of graph construction: `tf.Graph`, `tf.name_scope`, ..."""

# ruff: noqa: F401
from typing import Any as _Any

from tensorwright.python.framework.device import DeviceSpec as DeviceSpec
from tensorwright.python.framework.dtypes import DType as DType, as_dtype as as_dtype
from tensorwright.python.framework.errors_impl import OpError as OpError
from tensorwright.python.framework.importer import import_graph_def as import_graph_def
from tensorwright.python.framework.load_library import (
    load_file_system_library as load_file_system_library,
    load_library as load_library,
    load_op_library as load_op_library,
    reload_op_library as reload_op_library,
)
from tensorwright.python.framework.ops import (
    Graph as Graph,
    GraphKeys as GraphKeys,
    IndexedSlices as IndexedSlices,
    IndexedSlicesValue as IndexedSlicesValue,
    NoGradient as NoGradient,
    NotDifferentiable as NotDifferentiable,
    Operation as Operation,
    RegisterGradient as RegisterGradient,
    Tensor as Tensor,
    add_to_collection as add_to_collection,
    add_to_collections as add_to_collections,
    colocate_with as colocate_with,
    container as container,
    control_dependencies as control_dependencies,
    convert_to_tensor as convert_to_tensor,
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
    device as device,
    get_collection as get_collection,
    get_collection_ref as get_collection_ref,
    get_default_graph as get_default_graph,
    get_default_session as get_default_session,
    init_scope as init_scope,
    name_scope as name_scope,
    no_gradient as no_gradient,
    op_scope as op_scope,
    register_tensor_conversion_function as register_tensor_conversion_function,
    reset_default_graph as reset_default_graph,
)
from tensorwright.python.framework.random_seed import (
    get_seed as get_seed,
    set_random_seed as set_random_seed,
)
from tensorwright.python.framework.sparse_tensor import (
    SparseTensor as SparseTensor,
    SparseTensorValue as SparseTensorValue,
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from tensorwright.python.framework.tensor_shape import (
    Dimension as Dimension,
    TensorShape as TensorShape,
    dimension_at_index as dimension_at_index,
    dimension_value as dimension_value,
    disable_v2_tensorshape as disable_v2_tensorshape,
    enable_v2_tensorshape as enable_v2_tensorshape,
)
from tensorwright.python.framework.tensor_util import (
    MakeNdarray as _make_ndarray,
    constant_value as _constant_value,
    is_tensor as is_tensor,
    make_tensor_proto as make_tensor_proto,
)

make_ndarray = _make_ndarray


def get_static_value(tensor: _Any, partial: bool = False) -> _Any:
    """Returns the value of a tensor if the graph alone determines it, else None.

    A `tensor` that is no tensor is returned as it is.  With `partial`, the value of a Pack of scalars has None in the
    places of unknown scalars.
    """
    if not is_tensor(tensor):
        return tensor
    return _constant_value(tensor, partial) if isinstance(tensor, Tensor) else None


def executing_eagerly() -> bool:
    """False: everything is built into graphs and run by sessions."""
    return False


executing_eagerly_outside_functions = executing_eagerly


def disable_eager_execution() -> None:
    """Does nothing: graphs are the only mode."""


def enable_tensor_equality() -> None:
    """Does nothing: `==` of a graph's tensors is identity, as it is in TensorFlow 2 outside eager code and functions."""


disable_tensor_equality = enable_tensor_equality


def is_symbolic_tensor(tensor: Tensor) -> bool:
    """True for tensors of a graph."""
    return isinstance(tensor, (Tensor, SparseTensor, IndexedSlices))
