# SPDX-License-Identifier: Apache-2.0
"""Heads: how logits become losses, predictions and metrics."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import Any, cast

from tensorwright.contrib.layers.python.layers import layers, target_column
from tensorwright.contrib.layers.python.layers.target_column import TargetColumn
from tensorwright.contrib.learn.python.learn.estimators import _unsupported
from tensorwright.contrib.learn.python.learn.estimators.constants import (
    PredictionKey,
    ProblemType,
)
from tensorwright.contrib.learn.python.learn.estimators.model_fn import (
    ModeKeys,
    ModelFnOps,
)
from tensorwright.python.estimator.canned import head as core_head
from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import ScopeLike, TensorLike, TensorTree
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    init_ops,
    lookup_ops,
    math_ops,
    metrics,
    nn_impl,
    nn_ops,
    sparse_ops,
    variable_scope,
)

__all__ = [
    "Head",
    "binary_svm_head",
    "multi_class_head",
    "multi_head",
    "multi_label_head",
    "no_op_train_fn",
    "poisson_regression_head",
    "regression_head",
]


def no_op_train_fn(loss: TensorLike) -> ops.Operation:
    """A training operation that does nothing."""
    del loss
    return control_flow_ops.no_op()


class Head(abc.ABC):
    """The last part of a model."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """How many logits an example has."""

    @abc.abstractmethod
    def create_model_fn_ops(
        self,
        features: TensorTree,
        mode: str,
        labels: TensorLike | None = None,
        train_op_fn: Callable[[ops.Tensor], ops.Operation | ops.Tensor] | None = None,
        logits: ops.Tensor | None = None,
        logits_input: ops.Tensor | None = None,
        scope: ScopeLike | None = None,
    ) -> ModelFnOps:
        """Returns the model for logits [n, logits_dimension].

        Args:
            features: a dict, which has weights where the head has a weight column.
            mode: one of ModeKeys.
            labels: the target, or a dict where the head has a label name.
            train_op_fn: the training operation of a loss.
            logits: or
            logits_input: the input of a dense layer that makes the logits.
            scope: the scope of the ops.
        """


class _SimpleHead(Head):
    """A head of one target column, which knows the losses, the label's name and the weights."""

    problem = ProblemType.UNSPECIFIED

    def __init__(self, target: TargetColumn, enable_centered_bias: bool, head_name: str | None):  # fmt: skip # noqa: E501
        self._target = target
        self._enable_centered_bias = enable_centered_bias
        self.head_name = head_name

    @property
    def logits_dimension(self) -> int:
        return self._target.num_label_columns

    def _losses(self, logits: Any, labels: Any) -> ops.Tensor:
        """[n]: the loss of each example."""
        return self._target.losses(logits, labels)

    def _predictions(self, logits: Any) -> dict[str, ops.Tensor]:
        raise NotImplementedError

    def _metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        del predictions, labels, weights
        return {}

    def _labels(self, labels: Any) -> Any:
        name = self._target.label_name
        if isinstance(labels, dict):
            if name is None:
                if len(labels) != 1:
                    raise ValueError(
                        f"label_name is needed for labels {sorted(labels)}"
                    )
                return next(iter(labels.values()))
            if name not in labels:
                raise ValueError(f"Label {name} is missing in {sorted(labels)}")
            return labels[name]
        return labels

    def _name(self, name: str) -> str:
        return f"{name}/{self.head_name}" if self.head_name else name

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[ops.Tensor], Any] | None = None,
        logits: ops.Tensor | None = None,
        logits_input: ops.Tensor | None = None,
        scope: Any = None,
    ) -> ModelFnOps:
        ModeKeys.validate(mode)
        if (logits is None) == (logits_input is None):
            raise ValueError("Exactly one of logits and logits_input must be given.")
        with variable_scope.variable_scope(scope, self.head_name or "head"):
            if logits is None:
                logits = layers.fully_connected(cast(Any, logits_input), self.logits_dimension, activation_fn=None, scope="logits")  # fmt: skip # noqa: E501
            if self._enable_centered_bias:
                bias = variable_scope.get_variable("centered_bias_weight", [self.logits_dimension], initializer=init_ops.zeros_initializer())  # fmt: skip # noqa: E501
                logits = nn_ops.bias_add(logits, bias)
            predictions = self._predictions(logits)
            if mode == ModeKeys.INFER:
                return self._ops(mode, predictions)
            labels = self._labels(labels)
            if labels is None:
                raise ValueError(f"Labels are needed for mode {mode}")
            weights = self._weights(features)
            each = self._losses(logits, labels)
            average = metrics.mean(each, weights)
            if weights is not None:
                each *= weights
            loss = math_ops.reduce_mean(each, name="loss")
            train_op = None
            if mode == ModeKeys.TRAIN:
                if train_op_fn is None:
                    raise ValueError("train_op_fn can not be None in TRAIN mode")
                train_op = train_op_fn(loss)
            found: dict[str, Any] = {}
            if mode == ModeKeys.EVAL:
                found = self._metrics(predictions, labels, weights)
                found["loss"] = average
            found = {self._name(k): v for k, v in found.items()}
            return self._ops(mode, predictions, loss, train_op, found)

    def _ops(self, mode: str, predictions: Any, loss: Any = None, train_op: Any = None, found: Any = None) -> ModelFnOps:  # fmt: skip # noqa: E501
        return ModelFnOps(
            mode=mode,
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=found,
            output_alternatives={self.head_name: (self.problem, predictions)},
        )

    def _weights(self, features: Any) -> ops.Tensor | None:
        name = self._target.weight_column_name
        if name and name not in features:
            raise ValueError(f"weight column {name} is not among the features")
        return self._target.get_weight_tensor(features)


