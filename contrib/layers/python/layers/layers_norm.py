# SPDX-License-Identifier: Apache-2.0
"""Batch and layer normalization, and vectors of length 1."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.framework.python.ops.arg_scope import add_arg_scope
from tensorwright.contrib.layers.python.layers import layer_scopes, utils
from tensorwright.contrib.layers.python.layers.layers_conv import (
    DATA_FORMAT_NCHW,
    DATA_FORMAT_NHWC,
    checked_format,
)
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    CollectionNames,
    ScopeLike,
    TensorLike,
)
from tensorwright.python.layers import normalization
from tensorwright.python.ops import (
    array_ops,
    init_ops,
    math_ops,
    nn_impl,
    variable_scope,
)
from tensorwright.python.training import moving_averages

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.python.framework.type_aliases import InitializerLike

_ZEROS, _ONES = init_ops.zeros_initializer(), init_ops.ones_initializer()


@add_arg_scope
def batch_norm(
    inputs: TensorLike,
    decay: float = 0.999,
    center: bool = True,
    scale: bool = False,
    epsilon: float = 0.001,
    activation_fn: Callable | None = None,
    param_initializers: Mapping[str, InitializerLike] | None = None,
    param_regularizers: Mapping[str, Callable[..., object]] | None = None,
    updates_collections: CollectionNames = ops.GraphKeys.UPDATE_OPS,
    is_training: bool | TensorLike = True,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    batch_weights: TensorLike | None = None,
    fused: bool = False,
    data_format: str = DATA_FORMAT_NHWC,
    zero_debias_moving_mean: bool = False,
    scope: ScopeLike = None,
    renorm: bool = False,
    renorm_clipping: dict | None = None,
    renorm_decay: float = 0.99,
    adjustment: Callable[[ops.Tensor], tuple] | None = None,
) -> ops.Tensor:
    """gamma (x - mean) / sqrt(variance + epsilon) + beta for each channel (Ioffe and Szegedy 2015).

    In training mean and variance are the batch's, and moving averages of them are updated; else they are these averages.

    Args:
        inputs: [n, ..., channels] of rank 2 or more, or [n, channels, ...].
        decay: the decay of the moving averages.
        center, scale: whether there are `beta` and `gamma`.
        epsilon: added to the variance.
        activation_fn: None for none.
        param_initializers, param_regularizers: by the names beta, gamma, moving_mean, moving_variance.
        updates_collections: where the updates of the averages go, which the program then runs with a training step;
            None: they happen before the outputs are there.
        is_training: a bool, or a bool tensor.
        reuse, variables_collections, outputs_collections, trainable, scope: as for all layers.
        batch_weights: [n], the weight of each example in the batch's mean and variance.
        fused: whether one op does it, for inputs of rank 2 or 4.  Its moving variance has n - 1 in the denominator.
        data_format: NHWC or NCHW.
        zero_debias_moving_mean: whether the moving mean is corrected for its start at zero.
        renorm, renorm_clipping, renorm_decay, adjustment: see tf.layers.batch_normalization.

    Raises:
        ValueError: options that do not go together, another `data_format`, or an unknown rank or number of channels.
    """
    if fused and batch_weights is not None:
        raise ValueError("Weighted mean and variance is not currently supported for fused batch norm.")  # fmt: skip
    if fused and renorm:
        raise ValueError("Renorm is not supported for fused batch norm.")
    if fused and adjustment is not None:
        raise ValueError("Adjustment is not supported for fused batch norm.")
    order = checked_format(data_format, DATA_FORMAT_NCHW, DATA_FORMAT_NHWC)
    given = {**(param_initializers or {})}
    regularizers = param_regularizers or {}
    with layer_scopes.layer_scope(scope, "BatchNorm", inputs, reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        if fused and rank not in (2, 4):
            raise ValueError(
                f"Inputs {inputs.name} has unsupported rank. Expected 2 or 4 but got {rank}"
            )
        plain = (
            batch_weights is None
            and updates_collections is ops.GraphKeys.UPDATE_OPS
            and not zero_debias_moving_mean
            and not (fused and rank == 2)
        )
        if plain:
            layer = normalization.BatchNormalization(
                axis=1 if order == "channels_first" else -1,
                momentum=decay,
                epsilon=epsilon,
                center=center,
                scale=scale,
                beta_initializer=given.get("beta", _ZEROS),
                gamma_initializer=given.get("gamma", _ONES),
                moving_mean_initializer=given.get("moving_mean", _ZEROS),
                moving_variance_initializer=given.get("moving_variance", _ONES),
                beta_regularizer=regularizers.get("beta"),
                gamma_regularizer=regularizers.get("gamma"),
                renorm=renorm,
                renorm_clipping=renorm_clipping,
                renorm_momentum=renorm_decay,
                fused=fused,
                trainable=trainable,
                adjustment=adjustment,
                name=sc.name,
                _scope=sc,
                _reuse=reuse,
            )
            outputs = layer.apply(inputs, training=is_training)
            for name in ("moving_mean", "moving_variance", "beta", "gamma"):
                if getattr(layer, name) is not None:
                    layer_scopes.add_variable_to_collections(
                        getattr(layer, name), variables_collections, name
                    )
        elif renorm or adjustment is not None:
            raise ValueError(
                "renorm and adjustment are not supported with batch_weights, "
                "updates_collections or zero_debias_moving_mean"
            )
        else:
            norm = _BatchNorm(inputs, order, center, scale, trainable)
            norm.make_variables(given, regularizers, variables_collections)
            outputs = norm.apply(
                batch_weights,
                is_training,
                updates_collections,
                decay,
                epsilon,
                fused,
                zero_debias_moving_mean,
            )
        return layer_scopes.finished(outputs, sc, outputs_collections, activation_fn)


class _BatchNorm:
    """Batch normalization with options that the layer of tf.layers lacks: weights, and updates at once or elsewhere."""

    def __init__(
        self, inputs: ops.Tensor, order: str, center: bool, scale: bool, trainable: bool
    ):
        self._inputs = inputs
        self._shape = inputs.get_shape()
        self._axis = 1 if order == "channels_first" else self._shape.ndims - 1
        self._channels = self._shape[self._axis].value
        if self._channels is None:
            raise ValueError(
                f"Inputs {inputs.name} has undefined channels dimension {self._shape}."
            )
        self._reduced = [a for a in range(self._shape.ndims) if a != self._axis]
        self._center, self._scale = center, scale
        self._trainable = trainable

    def make_variables(
        self, initializers: Mapping, regularizers: Mapping, variables_collections: Any
    ) -> None:
        dtype = self._inputs.dtype.base_dtype

        def make(name: str, default: Any, trainable: bool) -> Any:
            return layer_scopes.model_variable(
                name,
                [self._channels],
                dtype,
                initializers.get(name, default),
                regularizers.get(name),
                variables_collections,
                trainable,
            )

        self.beta = make("beta", _ZEROS, self._trainable) if self._center else None
        self.gamma = make("gamma", _ONES, self._trainable) if self._scale else None
        # The averages are of whole variables, even if the scope cuts the trained ones.
        scope = variable_scope.get_variable_scope()
        partitioner = scope.partitioner
        scope.set_partitioner(None)
        try:
            self.moving_mean = make("moving_mean", _ZEROS, False)
            self.moving_variance = make("moving_variance", _ONES, False)
        finally:
            scope.set_partitioner(partitioner)

    def _spread(self, vector: Any) -> Any:
        if vector is None or self._axis == self._shape.ndims - 1:
            return vector
        sizes = [1] * self._shape.ndims
        sizes[self._axis] = self._channels
        return array_ops.reshape(vector, sizes)

    def _moments(self, weights: Any) -> tuple[ops.Tensor, ops.Tensor]:
        if weights is None:
            return nn_impl.moments(self._inputs, self._reduced)
        weights = ops.convert_to_tensor(weights)
        self._shape[0:1].assert_is_compatible_with(weights.get_shape())
        weights = array_ops.reshape(weights, [-1] + [1] * (self._shape.ndims - 1))
        return nn_impl.weighted_moments(self._inputs, self._reduced, weights)

    def _fused(self, epsilon: float, mean: Any = None, variance: Any = None) -> Any:
        """(outputs, mean, variance of a sample) of the op that does all at once."""
        dtype = self._inputs.dtype.base_dtype
        ones = array_ops.ones([self._channels], dtype)
        zeros = array_ops.zeros([self._channels], dtype)
        inputs = self._inputs
        if self._shape.ndims == 2:
            inputs = array_ops.reshape(inputs, [-1, 1, 1, self._channels])
        first = self._shape.ndims == 4 and self._axis == 1
        outputs, mean, variance = nn_impl.fused_batch_norm(
            inputs,
            ones if self.gamma is None else self.gamma,
            zeros if self.beta is None else self.beta,
            mean=mean,
            variance=variance,
            epsilon=epsilon,
            is_training=mean is None,
            data_format="NCHW" if first else "NHWC",
        )
        if self._shape.ndims == 2:
            outputs = array_ops.reshape(outputs, array_ops.shape(self._inputs))
        return [outputs, mean, variance]

    def _update(self, mean: Any, variance: Any, decay: Any, debias: bool) -> list[Any]:
        return [
            moving_averages.assign_moving_average(
                self.moving_mean, mean, decay, zero_debias=debias
            ),
            moving_averages.assign_moving_average(
                self.moving_variance, variance, decay, zero_debias=False
            ),
        ]

    def apply(
        self,
        weights: Any,
        is_training: Any,
        updates_collections: CollectionNames,
        decay: float,
        epsilon: float,
        fused: bool,
        debias: bool,
    ) -> ops.Tensor:
        kept = self.moving_mean.value(), self.moving_variance.value()

        def used() -> list[Any]:
            if fused:
                outputs = self._fused(epsilon, *kept)[0]
            else:
                outputs = self._normalized(*kept, epsilon)
            return [outputs, *(array_ops.identity(k) for k in kept)]

        def trained() -> list[Any]:
            if fused:
                outputs, mean, variance = self._fused(epsilon)
            else:
                mean, variance = self._moments(weights)
                outputs = None
            if updates_collections is None:
                with ops.control_dependencies(
                    self._update(mean, variance, decay, debias)
                ):
                    mean = array_ops.identity(mean)
                    variance = array_ops.identity(variance)
                    if outputs is not None:
                        outputs = array_ops.identity(outputs)
            if outputs is None:
                outputs = self._normalized(mean, variance, epsilon)
            return [outputs, mean, variance]

        outputs, mean, variance = utils.smart_cond(is_training, trained, used)
        outputs.set_shape(self._shape)
        known = utils.constant_value(is_training)
        if updates_collections is not None and known is not False:
            updates = utils.smart_cond(
                is_training,
                lambda: self._update(mean, variance, decay, debias),
                lambda: [array_ops.identity(k) for k in kept],
            )
            for update in updates:
                ops.add_to_collections(updates_collections, update)
        return outputs

    def _normalized(self, mean: Any, variance: Any, epsilon: float) -> ops.Tensor:
        spread = [self._spread(v) for v in (mean, variance, self.beta, self.gamma)]
        return nn_impl.batch_normalization(self._inputs, *spread, epsilon)


@add_arg_scope
def layer_norm(
    inputs: TensorLike,
    center: bool = True,
    scale: bool = True,
    activation_fn: Callable | None = None,
    reuse: bool | None = None,
    variables_collections: CollectionNames
    | Mapping[str, CollectionNames]
    | None = None,
    outputs_collections: CollectionNames | None = None,
    trainable: bool = True,
    begin_norm_axis: int = 1,
    begin_params_axis: int = -1,
    scope: ScopeLike | None = None,
) -> ops.Tensor:
    """gamma (x - mean) / sqrt(variance + 1e-12) + beta for each example (Ba et al. 2016).

    Args:
        inputs: a tensor of any known rank.
        center, scale: whether there are `beta` and `gamma`.
        activation_fn: None for none.
        reuse, variables_collections, outputs_collections, trainable, scope: as for all layers.
        begin_norm_axis: mean and variance are over the axes from this one on.
        begin_params_axis: `beta` and `gamma` have the sizes of the axes from this one on.

    Raises:
        ValueError: an unknown rank, an axis that is not there, or sizes of parameters that are not known.
    """
    with variable_scope.variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        shape = inputs.get_shape()
        rank = shape.ndims
        if rank is None:
            raise ValueError(f"Inputs {inputs.name} has undefined rank.")
        if begin_norm_axis < 0:
            begin_norm_axis += rank
        if begin_params_axis >= rank or begin_norm_axis >= rank:
            raise ValueError(
                f"begin_params_axis ({begin_params_axis}) and begin_norm_axis "
                f"({begin_norm_axis}) must be < rank(inputs) ({rank})"
            )
        params = shape[begin_params_axis:]
        if not params.is_fully_defined():
            raise ValueError(
                f"Inputs {inputs.name}: shape(inputs)[{begin_params_axis}:] is not fully "
                f"defined: {shape}"
            )

        def make(name: str, initializer: Any) -> Any:
            return layer_scopes.model_variable(
                name,
                params,
                inputs.dtype.base_dtype,
                initializer,
                None,
                variables_collections,
                trainable,
            )

        beta = make("beta", _ZEROS) if center else None
        gamma = make("gamma", _ONES) if scale else None
        axes = list(range(begin_norm_axis, rank))
        mean, variance = nn_impl.moments(inputs, axes, keep_dims=True)
        outputs = nn_impl.batch_normalization(
            inputs, mean, variance, beta, gamma, 1e-12
        )
        outputs.set_shape(shape)
        return layer_scopes.finished(outputs, sc, outputs_collections, activation_fn)


@add_arg_scope
def unit_norm(
    inputs: TensorLike, dim: int, epsilon: float = 1e-7, scope: ScopeLike | None = None
) -> ops.Tensor:
    """x / sqrt(sum x^2 + epsilon), the sum along axis `dim`.

    Raises:
        ValueError: an unknown rank, or an axis that is not there.
    """
    with variable_scope.variable_scope(scope, "UnitNorm", [inputs]):
        inputs = ops.convert_to_tensor(inputs)
        rank = inputs.get_shape().ndims
        if rank is None:
            raise ValueError("The input rank must be known.")
        if not 0 <= dim < rank:
            raise ValueError("dim must be positive but smaller than the input rank.")
        squares = math_ops.reduce_sum(math_ops.square(inputs), dim, keep_dims=True)
        return math_ops.divide(inputs, math_ops.sqrt(epsilon + squares))
