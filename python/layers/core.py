# SPDX-License-Identifier: Apache-2.0
"""Dense, Dropout and Flatten, and the functions that make one and call it once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    InitializerLike,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.layers import base, utils
from tensorwright.python.layers.layer_function import layer_function
from tensorwright.python.ops import array_ops, init_ops, math_ops, nn_ops


class Dense(base.Layer):
    """activation(inputs @ kernel + bias): [..., n] -> [..., units].

    Args:
        units: size of the last dimension of the outputs.
        activation: None for none.
        use_bias: whether there is a bias.
        kernel_initializer: the initializer of `kernel` [n, units]; the scope's default if absent.
        bias_initializer: the initializer of `bias` [units].
        kernel_regularizer, bias_regularizer, activity_regularizer: make losses.
        kernel_constraint, bias_constraint: project the variables after an update.
        trainable: whether the variables are trained.
        name: the name of its scope.
    """

    def __init__(
        self,
        units: int,
        activation: Callable | None = None,
        use_bias: bool = True,
        kernel_initializer: InitializerLike | None = None,
        bias_initializer: InitializerLike | None = init_ops.zeros_initializer(),
        kernel_regularizer: Callable | None = None,
        bias_regularizer: Callable | None = None,
        activity_regularizer: Callable | None = None,
        kernel_constraint: Callable | None = None,
        bias_constraint: Callable | None = None,
        trainable: bool = True,
        name: str | None = None,
        **kwargs: Any,
    ):
        super().__init__(
            trainable=trainable,
            name=name,
            activity_regularizer=activity_regularizer,
            **kwargs,
        )
        self.units = int(units)
        self.activation = activation
        self.use_bias = use_bias
        self.kernel_initializer = kernel_initializer
        self.bias_initializer = bias_initializer
        self.kernel_regularizer = kernel_regularizer
        self.bias_regularizer = bias_regularizer
        self.kernel_constraint = kernel_constraint
        self.bias_constraint = bias_constraint
        self.kernel: Any = None
        self.bias: Any = None
        self.input_spec = base.InputSpec(min_ndim=2)

    def build(self, input_shape: ShapeLike) -> None:
        shape = tensor_shape.as_shape(input_shape)
        dtype = self.dtype or dtypes.float32
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(
                f"Dense: the dtype must be floating or complex, got {dtype!r}"
            )
        size = shape[-1].value
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to `Dense` should be defined, got "
                f"{shape}"
            )
        self.input_spec = base.InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self.add_variable(
            "kernel",
            shape=[size, self.units],
            initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint,
        )
        if self.use_bias:
            self.bias = self.add_variable(
                "bias",
                shape=[self.units],
                initializer=self.bias_initializer,
                regularizer=self.bias_regularizer,
                constraint=self.bias_constraint,
            )
        self.built = True

    def call(self, inputs: TensorLike) -> ops.Tensor:
        inputs = ops.convert_to_tensor(inputs, dtype=self.dtype)
        shape = inputs.get_shape()
        assert shape.ndims is not None  # `input_spec` asks for a rank.
        if shape.ndims > 2:
            outputs = math_ops.tensordot(inputs, self.kernel, [[shape.ndims - 1], [0]])
            outputs.set_shape([*shape.as_list()[:-1], self.units])
        else:
            outputs = math_ops.matmul(inputs, self.kernel)
        if self.use_bias:
            outputs = nn_ops.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: ShapeLike) -> tensor_shape.TensorShape:
        shape = tensor_shape.as_shape(input_shape).with_rank_at_least(2)
        if shape[-1].value is None:
            raise ValueError(
                f"Dense: the last size of input_shape must be known, got {shape}"
            )
        return shape[:-1].concatenate(self.units)


dense = layer_function(Dense, "dense")


class Dropout(base.Layer):
    """In training, zeroes elements at random and scales the others up by 1 / (1 - rate).

    Args:
        rate: the probability that an element goes, in [0, 1).
        noise_shape: the shape of the random choice, broadcast to the inputs'; None in it stands for their size.
        seed: the seed of the choice.
        name: the layer's name.
    """

    def __init__(
        self,
        rate: TensorLike = 0.5,
        noise_shape: TensorLike | Sequence[int | None] | None = None,
        seed: int | None = None,
        name: str | None = None,
        **kwargs: Any,
    ):
        super().__init__(name=name, **kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def _noise_shape(self, inputs: ops.Tensor) -> Any:
        if self.noise_shape is None or isinstance(self.noise_shape, ops.Tensor):
            return self.noise_shape
        sizes = array_ops.shape(inputs)
        given: Any = self.noise_shape
        return [sizes[i] if size is None else size for i, size in enumerate(given)]

    def call(
        self, inputs: TensorLike, training: bool | TensorLike = False
    ) -> ops.Tensor:
        inputs = ops.convert_to_tensor(inputs)
        rate: Any = self.rate

        def dropped() -> ops.Tensor:
            return nn_ops.dropout(
                inputs,
                1 - rate,
                noise_shape=self._noise_shape(inputs),
                seed=self.seed,
            )

        return utils.smart_cond(training, dropped, lambda: array_ops.identity(inputs))

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return input_shape


def dropout(
    inputs: TensorLike,
    rate: TensorLike = 0.5,
    noise_shape: TensorLike | Sequence[int | None] | None = None,
    seed: int | None = None,
    training: bool | TensorLike = False,
    name: str | None = None,
) -> ops.Tensor:
    """A `Dropout` layer, called; `training` is a bool or a bool tensor."""
    layer = Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)
    return layer.apply(inputs, training=training)


class Flatten(base.Layer):
    """[batch, ...] -> [batch, n].

    With `data_format` "channels_first" the channels, axis 1, go last before.
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        self.data_format = utils.normalize_data_format(data_format or "channels_last")
        self.input_spec = base.InputSpec(min_ndim=1)

    def call(self, inputs: TensorLike) -> ops.Tensor:
        inputs = ops.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        assert rank is not None  # `input_spec` asks for one.
        if self.data_format == "channels_first" and rank > 1:
            inputs = array_ops.transpose(inputs, [0, *range(2, rank), 1])
        shape = self.compute_output_shape(inputs.get_shape())
        batch, size = shape.as_list()
        if batch is None:
            batch = array_ops.shape(inputs)[0] if size is None else -1
        outputs = array_ops.reshape(inputs, [batch, -1 if size is None else size])
        outputs.set_shape(shape)
        return outputs

    def compute_output_shape(self, input_shape: ShapeLike) -> tensor_shape.TensorShape:
        batch, *rest = tensor_shape.as_shape(input_shape).as_list()
        size = None if None in rest else int(np.prod(rest, dtype=np.int64))
        return tensor_shape.TensorShape([batch, size])


def flatten(
    inputs: TensorLike, name: str | None = None, data_format: str = "channels_last"
) -> ops.Tensor:
    """A `Flatten` layer, called: [batch, ...] -> [batch, n]."""
    return Flatten(data_format=data_format, name=name).apply(inputs)


FullyConnected = Dense
fully_connected = dense
