# SPDX-License-Identifier: Apache-2.0
"""`tf.keras.layers.Layer`: the methods of TensorFlow's base class that Keras's lacks."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops, tensor_shape
from tensorwright.python.keras import _base
from tensorwright.python.keras._additions import extend, shapes

# Arguments of TensorFlow's add_weight for variables on several devices: here there is one device.
_OF_DEVICES = ("aggregation", "partitioner", "synchronization", "use_resource")


def _sizes(shape: Any) -> Any:
    """A shape as Keras takes it: a tuple of numbers."""
    if shape is None:
        return ()
    if isinstance(shape, (int, tensor_shape.Dimension)):
        shape = (shape,)
    if isinstance(shape, tensor_shape.TensorShape):
        return tuple(shape.as_list())
    return tuple(getattr(s, "value", s) if s is not None else None for s in shape)


def _add_weight(before: Any) -> Any:
    def add_weight(
        self: Any,
        name: Any = None,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        **devices: Any,
    ) -> Any:
        unknown = sorted(set(devices).difference(_OF_DEVICES))
        if unknown:
            raise TypeError(f"add_weight: unknown arguments {unknown}")
        # Keras's first layers, and those of TensorFlow's later years, gave the shape first.
        if not isinstance(name, (str, type(None))):
            name, shape = (shape if isinstance(shape, str) else None), name
        dtype = dtypes.as_dtype(dtype or self.dtype or _base.floatx())
        if initializer is None:
            initializer = "glorot_uniform" if dtype.is_floating else "zeros"
        arguments = (name, _sizes(shape), dtype.name, initializer, regularizer)
        if trainable is not False:
            return before(self, *arguments, True, constraint)
        with _base.not_trainable():
            return before(self, *arguments, False, constraint)

    return add_weight


def _names_from_zero(before: Any) -> Any:
    """Layers are `dense`, `dense_1`, ... as TensorFlow names them; Keras begins with `dense_1`."""
    from keras.engine import base_layer

    def init(self: Any, **kwargs: Any) -> None:
        if not kwargs.get("name"):
            prefix = type(self).__name__
            kwargs["name"] = _numbered(base_layer._to_snake_case(prefix), prefix)
        before(self, **kwargs)

    return init


def _networks_from_zero(before: Any) -> Any:
    def base_init(self: Any, name: Any = None, **kwargs: Any) -> None:
        prefix = type(self).__name__.lower()
        before(self, name=name or _numbered(prefix, prefix), **kwargs)

    return base_init


def _numbered(name: str, prefix: str) -> str:
    number = _base.get_uid(prefix) - 1
    return f"{name}_{number}" if number else name


def _shapes_of_outputs(before: Any) -> Any:
    """The base class's own guess, the input's shape, is right for few layers: the tensors know theirs."""

    def add_inbound_node(
        self: Any, input_tensors, output_tensors, input_masks, output_masks, input_shapes, output_shapes, arguments=None
    ):  # fmt: skip
        from keras import backend
        from keras.engine.base_layer import Layer

        if type(self).compute_output_shape is Layer.compute_output_shape:
            output_shapes = [
                backend.int_shape(x) if ops.is_dense_tensor_like(x) else None
                for x in _listed(output_tensors)
            ]
            if not isinstance(output_tensors, (list, tuple)):
                (output_shapes,) = output_shapes
        before(
            self, input_tensors, output_tensors, input_masks, output_masks, input_shapes, output_shapes, arguments
        )  # fmt: skip
        # No Input is behind such tensors: no model can be made of them.
        if not any(hasattr(x, "_keras_history") for x in _listed(input_tensors)):
            for x in _listed(output_tensors):
                del x._keras_history

    return add_inbound_node


def _listed(tensors: Any) -> list[Any]:
    return list(tensors) if isinstance(tensors, (list, tuple)) else [tensors]


def _call(before: Any) -> Any:
    """Layers take arrays, tuples of inputs, and arguments after the inputs by place, as TensorFlow's do."""

    def call(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        if args:
            kwargs.update(zip(_positional(self), args))
        if isinstance(inputs, tuple):
            inputs = list(inputs)
        if isinstance(inputs, list):
            inputs = [_as_tensor(x) for x in inputs]
        return before(self, _as_tensor(inputs), **kwargs)

    return call


def _as_tensor(x: Any) -> Any:
    return ops.convert_to_tensor(x) if isinstance(x, np.ndarray) else x


def _positional(layer: Any) -> list[str]:
    """Returns the names of the arguments of `call` after its inputs."""
    return list(inspect.signature(layer.call).parameters)[1:]


def _add_metric(before: Any) -> Any:
    def add_metric(
        self: Any, value: Any, aggregation: Any = None, name: Any = None
    ) -> None:
        # Keras's second argument is the name.
        if aggregation not in (None, "mean"):
            name, aggregation = name or aggregation, None
        before(self, value, name)

    return add_metric


def _with_shapes(function: Any) -> Any:
    """`function` of a layer and its input's shape, given a shape with a TensorShape's methods."""

    @functools.wraps(function)
    def call(self: Any, input_shape: Any = None) -> Any:
        found = function(self, shapes.with_methods(input_shape))
        return shapes.without_methods(found)

    return call


def _init_subclass(cls: type, **kwargs: Any) -> None:
    """Layers of programs are told shapes that can be used as tuples and as TensorShapes."""
    del kwargs
    for name in ("build", "compute_output_shape"):
        own = vars(cls).get(name)
        if inspect.isfunction(own) and len(inspect.signature(own).parameters) == 2:
            setattr(cls, name, _with_shapes(own))


def install(layer: Any, network: Any) -> None:
    """Extends Keras's classes Layer and Network."""
    extend.wrap(layer, "add_weight", _add_weight)
    extend.wrap(layer, "add_metric", _add_metric)
    extend.wrap(layer, "_add_inbound_node", _shapes_of_outputs)
    extend.wrap(layer, "__call__", _call)

    def add_variable(self: Any, *args: Any, **kwargs: Any) -> Any:
        """Another name of add_weight."""
        return self.add_weight(*args, **kwargs)

    def apply(self: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The layer, called with `inputs`."""
        return self(inputs, *args, **kwargs)

    layer.__init_subclass__ = classmethod(_init_subclass)
    extend.add(
        layer,
        add_variable=add_variable,
        apply=apply,
        inbound_nodes=property(lambda self: self._inbound_nodes),
        outbound_nodes=property(lambda self: self._outbound_nodes),
        variables=property(lambda self: self.weights),
        trainable_variables=property(lambda self: self.trainable_weights),
        non_trainable_variables=property(lambda self: self.non_trainable_weights),
    )


def name_from_zero(layer: type, network: type) -> None:
    """Lets layers and models be named as TensorFlow names them."""
    extend.wrap(layer, "__init__", _names_from_zero)
    extend.wrap(network, "_base_init", _networks_from_zero)
