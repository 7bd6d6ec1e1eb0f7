# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.losses: losses with predictions first, from before tf.losses.

Re-exports, no code.
"""

# ruff: noqa: F401, F403
from tensorwright.contrib.losses.python import metric_learning
from tensorwright.contrib.losses.python.losses.loss_ops import *
