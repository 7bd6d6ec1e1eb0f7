# SPDX-License-Identifier: Apache-2.0
"""Linear models."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import estimator
from tensorwright.python.estimator.canned import head as head_lib, optimizers
from tensorwright.python.feature_column import feature_column as fc
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    OptimizerLike,
    PathLike,
    TensorLike,
)
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    nn_impl,
    partitioned_variables,
    variable_scope,
)
from tensorwright.python.ops.losses import losses
from tensorwright.python.summary import summary

if TYPE_CHECKING:
    from tensorwright.python.estimator.estimator_settings import WarmStartSettings
    from tensorwright.python.estimator.run_config import RunConfig
    from tensorwright.python.feature_column._columns.feature_column_base import (
        FeatureColumn,
    )
    from tensorwright.python.framework.sparse_tensor import SparseTensor

__all__ = ["LinearClassifier", "LinearEstimator", "LinearRegressor"]

_SUM = losses.Reduction.SUM
# The upper limit of the default optimizer's learning rate.
_LEARNING_RATE = 0.2


def default_partitioner(config: RunConfig) -> Callable[..., list[int]]:
    """Cuts variables of 64 MiB and more into one part a parameter server."""
    return partitioned_variables.min_max_variable_partitioner(
        max_partitions=max(1, config.num_ps_replicas if config else 0),
        min_slice_size=64 << 20,
    )


def check_features(features: object) -> None:
    """Raises ValueError if `features` is no dict."""
    if not isinstance(features, dict):
        raise ValueError(
            f"features should be a dictionary of `Tensor`s. Given type: {type(features)}"
        )


def tensors(features: Mapping[str, object]) -> list[ops.Tensor]:
    """Returns the features that are Tensors; name scopes find their graph by them."""
    return [value for value in features.values() if isinstance(value, ops.Tensor)]


def learning_rate(columns: Sequence[object], most: float) -> float:
    """One over the root of the number of columns, `most` at most."""
    return min(most, 1.0 / math.sqrt(len(columns)))


def linear_logits(
    features: Mapping[str, TensorLike | SparseTensor],
    columns: Sequence[FeatureColumn],
    units: int,
    sparse_combiner: str,
) -> ops.Tensor:
    """[n, units]: the weighted sum of columns."""
    variables_of: dict[Any, Any] = {}
    logits = fc.linear_model(
        features,
        columns,
        units,
        sparse_combiner=sparse_combiner,
        cols_to_vars=variables_of,
    )
    bias = variables_of.pop("bias")
    if units > 1:
        summary.histogram("bias", bias)
    else:
        first = bias[0] if isinstance(bias, list) else bias
        summary.scalar("bias", array_ops.reshape(ops.convert_to_tensor(first), []))
    summary.scalar("fraction_of_zero_weights", _zeros(variables_of))
    return logits


def _zeros(variables_of: dict[Any, Any]) -> ops.Tensor:
    """Returns the share of the weights that are 0."""
    weights = []
    for found in variables_of.values():
        for one in found if isinstance(found, list) else [found]:
            parts = list(one) if hasattr(one, "as_tensor") else [one]
            weights.extend(array_ops.reshape(p, [-1]) for p in parts)
    return nn_impl.zero_fraction(
        array_ops.concat([math_ops.cast(w, dtypes.float32) for w in weights], 0)
    )


def _model(
    features: Any,
    labels: Any,
    mode: str,
    head: head_lib.Head,
    columns: tuple[Any, ...],
    optimizer: Any,
    partitioner: Any,
    config: Any,
    sparse_combiner: str,
) -> Any:
    check_features(features)
    optimizer = optimizers.get_optimizer_instance(
        optimizer or "Ftrl", learning_rate(columns, _LEARNING_RATE)
    )
    with variable_scope.variable_scope(
        "linear",
        values=tensors(features),
        partitioner=partitioner or default_partitioner(config),
    ):
        logits = linear_logits(
            features, columns, head.logits_dimension, sparse_combiner
        )
    return head.create_estimator_spec(features, mode, logits, labels, optimizer)


class LinearEstimator(estimator.Estimator):
    """A linear model of columns, with a head.

    Args:
        head: makes losses and predictions of logits.
        feature_columns: dense or categorical ones.
        model_dir, config: as in Estimator.
        optimizer: an Optimizer, its name, or a function that gives it; Ftrl with a rate of 0.2 at most.
        partitioner: the partitioner of variables.
        sparse_combiner: how an example's several values of one column are combined: "sum", "mean", "sqrtn".
        warm_start_from: as in Estimator.
    """

    def __init__(
        self,
        head: head_lib.Head,
        feature_columns: Sequence[FeatureColumn],
        model_dir: PathLike | None = None,
        optimizer: OptimizerLike = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Callable[..., Sequence[int]] | None = None,
        sparse_combiner: str = "sum",
        warm_start_from: str | WarmStartSettings | None = None,
    ):
        columns = tuple(feature_columns or ())

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return _model(
                features,
                labels,
                mode,
                head,
                columns,
                optimizer,
                partitioner,
                config,
                sparse_combiner,
            )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class LinearClassifier(LinearEstimator):
    """A linear classifier.

    Args:
        feature_columns: dense or categorical ones.
        model_dir: the folder.
        n_classes: how many classes; the labels are ids, or strings of `label_vocabulary`.
        weight_column: the key of the examples' weights, or its numeric column.
        label_vocabulary: the labels by id.
        optimizer, config, partitioner, warm_start_from, sparse_combiner: as in LinearEstimator.
        loss_reduction: how losses of examples become one number.

    Example:
        age = tf.feature_column.numeric_column("age")
        classifier = tf.estimator.LinearClassifier([age], "/tmp/model")
        classifier.train(input_fn, steps=1000)
    """

    def __init__(
        self,
        feature_columns: Sequence[FeatureColumn],
        model_dir: PathLike | None = None,
        n_classes: int = 2,
        weight_column: str | FeatureColumn | None = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: OptimizerLike = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Callable[..., Sequence[int]] | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = _SUM,
        sparse_combiner: str = "sum",
    ):
        super().__init__(
            head_lib.classifier_head(
                n_classes, weight_column, label_vocabulary, loss_reduction
            ),
            feature_columns,
            model_dir,
            optimizer,
            config,
            partitioner,
            sparse_combiner,
            warm_start_from,
        )


class LinearRegressor(LinearEstimator):
    """A linear regression of `label_dimension` numbers; the rest as in LinearClassifier."""

    def __init__(
        self,
        feature_columns: Sequence[FeatureColumn],
        model_dir: PathLike | None = None,
        label_dimension: int = 1,
        weight_column: str | FeatureColumn | None = None,
        optimizer: OptimizerLike = "Ftrl",
        config: RunConfig | None = None,
        partitioner: Callable[..., Sequence[int]] | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = _SUM,
        sparse_combiner: str = "sum",
    ):
        super().__init__(
            head_lib.RegressionHead(label_dimension, weight_column, loss_reduction),
            feature_columns,
            model_dir,
            optimizer,
            config,
            partitioner,
            sparse_combiner,
            warm_start_from,
        )
