# SPDX-License-Identifier: Apache-2.0
"""Looking up the operations and tensors of a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, cast, overload

from tensorwright.python.framework.operation import Operation
from tensorwright.python.framework.tensor import Tensor


def _as_graph_element(obj: Any) -> Any:
    """Returns the Tensor or Operation that an object such as a Variable stands for, or None."""
    convert = getattr(obj, "_as_graph_element", None)
    return convert() if convert else None


class ElementsMixin:
    """The look-up methods of `Graph`."""

    if TYPE_CHECKING:
        _captures: bool

        def _op_by_name(self, name: str, /) -> Operation | None: ...
        def get_operations(self) -> list[Operation]: ...

    @overload
    def as_graph_element(
        self, obj: object, allow_tensor: bool = True, *, allow_operation: Literal[False]
    ) -> Tensor: ...

    @overload
    def as_graph_element(
        self, obj: object, allow_tensor: Literal[False], allow_operation: bool = True
    ) -> Operation: ...

    @overload
    def as_graph_element(
        self, obj: object, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Tensor | Operation: ...

    def as_graph_element(
        self, obj: object, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Tensor | Operation:
        """The Tensor or Operation that `obj` names or stands for.

        Args:
            obj: a Tensor, an Operation, a name ("op" or "op:0"), or an object with
                a method `_as_graph_element`.

        Raises:
            TypeError: for any other object, or a kind that is not allowed.
            ValueError: for a malformed name, or an element of another graph.
            KeyError: for a name that is not in the graph.
        """
        if not (allow_tensor or allow_operation):
            raise ValueError(
                "as_graph_element: either of allow_tensor and allow_operation must be True"
            )
        kinds = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
        element = _as_graph_element(obj)
        if element is not None:
            obj = element
        if isinstance(obj, bytes):
            obj = obj.decode()
        if isinstance(obj, str):
            return self._element_by_name(obj, allow_tensor, allow_operation, kinds)
        allowed = (Tensor,) * allow_tensor + (Operation,) * allow_operation
        if not isinstance(obj, allowed):
            raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")
        if obj.graph is not self and self._captures and isinstance(obj, Tensor):
            return cast(Any, self)._capture(obj)
        if obj.graph is not self:
            kind = "Tensor" if isinstance(obj, Tensor) else "Operation"
            raise ValueError(f"{kind} {obj!r} is not an element of this graph.")
        return obj

    def _element_by_name(
        self, name: str, allow_tensor: bool, allow_operation: bool, kinds: str
    ) -> Tensor | Operation:
        if ":" in name and allow_tensor:
            return self._tensor_by_name(name)
        if ":" not in name and allow_operation:
            op = self._op_by_name(name)
            if op is None:
                raise KeyError(
                    f"The name {name!r} refers to an Operation not in the graph."
                )
            return op
        if allow_tensor:
            op = self._op_by_name(name)
            hint = (
                f"that Operation is in the graph, and its first output is '{name}:0'"
                if op is not None
                else "it has no colon and number of an output"
            )
            raise ValueError(
                f"The name {name!r} looks like an (invalid) Operation name, not a "
                f'Tensor, whose name is "<op_name>:<output_index>": {hint}.'
            )
        if ":" in name:
            raise ValueError(
                f"The name {name!r} looks like a Tensor name, but can not be "
                f"converted into a {kinds}."
            )
        raise TypeError(f"Can not convert the name {name!r} into a {kinds}.")

    def _tensor_by_name(self, name: str) -> Tensor:
        op_name, _, index = name.rpartition(":")
        if not op_name or not index.isdigit():
            raise ValueError(
                f"{name!r} is no name of a Tensor, which is that of its operation, a "
                f"colon and the number of the output"
            )
        op = self._op_by_name(op_name)
        if op is None:
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The "
                f"operation, {op_name!r}, does not exist in the graph."
            )
        if int(index) >= len(op.outputs):
            raise KeyError(
                f"The name {name!r} refers to a Tensor which does not exist. The "
                f"operation, {op_name!r}, exists but only has {len(op.outputs)} outputs."
            )
        return op.outputs[int(index)]

    @property
    def _nodes_by_name(self) -> dict[str, Operation]:
        """The operations by their names, in the order they were added."""
        return {op.name: op for op in self.get_operations()}

    @property
    def operations(self) -> list[Operation]:
        """All operations, in the order they were added."""
        return self.get_operations()

    def num_operations(self) -> int:
        """How many operations there are."""
        return len(self.get_operations())

    def get_operation_by_name(self, name: str) -> Operation:
        """KeyError where there is none; TypeError for anything but a str."""
        if not isinstance(name, str):
            raise TypeError(
                f"Operation names are strings (or similar), not {type(name).__name__}."
            )
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor named "op:index".  KeyError where there is none."""
        if not isinstance(name, str):
            raise TypeError(
                f"Tensor names are strings (or similar), not {type(name).__name__}."
            )
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def _get_operation_by_name_unsafe(self, name: str) -> Operation:
        return self.get_operation_by_name(name)

    def _get_operation_by_tf_operation(self, op: Any) -> Operation:
        return op

    def _is_op_in_graph(self, op: Any) -> bool:
        return op.graph is self
