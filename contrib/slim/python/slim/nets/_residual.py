# SPDX-License-Identifier: Apache-2.0
"""The builder that both forms of residual nets share.

A `Form` holds what tells the forms apart: which convolutions are bare, that is, have biases but neither normalisation nor
activation, and at which end of a unit the activation stands. resnet_v1.py and resnet_v2.py have one each, and public
functions around it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.contrib.framework.python.ops.arg_scope import arg_scope
from tensorwright.contrib.layers.python.layers import layers, utils
from tensorwright.contrib.slim.python.slim.nets import resnet_utils
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import CollectionNames, ScopeLike
from tensorwright.python.ops import math_ops, nn_ops, variable_scope

Net = tuple[ops.Tensor, dict[str, ops.Tensor]]

# Units in each of the four blocks, by the number of layers that the net is named after.
UNITS = {
    50: (3, 4, 6, 3),
    101: (3, 4, 23, 3),
    152: (3, 8, 36, 3),
    200: (3, 24, 36, 3),
}
# The stride of the root: its convolution halves the image, then its pool does.
_ROOT_STRIDE = 4
_BARE = {"normalizer_fn": None, "activation_fn": None}


@dataclasses.dataclass(frozen=True)
class Form:
    """One of the two orders of convolution, normalisation and activation.

    Attributes:
        version: "v1" or "v2", a part of the scopes' names.
        activated_first: whether a unit normalises and activates what enters it, and the net what leaves it; else a unit
            activates its sum.
        summand: arguments of the convolutions whose outputs a unit adds up.
        root: arguments of the convolution that the net begins with.
    """

    version: str
    activated_first: bool
    summand: dict[str, Any]
    root: dict[str, Any]

    def unit(
        self,
        inputs: ops.Tensor,
        depth: int,
        depth_bottleneck: int,
        stride: int,
        rate: int,
        outputs_collections: CollectionNames | None,
        scope: ScopeLike,
    ) -> ops.Tensor:
        """A shortcut plus three convolutions; the arguments are those of `bottleneck`."""
        with variable_scope.variable_scope(
            scope, f"bottleneck_{self.version}", [inputs]
        ) as entered:
            source = self._activated(inputs, "preact")
            if utils.last_dimension(inputs.get_shape(), min_rank=4) == depth:
                total = resnet_utils.subsample(inputs, stride, "shortcut")
            else:
                total = _pointwise(
                    source, depth, "shortcut", stride=stride, **self.summand
                )
            branch = _pointwise(source, depth_bottleneck, "conv1", stride=1)
            branch = resnet_utils.conv2d_same(
                branch, depth_bottleneck, 3, stride, rate=rate, scope="conv2"
            )
            total += _pointwise(branch, depth, "conv3", stride=1, **self.summand)
            if not self.activated_first:
                total = nn_ops.relu(total)
            return utils.collect_named_outputs(outputs_collections, entered.name, total)

    def net(
        self,
        bottleneck: Callable[..., ops.Tensor],
        inputs: ops.Tensor,
        blocks: Sequence[resnet_utils.Block],
        num_classes: int | None,
        is_training: bool,
        global_pool: bool,
        output_stride: int | None,
        include_root_block: bool,
        reuse: bool | None,
        scope: ScopeLike,
    ) -> Net:
        """Root, blocks and head.

        `bottleneck` is the form's unit as `arg_scope` knows it; the other arguments are those of `resnet_v1`.
        """
        with variable_scope.variable_scope(
            scope, f"resnet_{self.version}", [inputs], reuse=reuse
        ) as entered:
            collection = f"{entered.original_name_scope}_end_points"
            collecting = [layers.conv2d, bottleneck, resnet_utils.stack_blocks_dense]
            with (
                arg_scope(collecting, outputs_collections=collection),
                arg_scope([layers.batch_norm], is_training=is_training),
            ):
                features = inputs
                if include_root_block:
                    output_stride = self._stride_after_root(output_stride)
                    features = self._root(features)
                features = resnet_utils.stack_blocks_dense(
                    features, blocks, output_stride
                )
                features = self._activated(features, "postnorm")
                return _head(features, num_classes, global_pool, collection)

    def _activated(self, net: ops.Tensor, scope: str) -> ops.Tensor:
        """`net`, normalised and activated if the form does that before its convolutions."""
        if not self.activated_first:
            return net
        return layers.batch_norm(net, activation_fn=nn_ops.relu, scope=scope)

    def _root(self, net: ops.Tensor) -> ops.Tensor:
        """A convolution of 7 x 7 and a pool of 3 x 3, each with a stride of 2."""
        with arg_scope([layers.conv2d], **self.root):
            net = resnet_utils.conv2d_same(net, 64, 7, stride=2, scope="conv1")
        return layers.max_pool2d(net, [3, 3], stride=2, scope="pool1")

    def _stride_after_root(self, output_stride: int | None) -> int | None:
        """The part of `output_stride` that is left to the blocks."""
        if output_stride is None:
            return None
        blocks_stride, rest = divmod(output_stride, _ROOT_STRIDE)
        if rest:
            raise ValueError(
                f"resnet_{self.version}: output_stride must be a multiple of "
                f"{_ROOT_STRIDE}, the stride of the root block, got {output_stride}"
            )
        return blocks_stride


def block(
    scope: str,
    bottleneck: Callable[..., ops.Tensor],
    base_depth: int,
    num_units: int,
    stride: int,
) -> resnet_utils.Block:
    """A block of `num_units` units of 4 * `base_depth` channels; its last unit has the stride."""
    arguments = [
        {
            "depth": 4 * base_depth,
            "depth_bottleneck": base_depth,
            "stride": stride if left == 0 else 1,
        }
        for left in reversed(range(num_units))
    ]
    return resnet_utils.Block(scope, bottleneck, arguments)


def of_depth(
    layer_count: int,
    net: Callable[..., Net],
    make_block: Callable[..., resnet_utils.Block],
) -> Callable[..., Net]:
    """The public function of the net with as many layers, such as `resnet_v1_50`.

    Each block is twice as wide as the one before, and all but the last have a stride of 2.

    Args:
        layer_count: a key of `UNITS`.
        net: the form's function for any blocks.
        make_block: the form's function for a block.
    """
    name = f"{net.__name__}_{layer_count}"
    strides = (2, 2, 2, 1)
    blocks = [
        make_block(f"block{i + 1}", 64 * 2**i, num_units, stride)
        for i, (num_units, stride) in enumerate(zip(UNITS[layer_count], strides))
    ]

    def build(
        inputs: ops.Tensor,
        num_classes: int | None = None,
        is_training: Any = True,
        global_pool: bool = True,
        output_stride: int | None = None,
        reuse: bool | None = None,
        scope: Any = name,
    ) -> Net:
        return net(
            inputs,
            blocks,
            num_classes=num_classes,
            is_training=is_training,
            global_pool=global_pool,
            output_stride=output_stride,
            reuse=reuse,
            scope=scope,
        )

    build.__name__ = build.__qualname__ = name
    build.__module__ = net.__module__
    build.__doc__ = (
        f"The net of {layer_count} layers; its arguments and results are those of "
        f"`{net.__name__}`."
    )
    build.default_image_size = 224  # type: ignore[attr-defined]
    return build


def _pointwise(net: ops.Tensor, depth: int, scope: str, **options: Any) -> ops.Tensor:
    """A convolution of 1 x 1."""
    return layers.conv2d(net, depth, [1, 1], scope=scope, **options)


def _head(
    features: ops.Tensor, num_classes: int | None, global_pool: bool, collection: str
) -> Net:
    """The mean of all pixels, logits and predictions, as far as they are asked for; and all end points."""
    net = features
    if global_pool:
        net = math_ops.reduce_mean(net, [1, 2], name="pool5", keepdims=True)
    if num_classes is None:
        return net, utils.convert_collection_to_dict(collection)
    net = _pointwise(net, num_classes, "logits", **_BARE)
    end_points = utils.convert_collection_to_dict(collection)
    end_points["predictions"] = layers.softmax(net, scope="predictions")
    return net, end_points


V1 = Form("v1", activated_first=False, summand={"activation_fn": None}, root={})
V2 = Form("v2", activated_first=True, summand=_BARE, root=_BARE)
