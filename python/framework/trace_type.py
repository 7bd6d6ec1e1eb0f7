# SPDX-License-Identifier: Apache-2.0
"""The interface of trace types: relations between the types of values, from more to less specific.

A trace type describes the argument that a function was traced for: a `TypeSpec` describes values made of tensors;
a `DType` or a `TensorShape` describes itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tensorwright.python.framework.type_aliases import TensorLike


class CastContext:
    """Says how far `cast` may go: with `allow_specs`, a spec may stand in the place of a value."""

    def __init__(self, allow_specs: bool = False):
        self.allow_specs = allow_specs


def allows_specs(cast_context: object) -> bool:
    """Whether a context, of whatever class, lets specs stand for values."""
    return bool(getattr(cast_context, "allow_specs", False))


class WithoutTensors:
    """A trace type whose values hold no tensors: there is nothing to feed, pass on or convert."""

    __slots__ = ()

    def placeholder_value(self, placeholder_context: object) -> Any:
        """Returns None: nothing changes from call to call."""
        del placeholder_context

    def flatten(self) -> list:
        """Returns the specs of the tensors of a value: none."""
        return []

    def to_tensors(self, value: TensorLike) -> list:
        """Returns the tensors of `value`: none."""
        del value
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        """The value of those tensors: `placeholder_value`, and none are taken."""
        del tensors
        return self.placeholder_value(None)

    def cast(self, value: TensorLike, cast_context: object) -> Any:
        """`value` if it is the placeholder value; AssertionError for any other."""
        del cast_context
        if value is not None and not value == self.placeholder_value(None):
            raise AssertionError(
                f"Can not cast {value!r}: {self!r} has one value, its placeholder"
            )
        return value


def _is_trace_type(value: Any) -> bool:
    return hasattr(value, "most_specific_common_supertype")


def _same_kind(a: Any, b: Any) -> bool:
    """Whether two nested values have the same form, down to which leaves are trace types."""
    if isinstance(a, (list, tuple)):
        return (
            type(a) is type(b)
            and len(a) == len(b)
            and all(_same_kind(x, y) for x, y in zip(a, b))
        )
    if isinstance(a, dict):
        return (
            type(a) is type(b)
            and a.keys() == b.keys()
            and all(_same_kind(a[key], b[key]) for key in a)
        )
    return not isinstance(b, (list, tuple, dict))


def _leaves(value: Any) -> list:
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in _leaves(part)]
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in _leaves(part)]
    return [value]


def is_nested_subtype(a: object, b: object) -> bool:
    """Whether in two nested values each trace type of `a` is a subtype of that of `b`, and all else is equal."""
    if not _same_kind(a, b):
        return False
    return all(
        x.is_subtype_of(y) if _is_trace_type(x) else x == y
        for x, y in zip(_leaves(a), _leaves(b))
    )


def is_nested_compatible(a: object, b: object) -> bool:
    """As `is_nested_subtype` with `is_compatible_with`."""
    if not _same_kind(a, b):
        return False
    return all(
        x.is_compatible_with(y)
        if y is not None and hasattr(x, "is_compatible_with")
        else x == y
        for x, y in zip(_leaves(a), _leaves(b))
    )


def nested_supertype(value: Any, others: Sequence[Any]) -> Any:
    """The most specific nest that is a supertype of all; NotImplemented where there is none."""
    if not all(_same_kind(value, other) for other in others):
        return NotImplemented
    if isinstance(value, dict):
        parts = {k: nested_supertype(value[k], [o[k] for o in others]) for k in value}
        return NotImplemented if NotImplemented in parts.values() else parts
    if isinstance(value, (list, tuple)):
        parts = [
            nested_supertype(v, [o[i] for o in others]) for i, v in enumerate(value)
        ]
        return NotImplemented if NotImplemented in parts else type(value)(parts)
    if _is_trace_type(value):
        found = value.most_specific_common_supertype(others)
        return NotImplemented if found is None else found
    return value if all(value == other for other in others) else NotImplemented
