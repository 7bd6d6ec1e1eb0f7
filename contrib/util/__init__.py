# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.util: constants of tensors, tensors as protos, the ops of a graph.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.util.op_list import (
    ops_used_by_graph_def,
    stripped_op_list_for_graph,
)
from tensorwright.python.framework.tensor_util import (
    MakeNdarray as make_ndarray,
    constant_value,
    make_tensor_proto,
)
