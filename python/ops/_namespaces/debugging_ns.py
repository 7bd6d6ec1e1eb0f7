# SPDX-License-Identifier: Apache-2.0
"""tf.debugging: re-exports, no code."""

from tensorwright.python.framework.log_placement import (
    get_log_device_placement,
    set_log_device_placement,
)
from tensorwright.python.ops._check.check_ops_shapes import (
    assert_shapes,
)
from tensorwright.python.ops.array_ops import check_numerics
from tensorwright.python.ops.check_ops import (
    assert_equal,
    assert_greater,
    assert_greater_equal,
    assert_integer,
    assert_less,
    assert_less_equal,
    assert_near,
    assert_negative,
    assert_non_negative,
    assert_non_positive,
    assert_none_equal,
    assert_positive,
    assert_proper_iterable,
    assert_rank,
    assert_rank_at_least,
    assert_rank_in,
    assert_same_float_dtype,
    assert_scalar,
    assert_type,
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
)
from tensorwright.python.ops.control_flow_ops import Assert
from tensorwright.python.ops.math_ops import (
    is_finite,
    is_inf,
    is_nan,
)
from tensorwright.python.ops.numerics import (
    verify_tensor_all_finite as assert_all_finite,
)
from tensorwright.python.ops.numerics_callback import (
    disable_check_numerics,
    enable_check_numerics,
)
from tensorwright.python.util.traceback_utils import (
    disable_traceback_filtering,
    enable_traceback_filtering,
    is_traceback_filtering_enabled,
)

__all__ = [
    "Assert",
    "assert_all_finite",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_shapes",
    "assert_type",
    "check_numerics",
    "disable_check_numerics",
    "disable_traceback_filtering",
    "enable_check_numerics",
    "enable_traceback_filtering",
    "get_log_device_placement",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
    "is_traceback_filtering_enabled",
    "set_log_device_placement",
]
