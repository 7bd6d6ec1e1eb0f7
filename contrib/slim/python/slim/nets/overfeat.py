# SPDX-License-Identifier: Apache-2.0
"""OverFeat, its fast model: Sermanet et al., "OverFeat: Integrated Recognition, Localization and Detection"."""

from __future__ import annotations

from tensorwright.contrib.layers.python.layers import layers
from tensorwright.contrib.slim.python.slim.nets import _classic
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ScopeLike
from tensorwright.python.ops import init_ops

__all__ = ["overfeat", "overfeat_arg_scope"]


def overfeat_arg_scope(weight_decay: float = 0.0005) -> dict[str, dict[str, object]]:
    """The arg_scope that the net is built in."""
    biases = init_ops.zeros_initializer()
    return _classic.net_arg_scope(weight_decay, biases, "VALID")


def overfeat(
    inputs: ops.Tensor,
    num_classes: int = 1000,
    is_training: bool = True,
    dropout_keep_prob: float = 0.5,
    spatial_squeeze: bool = True,
    scope: ScopeLike = "overfeat",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """Logits [batch, num_classes] of images [batch, 231, 231, channels], and the outputs of all layers by name.

    Larger images need `spatial_squeeze=False`, and give [batch, height, width, num_classes].
    """
    with _classic.net_scope(scope, "overfeat", inputs) as (entered, collection):
        net = layers.conv2d(inputs, 64, 11, 4, padding="VALID", scope="conv1")
        net = layers.max_pool2d(net, 2, scope="pool1")
        net = layers.conv2d(net, 256, 5, padding="VALID", scope="conv2")
        net = layers.max_pool2d(net, 2, scope="pool2")
        net = layers.conv2d(net, 512, 3, scope="conv3")
        net = layers.conv2d(net, 1024, 3, scope="conv4")
        net = layers.conv2d(net, 1024, 3, scope="conv5")
        net = layers.max_pool2d(net, 2, scope="pool5")
        return _classic.head(
            net, entered, collection, 6, (3072, 4096), num_classes, is_training,
            dropout_keep_prob, spatial_squeeze,
            weights_initializer=init_ops.truncated_normal_initializer(stddev=0.005),
            biases_initializer=init_ops.constant_initializer(0.1),
        )  # fmt: skip


overfeat.default_image_size = 231  # type: ignore[attr-defined]
