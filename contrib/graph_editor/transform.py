# SPDX-License-Identifier: Apache-2.0
"""Copies of views, to another graph or scope, with other inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.graph_editor import select, subgraph, util
from tensorwright.core.framework import node_def_pb2
from tensorwright.python.framework import ops as tf_ops
from tensorwright.python.framework.graph_keys import GraphKeys

if TYPE_CHECKING:
    from tensorwright.contrib.graph_editor.subgraph import SubGraphView
    from tensorwright.python.framework.graph import Graph
    from tensorwright.python.framework.operation import Operation
    from tensorwright.python.framework.tensor import Tensor
    from tensorwright.python.framework.type_aliases import T


def replace_t_with_placeholder_handler(info: _Info, t: Tensor) -> Tensor:
    """A placeholder in the stead of `t`."""
    with info.graph_.as_default():
        return util.make_placeholder_from_tensor(t, scope=info.scope_)


def keep_t_if_possible_handler(info: _Info, t: Tensor) -> Tensor:
    """`t` itself where the copy is in its graph, else a placeholder."""
    if info.graph is info.graph_:
        return t
    return replace_t_with_placeholder_handler(info, t)


def assign_renamed_collections_handler(
    info: _Info, elem: Operation | Tensor, elem_: Operation | Tensor
) -> None:
    """Puts `elem_` into the collections that `elem` is in; those that are not TensorFlow's own are renamed."""
    known = {v for k, v in vars(GraphKeys).items() if not k.startswith("_")}
    for name in info.graph.get_all_collection_keys():
        if not any(elem is item for item in info.graph.get_collection(name)):
            continue
        if name not in known and isinstance(name, str):
            # A name in no scope comes into that of the copy.
            name = info.scope_ + name.removeprefix(info.scope)
        info.graph_.add_to_collection(name, elem_)


def transform_op_if_inside_handler(
    info: _Info, op: Operation, keep_if_possible: bool = True
) -> Operation | None:
    """The copy of `op` where it is copied; else itself where the copy is in its graph, and None."""
    if op in info.inside:
        return info.transformed_ops[op]
    return op if keep_if_possible and info.graph is info.graph_ else None


def copy_op_handler(info: _Info, op: Operation, copy_shape: bool = True) -> tuple:
    """(a copy of `op` that takes `info.inputs_of(op)`, its outputs)."""
    node = node_def_pb2.NodeDef()
    node.CopyFrom(op.node_def)
    del node.input[:]
    node.name = info.graph_.unique_name(info.new_name(op.name))
    _move_colocations(info, node)
    op_ = tf_ops.Operation.from_node_def(node, info.graph_, info.inputs_of(op))
    if copy_shape:
        for t, t_ in zip(op.outputs, op_.outputs, strict=True):
            t_.set_shape(t.get_shape())
    return op_, list(op_.outputs)


def _move_colocations(info: Any, node: Any) -> None:
    """Colocation groups of copied operations become groups of the copies; in another graph, others are dropped."""
    if "_class" not in node.attr:
        return
    names = {op.name: op_.name for op, op_ in info.transformed_ops.items()}
    groups = []
    for group in node.attr["_class"].list.s:
        name = group.decode().removeprefix("loc:@")
        if name in names:
            groups.append(f"loc:@{names[name]}".encode())
        elif info.graph is info.graph_:
            groups.append(group)
    if groups:
        node.attr["_class"].list.s[:] = groups
    else:
        del node.attr["_class"]


class _Info:
    """A transformation under way: of `sgv` in `graph` and `scope` to `graph_` and `scope_`."""

    def __init__(
        self, sgv: Any, graph_: Any, scope_: str, scope: str, external: Callable
    ):
        self.sgv = sgv
        self.inside = set(sgv.ops)
        self.graph, self.graph_ = sgv.graph, graph_
        self.scope, self.scope_ = scope, scope_
        self.sgv_: Any = None
        self.transformed_ops: dict = {}
        self.transformed_ts: dict = {}
        self._external = external
        # (operation of the copy, number of its input, tensor): ends of loops, which exist when all is copied.
        self.pending: list = []

    def new_name(self, name: str) -> str:
        """`name` moved to the other scope; ValueError where it is not in the first one."""
        if not name.startswith(self.scope):
            raise ValueError(f"{name} does not belong to source scope: {self.scope}.")
        return self.scope_ + name[len(self.scope) :]

    def inputs_of(self, op: Any) -> list:
        """Returns the inputs of the copy of `op`."""
        found = [self._transformed_input(t) for t in op.inputs]
        ready = next((t for t in found if t is not None), None)
        # A Merge begins a loop whose end is not copied yet.
        return [ready if t is None else t for t in found]

    def _transformed_input(self, t: Any) -> Any:
        if t not in self.transformed_ts and t.op not in self.inside:
            self.transformed_ts[t] = self._external(self, t)
        return self.transformed_ts.get(t)


