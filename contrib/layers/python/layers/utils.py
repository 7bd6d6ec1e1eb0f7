# SPDX-License-Identifier: Apache-2.0
"""Collections of outputs under their layers' names, and arguments of layers in one form."""

from __future__ import annotations

import collections as _collections
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from tensorwright.python.framework import ops, tensor_shape
from tensorwright.python.framework.type_aliases import (
    CollectionNames,
    ShapeLike,
    TensorLike,
)
from tensorwright.python.layers.utils import constant_value, smart_cond
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.python.framework.tensor_shape import TensorShape

__all__ = [
    "append_tensor_alias",
    "channel_dimension",
    "collect_named_outputs",
    "constant_value",
    "convert_collection_to_dict",
    "gather_tensors_aliases",
    "get_tensor_aliases",
    "get_variable_collections",
    "last_dimension",
    "n_positive_integers",
    "smart_cond",
    "two_element_tuple",
]

# A tensor, or another object that collections keep.
_Output = TypeVar("_Output")


def collect_named_outputs(
    collections: CollectionNames | None, alias: str, outputs: _Output
) -> _Output:
    """`outputs`, added to collections, where they are known by `alias`."""
    if collections:
        append_tensor_alias(outputs, alias)
        ops.add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor: Any, alias: str) -> Any:
    """Adds one name to those of a tensor."""
    alias = alias.removesuffix("/")
    if hasattr(tensor, "aliases"):
        tensor.aliases.append(alias)
    else:
        tensor.aliases = [alias]
    return tensor


def gather_tensors_aliases(tensors: Sequence[TensorLike]) -> list[str]:
    """The names of all tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def get_tensor_aliases(tensor: Any) -> list[str]:
    """The names that a tensor was given; without any its own, less ":0"."""
    if hasattr(tensor, "aliases"):
        return tensor.aliases
    return [tensor.name.removesuffix(":0")]


def convert_collection_to_dict(
    collection: str, clear_collection: bool = False
) -> _collections.OrderedDict[str, ops.Tensor]:
    """The tensors of a collection by their names.

    With `clear_collection` the collection is empty afterwards.
    """
    found = _collections.OrderedDict(
        (alias, tensor)
        for tensor in dict.fromkeys(ops.get_collection(collection))
        for alias in get_tensor_aliases(tensor)
    )
    if clear_collection:
        ops.get_default_graph().clear_collection(collection)
    return found


def get_variable_collections(
    variables_collections: CollectionNames | Mapping[str, CollectionNames] | None,
    name: str,
) -> CollectionNames | None:
    """The collections of a layer's variable: one list for all, or those that a dict has under its name."""
    if isinstance(variables_collections, dict):
        return variables_collections.get(name)
    return variables_collections


def _dimension(shape: Any, axis: int, min_rank: int) -> int:
    shape = tensor_shape.as_shape(shape)
    if shape.ndims is None:
        raise ValueError("dims of shape must be known but is None")
    if shape.ndims < min_rank:
        raise ValueError(
            f"rank of shape must be at least {min_rank} not: {shape.ndims}"
        )
    size = shape[axis].value
    if size is None:
        raise ValueError(f"dimension {axis} of shape {shape} must be known but is None")
    return size


def channel_dimension(shape: ShapeLike, data_format: str, min_rank: int = 1) -> int:
    """The number of channels of a shape, "NC..." or "N...C".

    Raises:
        ValueError: it is not known, or the rank is less than `min_rank`.
    """
    return _dimension(shape, 1 if data_format.startswith("NC") else -1, min_rank)


def last_dimension(shape: ShapeLike, min_rank: int = 1) -> int:
    """The last size of a shape; ValueError as for `channel_dimension`."""
    return _dimension(shape, -1, min_rank)


def two_element_tuple(
    int_or_tuple: int | Sequence[int] | TensorShape,
) -> tuple[int, int]:
    """A pair of ints: one int twice, or a list, tuple or shape of two.

    Raises:
        ValueError: `int_or_tuple` is none of these.
    """
    if isinstance(int_or_tuple, (list, tuple)):
        if len(int_or_tuple) != 2:
            raise ValueError(f"Must be a list with 2 elements: {int_or_tuple}")
        return int(int_or_tuple[0]), int(int_or_tuple[1])
    if isinstance(int_or_tuple, compat.integral_types):
        return int(int_or_tuple), int(int_or_tuple)
    if isinstance(int_or_tuple, tensor_shape.TensorShape) and len(int_or_tuple) == 2:
        return int_or_tuple[0].value, int_or_tuple[1].value
    raise ValueError(
        "Must be an int, a list with 2 elements or a TensorShape of length 2"
    )


def n_positive_integers(
    n: int, value: int | Sequence[int] | TensorShape
) -> tuple[int, ...]:
    """`n` positive ints: one that stands for all, or a sequence or shape of `n`.

    Raises:
        ValueError: `n` or an element is not positive, or there are not `n`.
        TypeError: an element is no integer.
    """
    number = n
    if not isinstance(number, compat.integral_types):
        raise TypeError("n must be an integer")
    if n < 1:
        raise ValueError("n must be positive")
    if isinstance(value, compat.integral_types):
        values = (int(value),) * n
    else:
        try:
            values = tuple(tensor_shape.TensorShape(value).as_list())
        except (TypeError, ValueError) as error:
            raise TypeError(f"Expected {n} integers, got {value!r}") from error
    if len(values) != n or any(v is None or v < 1 for v in values):
        raise ValueError(f"value {value!r} must be a positive integer or {n} of them")
    return values
