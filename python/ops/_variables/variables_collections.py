# SPDX-License-Identifier: Apache-2.0
"""Writes the collections of variables to a MetaGraphDef, and reads them back."""

from tensorwright.core.framework import variable_pb2
from tensorwright.python.framework import ops
from tensorwright.python.ops._variables.variables_variable import Variable

KEYS = (
    ops.GraphKeys.GLOBAL_VARIABLES,
    ops.GraphKeys.LOCAL_VARIABLES,
    ops.GraphKeys.MODEL_VARIABLES,
    ops.GraphKeys.TRAINABLE_VARIABLES,
    ops.GraphKeys.MOVING_AVERAGE_VARIABLES,
    ops.GraphKeys.GLOBAL_STEP,
)


def _to_proto(variable, export_scope=None):
    return variable.to_proto(export_scope=export_scope)


for _key in KEYS:
    ops.register_proto_function(
        _key,
        proto_type=variable_pb2.VariableDef,
        to_proto=_to_proto,
        from_proto=Variable.from_proto,
    )
