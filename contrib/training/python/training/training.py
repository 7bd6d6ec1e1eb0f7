# SPDX-License-Identifier: Apache-2.0
"""Training operations, changes of gradients, and the loop that trains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import constant_op, ops
from tensorwright.python.framework.type_aliases import Fetches, TensorLike
from tensorwright.python.ops import (
    array_ops,
    clip_ops,
    control_flow_ops,
    variables as tf_variables,
)
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary import summary
from tensorwright.python.training import (
    monitored_session,
    optimizer as tf_optimizer,
    training_util,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.framework.indexed_slices import IndexedSlices
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable
    from tensorwright.python.training._monitored.scaffold import Scaffold
    from tensorwright.python.training.session_run_hook import SessionRunHook

__all__ = [
    "add_gradients_summaries",
    "clip_gradient_norms",
    "create_train_op",
    "multiply_gradients",
    "train",
]

# Tells "not given" from None.
_USE_GLOBAL_STEP = 0

GradsAndVars = Sequence[tuple[Any, Any]]


def add_gradients_summaries(grads_and_vars: GradsAndVars) -> list[ops.Tensor]:
    """A histogram and the norm of each gradient."""
    summaries = []
    for gradient, variable in grads_and_vars:
        if gradient is None:
            logging.info("Var %s has no gradient", variable.op.name)
            continue
        sparse = isinstance(gradient, ops.IndexedSlices)
        values = gradient.values if sparse else gradient
        name = variable.op.name
        summaries.append(summary.histogram(f"{name}_gradient", values))
        norm = clip_ops.global_norm([values])
        summaries.append(summary.scalar(f"{name}_gradient_norm", norm))
    return summaries


def clip_gradient_norms(
    gradients_to_variables: GradsAndVars, max_norm: float
) -> list[tuple[Tensor | IndexedSlices | None, Variable]]:
    """Each gradient scaled down to a norm of `max_norm` at most."""
    clipped = []
    for gradient, variable in gradients_to_variables:
        if isinstance(gradient, ops.IndexedSlices):
            values = clip_ops.clip_by_norm(gradient.values, max_norm)
            gradient = ops.IndexedSlices(values, gradient.indices, gradient.dense_shape)
        elif gradient is not None:
            gradient = clip_ops.clip_by_norm(gradient, max_norm)
        clipped.append((gradient, variable))
    return clipped


def multiply_gradients(
    grads_and_vars: GradsAndVars,
    gradient_multipliers: Mapping[Variable, TensorLike] | Mapping[str, TensorLike],
) -> list[tuple[Tensor | IndexedSlices | None, Variable]]:
    """Gradients times factors, given by variable or by its op's name.

    Raises:
        ValueError: no list of pairs, no dict of factors, or a factor of a variable without a gradient.
    """
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    factors = {
        key if isinstance(key, str) else id(key): value
        for key, value in gradient_multipliers.items()
    }
    multiplied = []
    for gradient, variable in grads_and_vars:
        factor = factors.get(id(variable), factors.get(variable.op.name))
        if factor is not None:
            if gradient is None:
                raise ValueError("Requested multiple of `None` gradient.")
            factor = constant_op.constant(factor, dtype=gradient.dtype.base_dtype)
            if isinstance(gradient, ops.IndexedSlices):
                gradient = ops.IndexedSlices(
                    gradient.values * factor, gradient.indices, gradient.dense_shape
                )
            else:
                gradient *= factor
        multiplied.append((gradient, variable))
    return multiplied


def create_train_op(
    total_loss: TensorLike,
    optimizer: tf_optimizer.Optimizer,
    global_step: Any = _USE_GLOBAL_STEP,
    update_ops: Iterable[Operation | Tensor] | None = None,
    variables_to_train: Sequence[Variable] | None = None,
    transform_grads_fn: Callable[
        [list[tuple[Tensor | IndexedSlices | None, Variable]]], GradsAndVars
    ]
    | None = None,
    summarize_gradients: bool = False,
    gate_gradients: int = tf_optimizer.Optimizer.GATE_OP,
    aggregation_method: int | None = None,
    colocate_gradients_with_ops: bool = False,
    check_numerics: bool = True,
) -> ops.Tensor:
    """Returns the loss, as a tensor that trains when it is run; it joins TRAIN_OP.

    Args:
        total_loss: a scalar.
        optimizer: the Optimizer that applies the gradients.
        global_step: counted up; left out: the graph's, made if there is none; None: none.
        update_ops: operations that run before the loss is computed; None: UPDATE_OPS.
        variables_to_train: None: all trainable ones.
        transform_grads_fn: a function of (gradient, variable) pairs.
        summarize_gradients: whether gradients get summaries.
        gate_gradients, aggregation_method, colocate_gradients_with_ops: as in `Optimizer.compute_gradients`.
        check_numerics: whether a loss that is no number fails the run.

    Raises:
        ValueError: a variable that is not trainable, or none at all.
    """
    if global_step is _USE_GLOBAL_STEP:
        global_step = training_util.get_or_create_global_step()
    loss = _after_updates(ops.convert_to_tensor(total_loss), update_ops)
    grads_and_vars = optimizer.compute_gradients(
        loss,
        _trained(variables_to_train),
        gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops,
    )
    if transform_grads_fn:
        grads_and_vars = transform_grads_fn(grads_and_vars)
    if summarize_gradients:
        with ops.name_scope("summarize_grads"):
            add_gradients_summaries(grads_and_vars)
    applied = optimizer.apply_gradients(grads_and_vars, global_step=global_step)
    with ops.name_scope("train_op"):
        if check_numerics:
            loss = array_ops.check_numerics(loss, "LossTensor: the loss")
        train_op = control_flow_ops.with_dependencies([applied], loss)
    ops.add_to_collection(ops.GraphKeys.TRAIN_OP, train_op)
    return train_op


def _after_updates(loss: ops.Tensor, update_ops: Iterable[Any] | None) -> ops.Tensor:
    """`loss` that is computed after the updates: those given, or the graph's if that is None."""
    of_graph = dict.fromkeys(ops.get_collection(ops.GraphKeys.UPDATE_OPS))
    updates = of_graph if update_ops is None else dict.fromkeys(update_ops)
    left_out = [getattr(op, "name", str(op)) for op in of_graph if op not in updates]
    if left_out:
        logging.warning(
            "create_train_op: update_ops leaves out %s of UPDATE_OPS, which will not run",
            ", ".join(left_out),
        )
    if not updates:
        return loss
    with ops.control_dependencies(list(updates)):
        barrier = control_flow_ops.no_op(name="update_barrier")
    return control_flow_ops.with_dependencies([barrier], loss)


