# SPDX-License-Identifier: Apache-2.0
"""The static shapes that loop variables keep in all iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.ops import tensor_array_ops as arrays
from tensorwright.python.util import nest

if TYPE_CHECKING:
    from tensorwright.python.framework.type_aliases import ShapeTree


def set_invariants(
    variables: list, entered: list, invariants: ShapeTree | None
) -> None:
    """Gives the Enter ops the static shapes that hold in all iterations."""
    if invariants is None:
        return
    flat = nest.flatten(invariants)
    if len(flat) != len(entered):
        raise ValueError(
            f"`shape_invariants` must have one shape for each of the {len(entered)} "
            f"loop variables, got {len(flat)}"
        )
    for variable, inside, shape in zip(variables, entered, flat, strict=True):
        if isinstance(shape, arrays.TensorArray):
            shape = variable.get_shape()
        shape = tensor_shape.as_shape(shape)
        if isinstance(variable, ops.IndexedSlices):
            _set_invariants_of_slices(variable, inside, shape)
        else:
            _set_invariant(variable, inside, shape)


def _set_invariant(
    variable: Any, inside: ops.Tensor, shape: tensor_shape.TensorShape
) -> None:
    if not covers(shape, variable.get_shape()):
        raise ValueError(
            f"while_loop: the shape invariant {shape} of {variable.name} is not "
            f"compatible with {variable.get_shape()}, its shape before the loop"
        )
    inside.set_shape(shape)


def _set_invariants_of_slices(
    variable: ops.IndexedSlices,
    inside: ops.IndexedSlices,
    shape: tensor_shape.TensorShape,
) -> None:
    """Gives the parts of slices the shapes that follow from that of the values: [n, ...], [n] and [rank]."""
    _set_invariant(variable.values, inside.values, shape)
    _set_invariant(variable.indices, inside.indices, shape[:1])
    if variable.dense_shape is not None:
        rank = tensor_shape.TensorShape([shape.ndims])
        assert inside.dense_shape is not None
        _set_invariant(variable.dense_shape, inside.dense_shape, rank)


def covers(wide: tensor_shape.TensorShape, narrow: tensor_shape.TensorShape) -> bool:
    """Whether every shape that fits `narrow` fits `wide`."""
    if wide.ndims is None:
        return True
    if narrow.ndims != wide.ndims:
        return False
    return all(
        w is None or w == n
        for w, n in zip(wide.as_list(), narrow.as_list(), strict=True)
    )
