# SPDX-License-Identifier: Apache-2.0
"""Heads: how logits become losses, predictions, metrics and signatures."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import model_fn
from tensorwright.python.estimator.canned import metric_keys, prediction_keys
from tensorwright.python.estimator.export import export_output
from tensorwright.python.feature_column import feature_column as fc
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import OptimizerLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    lookup_ops,
    math_ops,
    metrics as metrics_lib,
    nn_impl,
    nn_ops,
    string_ops,
)
from tensorwright.python.ops.losses import losses
from tensorwright.python.saved_model import signature_constants
from tensorwright.python.summary import summary
from tensorwright.python.training import training_util

if TYPE_CHECKING:
    from tensorwright.python.feature_column._columns.feature_column_base import (
        FeatureColumn,
    )
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor


_Metrics = metric_keys.MetricKeys
_Predictions = prediction_keys.PredictionKeys
_DEFAULT = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
_SUM = losses.Reduction.SUM


class Head(abc.ABC):
    """Makes losses, metrics and predictions of logits; subclasses define an example's loss, and the predictions."""

    def __init__(
        self,
        weight_column: str | FeatureColumn | None,
        loss_reduction: str = _SUM,
        name: str | None = None,
    ):
        if loss_reduction not in losses.Reduction.all() or loss_reduction == "none":
            raise ValueError(f"Invalid loss_reduction: {loss_reduction}")
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction
        self._name = name

    @property
    def name(self) -> str | None:
        """The suffix of the names of metrics and summaries."""
        return self._name

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The number of logits of an example."""

    @abc.abstractmethod
    def _labels(self, labels: Any, logits: ops.Tensor) -> ops.Tensor:
        """Labels in the form that the loss takes, checked."""

    @abc.abstractmethod
    def losses(self, labels: ops.Tensor, logits: ops.Tensor) -> ops.Tensor:
        """The loss of each example, [n, 1] or [n, logits]."""

    @abc.abstractmethod
    def _predict(self, logits: ops.Tensor) -> dict[str, Any]:
        """Predictions by name."""

    @abc.abstractmethod
    def _exports(self, predictions: dict[str, Any], count: Any) -> dict[str, Any]:
        """Signatures by name."""

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:  # fmt: skip # noqa: E501
        """Metrics by name, besides the mean of the loss."""
        return {}

    def _key(self, name: str) -> str:
        return f"{name}/{self._name}" if self._name else name

    def create_estimator_spec(
        self,
        features: TensorTree,
        mode: str,
        logits: ops.Tensor,
        labels: TensorTree | None = None,
        optimizer: OptimizerLike | None = None,
        train_op_fn: Callable[[ops.Tensor], Operation | Tensor] | None = None,
    ) -> model_fn.EstimatorSpec:
        """The EstimatorSpec of a model.

        Args:
            features: a dict, which has the weights if there is a weight column.
            mode: one of ModeKeys.
            logits: [n, logits_dimension].
            labels: the labels to learn; None for PREDICT.
            optimizer: minimizes the loss in TRAIN; or
            train_op_fn: a function of the loss that returns the operation of a step.

        Raises:
            ValueError: shapes do not fit, labels are missing, or neither or both of the last two are given in TRAIN.
        """
        with ops.name_scope(self._name, "head"):
            logits = _checked_logits(logits, self.logits_dimension)
            predictions = self._predict(logits)
            if mode == model_fn.ModeKeys.PREDICT:
                outputs = self._exports(predictions, array_ops.shape(logits)[0])
                outputs["predict"] = export_output.PredictOutput(predictions)
                return model_fn.EstimatorSpec(mode, predictions, export_outputs=outputs)
            labels = self._labels(labels, logits)
            weights = _weights(features, self._weight_column, logits)
            each = self.losses(labels, logits)
            loss = losses.compute_weighted_loss(
                each, weights, reduction=self._loss_reduction
            )
            if mode == model_fn.ModeKeys.EVAL:
                given = None if self._weight_column is None else weights
                found = {_Metrics.LOSS_MEAN: metrics_lib.mean(each, given)}
                found.update(self._metrics(predictions, labels, given))
                named = {self._key(name): value for name, value in found.items()}
                return model_fn.EstimatorSpec(
                    mode, predictions, loss, eval_metric_ops=named
                )
            train_op = _train_op(loss, optimizer, train_op_fn)
            mean = losses.compute_weighted_loss(
                each, weights, loss_collection=None, reduction=losses.Reduction.MEAN
            )
        # Outside of the scope: names of summaries begin with that of the metric.
        with ops.name_scope(""):
            summary.scalar(self._key(_Metrics.LOSS), loss)
            summary.scalar(self._key(_Metrics.LOSS_MEAN), mean)
        return model_fn.EstimatorSpec(mode, predictions, loss, train_op)


def _train_op(loss: Any, optimizer: Any, train_op_fn: Any) -> Any:
    if optimizer is not None:
        if train_op_fn is not None:
            raise ValueError("train_op_fn and optimizer cannot both be set.")
        return optimizer.minimize(loss, training_util.get_global_step())
    if train_op_fn is None:
        raise ValueError("train_op_fn and optimizer cannot both be None.")
    return train_op_fn(loss)


def _checked_logits(logits: Any, size: int) -> ops.Tensor:
    logits = math_ops.cast(ops.convert_to_tensor(logits), dtypes.float32)
    shape = logits.get_shape()
    if shape.ndims is not None and (
        shape.ndims != 2 or shape.dims[1].value not in (None, size)
    ):
        raise ValueError(f"logits shape must be [D0, D1, ... DN, {size}], got {shape}.")
    return logits


def _checked_labels(labels: Any, size: int) -> ops.Tensor:
    """Labels [n, size]; those of one number may be [n]."""
    if labels is None:
        raise ValueError(
            "You must provide a labels Tensor. Given: None. Suggested troubleshooting "
            "steps: Check that your data contain your label feature. Check that your "
            "input_fn properly parses and returns labels."
        )
    if isinstance(labels, sparse_tensor.SparseTensor):
        raise ValueError(
            "SparseTensor labels are not supported. labels must be a Tensor of shape "
            f"[D0, D1, ..., DN, {size}], e.g. [batch_size, {size}]. Suggested Fix (1): "
            "Check the label feature in your data."
        )
    labels = ops.convert_to_tensor(labels)
    if labels.get_shape().ndims == 1 and size == 1:
        labels = array_ops.expand_dims(labels, -1)
    shape = labels.get_shape()
    if shape.ndims is not None and (
        shape.ndims != 2 or shape.dims[1].value not in (None, size)
    ):
        raise ValueError(
            f"labels shape must be [batch_size, {size}], got {shape}: the size of a "
            "label is not what the model predicts."
        )
    return labels


def _weights(features: Any, column: Any, logits: ops.Tensor) -> Any:
    """[n, 1], or 1."""
    if column is None:
        return 1.0
    if isinstance(column, str):
        column = fc.numeric_column(column)
    if not isinstance(column, fc._NumericColumn):
        raise TypeError(
            "Weight column must be either a string or _NumericColumn. "
            f"Given type: {type(column)}."
        )
    weights = column._get_dense_tensor(fc._LazyBuilder(features))
    if not (weights.dtype.is_floating or weights.dtype.is_integer):
        raise ValueError(f"Weight column should be castable to float. Given dtype: {weights.dtype}")  # fmt: skip
    shape = weights.get_shape()
    if shape.ndims is not None and (
        shape.ndims != 2 or shape.as_list()[1] not in (None, 1)
    ):
        raise ValueError(f"weights shape must be [batch_size, 1], got {shape}")
    return math_ops.cast(weights, dtypes.float32)


def _in_range(labels: ops.Tensor, classes: int) -> ops.Tensor:
    checks = [
        check_ops.assert_less_equal(
            labels,
            ops.convert_to_tensor(classes - 1, labels.dtype),
            message=f"Labels must be <= n_classes - 1 = {classes - 1}",
        ),
        check_ops.assert_non_negative(labels, message="Labels must be >= 0"),
    ]
    with ops.control_dependencies(checks):
        return array_ops.identity(labels)


class _ClassHead(Head):
    """Classes, which have names if there is a vocabulary."""

    def __init__(
        self,
        n_classes: int,
        weight_column: Any,
        label_vocabulary: Sequence[str] | None,
        loss_reduction: str = _SUM,
        name: str | None = None,
    ):
        super().__init__(weight_column, loss_reduction, name)
        if label_vocabulary is not None and (
            not isinstance(label_vocabulary, (list, tuple))
            or len(label_vocabulary) != n_classes
        ):
            raise ValueError(
                f"label_vocabulary must be a list of n_classes = {n_classes} items. "
                f"Given: {label_vocabulary}"
            )
        self._n_classes = n_classes
        self._vocabulary = label_vocabulary

    def _ids(self, labels: ops.Tensor) -> ops.Tensor:
        """Numbers of classes, int64."""
        if self._vocabulary is not None:
            if labels.dtype != dtypes.string:
                raise ValueError(
                    "Labels dtype should be string if there is a vocabulary. Instead "
                    f"got {labels.dtype}"
                )
            table = lookup_ops.index_table_from_tensor(
                tuple(self._vocabulary), name="class_id_lookup"
            )
            return table.lookup(labels)
        if not labels.dtype.is_integer:
            raise ValueError(
                f"Labels dtype should be integer. Instead got {labels.dtype}."
            )
        return math_ops.cast(labels, dtypes.int64)

    def _class_predictions(self, ids: ops.Tensor) -> dict[str, ops.Tensor]:
        if self._vocabulary is None:
            classes = string_ops.as_string(ids, name="str_classes")
        else:
            table = lookup_ops.index_to_string_table_from_tensor(
                list(self._vocabulary), name="class_string_lookup"
            )
            classes = table.lookup(ids)
        return {_Predictions.CLASS_IDS: ids, _Predictions.CLASSES: classes}

    def _exports(self, predictions: dict[str, Any], count: Any) -> dict[str, Any]:
        names: Any = self._vocabulary
        if names is None:
            names = [str(i) for i in range(self._n_classes)]
        row = array_ops.expand_dims(ops.convert_to_tensor(list(names)), 0)
        made = export_output.ClassificationOutput(
            scores=predictions[_Predictions.PROBABILITIES],
            # Each example's scores are of all classes.
            classes=array_ops.tile(row, array_ops.stack([count, 1])),
        )
        return {_DEFAULT: made, "classification": made}


class MultiClassHead(_ClassHead):
    """One of three or more classes; the loss is the softmax's cross entropy."""

    def __init__(
        self,
        n_classes: int,
        weight_column: str | FeatureColumn | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = _SUM,
        name: str | None = None,
    ):
        if n_classes is None or n_classes <= 2:
            raise ValueError(f"n_classes must be > 2: {n_classes}.")
        super().__init__(
            n_classes, weight_column, label_vocabulary, loss_reduction, name
        )

    @property
    def logits_dimension(self) -> int:
        return self._n_classes

    def _labels(self, labels: Any, logits: ops.Tensor) -> ops.Tensor:
        return _in_range(self._ids(_checked_labels(labels, 1)), self._n_classes)

    def losses(self, labels: ops.Tensor, logits: ops.Tensor) -> ops.Tensor:
        each = nn_ops.sparse_softmax_cross_entropy_with_logits(
            labels=array_ops.squeeze(labels, [-1]), logits=logits
        )
        return array_ops.expand_dims(each, -1)

    def _predict(self, logits: ops.Tensor) -> dict[str, Any]:
        ids = array_ops.expand_dims(math_ops.argmax(logits, -1), -1)
        return {
            _Predictions.LOGITS: logits,
            _Predictions.PROBABILITIES: nn_ops.softmax(logits, name="probabilities"),
            **self._class_predictions(ids),
        }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:  # fmt: skip # noqa: E501
        ids = predictions[_Predictions.CLASS_IDS]
        return {_Metrics.ACCURACY: metrics_lib.accuracy(labels, ids, weights)}