def _in_order(ops: list) -> list:
    """Operations behind those whose outputs they take; a Merge not behind a NextIteration."""
    inside, done, result = set(ops), set(), []
    for root in ops:
        stack = [(root, False)]
        while stack:
            op, ready = stack.pop()
            if ready:
                result.append(op)
                continue
            if op in done:
                continue
            done.add(op)
            stack.append((op, True))
            for t in op.inputs:
                back = "NextIteration" in t.op.type
                if t.op in inside and t.op not in done and not back:
                    stack.append((t.op, False))
    return result


class TransformerInfo:
    """Maps originals to their copies, and back: the result of a `Transformer`'s call."""

    def __init__(self, info: _Info):
        self._graph, self._graph_ = info.graph, info.graph_
        self._scope, self._scope_ = info.scope, info.scope_
        self._forward = {**info.transformed_ops, **info.transformed_ts}
        self._back = {copied: own for own, copied in self._forward.items()}

    def _mapped(self, top: Any, names: dict, graph: Any, missing_fn: Any) -> Any:
        if isinstance(top, dict):
            return {
                k: self._mapped(v, names, graph, missing_fn) for k, v in top.items()
            }
        if isinstance(top, (list, tuple)):
            found = [self._mapped(v, names, graph, missing_fn) for v in top]
            return type(top)(found) if type(top) in (list, tuple) else type(top)(*found)
        if isinstance(top, str):
            if ":" in top:
                top = graph.get_tensor_by_name(top)
            else:
                top = graph.get_operation_by_name(top)
        if not isinstance(top, (tf_ops.Operation, tf_ops.Tensor)):
            raise TypeError(
                f"Expected a tf.Tensor or a tf.Operation, got a {type(top)}"
            )
        if top in names:
            return names[top]
        return None if missing_fn is None else missing_fn(top)

    def transformed(self, original_top: Any, missing_fn: Callable | None = None) -> Any:
        """The copy of an operation, tensor, their name, or a structure of such; `missing_fn(it)`, or None, without."""
        return self._mapped(original_top, self._forward, self._graph, missing_fn)

    def original(self, transformed_top: Any, missing_fn: Callable | None = None) -> Any:
        """Returns the original of a copy; otherwise as `transformed`."""
        return self._mapped(transformed_top, self._back, self._graph_, missing_fn)

    def __str__(self) -> str:
        lines = [
            "Transformer result info:",
            f"** scope: {self._scope!r} -> {self._scope_!r}",
        ]
        lines += [f"*    {a.name} -> {b.name}" for a, b in self._forward.items()]
        return "\n".join(lines)


