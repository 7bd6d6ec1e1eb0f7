# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.nn`: losses with logits first, a sampled softmax that ranks its samples, dropout after SELU."""

from tensorwright.contrib.nn.python.ops.activations import (
    alpha_dropout,
    scaled_softplus,
)
from tensorwright.contrib.nn.python.ops.cross_entropy import (
    deprecated_flipped_sigmoid_cross_entropy_with_logits,
    deprecated_flipped_softmax_cross_entropy_with_logits,
    deprecated_flipped_sparse_softmax_cross_entropy_with_logits,
)
from tensorwright.contrib.nn.python.ops.sampling_ops import rank_sampled_softmax_loss
