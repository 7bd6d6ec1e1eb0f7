# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.batching`: runs of several threads as one batch.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.batching.python.ops.batch_ops import batch_function
