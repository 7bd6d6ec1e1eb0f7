# SPDX-License-Identifier: Apache-2.0
"""tf.estimator: re-exports, no code."""

from tensorwright.python.estimator.canned.baseline import (
    BaselineClassifier as BaselineClassifier,
    BaselineEstimator as BaselineEstimator,
    BaselineRegressor as BaselineRegressor,
)
from tensorwright.python.estimator.canned.dnn import (
    DNNClassifier as DNNClassifier,
    DNNEstimator as DNNEstimator,
    DNNRegressor as DNNRegressor,
)
from tensorwright.python.estimator.canned.dnn_linear_combined import (
    DNNLinearCombinedClassifier as DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator as DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor as DNNLinearCombinedRegressor,
)
from tensorwright.python.estimator.canned.linear import (
    LinearClassifier as LinearClassifier,
    LinearEstimator as LinearEstimator,
    LinearRegressor as LinearRegressor,
)
from tensorwright.python.estimator.canned.parsing_utils import (
    classifier_parse_example_spec as classifier_parse_example_spec,
    regressor_parse_example_spec as regressor_parse_example_spec,
)
from tensorwright.python.estimator.estimator import (
    Estimator as Estimator,
    WarmStartSettings as WarmStartSettings,
)
from tensorwright.python.estimator.export import export_lib as export_lib
from tensorwright.python.estimator.exporter import (
    BestExporter as BestExporter,
    Exporter as Exporter,
    FinalExporter as FinalExporter,
    LatestExporter as LatestExporter,
)
from tensorwright.python.estimator.extenders import add_metrics as add_metrics
from tensorwright.python.estimator.inputs import inputs as inputs
from tensorwright.python.estimator.model_fn import (
    EstimatorSpec as EstimatorSpec,
    ModeKeys as ModeKeys,
)
from tensorwright.python.estimator.run_config import RunConfig as RunConfig
from tensorwright.python.estimator.training import (
    EvalSpec as EvalSpec,
    TrainSpec as TrainSpec,
    train_and_evaluate as train_and_evaluate,
)
from tensorwright.python.training.basic_session_run_hooks import (
    CheckpointSaverHook as CheckpointSaverHook,
    CheckpointSaverListener as CheckpointSaverListener,
    FeedFnHook as FeedFnHook,
    FinalOpsHook as FinalOpsHook,
    GlobalStepWaiterHook as GlobalStepWaiterHook,
    LoggingTensorHook as LoggingTensorHook,
    NanLossDuringTrainingError as NanLossDuringTrainingError,
    NanTensorHook as NanTensorHook,
    ProfilerHook as ProfilerHook,
    SecondOrStepTimer as SecondOrStepTimer,
    StepCounterHook as StepCounterHook,
    StopAtStepHook as StopAtStepHook,
    SummarySaverHook as SummarySaverHook,
)
from tensorwright.python.training.session_run_hook import (
    SessionRunArgs as SessionRunArgs,
    SessionRunContext as SessionRunContext,
    SessionRunHook as SessionRunHook,
    SessionRunValues as SessionRunValues,
)
from tensorwright.python.training.warm_starting_util import VocabInfo as VocabInfo

export = export_lib
