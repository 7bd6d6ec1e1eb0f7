# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors: made, converted, moved, added, reduced; re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._sparse.sparse_ops_bincount import (
    sparse_bincount as sparse_bincount,
)
from tensorwright.python.ops._sparse.sparse_ops_convert import (
    from_dense as from_dense,
    sparse_eye as sparse_eye,
    sparse_tensor_to_dense as sparse_tensor_to_dense,
    sparse_to_dense as sparse_to_dense,
    sparse_to_indicator as sparse_to_indicator,
)
from tensorwright.python.ops._sparse.sparse_ops_cross import (
    _DEFAULT_HASH_KEY,
    _sparse_cross_internal,
    sparse_cross as _sparse_cross,
    sparse_cross as sparse_cross,
    sparse_cross_hashed as _sparse_cross_hashed,
    sparse_cross_hashed as sparse_cross_hashed,
    sparse_merge as sparse_merge,
)
from tensorwright.python.ops._sparse.sparse_ops_layout import (
    KeywordRequired as KeywordRequired,
    sparse_concat as sparse_concat,
    sparse_reorder as sparse_reorder,
    sparse_reshape as sparse_reshape,
    sparse_slice as sparse_slice,
    sparse_split as sparse_split,
    sparse_transpose as sparse_transpose,
)
from tensorwright.python.ops._sparse.sparse_ops_math import (
    sparse_add as sparse_add,
    sparse_map_values as sparse_map_values,
    sparse_maximum as sparse_maximum,
    sparse_minimum as sparse_minimum,
    sparse_softmax as sparse_softmax,
    sparse_tensor_dense_matmul as sparse_tensor_dense_matmul,
)
from tensorwright.python.ops._sparse.sparse_ops_reduce import (
    sparse_reduce_max as sparse_reduce_max,
    sparse_reduce_max_sparse as sparse_reduce_max_sparse,
    sparse_reduce_sum as sparse_reduce_sum,
    sparse_reduce_sum_sparse as sparse_reduce_sum_sparse,
)
from tensorwright.python.ops._sparse.sparse_ops_serialize import (
    add_many_sparse_to_tensors_map as _add_many_sparse_to_tensors_map,
    add_sparse_to_tensors_map as _add_sparse_to_tensors_map,
    deserialize_many_sparse as deserialize_many_sparse,
    deserialize_sparse as deserialize_sparse,
    serialize_many_sparse as serialize_many_sparse,
    serialize_sparse as serialize_sparse,
    take_many_sparse_from_map as _take_many_sparse_from_map,
    take_many_sparse_from_tensors_map as _take_many_sparse_from_tensors_map,
)
from tensorwright.python.ops._sparse.sparse_ops_size import (
    sparse_expand_dims as sparse_expand_dims,
    sparse_fill_empty_rows as sparse_fill_empty_rows,
    sparse_reset_shape as sparse_reset_shape,
    sparse_retain as sparse_retain,
)
from tensorwright.python.ops.gen_sparse_ops import (
    sparse_dense_cwise_add as sparse_dense_cwise_add,
    sparse_dense_cwise_div as sparse_dense_cwise_div,
    sparse_dense_cwise_mul as sparse_dense_cwise_mul,
)
