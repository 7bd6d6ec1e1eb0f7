# SPDX-License-Identifier: Apache-2.0
"""`tf.compat.v2`: names of TensorFlow's second version with its order of arguments, as graph mode has them.

Names that need eager execution (`GradientTape`, `function`) are missing, and so is everything not listed here.
"""

from __future__ import annotations

import importlib
from typing import Any

_PACKAGE = __name__.partition(".")[0]

# Modules and values that are the same in both versions.
_SAME = frozenset(
    """
    audio autograph bitwise compat config data debugging dtypes errors estimator feature_column graph_util image io
    keras linalg lookup math nest nn profiler quantization queue raw_ops saved_model sets signal sparse strings
    sysconfig test train version AggregationMethod Assert DType DeviceSpec Graph IndexedSlices IndexedSlicesSpec Module
    NoneTensorSpec Operation RegisterGradient SparseTensor SparseTensorSpec Tensor TensorArray TensorArraySpec
    TensorShape TensorSpec TypeSpec UnconnectedGradients VariableAggregation VariableSynchronization abs acos acosh add
    add_n argsort as_dtype as_string asin asinh assert_equal assert_greater assert_less assert_rank atan atan2 atanh
    bfloat16 bitcast bool boolean_mask broadcast_dynamic_shape broadcast_static_shape broadcast_to case cast
    clip_by_global_norm clip_by_norm clip_by_value complex complex128 complex64 concat constant control_dependencies cos
    cosh cumsum custom_gradient device divide double dynamic_partition dynamic_stitch edit_distance einsum ensure_shape
    equal executing_eagerly exp extract_volume_patches eye fill fingerprint float16 float32 float64 floor foldl foldr
    gather_nd get_logger get_static_value grad_pass_through greater greater_equal group guarantee_const half hessians
    histogram_fixed_width histogram_fixed_width_bins identity identity_n import_graph_def init_scope int16 int32 int64
    int8 is_tensor less less_equal linspace load_library load_op_library logical_and logical_not logical_or make_ndarray
    make_tensor_proto map_fn matmul maximum meshgrid minimum multiply name_scope negative newaxis no_gradient no_op
    nondifferentiable_batch_function not_equal numpy_function one_hot parallel_stack pow print qint16 qint32 qint8
    quint16 quint8 range rank realdiv recompute_grad register_tensor_conversion_function repeat
    required_space_to_batch_paddings reshape resource reverse roll round saturate_cast scalar_mul scan scatter_nd
    searchsorted sequence_mask shape_n sigmoid sign sin sinh slice sort space_to_batch_nd split sqrt square stack
    stop_gradient strided_slice string subtract switch_case tan tanh tensor_scatter_nd_add tensor_scatter_nd_max
    tensor_scatter_nd_min tensor_scatter_nd_sub tensor_scatter_nd_update tensordot tile timestamp truediv truncatediv
    truncatemod tuple type_spec_from_value uint16 uint32 uint64 uint8 unique unique_with_counts unravel_index unstack
    variable_creator_scope variant
    """.split()
)

# Functions of v2_functions.py.
_OTHER = frozenset(
    """
    Variable argmax argmin cond convert_to_tensor expand_dims gather gradients norm ones ones_like pad reduce_all
    reduce_any reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum shape size squeeze transpose
    where while_loop zeros zeros_like
    """.split()
)


# The second version's are those of tf.keras.
_OF_KERAS = frozenset(["initializers", "losses", "metrics", "optimizers"])


def _one() -> Any:
    return importlib.import_module(_PACKAGE)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        value = _one().__version__
    elif name in _OTHER:
        value = getattr(importlib.import_module(f"{__name__}_functions"), name)
    elif name in _OF_KERAS:
        value = getattr(_one().keras, name)
    elif name == "random":
        value = importlib.import_module(f"{__name__}_random")
    elif name in _SAME:
        value = getattr(_one(), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    same = {name for name in _SAME if hasattr(_one(), name)}
    return sorted(same | _OTHER | _OF_KERAS | {"random"})
