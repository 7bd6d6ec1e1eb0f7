# SPDX-License-Identifier: Apache-2.0
"""SubGraphView: some operations of a graph, with numbered inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.graph_editor import select, util
from tensorwright.python.framework import ops as tf_ops

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor


def _indices(chosen: Any, ts: list) -> list[int]:
    """Returns numbers in `ts` of numbers and tensors; ValueError for a tensor that is not there."""
    found = []
    for item in chosen if isinstance(chosen, (list, tuple)) else [chosen]:
        if isinstance(item, tf_ops.Tensor):
            if item not in ts:
                raise ValueError(f"{item.name} is not among the tensors of the view")
            item = ts.index(item)
        if not 0 <= item < len(ts):
            raise ValueError(f"index {item} is not in [0, {len(ts)})")
        found.append(item)
    return found


class SubGraphView:
    """Operations, the tensors that they take from outside, and those that they provide.

    It belongs to the graph as it was: edits make new views, or `remap` its inputs and outputs.  A passthrough is a
    tensor that is an input and an output, and of no operation inside.

    Args:
        inside_ops: operations of one graph.
        passthrough_ts: tensors.
    """

    def __init__(
        self,
        inside_ops: Graph | Operation | Iterable[Operation] = (),
        passthrough_ts: Tensor | Iterable[Tensor] = (),
    ):
        inside_ops = util.make_list_of_op(inside_ops)
        passthrough_ts = util.make_list_of_t(passthrough_ts)
        self._graph = util.get_unique_graph(
            [*inside_ops, *passthrough_ts], none_if_empty=True
        )
        self._ops = list(inside_ops)
        inputs, outputs, inner = select.compute_boundary_ts(inside_ops)
        known = {*inputs, *outputs, *inner}
        self._passthrough_ts = [t for t in passthrough_ts if t not in known]
        self._input_ts = inputs + self._passthrough_ts
        self._output_ts = outputs + self._passthrough_ts

    def copy(self) -> SubGraphView:
        """A view of the same."""
        result = SubGraphView()
        result._assign_from(self)
        return result

    __copy__ = copy

    def _assign_from(self, other: SubGraphView) -> None:
        self._graph = other._graph
        self._ops = list(other._ops)
        self._passthrough_ts = list(other._passthrough_ts)
        self._input_ts = list(other._input_ts)
        self._output_ts = list(other._output_ts)

    def __enter__(self) -> SubGraphView:
        """`with view.copy() as v: v.remap...` drops all changes inside, except those of `v`."""
        return self

    def __exit__(self, *args: object) -> None:
        pass

    def __bool__(self) -> bool:
        return self._graph is not None

    def __str__(self) -> str:
        if self._graph is None:
            return "SubGraphView: empty"
        parts = [
            ("Ops", self._ops),
            ("Inputs", self._input_ts),
            ("Outputs", self._output_ts),
        ]
        lines = ["SubGraphView:"]
        for title, items in parts:
            lines.append(f"** {title}:")
            lines += [f"*    {item.name}" for item in items]
        return "\n".join(lines)

    # --- What it has ----------------------------------------------------------------

    @property
    def graph(self) -> Any:
        return self._graph

    @property
    def ops(self) -> list:
        return list(self._ops)

    @property
    def inputs(self) -> list:
        return list(self._input_ts)

    @property
    def outputs(self) -> list:
        return list(self._output_ts)

    @property
    def connected_inputs(self) -> list:
        """Inputs but passthroughs."""
        return [t for t in self._input_ts if not self.is_passthrough(t)]

    @property
    def connected_outputs(self) -> list:
        """Outputs but passthroughs."""
        return [t for t in self._output_ts if not self.is_passthrough(t)]

    @property
    def passthroughs(self) -> list:
        return list(self._passthrough_ts)

    def op(self, op_id: int) -> Operation:
        return self._ops[op_id]

    def is_passthrough(self, t: Tensor) -> bool:
        return t in self._passthrough_ts

    def find_op_by_name(self, op_name: str) -> Operation:
        """The operation of a name; AssertionError where there is none, as in TensorFlow."""
        found = [op for op in self._ops if op.name == op_name]
        if len(found) != 1:
            raise AssertionError(f"{op_name} not found in subgraph.")
        return found[0]

    def input_index(self, t: Tensor) -> int:
        """The number of an input; ValueError where it is none."""
        if t not in self._input_ts:
            raise ValueError(f"Can't find {t.name} in inputs of subgraph {self}.")
        return self._input_ts.index(t)

    def output_index(self, t: Tensor) -> int:
        """The number of an output; ValueError where it is none."""
        if t not in self._output_ts:
            raise ValueError(f"Can't find {t.name} in outputs of subgraph {self}.")
        return self._output_ts.index(t)

    def consumers(self) -> list:
        """Operations outside that take outputs."""
        inside = set(self._ops)
        return util.unique(
            op for t in self._output_ts for op in t.consumers() if op not in inside
        )

    # --- Views like it ----------------------------------------------------------------

    def remap_inputs(
        self, new_input_indices: Sequence[int] | Mapping[int, int]
    ) -> SubGraphView:
        """Returns a view with these inputs, numbers or tensors, in this order; passthroughs must be among them."""
        result = self.copy()
        chosen = _indices(new_input_indices, self._input_ts)
        result._input_ts = [self._input_ts[i] for i in chosen]
        if len(set(chosen)) != len(chosen):
            raise ValueError("an input can be chosen once only")
        for t in self._passthrough_ts:
            if t not in result._input_ts:
                raise ValueError(f"passthrough {t.name} must stay an input")
        return result

    def remap_outputs(
        self, new_output_indices: Sequence[int] | Mapping[int, int]
    ) -> SubGraphView:
        """Returns a view with these outputs, numbers or tensors, in this order; one may be there several times."""
        result = self.copy()
        chosen = _indices(new_output_indices, self._output_ts)
        result._output_ts = [self._output_ts[i] for i in chosen]
        for t in self._passthrough_ts:
            if t not in result._output_ts:
                raise ValueError(f"passthrough {t.name} must stay an output")
        return result

    def remap(
        self,
        new_input_indices: Sequence[int] | Mapping[int, int] | None = None,
        new_output_indices: Sequence[int] | Mapping[int, int] | None = None,
    ) -> SubGraphView:
        """remap_inputs and remap_outputs, of those that are given."""
        result = self
        if new_input_indices is not None:
            result = result.remap_inputs(new_input_indices)
        if new_output_indices is not None:
            result = result.remap_outputs(new_output_indices)
        return result.copy()

    def remap_default(
        self, remove_input_map: bool = True, remove_output_map: bool = True
    ) -> SubGraphView:
        """Returns a view with the inputs, and outputs, that these operations have without remapping."""
        plain, result = SubGraphView(self._ops, self._passthrough_ts), self.copy()
        if remove_input_map:
            result._input_ts = plain._input_ts
        if remove_output_map:
            result._output_ts = plain._output_ts
        return result

    def remap_outputs_make_unique(self) -> SubGraphView:
        """Returns a view with each output once."""
        result = self.copy()
        result._output_ts = util.unique(self._output_ts)
        return result

    def remap_outputs_to_consumers(self) -> SubGraphView:
        """Returns a view with each output as often as it is taken outside, and once if it is not."""
        inside, result = set(self._ops), self.copy()
        result._output_ts = []
        for t in util.unique(self._output_ts):
            taken = sum(1 for op in t.consumers() if op not in inside)
            result._output_ts += [t] * max(taken, 1)
        return result

    def remove_unused_ops(self, control_inputs: bool = True) -> SubGraphView:
        """Without operations that are on no way from an input or to an output."""
        used = set(
            select.get_walks_union_ops(
                self.connected_inputs,
                self.connected_outputs,
                within_ops=self._ops,
                control_inputs=control_inputs,
            )
        )
        result = self.copy()
        result._ops = [op for op in self._ops if op in used]
        return result


def make_view(*args: object, **kwargs: object) -> SubGraphView:
    """Returns a view of operations and passthroughs: the selection of `select_ops_and_ts`, or a view itself."""
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        if kwargs:
            raise ValueError("a view takes no further arguments")
        return args[0]
    return SubGraphView(*select.select_ops_and_ts(*args, **kwargs))


def make_view_from_scope(scope: str, graph: Graph) -> SubGraphView:
    """A view of the operations in a name scope."""
    return SubGraphView(select.get_name_scope_ops(graph, scope))
