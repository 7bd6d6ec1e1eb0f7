# SPDX-License-Identifier: Apache-2.0
"""Writes the collections of variables to a MetaGraphDef, and reads them back."""

from tensorwright.core.framework import variable_pb2
from tensorwright.python.framework import ops, proto_functions
from tensorwright.python.ops._variables.variables_variable import Variable


def _to_proto(variable, export_scope=None):
    return variable.to_proto(export_scope=export_scope)


for _key in proto_functions.KEYS_OF_VARIABLES:
    ops.register_proto_function(
        _key,
        proto_type=variable_pb2.VariableDef,
        to_proto=_to_proto,
        from_proto=Variable.from_proto,
    )
