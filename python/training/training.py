# SPDX-License-Identifier: Apache-2.0
"""tf.train: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.core.example.example_pb2 import Example, SequenceExample
from tensorwright.core.example.feature_pb2 import (
    BytesList,
    Feature,
    FeatureList,
    FeatureLists,
    Features,
    FloatList,
    Int64List,
)
from tensorwright.python.training.adadelta import AdadeltaOptimizer
from tensorwright.python.training.adagrad import AdagradOptimizer
from tensorwright.python.training.adam import AdamOptimizer
from tensorwright.python.training.device_setter import replica_device_setter
from tensorwright.python.training.ftrl import FtrlOptimizer
from tensorwright.python.training.gradient_descent import GradientDescentOptimizer
from tensorwright.python.training.learning_rate_decay import (
    cosine_decay,
    cosine_decay_restarts,
    exponential_decay,
    inverse_time_decay,
    linear_cosine_decay,
    natural_exp_decay,
    noisy_linear_cosine_decay,
    piecewise_constant,
    piecewise_constant_decay,
    polynomial_decay,
)
from tensorwright.python.training.momentum import MomentumOptimizer
from tensorwright.python.training.moving_averages import ExponentialMovingAverage
from tensorwright.python.training.optimizer import Optimizer
from tensorwright.python.training.rmsprop import RMSPropOptimizer
from tensorwright.python.training.server_lib import ClusterSpec
from tensorwright.python.training.training_util import (
    assert_global_step,
    create_global_step,
    get_global_step,
    get_or_create_global_step,
    global_step,
)
