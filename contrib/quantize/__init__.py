# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.quantize`: graphs whose weights and activations are rounded as they will be in 8 bits.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.quantize.python.quantize_graph import (
    create_eval_graph,
    create_training_graph,
    experimental_create_eval_graph,
    experimental_create_training_graph,
)
