# SPDX-License-Identifier: Apache-2.0
"""Residual nets, second form: He et al., "Identity Mappings in Deep Residual Networks"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope, arg_scope
from tensorwright.contrib.layers.python.layers import layers, utils
from tensorwright.contrib.slim.python.slim.nets import resnet_utils
from tensorwright.python.framework import ops
from tensorwright.python.ops import math_ops, nn_ops, variable_scope

__all__ = [
    "bottleneck",
    "resnet_v2",
    "resnet_v2_50",
    "resnet_v2_101",
    "resnet_v2_152",
    "resnet_v2_200",
    "resnet_v2_block",
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
    outputs_collections: Any = None,
    scope: Any = None,
) -> ops.Tensor:
    """A unit that normalises and activates before its convolutions; the sum stays as it is.

    Args:
        inputs: [batch, height, width, channels].
        depth: channels of the result.
        depth_bottleneck: channels in between.
        stride: of the convolution in the middle; every `stride`-th pixel comes out.
        rate: of the same convolution.
        outputs_collections: where the result goes.
        scope: the variable scope.
    """
    with variable_scope.variable_scope(scope, "bottleneck_v2", [inputs]) as entered:
        channels = utils.last_dimension(inputs.get_shape(), min_rank=4)
        before = layers.batch_norm(inputs, activation_fn=nn_ops.relu, scope="preact")
        plain = {"normalizer_fn": None, "activation_fn": None}
        if depth == channels:
            shortcut = resnet_utils.subsample(inputs, stride, "shortcut")
        else:
            shortcut = layers.conv2d(
                before, depth, [1, 1], stride=stride, scope="shortcut", **plain
            )
        residual = layers.conv2d(
            before, depth_bottleneck, [1, 1], stride=1, scope="conv1"
        )
        residual = resnet_utils.conv2d_same(
            residual, depth_bottleneck, 3, stride, rate=rate, scope="conv2"
        )
        residual = layers.conv2d(
            residual, depth, [1, 1], stride=1, scope="conv3", **plain
        )
        output = shortcut + residual
        return utils.collect_named_outputs(outputs_collections, entered.name, output)


def resnet_v2(
    inputs: ops.Tensor,
    blocks: Sequence[resnet_utils.Block],
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    include_root_block: bool = True,
    reuse: bool | None = None,
    scope: Any = None,
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """A residual net of any blocks.

    Args:
        inputs: images [batch, height, width, channels].
        blocks: what comes after the root.
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
    with variable_scope.variable_scope(
        scope, "resnet_v2", [inputs], reuse=reuse
    ) as entered:
        collection = entered.original_name_scope + "_end_points"
        kinds = [layers.conv2d, bottleneck, resnet_utils.stack_blocks_dense]
        with (
            arg_scope(kinds, outputs_collections=collection),
            arg_scope([layers.batch_norm], is_training=is_training),
        ):
            net = inputs
            if include_root_block:
                if output_stride is not None:
                    if output_stride % 4 != 0:
                        raise ValueError(
                            "The output_stride needs to be a multiple of 4."
                        )
                    output_stride //= 4
                # The first unit normalises and activates what comes out here.
                with arg_scope([layers.conv2d], activation_fn=None, normalizer_fn=None):
                    net = resnet_utils.conv2d_same(net, 64, 7, stride=2, scope="conv1")
                net = layers.max_pool2d(net, [3, 3], stride=2, scope="pool1")
            net = resnet_utils.stack_blocks_dense(net, blocks, output_stride)
            net = layers.batch_norm(net, activation_fn=nn_ops.relu, scope="postnorm")
            if global_pool:
                net = math_ops.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
            if num_classes is not None:
                net = layers.conv2d(
                    net,
                    num_classes,
                    [1, 1],
                    activation_fn=None,
                    normalizer_fn=None,
                    scope="logits",
                )
            end_points = utils.convert_collection_to_dict(collection)
            if num_classes is not None:
                end_points["predictions"] = layers.softmax(net, scope="predictions")
            return net, end_points


resnet_v2.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v2_block(
    scope: str, base_depth: int, num_units: int, stride: int
) -> resnet_utils.Block:
    """A block of `num_units` bottlenecks of 4 * `base_depth` channels, the last with the stride."""
    unit = {"depth": base_depth * 4, "depth_bottleneck": base_depth}
    strides = [1] * (num_units - 1) + [stride]
    return resnet_utils.Block(
        scope, bottleneck, [{**unit, "stride": s} for s in strides]
    )


def _net(
    units: Sequence[int], **arguments: Any
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    blocks = [
        resnet_v2_block(f"block{i + 1}", 64 << i, n, 1 if i == 3 else 2)
        for i, n in enumerate(units)
    ]
    return resnet_v2(blocks=blocks, include_root_block=True, **arguments)


def resnet_v2_50(
    inputs: ops.Tensor,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: bool | None = None,
    scope: Any = "resnet_v2_50",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net of 50 layers; arguments and results are those of `resnet_v2`."""
    return _net(
        (3, 4, 6, 3), inputs=inputs, num_classes=num_classes, is_training=is_training,
        global_pool=global_pool, output_stride=output_stride, reuse=reuse, scope=scope,
    )  # fmt: skip


resnet_v2_50.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v2_101(
    inputs: ops.Tensor,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: bool | None = None,
    scope: Any = "resnet_v2_101",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net of 101 layers; arguments and results are those of `resnet_v2`."""
    return _net(
        (3, 4, 23, 3), inputs=inputs, num_classes=num_classes, is_training=is_training,
        global_pool=global_pool, output_stride=output_stride, reuse=reuse, scope=scope,
    )  # fmt: skip


resnet_v2_101.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v2_152(
    inputs: ops.Tensor,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: bool | None = None,
    scope: Any = "resnet_v2_152",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net of 152 layers; arguments and results are those of `resnet_v2`."""
    return _net(
        (3, 8, 36, 3), inputs=inputs, num_classes=num_classes, is_training=is_training,
        global_pool=global_pool, output_stride=output_stride, reuse=reuse, scope=scope,
    )  # fmt: skip


resnet_v2_152.default_image_size = 224  # type: ignore[attr-defined]


def resnet_v2_200(
    inputs: ops.Tensor,
    num_classes: int | None = None,
    is_training: Any = True,
    global_pool: bool = True,
    output_stride: int | None = None,
    reuse: bool | None = None,
    scope: Any = "resnet_v2_200",
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The net of 200 layers; arguments and results are those of `resnet_v2`."""
    return _net(
        (3, 24, 36, 3), inputs=inputs, num_classes=num_classes, is_training=is_training,
        global_pool=global_pool, output_stride=output_stride, reuse=reuse, scope=scope,
    )  # fmt: skip


resnet_v2_200.default_image_size = 224  # type: ignore[attr-defined]
