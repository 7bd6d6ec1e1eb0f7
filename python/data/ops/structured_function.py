# SPDX-License-Identifier: Apache-2.0
"""Functions of elements: `map_func` and its like become functions of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.data.util import nest, structure
from tensorwright.python.framework import function, ops
from tensorwright.python.framework.type_aliases import DTypeLike, SpecTree


def unpacks(element: object) -> bool:
    """Is an element of this structure passed as several arguments?"""
    return isinstance(element, tuple) and not hasattr(element, "_fields")


class StructuredFunction:
    """`func` of elements of `spec`, as a function of the default graph.

    `output_spec` is the spec of its results; `captured` are the tensors from around it,
    which the dataset op passes along.
    """

    def __init__(self, func: Callable[..., object], spec: SpecTree, what: str):
        self._func = func
        self._spec = spec
        self.output_spec: Any = None
        self.definition = function._DefinedFunction(
            self._call,
            [],
            structure.get_flat_tensor_types(spec),
            input_shapes=structure.get_flat_tensor_shapes(spec),
            base_name=f"Dataset_{what}_{getattr(func, '__name__', type(func).__name__)}",
        )
        self.definition.add_to_graph(ops.get_default_graph())

    def _call(self, *flat: ops.Tensor) -> list[ops.Tensor]:
        element = structure.from_tensor_list(self._spec, flat)
        result = self._func(*element) if unpacks(element) else self._func(element)
        if isinstance(result, list):
            # Ops with several outputs, such as decode_csv, return a list, but in elements a list
            # stands for one tensor.
            result = tuple(result)
        if result is None:
            raise TypeError(
                "Unsupported return value from function passed to a dataset: None"
            )
        result = structure.normalize_element(result)
        self.output_spec = structure.type_spec_from_value(result)
        return structure.to_tensor_list(self.output_spec, result)

    @property
    def captured(self) -> list[ops.Tensor]:
        return self.definition.captured_inputs


def checked_scalar(
    f: StructuredFunction, dtype: DTypeLike, what: str, returns: str
) -> StructuredFunction:
    """Raises ValueError unless the function returns one scalar of `dtype`."""
    spec = f.output_spec
    ok = (
        not nest.is_nested(spec)
        and spec.dtype == dtype
        and spec.shape.is_compatible_with([])
    )
    if not ok:
        raise ValueError(f"`{what}` must return {returns}, got {spec}.")
    return f
