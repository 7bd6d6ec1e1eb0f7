# SPDX-License-Identifier: Apache-2.0
"""tf.estimator.export: re-exports, no code."""

from tensorwright.python.estimator.export.export import (
    ServingInputReceiver as ServingInputReceiver,
    TensorServingInputReceiver as TensorServingInputReceiver,
    build_parsing_serving_input_receiver_fn as build_parsing_serving_input_receiver_fn,
    build_raw_serving_input_receiver_fn as build_raw_serving_input_receiver_fn,
)
from tensorwright.python.estimator.export.export_output import (
    ClassificationOutput as ClassificationOutput,
    ExportOutput as ExportOutput,
    PredictOutput as PredictOutput,
    RegressionOutput as RegressionOutput,
)
