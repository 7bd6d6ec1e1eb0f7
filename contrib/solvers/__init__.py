# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.solvers: iterative solvers that know matrices by their products alone.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.solvers.python.ops import (
    lanczos,
    least_squares,
    linear_equations,
    util,
)
