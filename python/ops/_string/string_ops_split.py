# SPDX-License-Identifier: Apache-2.0
"""The parts of strings, and runs of strings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.python.framework import dtypes, ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import array_ops, gen_string_ops, math_ops
from tensorwright.python.util import compat
from tensorwright.python.util.renamed_arguments import (
    deprecated_argument_lookup,
    required_argument,
)


def _require_sparse(result_type: str) -> None:
    if result_type != "SparseTensor":
        raise ValueError(
            f"result_type must be 'SparseTensor' (there are no ragged tensors), got {result_type!r}"
        )


def string_split(
    source: TensorLike,
    sep: TensorLike | None = None,
    skip_empty: bool = True,
    delimiter: TensorLike | None = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """The parts of each string between characters of `sep`.

    Args:
        source: string [n].
        sep: string [], each of its characters is a delimiter; None: a space; "": every byte
            is a part.
        skip_empty: whether parts without a character are left out.
        delimiter: the older name of `sep`.
        result_type: "SparseTensor".
        name: the op's name.

    Returns:
        A SparseTensor [n, most parts] of strings.
    """
    sep = deprecated_argument_lookup("sep", sep, "delimiter", delimiter)
    _require_sparse(result_type)
    with ops.name_scope(name, "StringSplit", [source]):
        indices, values, shape = gen_string_ops._string_split(
            source, delimiter=" " if sep is None else sep, skip_empty=skip_empty
        )
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    return sparse_tensor.SparseTensor(indices, values, shape)


def string_split_v2(
    input: TensorLike | None = None,  # noqa: A002
    sep: TensorLike | None = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: TensorLike | None = None,
    name: str | None = None,
) -> sparse_tensor.SparseTensor:
    """The parts of each string between separators, as Python's `str.split` has them.

    Args:
        input: string [n] or [].
        sep: string [], the separator; None or "": white space.
        maxsplit: how often a string is split at most; -1: at every separator.
        result_type: "SparseTensor".
        source: the older name of `input`.
        name: the op's name.

    Returns:
        A SparseTensor [n, most parts] of strings.
    """
    input = required_argument("input", input, "source", source)  # noqa: A001
    _require_sparse(result_type)
    with ops.name_scope(name, "StringSplit", [input]):
        strings = ops.convert_to_tensor(input, dtypes.string)
        if strings.get_shape().ndims == 0:
            strings = array_ops.expand_dims(strings, 0)
        indices, values, shape = gen_string_ops.string_split_v2(
            strings, sep="" if sep is None else sep, maxsplit=maxsplit
        )
    return sparse_tensor.SparseTensor(indices, values, shape)


def string_bytes_split(
    input: TensorLike,  # noqa: A002
    name: str | None = None,
) -> ops.Tensor | sparse_tensor.SparseTensor:
    """The bytes of each string.

    Args:
        input: string [] or [n].
        name: the op's name.

    Returns:
        string [bytes] of one string; a SparseTensor [n, most bytes] of several.
    """
    with ops.name_scope(name, "StringsByteSplit", [input]):
        strings = ops.convert_to_tensor(input, dtypes.string)
        rank = strings.get_shape().ndims
        if rank not in (0, 1):
            raise ValueError(
                f"input must have rank 0 or 1, got shape {strings.get_shape()}"
            )
        one = array_ops.reshape(strings, [1]) if rank == 0 else strings
        indices, values, shape = gen_string_ops._string_split(one, delimiter="")
        if rank == 0:
            return values
        return sparse_tensor.SparseTensor(indices, values, shape)


def ngrams(
    data: TensorLike,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: str | tuple[str, str] | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> ops.Tensor:
    """Joins each run of `ngram_width` neighbours of the last dimension.

    Args:
        data: string [..., n].
        ngram_width: the number of strings in a run; several widths: the runs of each, one after the other.
        separator: the text between two strings.
        pad_values: the texts before and behind the strings, one for both or two; None:
            no padding.
        padding_width: the number of these, at most `ngram_width` - 1, for which None stands.
        preserve_short_sequences: whether too few strings for a run are joined to one.
        name: the op's name.

    Returns:
        string [..., runs].

    Raises:
        ValueError: for widths below 1, or padding without anything to pad with.
    """
    given: Any = ngram_width
    one = isinstance(ngram_width, compat.integral_types)
    widths: list[int] = [given] if one else list(given)
    if not widths or any(width < 1 for width in widths):
        raise ValueError(f"All ngram_widths must be greater than 0. Got {ngram_width}")
    if padding_width is not None and padding_width < 0:
        raise ValueError(
            f"padding_width must be greater than or equal to 0, got {padding_width}"
        )
    if pad_values is None:
        if padding_width is not None:
            raise ValueError("pad_values must be provided if padding_width is set.")
        left, right, pad_width = "", "", 0
    else:
        both = (
            (pad_values, pad_values)
            if isinstance(pad_values, (str, bytes))
            else pad_values
        )
        if len(both) != 2:
            raise ValueError(f"pad_values must be a string or two, got {pad_values}")
        left, right = both
        pad_width = -1 if padding_width is None else padding_width
    with ops.name_scope(name, "StringNGrams", [data]):
        data = ops.convert_to_tensor(data, dtypes.string)
        rank = data.get_shape().ndims
        if rank is None or rank == 0:
            raise ValueError(f"data must have a known rank of at least 1, got {data}")
        shape = array_ops.shape(data, out_type=dtypes.int64)
        rows = math_ops.reduce_prod(shape[:-1])
        found, splits = gen_string_ops.string_n_grams(
            data=array_ops.reshape(data, [-1]),
            data_splits=math_ops.range(rows + 1) * shape[-1],
            separator=separator,
            ngram_widths=widths,
            left_pad=left,
            right_pad=right,
            pad_width=pad_width,
            preserve_short_sequences=preserve_short_sequences,
        )
        # All rows have one length, and so have their n-grams.
        per_row = array_ops.size(found, out_type=dtypes.int64) // math_ops.maximum(
            rows, np.int64(1)
        )
        out = array_ops.reshape(found, array_ops.concat([shape[:-1], [per_row]], 0))
        out.set_shape(data.get_shape()[:-1].concatenate([None]))
        return out
