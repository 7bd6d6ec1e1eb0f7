# SPDX-License-Identifier: Apache-2.0
"""Each string by itself, and strings joined."""

from __future__ import annotations

from typing import Any

from tensorwright.python.framework import constant_op, dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_string_ops, math_ops
from tensorwright.python.util.renamed_arguments import (
    deprecated_argument_lookup,
    required_argument,
)


def regex_full_match(
    input: TensorLike,  # noqa: A002
    pattern: TensorLike,
    name: str | None = None,
) -> ops.Tensor:
    """Says whether `pattern`, in RE2's syntax, matches all of each string: bool of the same shape."""
    if isinstance(pattern, (str, bytes)):
        # It is compiled once.
        static: Any = pattern
        return gen_string_ops.static_regex_full_match(input, static, name=name)
    return gen_string_ops.regex_full_match(input, pattern, name=name)


def regex_replace(
    input: TensorLike,  # noqa: A002
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: str | None = None,
) -> ops.Tensor:
    r"""Replaces the matches of `pattern` in each string by `rewrite`: the same shape.

    Args:
        input: string [...].
        pattern: string [], a regular expression in RE2's syntax.
        rewrite: string []; `\0` is the match, `\1` the match of the first group.
        replace_global: whether all matches are replaced, or the first.
        name: the op's name.
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        # It is compiled once.
        static: Any = pattern
        by: Any = rewrite
        return gen_string_ops.static_regex_replace(
            input, static, by, replace_global, name=name
        )
    return gen_string_ops.regex_replace(
        input, pattern, rewrite, replace_global, name=name
    )


def string_length(
    input: TensorLike,  # noqa: A002
    name: str | None = None,
    unit: str = "BYTE",
) -> ops.Tensor:
    """Returns the number of bytes, or characters for `unit` "UTF8_CHAR", in each string: int32 of the same shape."""
    return gen_string_ops.string_length(input, unit=unit, name=name)


def string_lower(
    input: TensorLike,  # noqa: A002
    encoding: str = "",
    name: str | None = None,
) -> ops.Tensor:
    """Each string in lower case, of ASCII letters, or of all if `encoding` is "utf-8": the same shape."""
    return gen_string_ops.string_lower(input, encoding, name=name)


def string_upper(
    input: TensorLike,  # noqa: A002
    encoding: str = "",
    name: str | None = None,
) -> ops.Tensor:
    """Each string in upper case, of ASCII letters, or of all if `encoding` is "utf-8": the same shape."""
    return gen_string_ops.string_upper(input, encoding, name=name)


def substr(
    input: TensorLike,  # noqa: A002
    pos: TensorLike,
    len: TensorLike,  # noqa: A002
    name: str | None = None,
    unit: str = "BYTE",
) -> ops.Tensor:
    """Returns up to `len` bytes, or characters, of each string from `pos` on.

    Args:
        input: string [...].
        pos: int32 or int64 of a shape that broadcasts against that of `input`; below 0 it counts
            from the end.
        len: the same dtype and shape as `pos`.
        name: the op's name.
        unit: "BYTE" or "UTF8_CHAR".

    Returns:
        string of the shape that both broadcast to.

    Raises:
        InvalidArgumentError: in a run, for a `pos` that is not in its string.
    """
    return gen_string_ops.substr(input, pos, len, unit=unit, name=name)


def reduce_join(
    inputs: TensorLike,
    axis: TensorLike | None = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: TensorLike | None = None,
    keepdims: bool | None = None,
) -> ops.Tensor:
    """Joins the strings along `axis`, with `separator` between them.

    Args:
        inputs: string [...].
        axis: an int, or a list whose first varies fastest; None: all, the last first.
        keep_dims, keepdims: whether the dimensions stay, with size 1.
        separator: the text between two strings.
        name: the op's name.
        reduction_indices: the older name of `axis`.
    """
    axis = deprecated_argument_lookup(
        "axis", axis, "reduction_indices", reduction_indices
    )
    keepdims = deprecated_argument_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    with ops.name_scope(name, "ReduceJoin", [inputs, axis]) as scope:
        inputs = ops.convert_to_tensor(inputs, dtypes.string)
        if axis is None:
            rank = inputs.get_shape().ndims
            if rank is not None:
                axis = constant_op.constant(list(range(rank))[::-1], dtypes.int32)
            else:
                axis = math_ops.range(array_ops.rank(inputs) - 1, -1, -1)
        return gen_string_ops.reduce_join(
            inputs,
            axis,
            keep_dims=bool(keepdims),
            separator=separator,
            name=scope,
        )


def string_to_hash_bucket(
    string_tensor: TensorLike | None = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: TensorLike | None = None,  # noqa: A002
) -> ops.Tensor:
    """The hash of each string modulo `num_buckets`: int64 of the same shape.

    `input` is the later name of `string_tensor`.
    """
    string_tensor = required_argument("string_tensor", string_tensor, "input", input)
    if num_buckets is None:
        raise ValueError("Argument 'num_buckets' is required")
    return gen_string_ops.string_to_hash_bucket(string_tensor, num_buckets, name=name)


def string_format(
    template: str,
    inputs: TensorLike,
    placeholder: str = "{}",
    summarize: int = 3,
    name: str | None = None,
) -> ops.Tensor:
    """Returns `template` with the values of `inputs` in the place of each `placeholder`: string [].

    Args:
        template: the text.
        inputs: tensors of any dtype and shape, as many as there are placeholders; or one.
        placeholder: the text that stands for a tensor.
        summarize: the number of elements to show at each end of a dimension; -1: all.
        name: the op's name.

    Raises:
        ValueError: if there are more or fewer placeholders than tensors.
    """
    if not isinstance(inputs, (list, tuple)):
        inputs = [inputs]
    expected = template.count(placeholder)
    if expected != len(inputs):
        raise ValueError(
            f"The template expects {expected} tensors, but the inputs only has "
            f"{len(inputs)}. Please ensure the number of placeholders in template matches "
            "inputs length."
        )
    return gen_string_ops.string_format(
        list(inputs),
        template=template,
        placeholder=placeholder,
        summarize=summarize,
        name=name,
    )
