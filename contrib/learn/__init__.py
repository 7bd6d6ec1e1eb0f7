# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.learn: estimators, heads, settings, texts as numbers.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.layers.python.layers.feature_column_parsing import (
    infer_real_valued_columns,
)
from tensorwright.contrib.learn.python.learn import (
    datasets,
    learn_runner,
    monitors,
    preprocessing,
    utils,
)
from tensorwright.contrib.learn.python.learn.estimators.canned import (
    DNNClassifier,
    DNNEstimator,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
)
from tensorwright.contrib.learn.python.learn.estimators.columns_of_input import (
    infer_real_valued_columns_from_input,
    infer_real_valued_columns_from_input_fn,
)
from tensorwright.contrib.learn.python.learn.estimators.constants import (
    PredictionKey,
    ProblemType,
    TaskType,
)
from tensorwright.contrib.learn.python.learn.estimators.estimator import (
    Estimator,
    Evaluable,
    SKCompat,
    Trainable,
)
from tensorwright.contrib.learn.python.learn.estimators.head import (
    Head,
    binary_svm_head,
    multi_class_head,
    multi_head,
    multi_label_head,
    no_op_train_fn,
    poisson_regression_head,
    regression_head,
)
from tensorwright.contrib.learn.python.learn.estimators.kmeans import KMeansClustering
from tensorwright.contrib.learn.python.learn.estimators.logistic_regressor import (
    LogisticRegressor,
)
from tensorwright.contrib.learn.python.learn.estimators.model_fn import (
    InputFnOps,
    ModeKeys,
    ModelFnOps,
)
from tensorwright.contrib.learn.python.learn.estimators.run_config import RunConfig
from tensorwright.contrib.learn.python.learn.experiment import Experiment
from tensorwright.contrib.learn.python.learn.export_strategy import ExportStrategy
from tensorwright.contrib.learn.python.learn.graph_actions import (
    evaluate,
    infer,
    run_feeds,
    run_n,
    train,
)
from tensorwright.contrib.learn.python.learn.learn_io import (
    extract_dask_data,
    extract_dask_labels,
    extract_pandas_data,
    extract_pandas_labels,
    extract_pandas_matrix,
    read_batch_examples,
    read_batch_features,
    read_batch_record_features,
)
from tensorwright.contrib.learn.python.learn.metric_spec import MetricSpec
from tensorwright.contrib.learn.python.learn.utils.input_fn_utils import (
    build_parsing_serving_input_fn,
)
from tensorwright.contrib.learn.python.learn.utils.saved_model_export_utils import (
    make_export_strategy,
)
from tensorwright.python.training.basic_session_run_hooks import (
    NanLossDuringTrainingError,
)
