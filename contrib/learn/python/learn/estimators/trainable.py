# SPDX-License-Identifier: Apache-2.0
"""The interfaces of models that are trained and measured."""

from __future__ import annotations

import abc
from typing import Any

__all__ = ["Evaluable", "Trainable"]


class Trainable(abc.ABC):
    """A model that can be trained."""

    @abc.abstractmethod
    def fit(self, x: Any = None, y: Any = None, input_fn: Any = None, steps: Any = None, batch_size: Any = None, monitors: Any = None, max_steps: Any = None) -> Any:  # fmt: skip # noqa: E501
        """Trains the model."""


class Evaluable(abc.ABC):
    """A model that can be evaluated."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> str:
        """The folder."""

    @abc.abstractmethod
    def evaluate(self, x: Any = None, y: Any = None, input_fn: Any = None, feed_fn: Any = None, batch_size: Any = None, steps: Any = None, metrics: Any = None, name: Any = None, checkpoint_path: Any = None, hooks: Any = None) -> Any:  # fmt: skip # noqa: E501
        """Measures the model."""
