# SPDX-License-Identifier: Apache-2.0
"""Metrics over a stream of batches: the common part of tf.metrics.

A metric keeps sums in variables and returns two tensors: its value of all batches so far, and an update that adds a
batch and gives the value with it.  Run the update once a batch; the value may be fetched at any time.  The variables are
local ones, so `tf.local_variables_initializer()` starts anew.

Every function of tf.metrics takes

- `weights`: None, or numbers that each value counts by: a scalar, or of the values' rank with sizes equal to theirs or
  1.  If labels and predictions are single elements, a last dimension of 1 too many or too few, in the weights or in
  one of the two, does not matter;
  - `metrics_collections`, `updates_collections`: collections, or the name of one, to which the value and the update are
  added; - `name`: the name of the variable scope.

Shapes that contradict each other are ValueErrors while the graph is built where they are known then, else errors of the
run.
"""

from __future__ import annotations

from collections.abc import Callable

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    CollectionNames,
    DTypeLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    confusion_matrix,
    control_flow_ops,
    math_ops,
    state_ops,
    variables,
    weights_broadcast_ops,
)


def metric_variable(
    shape: TensorLike,
    dtype: DTypeLike,
    validate_shape: bool = True,
    name: str | None = None,
) -> variables.Variable:
    """A variable of zeros that a metric adds to: a local one, in METRIC_VARIABLES too."""
    return variables.Variable(
        lambda: array_ops.zeros(shape, dtype),
        trainable=False,
        collections=[ops.GraphKeys.LOCAL_VARIABLES, ops.GraphKeys.METRIC_VARIABLES],
        validate_shape=validate_shape,
        name=name,
    )


Metric = tuple[ops.Tensor, ops.Tensor]


def named(name: str, doc: str) -> Callable[[Callable], Callable]:
    """Decorates one of several functions with the same text, and gives it its own name and docstring."""

    def decorate(function: Callable) -> Callable:
        function.__name__ = function.__qualname__ = name
        function.__doc__ = doc
        return function

    return decorate


class Sum:
    """A sum over batches.  `value`: so far; `added`: with this batch, which it adds."""

    def __init__(
        self, batch: ops.Tensor, name: str, after: ops.Tensor | None = None
    ) -> None:
        """`batch`, of a known shape, is added by each batch, when there is a value of `after`."""
        variable = metric_variable(batch.get_shape(), batch.dtype.base_dtype, name=name)
        self.value = array_ops.identity(variable)
        with ops.control_dependencies([] if after is None else [after]):
            self.added = state_ops.assign_add(variable, batch)


def ratio(
    numerator: TensorLike, denominator: TensorLike, name: str | None = None
) -> ops.Tensor:
    """numerator / denominator, 0 where the denominator is not positive."""
    quotient = math_ops.truediv(numerator, denominator)
    return array_ops.where(
        math_ops.greater(denominator, 0),
        quotient,
        array_ops.zeros_like(quotient),
        name=name,
    )


def published(
    value: ops.Tensor,
    update: ops.Tensor,
    metrics_collections: CollectionNames | None,
    updates_collections: CollectionNames | None,
) -> Metric:
    """(value, update), added to their collections."""
    if metrics_collections:
        ops.add_to_collections(metrics_collections, value)
    if updates_collections:
        ops.add_to_collections(updates_collections, update)
    return value, update


def aligned(
    labels: TensorLike, predictions: TensorLike, weights: TensorLike | None = None
) -> tuple[ops.Tensor, ops.Tensor, ops.Tensor | None]:
    """The three without a last dimension of 1 too many; labels and predictions have one shape, as far as is known."""
    labels, predictions = confusion_matrix.remove_squeezable_dimensions(
        labels, predictions
    )
    predictions.get_shape().assert_is_compatible_with(labels.get_shape())
    return labels, predictions, aligned_weights(weights, predictions)


def aligned_weights(
    weights: TensorLike | None, values: ops.Tensor
) -> ops.Tensor | None:
    """`weights` of the rank of `values`, where one last dimension of 1 is all that is between them; None stays None."""
    if weights is None:
        return None
    weights = ops.convert_to_tensor(weights, name="weights")
    has, wants = weights.get_shape().ndims, values.get_shape().ndims
    if has == 0:
        return weights
    if has is not None and wants is not None:
        if has == wants + 1:
            return array_ops.squeeze(weights, [-1])
        if has == wants - 1:
            return array_ops.expand_dims(weights, [-1])
        return weights
    rank = array_ops.rank(weights)
    excess = rank - array_ops.rank(values)
    return control_flow_ops.case(
        [
            (math_ops.equal(rank, 0), lambda: array_ops.identity(weights)),
            (math_ops.equal(excess, 1), lambda: _squeezed(weights)),
            (math_ops.equal(excess, -1), lambda: array_ops.expand_dims(weights, -1)),
        ],
        default=lambda: array_ops.identity(weights),
        strict=True,
    )


def _squeezed(x: ops.Tensor) -> ops.Tensor:
    """Removes the last dimension; if it is known not to be 1, this is the branch not taken."""
    if x.get_shape().ndims is not None and not x.get_shape()[-1].is_compatible_with(1):
        return array_ops.identity(x)
    return array_ops.squeeze(x, [-1])


def weights_of(
    weights: TensorLike | None, values: ops.Tensor, dtype: DTypeLike
) -> ops.Tensor:
    """`weights` in the shape of `values`, of `dtype`; ones for None."""
    if weights is None:
        return array_ops.ones_like(values, dtype)
    return weights_broadcast_ops.broadcast_weights(
        math_ops.cast(weights, dtype), math_ops.cast(values, dtype)
    )


def to_float(x: TensorLike) -> ops.Tensor:
    """Converts to float32."""
    return math_ops.cast(x, dtypes.float32)
