# SPDX-License-Identifier: Apache-2.0
"""cond and case: subgraphs of which only the chosen one runs."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_ops,
    control_flow_v2_toggles as toggles,
    gen_array_ops,
    gen_logging_ops,
    gen_math_ops,
    tensor_array_ops,
)
from tensorwright.python.ops._control_flow import (
    control_flow_ops_basic as basic,
    control_flow_ops_functional as functional,
    control_flow_ops_proto as protos,
)
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    ControlFlowContext,
    add_class,
    nested_from_proto,
    output_context,
)
from tensorwright.python.util import compat, nest
from tensorwright.python.util.lazy_protos import control_flow_pb2
from tensorwright.python.util.renamed_arguments import deprecated_argument_lookup

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.protobuf.control_flow_pb2 import CondContextDef
    from tensorwright.python.framework.type_aliases import T
    from tensorwright.python.ops._control_flow.control_flow_state_loop import (
        GradLoopState,
    )


class CondContext(ControlFlowContext):
    """One branch of a cond: operations inside it are dead unless `pred` is `branch`."""

    def __init__(
        self,
        pred: ops.Tensor | None = None,
        pivot: ops.Tensor | None = None,
        branch: int | None = None,
        name: str = "cond_text",
        context_def: Message | None = None,
        import_scope: str | None = None,
    ):
        super().__init__()
        self._join_outer()
        if context_def is not None:
            self._from_def(context_def, import_scope)
            return
        self._name = ops.get_default_graph().unique_name(name)
        self._pred: Any = pred
        self._pivot: Any = pivot
        self._branch: Any = branch
        # The predicate and the pivot need no Switch to be used inside.
        for tensor in (pred, pivot):
            if tensor is not None:
                self._values.add(tensor)
                self._external_values[tensor] = tensor

    def _from_def(self, context_def: Any, import_scope: str | None) -> None:
        """Becomes the branch that operations of the graph are in already."""
        self._name = ops.prepend_name_scope(context_def.context_name, import_scope)
        self._pred = protos.find(context_def.pred_name, import_scope)
        self._pivot = protos.find(context_def.pivot_name, import_scope)
        self._branch = int(context_def.branch)
        protos.read_values(self, context_def.values_def, import_scope)

    def to_proto(self, export_scope: str | None = None) -> CondContextDef | None:
        """The CondContextDef; None outside `export_scope`."""
        if not protos.in_scope(self, export_scope):
            return None
        proto = control_flow_pb2.CondContextDef(
            context_name=ops.strip_name_scope(self._name, export_scope),
            pred_name=ops.strip_name_scope(self._pred.name, export_scope),
            pivot_name=ops.strip_name_scope(self._pivot.name, export_scope),
            branch=self._branch,
        )
        protos.write_values(self, proto.values_def, export_scope)
        protos.write_nested(self, proto, export_scope)
        return proto

    @staticmethod
    def from_proto(
        context_def: CondContextDef, import_scope: str | None = None
    ) -> CondContext:
        """The context of a CondContextDef, with those inside it."""
        context = CondContext(context_def=context_def, import_scope=import_scope)
        nested_from_proto(context, context_def, import_scope)
        return context

    @property
    def pred(self) -> ops.Tensor:
        return self._pred

    @property
    def pivot(self) -> ops.Tensor:
        return self._pivot

    @property
    def branch(self) -> int:
        return self._branch

    @property
    def grad_state(self) -> GradLoopState | None:
        loop = self.GetWhileContext()
        return None if loop is None else loop.grad_state

    @property
    def back_prop(self) -> bool:
        loop = self.GetWhileContext()
        return False if loop is None else loop.back_prop

    def GetControlPivot(self) -> ops.Tensor:
        return self._pivot

    def IsCondContext(self) -> bool:
        return True

    def AddValue(self, val: ops.Tensor) -> ops.Tensor:
        if val in self._values:
            return self._external_values.get(val, val)
        result = val
        self._values.add(val)
        if self._outer_context is not None:
            result = self._outer_context.AddValue(val)
            self._values.add(result)
            self._external_values[result] = result
        with ops.control_dependencies(None):
            result = basic.switch_ref_or_tensor(result, self._pred)[self._branch]
        result.op.graph.prevent_fetching(result.op)
        result.op._set_control_flow_context(self)
        self._values.add(result)
        self._external_values[val] = result
        return result

    def AddOp(self, op: ops.Operation) -> None:
        self._take_in(op)

    def _may_wait_for(self, op: ops.Operation) -> bool:
        # An op outside of the branch runs in any case, so an op inside may wait
        # for it; an iteration of a loop cannot wait for what is outside of that.
        context = output_context(op)
        loop = None if context is None else context.GetWhileContext()
        return loop is self.GetWhileContext()

    def _take_in(self, op: ops.Operation) -> None:
        if not op.inputs:
            _, external = self._drop_external_controls(op)
            op._add_control_input(self._pivot.op)
        else:
            for i, x in enumerate(op.inputs):
                # The back edge of a loop inside is not there yet.
                is_back_edge = op.type == "Merge" and x.op.type == "NextIteration"
                real = x if is_back_edge else self.AddValue(x)
                if real is not x:
                    op._update_input(i, real)
            _, external = self._drop_external_controls(op)
        self._values.update(op.outputs)
        self._wait_for(op, external)
        self._hide(op)

    def BuildCondBranch(self, fn: Callable[[], T]) -> tuple[T, list]:
        """Returns (the result of `fn`, its parts as tensors of this context)."""
        original = fn()
        flat = nest.flatten(original)
        if not flat or any(v is None for v in flat):
            raise ValueError(
                f"{'true_fn' if self._branch else 'false_fn'} must return tensors or "
                f"operations, got {original!r}"
            )
        return original, [self._result(v) for v in flat]

    def _result(self, value: Any) -> Any:
        if isinstance(value, ops.Operation):
            # Something to fetch: the pivot, once the operation has run.
            return basic.with_dependencies([value], self._pivot)
        value = tensor_array_ops.to_flow(value)
        value = ops.internal_convert_to_tensor_or_indexed_slices(value, as_ref=False)
        if isinstance(value, ops.IndexedSlices):
            shape = value.dense_shape
            return ops.IndexedSlices(
                self._inside(value.values),
                self._inside(value.indices),
                None if shape is None else self._inside(shape),
            )
        return self._inside(value)

    def _inside(self, value: ops.Tensor) -> ops.Tensor:
        """A result from outside comes through the branch's Switch."""
        return self.AddValue(value)


