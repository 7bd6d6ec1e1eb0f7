# SPDX-License-Identifier: Apache-2.0
"""The common parts of the Inception nets: their arg_scope, and modules of branches written as tables.

A branch is a list of steps; a step is (scope, depth, options) for a convolution, (scope, options) for a pool, or a list of
steps whose outputs are concatenated.  The window is read from the end of the scope, "Conv2d_0b_1x7", unless the options
have a `kernel_size`: public checkpoints hold these names, which do not always describe the layer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.framework.python.ops.arg_scope import arg_scope
from tensorwright.contrib.layers.python.layers import (
    initializers,
    layers,
    regularizers,
)
from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, init_ops, nn_ops, variable_scope

if TYPE_CHECKING:
    from collections.abc import Callable

    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops.init_ops import TruncatedNormal


__all__ = ["inception_arg_scope"]

Steps = Sequence[Any]


def inception_arg_scope(
    weight_decay: float = 0.00004,
    use_batch_norm: bool = True,
    batch_norm_var_collection: str = "moving_vars",
) -> dict[str, dict[str, object]]:
    """The arg_scope that Inception nets are built in; moving averages go to `batch_norm_var_collection`."""
    params: dict[str, Any] = {
        "decay": 0.9997,
        "epsilon": 0.001,
        "updates_collections": ops.GraphKeys.UPDATE_OPS,
        "variables_collections": {
            "beta": None,
            "gamma": None,
            "moving_mean": [batch_norm_var_collection],
            "moving_variance": [batch_norm_var_collection],
        },
    }
    decay = regularizers.l2_regularizer(weight_decay)
    with (
        arg_scope([layers.conv2d, layers.fully_connected], weights_regularizer=decay),
        arg_scope(
            [layers.conv2d],
            weights_initializer=initializers.variance_scaling_initializer(),
            activation_fn=nn_ops.relu,
            normalizer_fn=layers.batch_norm if use_batch_norm else None,
            normalizer_params=params if use_batch_norm else {},
        ) as scope,
    ):
        return scope


def truncated(stddev: float) -> TruncatedNormal:
    return init_ops.truncated_normal_initializer(0.0, stddev)


def window(scope: str) -> list[int]:
    """The window that a name ends with: "Conv2d_0b_1x7" is [1, 7]."""
    height, width = re.search(r"(\d+)x(\d+)$", scope).groups()  # type: ignore[union-attr]
    return [int(height), int(width)]


def layer(net: ops.Tensor, step: Any, depth: Any) -> ops.Tensor:
    """One step of a branch; `depth` makes the depths of the narrow and wide forms."""
    if isinstance(step, list):
        return array_ops.concat([layer(net, s, depth) for s in step], 3)
    scope, *rest = step
    options = dict(rest.pop()) if rest and isinstance(rest[-1], dict) else {}
    size = options.pop("kernel_size", None) or window(scope)
    if scope.startswith("MaxPool"):
        return layers.max_pool2d(net, size, scope=scope, **options)
    if scope.startswith("AvgPool"):
        return layers.avg_pool2d(net, size, scope=scope, **options)
    return layers.conv2d(net, depth(rest[0]), size, scope=scope, **options)


def module(net: ops.Tensor, name: str, branches: Sequence[Steps], depth: int) -> Tensor:
    """The branches of a module side by side, concatenated."""
    with variable_scope.variable_scope(name):
        outputs = []
        for i, steps in enumerate(branches):
            with variable_scope.variable_scope(f"Branch_{i}"):
                out = net
                for step in steps:
                    out = layer(out, step, depth)
                outputs.append(out)
        return array_ops.concat(outputs, 3)


def stack(
    net: ops.Tensor, table: dict[str, Any], final: str, depth: Any
) -> tuple[ops.Tensor, dict[str, ops.Tensor]]:
    """The entries of a net up to `final`: layers, and modules under their names.

    Raises:
        ValueError: `final` is no entry.
    """
    if final not in table:
        raise ValueError(f"Unknown final endpoint {final}")
    end_points = {}
    for name, entry in table.items():
        if name.startswith("Mixed"):
            net = module(net, name, entry, depth)
        elif callable(entry):
            net = entry(net, depth)
        else:
            net = layer(net, (name, *entry), depth)
        end_points[name] = net
        if name == final:
            break
    return net, end_points


def scaled(depth_multiplier: float, min_depth: int) -> Callable[[int], int]:
    """The function of depths that a multiplier makes.

    Raises:
        ValueError: the multiplier is not positive.
    """
    if depth_multiplier <= 0:
        raise ValueError("depth_multiplier is not greater than zero.")
    return lambda d: max(int(d * depth_multiplier), min_depth)


def reduced(net: ops.Tensor, size: Sequence[int]) -> list[int]:
    """A window no larger than the image, where its size is known."""
    shape = net.get_shape().as_list()[1:3]
    return [s if n is None else min(n, s) for n, s in zip(shape, size, strict=True)]


def logits(
    net: ops.Tensor,
    end_points: dict[str, ops.Tensor],
    pool: tuple[str, Sequence[int]],
    dropout: str,
    name: str,
    num_classes: int,
    keep_prob: float,
    prediction_fn: Callable[..., ops.Tensor],
    spatial_squeeze: bool,
) -> ops.Tensor:
    """The pool, dropout and logits at the end of a net, and its predictions; adds their end points."""
    with variable_scope.variable_scope("Logits"):
        net = layers.avg_pool2d(net, pool[1], stride=1, padding="VALID", scope=pool[0])
        net = layers.dropout(net, keep_prob=keep_prob, scope=dropout)
        if name == "Conv2d_1c_1x1":
            end_points["PreLogits"] = net
        out = layers.conv2d(
            net,
            num_classes,
            [1, 1],
            activation_fn=None,
            normalizer_fn=None,
            scope=name,
        )
        if spatial_squeeze:
            out = array_ops.squeeze(out, [1, 2], name="SpatialSqueeze")
    end_points["Logits"] = out
    end_points["Predictions"] = prediction_fn(out, scope="Predictions")
    return out