def _trained(variables: Sequence[Any] | None) -> list[Any]:
    """The variables to train; ValueError if there are none, or one is not trainable."""
    trainable = tf_variables.trainable_variables()
    chosen = trainable if variables is None else list(variables)
    if not chosen:
        raise ValueError("create_train_op: there are no variables to train")
    known = {id(variable) for variable in trainable}
    for variable in chosen:
        if id(variable) not in known:
            raise ValueError(
                f"create_train_op: variables_to_train has {variable.name}, which is not "
                "trainable"
            )
    return chosen


def train(
    train_op: Fetches,
    logdir: str | None,
    master: str = "",
    is_chief: bool = True,
    scaffold: Scaffold | None = None,
    hooks: Sequence[SessionRunHook] | None = None,
    chief_only_hooks: Sequence[SessionRunHook] | None = None,
    save_checkpoint_secs: int | None = 600,
    save_summaries_steps: int | None = 100,
    config: ConfigProto | None = None,
) -> Any:
    """Runs `train_op` until a hook asks for the end.

    Args:
        train_op: the operation of a step.
        logdir: where checkpoints and summaries go.
        master: the target of the session.
        is_chief: whether this process initializes and saves.
        scaffold, hooks, chief_only_hooks: as in `tf.train.MonitoredTrainingSession`.
        save_checkpoint_secs: how often checkpoints are written; None: never.
        save_summaries_steps: how often summaries are; None: never.
        config: the config of the session.

    Returns the last value of `train_op`.

    Raises:
        ValueError: no `logdir`, although something is to be written there.
    """
    if logdir is None and is_chief:
        intervals = {
            "save_summaries_steps": save_summaries_steps,
            "save_checkpoint_secs": save_checkpoint_secs,
        }
        for name, interval in intervals.items():
            if interval:
                raise ValueError(
                    f"train: logdir cannot be None where {name} is {interval}: there is no "
                    "place to write to"
                )
    value = None
    with monitored_session.MonitoredTrainingSession(
        master=master,
        is_chief=is_chief,
        checkpoint_dir=logdir,
        scaffold=scaffold,
        hooks=hooks,
        chief_only_hooks=chief_only_hooks,
        save_checkpoint_secs=save_checkpoint_secs,
        save_summaries_steps=save_summaries_steps,
        config=config,
    ) as session:
        while not session.should_stop():
            value = session.run(train_op)
    return value
