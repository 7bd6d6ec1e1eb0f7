# SPDX-License-Identifier: Apache-2.0
"""The gradient of While: two loops.

x_0 = inputs; x_{k+1} = body(x_k) while cond(x_k).  The first loop runs the body again, and
keeps in lists the parts of x_k that the gradient of each round needs.  The second goes through the
rounds from the last to the first: with G = the gradient of body,

    g_k = G(x_k, g_{k+1})

A variable's handle is the same in all rounds: its gradient is the sum over them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, function_def, ops
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.ops import gen_list_ops, math_ops
from tensorwright.python.ops._functional import bodies

if TYPE_CHECKING:
    from tensorwright.python.framework.operation import Operation


def gradient(op: Operation, grads: tuple) -> list:
    """The gradients of a While's inputs, None where there is none."""
    rounds = _Rounds(op)
    if not rounds.carried and not rounds.handles:
        return [None] * len(op.inputs)
    count, kept = rounds.run_again()
    return rounds.run_back(count, kept, grads)


def _while(op: Any, values: list, cond: str, body: str) -> list:
    made = bodies.node(
        op.type,
        values,
        "while_grad",
        T=[v.dtype.base_dtype for v in values],
        cond=bodies.func(cond),
        body=bodies.func(body),
    )
    return list(made.outputs)


