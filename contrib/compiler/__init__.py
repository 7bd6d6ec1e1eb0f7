# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.compiler`: marks of operations that TensorFlow's compiler reads.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.compiler import jit
