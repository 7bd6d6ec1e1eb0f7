# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.distribute`: strategies of training, of which the one of one device is here.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.contrib.distribute.python.distribution_context import (
    ReduceOp,
    ReplicaContext,
    Strategy,
    get_cross_replica_context,
    get_cross_tower_context,
    get_distribution_strategy,
    get_replica_context,
    get_strategy,
    get_tower_context,
    has_distribution_strategy,
    has_strategy,
    in_cross_replica_context,
    in_cross_tower_context,
)
from tensorwright.contrib.distribute.python.one_device_strategy import (
    OneDeviceStrategy,
)

DistributionStrategy = Strategy

__getattr__ = _missing.names(
    __name__,
    "CollectiveAllReduceStrategy",
    "MirroredStrategy",
    "ParameterServerStrategy",
    "TPUStrategy",
    "run_standard_tensorflow_server",
)