class _Rounds:
    """The values that one round of the loop has, and its gradient G as a function."""

    def __init__(self, op: Any):
        self.op = op
        self.inputs = list(op.inputs)
        self._called = bodies.attr_func(op, "body")
        self._cond = bodies.attr_func(op, "cond")
        shapes = [t.shape for t in op.outputs]
        numbers = [i for i, x in enumerate(self.inputs) if bodies.is_number(x)]
        lists = {
            i: dtype
            for i, x in enumerate(self.inputs)
            if x.dtype.base_dtype == dtypes.variant
            and (dtype := bodies.element_dtype(x)) is not None
        }
        # The gradients of these inputs go from round to round.
        self.carried = sorted([*numbers, *lists])
        self.elements = lists
        bodies.check_repeatable(op.graph, self._cond.name, op, set())
        backward = bodies.Backward(op, self._called, shapes, self.carried)
        self.is_constant = [
            _is_itself(x, y)
            for x, y in zip(backward.args, backward.results, strict=True)
        ]
        # Variables' handles with a gradient, and its dtype.
        self.handles = {
            i: grad.dtype.base_dtype
            for i, grad in enumerate(backward.found)
            if grad is not None
            and self.inputs[i].dtype.base_dtype == dtypes.resource
            and self.is_constant[i]
        }
        results: list[Any] = [
            backward.gradient_or_zeros(i, self.inputs[i].dtype.base_dtype, lists.get(i))
            for i in self.carried
        ] + [backward.found[i] for i in self.handles]
        self.g_types = [t.dtype.base_dtype for t in results]
        self.g_name = bodies.add_function(
            op.graph, backward.body, results, f"{self._called.name}_grad"
        )
        # Values that G does not use need not be kept.
        needed = [
            i for i, x in enumerate(backward.args) if x.consumers() or x in results
        ]
        self.kept = [i for i in needed if not self.is_constant[i]]
        self.constant = [i for i in needed if self.is_constant[i]]

    def run_again(self) -> tuple[Any, list]:
        """The first loop: how many rounds there were, and the lists of values."""
        graph, op = self.op.graph, self.op
        n = len(self.inputs)
        types = [x.dtype.base_dtype for x in self.inputs]
        more = [dtypes.int32, *[dtypes.variant] * len(self.kept)]

        cond = self._body_of(self._cond)
        with cond.as_default():
            for i, t in enumerate(more):
                cond.add_argument(t, f"kept_{i}", [])
        cond_name = bodies.add_function(graph, cond, cond.outputs, self._cond.name)

        body = self._body_of(self._called)
        with body.as_default():
            extra = [body.add_argument(t, f"kept_{i}", []) for i, t in enumerate(more)]
            longer = [
                gen_list_ops.tensor_list_push_back(kept, body.inputs[i])
                for i, kept in zip(self.kept, extra[1:], strict=True)
            ]
            results = [*body.outputs, extra[0] + 1, *longer]
        body_name = bodies.add_function(graph, body, results, self._called.name)
        empty = [
            gen_list_ops.empty_tensor_list(
                ops.convert_to_tensor(-1), ops.convert_to_tensor(-1), types[i]
            )
            for i in self.kept
        ]
        values = [*self.inputs, ops.convert_to_tensor(0), *empty]
        outputs = _while(op, values, cond_name, body_name)
        return outputs[n], outputs[n + 1 :]

    def _body_of(self, called: Any) -> FuncGraph:
        definition = function_def.function_def_of(self.op.graph, called.name)
        return function_def.build_body(definition, called.attr, self.op.graph)

    def run_back(self, count: Any, kept: list, grads: tuple) -> list:
        """The second loop: the gradients of the inputs."""
        op = self.op
        first = [
            grads[i]
            if grads[i] is not None
            else bodies.zeros_for(op.outputs[i], None, self.elements.get(i))
            for i in self.carried
        ] + [
            bodies.zeros_for(self.inputs[i], dtype) for i, dtype in self.handles.items()
        ]
        constants = [self.inputs[i] for i in self.constant]
        values = [count, *kept, *constants, *first]
        cond, body = self._reverse(values)
        last = _while(op, values, cond, body)[len(values) - len(first) :]
        found: list[Any] = [None] * len(self.inputs)
        for i, grad in zip([*self.carried, *self.handles], last, strict=True):
            found[i] = grad
            if bodies.is_number(self.inputs[i]):
                grad.set_shape(self.inputs[i].shape)
        return found

    def _reverse(self, values: list) -> tuple[str, str]:
        """The functions of the second loop, of `values`: count, lists, constants and gradients."""
        graph = self.op.graph
        cond = FuncGraph(graph)
        with cond.as_default():
            args = [cond.add_argument(v.dtype.base_dtype, "v", None) for v in values]
            holds = args[0] > 0
        cond_name = bodies.add_function(graph, cond, [holds], "backward_cond")

        body = FuncGraph(graph)
        library = graph.as_graph_def().library
        function_def.add_function_def(body, None, library=library)
        n = len(self.kept)
        with body.as_default():
            args = [body.add_argument(v.dtype.base_dtype, "v", None) for v in values]
            of_round: dict[int, Any] = {}
            shorter = []
            for i, kept in zip(self.kept, args[1 : n + 1], strict=True):
                rest, of_round[i] = gen_list_ops.tensor_list_pop_back(
                    kept, ops.convert_to_tensor(-1), self.inputs[i].dtype.base_dtype
                )
                shorter.append(rest)
            constants = args[n + 1 : n + 1 + len(self.constant)]
            of_round.update(zip(self.constant, constants, strict=True))
            grads = args[n + 1 + len(constants) :]
            made = self._call_g(of_round, grads[: len(self.carried)])
            sums = [
                math_ops.add(total, more)
                for total, more in zip(
                    grads[len(self.carried) :], made[len(self.carried) :], strict=True
                )
            ]
            results = [
                args[0] - 1,
                *shorter,
                *constants,
                *made[: len(self.carried)],
                *sums,
            ]
        return cond_name, bodies.add_function(graph, body, results, "backward_body")

    def _call_g(self, of_round: dict[int, Any], grads: list) -> list:
        """Calls G with the round's values; arguments that G does not use get anything of their type."""
        args = [
            of_round[i]
            if i in of_round
            else bodies.node(
                "FakeParam", [], "unused", dtype=x.dtype.base_dtype, shape=[]
            ).outputs[0]
            for i, x in enumerate(self.inputs)
        ]
        kind = (
            "StatefulPartitionedCall" if self.op.type == "While" else "PartitionedCall"
        )
        made = bodies.node(
            kind, [*args, *grads], "round_grad", Tout=self.g_types,
            Tin=[t.dtype.base_dtype for t in [*args, *grads]],
            f=bodies.func(self.g_name),
        )  # fmt: skip
        return list(made.outputs)


def _is_itself(x: Any, y: Any) -> bool:
    """Is `y` the very argument `x`?"""
    while y is not x and y.op.type == "Identity":
        y = y.op.inputs[0]
    return y is x
