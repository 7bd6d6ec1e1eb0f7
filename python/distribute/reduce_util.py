# SPDX-License-Identifier: Apache-2.0
"""How values of replicas become one.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.python.distribute.distribute_lib import ReduceOp
