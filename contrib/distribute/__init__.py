# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.distribute`: what `tf.distribute` has, and the names that its parts had before.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.contrib.distribute.python.one_device_strategy import (
    OneDeviceStrategy,
)
from tensorwright.python.distribute.distribute_lib import (
    ReduceOp,
    ReplicaContext,
    Strategy,
)
from tensorwright.python.distribute.distribution_strategy_context import (
    get_cross_replica_context,
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)

DistributionStrategy = Strategy
has_distribution_strategy = has_strategy
get_distribution_strategy = get_strategy
get_tower_context = get_replica_context
get_cross_tower_context = get_cross_replica_context
in_cross_tower_context = in_cross_replica_context

__getattr__ = _missing.names(
    __name__,
    "CollectiveAllReduceStrategy",
    "MirroredStrategy",
    "ParameterServerStrategy",
    "TPUStrategy",
    "run_standard_tensorflow_server",
)
