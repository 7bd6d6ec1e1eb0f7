# SPDX-License-Identifier: Apache-2.0
"""Names of problems, of predictions, and of tasks."""

from __future__ import annotations

__all__ = ["PredictionKey", "ProblemType", "TaskType"]


class ProblemType:
    """The kinds of problems that a head solves."""

    UNSPECIFIED = 0
    CLASSIFICATION = 1
    LINEAR_REGRESSION = 2
    LOGISTIC_REGRESSION = 3


class PredictionKey:
    """Keys of predictions."""

    CLASSES = "classes"
    PROBABILITIES = "probabilities"
    LOGITS = "logits"
    LOGISTIC = "logistic"
    SCORES = "scores"
    TOP_K = "top_k"
    GENERIC = "output"


class TaskType:
    """The roles of a cluster's processes."""

    MASTER = "master"
    PS = "ps"
    WORKER = "worker"