class _RegressionHead(_SimpleHead):
    problem = ProblemType.LINEAR_REGRESSION

    def _predictions(self, logits: Any) -> dict[str, ops.Tensor]:
        scores = self._target.logits_to_predictions(logits)
        return {PredictionKey.SCORES: array_ops.identity(scores, "scores")}


class _PoissonHead(_RegressionHead):
    def _predictions(self, logits: Any) -> dict[str, ops.Tensor]:
        return super()._predictions(math_ops.exp(logits))


class _ClassHead(_SimpleHead):
    problem = ProblemType.CLASSIFICATION

    def __init__(self, *args: Any, label_keys: Any = None, thresholds: Any = None):
        super().__init__(*args)
        self._keys = label_keys
        self._thresholds = list(thresholds or ())
        self._binary = self.logits_dimension == 1
        if self._binary:
            self.problem = ProblemType.LOGISTIC_REGRESSION

    def _ids(self, labels: Any) -> ops.Tensor:
        labels = ops.convert_to_tensor(labels)
        if labels.get_shape().ndims == 2:
            labels = array_ops.squeeze(labels, [1])
        if self._keys is None:
            return math_ops.cast(labels, dtypes.int64)
        return lookup_ops.index_table_from_tensor(list(self._keys)).lookup(labels)

    def _losses(self, logits: Any, labels: Any) -> ops.Tensor:
        return super()._losses(logits, self._ids(labels))

    def _predictions(self, logits: Any) -> dict[str, ops.Tensor]:
        found = {PredictionKey.LOGITS: logits}
        two = logits
        if self._binary:
            found[PredictionKey.LOGISTIC] = math_ops.sigmoid(logits, name="logistic")
            two = core_head.logits_of_both(logits)
        found[PredictionKey.PROBABILITIES] = nn_ops.softmax(two, name="probabilities")
        classes = math_ops.argmax(two, 1, name="classes")
        found[PredictionKey.CLASSES] = classes
        if self._keys is not None:
            table = lookup_ops.index_to_string_table_from_tensor(list(self._keys))
            found[PredictionKey.CLASSES] = table.lookup(classes)
        return found

    def _metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        ids = self._ids(labels)
        guessed = math_ops.argmax(predictions[PredictionKey.PROBABILITIES], 1)
        found = {"accuracy": metrics.accuracy(ids, guessed, weights)}
        if not self._binary:
            return found
        chance = array_ops.squeeze(predictions[PredictionKey.LOGISTIC], [1])
        positive = math_ops.cast(ids, dtypes.bool)
        found["auc"] = metrics.auc(positive, chance, weights)
        found["auc_precision_recall"] = metrics.auc(
            positive, chance, weights, curve="PR"
        )
        found["labels/prediction_mean"] = metrics.mean(chance, weights)
        found["labels/actual_target_mean"] = metrics.mean(ids, weights)
        for t in self._thresholds:
            above = chance > t
            found[f"accuracy/threshold_{t:f}_mean"] = metrics.accuracy(positive, above, weights)  # fmt: skip
            found[f"precision/positive_threshold_{t:f}_mean"] = metrics.precision(positive, above, weights)  # fmt: skip
            found[f"recall/positive_threshold_{t:f}_mean"] = metrics.recall(positive, above, weights)  # fmt: skip
        return found


