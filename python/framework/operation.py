# SPDX-License-Identifier: Apache-2.0
"""Operation: a node of a graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python import _pywrap
from tensorwright.python.framework import default_stack, device as pydev
from tensorwright.python.framework.type_aliases import DTypeLike, FeedDict
from tensorwright.python.util.lazy_protos import full_type_pb2, node_def_pb2, op_def_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.framework.attr_value_pb2 import AttrValue
    from tensorwright.core.framework.full_type_pb2 import FullTypeDef
    from tensorwright.core.framework.node_def_pb2 import NodeDef
    from tensorwright.core.framework.op_def_pb2 import OpDef
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.framework.graph import Graph


def _NodeDef(
    op_type: str,
    name: str,
    device: str | pydev.DeviceSpec | Callable[[NodeDef], str] | None = None,
    attrs: Mapping[str, AttrValue] | None = None,
) -> NodeDef:
    """A NodeDef without inputs.

    Args:
        op_type: the type of the node, as "Add".
        name: the node's name.
        device: a device, its name, or a function of the NodeDef that returns one.
        attrs: AttrValues by name.
    """
    node_def = node_def_pb2.NodeDef(op=op_type, name=name)
    for key, value in (attrs or {}).items():
        node_def.attr[key].CopyFrom(value)
    if callable(device):
        device = device(node_def)
    node_def.device = pydev.device_string(device or "")
    return node_def


def _check_node(node_def: Any, g: Any, inputs: Any) -> None:
    """TypeError for arguments of `Operation.from_node_def` of the wrong kind; ValueError for a node without a name."""
    descriptor = getattr(node_def, "DESCRIPTOR", None)
    if descriptor is None or descriptor.name != "NodeDef":
        raise TypeError(f"node_def must be a NodeDef, got {type(node_def)}")
    if not node_def.name:
        raise ValueError(f"'' is not a valid node name, for a node of {node_def.op}")
    if not isinstance(g, _pywrap.GraphCore):
        raise TypeError(f"g must be a Graph, got {type(g)}")
    if inputs is not None and not isinstance(inputs, list):
        raise TypeError(f"inputs must be a list of Tensors, got {type(inputs)}")
    for item in inputs or ():
        if not isinstance(item, _pywrap.TensorCore):
            raise TypeError(f"inputs must be Tensors, got {type(item)}")


def _as_control(item: Any) -> Any:
    """The Operation of a control input: an Operation, a Tensor or an IndexedSlices."""
    op = getattr(item, "op", item)
    if not isinstance(op, _pywrap.OperationCore):
        raise TypeError(
            f"a control input must be an Operation or a Tensor (also IndexedSlices), "
            f"got {item!r}"
        )
    return op


class Operation(_pywrap.OperationCore):
    """A node of a `Graph`: takes tensors, computes tensors.

    From the core come `name`, `type`, `inputs`, `outputs`, `control_inputs`,
    `graph`, `device`, `traceback`, `get_attr(name)` and `_control_flow_context`.
    """

    def __new__(cls, node_def: NodeDef, g: Graph, *args: Any, **kwargs: Any) -> Any:
        """`Operation(node_def, g, ...)` adds a node to `g`, as `from_node_def` does, whose arguments it takes."""
        return cls.from_node_def(node_def, g, *args, **kwargs)

    def values(self) -> tuple:
        """The outputs as a tuple."""
        return tuple(self.outputs)

    @property
    def node_def(self) -> NodeDef:
        """A `NodeDef` proto of this operation."""
        return node_def_pb2.NodeDef.FromString(self._node_def_bytes())

    @property
    def _node_def(self) -> Any:
        return self.node_def

    @property
    def op_def(self) -> OpDef:
        """The `OpDef` proto of its type."""
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

    @classmethod
    def from_node_def(
        cls,
        node_def: NodeDef,
        g: Graph,
        inputs: list | None = None,
        output_types: Sequence[DTypeLike] | None = None,
        control_inputs: list | None = None,
        input_types: list | None = None,
        original_op: "Operation | None" = None,
        op_def: Message | None = None,
    ) -> "Operation":
        """Adds a node to `g` as a `NodeDef` says; the scopes, devices and dependencies in force do not count.

        Args:
            node_def: name, op, device and attrs; its inputs are ignored.
            g: the Graph.
            inputs: the Tensors it takes.
            control_inputs: Operations, Tensors or IndexedSlices it runs after.
            input_types: what the dtypes of `inputs` must be.
            original_op: the Operation that the new one derives from.
            output_types, op_def: ignored, they follow from the registered op.

        Raises:
            TypeError: for arguments of the wrong kind, and inputs of wrong dtypes.
            ValueError: for a malformed name or one that is taken, or a node the op does not allow.
        """
        del output_types, op_def
        _check_node(node_def, g, inputs)
        inputs = list(inputs or ())
        controls = [_as_control(item) for item in control_inputs or ()]
        actual = [t.dtype for t in inputs]
        if input_types is not None and not all(
            dtype.is_compatible_with(t)
            for dtype, t in zip(actual, input_types, strict=True)
        ):
            raise TypeError(
                f"In op {node_def.name!r}, input types ({actual}) are not compatible "
                f"with expected types ({list(input_types)})"
            )
        # The scopes that are in force in the graph must not change the operation.
        plain, device, copies_nodes = g._plain, g._device, g._copies_nodes
        g._plain, g._device, g._copies_nodes = True, node_def.device, True
        try:
            op = _pywrap.create_op(
                g, node_def.op, inputs, f"{node_def.name}/", dict(node_def.attr)
            )
        finally:
            g._plain, g._device, g._copies_nodes = plain, device, copies_nodes
        op._add_control_inputs(controls)
        op._original_op = original_op
        return op

    def experimental_set_type(self, type_proto: FullTypeDef) -> None:
        """Keeps a `FullTypeDef` with the node: GraphDefs have it, nothing here reads it.

        ValueError unless it is unset or a product.
        """
        if type_proto.type_id not in (
            full_type_pb2.TFT_UNSET,
            full_type_pb2.TFT_PRODUCT,
        ):
            raise ValueError(
                f"The type of {self.name} must be TFT_UNSET or TFT_PRODUCT, got "
                f"{type_proto.type_id}"
            )
        self._set_experimental_type(type_proto.SerializeToString())

    def run(
        self, feed_dict: FeedDict | None = None, session: SessionInterface | None = None
    ) -> None:
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

    def __eq__(self, other: object) -> bool:
        return self is other

    def __copy__(self) -> "Operation":
        return self

    def __deepcopy__(self, memo: object) -> "Operation":
        raise TypeError(f"{self!r} belongs to its graph and cannot be copied")

    def __reduce__(self):
        raise TypeError(f"{self!r} belongs to its graph and cannot be pickled")
