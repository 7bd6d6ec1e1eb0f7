# SPDX-License-Identifier: Apache-2.0
"""tf.sparse: re-exports, no code."""

from tensorwright.python.framework.sparse_tensor import SparseTensor
from tensorwright.python.ops.array_ops import (
    sparse_mask as mask,
    sparse_placeholder as placeholder,
)
from tensorwright.python.ops.data_flow_ops import SparseConditionalAccumulator
from tensorwright.python.ops.math_ops import (
    sparse_segment_mean as segment_mean,
    sparse_segment_sqrt_n as segment_sqrt_n,
    sparse_segment_sum as segment_sum,
)
from tensorwright.python.ops.sparse_ops import (
    from_dense,
    sparse_expand_dims as expand_dims,
    sparse_eye as eye,
    sparse_reset_shape as reset_shape,
    sparse_retain as retain,
)

__all__ = [
    "SparseConditionalAccumulator",
    "SparseTensor",
    "expand_dims",
    "eye",
    "from_dense",
    "mask",
    "placeholder",
    "reset_shape",
    "retain",
    "segment_mean",
    "segment_sqrt_n",
    "segment_sum",
]