def logits_of_both(logits: ops.Tensor) -> ops.Tensor:
    """Returns the logits of both classes, [n, 2], for those of the second, [n, 1]: the first one has 0."""
    return array_ops.concat([array_ops.zeros_like(logits), logits], -1)


class BinaryHead(_ClassHead):
    """One of two classes; the loss is the logistic function's cross entropy of one logit."""

    def __init__(
        self,
        weight_column: str | FeatureColumn | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = _SUM,
        name: str | None = None,
    ):
        super().__init__(2, weight_column, label_vocabulary, loss_reduction, name)

    @property
    def logits_dimension(self) -> int:
        return 1

    def _labels(self, labels: Any, logits: ops.Tensor) -> ops.Tensor:
        labels = _checked_labels(labels, 1)
        if self._vocabulary is not None:
            labels = self._ids(labels)
        return _in_range(math_ops.cast(labels, dtypes.float32), 2)

    def losses(self, labels: ops.Tensor, logits: ops.Tensor) -> ops.Tensor:
        return nn_impl.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)

    def _predict(self, logits: ops.Tensor) -> dict[str, Any]:
        both = logits_of_both(logits)
        ids = array_ops.expand_dims(math_ops.argmax(both, -1), -1)
        return {
            _Predictions.LOGITS: logits,
            _Predictions.LOGISTIC: math_ops.sigmoid(logits, name="logistic"),
            _Predictions.PROBABILITIES: nn_ops.softmax(both, name="probabilities"),
            **self._class_predictions(ids),
        }

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:  # fmt: skip # noqa: E501
        ids = predictions[_Predictions.CLASS_IDS]
        logistic = predictions[_Predictions.LOGISTIC]
        label_mean = metrics_lib.mean(labels, weights)
        return {
            _Metrics.ACCURACY: metrics_lib.accuracy(labels, ids, weights),
            _Metrics.PRECISION: metrics_lib.precision(labels, ids, weights),
            _Metrics.RECALL: metrics_lib.recall(labels, ids, weights),
            _Metrics.PREDICTION_MEAN: metrics_lib.mean(logistic, weights),
            _Metrics.LABEL_MEAN: label_mean,
            _Metrics.ACCURACY_BASELINE: _frequent(label_mean),
            _Metrics.AUC: metrics_lib.auc(labels, logistic, weights),
            _Metrics.AUC_PR: metrics_lib.auc(labels, logistic, weights, curve="PR"),
        }

    def _exports(self, predictions: dict[str, Any], count: Any) -> dict[str, Any]:
        logistic = predictions[_Predictions.LOGISTIC]
        found = super()._exports(predictions, count)
        found["regression"] = export_output.RegressionOutput(logistic)
        return found


