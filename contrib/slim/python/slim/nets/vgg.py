# SPDX-License-Identifier: Apache-2.0
"""VGG nets: Simonyan and Zisserman, "Very Deep Convolutional Networks for Large-Scale Image Recognition"."""

from __future__ import annotations

from typing import Any

from tensorwright.contrib.layers.python.layers import layers
from tensorwright.contrib.slim.python.slim.nets import _classic
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ScopeLike
from tensorwright.python.ops import init_ops

__all__ = ["vgg_16", "vgg_19", "vgg_a", "vgg_arg_scope", "vgg_d", "vgg_e"]


def vgg_arg_scope(weight_decay: float = 0.0005) -> dict[str, dict[str, object]]:
    """The arg_scope that the nets are built in."""
    return _classic.net_arg_scope(weight_decay, init_ops.zeros_initializer(), None)


def _vgg(
    inputs: ops.Tensor,
    convolutions: tuple[int, ...],
    default: str,
    num_classes: int,
    is_training: Any,
    keep_prob: float,
    spatial_squeeze: bool,
    scope: Any,
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    with _classic.net_scope(scope, default, inputs) as (entered, collection):
        net = inputs
        depths = (64, 128, 256, 512, 512)
        for i, (times, depth) in enumerate(zip(convolutions, depths, strict=True), 1):
            net = layers.repeat(
                net, times, layers.conv2d, depth, [3, 3], scope=f"conv{i}"
            )
            net = layers.max_pool2d(net, [2, 2], scope=f"pool{i}")
        return _classic.head(
            net, entered, collection, 7, (4096, 4096), num_classes, is_training,
            keep_prob, spatial_squeeze,
        )  # fmt: skip


def vgg_a(
    inputs: ops.Tensor,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "vgg_a",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net of 11 layers.

    Args:
        inputs: images [batch, 224, 224, channels]; larger ones with `spatial_squeeze=False`.
        num_classes: width of the last layer.
        is_training: whether dropout works.
        dropout_keep_prob: share of activations that dropout keeps.
        spatial_squeeze: whether logits [batch, 1, 1, num_classes] lose their sizes of 1.
        scope: the variable scope.

    Returns:
        The logits, and the outputs of all layers by name.
    """
    return _vgg(
        inputs, (1, 1, 2, 2, 2), "vgg_a", num_classes, is_training, dropout_keep_prob,
        spatial_squeeze, scope,
    )  # fmt: skip


def vgg_16(
    inputs: ops.Tensor,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "vgg_16",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net of 16 layers; arguments and results are those of `vgg_a`."""
    return _vgg(
        inputs, (2, 2, 3, 3, 3), "vgg_16", num_classes, is_training, dropout_keep_prob,
        spatial_squeeze, scope,
    )  # fmt: skip


def vgg_19(
    inputs: ops.Tensor,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "vgg_19",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net of 19 layers; arguments and results are those of `vgg_a`."""
    return _vgg(
        inputs, (2, 2, 4, 4, 4), "vgg_19", num_classes, is_training, dropout_keep_prob,
        spatial_squeeze, scope,
    )  # fmt: skip


for _net in (vgg_a, vgg_16, vgg_19):
    _net.default_image_size = 224  # type: ignore[attr-defined]
vgg_d, vgg_e = vgg_16, vgg_19
