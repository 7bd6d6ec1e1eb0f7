# SPDX-License-Identifier: Apache-2.0
"""Neural-network primitives.

Convolution is in nn_ops_conv and nn_ops_conv_nd, pools in nn_ops_pool, softmax and losses in nn_ops_loss.
"""

from __future__ import annotations

import numbers
from typing import Any, cast

from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import array_ops, gen_nn_ops, math_ops, random_ops
from tensorwright.python.ops._nn.nn_ops_conv import (  # noqa: F401 (re-exported)
    _padding,
    _window,
    conv2d as conv2d,
    conv2d_backprop_filter as conv2d_backprop_filter,
    conv2d_backprop_input as conv2d_backprop_input,
    conv2d_transpose as conv2d_transpose,
    depthwise_conv2d_native as depthwise_conv2d_native,
    depthwise_conv2d_native_backprop_filter,
    depthwise_conv2d_native_backprop_input,
)
from tensorwright.python.ops._nn.nn_ops_conv_any import (  # noqa: F401 (re-exported)
    conv as conv,
)
from tensorwright.python.ops._nn.nn_ops_conv_nd import (  # noqa: F401 (re-exported)
    Convolution as Convolution,
    atrous_conv2d as atrous_conv2d,
    atrous_conv2d_transpose as atrous_conv2d_transpose,
    conv1d as conv1d,
    conv1d_transpose as conv1d_transpose,
    conv3d as conv3d,
    conv3d_backprop_filter as conv3d_backprop_filter,
    conv3d_backprop_filter_v2 as conv3d_backprop_filter_v2,
    conv3d_transpose as conv3d_transpose,
    conv_transpose as conv_transpose,
    convolution as convolution,
)
from tensorwright.python.ops._nn.nn_ops_loss import (  # noqa: F401 (re-exported)
    log_softmax as log_softmax,
    softmax as softmax,
    softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from tensorwright.python.ops._nn.nn_ops_morphology import (
    dilation2d as dilation2d,
    erosion2d as erosion2d,
)
from tensorwright.python.ops._nn.nn_ops_pool import (  # noqa: F401 (re-exported)
    avg_pool as avg_pool,
    avg_pool1d as avg_pool1d,
    avg_pool2d as avg_pool2d,
    avg_pool3d as avg_pool3d,
    avg_pool_v2 as avg_pool_v2,
    fractional_avg_pool as fractional_avg_pool,
    fractional_max_pool as fractional_max_pool,
    max_pool as max_pool,
    max_pool1d as max_pool1d,
    max_pool2d as max_pool2d,
    max_pool3d as max_pool3d,
    max_pool_v2 as max_pool_v2,
    max_pool_with_argmax as max_pool_with_argmax,
    pool as pool,
)
from tensorwright.python.ops._nn.nn_ops_space import (  # noqa: F401 (re-exported)
    with_space_to_batch as with_space_to_batch,
)
from tensorwright.python.ops.gen_nn_ops import (  # noqa: F401 (re-exported)
    elu as elu,
    l2_loss as l2_loss,
    lrn,
    quantized_avg_pool as quantized_avg_pool,
    quantized_conv2d as quantized_conv2d,
    quantized_max_pool as quantized_max_pool,
    quantized_relu_x as quantized_relu_x,
    relu,
    relu6 as relu6,
    selu as selu,
    softplus as softplus,
    softsign as softsign,
)


def _bias_format(data_format: str) -> str:
    """The "NHWC" or "NCHW" that stands for a format with any letters for space."""
    for first, last, plain in (("NC", "", "NCHW"), ("N", "C", "NHWC")):
        if data_format.startswith(first) and data_format.endswith(last):
            return plain
    raise ValueError(
        f"bias_add: data_format must be N...C or NC..., got {data_format!r}"
    )


def _value_and_bias(
    value: TensorLike, bias: TensorLike
) -> tuple[ops.Tensor, ops.Tensor]:
    """Returns both as tensors of the dtype of `value`."""
    value = ops.convert_to_tensor(value, name="input")
    bias = ops.convert_to_tensor(bias, dtype=value.dtype.base_dtype, name="bias")
    return value, bias


def bias_add(
    value: TensorLike,
    bias: TensorLike,
    data_format: str | None = None,
    name: str | None = None,
) -> ops.Tensor:
    """Adds bias[c] to channel c.

    Args:
      value: [..., channels] any number dtype, or [batch, channels, ...] for "NC..." formats.
      bias: [channels], of the same dtype.
      data_format: "N...C" or "NC..." with letters for the dots; None stands for the former.
      name: the op's name.
    """
    with ops.name_scope(name, "BiasAdd", [value, bias]) as scope:
        data_format = "NHWC" if data_format is None else _bias_format(data_format)
        addends = _value_and_bias(value, bias)
        return gen_nn_ops.bias_add(*addends, data_format=data_format, name=scope)


def bias_add_v1(
    value: TensorLike, bias: TensorLike, name: str | None = None
) -> ops.Tensor:
    """bias_add along the last axis, by the older op."""
    with ops.name_scope(name, "BiasAddV1", [value, bias]) as scope:
        return gen_nn_ops.bias_add_v1(*_value_and_bias(value, bias), name=scope)


def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> ops.Tensor:
    """relu of x and of -x, joined along `axis` (Shang et al. 2016)."""
    with ops.name_scope(name, "CRelu", [features]) as scope:
        features = ops.convert_to_tensor(features, name="features")
        return relu(array_ops.concat([features, -features], axis), name=scope)


def leaky_relu(
    features: TensorLike, alpha: float = 0.2, name: str | None = None
) -> ops.Tensor:
    """x above 0, else alpha x (Maas et al. 2013)."""
    with ops.name_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = ops.convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = math_ops.cast(features, dtypes.float32)
        alpha_t = math_ops.cast(alpha, features.dtype.base_dtype)
        # A maximum would send the gradient to alpha x where x is infinite.
        return array_ops.where(
            math_ops.greater(features, 0), features, alpha_t * features, name=scope
        )


local_response_normalization = lrn
depthwise_conv2d_backprop_filter = depthwise_conv2d_native_backprop_filter
depthwise_conv2d_backprop_input = depthwise_conv2d_native_backprop_input


def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> ops.Tensor:
    """matmul(x, weights) + biases: [n, k], [k, m], [m] -> [n, m]."""
    with ops.name_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        return bias_add(math_ops.matmul(x, weights), biases, name=scope)


def dropout(
    x: TensorLike,
    keep_prob: TensorLike | None = None,
    noise_shape: TensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
    rate: TensorLike | None = None,
) -> ops.Tensor:
    """Sets elements to zero at random and scales the rest up (Srivastava et al. 2014).

    Args:
      x: a floating tensor.
      keep_prob: the probability that an element stays, in (0, 1].
      noise_shape: the shape of the random choice, broadcast to that of `x`.
      seed: the seed of the choice; see tf.set_random_seed.
      name: the op's name.
      rate: 1 - keep_prob; give one of the two.
    """
    if (keep_prob is None) == (rate is None):
        raise ValueError("Give exactly one of keep_prob and rate")
    lost: Any = rate
    keep: Any = 1 - lost if keep_prob is None else keep_prob
    with ops.name_scope(name, "dropout", [x]) as scope:
        x = ops.convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"x has to be a floating point tensor since it's going to be scaled. Got a {x.dtype} tensor instead."
            )
        if isinstance(keep, numbers.Real) and not 0 < float(keep) <= 1:
            raise ValueError(
                f"dropout: keep_prob must be above 0 and at most 1, got {keep}"
            )
        keep = ops.convert_to_tensor(
            cast(Any, keep), dtype=x.dtype.base_dtype, name="keep_prob"
        )
        keep.get_shape().assert_has_rank(0)
        if tensor_util.constant_value(keep) == 1:
            return x
        shape = array_ops.shape(x) if noise_shape is None else noise_shape
        # floor(keep + u) is 1 with probability keep, for u uniform in [0, 1).
        noise = random_ops.random_uniform(shape, seed=seed, dtype=x.dtype.base_dtype)
        kept = math_ops.multiply(
            math_ops.div(x, keep), math_ops.floor(keep + noise), name=scope
        )
        kept.set_shape(x.get_shape())
        return kept


def top_k(
    input: TensorLike,
    k: TensorLike = 1,
    sorted: bool = True,
    index_type: DTypeLike = dtypes.int32,
    name: str | None = None,
) -> gen_nn_ops._TopKV2Output:
    """The k largest elements of each row, and where they are: [..., n] -> two of [..., k]."""
    result = gen_nn_ops.top_kv2(
        input, k=k, sorted=sorted, index_type=dtypes.as_dtype(index_type), name=name
    )
    return result


def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: int, name: str | None = None
) -> ops.Tensor:
    """Says whether predictions[i, targets[i]] is among the k largest of row i: [n] bool."""
    return gen_nn_ops.in_top_k(predictions, targets, k, name=name)
