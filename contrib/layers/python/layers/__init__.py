# SPDX-License-Identifier: Apache-2.0
"""Layers, initializers, regularizers, summaries, encoders and training operations.

Re-exports, no code.
"""

# ruff: noqa: F401, F403
from tensorwright.contrib.layers.python.layers.embedding_ops import *
from tensorwright.contrib.layers.python.layers.encoders import *
from tensorwright.contrib.layers.python.layers.initializers import *
from tensorwright.contrib.layers.python.layers.layers import *
from tensorwright.contrib.layers.python.layers.optimizers import *
from tensorwright.contrib.layers.python.layers.regularizers import *
from tensorwright.contrib.layers.python.layers.summaries import *
