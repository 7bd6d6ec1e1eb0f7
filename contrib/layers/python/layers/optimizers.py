# SPDX-License-Identifier: Apache-2.0
"""A training operation in one call: learning rate, clipping, summaries, optimizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import OptimizerLike, TensorLike
from tensorwright.python.ops import (
    array_ops,
    clip_ops,
    control_flow_ops,
    init_ops,
    math_ops,
    random_ops,
    variable_scope,
    variables as tf_variables,
)
from tensorwright.python.summary import summary
from tensorwright.python.training import (
    adagrad,
    adam,
    ftrl,
    gradient_descent,
    momentum,
    moving_averages,
    optimizer as tf_optimizer,
    rmsprop,
    training_util,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = [
    "OPTIMIZER_CLS_NAMES",
    "OPTIMIZER_SUMMARIES",
    "adaptive_clipping_fn",
    "optimize_loss",
]

OPTIMIZER_CLS_NAMES = {
    "Adagrad": adagrad.AdagradOptimizer,
    "Adam": adam.AdamOptimizer,
    "Ftrl": ftrl.FtrlOptimizer,
    "Momentum": lambda learning_rate: momentum.MomentumOptimizer(
        learning_rate, momentum=0.9
    ),
    "RMSProp": rmsprop.RMSPropOptimizer,
    "SGD": gradient_descent.GradientDescentOptimizer,
}

OPTIMIZER_SUMMARIES = [
    "learning_rate",
    "loss",
    "gradients",
    "gradient_norm",
    "global_gradient_norm",
]

GradsAndVars = list[tuple[Any, Any]]


def optimize_loss(
    loss: TensorLike,
    global_step: Variable | Tensor | None,
    learning_rate: TensorLike,
    optimizer: OptimizerLike | None,
    gradient_noise_scale: float | None = None,
    gradient_multipliers: Mapping[Variable, float] | Mapping[str, float] | None = None,
    clip_gradients: float | Callable[..., object] | None = None,
    learning_rate_decay_fn: Callable | None = None,
    update_ops: Iterable[Operation | Tensor] | None = None,
    variables: Sequence[Variable] | None = None,
    name: str | None = None,
    summaries: Sequence[str] | None = None,
    colocate_gradients_with_ops: bool = False,
    increment_global_step: bool = True,
) -> ops.Tensor:
    """Returns the loss, as a tensor that trains when it is run.

    Args:
        loss: a scalar.
        global_step: counted up by each step; None: the graph's, if it has one.
        learning_rate: a float or a scalar tensor; None where `optimizer` knows it.
        optimizer: a name of Adagrad, Adam, Ftrl, Momentum, RMSProp and SGD; a class, made with `learning_rate`; an
            Optimizer; or a function of the learning rate, or of nothing if that is None, that makes one.
        gradient_noise_scale: deviation of noise that is added to gradients.
        gradient_multipliers: factors of gradients, by variable or its name.
        clip_gradients: the global norm that they are scaled down to, or a function of (gradient, variable) pairs.
        learning_rate_decay_fn: `f(learning_rate, global_step)`.
        update_ops: operations that run before the loss is computed; None: UPDATE_OPS.
        variables: the variables to train; None: all trainable variables.
        name: the name of the scope, "OptimizeLoss" by default.
        summaries: names out of OPTIMIZER_SUMMARIES; None: loss, learning rate and global gradient norm.
        colocate_gradients_with_ops: whether gradients are where their ops are.
        increment_global_step: whether a step counts.

    Raises:
        ValueError: a loss that is no scalar, or an argument that is none of these.
    """
    loss = ops.convert_to_tensor(loss)
    if loss.get_shape().ndims not in (0, None):
        raise ValueError(f"Expected scalar for {loss.name}, got {loss.get_shape()}")
    if global_step is None:
        global_step = training_util.get_global_step()
    else:
        training_util.assert_global_step(global_step)
    with variable_scope.variable_scope(name, "OptimizeLoss", [loss, global_step]):
        if update_ops is None:
            update_ops = ops.get_collection(ops.GraphKeys.UPDATE_OPS)
        update_ops = list(dict.fromkeys(update_ops))
        if update_ops:
            loss = control_flow_ops.with_dependencies(update_ops, loss)
        rate = _learning_rate(learning_rate)
        wanted = _checked_summaries(summaries)
        if rate is not None and learning_rate_decay_fn is not None:
            if global_step is None:
                raise ValueError("global_step is required for learning_rate_decay_fn.")
            rate = learning_rate_decay_fn(rate, global_step)
        chosen = _optimizer(optimizer, rate)
        if variables is None:
            variables = tf_variables.trainable_variables()
        gradients = chosen.compute_gradients(
            loss, variables, colocate_gradients_with_ops=colocate_gradients_with_ops
        )
        if gradient_noise_scale is not None:
            gradients = _with_noise(gradients, gradient_noise_scale)
        if gradient_multipliers is not None:
            gradients = _multiplied(gradients, gradient_multipliers)
            if not gradients:
                raise ValueError(
                    "Empty list of (gradient, var) pairs encountered. This is most likely to "
                    "be caused by an improper value of gradient_multipliers."
                )
        if "global_gradient_norm" in wanted:
            summary.scalar("global_norm/gradient_norm", _norm(gradients))
        gradients = _clipped(gradients, clip_gradients)
        # Summaries come after the gradients: noise takes its seed from the operations before it, as in TensorFlow.
        if rate is not None and "learning_rate" in wanted:
            summary.scalar("learning_rate", rate)
        if "loss" in wanted:
            summary.scalar("loss", loss)
        _summarize(gradients, wanted, clip_gradients is not None)
        train = chosen.apply_gradients(
            gradients,
            global_step=global_step if increment_global_step else None,
            name="train",
        )
        return control_flow_ops.with_dependencies([train], loss)


def _learning_rate(value: Any) -> Any:
    if value is None:
        return None
    if isinstance(value, (ops.Tensor, tf_variables.Variable)):
        if value.get_shape().ndims == 0:
            return value
    elif isinstance(value, float):
        if value < 0.0:
            raise ValueError(f"Invalid learning_rate {value}.")
        return variable_scope.get_variable(
            "learning_rate",
            [],
            trainable=False,
            initializer=init_ops.constant_initializer(value),
        )
    raise ValueError(
        f"Learning rate should be 0d Tensor or float. Got {value} of type {type(value)}"
    )


def _checked_summaries(summaries: Sequence[str] | None) -> Sequence[str]:
    if summaries is None:
        return ["loss", "learning_rate", "global_gradient_norm"]
    for one in summaries:
        if one not in OPTIMIZER_SUMMARIES:
            raise ValueError(
                f"Summaries should be one of [{', '.join(OPTIMIZER_SUMMARIES)}], you "
                f"provided {one}."
            )
    return summaries


def _optimizer(optimizer: Any, rate: Any) -> tf_optimizer.Optimizer:
    if isinstance(optimizer, tf_optimizer.Optimizer):
        return optimizer
    if isinstance(optimizer, str) or (
        isinstance(optimizer, type) and issubclass(optimizer, tf_optimizer.Optimizer)
    ):
        if rate is None:
            raise ValueError(
                f"Learning rate is None, but should be specified for optimizer {optimizer}."
            )
        if isinstance(optimizer, str):
            if optimizer not in OPTIMIZER_CLS_NAMES:
                raise ValueError(
                    f"Optimizer name should be one of [{', '.join(OPTIMIZER_CLS_NAMES)}], "
                    f"you provided {optimizer}."
                )
            optimizer = OPTIMIZER_CLS_NAMES[optimizer]
        return optimizer(learning_rate=rate)
    if not callable(optimizer):
        raise ValueError(
            "Unrecognized optimizer: should be string, subclass of Optimizer, instance of "
            f"subclass of Optimizer or function with one argument. Got {optimizer}."
        )
    made = optimizer() if rate is None else optimizer(rate)
    if not isinstance(made, tf_optimizer.Optimizer):
        raise ValueError(
            "Unrecognized optimizer: function should return subclass of Optimizer. Got "
            f"{made}."
        )
    return made


def _norm(gradients: GradsAndVars) -> ops.Tensor:
    return clip_ops.global_norm([gradient for gradient, _ in gradients])


def _clipped(gradients: GradsAndVars, clip_gradients: Any) -> GradsAndVars:
    if clip_gradients is None:
        return gradients
    if isinstance(clip_gradients, float):
        values, of = zip(*gradients, strict=True)
        values, _ = clip_ops.clip_by_global_norm(list(values), clip_gradients)
        return list(zip(values, of, strict=True))
    if callable(clip_gradients):
        return clip_gradients(gradients)
    raise ValueError(f"Unknown type {type(clip_gradients)} for clip_gradients")


def _summarize(gradients: GradsAndVars, wanted: Sequence[str], clipped: bool) -> None:
    for gradient, variable in gradients:
        if gradient is None:
            continue
        sparse = isinstance(gradient, ops.IndexedSlices)
        values = gradient.values if sparse else gradient
        name = variable.name.replace(":", "_")
        if "gradients" in wanted:
            summary.histogram(f"gradients/{name}", values)
        if "gradient_norm" in wanted:
            summary.scalar(f"gradient_norm/{name}", clip_ops.global_norm([values]))
    if clipped and {"global_gradient_norm", "gradient_norm"} & set(wanted):
        summary.scalar("global_norm/clipped_gradient_norm", _norm(gradients))


def _with_noise(gradients: GradsAndVars, scale: float) -> GradsAndVars:
    noisy = []
    for gradient, variable in gradients:
        if gradient is None:
            noisy.append((None, variable))
            continue
        sparse = isinstance(gradient, ops.IndexedSlices)
        shape = gradient.dense_shape if sparse else gradient.get_shape()
        if not sparse and not shape.is_fully_defined():
            shape = array_ops.shape(gradient)
        noise = random_ops.truncated_normal(shape) * scale
        noisy.append((math_ops.add(ops.convert_to_tensor(gradient), noise), variable))
    return noisy


def _multiplied(
    gradients: GradsAndVars, multipliers: Mapping[Any, float]
) -> GradsAndVars:
    multiplied = []
    by_id = {k if isinstance(k, str) else id(k): v for k, v in multipliers.items()}
    for gradient, variable in gradients:
        factor = by_id.get(id(variable), by_id.get(variable.name))
        if gradient is not None and factor is not None:
            factor = constant_op.constant(factor, dtype=dtypes.float32)
            if isinstance(gradient, ops.IndexedSlices):
                gradient = ops.IndexedSlices(
                    gradient.values * factor, gradient.indices, gradient.dense_shape
                )
            else:
                gradient *= math_ops.cast(factor, gradient.dtype)
        multiplied.append((gradient, variable))
    return multiplied


def adaptive_clipping_fn(
    std_factor: float = 2.0,
    decay: float = 0.95,
    static_max_norm: float | None = None,
    global_step: Variable | Tensor | None = None,
    report_summary: bool = False,
    epsilon: float = 1e-8,
    name: str | None = None,
) -> Callable[[GradsAndVars], GradsAndVars]:
    """For `clip_gradients`: the bound is exp(mean + std_factor * deviation) of the logarithms of norms so far.

    Args:
        std_factor: how many deviations above the mean a norm may be.
        decay: the decay of the moving mean and mean square.
        static_max_norm: a bound besides.
        global_step: lets the decay be smaller in the first steps.
        report_summary: whether the bound gets a summary.
        epsilon: added to norms before the logarithm.
        name: the name of the scope.
    """

    def clip(grads_and_vars: GradsAndVars) -> GradsAndVars:
        values, of = zip(*grads_and_vars, strict=True)
        norm = clip_ops.global_norm(list(values))
        bound, log_mean = _adaptive_max_norm(
            norm, std_factor, decay, global_step, epsilon, name
        )
        if report_summary:
            summary.scalar("global_norm/adaptive_max_gradient_norm", bound)
        # A norm above the bound comes down to the mean; others stay.
        factor = array_ops.where(
            norm < bound, array_ops.ones_like(norm), math_ops.exp(log_mean) / norm
        )
        if static_max_norm is not None:
            factor = math_ops.minimum(static_max_norm / norm, factor)
        return [
            (None if g is None else _times(g, factor), v)
            for g, v in zip(values, of, strict=True)
        ]

    return clip


def _times(gradient: Any, factor: ops.Tensor) -> Any:
    if isinstance(gradient, ops.IndexedSlices):
        return ops.IndexedSlices(
            gradient.values * factor, gradient.indices, gradient.dense_shape
        )
    return gradient * factor


def _adaptive_max_norm(
    norm: Any, std_factor: float, decay: float, step: Any, epsilon: float, name: Any
) -> tuple[ops.Tensor, ops.Tensor]:
    with variable_scope.variable_scope(name, "AdaptiveMaxNorm", [norm]):
        log_norm = math_ops.log(norm + epsilon)

        def moving(which: str, value: ops.Tensor, decay: Any) -> ops.Tensor:
            average = variable_scope.get_variable(
                which,
                shape=value.get_shape(),
                dtype=value.dtype,
                initializer=init_ops.zeros_initializer(),
                trainable=False,
            )
            return moving_averages.assign_moving_average(
                average, value, decay, zero_debias=False
            )

        if step is not None:
            count = math_ops.cast(step, dtypes.float32)
            decay = math_ops.minimum(decay, count / (count + 1.0))
        mean = moving("mean", log_norm, decay)
        square = moving("sq_mean", math_ops.square(log_norm), decay)
        variance = math_ops.maximum(square - math_ops.square(mean), 0.0)
        deviation = math_ops.sqrt(math_ops.maximum(epsilon, variance))
        return math_ops.exp(mean + std_factor * deviation), mean
