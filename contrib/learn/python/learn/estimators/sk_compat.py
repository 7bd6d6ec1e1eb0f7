# SPDX-License-Identifier: Apache-2.0
"""An estimator with scikit-learn's methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.type_aliases import TensorLike

if TYPE_CHECKING:
    from tensorwright.contrib.learn.python.learn.estimators.estimator import Estimator
    from tensorwright.python.training.session_run_hook import SessionRunHook

__all__ = ["SKCompat"]


class SKCompat:
    """An estimator with scikit-learn's methods.

    Args:
        estimator: an Estimator.
    """

    def __init__(self, estimator: Estimator):
        self._estimator = estimator

    def fit(self, x: TensorLike, y: TensorLike, batch_size: int = 128, steps: int | None = None, max_steps: int | None = None, monitors: Sequence[SessionRunHook] | None = None) -> SKCompat:  # fmt: skip # noqa: E501
        """Trains on arrays."""
        self._estimator.fit(x, y, None, steps, batch_size, monitors, max_steps)
        return self

    def score(self, x: TensorLike, y: TensorLike, batch_size: int = 128, steps: int | None = None, metrics: Any = None, name: str | None = None) -> dict[str, Any] | None:  # fmt: skip # noqa: E501
        """The values of metrics on arrays, by name."""
        found = self._estimator.evaluate(
            x, y, batch_size=batch_size, steps=steps, metrics=metrics, name=name
        )
        return found

    def predict(self, x: TensorLike, batch_size: int = 128, outputs: Any = None) -> Any:
        """Predictions for an array, as arrays."""
        return self._estimator.predict(
            x, batch_size=batch_size, outputs=outputs, as_iterable=False
        )
