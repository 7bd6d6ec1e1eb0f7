# SPDX-License-Identifier: Apache-2.0
"""Convolutions: direct, in plane, separable and transposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope
from tensorwright.contrib.layers.python.layers import (
    initializers,
    layer_scopes,
    utils,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    CollectionNames,
    InitializerLike,
    Ints,
    ScopeLike,
    TensorLike,
)
from tensorwright.python.layers import convolutional
from tensorwright.python.ops import array_ops, init_ops, nn_impl, nn_ops

DATA_FORMAT_NCHW = "NCHW"
DATA_FORMAT_NHWC = "NHWC"
DATA_FORMAT_NCDHW = "NCDHW"
DATA_FORMAT_NDHWC = "NDHWC"

_FORMATS = (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW")


def checked_format(data_format: str, *allowed: str) -> str:
    """channels_first or channels_last; ValueError for another format than those."""
    if data_format not in allowed:
        raise ValueError(f"data_format has to be either {' or '.join(allowed)}.")
    return "channels_first" if data_format.startswith("NC") else "channels_last"


@add_arg_scope
def convolution(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: Ints,
    stride: Ints = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Ints = 1,
    activation_fn: Callable | None = nn_ops.relu,
    normalizer_fn: Callable | None = None,
    normalizer_params: Mapping[str, object] | None = None,
    weights_initializer: InitializerLike | None = initializers.xavier_initializer(),
    weights_regularizer: Callable | None = None,
    biases_initializer: InitializerLike | None = init_ops.zeros_initializer(),
    biases_regularizer: Callable | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """A convolution, then a bias or a normalizer, then an activation: [n, *spatial, in] -> [n, *spatial', num_outputs].

    Args:
        inputs: a tensor with 1, 2 or 3 spatial dimensions.
        num_outputs: how many filters.
        kernel_size: the size of the window: one number, or one for each spatial dimension.
        stride: likewise.
        padding: SAME or VALID.
        data_format: one that begins with NC has the channels in front.
        rate: distances between taps; not together with strides other than 1.
        activation_fn: None for none.
        normalizer_fn: called in the place of a bias, with `normalizer_params`.
        weights_initializer, weights_regularizer: for `weights` [*kernel_size, in, num_outputs].
        biases_initializer, biases_regularizer: for `biases` [num_outputs]; without initializer there are none.
        reuse: whether the variable scope is reused.
        variables_collections: collections for all variables, or a dict of such by names.
        outputs_collections: collections for the outputs.
        trainable: whether the variables are trained.
        scope: the variable scope, "Conv" by default.

    Raises:
        ValueError: an unknown `data_format`, another rank, or stride and rate together.
    """
    if data_format not in _FORMATS:
        raise ValueError(f"Invalid data_format: {data_format!r}")
    with layer_scopes.layer_scope(
        scope, "Conv", inputs, reuse, bias="biases", kernel="weights"
    ) as sc:
        inputs = ops.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        kinds = {
            3: convolutional.Conv1D,
            4: convolutional.Conv2D,
            5: convolutional.Conv3D,
        }
        if rank not in kinds:
            raise ValueError(f"Convolution not supported for input with rank {rank}")
        layer = kinds[rank](
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_first"
            if (data_format or "").startswith("NC")
            else "channels_last",
            dilation_rate=rate,
            use_bias=not normalizer_fn and biases_initializer is not None,
            kernel_initializer=weights_initializer,
            bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=sc.name,
            dtype=inputs.dtype.base_dtype,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        _collect(layer, variables_collections, kernel="weights")
        return layer_scopes.finished(
            outputs, sc, outputs_collections, activation_fn, normalizer_fn, normalizer_params
        )  # fmt: skip


convolution1d = convolution
convolution2d = convolution
convolution3d = convolution
conv1d = convolution
conv2d = convolution
conv3d = convolution


def _collect(layer: Any, variables_collections: Any, **names: str) -> None:
    for attribute, name in names.items():
        layer_scopes.add_variable_to_collections(
            getattr(layer, attribute), variables_collections, name
        )
    if layer.use_bias:
        layer_scopes.add_variable_to_collections(
            layer.bias, variables_collections, "biases"
        )


@add_arg_scope
def convolution2d_in_plane(
    inputs: TensorLike,
    kernel_size: Ints,
    stride: Ints = 1,
    padding: str = "SAME",
    activation_fn: Callable | None = nn_ops.relu,
    normalizer_fn: Callable | None = None,
    normalizer_params: Mapping[str, object] | None = None,
    weights_initializer: InitializerLike | None = initializers.xavier_initializer(),
    weights_regularizer: Callable | None = None,
    biases_initializer: InitializerLike | None = init_ops.zeros_initializer(),
    biases_regularizer: Callable | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """One filter [h, w] over every channel alike: [n, height, width, c] -> [n, height', width', c].

    Arguments as for `convolution`; `weights` are [h, w, 1, 1], `biases` [c].
    """
    layer = layer_scopes.variable_scope.variable_scope(
        scope, "ConvInPlane", [inputs], reuse=reuse
    )
    with layer as sc:
        inputs = ops.convert_to_tensor(inputs)
        dtype = inputs.dtype.base_dtype
        channels = utils.last_dimension(inputs.get_shape(), min_rank=4)
        weights = layer_scopes.model_variable(
            "weights",
            [*utils.two_element_tuple(kernel_size), 1, 1],
            dtype,
            weights_initializer,
            weights_regularizer,
            variables_collections,
            trainable,
        )
        outputs = nn_impl.depthwise_conv2d(
            inputs,
            array_ops.tile(weights, [1, 1, channels, 1]),
            [1, *utils.two_element_tuple(stride), 1],
            padding,
        )
        if normalizer_fn is None and biases_initializer is not None:
            biases = layer_scopes.model_variable(
                "biases",
                [channels],
                dtype,
                biases_initializer,
                biases_regularizer,
                variables_collections,
                trainable,
            )
            outputs = nn_ops.bias_add(outputs, biases)
        return layer_scopes.finished(
            outputs, sc, outputs_collections, activation_fn, normalizer_fn, normalizer_params
        )  # fmt: skip


conv2d_in_plane = convolution2d_in_plane


def _transposed(
    kind: Callable, default: str, channels_first: str, options: dict[str, Any]
) -> ops.Tensor:
    """A transposed convolution; `options` are the arguments of the public function."""
    scope, reuse = options["scope"], options["reuse"]
    with layer_scopes.layer_scope(
        scope, default, options["inputs"], reuse, bias="biases", kernel="weights"
    ) as sc:
        inputs = ops.convert_to_tensor(options["inputs"])
        normalizer_fn = options["normalizer_fn"]
        layer = kind(
            filters=options["num_outputs"],
            kernel_size=options["kernel_size"],
            strides=options["stride"],
            padding=options["padding"],
            data_format=channels_first,
            use_bias=not normalizer_fn and options["biases_initializer"] is not None,
            kernel_initializer=options["weights_initializer"],
            bias_initializer=options["biases_initializer"],
            kernel_regularizer=options["weights_regularizer"],
            bias_regularizer=options["biases_regularizer"],
            trainable=options["trainable"],
            name=sc.name,
            dtype=inputs.dtype.base_dtype,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        _collect(layer, options["variables_collections"], kernel="weights")
        return layer_scopes.finished(
            outputs,
            sc,
            options["outputs_collections"],
            options["activation_fn"],
            normalizer_fn,
            options["normalizer_params"],
        )


@add_arg_scope
def convolution2d_transpose(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: Ints,
    stride: Ints = 1,
    padding: str = "SAME",
    data_format: str = DATA_FORMAT_NHWC,
    activation_fn: Callable | None = nn_ops.relu,
    normalizer_fn: Callable | None = None,
    normalizer_params: Mapping[str, object] | None = None,
    weights_initializer: InitializerLike | None = initializers.xavier_initializer(),
    weights_regularizer: Callable | None = None,
    biases_initializer: InitializerLike | None = init_ops.zeros_initializer(),
    biases_regularizer: Callable | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | Mapping[str, CollectionNames] | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """The transpose of a convolution of images, which enlarges them by its stride.

    Arguments as for `convolution`; `weights` are [h, w, num_outputs, in].
    """
    options = locals()
    order = checked_format(data_format, DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
    kind = convolutional.Conv2DTranspose
    return _transposed(kind, "Conv2d_transpose", order, options)


conv2d_transpose = convolution2d_transpose


@add_arg_scope
def convolution3d_transpose(
    inputs: TensorLike,
    num_outputs: int,
    kernel_size: Ints,
    stride: Ints = 1,
    padding: str = "SAME",
    data_format: str = DATA_FORMAT_NDHWC,
    activation_fn: Callable | None = nn_ops.relu,
    normalizer_fn: Callable | None = None,
    normalizer_params: Mapping[str, object] | None = None,
    weights_initializer: InitializerLike | None = initializers.xavier_initializer(),
    weights_regularizer: Callable | None = None,
    biases_initializer: InitializerLike | None = init_ops.zeros_initializer(),
    biases_regularizer: Callable | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | Mapping[str, CollectionNames] | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """The transpose of a convolution of volumes; see `convolution2d_transpose`."""
    options = locals()
    order = checked_format(data_format, DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC)
    kind = convolutional.Conv3DTranspose
    return _transposed(kind, "Conv3d_transpose", order, options)


conv3d_transpose = convolution3d_transpose


@add_arg_scope
def separable_convolution2d(
    inputs: TensorLike,
    num_outputs: int | None,
    kernel_size: Ints,
    depth_multiplier: int,
    stride: Ints = 1,
    padding: str = "SAME",
    rate: Ints = 1,
    activation_fn: Callable | None = nn_ops.relu,
    normalizer_fn: Callable | None = None,
    normalizer_params: Mapping[str, object] | None = None,
    weights_initializer: InitializerLike | None = initializers.xavier_initializer(),
    weights_regularizer: Callable | None = None,
    biases_initializer: InitializerLike | None = init_ops.zeros_initializer(),
    biases_regularizer: Callable | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """Each channel by filters of its own, then all channels of each point: [n, h, w, c] -> [n, h', w', num_outputs].

    Arguments as for `convolution`, and:
        num_outputs: None: the second step is left out, and there are c * depth_multiplier outputs.
        depth_multiplier: how many filters each channel has in the first step.

    The variables are `depthwise_weights` [h, w, c, depth_multiplier] and `pointwise_weights`.
    """
    if num_outputs is None:
        return _depthwise(locals())
    with layer_scopes.layer_scope(
        scope,
        "SeparableConv2d",
        inputs,
        reuse,
        bias="biases",
        depthwise_kernel="depthwise_weights",
        pointwise_kernel="pointwise_weights",
    ) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = convolutional.SeparableConv2D(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format="channels_last",
            dilation_rate=utils.two_element_tuple(rate),
            depth_multiplier=depth_multiplier,
            use_bias=not normalizer_fn and biases_initializer is not None,
            depthwise_initializer=weights_initializer,
            pointwise_initializer=weights_initializer,
            depthwise_regularizer=weights_regularizer,
            pointwise_regularizer=weights_regularizer,
            bias_initializer=biases_initializer,
            bias_regularizer=biases_regularizer,
            trainable=trainable,
            name=sc.name,
            dtype=inputs.dtype.base_dtype,
            _scope=sc,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        _collect(
            layer,
            variables_collections,
            depthwise_kernel="weights",
            pointwise_kernel="weights",
        )
        return layer_scopes.finished(
            outputs, sc, outputs_collections, activation_fn, normalizer_fn, normalizer_params
        )  # fmt: skip


separable_conv2d = separable_convolution2d


def _depthwise(options: dict[str, Any]) -> ops.Tensor:
    """The first step of a separable convolution alone."""
    inputs = options["inputs"]
    layer = layer_scopes.variable_scope.variable_scope(
        options["scope"], "SeparableConv2d", [inputs], reuse=options["reuse"]
    )
    with layer as sc:
        inputs = ops.convert_to_tensor(inputs)
        dtype = inputs.dtype.base_dtype
        channels = utils.last_dimension(inputs.get_shape(), min_rank=4)
        multiplier = options["depth_multiplier"]
        rest = options["variables_collections"], options["trainable"]
        weights = layer_scopes.model_variable(
            "depthwise_weights",
            [*utils.two_element_tuple(options["kernel_size"]), channels, multiplier],
            dtype,
            options["weights_initializer"],
            options["weights_regularizer"],
            *rest,
        )
        outputs = nn_impl.depthwise_conv2d(
            inputs,
            weights,
            [1, *utils.two_element_tuple(options["stride"]), 1],
            options["padding"],
            rate=utils.two_element_tuple(options["rate"]),
        )
        normalizer_fn = options["normalizer_fn"]
        if normalizer_fn is None and options["biases_initializer"] is not None:
            biases = layer_scopes.model_variable(
                "biases",
                [channels * multiplier],
                dtype,
                options["biases_initializer"],
                options["biases_regularizer"],
                *rest,
            )
            outputs = nn_ops.bias_add(outputs, biases)
        return layer_scopes.finished(
            outputs,
            sc,
            options["outputs_collections"],
            options["activation_fn"],
            normalizer_fn,
            options["normalizer_params"],
        )
