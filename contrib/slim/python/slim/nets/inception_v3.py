# SPDX-License-Identifier: Apache-2.0
"""Inception v3: Szegedy et al., "Rethinking the Inception Architecture for Computer Vision"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.contrib.framework.python.ops.arg_scope import arg_scope
from tensorwright.contrib.layers.python.layers import layers
from tensorwright.contrib.slim.python.slim.nets import inception_utils as _utils
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ScopeLike
from tensorwright.python.ops import array_ops, variable_scope

__all__ = ["inception_v3", "inception_v3_arg_scope", "inception_v3_base"]

inception_v3_arg_scope = _utils.inception_arg_scope


_HALF = {"stride": 2}
_HALF_VALID = {"stride": 2, "padding": "VALID"}
_POOL = [("MaxPool_1a_3x3", _HALF_VALID)]


def _small(
    b3: int, first: str = "Conv2d_0a_1x1", second: str = "Conv2d_0b_5x5"
) -> list:
    return [
        [("Conv2d_0a_1x1", 64)],
        [(first, 48), (second, 64)],
        [("Conv2d_0a_1x1", 64), ("Conv2d_0b_3x3", 96), ("Conv2d_0c_3x3", 96)],
        [("AvgPool_0a_3x3",), ("Conv2d_0b_1x1", b3)],
    ]


def _middle(depth: int) -> list:
    return [
        [("Conv2d_0a_1x1", 192)],
        [("Conv2d_0a_1x1", depth), ("Conv2d_0b_1x7", depth), ("Conv2d_0c_7x1", 192)],
        [
            ("Conv2d_0a_1x1", depth),
            ("Conv2d_0b_7x1", depth),
            ("Conv2d_0c_1x7", depth),
            ("Conv2d_0d_7x1", depth),
            ("Conv2d_0e_1x7", 192),
        ],
        [("AvgPool_0a_3x3",), ("Conv2d_0b_1x1", 192)],
    ]


def _wide(second: str) -> list:
    return [
        [("Conv2d_0a_1x1", 320)],
        [("Conv2d_0a_1x1", 384), [("Conv2d_0b_1x3", 384), (second, 384)]],
        [
            ("Conv2d_0a_1x1", 448),
            ("Conv2d_0b_3x3", 384),
            [("Conv2d_0c_1x3", 384), ("Conv2d_0d_3x1", 384)],
        ],
        [("AvgPool_0a_3x3",), ("Conv2d_0b_1x1", 192)],
    ]


_STEM: dict[str, Any] = {
    "Conv2d_1a_3x3": (32, _HALF),
    "Conv2d_2a_3x3": (32,),
    "Conv2d_2b_3x3": (64, {"padding": "SAME"}),
    "MaxPool_3a_3x3": (_HALF,),
    "Conv2d_3b_1x1": (80,),
    "Conv2d_4a_3x3": (192,),
    "MaxPool_5a_3x3": (_HALF,),
}
# Some names do not describe the layer: the checkpoints hold them.
_MODULES: dict[str, Any] = {
    "Mixed_5b": _small(32),
    "Mixed_5c": _small(64, "Conv2d_0b_1x1", "Conv_1_0c_5x5"),
    "Mixed_5d": _small(64),
    "Mixed_6a": [
        [("Conv2d_1a_1x1", 384, {**_HALF_VALID, "kernel_size": [3, 3]})],
        [
            ("Conv2d_0a_1x1", 64),
            ("Conv2d_0b_3x3", 96),
            ("Conv2d_1a_1x1", 96, {**_HALF_VALID, "kernel_size": [3, 3]}),
        ],
        _POOL,
    ],
    "Mixed_6b": _middle(128),
    "Mixed_6c": _middle(160),
    "Mixed_6d": _middle(160),
    "Mixed_6e": _middle(192),
    "Mixed_7a": [
        [("Conv2d_0a_1x1", 192), ("Conv2d_1a_3x3", 320, _HALF_VALID)],
        [
            ("Conv2d_0a_1x1", 192),
            ("Conv2d_0b_1x7", 192),
            ("Conv2d_0c_7x1", 192),
            ("Conv2d_1a_3x3", 192, _HALF_VALID),
        ],
        _POOL,
    ],
    "Mixed_7b": _wide("Conv2d_0b_3x1"),
    "Mixed_7c": _wide("Conv2d_0c_3x1"),
}


def _auxiliary(
    net: ops.Tensor, num_classes: int, depth: Any, squeeze: bool
) -> ops.Tensor:
    """The logits half way, which training adds to the loss."""
    kinds = [layers.conv2d, layers.max_pool2d, layers.avg_pool2d]
    with (
        arg_scope(kinds, stride=1, padding="SAME"),
        variable_scope.variable_scope("AuxLogits"),
    ):
        net = layers.avg_pool2d(
            net, [5, 5], stride=3, padding="VALID", scope="AvgPool_1a_5x5"
        )
        net = layers.conv2d(net, depth(128), [1, 1], scope="Conv2d_1b_1x1")
        size = _utils.reduced(net, [5, 5])
        net = layers.conv2d(
            net,
            depth(768),
            size,
            weights_initializer=_utils.truncated(0.01),
            padding="VALID",
            scope="Conv2d_2a_{}x{}".format(*size),
        )
        net = layers.conv2d(
            net,
            num_classes,
            [1, 1],
            activation_fn=None,
            normalizer_fn=None,
            weights_initializer=_utils.truncated(0.001),
            scope="Conv2d_2b_1x1",
        )
        return array_ops.squeeze(net, [1, 2], name="SpatialSqueeze") if squeeze else net


def inception_v3_base(
    inputs: ops.Tensor,
    final_endpoint: str = "Mixed_7c",
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
    kinds = [layers.conv2d, layers.max_pool2d, layers.avg_pool2d]
    in_stem = final_endpoint in _STEM
    with variable_scope.variable_scope(scope, "InceptionV3", [inputs]):
        with arg_scope(kinds, stride=1, padding="VALID"):
            last = final_endpoint if in_stem else "MaxPool_5a_3x3"
            net, end_points = _utils.stack(inputs, _STEM, last, depth)
        if not in_stem:
            with arg_scope(kinds, stride=1, padding="SAME"):
                net, more = _utils.stack(net, _MODULES, final_endpoint, depth)
            end_points.update(more)
        return net, end_points


def inception_v3(
    inputs: ops.Tensor,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    min_depth: int = 16,
    depth_multiplier: float = 1.0,
    prediction_fn: Callable = layers.softmax,
    spatial_squeeze: bool = True,
    reuse: bool | None = None,
    scope: ScopeLike = "InceptionV3",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """Logits [batch, num_classes] of images [batch, 299, 299, 3], and the outputs of all layers by name.

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
            scope, "InceptionV3", [inputs, num_classes], reuse=reuse
        ) as entered,
        arg_scope([layers.batch_norm, layers.dropout], is_training=is_training),
    ):
        net, end_points = inception_v3_base(
            inputs,
            min_depth=min_depth,
            depth_multiplier=depth_multiplier,
            scope=entered,
        )
        end_points["AuxLogits"] = _auxiliary(
            end_points["Mixed_6e"],
            num_classes,
            _utils.scaled(depth_multiplier, min_depth),
            spatial_squeeze,
        )
        size = _utils.reduced(net, [8, 8])
        pool = "AvgPool_1a_{}x{}".format(*size)
        out = _utils.logits(
            net, end_points, (pool, size), "Dropout_1b", "Conv2d_1c_1x1", num_classes,
            dropout_keep_prob, prediction_fn, spatial_squeeze,
        )  # fmt: skip
        return out, end_points


inception_v3.default_image_size = 299  # type: ignore[attr-defined]
