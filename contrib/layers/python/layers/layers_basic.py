# SPDX-License-Identifier: Apache-2.0
"""Dense layers, pooling, dropout, reshaping, and layers of layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope
from tensorwright.contrib.layers.python.layers import (
    initializers,
    layer_scopes,
    utils,
)
from tensorwright.contrib.layers.python.layers.layers_conv import (
    DATA_FORMAT_NCDHW,
    DATA_FORMAT_NCHW,
    DATA_FORMAT_NDHWC,
    DATA_FORMAT_NHWC,
    checked_format,
)
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    CollectionNames,
    InitializerLike,
    Ints,
    ScopeLike,
    TensorLike,
)
from tensorwright.python.layers import core, pooling
from tensorwright.python.ops import (
    array_ops,
    custom_gradient,
    init_ops,
    math_ops,
    nn_ops,
    variable_scope,
)
from tensorwright.python.util import compat


@add_arg_scope
def fully_connected(
    inputs: TensorLike,
    num_outputs: int,
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
    """inputs @ weights, then a bias or a normalizer, then an activation: [..., n] -> [..., num_outputs].

    Args:
        inputs: a tensor of rank 2 or more.
        num_outputs: an int.
        activation_fn: None for none.
        normalizer_fn: called in the place of a bias, with `normalizer_params`.
        weights_initializer, weights_regularizer: for `weights` [n, num_outputs].
        biases_initializer, biases_regularizer: for `biases` [num_outputs]; without initializer there are none.
        reuse: whether the variable scope is reused.
        variables_collections: collections for all variables, or a dict of such by names.
        outputs_collections: collections for the outputs.
        trainable: whether the variables are trained.
        scope: the variable scope, "fully_connected" by default.

    Raises:
        ValueError: `num_outputs` is no int, or the inputs' rank is less than 2 or their last size is not known.
    """
    is_number = isinstance(num_outputs, compat.integral_types)
    if not is_number or isinstance(num_outputs, bool):
        raise ValueError(f"num_outputs should be int or long, got {num_outputs!r}.")
    with layer_scopes.layer_scope(
        scope, "fully_connected", inputs, reuse, bias="biases", kernel="weights"
    ) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = core.Dense(
            units=num_outputs,
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
        layer_scopes.add_variable_to_collections(
            layer.kernel, variables_collections, "weights"
        )
        if layer.bias is not None:
            layer_scopes.add_variable_to_collections(
                layer.bias, variables_collections, "biases"
            )
        return layer_scopes.finished(
            outputs, sc, outputs_collections, activation_fn, normalizer_fn, normalizer_params
        )  # fmt: skip


def _pooled(
    function: Callable,
    name: str,
    order: str,
    inputs: TensorLike,
    window: tuple[Any, Any, str],
    outputs_collections: Any,
    scope: str | None,
) -> ops.Tensor:
    with ops.name_scope(scope, name, [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        size, stride, padding = window
        outputs = function(inputs, size, stride, padding=padding, data_format=order)
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def avg_pool2d(
    inputs: TensorLike,
    kernel_size: Ints,
    stride: Ints = 2,
    padding: str = "VALID",
    data_format: str = DATA_FORMAT_NHWC,
    outputs_collections: CollectionNames | Mapping[str, CollectionNames] | None = None,
    scope: str | None = None,
) -> ops.Tensor:
    """Means over windows of images; `data_format` is NHWC or NCHW, else a ValueError."""
    order = checked_format(data_format, DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
    window = kernel_size, stride, padding
    return _pooled(
        pooling.average_pooling2d,
        "AvgPool2D",
        order,
        inputs,
        window,
        outputs_collections,
        scope,
    )


@add_arg_scope
def avg_pool3d(
    inputs: TensorLike,
    kernel_size: Ints,
    stride: Ints = 2,
    padding: str = "VALID",
    data_format: str = DATA_FORMAT_NDHWC,
    outputs_collections: CollectionNames | Mapping[str, CollectionNames] | None = None,
    scope: str | None = None,
) -> ops.Tensor:
    """Means over windows of volumes; `data_format` is NDHWC or NCDHW, else a ValueError."""
    order = checked_format(data_format, DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC)
    window = kernel_size, stride, padding
    return _pooled(
        pooling.average_pooling3d,
        "AvgPool3D",
        order,
        inputs,
        window,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool2d(
    inputs: TensorLike,
    kernel_size: Ints,
    stride: Ints = 2,
    padding: str = "VALID",
    data_format: str = DATA_FORMAT_NHWC,
    outputs_collections: CollectionNames | Mapping[str, CollectionNames] | None = None,
    scope: str | None = None,
) -> ops.Tensor:
    """Maxima over windows of images; `data_format` is NHWC or NCHW, else a ValueError."""
    order = checked_format(data_format, DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
    window = kernel_size, stride, padding
    return _pooled(
        pooling.max_pooling2d,
        "MaxPool2D",
        order,
        inputs,
        window,
        outputs_collections,
        scope,
    )


@add_arg_scope
def max_pool3d(
    inputs: TensorLike,
    kernel_size: Ints,
    stride: Ints = 2,
    padding: str = "VALID",
    data_format: str = DATA_FORMAT_NDHWC,
    outputs_collections: CollectionNames | Mapping[str, CollectionNames] | None = None,
    scope: str | None = None,
) -> ops.Tensor:
    """Maxima over windows of volumes; `data_format` is NDHWC or NCDHW, else a ValueError."""
    order = checked_format(data_format, DATA_FORMAT_NCDHW, DATA_FORMAT_NDHWC)
    window = kernel_size, stride, padding
    return _pooled(
        pooling.max_pooling3d,
        "MaxPool3D",
        order,
        inputs,
        window,
        outputs_collections,
        scope,
    )


@add_arg_scope
def dropout(
    inputs: TensorLike,
    keep_prob: TensorLike = 0.5,
    noise_shape: TensorLike | None = None,
    is_training: bool | TensorLike = True,
    outputs_collections: CollectionNames | None = None,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """In training, each element is kept with `keep_prob` and scaled up by its inverse, or becomes 0.

    `noise_shape` is the shape of the random choice, which is broadcast to the inputs'.
    """
    with variable_scope.variable_scope(scope, "Dropout", [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = core.Dropout(rate=1 - keep_prob, noise_shape=noise_shape, name=sc.name)
        outputs = layer.apply(inputs, training=is_training)
        return layer_scopes.finished(outputs, sc, outputs_collections, None)


@add_arg_scope
def flatten(
    inputs: TensorLike,
    outputs_collections: CollectionNames | None = None,
    scope: str | None = None,
) -> ops.Tensor:
    """[n, ...] -> [n, k].

    Raises:
        ValueError: a rank less than 2, or not known.
    """
    with ops.name_scope(scope, "Flatten", [inputs]) as sc:
        inputs = ops.convert_to_tensor(inputs)
        shape = inputs.get_shape()
        if shape.ndims is None or shape.ndims < 2:
            raise ValueError(f"Inputs must have a least 2 dimensions, got {shape}.")
        rest = shape[1:]
        size = rest.num_elements() if rest.is_fully_defined() else None
        if size is None:
            dynamic = array_ops.shape(inputs)
            outputs = array_ops.reshape(
                inputs,
                array_ops.stack([dynamic[0], math_ops.reduce_prod(dynamic[1:])]),
            )
        else:
            batch = shape[0].value
            outputs = array_ops.reshape(inputs, [-1 if size else batch or 0, size])
        outputs.set_shape([shape[0], size])
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: TensorLike,
    num_classes: int,
    on_value: float = 1.0,
    off_value: float = 0.0,
    outputs_collections: CollectionNames | None = None,
    scope: str | None = None,
) -> ops.Tensor:
    """Integer classes [n] -> [n, num_classes], `on_value` at the class and `off_value` elsewhere."""
    with ops.name_scope(scope, "OneHotEncoding", [labels, num_classes]) as sc:
        labels = ops.convert_to_tensor(labels)
        if labels.dtype.base_dtype == dtypes.int32:
            labels = math_ops.cast(labels, dtypes.int64)
        outputs = array_ops.one_hot(
            labels, num_classes, on_value=on_value, off_value=off_value
        )
        return utils.collect_named_outputs(outputs_collections, sc, outputs)


def _layer_name(layer: Callable, default: str) -> str:
    name = getattr(layer, "__name__", None)
    return name or getattr(getattr(layer, "func", None), "__name__", default)


def repeat(
    inputs: TensorLike,
    repetitions: int,
    layer: Callable,
    *args: object,
    **kwargs: object,
) -> ops.Tensor:
    """A layer after itself, `repetitions` times, in the scopes name_1, name_2, ... of a scope around.

        net = repeat(net, 3, layers.conv2d, 64, [3, 3], scope="conv1")  # conv1/conv1_1, ...

    Args:
        inputs: the inputs of the first.
        repetitions: how many.
        layer: a function of inputs, `args` and `kwargs`, and of `scope`.
        scope: the scope around.
    """
    scope = cast(ScopeLike, kwargs.pop("scope", None))
    with variable_scope.variable_scope(scope, "Repeat", [inputs]):
        outputs = ops.convert_to_tensor(inputs)
        name = scope or _layer_name(layer, "repeat")
        for i in range(repetitions):
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{name}_{i + 1}"})
        return outputs


def stack(
    inputs: TensorLike, layer: Callable, stack_args: Sequence[object], **kwargs: object
) -> ops.Tensor:
    """A layer after itself, each time with other arguments.

        net = stack(net, layers.fully_connected, [32, 64, 128], scope="fc")  # fc/fc_1, ...

    Args:
        inputs: the inputs of the first.
        layer: a function of inputs, arguments, `kwargs`, and `scope`.
        stack_args: an argument, or a list or tuple of them, for each.
        scope: the scope around.
    """
    scope = cast(ScopeLike, kwargs.pop("scope", None))
    with variable_scope.variable_scope(scope, "Stack", [inputs]):
        outputs = ops.convert_to_tensor(inputs)
        name = scope or _layer_name(layer, "stack")
        for i, args in enumerate(stack_args):
            if not isinstance(args, (list, tuple)):
                args = [args]
            outputs = layer(outputs, *args, **{**kwargs, "scope": f"{name}_{i + 1}"})
        return outputs


def softmax(logits: TensorLike, scope: ScopeLike | None = None) -> ops.Tensor:
    """Softmax over the last dimension: [..., n] -> [..., n]; ValueError for rank 1 or an unknown size."""
    with variable_scope.variable_scope(scope, "softmax", [logits]):
        logits = ops.convert_to_tensor(logits)
        utils.last_dimension(logits.get_shape(), min_rank=2)
        return nn_ops.softmax(logits)


def scale_gradient(inputs: TensorLike, gradient_multiplier: TensorLike) -> ops.Tensor:
    """`inputs`, whose gradient is multiplied by `gradient_multiplier`."""

    @custom_gradient.custom_gradient
    def scaled(x: ops.Tensor, multiplier: ops.Tensor) -> Any:
        return array_ops.identity(x), lambda dy: (dy * multiplier, None)

    inputs = ops.convert_to_tensor(inputs)
    factor = ops.convert_to_tensor(gradient_multiplier, dtype=inputs.dtype.base_dtype)
    return scaled(inputs, factor)
