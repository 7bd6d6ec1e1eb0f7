# SPDX-License-Identifier: Apache-2.0
"""Which tensors a metric is of."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from tensorwright.python.framework.type_aliases import TensorLike

__all__ = ["MetricSpec"]

_PREDICTIONS = ("predictions", "prediction", "predicted", "values")
_LABELS = ("labels", "label", "targets", "target")
_WEIGHTS = ("weights", "weight")


def _argument(names: list[str], wanted: tuple[str, ...]) -> str | None:
    return next((n for n in names if n in wanted), None)


class MetricSpec:
    """A metric function, and the keys of predictions, labels and weights that it gets.

        MetricSpec(tf.contrib.metrics.streaming_accuracy, prediction_key="classes")

    Args:
        metric_fn: a function with arguments called predictions, labels and weights, or so, or of (predictions, labels).
        prediction_key: None: the predictions are one tensor, or one in a dict.
        label_key: None: likewise for labels.
        weight_key: a feature; None: no weights.
    """

    def __init__(
        self,
        metric_fn: Callable[..., object],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ):
        self._metric_fn = metric_fn
        self._prediction_key = prediction_key
        self._label_key = label_key
        self._weight_key = weight_key

    @property
    def metric_fn(self) -> Callable[..., Any]:
        return self._metric_fn

    @property
    def prediction_key(self) -> str | None:
        return self._prediction_key

    @property
    def label_key(self) -> str | None:
        return self._label_key

    @property
    def weight_key(self) -> str | None:
        return self._weight_key

    def __str__(self) -> str:
        name = getattr(self._metric_fn, "__name__", str(self._metric_fn))
        return f"MetricSpec(metric_fn={name}, prediction_key={self._prediction_key}, label_key={self._label_key}, weight_key={self._weight_key})"  # noqa: E501

    def create_metric_ops(
        self, inputs: TensorLike, labels: TensorLike, predictions: TensorLike
    ) -> Any:
        """Calls the metric function.

        Args:
            inputs: the features, for weights.
            labels, predictions: tensors or dicts of them.

        Raises:
            ValueError: a key is not there, or none is given although there are several.
        """
        prediction = self._one("prediction", predictions, self._prediction_key)
        label = self._one("label", labels, self._label_key)
        kwargs = {}
        try:
            names = list(inspect.signature(self._metric_fn).parameters)
        except (TypeError, ValueError):
            names = []
        if self._weight_key:
            weights = inputs if not isinstance(inputs, dict) else inputs.get(self._weight_key)  # fmt: skip
            if weights is None:
                raise ValueError(f"MetricSpec with weight_key {self._weight_key} specified for features {inputs}.")  # fmt: skip
            kwargs[_argument(names, _WEIGHTS) or "weights"] = weights
        of_prediction = _argument(names, _PREDICTIONS)
        of_label = _argument(names, _LABELS)
        if of_prediction:
            kwargs[of_prediction] = prediction
            if of_label:
                kwargs[of_label] = label
            return self._metric_fn(**kwargs)
        if len(names) == 1:
            return self._metric_fn(prediction, **kwargs)
        return self._metric_fn(prediction, label, **kwargs)

    def _one(self, what: str, tensors: Any, key: str | None) -> Any:
        if not isinstance(tensors, dict):
            if key:
                raise ValueError(f"MetricSpec with {what}_key {key} specified for a {what} that is no dict: {tensors}")  # fmt: skip
            return tensors
        if key:
            if key not in tensors:
                raise ValueError(f"MetricSpec's {what}_key {key} is not among {sorted(tensors)}")  # fmt: skip
            return tensors[key]
        if len(tensors) == 1:
            return next(iter(tensors.values()))
        raise ValueError(f"MetricSpec without {what}_key specified requires {what}s tensor or single element dict, got {sorted(tensors)}")  # fmt: skip
