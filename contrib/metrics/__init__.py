# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.metrics: metrics over streams of batches, from before tf.metrics, and sets.

Re-exports, no code.
"""

# ruff: noqa: F401, F403
from tensorwright.contrib.metrics.python.metrics.classification import accuracy
from tensorwright.contrib.metrics.python.ops.confusion_matrix_ops import (
    confusion_matrix,
)
from tensorwright.contrib.metrics.python.ops.histogram_ops import auc_using_histogram
from tensorwright.contrib.metrics.python.ops.metric_ops_agreement import (
    cohen_kappa,
    count,
    f1_score,
)
from tensorwright.contrib.metrics.python.ops.metric_ops_means import *
from tensorwright.contrib.metrics.python.ops.metric_ops_moments import (
    aggregate_metric_map,
    aggregate_metrics,
    streaming_concat,
    streaming_covariance,
    streaming_curve_points,
    streaming_pearson_correlation,
)
from tensorwright.contrib.metrics.python.ops.set_ops import (
    set_difference,
    set_intersection,
    set_size,
    set_union,
)
