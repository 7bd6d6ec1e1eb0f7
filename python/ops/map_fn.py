# SPDX-License-Identifier: Apache-2.0
"""map_fn in the module where later versions of TensorFlow have it."""

# ruff: noqa: F401
from tensorwright.python.ops.functional_ops import map_fn as map_fn
