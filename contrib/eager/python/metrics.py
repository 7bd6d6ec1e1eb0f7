# SPDX-License-Identifier: Apache-2.0
"""Metrics as objects: a call returns an operation that counts a batch, and `result()` the value over all batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.contrib.eager.python.function import defun
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    check_ops,
    control_flow_ops,
    init_ops,
    math_ops,
    summary_ops_v2,
    variable_scope,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.ops._variables.variables_variable import Variable

__all__ = [
    "Accuracy",
    "BinaryAccuracy",
    "CategoricalAccuracy",
    "Mean",
    "Metric",
    "SparseAccuracy",
]


class Metric:
    """A subclass makes variables in `build`, changes them in `call`, and tells the value in `result`.

        metric = tf.contrib.eager.metrics.Mean()
        update = metric(losses)
        mean = metric.result()
        session.run(metric.init_variables())
        for _ in range(batches): session.run(update)
        session.run(mean)

    Args:
        name: the name of the metric and the scope of its variables; that of the class by default.
    """

    def __init__(self, name: str | None = None):
        self._name = name or type(self).__name__
        self._built = False
        self._vars: list[Any] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def variables(self) -> list[Variable]:
        """The local variables that it keeps; none before the first call."""
        return list(self._vars)

    def __call__(self, *args: object, **kwargs: object) -> Any:
        """Makes the operations that count a batch; returns the arguments, as tensors that are there after that."""
        if not self._built:
            scope = self._name.replace(" ", "_")
            with variable_scope.variable_scope(None, default_name=scope) as entered:
                self._scope = entered
                self.build(*args, **kwargs)
            self._built = True
        return defun(self.call)(*args, **kwargs)

    def init_variables(self) -> ops.Operation:
        """An operation that sets it back to the start.

        Raises:
            RuntimeError: before the first call.
        """
        if not self._built:
            raise RuntimeError("Metric must be called before its variables are there")
        return control_flow_ops.group(*(v.initializer for v in self._vars))

    def build(self, *args: object, **kwargs: object) -> None:
        """Makes the variables, by `add_variable`; gets the arguments of the first call."""

    def call(self, *args: object, **kwargs: object) -> Any:
        """Counts a batch; returns the arguments."""
        raise NotImplementedError("Metrics must define a call() member function")

    def result(self) -> ops.Tensor:
        """The value of all batches that were counted."""
        raise NotImplementedError("Metrics must define a result() member function")

    def value(self) -> ops.Tensor:
        """The tensor of the value, `result()`."""
        return self.result()

    def add_variable(
        self,
        name: str,
        shape: ShapeLike | None = None,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
    ) -> Variable:
        """A local variable that is not trained.

        Raises:
            RuntimeError: outside of `build`.
        """
        if self._built:
            raise RuntimeError("Can't call add_variable() except in build().")
        made = variable_scope.get_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=False,
            collections=[ops.GraphKeys.LOCAL_VARIABLES],
            use_resource=True,
        )
        self._vars.append(made)
        return made


class Mean(Metric):
    """The mean of values, each with its weight.

    Args:
        name: the metric's name.
        dtype: the dtype of sum and result, float64 by default.
    """

    def __init__(self, name: str | None = None, dtype: DTypeLike = dtypes.float64):
        super().__init__(name)
        self.dtype = dtypes.as_dtype(dtype)

    def build(self, *args: object, **kwargs: object) -> None:
        del args, kwargs
        zeros = init_ops.zeros_initializer()
        self.numer = self.add_variable("numer", (), self.dtype, zeros)
        self.denom = self.add_variable("denom", (), self.dtype, zeros)

    def call(
        self, values: TensorLike, weights: TensorLike | None = None
    ) -> Tensor | tuple[Tensor, Tensor]:
        """Counts values, of any shape, with weights that broadcast to it."""
        values = ops.convert_to_tensor(values)
        summed = math_ops.cast(values, self.dtype)
        if weights is None:
            count = math_ops.cast(array_ops.size(values), self.dtype)
            self.denom.assign_add(count)
            self.numer.assign_add(math_ops.reduce_sum(summed))
            return values
        weights = ops.convert_to_tensor(weights)
        spread = math_ops.cast(weights, self.dtype) * array_ops.ones_like(summed)
        self.denom.assign_add(math_ops.reduce_sum(spread))
        self.numer.assign_add(math_ops.reduce_sum(summed * spread))
        return values, weights

    def result(self, write_summary: bool = True) -> ops.Tensor:
        """The mean; with `write_summary` also a summary, where a writer of tf.contrib.summary is set."""
        mean = self.numer / self.denom
        if write_summary:
            summary_ops_v2.scalar(self.name, mean)
        return mean


class Accuracy(Mean):
    """How often predictions equal labels."""

    def call(
        self,
        labels: TensorLike,
        predictions: TensorLike,
        weights: TensorLike | None = None,
    ) -> Any:
        """Counts labels and predictions of one shape."""
        labels = ops.convert_to_tensor(labels)
        predictions = ops.convert_to_tensor(predictions)
        check_ops.assert_equal(
            array_ops.shape(labels),
            array_ops.shape(predictions),
            message="Shapes of labels and predictions are unequal",
        )
        return self._count(math_ops.equal(labels, predictions), labels, predictions, weights)  # fmt: skip

    def _count(self, right: Any, labels: Any, predictions: Any, weights: Any) -> Any:
        super().call(math_ops.cast(right, self.dtype), weights=weights)
        found = labels, predictions
        return found if weights is None else (*found, ops.convert_to_tensor(weights))


class CategoricalAccuracy(Accuracy):
    """How often the greatest of a row's predictions is where the greatest of its labels is."""

    def call(
        self,
        labels: TensorLike,
        predictions: TensorLike,
        weights: TensorLike | None = None,
    ) -> Any:
        """Counts labels (one-hot) and predictions, both [..., classes]; weights [...]."""
        labels = ops.convert_to_tensor(labels)
        predictions = ops.convert_to_tensor(predictions)
        right = math_ops.equal(math_ops.argmax(labels, -1), math_ops.argmax(predictions, -1))  # fmt: skip
        return self._count(right, labels, predictions, weights)


class BinaryAccuracy(Accuracy):
    """How often a prediction is on its label's side of a threshold.

    Args:
        threshold: predictions above it mean 1.
        name: the metric's name.
        dtype: the dtype of sum and result.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        name: str | None = None,
        dtype: DTypeLike = dtypes.float64,
    ):
        super().__init__(name, dtype)
        self.threshold = threshold

    def call(
        self,
        labels: TensorLike,
        predictions: TensorLike,
        weights: TensorLike | None = None,
    ) -> Any:
        """Counts labels (0 or 1) and predictions of one shape."""
        labels = ops.convert_to_tensor(labels)
        predictions = ops.convert_to_tensor(predictions)
        sides = math_ops.cast(predictions > self.threshold, labels.dtype)
        right = math_ops.equal(labels, sides)
        return self._count(right, labels, predictions, weights)


class SparseAccuracy(Accuracy):
    """How often the greatest of a row's predictions is where its label says."""

    def call(
        self,
        labels: TensorLike,
        predictions: TensorLike,
        weights: TensorLike | None = None,
    ) -> Any:
        """Counts labels, integers [...], and predictions [..., classes]; weights [...]."""
        labels = ops.convert_to_tensor(labels)
        predictions = ops.convert_to_tensor(predictions)
        chosen = math_ops.cast(math_ops.argmax(predictions, -1), labels.dtype)
        right = math_ops.equal(labels, chosen)
        return self._count(right, labels, predictions, weights)
