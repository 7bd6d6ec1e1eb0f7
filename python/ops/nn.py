# SPDX-License-Identifier: Apache-2.0
"""tf.nn: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops.array_ops import (
    depth_to_space,
    space_to_batch,
    space_to_depth,
)
from tensorwright.python.ops.embedding_ops import embedding_lookup
from tensorwright.python.ops.math_ops import sigmoid, tanh
from tensorwright.python.ops.nn_impl import (
    batch_normalization,
    l2_normalize,
    log_poisson_loss,
    moments,
    relu_layer,
    sigmoid_cross_entropy_with_logits,
    silu,
    swish,
    weighted_cross_entropy_with_logits,
    zero_fraction,
)
from tensorwright.python.ops.nn_ops import (
    avg_pool,
    bias_add,
    bias_add_v1,
    conv2d,
    conv2d_backprop_filter,
    conv2d_backprop_input,
    conv2d_transpose,
    crelu,
    dropout,
    elu,
    in_top_k,
    l2_loss,
    leaky_relu,
    log_softmax,
    max_pool,
    relu,
    relu6,
    softmax,
    softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    softplus,
    softsign,
    sparse_softmax_cross_entropy_with_logits,
    top_k,
    xw_plus_b,
)