add_class("cond_ctxt", CondContext)


def _unpack_if_singleton(result: Any) -> Any:
    if isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


def _check_branches(true_result: Any, false_result: Any, strict: bool) -> None:
    if not strict:
        true_result = _unpack_if_singleton(true_result)
        false_result = _unpack_if_singleton(false_result)
    try:
        nest.assert_same_structure(true_result, false_result)
    except TypeError as error:
        raise TypeError(
            f"Incompatible return types of true_fn and false_fn: {error}"
        ) from error
    except ValueError as error:
        raise ValueError(
            f"Incompatible return values of true_fn and false_fn: {error}"
        ) from error


def cond(
    pred: TensorLike,
    true_fn: Callable[..., object] | None = None,
    false_fn: Callable[..., object] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[..., object] | None = None,
    fn2: Callable[..., object] | None = None,
) -> Any:
    """The result of `true_fn()` or of `false_fn()`, by the scalar bool `pred`.

    Only operations made inside the functions depend on the choice: an op that was made
    before runs in any case.  Both functions return the same structure of tensors; a list
    of one tensor becomes that tensor, unless `strict`.

    Raises TypeError if a function is not callable or `pred` is a Python bool,
    ValueError if the structures or dtypes differ, or there is nothing or None in them.

    Example:
        scaled = tf.cond(norm > 1.0, lambda: v / norm, lambda: tf.identity(v))
    """
    true_fn = deprecated_argument_lookup("true_fn", true_fn, "fn1", fn1)
    false_fn = deprecated_argument_lookup("false_fn", false_fn, "fn2", fn2)
    if not callable(true_fn):
        raise TypeError("true_fn must be callable.")
    if not callable(false_fn):
        raise TypeError("false_fn must be callable.")
    if isinstance(pred, bool):
        raise TypeError(f"cond: pred must not be a Python bool, got {pred}")
    with ops.name_scope(name, "cond", [pred]):
        if toggles.control_flow_v2_enabled():
            result = functional.cond(
                pred, true_fn, false_fn, lambda t, f: _check_branches(t, f, strict)
            )
            return result if strict else _unpack_if_singleton(result)
        false_pred, true_pred = basic.switch(pred, pred)
        true_pivot = array_ops.identity(true_pred, name="switch_t")
        false_pivot = array_ops.identity(false_pred, name="switch_f")
        chosen = array_ops.identity(pred, name="pred_id")
        for tensor in (true_pred, false_pred, true_pivot, false_pivot, chosen):
            tensor.op.graph.prevent_fetching(tensor.op)
        contexts, originals, results = [], [], []
        for fn, pivot, branch in ((true_fn, true_pivot, 1), (false_fn, false_pivot, 0)):
            context = CondContext(chosen, pivot, branch)
            with context:
                original, result = context.BuildCondBranch(fn)
                context.ExitResult(result)
            contexts.append(context)
            originals.append(original)
            results.append(result)
        of_true, of_false = originals
        _check_branches(of_true, of_false, strict)
        merged = [_merge(t, f) for t, f in zip(*results, strict=True)]
        for context in contexts:
            if context.outer_context is not None:
                break  # The context around it keeps it.
            ops.add_to_collection(ops.GraphKeys.COND_CONTEXT, context)
        flat = tensor_array_ops.from_flows(nest.flatten(originals[0]), merged)
        packed = nest.pack_sequence_as(originals[0], flat)
        return packed if strict else _unpack_if_singleton(packed)


def _merge(true: Any, false: Any) -> Any:
    if true.dtype.base_dtype != false.dtype.base_dtype:
        raise ValueError(
            "Outputs of true_fn and false_fn must have the same type: "
            f"{true.dtype.base_dtype.name}, {false.dtype.base_dtype.name}"
        )
    return basic.merge([false, true])[0]


