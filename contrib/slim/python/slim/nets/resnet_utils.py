# SPDX-License-Identifier: Apache-2.0
"""The common parts of residual nets: blocks of units, strides that become rates, convolutions padded by hand."""

from __future__ import annotations

import collections
from collections.abc import Sequence

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope, arg_scope
from tensorwright.contrib.layers.python.layers import (
    initializers,
    layers,
    regularizers,
    utils,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import CollectionNames, ScopeLike
from tensorwright.python.ops import array_ops, nn_ops, variable_scope

__all__ = [
    "Block",
    "conv2d_same",
    "resnet_arg_scope",
    "stack_blocks_dense",
    "subsample",
]


class Block(collections.namedtuple("Block", ["scope", "unit_fn", "args"])):
    """A part of a net: its scope, the function that adds a unit, and a dict of arguments for each unit."""


def subsample(inputs: ops.Tensor, factor: int, scope: str | None = None) -> ops.Tensor:
    """Every `factor`-th row and column of images [batch, height, width, channels]."""
    if factor == 1:
        return inputs
    return layers.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


def conv2d_same(
    inputs: ops.Tensor,
    num_outputs: int,
    kernel_size: int,
    stride: int,
    rate: int = 1,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """A convolution with "SAME" padding that does not depend on the size of the image.

    With a stride, "SAME" pads even images on one side only; here both sides are padded alike, so that a net with strides
    gives every n-th pixel of the same net without.
    """
    if stride == 1:
        return layers.conv2d(
            inputs,
            num_outputs,
            kernel_size,
            stride=1,
            rate=rate,
            padding="SAME",
            scope=scope,
        )
    total = (kernel_size - 1) * rate
    pads = [total // 2, total - total // 2]
    inputs = array_ops.pad(inputs, [[0, 0], pads, pads, [0, 0]])
    return layers.conv2d(
        inputs,
        num_outputs,
        kernel_size,
        stride=stride,
        rate=rate,
        padding="VALID",
        scope=scope,
    )


@add_arg_scope
def stack_blocks_dense(
    net: ops.Tensor,
    blocks: Sequence[Block],
    output_stride: int | None = None,
    outputs_collections: CollectionNames | None = None,
) -> ops.Tensor:
    """All units of the blocks, one after the other.

    Args:
        net: [batch, height, width, channels].
        blocks: the blocks; each unit's arguments have a `stride`.
        output_stride: image size over size of the result; once reached, further strides become rates of the
            convolutions instead.
        outputs_collections: where the output of each block goes.

    Raises:
        ValueError: the strides' products pass `output_stride`.
    """
    stride, rate = 1, 1
    for block in blocks:
        with variable_scope.variable_scope(block.scope, "block", [net]) as entered:
            for i, unit in enumerate(block.args, 1):
                if output_stride is not None and stride > output_stride:
                    raise _unreachable(output_stride, stride)
                with variable_scope.variable_scope(f"unit_{i}", values=[net]):
                    if output_stride is not None and stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, "stride": 1})
                        rate *= unit.get("stride", 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        stride *= unit.get("stride", 1)
            net = utils.collect_named_outputs(outputs_collections, entered.name, net)
    if output_stride is not None and stride != output_stride:
        raise _unreachable(output_stride, stride)
    return net


def _unreachable(output_stride: int, stride: int) -> ValueError:
    return ValueError(
        f"stack_blocks_dense: output_stride {output_stride} cannot be reached, the "
        f"strides of the units make {stride}"
    )


def resnet_arg_scope(
    weight_decay: float = 0.0001,
    batch_norm_decay: float = 0.997,
    batch_norm_epsilon: float = 1e-5,
    batch_norm_scale: bool = True,
) -> dict[str, dict[str, object]]:
    """The arg_scope that residual nets are built in."""
    params = {
        "decay": batch_norm_decay,
        "epsilon": batch_norm_epsilon,
        "scale": batch_norm_scale,
        "updates_collections": ops.GraphKeys.UPDATE_OPS,
    }
    with arg_scope(
        [layers.conv2d],
        weights_regularizer=regularizers.l2_regularizer(weight_decay),
        weights_initializer=initializers.variance_scaling_initializer(),
        activation_fn=nn_ops.relu,
        normalizer_fn=layers.batch_norm,
        normalizer_params=params,
    ):
        with arg_scope([layers.batch_norm], **params):
            with arg_scope([layers.max_pool2d], padding="SAME") as scope:
                return scope
