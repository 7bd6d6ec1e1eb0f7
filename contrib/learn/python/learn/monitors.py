# SPDX-License-Identifier: Apache-2.0
"""Monitors: hooks that measure a model of `tf.contrib.learn` while it is trained."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.type_aliases import SessionLike, TensorLike
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import (
    checkpoint_management,
    session_run_hook,
    training_util,
)

if TYPE_CHECKING:
    from tensorwright.python.training.session_run_hook import (
        SessionRunArgs,
        SessionRunContext,
        SessionRunHook,
        SessionRunValues,
    )


__all__ = ["ValidationMonitor"]


class ValidationMonitor(session_run_hook.SessionRunHook):
    """Evaluates the estimator that it is given to, when it has a new checkpoint, and may stop the training early.

        monitor = learn.monitors.ValidationMonitor(x_test, y_test, every_n_steps=50, early_stopping_rounds=200)
        classifier.fit(x, y, steps=2000, monitors=[monitor])

    Checkpoints come as the estimator's RunConfig says: `save_checkpoints_secs` is to be small enough.

    Args:
        x, y, input_fn, batch_size: input, as in `Estimator.evaluate`.
        eval_steps: how many batches; None: until the input ends.
        every_n_steps: after how many steps it looks for a new checkpoint.
        metrics: MetricSpecs by name.
        hooks: called around the runs of an evaluation.
        early_stopping_rounds: stops if that many steps brought no better value; None: never.
        early_stopping_metric: the name of that value.
        early_stopping_metric_minimize: whether less is better.
        name: the end of the name of the summaries' folder, which begins with "eval_".

    Raises:
        ValueError: neither `x` nor `input_fn`, or both.
    """

    def __init__(
        self,
        x: TensorLike | None = None,
        y: TensorLike | None = None,
        input_fn: Callable[..., object] | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Mapping[str, object] | None = None,
        hooks: Sequence[SessionRunHook] | None = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
    ):
        if (x is None) == (input_fn is None):
            raise ValueError("Either x and y or input_fn should be provided.")
        self._input = {"x": x, "y": y, "input_fn": input_fn, "batch_size": batch_size}
        self._eval_steps = eval_steps
        self._every_n_steps = every_n_steps
        self._metrics = metrics
        self._hooks = hooks
        self._early_stopping_rounds = early_stopping_rounds
        self._early_stopping_metric = early_stopping_metric
        self._sign = 1 if early_stopping_metric_minimize else -1
        self._name = name
        self._estimator: Any = None
        self._latest_path: str | None = None
        self._looked_at: int | None = None
        self.best_step: int | None = None
        self.best_value: Any = None
        self.best_metrics: dict[str, Any] | None = None
        self.early_stopped = False

    def set_estimator(self, estimator: object) -> None:
        """Says which estimator is measured: `fit` does that for its monitors."""
        self._estimator = estimator

    def begin(self) -> None:
        if self._estimator is None:
            raise ValueError("Missing call to set_estimator.")
        self._step = training_util.get_global_step()
        if self._step is None:
            raise RuntimeError("A global step is needed for ValidationMonitor.")
        self._looked_at = None
        self.early_stopped = False

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        del run_context
        return session_run_hook.SessionRunArgs(self._step)

    def after_run(
        self, run_context: SessionRunContext, run_values: SessionRunValues
    ) -> None:
        seen = int(run_values.results)
        if self._looked_at is not None and seen - self._looked_at < self._every_n_steps:
            return
        self._looked_at = seen
        if self._evaluate():
            logging.info("Stopping. Best step: %s with %s = %s.", self.best_step, self._early_stopping_metric, self.best_value)  # fmt: skip # noqa: E501
            self.early_stopped = True
            run_context.request_stop()

    def end(self, session: SessionLike) -> None:
        del session
        self._evaluate()

    def _evaluate(self) -> bool:
        """Measures a new checkpoint; whether the training should stop."""
        path = checkpoint_management.latest_checkpoint(self._estimator.model_dir)
        if path is None or path == self._latest_path:
            return False
        self._latest_path = path
        given = {k: v for k, v in self._input.items() if v is not None}
        found = self._estimator.evaluate(
            **given,
            steps=self._eval_steps,
            metrics=self._metrics,
            hooks=self._hooks,
            name=self._name,
            checkpoint_path=path,
        )
        step = int(found["global_step"])
        logging.info("Validation (step %d): %s", step, found)
        if self._early_stopping_rounds is None:
            return False
        if self._early_stopping_metric not in found:
            raise ValueError(
                f"Metric {self._early_stopping_metric} missing from outputs {sorted(found)}."
            )
        value = found[self._early_stopping_metric]
        if self.best_value is None or self._sign * value < self._sign * self.best_value:
            self.best_value, self.best_step, self.best_metrics = value, step, found
            return False
        return step - (self.best_step or 0) >= self._early_stopping_rounds
