# SPDX-License-Identifier: Apache-2.0
"""`tf.dtypes`: the dtypes, and the ops that change a tensor's dtype."""

# ruff: noqa: F401, F403
from tensorwright.python.framework.dtypes import *
from tensorwright.python.framework.dtypes import QUANTIZED_DTYPES, DType, as_dtype
from tensorwright.python.ops.math_ops import cast, complex, saturate_cast  # noqa: A004
