# SPDX-License-Identifier: Apache-2.0
"""The interfaces of models that are trained and measured."""

from __future__ import annotations

import abc
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework.type_aliases import TensorLike

if TYPE_CHECKING:
    from tensorwright.python.training.session_run_hook import SessionRunHook


__all__ = ["Evaluable", "Trainable"]


class Trainable(abc.ABC):
    """A model that can be trained."""

    @abc.abstractmethod
    def fit(self, x: TensorLike | None = None, y: TensorLike | None = None, input_fn: Callable[..., object] | None = None, steps: int | None = None, batch_size: TensorLike | None = None, monitors: Sequence[SessionRunHook] | None = None, max_steps: int | None = None) -> Trainable:  # fmt: skip # noqa: E501
        """Trains the model."""


class Evaluable(abc.ABC):
    """A model that can be evaluated."""

    @property
    @abc.abstractmethod
    def model_dir(self) -> str:
        """The folder."""

    @abc.abstractmethod
    def evaluate(self, x: TensorLike | None = None, y: TensorLike | None = None, input_fn: Callable[..., object] | None = None, feed_fn: Callable[..., object] | None = None, batch_size: TensorLike | None = None, steps: int | None = None, metrics: Any = None, name: Any = None, checkpoint_path: Any = None, hooks: Sequence[SessionRunHook] | None = None) -> Any:  # fmt: skip # noqa: E501
        """Measures the model."""
