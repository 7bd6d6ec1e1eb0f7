# SPDX-License-Identifier: Apache-2.0
"""tf.metrics: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.python.ops._metrics.metrics_classes import (
    accuracy,
    mean_iou,
    mean_per_class_accuracy,
)
from tensorwright.python.ops._metrics.metrics_counts import (
    false_negatives,
    false_positives,
    precision,
    recall,
    true_negatives,
    true_positives,
)
from tensorwright.python.ops._metrics.metrics_curves import (
    auc,
    sensitivity_at_specificity,
    specificity_at_sensitivity,
)
from tensorwright.python.ops._metrics.metrics_means import (
    mean,
    mean_absolute_error,
    mean_cosine_distance,
    mean_relative_error,
    mean_squared_error,
    mean_tensor,
    percentage_below,
    root_mean_squared_error,
)
from tensorwright.python.ops._metrics.metrics_ranking import (
    average_precision_at_k,
    precision_at_k,
    precision_at_top_k,
    recall_at_k,
    recall_at_top_k,
    sparse_average_precision_at_k,
    sparse_precision_at_k,
)
from tensorwright.python.ops._metrics.metrics_thresholds import (
    false_negatives_at_thresholds,
    false_positives_at_thresholds,
    precision_at_thresholds,
    recall_at_thresholds,
    true_negatives_at_thresholds,
    true_positives_at_thresholds,
)
