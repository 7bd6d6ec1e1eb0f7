# SPDX-License-Identifier: Apache-2.0
"""Normalization of each example by itself: over its pixels, or over groups of its channels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope
from tensorwright.contrib.layers.python.layers import layer_scopes
from tensorwright.contrib.layers.python.layers.layers_conv import (
    DATA_FORMAT_NCHW,
    DATA_FORMAT_NHWC,
    checked_format,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    CollectionNames,
    InitializerLike,
    ScopeLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_impl,
    nn_ops,
    variable_scope,
)

_ZEROS, _ONES = init_ops.zeros_initializer(), init_ops.ones_initializer()


@add_arg_scope
def bias_add(
    inputs: TensorLike,
    activation_fn: Callable | None = None,
    initializer: InitializerLike | None = _ZEROS,
    regularizer: Callable | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    data_format: str = DATA_FORMAT_NHWC,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """inputs + `biases`, one for each channel, then an activation.

    Args:
        inputs: [..., channels], or [n, channels, height, width] with NCHW.
        activation_fn: None for none.
        initializer, regularizer: for `biases` [channels].
        reuse, variables_collections, outputs_collections, trainable, scope: as for all layers.
        data_format: NHWC or NCHW.

    Raises:
        ValueError: another `data_format`, NCHW for inputs of another rank than 4, or an unknown rank or number of
            channels.
    """
    order = checked_format(data_format, DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
    with variable_scope.variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        rank = _rank(inputs)
        if order == "channels_first" and rank != 4:
            raise ValueError(
                f"Data format NCHW only supports 4D Tensor, got inputs of rank {rank}"
            )
        axis = 1 if order == "channels_first" else rank - 1
        biases = layer_scopes.model_variable(
            "biases",
            [_known_size(inputs, axis)],
            inputs.dtype.base_dtype,
            initializer,
            regularizer,
            variables_collections,
            trainable,
        )
        outputs = nn_ops.bias_add(inputs, biases, data_format=data_format)
        return layer_scopes.finished(outputs, sc, outputs_collections, activation_fn)


@add_arg_scope
def instance_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable | None = None,
    param_initializers: dict[str, InitializerLike] | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    data_format: str = DATA_FORMAT_NHWC,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """gamma (x - mean) / sqrt(variance + epsilon) + beta for each channel of each example (Ulyanov et al. 2016).

    Args:
        inputs: [n, ..., channels] of rank 2 or more, or [n, channels, ...] with NCHW.
        center, scale: whether there are `beta` and `gamma` [channels].
        epsilon: added to the variance.
        activation_fn: None for none.
        param_initializers: by the names beta and gamma.
        reuse, variables_collections, outputs_collections, trainable, scope: as for all layers.
        data_format: NHWC or NCHW.

    Raises:
        ValueError: another `data_format`, or an unknown rank or number of channels.
    """
    order = checked_format(data_format, DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
    with variable_scope.variable_scope(
        scope, "InstanceNorm", [inputs], reuse=reuse
    ) as sc:
        inputs = ops.convert_to_tensor(inputs)
        rank = _rank(inputs)
        axis = 1 if order == "channels_first" else rank - 1
        beta, gamma = _parameters(
            inputs, axis, center, scale, param_initializers, variables_collections, trainable
        )  # fmt: skip
        sizes = [1] * rank
        sizes[axis] = -1
        if axis != rank - 1:
            beta, gamma = (
                None if p is None else array_ops.reshape(p, sizes)
                for p in (beta, gamma)
            )
        axes = [a for a in range(1, rank) if a != axis]
        mean, variance = nn_impl.moments(inputs, axes, keep_dims=True)
        outputs = nn_impl.batch_normalization(
            inputs, mean, variance, beta, gamma, epsilon
        )
        outputs.set_shape(inputs.get_shape())
        return layer_scopes.finished(outputs, sc, outputs_collections, activation_fn)


@add_arg_scope
def group_norm(
    inputs: TensorLike,
    groups: int = 32,
    channels_axis: int = -1,
    reduction_axes: Sequence[int] = (-3, -2),
    center: bool = True,
    scale: bool = True,
    epsilon: float = 1e-6,
    activation_fn: Callable | None = None,
    param_initializers: dict[str, InitializerLike] | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
    mean_close_to_zero: bool = False,
) -> ops.Tensor:
    """gamma (x - mean) / sqrt(variance + epsilon) + beta for each group of channels (Wu and He 2018).

    Args:
        inputs: a tensor of a known rank; all sizes but that of `channels_axis` may be unknown.
        groups: how many groups the channels make, which they are cut into in order.
        channels_axis: the axis of the channels.
        reduction_axes: the axes that mean and variance are over, besides that of a group's channels.
        center, scale: whether there are `beta` and `gamma` [channels].
        epsilon: added to the variance.
        activation_fn: None for none.
        param_initializers: by the names beta and gamma.
        reuse, variables_collections, outputs_collections, trainable, scope: as for all layers.
        mean_close_to_zero: whether the variance is computed as E[x^2] - E[x]^2, which is faster and exact enough for
            means near zero.

    Raises:
        ValueError: an unknown rank or number of channels, channels that do not make `groups`, an axis that is not there,
            or one that is reduced and that of the channels.
    """
    with variable_scope.variable_scope(scope, "GroupNorm", [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        rank = _rank(inputs)
        axis = _axis(channels_axis, rank, "channels_axis")
        reduced = [_axis(a, rank, "reduction_axes") for a in reduction_axes]
        if axis in reduced:
            raise ValueError(
                f"reduction_axes {tuple(reduction_axes)} must not have channels_axis "
                f"{channels_axis}"
            )
        channels = _known_size(inputs, axis)
        if groups < 1 or channels % groups:
            raise ValueError(f"Invalid groups {groups} for {channels} channels.")
        beta, gamma = _parameters(
            inputs, axis, center, scale, param_initializers, variables_collections, trainable
        )  # fmt: skip
        # The axis of channels becomes two, of groups and of the channels in one.
        spread = [1] * (rank + 1)
        spread[axis : axis + 2] = [groups, channels // groups]
        shape = array_ops.shape(inputs)
        split = array_ops.concat(
            [shape[:axis], [groups, channels // groups], shape[axis + 1 :]], 0
        )
        grouped = array_ops.reshape(inputs, split)
        axes = [axis + 1, *(a + (a > axis) for a in reduced)]
        mean, variance = _moments(grouped, axes, mean_close_to_zero)
        parameters = (
            None if p is None else array_ops.reshape(p, spread) for p in (beta, gamma)
        )
        outputs = nn_impl.batch_normalization(
            grouped, mean, variance, *parameters, epsilon
        )
        outputs = array_ops.reshape(outputs, shape)
        outputs.set_shape(inputs.get_shape())
        return layer_scopes.finished(outputs, sc, outputs_collections, activation_fn)


def _moments(x: ops.Tensor, axes: list[int], near_zero: bool) -> tuple:
    if not near_zero:
        return nn_impl.moments(x, axes, keep_dims=True)
    mean = math_ops.reduce_mean(x, axes, keep_dims=True)
    squares = math_ops.reduce_mean(math_ops.square(x), axes, keep_dims=True)
    return mean, squares - math_ops.square(mean)


def _rank(inputs: ops.Tensor) -> int:
    rank = inputs.get_shape().ndims
    if rank is None:
        raise ValueError(f"Inputs {inputs.name} has undefined rank.")
    return rank


def _axis(axis: int, rank: int, name: str) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"Axis {axis} of {name} is out of bounds for rank {rank}.")
    return axis % rank


def _known_size(inputs: ops.Tensor, axis: int) -> int:
    size = inputs.get_shape()[axis].value
    if size is None:
        raise ValueError(
            f"Inputs {inputs.name} has undefined channels dimension "
            f"{inputs.get_shape()}."
        )
    return size


def _parameters(
    inputs: ops.Tensor,
    axis: int,
    center: bool,
    scale: bool,
    initializers: dict[str, Any] | None,
    collections: Any,
    trainable: bool,
) -> tuple[Any, Any]:
    """(beta, gamma), each a variable [channels] or None."""
    channels = _known_size(inputs, axis)

    def make(name: str, default: Any) -> Any:
        return layer_scopes.model_variable(
            name,
            [channels],
            inputs.dtype.base_dtype,
            (initializers or {}).get(name, default),
            None,
            collections,
            trainable,
        )

    beta = make("beta", _ZEROS) if center else None
    gamma = make("gamma", _ONES) if scale else None
    return beta, gamma
