# SPDX-License-Identifier: Apache-2.0
"""tf.linalg: re-exports; linear operators, a package of their own, are loaded when one is first used."""

import importlib
import sys
from typing import TYPE_CHECKING, Any

from tensorwright.python.ops._linalg.linalg_factors import (
    lu_reconstruct,
    tridiagonal_matmul,
)
from tensorwright.python.ops._linalg.linalg_solve import (
    lu_matrix_inverse,
    lu_solve,
    tridiagonal_solve,
)
from tensorwright.python.ops._linalg.linalg_spectra import (
    eigh_tridiagonal,
    expm,
    logdet,
    matrix_rank,
    pinv,
    slogdet,
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
from tensorwright.python.ops.gen_linalg_ops import (
    lu,
    matrix_logarithm as logm,
)
from tensorwright.python.ops.linalg_ops import (
    cholesky,
    cholesky_solve,
    matrix_determinant as det,
    matrix_inverse as inv,
    matrix_solve as solve,
    matrix_solve_ls as lstsq,
    matrix_square_root as sqrtm,
    matrix_triangular_solve as triangular_solve,
    norm,
    normalize,
    qr,
    self_adjoint_eig as eigh,
    self_adjoint_eigvals as eigvalsh,
    svd,
)
from tensorwright.python.ops.math_ops import (
    cross,
    matmul,
    tensordot,
    trace,
)
from tensorwright.python.ops.nn_impl import l2_normalize
from tensorwright.python.ops.special_math_ops import einsum

if TYPE_CHECKING:
    from tensorwright.python.ops.linalg.linear_operator import LinearOperator
    from tensorwright.python.ops.linalg.linear_operator_adjoint import (
        LinearOperatorAdjoint,
    )
    from tensorwright.python.ops.linalg.linear_operator_block_diag import (
        LinearOperatorBlockDiag,
    )
    from tensorwright.python.ops.linalg.linear_operator_block_lower_triangular import (
        LinearOperatorBlockLowerTriangular,
    )
    from tensorwright.python.ops.linalg.linear_operator_circulant import (
        LinearOperatorCirculant,
        LinearOperatorCirculant2D,
        LinearOperatorCirculant3D,
    )
    from tensorwright.python.ops.linalg.linear_operator_composition import (
        LinearOperatorComposition,
    )
    from tensorwright.python.ops.linalg.linear_operator_diag import (
        LinearOperatorDiag,
    )
    from tensorwright.python.ops.linalg.linear_operator_full_matrix import (
        LinearOperatorFullMatrix,
    )
    from tensorwright.python.ops.linalg.linear_operator_householder import (
        LinearOperatorHouseholder,
    )
    from tensorwright.python.ops.linalg.linear_operator_identity import (
        LinearOperatorIdentity,
        LinearOperatorScaledIdentity,
    )
    from tensorwright.python.ops.linalg.linear_operator_inversion import (
        LinearOperatorInversion,
    )
    from tensorwright.python.ops.linalg.linear_operator_kronecker import (
        LinearOperatorKronecker,
    )
    from tensorwright.python.ops.linalg.linear_operator_low_rank_update import (
        LinearOperatorLowRankUpdate,
    )
    from tensorwright.python.ops.linalg.linear_operator_lower_triangular import (
        LinearOperatorLowerTriangular,
    )
    from tensorwright.python.ops.linalg.linear_operator_permutation import (
        LinearOperatorPermutation,
    )
    from tensorwright.python.ops.linalg.linear_operator_toeplitz import (
        LinearOperatorToeplitz,
    )
    from tensorwright.python.ops.linalg.linear_operator_tridiag import (
        LinearOperatorTridiag,
    )
    from tensorwright.python.ops.linalg.linear_operator_zeros import (
        LinearOperatorZeros,
    )

# Class -> its module.
_OPERATORS = {
    "LinearOperator": "linear_operator",
    "LinearOperatorAdjoint": "linear_operator_adjoint",
    "LinearOperatorBlockDiag": "linear_operator_block_diag",
    "LinearOperatorBlockLowerTriangular": "linear_operator_block_lower_triangular",
    "LinearOperatorCirculant": "linear_operator_circulant",
    "LinearOperatorCirculant2D": "linear_operator_circulant",
    "LinearOperatorCirculant3D": "linear_operator_circulant",
    "LinearOperatorComposition": "linear_operator_composition",
    "LinearOperatorDiag": "linear_operator_diag",
    "LinearOperatorFullMatrix": "linear_operator_full_matrix",
    "LinearOperatorHouseholder": "linear_operator_householder",
    "LinearOperatorIdentity": "linear_operator_identity",
    "LinearOperatorInversion": "linear_operator_inversion",
    "LinearOperatorKronecker": "linear_operator_kronecker",
    "LinearOperatorLowRankUpdate": "linear_operator_low_rank_update",
    "LinearOperatorLowerTriangular": "linear_operator_lower_triangular",
    "LinearOperatorPermutation": "linear_operator_permutation",
    "LinearOperatorScaledIdentity": "linear_operator_identity",
    "LinearOperatorToeplitz": "linear_operator_toeplitz",
    "LinearOperatorTridiag": "linear_operator_tridiag",
    "LinearOperatorZeros": "linear_operator_zeros",
}


def __getattr__(name: str) -> Any:
    if name not in _OPERATORS:
        text = f"there is no tf.linalg.{name}: module {__name__!r} has no attribute {name!r}"
        raise AttributeError(text, name=name, obj=sys.modules[__name__])
    package = __name__.removesuffix("_namespaces.linalg_ns")
    module = importlib.import_module(f"{package}linalg.{_OPERATORS[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_OPERATORS})


__all__ = [
    "LinearOperator",
    "LinearOperatorAdjoint",
    "LinearOperatorBlockDiag",
    "LinearOperatorBlockLowerTriangular",
    "LinearOperatorCirculant",
    "LinearOperatorCirculant2D",
    "LinearOperatorCirculant3D",
    "LinearOperatorComposition",
    "LinearOperatorDiag",
    "LinearOperatorFullMatrix",
    "LinearOperatorHouseholder",
    "LinearOperatorIdentity",
    "LinearOperatorInversion",
    "LinearOperatorKronecker",
    "LinearOperatorLowRankUpdate",
    "LinearOperatorLowerTriangular",
    "LinearOperatorPermutation",
    "LinearOperatorScaledIdentity",
    "LinearOperatorToeplitz",
    "LinearOperatorTridiag",
    "LinearOperatorZeros",
    "adjoint",
    "band_part",
    "cholesky",
    "cholesky_solve",
    "cross",
    "det",
    "diag",
    "diag_part",
    "eigh",
    "eigh_tridiagonal",
    "eigvalsh",
    "einsum",
    "expm",
    "eye",
    "global_norm",
    "inv",
    "l2_normalize",
    "logdet",
    "logm",
    "lstsq",
    "lu",
    "lu_matrix_inverse",
    "lu_reconstruct",
    "lu_solve",
    "matmul",
    "matrix_rank",
    "matrix_transpose",
    "matvec",
    "norm",
    "normalize",
    "pinv",
    "qr",
    "set_diag",
    "slogdet",
    "solve",
    "sqrtm",
    "svd",
    "tensor_diag",
    "tensor_diag_part",
    "tensordot",
    "trace",
    "transpose",
    "triangular_solve",
    "tridiagonal_matmul",
    "tridiagonal_solve",
]
