# SPDX-License-Identifier: Apache-2.0
"""Operation: a node of a graph."""

from typing import Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import default_stack
from tensorwright.python.framework import device as pydev


class Operation(_pywrap.OperationCore):
    """A node of a `Graph`: takes tensors, computes tensors.

    From the core come `name`, `type`, `inputs`, `outputs`, `control_inputs`,
    `graph`, `device`, `traceback`, `get_attr(name)` and `_control_flow_context`.
    """

    def values(self) -> tuple:
        """The outputs as a tuple."""
        return tuple(self.outputs)

    @property
    def node_def(self) -> Any:
        """A `NodeDef` proto of this operation."""
        from tensorwright.core.framework import node_def_pb2

        return node_def_pb2.NodeDef.FromString(self._node_def_bytes())

    @property
    def _node_def(self) -> Any:
        return self.node_def

    @property
    def op_def(self) -> Any:
        """The `OpDef` proto of its type."""
        from tensorwright.core.framework import op_def_pb2

        return op_def_pb2.OpDef.FromString(self._op_def_bytes())

    @property
    def _op_def(self) -> Any:
        return self.op_def

    @property
    def _input_types(self) -> list:
        return [t.dtype for t in self.inputs]

    _input_dtypes = _input_types

    @property
    def _output_types(self) -> list:
        return [t.dtype for t in self.outputs]

    @property
    def _id_value(self) -> int:
        return self._id

    @property
    def _inputs(self) -> list:
        return list(self.inputs)

    @property
    def _outputs(self) -> list:
        return self.outputs

    @property
    def _control_inputs(self) -> list:
        return self.control_inputs

    @property
    def _graph(self) -> Any:
        return self.graph

    @property
    def _is_stateful(self) -> bool:
        return self.op_def.is_stateful

    def _get_control_flow_context(self) -> Any:
        return self._control_flow_context

    def _set_control_flow_context(self, context: Any) -> None:
        self._control_flow_context = context

    def _set_device(self, device: Any) -> None:
        self._set_device_from_string(pydev.device_string(device))

    def _add_control_inputs(self, ops: Any) -> None:
        for op in ops:
            self._add_control_input(op)

    def colocation_groups(self) -> list[bytes]:
        """The groups of operations that are placed on one device with this one."""
        own = [f"loc:@{self.name}".encode()]
        try:
            groups = self.get_attr("_class")
        except ValueError:
            return own
        return [g for g in groups if g.startswith(b"loc:@")] or own

    def run(self, feed_dict: dict | None = None, session: Any = None) -> None:
        """Runs this operation, in the default session where none is given."""
        session = default_stack.session_for(
            session, self.graph, "execute operation", "run"
        )
        session.run(self, feed_dict)

    def __str__(self) -> str:
        return str(self.node_def)

    def __repr__(self) -> str:
        return f"<tf.Operation '{self.name}' type={self.type}>"

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: Any) -> bool:
        return self is other

    def __copy__(self) -> "Operation":
        return self

    def __deepcopy__(self, memo: Any) -> "Operation":
        raise TypeError(f"{self!r} belongs to its graph and cannot be copied")

    def __reduce__(self):
        raise TypeError(f"{self!r} belongs to its graph and cannot be pickled")
