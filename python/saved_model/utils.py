# SPDX-License-Identifier: Apache-2.0
"""TensorInfo: a tensor's name, dtype and shape in a signature."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.core.protobuf import meta_graph_pb2
from tensorwright.python.framework import dtypes, ops, sparse_tensor

if TYPE_CHECKING:
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.tensor import Tensor


def build_tensor_info(
    tensor: ops.Tensor | sparse_tensor.SparseTensor,
) -> meta_graph_pb2.TensorInfo:
    """The `TensorInfo` of a tensor or a SparseTensor."""
    info = meta_graph_pb2.TensorInfo(
        dtype=dtypes.as_dtype(tensor.dtype).as_datatype_enum,
        tensor_shape=tensor.get_shape().as_proto(),
    )
    if isinstance(tensor, sparse_tensor.SparseTensor):
        info.coo_sparse.values_tensor_name = tensor.values.name
        info.coo_sparse.indices_tensor_name = tensor.indices.name
        info.coo_sparse.dense_shape_tensor_name = tensor.dense_shape.name
    else:
        info.name = tensor.name
    return info


def get_tensor_from_tensor_info(
    tensor_info: meta_graph_pb2.TensorInfo,
    graph: ops.Graph | None = None,
    import_scope: str | None = None,
) -> Tensor | SparseTensor:
    """The tensor or SparseTensor that a `TensorInfo` names, of a graph (the default one).

    KeyError where the graph has none, ValueError for an info that names none.
    """
    graph = graph or ops.get_default_graph()

    def find(name: str) -> ops.Tensor:
        return graph.get_tensor_by_name(ops.prepend_name_scope(name, import_scope))

    encoding = tensor_info.WhichOneof("encoding")
    if encoding == "name":
        return find(tensor_info.name)
    if encoding == "coo_sparse":
        sparse = tensor_info.coo_sparse
        return sparse_tensor.SparseTensor(
            find(sparse.indices_tensor_name),
            find(sparse.values_tensor_name),
            find(sparse.dense_shape_tensor_name),
        )
    raise ValueError(f"Invalid TensorInfo.encoding: {encoding}")
