# SPDX-License-Identifier: Apache-2.0
"""An estimator of mixtures of Gaussians."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.contrib.factorization.python.ops import gmm_ops
from tensorwright.contrib.learn.python.learn.estimators import (
    estimator,
    model_fn as model_fn_lib,
)
from tensorwright.contrib.metrics.python.ops import metric_ops_moments
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import array_ops, control_flow_ops, math_ops
from tensorwright.python.ops._metrics import metrics_util
from tensorwright.python.training import training_util

if TYPE_CHECKING:
    from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig


__all__ = ["GMM"]


class GMM(estimator.Estimator):
    """Finds the Gaussians that rows come from; features are a tensor [n, d], or a dict of tensors that are put side by
    side, in the order of their keys. The first batch makes the first means, if there are none.

    Args:
        num_clusters: how many.
        model_dir: the folder.
        random_seed: the seed of the first means.
        params: which parameters are found: "w", the weights; "m", the means; "c", the covariances.
        initial_clusters: "random" rows of the first batch, means [num_clusters, d], or a function of (rows, number)
            that gives such.
        covariance_type: "full", or "diag" for covariances without elements off the diagonal.
        config: a RunConfig of tf.contrib.learn.

    Raises:
        ValueError: another text for `initial_clusters`.

    Example:
        mixture = tf.contrib.factorization.GMM(3, model_dir=folder)
        mixture.fit(input_fn=input_fn, steps=20)
        means = mixture.clusters()
        index = list(mixture.predict_assignments(input_fn))
    """

    SCORES = "scores"
    LOG_LIKELIHOOD = "loss"
    ASSIGNMENTS = "assignments"

    def __init__(
        self,
        num_clusters: int,
        model_dir: str | None = None,
        random_seed: int | None = 0,
        params: str = "wmc",
        initial_clusters: gmm_ops.FirstMeans = "random",
        covariance_type: str = "full",
        config: RunConfig | None = None,
    ):
        self._mixture_options = {
            "num_classes": num_clusters,
            "initial_means": gmm_ops.first_means(initial_clusters),
            "params": params,
            "covariance_type": covariance_type,
            "random_seed": random_seed,
        }
        super().__init__(self._model, model_dir, config)

    def _rows(self, features: Any) -> ops.Tensor:
        if isinstance(features, dict):
            features = array_ops.concat([features[k] for k in sorted(features)], 1)
        features = ops.convert_to_tensor(features)
        return features if features.dtype.is_floating else math_ops.cast(features, dtypes.float32)  # fmt: skip

    def _model(self, features: Any, labels: Any, mode: str) -> model_fn_lib.ModelFnOps:
        del labels
        mixture = gmm_ops.GmmAlgorithm(
            [self._rows(features)],
            initializes=mode == model_fn_lib.ModeKeys.TRAIN,
            **self._mixture_options,
        )
        loss = mixture.log_likelihood_op()
        with ops.control_dependencies([mixture.training_ops()]):
            train_op = training_util.get_global_step().assign_add(1).op
        total = metrics_util.Sum(loss, "log_likelihood")
        return model_fn_lib.ModelFnOps(
            mode,
            predictions={self.ASSIGNMENTS: mixture.assignments()[0]},
            loss=loss,
            train_op=control_flow_ops.group(train_op),
            eval_metric_ops={
                self.SCORES: metric_ops_moments.streaming_concat(mixture.scores()),
                self.LOG_LIKELIHOOD: (total.value, total.added),
            },
        )

    def predict_assignments(
        self,
        input_fn: Callable[..., object] | None = None,
        batch_size: int | None = None,
        outputs: Sequence[str] | None = None,
    ) -> Iterator[np.integer]:
        """Yields the index of the likeliest Gaussian of each row.

        Args:
            input_fn: gives features.
            batch_size, outputs: as in `predict`; `outputs` must have ASSIGNMENTS, if given.
        """
        found = self.predict(input_fn=input_fn, batch_size=batch_size, outputs=outputs)
        for row in found:
            yield row[self.ASSIGNMENTS]

    def score(
        self,
        input_fn: Callable[..., object] | None = None,
        batch_size: int | None = None,
        steps: int | None = None,
    ) -> float:
        """The logarithm of the likelihood of all rows of `steps` batches, or of all until the input ends."""
        found = self.evaluate(input_fn=input_fn, batch_size=batch_size, steps=steps)
        return float(np.sum(found[self.LOG_LIKELIHOOD]))

    def weights(self) -> np.ndarray:
        """The weights of the latest checkpoint, [num_clusters]."""
        return self.get_variable_value(gmm_ops.GmmAlgorithm.CLUSTERS_WEIGHT)

    def clusters(self) -> np.ndarray:
        """The means of the latest checkpoint, [num_clusters, d]."""
        return self.get_variable_value(gmm_ops.GmmAlgorithm.CLUSTERS_VARIABLE)

    def covariances(self) -> np.ndarray:
        """The covariances of the latest checkpoint, [num_clusters, d, d], or their diagonals [num_clusters, d]."""
        return self.get_variable_value(gmm_ops.GmmAlgorithm.CLUSTERS_COVS_VARIABLE)