def _frequent(label_mean: Any) -> tuple[Any, Any]:
    """Returns the share of the more frequent class."""
    value, update = label_mean
    return (
        math_ops.maximum(value, 1.0 - value),
        control_flow_ops.with_dependencies(
            [update], math_ops.maximum(value, 1.0 - value)
        ),
    )


class RegressionHead(Head):
    """Numbers; the loss is the squared error."""

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: str | FeatureColumn | None = None,
        loss_reduction: str = _SUM,
        name: str | None = None,
    ):
        super().__init__(weight_column, loss_reduction, name)
        if label_dimension < 1:
            raise ValueError(f"Invalid label_dimension {label_dimension}.")
        self._dimension = label_dimension

    @property
    def logits_dimension(self) -> int:
        return self._dimension

    def _labels(self, labels: Any, logits: ops.Tensor) -> ops.Tensor:
        return math_ops.cast(_checked_labels(labels, self._dimension), dtypes.float32)

    def losses(self, labels: ops.Tensor, logits: ops.Tensor) -> ops.Tensor:
        return math_ops.squared_difference(logits, labels)

    def _predict(self, logits: ops.Tensor) -> dict[str, Any]:
        return {_Predictions.PREDICTIONS: logits}

    def _metrics(self, predictions: dict[str, Any], labels: Any, weights: Any) -> dict[str, Any]:  # fmt: skip # noqa: E501
        found = predictions[_Predictions.PREDICTIONS]
        return {
            _Metrics.PREDICTION_MEAN: metrics_lib.mean(found, weights),
            _Metrics.LABEL_MEAN: metrics_lib.mean(labels, weights),
        }

    def _exports(self, predictions: dict[str, Any], count: Any) -> dict[str, Any]:
        made = export_output.RegressionOutput(predictions[_Predictions.PREDICTIONS])
        return {_DEFAULT: made, "regression": made}


def classifier_head(
    n_classes: int,
    weight_column: str | FeatureColumn | None = None,
    label_vocabulary: Sequence[str] | None = None,
    loss_reduction: str = _SUM,
) -> Head:
    """The head for a number of classes, 2 or more."""
    if n_classes == 2:
        return BinaryHead(weight_column, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