class _SvmHead(_ClassHead):
    def _predictions(self, logits: Any) -> dict[str, ops.Tensor]:
        two = core_head.logits_of_both(logits)
        classes = math_ops.argmax(two, 1, name="classes")
        return {PredictionKey.LOGITS: logits, PredictionKey.CLASSES: classes}

    def _metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        guessed = predictions[PredictionKey.CLASSES]
        return {"accuracy": metrics.accuracy(self._ids(labels), guessed, weights)}


class _MultiLabelHead(_SimpleHead):
    problem = ProblemType.CLASSIFICATION

    def _dense(self, labels: Any) -> ops.Tensor:
        if isinstance(labels, sparse_tensor.SparseTensor):
            labels = sparse_ops.sparse_to_indicator(labels, self.logits_dimension)
        return math_ops.cast(labels, dtypes.float32)

    def _losses(self, logits: Any, labels: Any) -> ops.Tensor:
        return super()._losses(logits, self._dense(labels))

    def _predictions(self, logits: Any) -> dict[str, ops.Tensor]:
        chances = math_ops.sigmoid(logits, name="probabilities")
        classes = math_ops.cast(chances > 0.5, dtypes.int64, name="classes")
        return {
            PredictionKey.LOGITS: logits,
            PredictionKey.PROBABILITIES: chances,
            PredictionKey.CLASSES: classes,
        }

    def _metrics(self, predictions: Any, labels: Any, weights: Any) -> dict[str, Any]:
        guessed = predictions[PredictionKey.CLASSES]
        known = math_ops.cast(self._dense(labels), dtypes.int64)
        if weights is not None:
            weights = array_ops.expand_dims(weights, 1)
        chances = predictions[PredictionKey.PROBABILITIES]
        return {
            "accuracy": metrics.accuracy(known, guessed, weights),
            "auc": metrics.auc(math_ops.cast(known, dtypes.bool), chances, weights),
        }


class _MultiHead(Head):
    """Heads side by side."""

    def __init__(self, heads: Sequence[_SimpleHead], loss_weights: Any):
        self._heads = list(heads)
        self._weights = list(loss_weights or [1.0] * len(self._heads))

    @property
    def logits_dimension(self) -> int:
        return sum(h.logits_dimension for h in self._heads)

    def create_model_fn_ops(
        self,
        features: Any,
        mode: str,
        labels: Any = None,
        train_op_fn: Callable[[ops.Tensor], Any] | None = None,
        logits: ops.Tensor | None = None,
        logits_input: ops.Tensor | None = None,
        scope: Any = None,
    ) -> ModelFnOps:
        parts: list[Any] = [None] * len(self._heads)
        if logits is not None:
            sizes = [h.logits_dimension for h in self._heads]
            parts = array_ops.split(logits, sizes, 1)
        found = [
            head.create_model_fn_ops(
                features, mode, labels, no_op_train_fn, part, logits_input, scope
            )
            for head, part in zip(self._heads, parts, strict=True)
        ]
        predictions = {
            (head.head_name, key): value
            for head, model in zip(self._heads, found, strict=True)
            for key, value in model.predictions.items()
        }
        alternatives = {k: v for m in found for k, v in m.output_alternatives.items()}
        if mode == ModeKeys.INFER:
            return ModelFnOps(mode, predictions, output_alternatives=alternatives)
        weighted = zip(found, self._weights, strict=True)
        loss = math_ops.add_n([m.loss * w for m, w in weighted])
        train_op = None
        if mode == ModeKeys.TRAIN:
            if train_op_fn is None:
                raise ValueError("train_op_fn can not be None in TRAIN mode")
            train_op = train_op_fn(loss)
        measured = {k: v for m in found for k, v in m.eval_metric_ops.items()}
        return ModelFnOps(mode, predictions, loss, train_op, measured, alternatives)


def regression_head(label_name: str | None = None, weight_column_name: str | None = None, label_dimension: int = 1, enable_centered_bias: bool = False, head_name: str | None = None) -> Head:  # fmt: skip # noqa: E501
    """Numbers, with squared errors."""
    target = target_column.regression_target(label_name, weight_column_name, label_dimension)  # fmt: skip
    return _RegressionHead(target, enable_centered_bias, head_name)


