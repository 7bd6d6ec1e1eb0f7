# SPDX-License-Identifier: Apache-2.0
"""Checks of columns' arguments, and lengths of sequences, in the module where TensorFlow has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.feature_column._columns.feature_column_base import (
    check_key as assert_key_is_string,
    check_string_or_int as assert_string_or_int,
    sequence_length as sequence_length_from_sparse_tensor,
)
from tensorwright.python.feature_column._columns.feature_column_numeric import (
    checked_default,
)

if TYPE_CHECKING:
    from tensorwright.python.framework.dtypes import DType
    from tensorwright.python.framework.type_aliases import TensorLike

__all__ = [
    "assert_key_is_string",
    "assert_string_or_int",
    "check_default_value",
    "sequence_length_from_sparse_tensor",
]


def check_default_value(
    shape: tuple[int, ...], default_value: TensorLike | None, dtype: DType, key: str
) -> object:
    """The default value of a numeric column as nested tuples: a number stands for all of `shape`, None stays None.

    Raises:
        TypeError: the value does not fit the dtype.
        ValueError: it has another shape.
    """
    return checked_default(key, shape, default_value, dtype)
