# SPDX-License-Identifier: Apache-2.0
"""tf.gradients: symbolic derivatives by reverse accumulation."""

from __future__ import annotations

import collections
import contextlib
import enum
from collections.abc import Sequence
from typing import Any

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import (
    array_grad,
    array_ops,
    audio_grad,
    bitwise_grad,
    checkpoint_grad,
    contrib_grad,
    control_flow_grad,
    control_flow_ops,
    control_flow_state,
    ctc_grad,
    data_flow_grad,
    functional_grad,
    gen_math_ops,
    image_grad,
    linalg_grad,
    list_grad,
    logging_grad,
    lookup_grad,
    math_grad,
    math_ops,
    nn_grad,
    parsing_grad,
    ragged_grad,
    random_grad,
    resource_variable_grad,
    rnn_grad,
    sdca_grad,
    set_grad,
    sparse_grad,
    spectral_grad,
    state_grad,
    stateless_random_grad,
    string_grad,
    tensor_array_grad,
    tensor_forest_grad,
)
from tensorwright.python.ops._array import array_grad_quantize, array_grad_space
from tensorwright.python.ops._control_flow.control_flow_ops_context import (
    is_loop_exit,
    is_loop_switch,
)
from tensorwright.python.ops._gradients.gradients_parts import (
    _as_list,
    _Between,
    _check_grad_ys,
    _check_kind,
    _colocated,
    _concat_slices,
    _densify,
    _handle,
    _index,
    _is_trainable,
    _stop_ops,
    _wants_zeros,
)
from tensorwright.python.ops._math import math_grad_complex
from tensorwright.python.ops._math.math_ops_slices import as_indexed_slices

# Imported for the gradients that they register.
_REGISTRATIONS = (
    array_grad,
    audio_grad,
    array_grad_quantize,
    array_grad_space,
    bitwise_grad,
    checkpoint_grad,
    contrib_grad,
    control_flow_grad,
    ctc_grad,
    data_flow_grad,
    functional_grad,
    image_grad,
    linalg_grad,
    list_grad,
    logging_grad,
    lookup_grad,
    math_grad,
    math_grad_complex,
    nn_grad,
    parsing_grad,
    random_grad,
    resource_variable_grad,
    rnn_grad,
    sdca_grad,
    ragged_grad,
    set_grad,
    sparse_grad,
    spectral_grad,
    state_grad,
    stateless_random_grad,
    string_grad,
    tensor_array_grad,
    tensor_forest_grad,
)


