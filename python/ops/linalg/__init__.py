# SPDX-License-Identifier: Apache-2.0
"""Linear operators: tf.linalg.LinearOperator and its subclasses, with the rules of how they combine."""

from tensorwright.python.ops.linalg import (
    adjoint_registrations as adjoint_registrations,
    cholesky_registrations as cholesky_registrations,
    inverse_registrations as inverse_registrations,
    matmul_registrations as matmul_registrations,
    solve_registrations as solve_registrations,
)
