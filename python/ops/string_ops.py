# SPDX-License-Identifier: Apache-2.0
"""Strings."""

from __future__ import annotations

from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import gen_string_ops
from tensorwright.python.ops.gen_string_ops import string_join as string_join


def regex_full_match(
    input: TensorLike,  # noqa: A002
    pattern: TensorLike,
    name: str | None = None,
) -> ops.Tensor:
    """Whether `pattern`, in RE2's syntax, matches all of each string: bool of the same shape."""
    if isinstance(pattern, (str, bytes)):
        # It is compiled once.
        return gen_string_ops.static_regex_full_match(input, pattern, name=name)
    return gen_string_ops.regex_full_match(input, pattern, name=name)
