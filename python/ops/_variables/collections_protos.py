# SPDX-License-Identifier: Apache-2.0
"""Registers how the collections of ops are written to a MetaGraphDef and read back: variables, and contexts of control flow."""

from tensorwright.python.ops._control_flow import (
    control_flow_ops_collections as control_flow_ops_collections,
)
from tensorwright.python.ops._variables import (
    variables_collections as variables_collections,
)