class Transformer:
    """Copies a view; handlers, which are attributes that may be set, say how to copy its parts.

    transform_op_handler(info, op) -> (op_, outputs): a copy, by default.
    transform_control_input_handler(info, op), transform_original_op_handler(info, op) -> op_ or None.
    transform_external_input_handler(info, t) -> t_: for inputs of the view; transform_external_hidden_input_handler:
    for
        tensors that the view takes without naming them as inputs.
    assign_collections_handler(info, elem, elem_): puts copies into collections.
    """

    def __init__(self) -> None:
        self.transform_op_handler: Callable = copy_op_handler
        self.transform_control_input_handler: Callable = transform_op_if_inside_handler
        self.transform_original_op_handler: Callable = transform_op_if_inside_handler
        self.transform_external_input_handler: Callable = keep_t_if_possible_handler
        self.transform_external_hidden_input_handler: Callable = (
            keep_t_if_possible_handler
        )
        self.assign_collections_handler: Callable = assign_renamed_collections_handler

    def __call__(
        self,
        sgv: SubGraphView,
        dst_graph: Graph,
        dst_scope: str,
        src_scope: str = "",
        reuse_dst_scope: bool = False,
    ) -> tuple[SubGraphView, TransformerInfo]:
        """Returns (the copied view, TransformerInfo).

        Args:
            sgv: the view, or an argument of `make_view`.
            dst_graph: the graph of the copy.
            dst_scope: its name scope, which gets a number where there is one of that name and not `reuse_dst_scope`.
            src_scope: the scope of the view; names in it move to the other.

        Raises:
            TypeError: where `dst_graph` is no graph.
            ValueError: where a name is not in `src_scope`.
        """
        sgv = subgraph.make_view(sgv)
        if not isinstance(dst_graph, tf_ops.Graph):
            raise TypeError(f"Expected a tf.Graph, got: {type(dst_graph)}")
        src_scope = util.scope_finalize(src_scope)
        if dst_scope and not reuse_dst_scope:
            dst_scope = dst_graph.unique_name(dst_scope.removesuffix("/"))
        dst_scope = util.scope_finalize(dst_scope)
        inputs = set(sgv.inputs)

        def external(info: _Info, t: Any) -> Any:
            if t in inputs:
                return self.transform_external_input_handler(info, t)
            return self.transform_external_hidden_input_handler(info, t)

        info = _Info(sgv, dst_graph, dst_scope, src_scope, external)
        for op in _in_order(sgv.ops):
            op_, outputs_ = self.transform_op_handler(info, op)
            info.transformed_ops[op] = op_
            info.transformed_ts.update(zip(op.outputs, outputs_, strict=True))
            if op is not op_:
                self.assign_collections_handler(info, op, op_)
                for t, t_ in zip(op.outputs, outputs_, strict=True):
                    self.assign_collections_handler(info, t, t_)
        for t in sgv.passthroughs:
            info.transformed_ts[t] = self.transform_external_input_handler(info, t)
        self._finish(info)
        return self._view(info), TransformerInfo(info)

    def _finish(self, info: _Info) -> None:
        """Closes loops, and copies the control inputs of operations."""
        for op, op_ in info.transformed_ops.items():
            if op is op_:
                continue
            for i, t in enumerate(op.inputs):
                wanted = info.transformed_ts.get(t)
                if len(op_.inputs) > i and wanted is not None:
                    if op_.inputs[i] is not wanted and "NextIteration" in t.op.type:
                        op_._update_input(i, wanted)
            controls = [
                self.transform_control_input_handler(info, c) for c in op.control_inputs
            ]
            op_._add_control_inputs([c for c in controls if c is not None])
            original = getattr(op, "_original_op", None)
            if original is not None:
                op_._original_op = self.transform_original_op_handler(info, original)

    def _view(self, info: _Info) -> Any:
        ts = info.transformed_ts
        result = subgraph.SubGraphView()
        result._graph = info.graph_
        result._ops = [info.transformed_ops[op] for op in info.sgv.ops]
        result._passthrough_ts = [ts[t] for t in info.sgv.passthroughs]
        result._input_ts = [ts[t] for t in info.sgv.inputs]
        result._output_ts = [ts[t] for t in info.sgv.outputs]
        return result


def copy(
    sgv: SubGraphView,
    dst_graph: Graph | None = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple:
    """A copy of a view: (the copied view, TransformerInfo).

    In its own graph, which is `dst_graph` if that is absent, the copy takes the same inputs; in another placeholders.
    The other arguments are those of `Transformer`.
    """
    sgv = subgraph.make_view(sgv)
    graph = sgv.graph if dst_graph is None else dst_graph
    return Transformer()(sgv, graph, dst_scope, src_scope, reuse_dst_scope)


def copy_with_input_replacements(
    sgv: SubGraphView | list[Operation],
    replacement_ts: dict,
    dst_graph: Graph | None = None,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> tuple:
    """`copy` that takes the values of `replacement_ts` in the stead of its keys, tensors that the view takes."""
    sgv = subgraph.make_view(sgv)
    graph = sgv.graph if dst_graph is None else dst_graph

    def replaced(info: Any, t: Any) -> Any:
        if t in replacement_ts:
            return replacement_ts[t]
        return keep_t_if_possible_handler(info, t)

    copier = Transformer()
    copier.transform_external_input_handler = replaced
    copier.transform_external_hidden_input_handler = replaced
    return copier(sgv, graph, dst_scope, src_scope, reuse_dst_scope)


def graph_replace(
    target_ts: T,
    replacement_ts: dict,
    dst_scope: str = "",
    src_scope: str = "",
    reuse_dst_scope: bool = False,
) -> T:
    """Returns `target_ts` as they would be if `replacement_ts` replaced its keys: the operations between are copied.

    Args:
        target_ts: a tensor, or a structure of such.
        replacement_ts: {tensor: tensor}.
        dst_scope, src_scope, reuse_dst_scope: as in `Transformer`.

    Returns:
        `target_ts`, with copies of those that depend on a key.

    Raises:
        ValueError: where no target depends on a key.
    """
    targets = util.flatten(target_ts)
    util.get_unique_graph([*targets, *replacement_ts])
    between = select.get_walks_intersection_ops(list(replacement_ts), targets)
    if not between:
        raise ValueError("Targets and replacements are not connected!")
    _, info = copy_with_input_replacements(
        between, replacement_ts, None, dst_scope, src_scope, reuse_dst_scope
    )
    return info.transformed(target_ts, lambda original: original)
