# SPDX-License-Identifier: Apache-2.0
"""`tf.dtypes`: the dtypes, and the ops that change a tensor's dtype."""

# ruff: noqa: F401, F403
from tensorwright.python.framework.dtypes import *
from tensorwright.python.framework.dtypes import (
    QUANTIZED_DTYPES as QUANTIZED_DTYPES,
    DType as DType,
    as_dtype as as_dtype,
)
from tensorwright.python.ops.math_ops import (  # noqa: A004
    cast as cast,
    complex as complex,
    saturate_cast as saturate_cast,
)
from tensorwright.python.ops.string_ops import as_string as as_string
