# SPDX-License-Identifier: Apache-2.0
"""Writes the collections of contexts to a MetaGraphDef, and reads them back."""

from tensorwright.core.protobuf import control_flow_pb2
from tensorwright.python.framework import ops
from tensorwright.python.ops._control_flow.control_flow_ops_cond import CondContext
from tensorwright.python.ops._control_flow.control_flow_ops_while_context import (
    WhileContext,
)

ops.register_proto_function(
    ops.GraphKeys.COND_CONTEXT,
    proto_type=control_flow_pb2.CondContextDef,
    to_proto=CondContext.to_proto,
    from_proto=CondContext.from_proto,
)
ops.register_proto_function(
    ops.GraphKeys.WHILE_CONTEXT,
    proto_type=control_flow_pb2.WhileContextDef,
    to_proto=WhileContext.to_proto,
    from_proto=WhileContext.from_proto,
)
