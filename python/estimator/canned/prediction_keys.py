# SPDX-License-Identifier: Apache-2.0
"""Names of predictions."""


class PredictionKeys:
    """What `predict` of the ready-made estimators gives."""

    CLASSES = "classes"
    CLASS_IDS = "class_ids"
    LOGISTIC = "logistic"
    LOGITS = "logits"
    PREDICTIONS = "predictions"
    PROBABILITIES = "probabilities"
