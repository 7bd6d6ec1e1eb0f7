# SPDX-License-Identifier: Apache-2.0
"""`tf.distribute`: strategies of training, of which the one of one device is here.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.python.distribute.distribute_lib import (
    InputContext,
    ReduceOp,
    ReplicaContext,
    Strategy,
)
from tensorwright.python.distribute.distribution_strategy_context import (
    get_replica_context,
    get_strategy,
    has_strategy,
    in_cross_replica_context,
)
from tensorwright.python.distribute.one_device_strategy import OneDeviceStrategy

__all__ = [
    "InputContext",
    "OneDeviceStrategy",
    "ReduceOp",
    "ReplicaContext",
    "Strategy",
    "get_replica_context",
    "get_strategy",
    "has_strategy",
    "in_cross_replica_context",
]
