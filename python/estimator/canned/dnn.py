# SPDX-License-Identifier: Apache-2.0
"""Deep models: dense layers above columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import estimator, model_fn as model_fn_lib
from tensorwright.python.estimator.canned import (
    head as head_lib,
    linear as linear_lib,
    optimizers,
)
from tensorwright.python.feature_column import feature_column as fc
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import (
    OptimizerLike,
    PathLike,
    TensorLike,
)
from tensorwright.python.layers import core as core_layers, normalization
from tensorwright.python.ops import (
    init_ops,
    nn_impl,
    nn_ops,
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
    from tensorwright.python.framework.tensor import Tensor


__all__ = ["DNNClassifier", "DNNEstimator", "DNNRegressor"]

_SUM = losses.Reduction.SUM
# The default optimizer's learning rate.
_LEARNING_RATE = 0.05


def dnn_logits(
    features: Mapping[str, TensorLike | SparseTensor],
    mode: str,
    columns: Sequence[FeatureColumn],
    hidden_units: Sequence[int],
    units: int,
    activation_fn: Callable[..., Tensor],
    dropout: float | None,
    input_layer_partitioner: Callable[..., Sequence[int]] | None,
    batch_norm: bool = False,
) -> ops.Tensor:
    """[n, units]: the last of dense layers; `batch_norm` normalizes what each hidden one gives."""
    training = mode == model_fn_lib.ModeKeys.TRAIN
    with variable_scope.variable_scope(
        "input_from_feature_columns",
        values=linear_lib.tensors(features),
        partitioner=input_layer_partitioner,
    ):
        net = fc.input_layer(features, columns)
    for i, size in enumerate(hidden_units):
        with variable_scope.variable_scope(f"hiddenlayer_{i}", values=(net,)) as scope:
            net = core_layers.dense(
                net,
                size,
                activation=activation_fn,
                kernel_initializer=init_ops.glorot_uniform_initializer(),
                name=scope,
            )
            if dropout is not None and training:
                net = core_layers.dropout(net, rate=dropout, training=True)
            if batch_norm:
                # Its moving averages change slowly: models are trained for many steps.
                net = normalization.batch_normalization(
                    net, momentum=0.999, training=training, name=f"batchnorm_{i}"
                )
            _summarize(net, scope.name)
    with variable_scope.variable_scope("logits", values=(net,)) as scope:
        logits = core_layers.dense(
            net,
            units,
            activation=None,
            kernel_initializer=init_ops.glorot_uniform_initializer(),
            name=scope,
        )
        _summarize(logits, scope.name)
    return logits


def _summarize(layer: ops.Tensor, name: str) -> None:
    with ops.name_scope(""):
        summary.scalar(f"{name}/fraction_of_zero_values", nn_impl.zero_fraction(layer))
        summary.histogram(f"{name}/activation", layer)


def _model(
    features: Any,
    labels: Any,
    mode: str,
    head: head_lib.Head,
    hidden_units: Sequence[int],
    columns: tuple[Any, ...],
    optimizer: Any,
    activation_fn: Any,
    dropout: float | None,
    partitioner: Any,
    config: Any,
) -> Any:
    linear_lib.check_features(features)
    optimizer = optimizers.get_optimizer_instance(optimizer, _LEARNING_RATE)
    partitioner = partitioner or linear_lib.default_partitioner(config)
    with variable_scope.variable_scope(
        "dnn", values=linear_lib.tensors(features), partitioner=partitioner
    ):
        logits = dnn_logits(
            features,
            mode,
            columns,
            hidden_units,
            head.logits_dimension,
            activation_fn,
            dropout,
            partitioner,
        )
    return head.create_estimator_spec(features, mode, logits, labels, optimizer)


class DNNEstimator(estimator.Estimator):
    """Dense layers above columns, with a head.

    Args:
        head: makes losses and predictions of logits.
        hidden_units: the sizes of the layers.
        feature_columns: dense ones.
        model_dir, config: as in Estimator.
        optimizer: an Optimizer, its name, or a function that gives it; Adagrad with a rate of 0.05.
        activation_fn: the activation of the layers; None: none.
        dropout: the probability that an element of a layer is left out in training.
        input_layer_partitioner: the partitioner of variables.
        warm_start_from: as in Estimator.
    """

    def __init__(
        self,
        head: head_lib.Head,
        hidden_units: Sequence[int],
        feature_columns: Iterable[FeatureColumn] | None,
        model_dir: PathLike | None = None,
        optimizer: OptimizerLike | None = "Adagrad",
        activation_fn: Callable[..., Tensor] | None = nn_ops.relu,
        dropout: float | None = None,
        input_layer_partitioner: Callable[..., Sequence[int]] | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
    ):
        columns = tuple(feature_columns or ())

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            return _model(
                features,
                labels,
                mode,
                head,
                hidden_units,
                columns,
                optimizer,
                activation_fn,
                dropout,
                input_layer_partitioner,
                config,
            )

        super().__init__(model_fn, model_dir, config, warm_start_from=warm_start_from)


class DNNClassifier(DNNEstimator):
    """A deep classifier.

    Args:
        hidden_units: the sizes of the layers.
        feature_columns: dense ones.
        model_dir: the folder.
        n_classes: how many classes; the labels are ids, or strings of `label_vocabulary`.
        weight_column: the key of the examples' weights, or its numeric column.
        label_vocabulary: the labels by id.
        optimizer, activation_fn, dropout, input_layer_partitioner, config, warm_start_from: as in DNNEstimator.
        loss_reduction: how losses of examples become one number.

    Example:
        word = tf.feature_column.categorical_column_with_hash_bucket("word", 1000)
        columns = [tf.feature_column.embedding_column(word, 8)]
        classifier = tf.estimator.DNNClassifier([64, 32], columns, n_classes=3)
        classifier.train(input_fn, steps=1000)
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[FeatureColumn] | None,
        model_dir: PathLike | None = None,
        n_classes: int = 2,
        weight_column: str | FeatureColumn | None = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: OptimizerLike | None = "Adagrad",
        activation_fn: Callable[..., Tensor] | None = nn_ops.relu,
        dropout: float | None = None,
        input_layer_partitioner: Callable[..., Sequence[int]] | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = _SUM,
    ):
        super().__init__(
            head_lib.classifier_head(
                n_classes, weight_column, label_vocabulary, loss_reduction
            ),
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            config,
            warm_start_from,
        )


class DNNRegressor(DNNEstimator):
    """A deep regression of `label_dimension` numbers; the rest as in DNNClassifier."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[FeatureColumn] | None,
        model_dir: PathLike | None = None,
        label_dimension: int = 1,
        weight_column: str | FeatureColumn | None = None,
        optimizer: OptimizerLike | None = "Adagrad",
        activation_fn: Callable[..., Tensor] | None = nn_ops.relu,
        dropout: float | None = None,
        input_layer_partitioner: Callable[..., Sequence[int]] | None = None,
        config: RunConfig | None = None,
        warm_start_from: str | WarmStartSettings | None = None,
        loss_reduction: str = _SUM,
    ):
        super().__init__(
            head_lib.RegressionHead(label_dimension, weight_column, loss_reduction),
            hidden_units,
            feature_columns,
            model_dir,
            optimizer,
            activation_fn,
            dropout,
            input_layer_partitioner,
            config,
            warm_start_from,
        )
