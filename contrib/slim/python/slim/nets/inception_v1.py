# SPDX-License-Identifier: Apache-2.0
"""Inception v1, GoogLeNet: Szegedy et al., "Going Deeper with Convolutions"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.contrib.framework.python.ops.arg_scope import arg_scope
from tensorwright.contrib.layers.python.layers import layers
from tensorwright.contrib.slim.python.slim.nets import inception_utils as _utils
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ScopeLike
from tensorwright.python.ops import variable_scope

__all__ = ["inception_v1", "inception_v1_arg_scope", "inception_v1_base"]

inception_v1_arg_scope = _utils.inception_arg_scope


def _module(
    b0: int, b1: tuple[int, int], b2: tuple[int, int], b3: int, third: str = "0b"
) -> list:
    return [
        [("Conv2d_0a_1x1", b0)],
        [("Conv2d_0a_1x1", b1[0]), ("Conv2d_0b_3x3", b1[1])],
        [("Conv2d_0a_1x1", b2[0]), (f"Conv2d_{third}_3x3", b2[1])],
        [("MaxPool_0a_3x3",), ("Conv2d_0b_1x1", b3)],
    ]


_HALF = {"stride": 2}
_TABLE: dict[str, Any] = {
    "Conv2d_1a_7x7": (64, _HALF),
    "MaxPool_2a_3x3": (_HALF,),
    "Conv2d_2b_1x1": (64,),
    "Conv2d_2c_3x3": (192,),
    "MaxPool_3a_3x3": (_HALF,),
    "Mixed_3b": _module(64, (96, 128), (16, 32), 32),
    "Mixed_3c": _module(128, (128, 192), (32, 96), 64),
    "MaxPool_4a_3x3": (_HALF,),
    "Mixed_4b": _module(192, (96, 208), (16, 48), 64),
    "Mixed_4c": _module(160, (112, 224), (24, 64), 64),
    "Mixed_4d": _module(128, (128, 256), (24, 64), 64),
    "Mixed_4e": _module(112, (144, 288), (32, 64), 64),
    "Mixed_4f": _module(256, (160, 320), (32, 128), 128),
    "MaxPool_5a_2x2": (_HALF,),
    # The checkpoints have this name for the last layer of the third branch.
    "Mixed_5b": _module(256, (160, 320), (32, 128), 128, "0a"),
    "Mixed_5c": _module(384, (192, 384), (48, 128), 128),
}


def inception_v1_base(
    inputs: ops.Tensor,
    final_endpoint: str = "Mixed_5c",
    scope: ScopeLike = "InceptionV1",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net without its head.

    Args:
        inputs: images [batch, height, width, 3].
        final_endpoint: the layer or module that the net ends with.
        scope: the variable scope.

    Returns:
        The output of `final_endpoint`, and those of all up to it by name.

    Raises:
        ValueError: `final_endpoint` is no layer.
    """
    with (
        variable_scope.variable_scope(scope, "InceptionV1", [inputs]),
        arg_scope(
            [layers.conv2d, layers.fully_connected],
            weights_initializer=_utils.truncated(0.01),
        ),
        arg_scope([layers.conv2d, layers.max_pool2d], stride=1, padding="SAME"),
    ):
        return _utils.stack(inputs, _TABLE, final_endpoint, lambda depth: depth)


def inception_v1(
    inputs: ops.Tensor,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.8,
    prediction_fn: Callable = layers.softmax,
    spatial_squeeze: bool = True,
    reuse: bool | None = None,
    scope: ScopeLike = "InceptionV1",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """Logits [batch, num_classes] of images [batch, 224, 224, 3], and the outputs of all layers by name.

    Args:
        inputs: the images.
        num_classes: width of the logits.
        is_training: whether dropout works, and batches are normalised by their own mean and variance.
        dropout_keep_prob: share of activations that dropout keeps.
        prediction_fn: makes "Predictions" of the logits.
        spatial_squeeze: whether logits lose their two sizes of 1.
        reuse: whether the variables are there already.
        scope: the variable scope.
    """
    with (
        variable_scope.variable_scope(
            scope, "InceptionV1", [inputs, num_classes], reuse=reuse
        ) as entered,
        arg_scope([layers.batch_norm, layers.dropout], is_training=is_training),
    ):
        net, end_points = inception_v1_base(inputs, scope=entered)
        out = _utils.logits(
            net, end_points, ("MaxPool_0a_7x7", [7, 7]), "Dropout_0b", "Conv2d_0c_1x1",
            num_classes, dropout_keep_prob, prediction_fn, spatial_squeeze,
        )  # fmt: skip
        return out, end_points


inception_v1.default_image_size = 224  # type: ignore[attr-defined]
