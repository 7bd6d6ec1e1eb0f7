# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.slim: layers, scopes of arguments, losses, training, evaluation and data of models.

Re-exports, no code.
"""

# ruff: noqa: F401, F403
from tensorwright.contrib import losses, metrics
from tensorwright.contrib.framework.python.ops.arg_scope import *
from tensorwright.contrib.framework.python.ops.variables import *
from tensorwright.contrib.layers.python.layers import *
from tensorwright.contrib.layers.python.layers.initializers import *
from tensorwright.contrib.layers.python.layers.regularizers import *
from tensorwright.contrib.slim import nets
from tensorwright.contrib.slim.python.slim import (
    evaluation,
    learning,
    model_analyzer,
    queues,
    summaries,
)
from tensorwright.contrib.slim.python.slim.data import (
    data_decoder,
    data_provider,
    dataset,
    dataset_data_provider,
    parallel_reader,
    tfexample_decoder,
)
from tensorwright.contrib.slim.python.slim.data.prefetch_queue import prefetch_queue
from tensorwright.python.util.all_util import make_all
