# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.sparsemax`: probabilities of which most are exactly 0.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.sparsemax.python.ops.sparsemax import sparsemax
from tensorwright.contrib.sparsemax.python.ops.sparsemax_loss import sparsemax_loss
