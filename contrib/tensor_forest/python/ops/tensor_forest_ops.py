# SPDX-License-Identifier: Apache-2.0
"""Numbers for strings.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.python.ops.gen_tensor_forest_ops import reinterpret_string_to_float

__getattr__ = _missing.names(__name__, "scatter_add_ndim")
