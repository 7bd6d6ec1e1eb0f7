# SPDX-License-Identifier: Apache-2.0
"""An estimator of clusters with the methods of `tf.contrib.learn`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.contrib.factorization.python.ops import clustering_ops
from tensorwright.contrib.learn.python.learn.estimators.estimator import Estimator
from tensorwright.contrib.learn.python.learn.estimators.model_fn import (
    ModeKeys,
    ModelFnOps,
)
from tensorwright.python.framework import ops
from tensorwright.python.ops import array_ops, math_ops, metrics
from tensorwright.python.training import training_util

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig
    from tensorwright.python.framework.type_aliases import TensorLike

__all__ = ["KMeansClustering"]


class KMeansClustering(Estimator):
    """Finds clusters of rows; features are a tensor [n, d], or a dict of tensors that are put side by side.

    Args:
        num_clusters: how many.
        model_dir: the folder.
        initial_clusters, distance_metric, random_seed, use_mini_batch, mini_batch_steps_per_iteration,
            kmeans_plus_plus_num_retries: as in `tf.contrib.factorization.KMeans`.
        relative_tolerance: training stops when the loss changes by less than this part of it.
        config: a RunConfig.
    """

    SQUARED_EUCLIDEAN_DISTANCE = clustering_ops.SQUARED_EUCLIDEAN_DISTANCE
    COSINE_DISTANCE = clustering_ops.COSINE_DISTANCE
    RANDOM_INIT = clustering_ops.RANDOM_INIT
    KMEANS_PLUS_PLUS_INIT = clustering_ops.KMEANS_PLUS_PLUS_INIT
    SCORES = "scores"
    CLUSTER_IDX = "cluster_idx"
    CLUSTERS = "clusters"
    ALL_SCORES = "all_scores"
    LOSS_OP_NAME = "kmeans_loss"

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
    ):
        self._options = {
            "num_clusters": num_clusters,
            "initial_clusters": initial_clusters,
            "distance_metric": distance_metric,
            "random_seed": random_seed,
            "use_mini_batch": use_mini_batch,
            "mini_batch_steps_per_iteration": mini_batch_steps_per_iteration,
            "kmeans_plus_plus_num_retries": kmeans_plus_plus_num_retries,
        }
        self._tolerance = relative_tolerance
        super().__init__(self._model, model_dir, config)

    def _model(self, features: Any, labels: Any, mode: str) -> ModelFnOps:
        del labels
        if isinstance(features, dict):
            features = array_ops.concat([features[k] for k in sorted(features)], 1)
        kmeans = clustering_ops.KMeans(features, **self._options)
        found = kmeans.operations(initializes=mode == ModeKeys.TRAIN)
        (distances,), (index,), (scores,), _, _, training_op = found
        loss = math_ops.reduce_sum(scores, name=self.LOSS_OP_NAME)
        with ops.control_dependencies([training_op]):
            train_op = training_util.get_global_step().assign_add(1)
        hooks = []
        if self._tolerance is not None:
            hooks.append(clustering_ops.LossRelativeChangeHook(loss, self._tolerance))
        return ModelFnOps(
            mode,
            predictions={self.ALL_SCORES: distances, self.CLUSTER_IDX: index},
            loss=loss,
            train_op=train_op,
            eval_metric_ops={self.SCORES: metrics.mean(loss)},
            training_hooks=hooks,
        )

    def predict_cluster_idx(
        self, input_fn: Callable[..., object] | None = None
    ) -> Iterator[np.integer]:
        """Yields the index of the nearest center of each row."""
        for found in self.predict(input_fn=input_fn, outputs=[self.CLUSTER_IDX]):
            yield found[self.CLUSTER_IDX]

    def score(
        self, input_fn: Callable[..., object] | None = None, steps: int | None = None
    ) -> float:
        """The sum of the distances of all rows of a batch from their centers, the mean of the batches."""
        return self.evaluate(input_fn=input_fn, steps=steps)[self.SCORES]

    def transform(
        self, input_fn: Callable[..., object] | None = None, as_iterable: bool = False
    ) -> np.ndarray | Iterator[np.ndarray]:
        """The distances of rows from all centers: [n, num_clusters], or one row after the other with `as_iterable`."""
        found = self.predict(input_fn=input_fn, outputs=[self.ALL_SCORES])
        rows = (row[self.ALL_SCORES] for row in found)
        return rows if as_iterable else np.stack(list(rows))

    def clusters(self) -> np.ndarray:
        """The centers of the latest checkpoint, [num_clusters, d]."""
        return self.get_variable_value(clustering_ops.CLUSTERS_VAR_NAME)
