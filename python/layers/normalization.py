# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation as a layer, which keeps moving averages for use after training."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    InitializerLike,
    Ints,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.layers import base, normalization_ghost as ghost, utils
from tensorwright.python.layers.normalization_renorm import Renorm
from tensorwright.python.ops import array_ops, init_ops, math_ops, nn_impl
from tensorwright.python.training import moving_averages
from tensorwright.python.util import compat

_ZEROS, _ONES = init_ops.zeros_initializer(), init_ops.ones_initializer()


class BatchNormalization(base.Layer):
    """gamma (x - mean) / sqrt(variance + epsilon) + beta (Ioffe and Szegedy 2015).

    A call with `training` takes mean and variance from its inputs, and adds operations to UPDATE_OPS that move the
    averages; calls without it use the averages.  The training step must run these updates:

        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = optimizer.minimize(loss)

    Args:
        axis: the axis of the channels, each of which is normalised on its own; or a list of axes.
        momentum: the momentum of the moving averages.
        epsilon: added to the variance.
        center, scale: whether there are `beta` and `gamma`.
        beta_initializer, gamma_initializer, moving_mean_initializer, moving_variance_initializer: for the variables.
        beta_regularizer, gamma_regularizer: make losses.
        beta_constraint, gamma_constraint: project the variables after an update.
        renorm: corrects towards the moving averages in training, too (Ioffe 2017).
        renorm_clipping: bounds "rmin", "rmax" and "dmax" of that correction, numbers or scalars.
        renorm_momentum: the momentum of the averages that it uses.
        fused: whether one op does it if it can, which is of images with the channels in axis 1 or 3 and takes neither
            virtual_batch_size nor adjustment; None: as True, for types up to 32 bits and without renorm.  Its moving
            variance is that of a sample, with n - 1 in the denominator.
        trainable: whether beta and gamma are trained.
        virtual_batch_size: how many examples of a batch are normalised together in training, a divisor of the batch's;
            None: all.  The averages move to the mean of the parts.
        adjustment: a function of the inputs' shape, int32 [rank], that returns (scale, bias); in training, the
            normalised values are multiplied by the scale, and the bias is added, before gamma and beta.
        name: the name of its scope.

    Raises:
        ValueError: options that do not go together.
    """

    def __init__(
        self,
        axis: Ints = -1,
        momentum: TensorLike = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: InitializerLike = _ZEROS,
        gamma_initializer: InitializerLike = _ONES,
        moving_mean_initializer: InitializerLike = _ZEROS,
        moving_variance_initializer: InitializerLike = _ONES,
        beta_regularizer: Callable | None = None,
        gamma_regularizer: Callable | None = None,
        beta_constraint: Callable | None = None,
        gamma_constraint: Callable | None = None,
        renorm: bool = False,
        renorm_clipping: dict | None = None,
        renorm_momentum: TensorLike = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Callable[[ops.Tensor], tuple] | None = None,
        name: str | None = None,
        **kwargs: Any,
    ):
        super().__init__(trainable=trainable, name=name, **kwargs)
        if isinstance(axis, compat.integral_types):
            axis = int(axis)
        if not isinstance(axis, (int, list, tuple)):
            raise TypeError(
                f"axis must be int or list, got {axis!r} of type {type(axis).__name__}"
            )
        if fused and renorm:
            raise ValueError("fused and renorm do not go together")
        ghost.check(virtual_batch_size, adjustment, axis, renorm)
        self.virtual_batch_size = virtual_batch_size
        self.adjustment = adjustment
        self.axis = axis if isinstance(axis, int) else list(axis)
        self.momentum = momentum
        self.epsilon = epsilon
        self.center = center
        self.scale = scale
        self.beta_initializer = beta_initializer
        self.gamma_initializer = gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer = beta_regularizer
        self.gamma_regularizer = gamma_regularizer
        self.beta_constraint = beta_constraint
        self.gamma_constraint = gamma_constraint
        self.fused = fused
        self.beta: Any = None
        self.gamma: Any = None
        self._renorm = (
            Renorm(renorm_clipping, renorm_momentum, epsilon) if renorm else None
        )

    def _axes(self, rank: int) -> list[int]:
        given = [self.axis] if isinstance(self.axis, int) else self.axis
        for axis in given:
            if not -rank <= axis < rank:
                raise ValueError(
                    f"axis must be in [{-rank}, {rank}) for inputs of rank {rank}, got "
                    f"{self.axis}"
                )
        axes = [axis % rank for axis in given]
        if len(set(axes)) != len(axes):
            raise ValueError(f"axis names one twice: {self.axis}")
        return axes

    def _fuses(self, rank: int, axes: list[int]) -> bool:
        plain = self.virtual_batch_size is None and self.adjustment is None
        possible = rank == 4 and axes in ([1], [3]) and plain
        if self.fused is None:
            known = (None, dtypes.float16, dtypes.bfloat16, dtypes.float32)
            return possible and self._renorm is None and self.dtype in known
        return self.fused and possible

    def build(self, input_shape: ShapeLike) -> None:
        shape = tensor_shape.as_shape(input_shape)
        if shape.ndims is None:
            raise ValueError("Input has undefined rank")
        axes = self._axes(shape.ndims)
        sizes = [shape[a].value for a in axes]
        if None in sizes:
            raise ValueError(
                f"batch normalisation over axis {self.axis} needs its size, which is "
                f"undefined in inputs of shape {shape}"
            )
        self.input_spec = base.InputSpec(
            ndim=shape.ndims, axes=dict(zip(axes, sizes, strict=True))
        )
        self._reduced = [a for a in range(shape.ndims) if a not in axes]
        self._fused_here = self._fuses(shape.ndims, axes)
        # One channel axis gives vectors, several give shapes that broadcast to the inputs'.
        self._broadcast = [1] * shape.ndims
        for a, size in zip(axes, sizes, strict=True):
            self._broadcast[a] = size
        self._shape = sizes if len(axes) == 1 else self._broadcast
        small = self.dtype in (dtypes.float16, dtypes.bfloat16)
        self._param_dtype = dtypes.float32 if small else self.dtype or dtypes.float32
        self._add_variables()
        self.built = True

    def _add_variables(self) -> None:
        if self.scale:
            self.gamma = self.add_variable(
                "gamma",
                shape=self._shape,
                dtype=self._param_dtype,
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )
        if self.center:
            self.beta = self.add_variable(
                "beta",
                shape=self._shape,
                dtype=self._param_dtype,
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
            )
        # The averages are of whole variables, even if the scope cuts the trained ones.
        partitioner = self._scope.partitioner
        self._scope.set_partitioner(None)
        try:
            self.moving_mean = self._statistic(
                "moving_mean", self.moving_mean_initializer
            )
            self.moving_variance = self._statistic(
                "moving_variance", self.moving_variance_initializer
            )
            if self._renorm is not None:
                self._renorm.build(self._statistic)
        finally:
            self._scope.set_partitioner(partitioner)

    def _statistic(self, name: str, initializer: Any, shape: Any = None) -> Any:
        return self.add_variable(
            name,
            shape=self._shape if shape is None else shape,
            dtype=self._param_dtype,
            initializer=initializer,
            trainable=False,
        )

    def call(
        self, inputs: TensorLike, training: bool | TensorLike = False
    ) -> ops.Tensor:
        inputs = ops.convert_to_tensor(inputs)
        if self._fused_here:
            outputs, mean, variance = self._call_fused(inputs, training)
        elif self.virtual_batch_size is not None:
            outputs, mean, variance = ghost.normalise(
                inputs,
                self.virtual_batch_size,
                self._reduced,
                self._broadcast,
                (self.moving_mean.value(), self.moving_variance.value()),
                (self.gamma, self.beta),
                self.epsilon,
                training,
                self._param_dtype,
            )
        else:
            outputs, mean, variance = self._call_composed(inputs, training)
        outputs.set_shape(inputs.get_shape())
        if utils.constant_value(training) is not False:
            self._move(inputs, mean, variance, training)
        return outputs

    def _move(self, inputs: Any, mean: Any, variance: Any, training: Any) -> None:
        """Adds the updates of the moving averages, which stay as they are out of training."""
        decay = self.momentum
        if utils.constant_value(training) is None:
            decay = utils.smart_cond(
                training,
                lambda: ops.convert_to_tensor(self.momentum, self._param_dtype),
                lambda: ops.convert_to_tensor(1.0, self._param_dtype),
            )
        for average, value in (
            (self.moving_mean, mean),
            (self.moving_variance, variance),
        ):
            update = moving_averages.assign_moving_average(
                average, value, decay, zero_debias=False
            )
            self.add_update(update, inputs=inputs)

    def _call_fused(self, inputs: ops.Tensor, training: Any) -> Any:
        dtype = self._param_dtype
        gamma = array_ops.ones(self._shape, dtype) if self.gamma is None else self.gamma
        beta = array_ops.zeros(self._shape, dtype) if self.beta is None else self.beta
        options = {
            "epsilon": self.epsilon,
            "data_format": "NCHW" if 1 not in self._reduced else "NHWC",
        }

        def trained() -> Any:
            return list(nn_impl.fused_batch_norm(inputs, gamma, beta, **options))

        def used() -> Any:
            outputs, _, _ = nn_impl.fused_batch_norm(
                inputs,
                gamma,
                beta,
                mean=self.moving_mean,
                variance=self.moving_variance,
                is_training=False,
                **options,
            )
            return [
                outputs,
                self.moving_mean.value() + 0,
                self.moving_variance.value() + 0,
            ]

        return utils.smart_cond(training, trained, used)

    def _call_composed(self, inputs: ops.Tensor, training: Any) -> Any:
        mean, variance = self.moving_mean.value(), self.moving_variance.value()
        new_mean, new_variance = mean, variance
        scale, offset = self.gamma, self.beta
        if utils.constant_value(training) is not False:
            seen_mean, seen_variance = nn_impl.moments(
                inputs, self._reduced, keep_dims=len(self._shape) > 1
            )
            seen_mean = math_ops.cast(seen_mean, self._param_dtype)
            seen_variance = math_ops.cast(seen_variance, self._param_dtype)
            new_mean = mean = _either(training, seen_mean, mean)
            new_variance = variance = _either(training, seen_variance, variance)
            if self._renorm is not None:
                ratio, shift, new_mean, new_variance = self._renorm.correct(
                    mean, variance, training
                )
                offset = _sum(shift if scale is None else shift * scale, offset)
                scale = ratio if scale is None else ratio * scale
        mean, variance, offset, scale = (
            self._broadcasting(v) for v in (mean, variance, offset, scale)
        )
        if self.adjustment is not None:
            scale, offset = ghost.adjusted(
                self.adjustment, inputs, scale, offset, training
            )
        outputs = nn_impl.batch_normalization(
            inputs, mean, variance, offset, scale, self.epsilon
        )
        return outputs, new_mean, new_variance

    def _broadcasting(self, value: Any) -> Any:
        if value is None:
            return None
        if len(self._shape) == 1 and len(self._broadcast) - 1 in self._reduced:
            value = array_ops.reshape(value, self._broadcast)
        return math_ops.cast(value, cast(Any, self.dtype))

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        return input_shape


