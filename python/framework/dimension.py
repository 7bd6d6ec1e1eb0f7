# SPDX-License-Identifier: Apache-2.0
"""Dimension: the size of one axis, known or not."""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np

from tensorwright.python.framework.type_aliases import SizeLike


def _exact_int(value: Any) -> int:
    """Returns `value` as an int; TypeError or ValueError if it is none.

    A float or string of an exact integer is one, as it was in 1.x: programs divide sizes by `/`.
    """
    if isinstance(value, np.ndarray) and value.ndim != 0:
        raise TypeError
    try:
        return operator.index(value)
    except TypeError:
        size = int(value)
        if size != value and not isinstance(value, str):
            raise
        return size


class Dimension:
    """The size of one axis: an int, or None where it is not known.

    Arithmetic and comparison with an unknown size give an unknown result
    (`Dimension(None)`, and None for comparisons).
    """

    __slots__ = ("_value",)

    def __init__(self, value: SizeLike):
        if isinstance(value, Dimension):
            self._value = value._value
            return
        if value is None:
            self._value = None
            return
        try:
            self._value = _exact_int(value)
        except (TypeError, ValueError):
            raise TypeError(
                "Dimension value must be integer or None or have an __index__ method, "
                f"got value {value!r} with type {type(value).__name__}"
            ) from None
        if self._value < 0:
            raise ValueError(f"Dimension {self._value} must be >= 0")

    @property
    def value(self) -> int | None:
        return self._value

    def __repr__(self) -> str:
        return f"Dimension({self._value!r})"

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def _of_both(self, other: Any, function) -> Any:
        """`function` of two sizes: None if one is unknown, NotImplemented if one is no size."""
        try:
            sizes = (self._value, as_dimension(other)._value)
        except (TypeError, ValueError):
            return NotImplemented
        return None if None in sizes else function(*sizes)

    def __eq__(self, other: object) -> bool | None:
        return self._of_both(other, operator.eq)

    def __ne__(self, other: object) -> bool | None:
        return self._of_both(other, operator.ne)

    def __hash__(self) -> int:
        return hash(self._value)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __int__(self) -> int:
        # None is no int; let Python say so.
        return cast(int, self._value)

    def __index__(self) -> int:
        # None is not an index; let Python say so.
        return cast(int, self._value)

    def is_compatible_with(self, other: SizeLike) -> bool:
        """True where both can be the same size."""
        other = as_dimension(other)
        return None in (self._value, other._value) or self._value == other._value

    def assert_is_compatible_with(self, other: SizeLike) -> None:
        if not self.is_compatible_with(other):
            raise ValueError(f"Dimensions {self} and {other} are not compatible")

    def merge_with(self, other: SizeLike) -> "Dimension":
        """The known one of two compatible sizes.  ValueError if they differ."""
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    def _binary(self, other: Any, function) -> "Dimension":
        result = self._of_both(other, function)
        return result if result is NotImplemented else Dimension(result)

    def __add__(self, other: SizeLike) -> "Dimension":
        return self._binary(other, operator.add)

    def __radd__(self, other: SizeLike) -> "Dimension":
        return self._binary(other, operator.add)

    def __sub__(self, other: SizeLike) -> "Dimension":
        return self._binary(other, operator.sub)

    def __rsub__(self, other: SizeLike) -> "Dimension":
        return as_dimension(other) - self

    def __mul__(self, other: SizeLike) -> "Dimension":
        return self._binary(other, operator.mul)

    def __rmul__(self, other: SizeLike) -> "Dimension":
        return self._binary(other, operator.mul)

    def __floordiv__(self, other: SizeLike) -> "Dimension":
        return self._binary(other, operator.floordiv)

    def __rfloordiv__(self, other: SizeLike) -> "Dimension":
        return as_dimension(other) // self

    def __div__(self, other: SizeLike) -> "Dimension":
        return self // other

    def __truediv__(self, other: SizeLike):
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and "
            f"{type(other).__name__!r}, use // instead"
        )

    def __rtruediv__(self, other: SizeLike):
        raise TypeError(
            f"unsupported operand type(s) for /: {type(other).__name__!r} and "
            f"'Dimension', use // instead"
        )

    def __mod__(self, other: SizeLike) -> "Dimension":
        return self._binary(other, operator.mod)

    def __rmod__(self, other: SizeLike) -> "Dimension":
        return as_dimension(other) % self

    def _compare(self, other: Any, function) -> bool | None:
        other = as_dimension(other)
        if self._value is None or other._value is None:
            return None
        return function(self._value, other._value)

    def __lt__(self, other: SizeLike) -> bool | None:
        return self._compare(other, operator.lt)

    def __le__(self, other: SizeLike) -> bool | None:
        return self._compare(other, operator.le)

    def __gt__(self, other: SizeLike) -> bool | None:
        return self._compare(other, operator.gt)

    def __ge__(self, other: SizeLike) -> bool | None:
        return self._compare(other, operator.ge)

    def __reduce__(self):
        return Dimension, (self._value,)


def as_dimension(value: SizeLike) -> Dimension:
    return value if isinstance(value, Dimension) else Dimension(value)
