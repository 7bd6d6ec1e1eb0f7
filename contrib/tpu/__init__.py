# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.tpu`: models that are written for TPUs, on CPUs.

No TPU is used: `use_tpu=True` is refused.  Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.contrib.tpu.python.tpu.bfloat16 import bfloat16_scope
from tensorwright.contrib.tpu.python.tpu.tpu_config import (
    InputPipelineConfig,
    RunConfig,
    TPUConfig,
)
from tensorwright.contrib.tpu.python.tpu.tpu_estimator import (
    TPUEstimator,
    TPUEstimatorSpec,
)
from tensorwright.contrib.tpu.python.tpu.tpu_optimizer import (
    CrossShardOptimizer,
    cross_replica_sum,
)
from tensorwright.contrib.tpu.python.tpu.training_loop import repeat, while_loop

__getattr__ = _missing.names(
    __name__,
    "batch_parallel",
    "initialize_system",
    "keras_to_tpu_model",
    "replicate",
    "rewrite",
    "shard",
    "shutdown_system",
)
