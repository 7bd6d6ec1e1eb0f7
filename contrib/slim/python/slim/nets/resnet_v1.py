# SPDX-License-Identifier: Apache-2.0
"""Residual nets: He et al., "Deep Residual Learning for Image Recognition"."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope
from tensorwright.contrib.slim.python.slim.nets import _residual, resnet_utils
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import CollectionNames, ScopeLike

__all__ = [
    "bottleneck",
    "resnet_v1",
    "resnet_v1_50",
    "resnet_v1_101",
    "resnet_v1_152",
    "resnet_v1_200",
    "resnet_v1_block",
    "resnet_arg_scope",
]

resnet_arg_scope = resnet_utils.resnet_arg_scope


@add_arg_scope
def bottleneck(
    inputs: ops.Tensor,
    depth: int,
    depth_bottleneck: int,
    stride: int,
    rate: int = 1,
    outputs_collections: CollectionNames | None = None,
    scope: ScopeLike = None,
) -> ops.Tensor:
    """A unit that normalises after its convolutions, and activates after the sum.

    Args:
        inputs: [batch, height, width, channels].
        depth: channels of the result.
        depth_bottleneck: channels in between.
        stride: the stride of the convolution in the middle; every `stride`-th pixel comes out.
        rate: the rate of the same convolution.
        outputs_collections: where the result goes.
        scope: the variable scope.
    """
    return _residual.V1.unit(
        inputs, depth, depth_bottleneck, stride, rate, outputs_collections, scope
    )


def resnet_v1(
    inputs: ops.Tensor,
    blocks: Sequence[resnet_utils.Block],
    num_classes: int | None = None,
    is_training: bool = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: bool | None = None,
    scope: ScopeLike | None = None,
) -> _residual.Net:
    """A residual net of any blocks.

    Args:
        inputs: images [batch, height, width, channels].
        blocks: the blocks after the root.
        num_classes: width of the logits; None for features without them.
        is_training: whether batches are normalised by their own mean and variance.
        global_pool: whether the mean of all pixels is taken before the logits.
        output_stride: image size over feature size; None is the product of all strides.
        include_root_block: whether the net begins with a convolution of 7 x 7 and a pool, both of stride 2.
        reuse: whether the variables are there already.
        scope: the variable scope.

    Returns:
        [batch, 1, 1, num_classes], or of the features' size without `global_pool`; and the outputs of all layers by name.

    Raises:
        ValueError: an `output_stride` that strides cannot make.
    """
    return _residual.V1.net(
        bottleneck,
        inputs,
        blocks,
        num_classes,
        is_training,
        global_pool,
        output_stride,
        include_root_block,
        reuse,
        scope,
    )


resnet_v1.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v1_block(
    scope: str, base_depth: int, num_units: int, stride: int
) -> resnet_utils.Block:
    """A block of `num_units` bottlenecks of 4 * `base_depth` channels, the last with the stride."""
    return _residual.block(scope, bottleneck, base_depth, num_units, stride)


resnet_v1_50 = _residual.of_depth(50, resnet_v1, resnet_v1_block)
resnet_v1_101 = _residual.of_depth(101, resnet_v1, resnet_v1_block)
resnet_v1_152 = _residual.of_depth(152, resnet_v1, resnet_v1_block)
resnet_v1_200 = _residual.of_depth(200, resnet_v1, resnet_v1_block)
