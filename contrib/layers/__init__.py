# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.layers: layers, regularizers, feature columns.

Re-exports, no code.
"""

# ruff: noqa: F401, F403
from tensorwright.contrib.layers.python.layers import *
from tensorwright.contrib.layers.python.layers.feature_column import *
from tensorwright.contrib.layers.python.layers.feature_column_ops import *
from tensorwright.contrib.layers.python.layers.target_column import *
