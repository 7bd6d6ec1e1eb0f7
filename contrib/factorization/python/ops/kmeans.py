# SPDX-License-Identifier: Apache-2.0
"""An estimator of clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.contrib.factorization.python.ops import clustering_ops
from tensorwright.python.estimator import estimator, model_fn as model_fn_lib
from tensorwright.python.estimator.export import export_output
from tensorwright.python.feature_column import feature_column as fc
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops, metrics
from tensorwright.python.saved_model import signature_constants
from tensorwright.python.summary import summary
from tensorwright.python.training import training_util

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tensorwright.python.estimator.run_config import RunConfig
    from tensorwright.python.feature_column._columns.feature_column_base import (
        FeatureColumn,
    )
    from tensorwright.python.framework.type_aliases import TensorLike


__all__ = ["KMeansClustering"]


class KMeansClustering(estimator.Estimator):
    """Finds clusters of rows; features are a tensor [n, d], or a dict of tensors that are put side by side.

    Args:
        num_clusters: how many.
        model_dir: the folder.
        initial_clusters, distance_metric, random_seed, use_mini_batch, mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries: as in `KMeans`.
        relative_tolerance: training stops when the loss changes by less than this part of it; not with mini-batches.
        config: a RunConfig.
        feature_columns: columns of `tf.feature_column`, which make the rows; None: features are rows.

    Example:
        kmeans = tf.contrib.factorization.KMeansClustering(num_clusters=5, use_mini_batch=False)
        for _ in range(10): kmeans.train(input_fn)
        centers = kmeans.cluster_centers()
    """

    SQUARED_EUCLIDEAN_DISTANCE = clustering_ops.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = clustering_ops.COSINE_DISTANCE
    RANDOM_INIT = clustering_ops.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = clustering_ops.KMEANS_PLUS_PLUS_INIT
    SCORE = "score"
    CLUSTER_INDEX = "cluster_index"
    CLUSTER_CENTERS_VAR_NAME = clustering_ops.CLUSTERS_VAR_NAME
    ALL_DISTANCES = "all_distances"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        initial_clusters: TensorLike | Callable[..., TensorLike] = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        random_seed: int | None = 0,
        use_mini_batch: bool = True,
        mini_batch_steps_per_iteration: int = 1,
        kmeans_plus_plus_num_retries: int = 2,
        relative_tolerance: float | None = None,
        config: RunConfig | None = None,
        feature_columns: Iterable[FeatureColumn] | None = None,
    ):
        self._kmeans_options = {
            "num_clusters": num_clusters,
            "initial_clusters": initial_clusters,
            "distance_metric": distance_metric,
            "random_seed": random_seed,
            "use_mini_batch": use_mini_batch,
            "mini_batch_steps_per_iteration": mini_batch_steps_per_iteration,
            "kmeans_plus_plus_num_retries": kmeans_plus_plus_num_retries,
        }
        self._relative_tolerance = relative_tolerance
        self._feature_columns = feature_columns
        if relative_tolerance is not None and use_mini_batch:
            raise ValueError("relative_tolerance is for use_mini_batch=False alone")
        super().__init__(self._kmeans_model, model_dir, config)

    def _kmeans_rows(self, features: Any) -> ops.Tensor:
        if self._feature_columns is not None:
            return fc.input_layer(features, self._feature_columns)
        if isinstance(features, dict):
            parts = [features[key] for key in sorted(features)]
            parts = [array_ops.reshape(p, [array_ops.shape(p)[0], -1]) if p.get_shape().ndims == 1 else p for p in parts]  # fmt: skip # noqa: E501
            features = parts[0] if len(parts) == 1 else array_ops.concat(parts, 1)
        features = ops.convert_to_tensor(features)
        return features if features.dtype.is_floating else math_ops.cast(features, dtypes.float32)  # fmt: skip # noqa: E501

    def _kmeans_model(self, features: Any, labels: Any, mode: str) -> Any:
        del labels
        rows = self._kmeans_rows(features)
        kmeans = clustering_ops.KMeans(rows, **self._kmeans_options)
        # A training makes the first centers of its first batch, and goes on with that.
        found = kmeans.operations(initializes=mode == model_fn_lib.ModeKeys.TRAIN)
        (distances,), (index,), (scores,), _, _, training_op = found
        loss = math_ops.reduce_sum(scores)
        summary.scalar("loss/raw", loss)
        step = training_util.get_global_step()
        with ops.control_dependencies([training_op]):
            train_op = step.assign_add(1).op
        hooks: list[Any] = []
        if self._relative_tolerance is not None:
            hooks.append(
                clustering_ops.LossRelativeChangeHook(loss, self._relative_tolerance)
            )
        default = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        outputs = {
            self.ALL_DISTANCES: export_output.PredictOutput(
                {self.ALL_DISTANCES: distances}
            ),  # fmt: skip # noqa: E501
            self.CLUSTER_INDEX: export_output.PredictOutput(
                {self.CLUSTER_INDEX: index}
            ),
        }
        outputs[default] = outputs[self.CLUSTER_INDEX]
        return model_fn_lib.EstimatorSpec(
            mode=mode,
            predictions={self.ALL_DISTANCES: distances, self.CLUSTER_INDEX: index},
            loss=loss,
            train_op=control_flow_ops.group(train_op),
            eval_metric_ops={self.SCORE: metrics.mean(loss)},
            training_hooks=hooks,
            export_outputs=outputs,
        )

    def predict_cluster_index(self, input_fn: Callable[..., object]) -> Iterator[int]:
        """The index of the nearest center of each row."""
        for found in self.predict(input_fn, [self.CLUSTER_INDEX]):
            yield found[self.CLUSTER_INDEX]

    def score(self, input_fn: Callable[..., object]) -> float:
        """The sum of the distances of all rows of one batch from their centers."""
        return self.evaluate(input_fn, steps=1)[self.SCORE]

    def transform(self, input_fn: Callable[..., object]) -> Iterator[np.ndarray]:
        """The distances of each row from all centers, [num_clusters]; squared ones for "squared_euclidean"."""
        for found in self.predict(input_fn, [self.ALL_DISTANCES]):
            yield found[self.ALL_DISTANCES]

    def cluster_centers(self) -> np.ndarray:
        """The centers of the latest checkpoint, [num_clusters, d]."""
        return self.get_variable_value(self.CLUSTER_CENTERS_VAR_NAME)