def poisson_regression_head(label_name: str | None = None, weight_column_name: str | None = None, label_dimension: int = 1, enable_centered_bias: bool = False, head_name: str | None = None) -> Head:  # fmt: skip # noqa: E501
    """Counts, whose logarithms of means are the logits."""

    def losses(logits: Any, labels: Any) -> ops.Tensor:
        return nn_impl.log_poisson_loss(target_column.as_column(labels), logits)

    target = TargetColumn(losses, label_dimension, label_name, weight_column_name, "regression")  # fmt: skip
    return _PoissonHead(target, enable_centered_bias, head_name)


def multi_class_head(n_classes: int, label_name: str | None = None, weight_column_name: str | None = None, enable_centered_bias: bool = False, head_name: str | None = None, thresholds: TensorLike | None = None, metric_class_ids: Sequence[int] | None = None, loss_fn: Callable[[ops.Tensor, ops.Tensor], ops.Tensor] | None = None, label_keys: Sequence[str] | None = None) -> Head:  # fmt: skip # noqa: E501
    """One class of several, with cross entropies; two classes have one logit.

    Args:
        n_classes: two or more.
        thresholds: thresholds of probabilities, at which two classes are measured.
        metric_class_ids: not supported.
        loss_fn: `f(labels, logits)`: the loss of each example.
        label_keys: the names of classes, where labels are strings.

    Raises:
        ValueError: fewer classes, or an option that is not supported.
    """
    _unsupported.refuse("multi_class_head", metric_class_ids=metric_class_ids)
    if n_classes is None or n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    if label_keys is not None and len(label_keys) != n_classes:
        raise ValueError("Length of label_keys must equal n_classes.")
    target = target_column.multi_class_target(n_classes, label_name, weight_column_name)
    if loss_fn is not None:
        target = TargetColumn(lambda logits, ids: loss_fn(ids, logits), target.num_label_columns, label_name, weight_column_name, "classification")  # fmt: skip # noqa: E501
    return _ClassHead(target, enable_centered_bias, head_name, label_keys=label_keys, thresholds=thresholds)  # fmt: skip # noqa: E501


def binary_svm_head(label_name: str | None = None, weight_column_name: str | None = None, enable_centered_bias: bool = False, head_name: str | None = None, thresholds: TensorLike | None = None) -> Head:  # fmt: skip # noqa: E501
    """Two classes, with hinge losses."""
    target = target_column.binary_svm_target(label_name, weight_column_name)
    return _SvmHead(target, enable_centered_bias, head_name, thresholds=thresholds)


def multi_label_head(n_classes: int, label_name: str | None = None, weight_column_name: str | None = None, enable_centered_bias: bool = False, head_name: str | None = None, thresholds: TensorLike | None = None, metric_class_ids: Sequence[int] | None = None, loss_fn: Callable[[ops.Tensor, ops.Tensor], ops.Tensor] | None = None) -> Head:  # fmt: skip # noqa: E501
    """Any number of classes of several: labels are [n, n_classes] of 0 and 1, or sparse ids."""
    _unsupported.refuse("multi_label_head", thresholds=thresholds, metric_class_ids=metric_class_ids, loss_fn=loss_fn)  # fmt: skip # noqa: E501
    if n_classes < 2:
        raise ValueError(f"n_classes must be > 1 for classification: {n_classes}.")
    each = core_head.BinaryHead()
    target = TargetColumn(lambda logits, labels: each.losses(labels, logits), n_classes, label_name, weight_column_name, "classification")  # fmt: skip # noqa: E501
    return _MultiLabelHead(target, enable_centered_bias, head_name)


def multi_head(heads: Sequence[Head], loss_weights: Sequence[float] | None = None) -> Head:  # fmt: skip
    """Several heads of one model, whose weighted losses are added up; each needs a name of its own.

    Raises:
        ValueError: no heads, a head without a name, or not as many weights.
    """
    if not heads:
        raise ValueError("multi_head needs heads")
    if loss_weights and len(loss_weights) != len(heads):
        raise ValueError("heads and loss_weights must have same size")
    names = [getattr(h, "head_name", None) for h in heads]
    if None in names or len(set(names)) != len(names):
        raise ValueError(
            f"Members of MultiHead must have names that differ, got {names}"
        )
    return _MultiHead(heads, loss_weights)  # type: ignore[arg-type]
