# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.linalg: linear operators under their first names, and their sums.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.linalg.linear_operator_addition import add_operators
from tensorwright.python.ops.linalg.linear_operator import LinearOperator
from tensorwright.python.ops.linalg.linear_operator_composition import (
    LinearOperatorComposition,
)
from tensorwright.python.ops.linalg.linear_operator_diag import LinearOperatorDiag
from tensorwright.python.ops.linalg.linear_operator_full_matrix import (
    LinearOperatorFullMatrix,
)
from tensorwright.python.ops.linalg.linear_operator_identity import (
    LinearOperatorIdentity,
    LinearOperatorScaledIdentity,
)
from tensorwright.python.ops.linalg.linear_operator_low_rank_update import (
    LinearOperatorLowRankUpdate as LinearOperatorUDVHUpdate,
)
from tensorwright.python.ops.linalg.linear_operator_lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorTriL,
)
