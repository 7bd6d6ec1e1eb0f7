# SPDX-License-Identifier: Apache-2.0
"""tf.linalg: re-exports, no code."""

from tensorwright.python.ops._linalg.linalg_factors import (
    lu_reconstruct,
    tridiagonal_matmul,
)
from tensorwright.python.ops._math.math_ops_matmul import (
    adjoint,
    matvec,
)
from tensorwright.python.ops.array_ops import (
    diag as tensor_diag,
    diag_part as tensor_diag_part,
    eye,
    matrix_band_part as band_part,
    matrix_diag as diag,
    matrix_diag_part as diag_part,
    matrix_set_diag as set_diag,
    matrix_transpose,
    matrix_transpose as transpose,
)
from tensorwright.python.ops.clip_ops import global_norm
from tensorwright.python.ops.linalg_ops import norm, normalize
from tensorwright.python.ops.math_ops import (
    cross,
    matmul,
    tensordot,
    trace,
)
from tensorwright.python.ops.nn_impl import l2_normalize
from tensorwright.python.ops.special_math_ops import einsum

__all__ = [
    "adjoint",
    "band_part",
    "cross",
    "diag",
    "diag_part",
    "einsum",
    "eye",
    "global_norm",
    "l2_normalize",
    "lu_reconstruct",
    "matmul",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "set_diag",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "transpose",
    "tridiagonal_matmul",
]
