# SPDX-License-Identifier: Apache-2.0
"""ConcreteFunction: a Python function for one kind of arguments, as a function of one graph."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tensorwright.python.framework import (
    dtypes,
    function as function_lib,
    ops,
    tensor_spec,
)
from tensorwright.python.framework.function_graph import FuncGraph
from tensorwright.python.framework.type_aliases import TensorTree
from tensorwright.python.ops import (
    array_ops,
    functional_ops,
    variable_scope,
    variables,
)
from tensorwright.python.ops._variables import variables_creators
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.core.framework.function_pb2 import FunctionDef

# Ops of which the order among themselves and others does not matter: they read nothing that changes, or make a handle.
_UNORDERED = frozenset(["Placeholder", "VarHandleOp", "VariableV2", "Variable"])


class Kind(NamedTuple):
    """Calls of one kind run one function."""

    structure: Any  # Hashable.
    tensors: tuple[tuple[dtypes.DType, tuple[int | None, ...] | None], ...]


class Call(NamedTuple):
    """The arguments of a call, flat: `is_tensor` says which become inputs."""

    arguments: Any  # A pair of positional ones and those by name.
    flat: list[Any]
    is_tensor: list[bool]


class ConcreteFunction:
    """A function for one kind of arguments, in one graph.

    `orders_effects`: whether stateful ops run in the order in which Python wrote them, those inside of conditions and
    loops excepted.  All of them run in each call, as in any function of a graph.
    """

    def __init__(
        self,
        python_function: Callable[..., object],
        call: Call,
        kind: Kind,
        orders_effects: bool = True,
    ):
        self._call = call
        self._orders_effects = orders_effects
        # The structure of the results, with None where there is no tensor.
        self._results: Any = None
        types = [dtype for dtype, _ in kind.tensors]
        shapes = [shape for _, shape in kind.tensors]
        names = [f"arg{i}" for i in range(len(types))]
        self._python_function = python_function
        self._defined = function_lib._DefinedFunction(
            self._body,
            names,
            types,
            input_shapes=shapes,
            base_name=f"inference_{name_of(python_function)}",
        )
        self._defined._create()

    def _body(self, *tensors: ops.Tensor) -> list[ops.Tensor]:
        given = iter(tensors)
        flat = [
            next(given) if is_tensor else value
            for value, is_tensor in zip(
                self._call.flat, self._call.is_tensor, strict=True
            )
        ]
        args, kwargs = nest.pack_sequence_as(self._call.arguments, flat)
        results = self._python_function(*args, **kwargs)
        flat_results = [_as_result(r) for r in nest.flatten(results)]
        self._results = nest.pack_sequence_as(
            results, [None if r is None else True for r in flat_results]
        )
        outputs = [r for r in flat_results if r is not None]
        effects = (
            _order_effects(ops.get_default_graph()) if self._orders_effects else []
        )
        with ops.control_dependencies(effects):
            if not outputs and effects:
                # Something has to be asked for.
                return [array_ops.constant(True)]
            return [array_ops.identity(o) for o in outputs]

    @property
    def graph(self) -> FuncGraph:
        """The graph of the body."""
        return self._defined.graph

    @property
    def name(self) -> str:
        return self._defined.name

    @property
    def inputs(self) -> list[ops.Tensor]:
        """The tensors of the body that stand for arguments, then those for what is captured."""
        return [*self.graph.inputs, *self.graph.extra_args]

    @property
    def outputs(self) -> list[ops.Tensor]:
        """The results in the body."""
        return list(self.graph.outputs)

    @property
    def captured_inputs(self) -> list[ops.Tensor]:
        """The tensors of the graph around it that calls pass along."""
        return self._defined.captured_inputs

    @property
    def structured_outputs(self) -> TensorTree:
        """The results in the body, in the structure of the Python function's."""
        return self._packed(self.outputs)

    @property
    def function_def(self) -> FunctionDef:
        """Its FunctionDef."""
        return self._defined.definition

    def __call__(self, *args: TensorTree, **kwargs: TensorTree) -> Any:
        """Adds a call to the default graph; the arguments are the tensors alone, in order.

        Raises:
            TypeError: there are more or fewer tensors than the function takes.
        """
        flat = nest.flatten((args, kwargs))
        if len(flat) != len(self._defined.declared_input_types):
            flat = [a for a in flat if is_tensor_like(a)]
        if len(flat) != len(self._defined.declared_input_types):
            raise TypeError(
                f"{self.name} takes {len(self._defined.declared_input_types)} tensors, got {len(flat)}"
            )
        return self._call_flat(flat)

    def _call_flat(self, tensors: Sequence[Any]) -> Any:
        found = functional_ops.partitioned_call(tensors, self._defined)
        if isinstance(found, ops.Operation):
            return found if self._results is None else self._packed([])
        for output, inner in zip(found, self.outputs, strict=True):
            output.set_shape(inner.shape)
        if not any(nest.flatten(self._results)):
            return found[0].op
        return self._packed(found)

    def _packed(self, outputs: Sequence[ops.Tensor]) -> Any:
        given = iter(outputs)
        flat = [next(given) if r else None for r in nest.flatten(self._results)]
        return nest.pack_sequence_as(self._results, flat)


def lifting_variables(
    python_function: Callable[..., object],
    graph: ops.Graph,
    check: Callable[[object], None],
    made: list[variables.Variable] | None = None,
) -> Callable[..., object]:
    """The function, whose variables are made in the graph around the body, with handles, which the body can capture.

    Args:
        python_function: is called with the tensors of a body.
        graph: the graph around the body.
        check: is called with the initial value before a variable is made, and raises to refuse it.
        made: variables are added to it.
    """

    def lifted(next_creator: Callable[..., Any], **arguments: Any) -> Any:
        check(arguments.get("initial_value"))
        arguments["use_resource"] = True
        with graph.as_default(), ops.control_dependencies(None):
            variable = next_creator(**arguments)
        if made is not None:
            made.append(variable)
        return variable

    @functools.wraps(python_function)
    def call(*args: Any, **kwargs: Any) -> object:
        variable_scope.get_variable_scope().set_use_resource(True)
        with variables_creators.variable_creator_scope(lifted):
            return python_function(*args, **kwargs)

    return call


def static_shape(
    like: ops.Tensor | tensor_spec.TensorSpec,
) -> tuple[int | None, ...] | None:
    """The static shape of a tensor or spec; None where the rank is not known."""
    return None if like.shape.ndims is None else tuple(like.shape.as_list())


def name_of(func: object) -> str:
    return getattr(func, "__name__", None) or type(func).__name__


def is_tensor_like(value: object) -> bool:
    return isinstance(
        value, (ops.Tensor, np.ndarray, np.generic, tensor_spec.TensorSpec)
    )


def _as_result(value: Any) -> ops.Tensor | None:
    if value is None or isinstance(value, ops.Operation):
        return None
    return ops.convert_to_tensor(value)


def _order_effects(body: Any) -> list[ops.Operation]:
    """Lets each stateful op of a body wait for the one before, and returns the last in a list, which may be empty.

    Those inside of conditions and loops wait for no other: an edge may not lead into them.
    """
    last: ops.Operation | None = None
    for op in body.get_operations():
        if not op.op_def.is_stateful or op.type in _UNORDERED:
            continue
        if op._get_control_flow_context() is not None:
            continue
        if last is not None and last not in op.control_inputs:
            op._add_control_input(last)
        last = op
    return [] if last is None else [last]
