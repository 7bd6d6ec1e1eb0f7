# SPDX-License-Identifier: Apache-2.0
"""Neural-network functions composed of other ops.

Parts are in _nn: batch normalisation and moments in nn_impl_norm, convolution in nn_impl_conv, losses in nn_impl_loss and
nn_impl_sampled.
"""

from __future__ import annotations

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import Ints, TensorLike
from tensorwright.python.ops import math_ops, nn_ops
from tensorwright.python.ops._nn.nn_impl_conv import (  # noqa: F401 (re-exported)
    depthwise_conv2d as depthwise_conv2d,
    separable_conv2d as separable_conv2d,
)
from tensorwright.python.ops._nn.nn_impl_loss import (  # noqa: F401 (re-exported)
    log_poisson_loss as log_poisson_loss,
    sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
)
from tensorwright.python.ops._nn.nn_impl_norm import (  # noqa: F401 (re-exported)
    batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    batch_normalization as batch_normalization,
    fused_batch_norm as fused_batch_norm,
    moments as moments,
    normalize_moments as normalize_moments,
    sufficient_statistics as sufficient_statistics,
    weighted_moments as weighted_moments,
)
from tensorwright.python.ops._nn.nn_impl_sampled import (  # noqa: F401 (re-exported)
    _compute_sampled_logits,
    _sum_rows,
    nce_loss as nce_loss,
    sampled_softmax_loss as sampled_softmax_loss,
)
from tensorwright.python.util.renamed_arguments import required_argument


def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> ops.Tensor:
    """relu(matmul(x, weights) + biases): [n, k], [k, m], [m] -> [n, m]."""
    with ops.name_scope(name, "relu_layer", [x, weights, biases]) as scope:
        return nn_ops.relu(nn_ops.xw_plus_b(x, weights, biases), name=scope)


def swish(features: TensorLike, beta: float = 1.0) -> ops.Tensor:
    """x sigmoid(beta x) (Ramachandran et al. 2017)."""
    features = ops.convert_to_tensor(features, name="features")
    factor = ops.convert_to_tensor(beta, dtype=features.dtype.base_dtype, name="beta")
    return features * math_ops.sigmoid(factor * features)


silu = swish


def l2_normalize(
    x: TensorLike,
    axis: Ints | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: Ints | None = None,
) -> ops.Tensor:
    """x / sqrt(max(sum(x^2), epsilon)), the sum along `axis`."""
    axis = required_argument("axis", axis, "dim", dim) if dim is not None else axis
    with ops.name_scope(name, "l2_normalize", [x]) as scope:
        x = ops.convert_to_tensor(x, name="x")
        total = math_ops.reduce_sum(math_ops.square(x), axis, keep_dims=True)
        floor = constant_op.constant(epsilon, dtype=x.dtype.base_dtype)
        return math_ops.multiply(
            x, math_ops.rsqrt(math_ops.maximum(total, floor)), name=scope
        )


def zero_fraction(value: TensorLike, name: str | None = None) -> ops.Tensor:
    """The share of elements that are zero, a float scalar; NaN if there are none."""
    with ops.name_scope(name, "zero_fraction", [value]):
        value = ops.convert_to_tensor(value, name="value")
        zero = constant_op.constant(0, dtype=value.dtype.base_dtype)
        return math_ops.reduce_mean(
            math_ops.cast(math_ops.equal(value, zero), dtypes.float32)
        )
