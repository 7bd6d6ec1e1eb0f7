# SPDX-License-Identifier: Apache-2.0
"""Tuner: the interface of tuners of hyperparameters."""

from __future__ import annotations

import abc
from collections.abc import Callable

__all__ = ["Tuner"]


class Tuner(abc.ABC):
    """Tries sets of hyperparameters; subclasses say which."""

    @abc.abstractmethod
    def next_trial(self) -> bool:
        """Goes on to the next trial; False if there is none."""

    @abc.abstractmethod
    def run_experiment(self, experiment_fn: Callable[..., object]) -> None:
        """Runs `experiment_fn` with the hyperparameters of this trial."""