class AggregationMethod:
    """The ways in which the gradients of a tensor that is used several times are summed."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


class UnconnectedGradients(enum.Enum):
    """The gradient of an x on which no y depends: None, or zeros."""

    NONE = "none"
    ZERO = "zero"


_METHODS = (
    AggregationMethod.ADD_N,
    AggregationMethod.EXPERIMENTAL_TREE,
    AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
)


def gradients_v2(
    ys: TensorLike,
    xs: TensorLike,
    grad_ys: TensorLike | Sequence[TensorLike | None] | None = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: TensorLike | None = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list:
    """`gradients` with the arguments of TensorFlow 2: each gradient is placed with its operation."""
    return gradients(
        *(ys, xs, grad_ys, name, True, gate_gradients, aggregation_method),
        stop_gradients=stop_gradients,
        unconnected_gradients=unconnected_gradients,
    )


def gradients(
    ys: TensorLike,
    xs: TensorLike,
    grad_ys: TensorLike | Sequence[TensorLike | None] | None = None,
    name: str = "gradients",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
    stop_gradients: TensorLike | None = None,
    unconnected_gradients: UnconnectedGradients | str = UnconnectedGradients.NONE,
) -> list:
    """The derivatives of the sum of `ys` with respect to each of `xs`.

    Args:
        ys: a tensor or a list of them.
        xs: tensors or variables.
        grad_ys: weights of ys, of the same shapes; None stands for ones.
        colocate_gradients_with_ops: place each gradient with its operation.
        gate_gradients: no gradient of an op is used before all of them are there.
        aggregation_method: see AggregationMethod.
        stop_gradients: tensors that are taken as constants.
        unconnected_gradients: ZERO: zeros in place of None.

    Returns a list: a Tensor or IndexedSlices for each x, None where no y depends on
    it.  Raises LookupError if an op on the way has no registered gradient, ValueError
    for bad arguments, TypeError for a gradient of another kind of number.
    """
    ys, xs = _as_list(ys), _as_list(xs)
    stops = [] if stop_gradients is None else _as_list(stop_gradients)
    grad_ys = [None] * len(ys) if grad_ys is None else _as_list(grad_ys)
    method = (
        AggregationMethod.DEFAULT if aggregation_method is None else aggregation_method
    )
    if method not in _METHODS:
        raise ValueError(f"Invalid aggregation_method specified {aggregation_method}.")
    unconnected = UnconnectedGradients(unconnected_gradients)  # Or its value, a str.
    with ops.name_scope(name, "gradients", [*ys, *xs, *stops, *grad_ys]):
        ys = ops.convert_n_to_tensor_or_indexed_slices(ys, name="y")
        originals, xs = xs, [_handle(x) for x in xs]
        stop_set = {_handle(s) for s in stops}
        grad_ys = _check_grad_ys(ys, grad_ys, colocate_gradients_with_ops)
        backward = _Backward(
            ys, xs, stop_set, colocate_gradients_with_ops, gate_gradients, method
        )
        found = backward.run(ys, grad_ys, xs)
    if unconnected is UnconnectedGradients.ZERO:
        return [
            array_ops.zeros_like(x) if g is None else g
            for g, x in zip(found, originals, strict=True)
        ]
    return found


class _Backward:
    """One reverse sweep over the operations between xs and ys."""

    def __init__(
        self, ys: list, xs: list, stops: set, colocate: bool, gate: bool, method: int
    ):
        self._colocate = colocate
        self._gate = gate
        self._method = method
        self._to_ops = [y.op for y in ys]
        from_ops = [x.op for x in xs]
        self._between = _Between(self._to_ops, from_ops, stops)
        self._loops = self._between.loops
        self._pending = self._between.pending
        # Operation -> for each output, the gradients received so far; for the Switch
        # of a loop, the gradient itself once it is known.
        self._grads: dict[ops.Operation, list] = {}
        self._stop_ops = _stop_ops(from_ops, stops, self._pending)
        self._queue: collections.deque = collections.deque()

    def run(self, ys: list, grad_ys: list, xs: list) -> list:
        """The gradient of each x."""
        for y, grad in zip(ys, grad_ys, strict=True):
            self._add(y, grad)
        self._start()
        while self._queue:
            op = self._queue.popleft()
            with _colocated(op, self._colocate):
                self._step(op)
            self._release_inputs(op)
        if self._loops is not None:
            self._loops.finish()
        return [self._result(x) for x in xs]

    def _start(self) -> None:
        targets = set()
        for op in self._to_ops:
            # Ready if no other y depends on it.
            if op not in self._between.set or op in targets:
                continue
            if self._pending.get(op, 0) == 0:
                targets.add(op)
                self._queue.append(op)
        if self._loops is not None:
            for y in self._loops.unused_exits(self._pending, targets):
                if _is_trainable(y):
                    self._add(y, self._loops.zeros_like_exit(y))
                    self._queue.append(y.op)

    # --- Received gradients -----------------------------------------------------------

    def _add(self, tensor: Any, grad: Any) -> None:
        received = self._grads.get(tensor.op)
        if received is None:  # An op may have many outputs: not a list for each call.
            received = self._grads[tensor.op] = [[] for _ in tensor.op.outputs]
        entry = received[_index(tensor)]
        if isinstance(entry, list):
            entry.append(grad)
        elif is_loop_switch(tensor.op):
            # The second visit of a loop's Switch, through its back edge.
            received[_index(tensor)] = grad
        else:
            raise AssertionError(f"gradient of {tensor} is complete already")

    def _result(self, x: Any) -> Any:
        received = self._grads.get(x.op)
        if received is None:
            return None
        entry = received[_index(x)]
        if isinstance(entry, list):
            return self._sum(entry, x.op) if entry else None
        return entry

    def _aggregated(self, op: ops.Operation) -> list:
        """One gradient (or None) for each output of `op`."""
        received = self._grads.setdefault(op, [[] for _ in op.outputs])
        for i, entry in enumerate(received):
            if not isinstance(entry, list):
                continue
            entry = [g for g in entry if g is not None]
            if entry:
                received[i] = self._sum(entry, op)
            elif not is_loop_switch(op):
                received[i] = None
            else:
                received[i] = []
        return [None if isinstance(g, list) else g for g in received]

    def _sum(self, grads: list, op: ops.Operation) -> Any:
        grads = [g for g in grads if g is not None]
        if not grads:
            return None
        if len(grads) == 1:
            return grads[0]
        if any(isinstance(g, ops.IndexedSlices) for g in grads):
            return _concat_slices([as_indexed_slices(g, optimize=False) for g in grads])
        if self._method == AggregationMethod.EXPERIMENTAL_TREE:
            with ops.name_scope(op.name + "_gradient_sum"):
                total = grads[0]
                for g in grads[1:]:
                    with ops.colocate_with(g.op, ignore_existing=True):
                        total = gen_math_ops.add(total, g)
                return total
        return math_ops.add_n(grads)

    # --- One operation ----------------------------------------------------------------

    def _step(self, op: ops.Operation) -> None:
        with self._loop_of(op, before=True):
            out_grads = self._aggregated(op)
        function = None
        has_grads = any(g is not None for g in out_grads)
        if has_grads and op not in self._stop_ops:
            try:
                function = ops.get_gradient_function(op)
            except LookupError:
                raise LookupError(
                    f"No gradient defined for operation '{op.name}' of type {op.type}"
                ) from None
        if function is not None:
            with self._loop_of(op, before=False):
                self._propagate(op, function, out_grads)

    def _loop_of(self, op: ops.Operation, before: bool) -> Any:
        if self._loops is None:
            return contextlib.nullcontext()
        return self._loops.loop_of(op, before)

    def _propagate(self, op: ops.Operation, function: Any, out_grads: list) -> None:
        """Adds the results of the gradient function of `op` to the gradients of its inputs."""
        for i, grad in enumerate(out_grads):
            if grad is None and _wants_zeros(op.outputs[i]):
                if self._loops is not None:
                    out_grads[i] = self._loops.zeros_like(op, i)
                else:
                    out_grads[i] = control_flow_state.zeros_like_outside_loop(op, i)
        in_grads = self._apply(function, op, out_grads)
        for tensor, grad in zip(op.inputs, in_grads, strict=True):
            if grad is None:
                continue
            if (
                isinstance(grad, ops.Tensor)
                and tensor.dtype.base_dtype == grad.dtype.base_dtype
            ):
                try:
                    grad.set_shape(tensor.get_shape())
                except ValueError:
                    raise ValueError(
                        f"Incompatible shapes: {op.name} ({op.type}) has an input of "
                        f"{tensor.get_shape()}, and its gradient function gave "
                        f"{grad.get_shape()}"
                    ) from None
            self._add(tensor, grad)

    def _apply(self, function: Any, op: ops.Operation, out_grads: list) -> list:
        with ops.name_scope(op.name + "_grad"):
            in_grads = function(op, *out_grads)
            in_grads = _as_list(in_grads)
            if len(in_grads) != len(op.inputs):
                raise ValueError(
                    f"the gradient of {op.type} gave {len(in_grads)} gradients for the "
                    f"{len(op.inputs)} inputs of {op.name}"
                )
            if self._gate and sum(g is not None for g in in_grads) > 1:
                in_grads = control_flow_ops.tuple(in_grads)
            for x, g in zip(op.inputs, in_grads, strict=True):
                _check_kind(op, x, g)
            return in_grads

    def _release_inputs(self, op: ops.Operation) -> None:
        """Counts down the consumers of the inputs of `op`; operations whose consumers are done come next."""
        for x in op.inputs:
            self._pending[x.op] -= 1
            waiting = self._pending[x.op]
            ready = waiting == 0
            if self._loops is not None and not ready:
                ready = waiting > 0 and is_loop_switch(x.op)
            if not ready:
                continue
            if self._loops is None or not is_loop_exit(x.op):
                self._queue.append(x.op)
            else:
                self._release_exit(x)

    def _release_exit(self, x: ops.Tensor) -> None:
        """The gradients of a loop begin when those of all its exits are there."""
        assert self._loops is not None
        state = self._loops.state_of(x.op, before=False)
        if state is None:
            self._queue.append(x.op)
            return
        state.deferred_exits.append(x)
        state.pending_exits_count -= 1
        if state.pending_exits_count > 0:
            return
        has_grad = False
        for y in state.deferred_exits:
            if any(self._grads.get(y.op, [[]])):
                has_grad = True
                self._queue.append(y.op)
            else:
                state.unused_exits.append(y)
        for y in state.unused_exits:
            if has_grad and _is_trainable(y):
                self._add(y, self._loops.zeros_like_exit(y))
            self._queue.append(y.op)


ops.register_tensor_conversion_function(ops.IndexedSlices, _densify)


def hessians(
    ys: TensorLike,
    xs: TensorLike,
    name: str = "hessians",
    colocate_gradients_with_ops: bool = False,
    gate_gradients: bool = False,
    aggregation_method: int | None = None,
) -> list:
    """The second derivatives of the sum of `ys`: x [s...] -> [s..., s...].

    Raises ValueError if an x has no derivative or an unknown shape.
    """
    xs = _as_list(xs)
    options = {
        "colocate_gradients_with_ops": colocate_gradients_with_ops,
        "gate_gradients": gate_gradients,
        "aggregation_method": aggregation_method,
    }
    with ops.name_scope(name, "hessians"):
        result = []
        for x in xs:
            (grad,) = gradients(ys, x, **options)
            if grad is None:
                raise ValueError(f"hessians: ys do not depend on {x}")
            shape = array_ops.shape(x)
            flat = array_ops.reshape(grad, [-1])
            n = flat.get_shape().as_list()[0]
            if n is None:
                raise ValueError(f"hessians: the shape of {x} must be known")
            rows = []
            for i in range(n):
                (row,) = gradients(flat[i], x, **options)
                rows.append(array_ops.zeros_like(x) if row is None else row)
            stacked = array_ops.stack(rows)
            result.append(
                array_ops.reshape(stacked, array_ops.concat([shape, shape], 0))
            )
        return result
