# SPDX-License-Identifier: Apache-2.0
"""Names of predictions."""


class PredictionKeys:
    """The names of the predictions that `predict` of the ready-made estimators yields."""

    CLASSES = "classes"
    CLASS_IDS = "class_ids"
    LOGISTIC = "logistic"
    LOGITS = "logits"
    PREDICTIONS = "predictions"
    PROBABILITIES = "probabilities"
