# SPDX-License-Identifier: Apache-2.0
"""An estimator of factors of a sparse matrix, by weighted alternating least squares."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.contrib.factorization.python.ops import (
    factorization_ops,
    wals_sweeps,
)
from tensorwright.contrib.learn.python.learn.estimators import estimator, model_fn
from tensorwright.python.framework import ops, smart_cond
from tensorwright.python.ops import control_flow_ops
from tensorwright.python.summary import summary

if TYPE_CHECKING:
    from tensorwright.contrib.factorization.python.ops.factor_shards import (
        FactorValues,
        Weights,
    )
    from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig


__all__ = ["WALSMatrixFactorization"]


class WALSMatrixFactorization(estimator.Estimator):
    """Finds factors U [n, k] and V [m, k] of a sparse matrix A [n, m], whose product U V^T is near it; see `WALSModel`.

    An input function gives (features, None), or features; they are a dict of tensors by these keys:

        INPUT_ROWS: float32 SparseTensor [n, m] with all entries of some rows of A, at their places in A.
        INPUT_COLS: float32 SparseTensor [m, n] with all entries of some columns, at their places in the transpose of A.
        PROJECT_ROW: bool scalar, for evaluation and projection: whether they are of INPUT_ROWS or of INPUT_COLS. If it
            is a constant, the other input may be absent.
        PROJECTION_WEIGHTS: float32 weights of the rows, or columns, that are projected, one or one for each; 1 if absent.

    A training goes through sweeps: one that solves for the factors of all rows, then one for all columns, and so on. A
    step takes a batch of what its sweep is of, and leaves the other input unread. A sweep ends when each row, or
    column, was in a batch with an entry; so a matrix with an empty row or column does not get beyond it. The
    checkpoint remembers the sweep, so that a later training goes on within it. The loss that a step reports is that of
    the batch before.

    The loss of an evaluation is that of the rows, or columns, with the factors that are best for them.

    Args:
        num_rows: n.
        num_cols: m.
        embedding_dimension: k.
        unobserved_weight: the weight of entries that are not there.
        regularization_coeff: what squares of factors count; None: nothing.
        row_init, col_init: the first factors: "random", an array, or a list with one for each shard.
        num_row_shards, num_col_shards: numbers of the variables that hold factors.
        row_weights, col_weights: as in `WALSModel`.
        use_factors_weights_cache_for_training, use_gramian_cache_for_training: whether training reads copies of the
            factors that a sweep leaves fixed, and of their product.
        max_sweeps: after how many sweeps training ends, those of rows and of columns counted; None: never.
        model_dir: the folder.
        config: a RunConfig of tf.contrib.learn.

    Raises:
        ValueError: a config for more than one worker.

    Example:
        model = tf.contrib.factorization.WALSMatrixFactorization(n, m, 10, max_sweeps=20, model_dir=folder)
        model.fit(input_fn=train_input)
        u = np.concatenate(model.get_row_factors())
        for factor in model.get_projections(new_rows_input): ...
    """

    INPUT_ROWS = "input_rows"
    INPUT_COLS = "input_cols"
    PROJECT_ROW = "project_row"
    PROJECTION_WEIGHTS = "projection_weights"
    # The key of predictions.
    PROJECTION_RESULT = "projection"
    # Names of variables, and of their summaries: sweeps that are over, the loss and the root of the weighted mean
    # squared error of the last batch.
    COMPLETED_SWEEPS = "completed_sweeps"
    LOSS = "WALS_loss"
    RWSE = "WALS_RWSE"

    def __init__(
        self,
        num_rows: int,
        num_cols: int,
        embedding_dimension: int,
        unobserved_weight: float = 0.1,
        regularization_coeff: float | None = None,
        row_init: FactorValues = "random",
        col_init: FactorValues = "random",
        num_row_shards: int = 1,
        num_col_shards: int = 1,
        row_weights: Weights = 1,
        col_weights: Weights = 1,
        use_factors_weights_cache_for_training: bool = True,
        use_gramian_cache_for_training: bool = True,
        max_sweeps: int | None = None,
        model_dir: str | None = None,
        config: RunConfig | None = None,
    ):
        params = {
            "num_rows": num_rows,
            "num_cols": num_cols,
            "embedding_dimension": embedding_dimension,
            "unobserved_weight": unobserved_weight,
            "regularization_coeff": regularization_coeff,
            "row_init": row_init,
            "col_init": col_init,
            "num_row_shards": num_row_shards,
            "num_col_shards": num_col_shards,
            "row_weights": row_weights,
            "col_weights": col_weights,
            "use_factors_weights_cache_for_training": use_factors_weights_cache_for_training,
            "use_gramian_cache_for_training": use_gramian_cache_for_training,
            "max_sweeps": max_sweeps,
        }
        super().__init__(_model_fn, model_dir, config, params)
        workers = self.config.num_worker_replicas
        if workers > 1:
            raise ValueError(
                f"WALSMatrixFactorization: config must have one worker at most, got {workers}"
            )

    def _factors(self, side: str) -> list[np.ndarray]:
        count = self.params[f"num_{side}_shards"]
        return [self.get_variable_value(f"{side}_factors_shard_{i}") for i in range(count)]  # fmt: skip

    def get_row_factors(self) -> list[np.ndarray]:
        """The row factors of the latest checkpoint, [rows of the shard, k] for each shard."""
        return self._factors("row")

    def get_col_factors(self) -> list[np.ndarray]:
        """The column factors of the latest checkpoint, [columns of the shard, k] for each shard."""
        return self._factors("col")

    def get_projections(self, input_fn: Callable[..., object]) -> Iterator[np.ndarray]:
        """Yields the factors [k] of rows, or columns, in the order in which each batch names them first."""
        for found in self.predict(input_fn=input_fn, outputs=[self.PROJECTION_RESULT]):
            yield found[self.PROJECTION_RESULT]


def _needed(features: Any, key: str) -> Any:
    if not isinstance(features, dict) or key not in features:
        found = sorted(features) if isinstance(features, dict) else features
        raise ValueError(
            f"WALSMatrixFactorization: features must be a dict with {key!r}, got {found}"
        )
    return features[key]


def _model_fn(
    features: Any, labels: Any, mode: str, params: dict[str, Any]
) -> model_fn.ModelFnOps:
    if labels is not None:
        raise ValueError(f"WALSMatrixFactorization: labels must be None, got {labels}")
    training = mode == model_fn.ModeKeys.TRAIN
    model = factorization_ops.WALSModel(
        params["num_rows"],
        params["num_cols"],
        params["embedding_dimension"],
        params["unobserved_weight"],
        params["regularization_coeff"],
        params["row_init"],
        params["col_init"],
        params["num_row_shards"],
        params["num_col_shards"],
        params["row_weights"],
        params["col_weights"],
        training and params["use_factors_weights_cache_for_training"],
        training and params["use_gramian_cache_for_training"],
    )
    if training:
        return _training(model, features, params)
    # The products of factors in a checkpoint may be older than the factors.
    ready = [model.row_update_prep_gramian_op, model.col_update_prep_gramian_op]
    with ops.control_dependencies(ready):
        if mode == model_fn.ModeKeys.EVAL:
            loss = _of_chosen_side(features, *_losses(model, features))
            return model_fn.ModelFnOps(mode, predictions={}, loss=loss)
        found = _of_chosen_side(features, *_projections(model, features))
    key = WALSMatrixFactorization.PROJECTION_RESULT
    return model_fn.ModelFnOps(mode, predictions={key: found})


def _training(
    model: factorization_ops.WALSModel, features: Any, params: dict[str, Any]
) -> model_fn.ModelFnOps:
    names = WALSMatrixFactorization
    sweeps = wals_sweeps.Sweeps(
        params["num_rows"], params["num_cols"], names.COMPLETED_SWEEPS, names.LOSS, names.RWSE
    )  # fmt: skip
    rows, cols = (_needed(features, k) for k in (names.INPUT_ROWS, names.INPUT_COLS))
    row_op = sweeps.batch_op(True, rows, model.update_row_factors(rows))
    col_op = sweeps.batch_op(False, cols, model.update_col_factors(cols, True))
    summary.scalar("root_weighted_squared_error", sweeps.last_error)
    summary.scalar("completed_sweeps", sweeps.completed)
    hooks: list[Any] = [
        wals_sweeps.SweepHook(
            sweeps,
            model.worker_init,
            [model.row_update_prep_gramian_op, model.initialize_row_update_op],
            [model.col_update_prep_gramian_op, model.initialize_col_update_op],
            row_op,
            col_op,
        )
    ]
    if params["max_sweeps"] is not None:
        hooks.append(wals_sweeps.StopAtSweepHook(sweeps, params["max_sweeps"]))
    # The hook adds what a step does.
    return model_fn.ModelFnOps(
        model_fn.ModeKeys.TRAIN,
        predictions={},
        loss=sweeps.last_loss,
        train_op=control_flow_ops.no_op(),
        training_hooks=hooks,
    )


def _of_chosen_side(
    features: Any, of_rows: Callable[[], Any], of_cols: Callable[[], Any]
) -> ops.Tensor:
    chosen = _needed(features, WALSMatrixFactorization.PROJECT_ROW)
    return smart_cond.smart_cond(chosen, of_rows, of_cols)


def _losses(model: factorization_ops.WALSModel, features: Any) -> tuple:
    """The functions that give the loss of the rows and of the columns of the input."""

    def of_rows() -> ops.Tensor:
        rows = _needed(features, WALSMatrixFactorization.INPUT_ROWS)
        _, _, squares, added, _ = model.update_row_factors(rows)
        return squares + added

    def of_cols() -> ops.Tensor:
        cols = _needed(features, WALSMatrixFactorization.INPUT_COLS)
        _, _, squares, added, _ = model.update_col_factors(cols, True)
        return squares + added

    return of_rows, of_cols


def _projections(model: factorization_ops.WALSModel, features: Any) -> tuple:
    """The functions that give the factors of the rows and of the columns of the input."""
    weights = None
    if isinstance(features, dict):
        weights = features.get(WALSMatrixFactorization.PROJECTION_WEIGHTS)

    def of_rows() -> ops.Tensor:
        rows = _needed(features, WALSMatrixFactorization.INPUT_ROWS)
        return model.project_row_factors(rows, projection_weights=weights)

    def of_cols() -> ops.Tensor:
        cols = _needed(features, WALSMatrixFactorization.INPUT_COLS)
        return model.project_col_factors(cols, True, weights)

    return of_rows, of_cols
