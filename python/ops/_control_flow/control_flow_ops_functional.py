# SPDX-License-Identifier: Apache-2.0
"""cond and while_loop as single ops, If and While, that call functions of the graph.

The functions have the same arguments: the loop's variables, and behind them whatever tensors of the graph around any of
them uses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tensorwright.python.framework import constant_op, dtypes, ops, tensor_shape
from tensorwright.python.framework.sparse_tensor import SparseTensor
from tensorwright.python.framework.type_aliases import ShapeTree, TensorLike, TensorTree
from tensorwright.python.ops import array_ops, math_ops, tensor_array_ops
from tensorwright.python.ops._control_flow import (
    control_flow_ops_while_invariants as invariants,
)
from tensorwright.python.util import nest
from tensorwright.python.util.lazy_loader import LazyLoader

# They import modules that import this one.
_bodies: Any = LazyLoader(
    "_bodies", globals(), "tensorwright.python.ops._functional.bodies"
)
_function: Any = LazyLoader(
    "_function", globals(), "tensorwright.python.ops._functional.function_defined"
)


class _Body:
    """A function of the default graph that is being built."""

    def __init__(self, name: str):
        self._outer = ops.get_default_graph()
        self._name = name
        self.graph = _function.FuncGraph(self._outer)

    def argument(self, like: ops.Tensor, shape: Any) -> ops.Tensor:
        argument = self.graph.add_argument(like.dtype.base_dtype, "arg", shape)
        data = getattr(like, "_handle_data", None)
        if data is not None:
            setattr(argument, "_handle_data", data)
        return argument

    def build(self, fn: Callable[..., Any], args: Sequence[Any] = ()) -> Any:
        """Returns (the result of `fn`, the tensors that it consists of)."""
        with self.graph.as_default(), _function._scope_of(self._outer, self.graph):
            result = fn(*args)
            flat = [t for leaf in nest.flatten(result) for t in self._parts(leaf)]
        if not flat:
            raise ValueError(f"{self._name} must return tensors or operations")
        return result, flat

    def _parts(self, leaf: Any) -> list[ops.Tensor]:
        if leaf is None:
            raise ValueError(f"{self._name} must return tensors or operations, got None")  # fmt: skip # noqa: E501
        if isinstance(leaf, ops.Operation):
            with leaf.graph.as_default(), ops.control_dependencies([leaf]):
                return [self._inside(constant_op.constant(True))]
        return [self._inside(ops.convert_to_tensor(t)) for t in _parts_of(leaf)]

    def _inside(self, tensor: ops.Tensor) -> ops.Tensor:
        if tensor.graph is not self.graph:
            tensor = self.graph._capture(tensor)
        return tensor

    def outside(self, handle: ops.Tensor) -> ops.Tensor:
        """The tensor of the graph around that a tensor of the body stands for; ValueError if there is none."""
        for outer, inner in self.graph.captured.items():
            if inner is handle:
                return outer
        if handle.graph is self.graph:
            raise ValueError(
                f"{self._name} returns a TensorArray that it has made itself: return its stack()"
            )
        return handle

    def add(self, captured: Sequence[ops.Tensor], outputs: Sequence[ops.Tensor]) -> str:
        """Adds the function to the graph, with these captured tensors as last arguments; returns its name."""
        body = self.graph
        for tensor in captured:
            body._capture(tensor)
        body.captured = {t: body.captured[t] for t in captured}
        outputs = [*outputs]
        name = _bodies.add_function(self._outer, body, outputs, self._name)
        for key, inner in body._functions.items():
            self._outer._functions.setdefault(key, inner)
        return name

    @property
    def has_state(self) -> bool:
        arguments = {t.op for t in (*self.graph.inputs, *self.graph.extra_args)}
        return any(
            op.op_def.is_stateful and op not in arguments
            for op in self.graph.get_operations()
        )


def _parts_of(leaf: Any) -> list[Any]:
    """The tensors that a value consists of."""
    if isinstance(leaf, ops.IndexedSlices):
        shape = [] if leaf.dense_shape is None else [leaf.dense_shape]
        return [leaf.values, leaf.indices, *shape]
    if isinstance(leaf, SparseTensor):
        return [leaf.indices, leaf.values, leaf.dense_shape]
    return [tensor_array_ops.to_flow(leaf)]


def _whole(leaf: Any, parts: list[ops.Tensor]) -> Any:
    """Takes the tensors of a value like `leaf` from the front of `parts`."""
    count = 1 if isinstance(leaf, ops.Operation) else len(_parts_of(leaf))
    own, parts[:count] = parts[:count], []
    if isinstance(leaf, ops.IndexedSlices):
        return ops.IndexedSlices(*own)
    if isinstance(leaf, SparseTensor):
        return SparseTensor(*own)
    return tensor_array_ops.from_flows([leaf], own)[0]


def _packed(structure: Any, tensors: Sequence[ops.Tensor]) -> Any:
    left = list(tensors)
    return nest.map_structure(lambda leaf: _whole(leaf, left), structure)


def _captured(bodies: Sequence[_Body]) -> list[ops.Tensor]:
    """The tensors that any of the functions uses, each once."""
    return list(dict.fromkeys(t for b in bodies for t in b.graph.captured))


def _with_handles(result: Any, body: _Body) -> Any:
    """The result with TensorArrays of the graph around in the place of those that stand for them."""

    def outer(leaf: Any) -> Any:
        if not isinstance(leaf, tensor_array_ops.TensorArray):
            return leaf
        view = leaf._with_flow(leaf.flow)
        view._own_handle = body.outside(leaf.handle)
        return view

    return nest.map_structure(outer, result)


def cond(
    pred: TensorLike,
    true_fn: Callable[..., object],
    false_fn: Callable[..., object],
    check: Callable[[object, object], None],
) -> TensorTree:
    """An If, or a StatelessIf; `check` compares the results of both functions.

    Raises ValueError if dtypes differ, or a result is None.
    """
    pred = ops.convert_to_tensor(pred, dtypes.bool, name="pred")
    branches = [_Body("cond_true"), _Body("cond_false")]
    (of_true, true), (of_false, false) = (
        b.build(fn) for b, fn in zip(branches, (true_fn, false_fn), strict=True)
    )
    check(of_true, of_false)
    for t, f in zip(true, false, strict=True):
        if t.dtype.base_dtype != f.dtype.base_dtype:
            raise ValueError(
                "Outputs of true_fn and false_fn must have the same type: "
                f"{t.dtype.base_dtype.name}, {f.dtype.base_dtype.name}"
            )
    captured = _captured(branches)
    result = _with_handles(of_true, branches[0])
    stateful = any(b.has_state for b in branches)
    names = [
        b.add(captured, outputs)
        for b, outputs in zip(branches, (true, false), strict=True)
    ]
    op = _bodies.node(
        "If" if stateful else "StatelessIf",
        [pred, *captured],
        "If",
        Tcond=dtypes.bool,
        Tin=[t.dtype.base_dtype for t in captured],
        Tout=[t.dtype.base_dtype for t in true],
        then_branch=_bodies.func(names[0]),
        else_branch=_bodies.func(names[1]),
    )
    for output, t, f in zip(op.outputs, true, false, strict=True):
        output.set_shape(t.shape.most_specific_compatible_shape(f.shape))
    return _packed(result, op.outputs)


def while_loop(
    condition: Callable[..., object],
    body: Callable[..., object],
    loop_vars: TensorTree,
    shape_invariants: ShapeTree | None,
    parallel_iterations: int,
    maximum_iterations: TensorLike | None = None,
) -> TensorTree:
    """A While, or a StatelessWhile; returns the values of the variables in their structure.

    Raises ValueError if a shape or the structure changes, TypeError if a dtype does.
    """
    structure: Any = nest.map_structure(_as_value, loop_vars)
    limit: Any = maximum_iterations
    values = [t for leaf in nest.flatten(structure) for t in _parts_of(leaf)]
    shapes = _shapes(structure, values, shape_invariants)
    counter = [] if maximum_iterations is None else [array_ops.zeros_like(limit)]  # fmt: skip # noqa: E501
    values, shapes = [*counter, *values], [tensor_shape.scalar()] * len(counter) + shapes  # fmt: skip # noqa: E501
    loop = _Body("while_cond"), _Body("while_body")
    arguments = [
        [b.argument(v, s) for v, s in zip(values, shapes, strict=True)] for b in loop
    ]

    def test(*args: ops.Tensor) -> Any:
        goes_on: Any = condition(*_packed(structure, args[len(counter) :]))
        if counter:
            return math_ops.logical_and(args[0] < limit, goes_on)
        return ops.convert_to_tensor(goes_on, dtypes.bool)

    def round_of(*args: ops.Tensor) -> Any:
        result: Any = body(*_packed(structure, args[len(counter) :]))
        result = result if nest.is_sequence(result) else [result]
        nest.assert_same_structure(list(structure), list(result))
        return [[a + 1 for a in args[: len(counter)]], result]

    _, goes_on = loop[0].build(test, arguments[0])
    _, results = loop[1].build(round_of, arguments[1])
    _check(values, shapes, results)
    captured = _captured(loop)
    stateful = any(b.has_state for b in loop)
    cond_name = loop[0].add(captured, goes_on)
    for tensor in captured:
        loop[1].graph._capture(tensor)
    kept = [loop[1].graph.captured[t] for t in captured]
    body_name = loop[1].add(captured, [*results, *kept])
    inputs = [*values, *captured]
    op = _bodies.node(
        "While" if stateful else "StatelessWhile",
        inputs,
        "While",
        T=[t.dtype.base_dtype for t in inputs],
        cond=_bodies.func(cond_name),
        body=_bodies.func(body_name),
        output_shapes=[*shapes, *(t.shape for t in captured)],
        parallel_iterations=parallel_iterations,
    )
    return _packed(structure, op.outputs[len(counter) : len(values)])


def _as_value(leaf: Any) -> Any:
    """A TensorArray, slices or a sparse tensor as they are; anything else as a tensor, and no reference."""
    if isinstance(
        leaf, (tensor_array_ops.TensorArray, ops.IndexedSlices, SparseTensor)
    ):
        return leaf
    tensor = ops.convert_to_tensor(leaf)
    return array_ops.identity(tensor) if tensor.dtype._is_ref_dtype else tensor


def _shapes(structure: Any, values: list, given: Any) -> list[Any]:
    """The shapes that hold in all rounds; those of the values where nothing else is given."""
    if given is None:
        return [v.shape for v in values]
    shapes = []
    for leaf, shape in zip(nest.flatten(structure), nest.flatten(given), strict=True):
        parts = _parts_of(leaf)
        if len(parts) > 1 or isinstance(leaf, tensor_array_ops.TensorArray):
            shapes += [tensor_shape.unknown_shape(p.shape.ndims) for p in parts]
            continue
        shape = tensor_shape.as_shape(shape)
        if not invariants.covers(shape, leaf.shape):
            raise ValueError(
                f"while_loop: the shape invariant {shape} of {leaf.name} is not "
                f"compatible with {leaf.shape}, its shape before the loop"
            )
        shapes.append(shape)
    return shapes


def _check(values: list, shapes: list, results: list) -> None:
    for value, shape, result in zip(values, shapes, results, strict=True):
        if value.dtype.base_dtype != result.dtype.base_dtype:
            raise TypeError(
                f"while_loop: {value.name} has dtype {value.dtype.base_dtype.name} before "
                f"the loop, {result.dtype.base_dtype.name} after a round"
            )
        if not invariants.covers(shape, result.shape):
            raise ValueError(
                f"while_loop: {value.name} has shape {shape} before the loop, "
                f"{result.shape} after a round; say so by shape_invariants"
            )
