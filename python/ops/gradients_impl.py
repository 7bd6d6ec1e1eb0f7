# SPDX-License-Identifier: Apache-2.0
"""tf.gradients: reverse-mode differentiation of a graph.

Walks the ops between xs and ys backwards.  An op is differentiated once the gradients of all its
outputs are complete, that is, when every consumer on the way to ys has given its share; shares are
summed.  The gradient functions themselves are registered in the *_grad modules.
"""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Iterable
from typing import Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (  # noqa: F401 (the *_grad modules register themselves)
    array_grad,
    array_ops,
    control_flow_grad,
    control_flow_ops,
    data_flow_grad,
    logging_grad,
    math_grad,
    math_ops,
    nn_grad,
    random_grad,
    state_grad,
)

_TRAINABLE = frozenset(
    (
        dtypes.float16,
        dtypes.bfloat16,
        dtypes.float32,
        dtypes.float64,
        dtypes.complex64,
        dtypes.complex128,
    )
)


class AggregationMethod:
    """How gradients that meet at a tensor are summed.

    ADD_N adds all in one op once all are there; EXPERIMENTAL_TREE adds pairs, which frees
    memory earlier; EXPERIMENTAL_ACCUMULATE_N may add as they come.
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = "none",
) -> list[Any]:
    """d sum(ys) / dx for each x of `xs`: a Tensor, IndexedSlices, or None where ys do not depend on x.

    Args:
      ys: a tensor or list of tensors to differentiate.
      xs: a tensor, variable, or list of them.
      grad_ys: gradients of `ys` to start with, of their shapes; None stands for ones.
      name: the name scope of all ops that are made.
      colocate_gradients_with_ops: place each gradient beside its op.
      gate_gradients: all gradients of one op become available together.
      aggregation_method: one of AggregationMethod.
      stop_gradients: tensors to treat as constants.
      unconnected_gradients: "none", or "zero" for zeros instead of None.

    Raises:
      LookupError: an op between has no registered gradient.
      ValueError: grad_ys has another length than ys, or an unknown argument value.
      TypeError: a y is not of a floating or complex dtype, or a grad_y of another dtype.
    """
    unconnected = getattr(unconnected_gradients, "value", unconnected_gradients)
    if unconnected not in ("none", "zero"):
        raise ValueError(f"unknown value for unconnected_gradients: {unconnected!r}")
    ys, xs = _as_list(ys), _as_list(xs)
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    stops = [] if stop_gradients is None else _as_list(stop_gradients)
    all_inputs = [*ys, *xs, *stops, *(g for g in grad_ys if g is not None)]
    with ops.name_scope(name, "gradients", all_inputs) as scope:
        ys = ops.convert_n_to_tensor_or_indexed_slices(ys, name="y")
        xs = [_as_tensor(x) for x in xs]
        stops = [_as_tensor(s) for s in stops]
        grad_ys = _initial_gradients(grad_ys, ys)
        walk = _Walk(
            [y.op for y in ys],
            [x.op for x in xs],
            [s.op for s in stops],
            _Options(
                scope, colocate_gradients_with_ops, gate_gradients, aggregation_method
            ),
        )
        for y, grad in zip(ys, grad_ys, strict=True):
            walk.add_gradient(y, grad)
        walk.run()
        found = [walk.gradient_of(x) for x in xs]
        if unconnected == "zero":
            found = [
                array_ops.zeros_like(x) if g is None else g
                for x, g in zip(xs, found, strict=True)
            ]
        return found


class _Options:
    def __init__(
        self, scope: str, colocate: bool, gate: bool, aggregation: int | None
    ) -> None:
        known = (None, 0, 1, 2)
        if aggregation not in known:
            raise ValueError(f"Invalid aggregation_method specified {aggregation}.")
        self.scope = scope
        self.colocate = colocate
        self.gate = gate
        self.aggregation = aggregation or AggregationMethod.ADD_N


class _Walk:
    """One backward pass over the ops that lie between xs and ys."""

    def __init__(
        self,
        to_ops: list[Any],
        from_ops: list[Any],
        stop_ops: list[Any],
        options: _Options,
    ) -> None:
        self._options = options
        self._to_ops = to_ops
        self._between = _ops_between(to_ops, from_ops)
        self._from = set(from_ops)
        self._stopped = set(stop_ops)
        # How many consumers between still owe their share, for each op.
        self._pending: collections.Counter = collections.Counter()
        for op in self._between:
            for t in op.inputs:
                if t.op in self._between:
                    self._pending[t.op] += 1
        # op -> for each output, the shares it has been given.
        self._shares: dict[Any, list[list[Any]]] = {}
        self._sums: dict[Any, list[Any]] = {}

    def add_gradient(self, tensor: Any, grad: Any) -> None:
        op = tensor.op
        if op not in self._shares:
            self._shares[op] = [[] for _ in op.outputs]
        self._shares[op][tensor.value_index].append(grad)

    def gradient_of(self, x: Any) -> Any:
        return self._sum(x.op)[x.value_index]

    def run(self) -> None:
        ready = collections.deque(
            op
            for op in dict.fromkeys(self._to_ops)
            if op in self._between and not self._pending[op]
        )
        while ready:
            op = ready.popleft()
            with _beside(op, self._options.colocate):
                in_grads = self._differentiate(op)
            for tensor, grad in zip(op.inputs, in_grads, strict=True):
                if grad is not None:
                    self.add_gradient(tensor, grad)
                source = tensor.op
                if source in self._between:
                    self._pending[source] -= 1
                    if not self._pending[source]:
                        ready.append(source)

    def _differentiate(self, op: Any) -> list[Any]:
        """The gradients of the inputs of `op`, None where nothing flows."""
        nothing = [None] * len(op.inputs)
        if op in self._stopped or self._ends_at(op):
            return nothing
        out_grads = self._sum(op)
        if all(g is None for g in out_grads):
            return nothing
        try:
            function = ops.get_gradient_function(op)
        except LookupError:
            raise LookupError(
                f"No gradient defined for operation '{op.name}' (op type: {op.type})"
            ) from None
        if function is None:
            return nothing
        with (
            ops.name_scope(f"{self._options.scope}{op.name}_grad/"),
            ops.get_default_graph()._original_op_scope(op),
        ):
            in_grads = function(op, *_filled(op, out_grads))
            in_grads = _checked(op, in_grads)
            present = [g for g in in_grads if g is not None]
            if self._options.gate and len(present) > 1:
                gated = iter(control_flow_ops.tuple(present))
                in_grads = [None if g is None else next(gated) for g in in_grads]
        return in_grads

    def _ends_at(self, op: Any) -> bool:
        """Whether `op` is an x that no other x lies behind."""
        return op in self._from and not any(t.op in self._between for t in op.inputs)

    def _sum(self, op: Any) -> list[Any]:
        if op not in self._sums:
            shares = self._shares.get(op, [[] for _ in op.outputs])
            with _beside(op, self._options.colocate):
                self._sums[op] = [
                    _summed(s, self._options.aggregation) if s else None for s in shares
                ]
        return self._sums[op]


def _ops_between(to_ops: list[Any], from_ops: list[Any]) -> set[Any]:
    """Ops on a path from `from_ops` to `to_ops`, both included; the path follows data edges."""
    behind = set()
    queue = list(to_ops)
    consumers = collections.defaultdict(list)
    while queue:
        op = queue.pop()
        if op in behind:
            continue
        behind.add(op)
        for t in op.inputs:
            consumers[t.op].append(op)
            queue.append(t.op)
    between: set[Any] = set()
    queue = [op for op in from_ops if op in behind]
    while queue:
        op = queue.pop()
        if op not in between:
            between.add(op)
            queue.extend(consumers[op])
    return between


def _summed(shares: list[Any], method: int) -> Any:
    if len(shares) == 1:
        return shares[0]
    if all(isinstance(s, ops.Tensor) for s in shares):
        if method == AggregationMethod.EXPERIMENTAL_TREE:
            while len(shares) > 1:
                pairs = zip(shares[::2], shares[1::2], strict=False)
                odd = shares[-1:] if len(shares) % 2 else []
                shares = [math_ops.add(a, b) for a, b in pairs] + odd
            return shares[0]
        return math_ops.add_n(shares)
    slices = [_as_slices(s) for s in shares]
    values = [s.values for s in slices]
    indices = [math_ops.cast(s.indices, dtypes.int64) for s in slices]
    return ops.IndexedSlices(
        array_ops.concat(values, 0),
        array_ops.concat(indices, 0),
        slices[0].dense_shape,
    )


def _as_slices(share: Any) -> ops.IndexedSlices:
    """All rows of a dense gradient; slices as they are."""
    if isinstance(share, ops.IndexedSlices):
        return share
    shape = array_ops.shape(share)
    return ops.IndexedSlices(share, math_ops.range(shape[0]), shape)


def _filled(op: Any, out_grads: list[Any]) -> list[Any]:
    """Zeros for outputs that nothing depends on, since some others have gradients.

    Switch sees None: the branch not taken has no value to make zeros of.
    """
    if op.type in ("Switch", "RefSwitch"):
        return out_grads
    return [
        array_ops.zeros_like(out)
        if g is None and out.dtype.base_dtype in _TRAINABLE
        else g
        for out, g in zip(op.outputs, out_grads, strict=True)
    ]


def _checked(op: Any, in_grads: Any) -> list[Any]:
    """What a gradient function returned, as a list with one entry an input."""
    if in_grads is None or isinstance(in_grads, (ops.Tensor, ops.IndexedSlices)):
        in_grads = [in_grads]
    in_grads = list(in_grads)
    if len(in_grads) != len(op.inputs):
        raise ValueError(
            f"Num gradients {len(in_grads)} generated for op {op.type} '{op.name}' "
            f"do not match num inputs {len(op.inputs)}"
        )
    for i, (tensor, grad) in enumerate(zip(op.inputs, in_grads, strict=True)):
        if grad is None:
            continue
        if not isinstance(grad, (ops.Tensor, ops.IndexedSlices)):
            grad = in_grads[i] = ops.convert_to_tensor(grad)
        if isinstance(grad, ops.Tensor) and tensor.dtype != dtypes.resource:
            try:
                grad.set_shape(tensor.get_shape())
            except ValueError:
                raise ValueError(
                    f"Incompatible shapes between op input and calculated input "
                    f"gradient. Forward operation: {op.name}. Input index: {i}. "
                    f"Original input shape: {tensor.get_shape()}. Calculated input "
                    f"gradient shape: {grad.get_shape()}"
                ) from None
    return in_grads


def _initial_gradients(grad_ys: list[Any], ys: list[Any]) -> list[Any]:
    if len(grad_ys) != len(ys):
        raise ValueError(f"Passed {len(grad_ys)} grad_ys for {len(ys)} ys")
    result = []
    for i, (grad, y) in enumerate(zip(grad_ys, ys, strict=True)):
        dtype = y.dtype.base_dtype
        if dtype not in _TRAINABLE:
            raise TypeError(
                "Gradients of tensors must be floating point or complex: "
                f"got tensor {i} of dtype {dtype.name}."
            )
        if grad is None:
            if dtype.is_complex:
                raise TypeError(
                    f"Gradients of complex tensors must set grad_ys (y.dtype = {dtype.name})"
                )
            with _beside(y.op, False):
                grad = array_ops.ones_like(y, name=f"grad_ys_{i}")
        else:
            if not isinstance(grad, ops.IndexedSlices):
                grad = ops.convert_to_tensor(grad, name=f"grad_ys_{i}")
            if grad.dtype.base_dtype != dtype:
                raise TypeError(
                    f"Gradient type {grad.dtype.name} does not match type of y, "
                    f"{dtype.name}, for tensor {y}"
                )
        result.append(grad)
    return result


def _beside(op: Any, colocate: bool) -> contextlib.AbstractContextManager:
    return ops.colocate_with(op) if colocate else contextlib.nullcontext()


def _as_tensor(x: Any) -> Any:
    """A variable's reference: all its reads depend on it; anything else as a tensor."""
    if hasattr(x, "_ref"):
        return x._ref()
    return ops.convert_to_tensor_or_indexed_slices(x, name="x")


def _as_list(x: Any) -> list[Any]:
    if isinstance(x, (list, tuple)):
        return list(x)
    if isinstance(x, Iterable) and not hasattr(x, "op") and not hasattr(x, "dtype"):
        return list(x)
    return [x]
