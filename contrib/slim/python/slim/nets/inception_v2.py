# SPDX-License-Identifier: Apache-2.0
"""Inception v2: Ioffe and Szegedy, "Batch Normalization"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.contrib.framework.python.ops.arg_scope import arg_scope
from tensorwright.contrib.layers.python.layers import layers
from tensorwright.contrib.slim.python.slim.nets import inception_utils as _utils
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ScopeLike
from tensorwright.python.ops import variable_scope

__all__ = ["inception_v2", "inception_v2_arg_scope", "inception_v2_base"]

inception_v2_arg_scope = _utils.inception_arg_scope


def _normal(stddev: float) -> dict[str, Any]:
    return {"weights_initializer": _utils.truncated(stddev)}


_HALF = {"stride": 2}
_POOL = [("MaxPool_1a_3x3", _HALF)]


def _module(
    b0: int, b1: tuple[int, int], b2: tuple[int, int, int], b3: int, pool: str = "Avg"
) -> list:
    last = ("Conv2d_0b_1x1", b3, _normal(0.1))
    return [
        [("Conv2d_0a_1x1", b0)],
        [("Conv2d_0a_1x1", b1[0], _normal(0.09)), ("Conv2d_0b_3x3", b1[1])],
        [
            ("Conv2d_0a_1x1", b2[0], _normal(0.09)),
            ("Conv2d_0b_3x3", b2[1]),
            ("Conv2d_0c_3x3", b2[2]),
        ],
        [(f"{pool}Pool_0a_3x3",), last],
    ]


def _reduction(b0: tuple[int, int], b1: tuple[int, int, int]) -> list:
    return [
        [("Conv2d_0a_1x1", b0[0], _normal(0.09)), ("Conv2d_1a_3x3", b0[1], _HALF)],
        [
            ("Conv2d_0a_1x1", b1[0], _normal(0.09)),
            ("Conv2d_0b_3x3", b1[1]),
            ("Conv2d_1a_3x3", b1[2], _HALF),
        ],
        _POOL,
    ]


def _first(net: ops.Tensor, depth: Any) -> ops.Tensor:
    """The first layer: depthwise, then to 64 channels."""
    return layers.separable_conv2d(
        net,
        depth(64),
        [7, 7],
        depth_multiplier=min(int(depth(64) / 3), 8),
        stride=2,
        weights_initializer=_utils.truncated(1.0),
        scope="Conv2d_1a_7x7",
    )


_TABLE: dict[str, Any] = {
    "Conv2d_1a_7x7": _first,
    "MaxPool_2a_3x3": (_HALF,),
    "Conv2d_2b_1x1": (64, _normal(0.1)),
    "Conv2d_2c_3x3": (192,),
    "MaxPool_3a_3x3": (_HALF,),
    "Mixed_3b": _module(64, (64, 64), (64, 96, 96), 32),
    "Mixed_3c": _module(64, (64, 96), (64, 96, 96), 64),
    "Mixed_4a": _reduction((128, 160), (64, 96, 96)),
    "Mixed_4b": _module(224, (64, 96), (96, 128, 128), 128),
    "Mixed_4c": _module(192, (96, 128), (96, 128, 128), 128),
    "Mixed_4d": _module(160, (128, 160), (128, 160, 160), 96),
    "Mixed_4e": _module(96, (128, 192), (160, 192, 192), 96),
    "Mixed_5a": _reduction((128, 192), (192, 256, 256)),
    "Mixed_5b": _module(352, (192, 320), (160, 224, 224), 128),
    "Mixed_5c": _module(352, (192, 320), (192, 224, 224), 128, "Max"),
}


def inception_v2_base(
    inputs: ops.Tensor,
    final_endpoint: str = "Mixed_5c",
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    scope: ScopeLike | None = None,
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net without its head.

    Args:
        inputs: images [batch, height, width, 3].
        final_endpoint: the layer or module that the net ends with.
        min_depth: no layer is narrower, where the multiplier is less than 1.
        depth_multiplier: a factor of all depths.
        scope: the variable scope.

    Returns:
        The output of `final_endpoint`, and those of all up to it by name.

    Raises:
        ValueError: `final_endpoint` is no layer, or the multiplier is not positive.
    """
    depth = _utils.scaled(depth_multiplier, min_depth)
    kinds = [
        layers.conv2d,
        layers.max_pool2d,
        layers.avg_pool2d,
        layers.separable_conv2d,
    ]
    with (
        variable_scope.variable_scope(scope, "InceptionV2", [inputs]),
        arg_scope(kinds, stride=1, padding="SAME"),
    ):
        return _utils.stack(inputs, _TABLE, final_endpoint, depth)


def inception_v2(
    inputs: ops.Tensor,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable = layers.softmax,
    spatial_squeeze: bool = True,
    reuse: bool | None = None,
    scope: ScopeLike = "InceptionV2",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """Logits [batch, num_classes] of images [batch, 224, 224, 3], and the outputs of all layers by name.

    Args:
        inputs: the images.
        num_classes: width of the logits.
        is_training: whether dropout works, and batches are normalised by their own mean and variance.
        dropout_keep_prob: share of activations that dropout keeps.
        min_depth: no layer is narrower, where the multiplier is less than 1.
        depth_multiplier: a factor of all depths.
        prediction_fn: makes "Predictions" of the logits.
        spatial_squeeze: whether logits lose their two sizes of 1.
        reuse: whether the variables are there already.
        scope: the variable scope.
    """
    with (
        variable_scope.variable_scope(
            scope, "InceptionV2", [inputs, num_classes], reuse=reuse
        ) as entered,
        arg_scope([layers.batch_norm, layers.dropout], is_training=is_training),
    ):
        net, end_points = inception_v2_base(
            inputs,
            min_depth=min_depth,
            depth_multiplier=depth_multiplier,
            scope=entered,
        )
        size = _utils.reduced(net, [7, 7])
        pool = "AvgPool_1a_{}x{}".format(*size)
        out = _utils.logits(
            net, end_points, (pool, size), "Dropout_1b", "Conv2d_1c_1x1", num_classes,
            dropout_keep_prob, prediction_fn, spatial_squeeze,
        )  # fmt: skip
        return out, end_points


inception_v2.default_image_size = 224  # type: ignore[attr-defined]