def _either(training: Any, seen: ops.Tensor, kept: ops.Tensor) -> ops.Tensor:
    return utils.smart_cond(training, lambda: seen, lambda: kept)


def _sum(a: Any, b: Any) -> Any:
    return a if b is None else a + b


def batch_normalization(
    inputs: TensorLike,
    axis: Ints = -1,
    momentum: TensorLike = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: InitializerLike = _ZEROS,
    gamma_initializer: InitializerLike = _ONES,
    moving_mean_initializer: InitializerLike = _ZEROS,
    moving_variance_initializer: InitializerLike = _ONES,
    beta_regularizer: Callable | None = None,
    gamma_regularizer: Callable | None = None,
    beta_constraint: Callable | None = None,
    gamma_constraint: Callable | None = None,
    training: bool | TensorLike = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: bool | None = None,
    renorm: bool = False,
    renorm_clipping: dict | None = None,
    renorm_momentum: TensorLike = 0.99,
    fused: bool | None = None,
    virtual_batch_size: int | None = None,
    adjustment: Callable[[ops.Tensor], tuple] | None = None,
) -> ops.Tensor:
    """A `BatchNormalization` layer, called; `training` is a bool or a bool tensor.

    Arguments as for the class; with `reuse`, the variables of the layer `name` that was made before.
    """
    layer = BatchNormalization(
        axis=axis,
        momentum=momentum,
        epsilon=epsilon,
        center=center,
        scale=scale,
        beta_initializer=beta_initializer,
        gamma_initializer=gamma_initializer,
        moving_mean_initializer=moving_mean_initializer,
        moving_variance_initializer=moving_variance_initializer,
        beta_regularizer=beta_regularizer,
        gamma_regularizer=gamma_regularizer,
        beta_constraint=beta_constraint,
        gamma_constraint=gamma_constraint,
        renorm=renorm,
        renorm_clipping=renorm_clipping,
        renorm_momentum=renorm_momentum,
        fused=fused,
        trainable=trainable,
        virtual_batch_size=virtual_batch_size,
        adjustment=adjustment,
        name=name,
        _scope=name,
        _reuse=reuse,
    )
    return layer.apply(inputs, training=training)


BatchNorm = BatchNormalization
batch_norm = batch_normalization
