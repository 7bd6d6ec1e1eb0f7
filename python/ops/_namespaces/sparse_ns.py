# SPDX-License-Identifier: Apache-2.0
"""tf.sparse: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.framework.sparse_tensor import SparseTensor
from tensorwright.python.ops.array_ops import sparse_mask as mask
from tensorwright.python.ops.array_ops import sparse_placeholder as placeholder
from tensorwright.python.ops.math_ops import sparse_segment_mean as segment_mean
from tensorwright.python.ops.math_ops import sparse_segment_sqrt_n as segment_sqrt_n
from tensorwright.python.ops.math_ops import sparse_segment_sum as segment_sum
from tensorwright.python.ops.sparse_ops import (
    from_dense,
)
from tensorwright.python.ops.sparse_ops import (
    sparse_expand_dims as expand_dims,
)
from tensorwright.python.ops.sparse_ops import (
    sparse_eye as eye,
)
from tensorwright.python.ops.sparse_ops import (
    sparse_reset_shape as reset_shape,
)
from tensorwright.python.ops.sparse_ops import (
    sparse_retain as retain,
)
