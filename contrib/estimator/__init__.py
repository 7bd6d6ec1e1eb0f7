# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.estimator`: parts of estimators that came first here: early stopping, clipping, keys that are kept.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.estimator.python.estimator.early_stopping import (
    make_early_stopping_hook,
    make_stop_at_checkpoint_step_hook,
    read_eval_metrics,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from tensorwright.contrib.estimator.python.estimator.extenders import (
    clip_gradients_by_norm,
    forward_features,
)
from tensorwright.contrib.estimator.python.estimator.hooks import (
    InMemoryEvaluatorHook,
)
from tensorwright.contrib.estimator.python.estimator.logit_fns import (
    call_logit_fn,
    dnn_logit_fn_builder,
    linear_logit_fn_builder,
)
from tensorwright.python.estimator.canned.baseline import BaselineEstimator
from tensorwright.python.estimator.canned.dnn import DNNEstimator
from tensorwright.python.estimator.canned.dnn_linear_combined import (
    DNNLinearCombinedEstimator,
)
from tensorwright.python.estimator.canned.linear import LinearEstimator
from tensorwright.python.estimator.extenders import add_metrics
