# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.framework: argument scopes, variables of models, checkpoints and checks.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.framework.python.framework.checkpoint_utils import (
    init_from_checkpoint,
    list_variables,
    load_checkpoint,
    load_variable,
)
from tensorwright.contrib.framework.python.framework.deprecation import (
    deprecated_arg_values,
)
from tensorwright.contrib.framework.python.framework.experimental import experimental
from tensorwright.contrib.framework.python.framework.graph_util import fuse_op
from tensorwright.contrib.framework.python.framework.smart_cond import (
    smart_cond,
    smart_constant_value,
)
from tensorwright.contrib.framework.python.framework.tensor_util import (
    assert_same_float_dtype,
    assert_scalar,
    assert_scalar_int,
    convert_to_tensor_or_sparse_tensor,
    is_tensor,
    reduce_sum_n,
    remove_squeezable_dimensions,
    with_same_shape,
    with_shape,
)
from tensorwright.contrib.framework.python.ops.arg_scope import (
    add_arg_scope,
    arg_scope,
    arg_scoped_arguments,
    current_arg_scope,
    has_arg_scope,
)
from tensorwright.contrib.framework.python.ops.checkpoint_ops import (
    load_and_remap_matrix_initializer,
    load_embedding_initializer,
    load_linear_multiclass_bias_initializer,
    load_variable_slot_initializer,
)
from tensorwright.contrib.framework.python.ops.ops import (
    get_graph_from_inputs,
    get_name_scope,
)
from tensorwright.contrib.framework.python.ops.variables import (
    VariableDeviceChooser,
    add_model_variable,
    assert_global_step,
    assert_or_get_global_step,
    assign_from_checkpoint,
    assign_from_checkpoint_fn,
    assign_from_values,
    assign_from_values_fn,
    create_global_step,
    filter_variables,
    get_global_step,
    get_local_variables,
    get_model_variables,
    get_or_create_global_step,
    get_trainable_variables,
    get_unique_variable,
    get_variable_full_name,
    get_variables,
    get_variables_by_name,
    get_variables_by_suffix,
    get_variables_to_restore,
    global_variable,
    local_variable,
    model_variable,
    variable,
    zero_initializer,
)
from tensorwright.python.framework.ops import prepend_name_scope, strip_name_scope
from tensorwright.python.framework.tensor_spec import TensorSpec
from tensorwright.python.ops.check_ops import (
    is_non_decreasing,
    is_numeric_tensor,
    is_strictly_increasing,
)
from tensorwright.python.ops.sort_ops import argsort, sort
from tensorwright.python.util import nest
from tensorwright.python.util.deprecation import deprecated, deprecated_args