def _checked_pairs(pred_fn_pairs: Any) -> list[tuple]:
    if isinstance(pred_fn_pairs, dict):
        pred_fn_pairs = sorted(pred_fn_pairs.items(), key=lambda pair: pair[0].name)
    elif not isinstance(pred_fn_pairs, (list, tuple)):
        raise TypeError("fns must be a list, tuple, or dict")
    for pair in pred_fn_pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"pred_fn_pairs must be of tuples (pred, fn), got {pair!r}")
        pred, fn = pair
        if not isinstance(pred, ops.Tensor) or pred.dtype.base_dtype.name != "bool":
            raise TypeError(f"pred must be Tensor of type bool: {pred!r}")
        if not callable(fn):
            raise TypeError(f"fn for pred {pred.name} must be callable.")
    return list(pred_fn_pairs)


def case(
    pred_fn_pairs: Sequence[tuple[TensorLike, Callable[[], object]]]
    | Mapping[ops.Tensor, Callable[[], object]],
    default: Callable[..., object] | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the first function whose predicate holds, else of `default()`.

    Args:
        pred_fn_pairs: a list of (bool scalar, callable), or a dict of them, which has
            no order: then the predicates should exclude one another.
        default: without it one of the predicates must hold.
        exclusive: a run fails with InvalidArgumentError if two predicates hold.

    Raises TypeError for pairs of other types.
    """
    pairs = _checked_pairs(pred_fn_pairs)
    if default is not None and not callable(default):
        raise TypeError("default must be callable.")
    with ops.name_scope(name, "case", [p for p, _ in pairs]):
        checks = []
        if pairs:
            preds = array_ops.stack([p for p, _ in pairs])
        if exclusive and pairs:
            count = gen_math_ops.sum(gen_math_ops.cast(preds, DstT=dtypes.int32), [0])
            checks.append(
                gen_logging_ops._assert(
                    gen_math_ops.less(count, 2),
                    ["More than one condition evaluated as True but exclusive=True.", preds],
                )
            )  # fmt: skip
        if default is None:
            if not pairs:
                raise ValueError("case: neither predicates nor a default")
            checks.append(
                gen_logging_ops._assert(
                    gen_math_ops.any(preds, [0]),
                    ["None of the conditions evaluated as True.", preds],
                )
            )
            default = pairs.pop()[1]
        result: Any = default
        for pred, fn in reversed(pairs):
            result = functools.partial(
                cond, pred, true_fn=fn, false_fn=result, strict=strict
            )
        with ops.control_dependencies(checks):
            value = result()
            if checks:
                value = nest.map_structure(
                    lambda t: (
                        gen_array_ops.identity(t) if isinstance(t, ops.Tensor) else t
                    ),
                    value,
                )
        return value if strict else _unpack_if_singleton(value)


def switch_case(
    branch_index: TensorLike,
    branch_fns: Sequence[Callable[[], object]]
    | Sequence[tuple[int, Callable[[], object]]]
    | Mapping[int, Callable[[], object]],
    default: Callable[..., object] | None = None,
    name: str = "switch_case",
) -> Any:
    """The result of the function at `branch_index`, else of `default()`.

    Args:
        branch_index: an int32 scalar.
        branch_fns: callables in a list, or as a dict or list of pairs {int: callable}.
        default: for any other index; without it that of the greatest index.

    Raises TypeError for an index or functions of other types, ValueError for none.
    """
    branches = _checked_branches(branch_fns)
    if default is not None and not callable(default):
        raise TypeError("switch_case: default must be callable.")
    with ops.name_scope(name, "switch_case", [branch_index]):
        branch_index = ops.convert_to_tensor(branch_index, name="branch_index")
        if branch_index.dtype.base_dtype != dtypes.int32:
            raise TypeError(
                f"switch_case: branch_index must be int32, got {branch_index.dtype.name}"
            )
        if default is None:
            default = branches.pop(max(branches))
        return case(
            [(gen_math_ops.equal(branch_index, i), f) for i, f in branches.items()],
            default,
        )


def _is_index(index: Any) -> bool:
    return isinstance(index, compat.integral_types) and not isinstance(index, bool)


def _checked_branches(branch_fns: Any) -> dict[int, Callable[[], Any]]:
    if isinstance(branch_fns, dict):
        pairs = list(branch_fns.items())
    elif not isinstance(branch_fns, (list, tuple)):
        raise TypeError(
            f"switch_case: branch_fns must be a list or dict, got {branch_fns!r}"
        )
    elif any(isinstance(f, tuple) for f in branch_fns):
        pairs = list(branch_fns)
    else:
        pairs = list(enumerate(branch_fns))
    if not pairs:
        raise ValueError("switch_case: branch_fns must not be empty")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not _is_index(pair[0]):
            raise TypeError(f"switch_case: not a pair of int and callable: {pair!r}")
        if not callable(pair[1]):
            raise TypeError(f"switch_case: the function at {pair[0]} is not callable")
    branches = dict(pairs)
    if len(branches) != len(pairs):
        raise ValueError("switch_case: an index has two functions")
    return branches
