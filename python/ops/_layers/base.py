# SPDX-License-Identifier: Apache-2.0
"""Layer: a function of tensors with variables of its own, made in its first call."""

from __future__ import annotations

import collections
import contextlib
import copy
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import (
    DTypeLike,
    InitializerLike,
    ShapeLike,
    TensorTree,
)
from tensorwright.python.ops import variable_scope as vs, variables as tf_variables
from tensorwright.python.ops._layers.input_spec import InputSpec as InputSpec
from tensorwright.python.ops._layers.layer_calls import CallsMixin, _shapes
from tensorwright.python.ops._layers.layer_losses import LossesMixin
from tensorwright.python.util import nest

_NAME_COUNTS_KEY = ("__layer_name_counts",)


def _snake_case(name: str) -> str:
    """BasicLSTMCell -> basic_lstm_cell."""
    words = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    snake = re.sub(r"([a-z])([A-Z])", r"\1_\2", words).lower()
    # A scope's name must not begin with an underscore.
    return "private" + snake if snake.startswith("_") else snake


def _unique_layer_name(base: str) -> str:
    """base_1, base_2, ...: the next one of the default graph."""
    holder = ops.get_collection_ref(_NAME_COUNTS_KEY)
    if not holder:
        holder.append(collections.Counter())
    holder[0][base] += 1
    return f"{base}_{holder[0][base]}"


