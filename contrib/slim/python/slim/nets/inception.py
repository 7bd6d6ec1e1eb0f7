# SPDX-License-Identifier: Apache-2.0
"""All Inception nets in one module: re-exports, no code."""

# ruff: noqa: F401, F403
from tensorwright.contrib.slim.python.slim.nets.inception_v1 import *
from tensorwright.contrib.slim.python.slim.nets.inception_v2 import *
from tensorwright.contrib.slim.python.slim.nets.inception_v3 import *
