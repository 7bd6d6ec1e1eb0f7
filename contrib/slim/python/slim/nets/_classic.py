# SPDX-License-Identifier: Apache-2.0
"""The common parts of alexnet, overfeat and vgg: named outputs, and dense layers that are convolutions."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.framework.python.ops.arg_scope import arg_scope
from tensorwright.contrib.layers.python.layers import layers, regularizers, utils
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import ScopeLike, TensorLike
from tensorwright.python.ops import array_ops, init_ops, nn_ops, variable_scope

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import InitializerLike
    from tensorwright.python.ops._variables.variable_scope_scope import VariableScope


@contextlib.contextmanager
def net_scope(
    scope: ScopeLike, default: str, inputs: TensorLike
) -> Iterator[tuple[VariableScope, str]]:
    """The variable scope of a net, and the collection that its layers add their outputs to."""
    with variable_scope.variable_scope(scope, default, [inputs]) as entered:
        collection = entered.original_name_scope + "_end_points"
        kinds = [layers.conv2d, layers.fully_connected, layers.max_pool2d]
        with arg_scope(kinds, outputs_collections=collection):
            yield entered, collection


def head(
    net: ops.Tensor,
    entered: VariableScope,
    collection: str,
    window: int,
    widths: tuple[int, int],
    num_classes: int,
    is_training: bool,
    keep_prob: float,
    spatial_squeeze: bool,
    **first: Any,
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """fc6, fc7 and fc8 as convolutions, so that larger images give a map of logits; and the end points.

    Args:
        window: side of the window that fc6 sees.
        widths: outputs of fc6 and fc7.
        first: arguments of both.
    """
    net = layers.conv2d(net, widths[0], window, padding="VALID", scope="fc6", **first)
    net = layers.dropout(net, keep_prob, is_training=is_training, scope="dropout6")
    net = layers.conv2d(net, widths[1], 1, scope="fc7", **first)
    net = layers.dropout(net, keep_prob, is_training=is_training, scope="dropout7")
    if "biases_initializer" in first:
        first = {**first, "biases_initializer": init_ops.zeros_initializer()}
    net = layers.conv2d(
        net,
        num_classes,
        1,
        activation_fn=None,
        normalizer_fn=None,
        scope="fc8",
        **first,
    )
    end_points = utils.convert_collection_to_dict(collection)
    if spatial_squeeze:
        net = array_ops.squeeze(net, [1, 2], name="fc8/squeezed")
        end_points[entered.name + "/fc8"] = net
    return net, end_points


def net_arg_scope(
    weight_decay: float, biases: InitializerLike | None, pool_padding: str | None
) -> dict[str, dict[str, object]]:
    """An arg_scope to be entered: activations, decay of the weights, padding."""
    with arg_scope(
        [layers.conv2d, layers.fully_connected],
        activation_fn=nn_ops.relu,
        biases_initializer=biases,
        weights_regularizer=regularizers.l2_regularizer(weight_decay),
    ):
        with arg_scope([layers.conv2d], padding="SAME") as scope:
            if pool_padding is None:
                return scope
            with arg_scope([layers.max_pool2d], padding=pool_padding) as pools:
                return pools
