# SPDX-License-Identifier: Apache-2.0
"""The interface of model functions: the modes in which they are called, and their results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.estimator.export.export_output import ExportOutput
from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import Fetches, TensorLike, TensorTree
from tensorwright.python.ops import array_ops
from tensorwright.python.saved_model import signature_constants
from tensorwright.python.training import monitored_session, session_run_hook

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.training._monitored.scaffold import Scaffold
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["EstimatorSpec", "ModeKeys"]


class ModeKeys:
    """The modes in which a model function is called."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class _EstimatorSpec(NamedTuple):
    mode: str
    predictions: Any
    loss: Any
    train_op: Any
    eval_metric_ops: dict[str, Any]
    export_outputs: dict[str, ExportOutput] | None
    training_chief_hooks: tuple[Any, ...]
    training_hooks: tuple[Any, ...]
    scaffold: Any
    evaluation_hooks: tuple[Any, ...]
    prediction_hooks: tuple[Any, ...]


class EstimatorSpec(_EstimatorSpec):
    """The result of a model function: operations of the default graph, hooks, and a scaffold.

    Args:
        mode: one of ModeKeys.  TRAIN needs `loss` and `train_op`, EVAL `loss`, PREDICT `predictions`.
        predictions: a tensor, or a dict of tensors.
        loss: a scalar, or a tensor with one element.
        train_op: the operation of a training step.
        eval_metric_ops: a dict of (value, update operation), as `tf.metrics` returns them, or of metrics with
            `result()`.
        export_outputs: a dict of ExportOutputs, the signatures of an export; if there are several, one must be
            "serving_default".
        training_chief_hooks: hooks of the chief's training.
        training_hooks, evaluation_hooks, prediction_hooks: hooks of every worker.
        scaffold: says how the model is initialized and saved.

    Raises:
        ValueError: something that the mode needs is missing, the loss is no scalar, or a value belongs to another
            graph.
        TypeError: an argument is of the wrong kind.
    """

    __slots__ = ()

    def __new__(
        cls,
        mode: str,
        predictions: TensorTree | None = None,
        loss: TensorLike | None = None,
        train_op: Fetches | None = None,
        eval_metric_ops: dict[str, Any] | None = None,
        export_outputs: Mapping[str, ExportOutput] | None = None,
        training_chief_hooks: Sequence[SessionRunHook] | None = None,
        training_hooks: Sequence[SessionRunHook] | None = None,
        scaffold: Scaffold | None = None,
        evaluation_hooks: Sequence[SessionRunHook] | None = None,
        prediction_hooks: Sequence[SessionRunHook] | None = None,
    ) -> EstimatorSpec:
        if train_op is None:
            if mode == ModeKeys.TRAIN:
                raise ValueError("Missing train_op.")
        else:
            _check_operation(train_op, "train_op")
        predictions = _checked_predictions(predictions, mode)
        metrics = _checked_metrics(eval_metric_ops)
        hooks = [
            tuple(given or ())
            for given in (
                training_chief_hooks,
                training_hooks,
                evaluation_hooks,
                prediction_hooks,
            )
        ]
        for hook in (hook for given in hooks for hook in given):
            if not isinstance(hook, session_run_hook.SessionRunHook):
                raise TypeError(
                    f"All hooks must be SessionRunHook instances, given: {hook}"
                )
        if not isinstance(scaffold, (monitored_session.Scaffold, type(None))):
            raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
        return super().__new__(
            cls,
            mode=mode,
            predictions=predictions,
            loss=checked_loss(loss, mode),
            train_op=train_op,
            eval_metric_ops=metrics,
            export_outputs=_checked_outputs(export_outputs),
            training_chief_hooks=hooks[0],
            training_hooks=hooks[1],
            scaffold=scaffold,
            evaluation_hooks=hooks[2],
            prediction_hooks=hooks[3],
        )


def _check_graph(value: Any, name: str) -> None:
    if getattr(value, "graph", None) is not ops.get_default_graph():
        raise ValueError(
            f"{name} must be from the default graph. Possible causes of this error "
            "include: it was created outside of the context of the default graph, or "
            f"passed through to EstimatorSpec by a field. Given: {value}"
        )


def _check_tensor(value: Any, name: str) -> Any:
    if not isinstance(value, ops.Tensor):
        raise TypeError(f"{name} must be Tensor, given: {value}")
    _check_graph(value, name)
    return value


def _check_operation(value: Any, name: str) -> None:
    if not isinstance(value, (ops.Operation, ops.Tensor)):
        # A variable's update, as of `tf.assign_add`, is a variable.
        value = getattr(value, "op", None) or value
        if not isinstance(value, ops.Operation):
            raise TypeError(f"{name} must be Operation or Tensor, given: {value}")
    _check_graph(value, name)


def checked_loss(loss: TensorLike | None, mode: str) -> Tensor | None:
    """The loss as a scalar; ValueError if the mode needs one that is not there, or for more than one number."""
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError("Missing loss.")
        return None
    tensor: Tensor = _check_tensor(loss, "loss")
    shape = tensor.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f"Loss must be scalar, given: {loss}")
    if not shape.is_compatible_with(tensor_shape.TensorShape([])):
        tensor = array_ops.reshape(tensor, [])
    return tensor


def _checked_predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError("Missing predictions.")
        return {}
    if isinstance(predictions, dict):
        for key, value in predictions.items():
            _check_tensor(value, f"predictions[{key}]")
        return dict(predictions)
    return _check_tensor(predictions, "predictions")


def _checked_metrics(metrics: dict[str, Any] | None) -> dict[str, Any]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(f"eval_metric_ops must be a dict, given: {metrics}")
    for key, pair in metrics.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(
                "Values of eval_metric_ops must be (metric_value, update_op) tuples, "
                f"given: {pair} for key: {key}"
            )
        _check_operation(pair[0], f"eval_metric_ops[{key}]")
        _check_operation(pair[1], f"eval_metric_ops[{key}]")
    return dict(metrics)


def _checked_outputs(outputs: Any) -> dict[str, ExportOutput] | None:
    if outputs is None:
        return None
    if not isinstance(outputs, dict):
        raise TypeError(f"export_outputs must be dict, given: {outputs}")
    for value in outputs.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(
                "Values in export_outputs must be ExportOutput objects. "
                f"Given: {outputs}"
            )
    outputs = dict(outputs)
    default = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if len(outputs) == 1:
        outputs.setdefault(default, next(iter(outputs.values())))
    elif outputs and default not in outputs:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as "
            "the default.  Do this by naming one of them with "
            "signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY."
        )
    return outputs