class Layer(CallsMixin, LossesMixin):
    """The base of layers: a subclass defines `build`, which makes the variables, and `call`, which computes.

    The variables are in a variable scope of the layer's own, which each call enters anew.  The scope has the layer's
    name, or the class's name in snake case; the first call chooses it.

    Args:
        trainable: whether variables are trainable that do not say so themselves.
        name: the scope's name.
        dtype: the dtype of the variables; by default that of the first input.

    Example:
        class Scale(Layer):
            def build(self, input_shape):
                self.scale = self.add_variable("scale", [input_shape[-1].value])
                self.built = True

            def call(self, inputs):
                return inputs * self.scale
    """

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: DTypeLike | None = None,
        **kwargs: Any,
    ):  # fmt: skip
        for key in kwargs:
            if key not in ("_scope", "_reuse", "activity_regularizer"):
                raise TypeError("Keyword argument not understood:", key)
        self.trainable = trainable
        self.built = False
        self.input_spec: Any = None
        self._activity_regularizer = kwargs.get("activity_regularizer")
        self._trainable_weights: list = []
        self._non_trainable_weights: list = []
        self._updates: list[tuple[Any, Any]] = []
        self._losses: list[tuple[Any, Any]] = []
        self._reuse = kwargs.get("_reuse")
        self._graph = ops.get_default_graph()
        self._dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        self._base_name = name or _snake_case(type(self).__name__)
        self._name = name or _unique_layer_name(self._base_name)
        self._nodes: list[tuple[Any, Any]] = []
        self._scope: Any = None
        scope = kwargs.get("_scope")
        if scope:
            with vs.variable_scope(scope) as captured:
                self._scope = captured

    def __deepcopy__(self, memo: dict[int, object]) -> Layer:
        """A copy for the same graph, which is not copied; nor is the scope of its variables."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for name, value in vars(self).items():
            shared = name in ("_graph", "_scope")
            object.__setattr__(made, name, value if shared else copy.deepcopy(value, memo))  # fmt: skip # noqa: E501
        return made

    # --- What it is -----------------------------------------------------------------

    @property
    def dtype(self) -> dtypes.DType | None:
        return self._dtype

    @property
    def name(self) -> str:
        return self._name

    @property
    def graph(self) -> ops.Graph:
        """The graph that its variables are in."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The name of its variable scope; ValueError before the first call."""
        if self._scope is None:
            raise ValueError(
                f"Layer {self._name} has not been used yet, and has no scope before"
            )
        return self._scope.name

    @property
    def activity_regularizer(self) -> Callable | None:
        return self._activity_regularizer

    @property
    def trainable_weights(self) -> list:
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list:
        if self.trainable:
            return list(self._non_trainable_weights)
        return self._trainable_weights + self._non_trainable_weights

    @property
    def weights(self) -> list:
        """All variables, those that are trained first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_variables(self) -> list:
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list:
        return self.non_trainable_weights

    @property
    def variables(self) -> list:
        return self.weights

    def count_params(self) -> int:
        """The number of elements of all variables; ValueError if they are not made yet."""
        if not self.built:
            raise ValueError(
                f"count_params: layer {self.name} is not built; call it, or its build()"
            )
        return sum(v.get_shape().num_elements() for v in self.weights)

    # --- For subclasses ---------------------------------------------------------------

    def build(self, input_shape: ShapeLike) -> None:
        """Makes the variables for inputs of a shape, a structure of TensorShapes."""
        del input_shape
        self.built = True

    def call(self, inputs: TensorTree, *args: object, **kwargs: object) -> Any:
        """The outputs."""
        del args, kwargs
        return inputs

    def compute_output_shape(self, input_shape: ShapeLike) -> Any:
        """The static shape of the outputs."""
        raise NotImplementedError(
            f"{type(self).__name__} does not say what shape its outputs have"
        )

    def add_variable(
        self,
        name: str,
        shape: ShapeLike,
        dtype: DTypeLike | None = None,
        initializer: InitializerLike | None = None,
        regularizer: Callable | None = None,
        trainable: bool = True,
        constraint: Callable | None = None,
        partitioner: Callable | None = None,
        **kwargs: Any,
    ) -> Any:
        """A variable in the layer's scope, found instead of made where the layer reuses.

        The loss that `regularizer` makes of a new one joins REGULARIZATION_LOSSES.
        """
        self._set_scope(None)
        before = tf_variables.global_variables() if regularizer else []
        dtype = dtypes.as_dtype(dtype or self.dtype or dtypes.float32)
        with self._in_scope():
            variable = vs.get_variable(
                name,
                shape=shape,
                dtype=dtype,
                initializer=initializer,
                constraint=constraint,
                trainable=trainable and self.trainable,
                partitioner=partitioner,
                **kwargs,
            )
            self._keep(variable, trainable)
            if regularizer is not None:
                parts = (
                    list(variable)
                    if isinstance(variable, tf_variables.PartitionedVariable)
                    else [variable]
                )
                for part in parts:
                    if not any(part is old for old in before):
                        self._regularize(name, part, regularizer)
        return variable

    add_weight = add_variable

    def _keep(self, variable: Any, trainable: bool) -> None:
        known = self._trainable_weights + self._non_trainable_weights
        if not any(variable is v for v in known):
            kept = self._trainable_weights if trainable else self._non_trainable_weights
            kept.append(variable)

    def _regularize(self, name: str, variable: Any, regularizer: Callable) -> None:
        with ops.colocate_with(variable.op), ops.name_scope(name + "/Regularizer"):
            loss = regularizer(variable)
        if loss is not None:
            self.add_loss(loss)

    # --- A call -----------------------------------------------------------------------

    def apply(self, inputs: TensorTree, *args: object, **kwargs: object) -> Any:
        """The same as a call."""
        return self.__call__(inputs, *args, **kwargs)

    def __call__(self, inputs: TensorTree, *args: Any, **kwargs: Any) -> Any:
        """The outputs for `inputs`, a tensor or array or a structure of such.

        Further arguments go to `call`, but for `scope`, a variable scope for the variables.

        Raises:
            ValueError: for inputs that the layer's `input_spec` rules out, or of another graph than its variables.
        """
        self._set_scope(kwargs.pop("scope", None))
        inputs = nest.map_structure(_from_numpy, inputs)
        tensors = [x for x in nest.flatten(inputs) if isinstance(x, ops.Tensor)]
        graph = ops.get_default_graph()
        if tensors:
            graph = ops._get_graph_from_inputs(tensors)
        if self.built and graph is not self._graph:
            raise ValueError(
                f"Layer {self.name}: inputs are in another graph than its variables"
            )
        with graph.as_default(), self._in_scope():
            self._graph = graph
            if not self.built:
                self._check(inputs)
                if self._dtype is None and tensors:
                    self._dtype = tensors[0].dtype.base_dtype
                self.build(_shapes(inputs))
            self._check(inputs)
            outputs = self.call(inputs, *args, **kwargs)
            if outputs is None:
                raise ValueError(f"Layer {self.name}: its call() returned None")
            if self._activity_regularizer is not None:
                for output in nest.flatten(outputs):
                    with ops.name_scope("ActivityRegularizer"):
                        loss = self._activity_regularizer(output)
                    self.add_loss(loss, inputs=inputs)
        self._nodes.append((inputs, outputs))
        self.built = True
        return outputs

    def _set_scope(self, scope: Any) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            chosen = vs.variable_scope(self._base_name if scope is None else scope)
        else:
            chosen = vs.variable_scope(scope, default_name=self._base_name)
        with chosen as captured:
            self._scope = captured

    @contextlib.contextmanager
    def _in_scope(self) -> Any:
        """The layer's variable scope, and its name scope."""
        reuse = True if self.built else self._reuse
        entered = vs.variable_scope(
            self._scope, reuse=reuse, auxiliary_name_scope=False
        )
        with entered as scope, ops.name_scope(self._name_scope_name(scope)):
            yield scope

    def _name_scope_name(self, current_variable_scope: Any) -> str:
        return current_variable_scope.original_name_scope

    def _check(self, inputs: Any) -> None:
        if self.input_spec is None:
            return
        specs = nest.flatten(self.input_spec)
        values = nest.flatten(inputs)
        if len(specs) != len(values):
            raise ValueError(
                f"Layer {self.name} expects {len(specs)} inputs, but it received "
                f"{len(values)} input tensors. Inputs received: {inputs}"
            )
        for i, (spec, value) in enumerate(zip(specs, values, strict=True)):
            # A layer of Keras describes its inputs by a class of its own, with the same fields.
            InputSpec.check(spec, value, f"Input {i} of layer {self.name}")


def _from_numpy(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic, float, int)):
        return ops.convert_to_tensor(value)
    return value


__all__ = ["InputSpec", "Layer"]
