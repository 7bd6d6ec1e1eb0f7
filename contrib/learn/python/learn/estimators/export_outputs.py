# SPDX-License-Identifier: Apache-2.0
"""Predictions of heads as the outputs of exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.contrib.learn.python.learn.estimators.constants import (
    PredictionKey,
    ProblemType,
)
from tensorwright.python.estimator.export import export_output
from tensorwright.python.framework import dtypes

if TYPE_CHECKING:
    from tensorwright.python.framework import ops


__all__ = ["output_of"]

_CLASSIFIES = (ProblemType.CLASSIFICATION, ProblemType.LOGISTIC_REGRESSION)


def output_of(
    problem: int, predictions: ops.Tensor | dict[str, ops.Tensor]
) -> export_output.ExportOutput:
    """Returns the output of a head: of classification or regression if the predictions suffice for that, else plain.

    Args:
        problem: one of ProblemType.
        predictions: a tensor, or a dict of them.
    """
    if not isinstance(predictions, dict):
        predictions = {PredictionKey.GENERIC: predictions}
    scores = predictions.get(PredictionKey.SCORES)
    if problem in _CLASSIFIES:
        classes = predictions.get(PredictionKey.CLASSES)
        if classes is not None and classes.dtype != dtypes.string:
            classes = None
        odds = predictions.get(PredictionKey.PROBABILITIES, scores)
        if classes is not None or odds is not None:
            return export_output.ClassificationOutput(odds, classes)
    if problem == ProblemType.LINEAR_REGRESSION and scores is not None:
        return export_output.RegressionOutput(scores)
    return export_output.PredictOutput(predictions)
