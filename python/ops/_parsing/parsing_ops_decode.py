# SPDX-License-Identifier: Apache-2.0
"""Numbers from bytes and text."""

from __future__ import annotations

from collections.abc import Sequence

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import DTypeLike, TensorLike
from tensorwright.python.ops import gen_parsing_ops
from tensorwright.python.util.renamed_arguments import required_argument

_CSV_DTYPES = (
    dtypes.float32,
    dtypes.float64,
    dtypes.int32,
    dtypes.int64,
    dtypes.string,
)


def decode_raw(
    input_bytes: TensorLike | None = None,
    out_type: DTypeLike | None = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: TensorLike | None = None,  # noqa: A002
) -> ops.Tensor:
    """The bytes of strings as numbers: string [...] -> `out_type` [..., numbers].

    All strings have one length. `little_endian`: the order of the bytes of a number.
    `bytes` is the older name of `input_bytes`.
    """
    input_bytes = required_argument("input_bytes", input_bytes, "bytes", bytes)
    if out_type is None:
        raise ValueError("decode_raw() missing 1 positional argument: 'out_type'")
    return gen_parsing_ops.decode_raw(input_bytes, out_type, little_endian, name=name)


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[TensorLike],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> list[ops.Tensor]:
    """Splits lines in RFC 4180's format into columns.

    Args:
        records: string [...], a line each.
        record_defaults: for each column a value, [], [1] or [0], whose dtype is that of the
            column: float32, float64, int32, int64 or string. It stands in for an empty field;
            for [0], an empty field is an error.
        field_delim: one character.
        use_quote_delim: whether quotes around a field are removed.
        name: the op's name.
        na_value: a text that counts as an empty field.
        select_cols: the numbers of the wanted columns, in order; None for all.

    Returns:
        A Tensor of the shape of `records` for each column.
    """
    defaults = []
    for value in record_defaults:
        default = ops.convert_to_tensor(value)
        if default.dtype.base_dtype not in _CSV_DTYPES:
            raise TypeError(
                f"decode_csv: a default must be of {_CSV_DTYPES}, got {default.dtype!r}"
            )
        defaults.append(default)
    if select_cols is not None:
        if any(a >= b for a, b in zip(select_cols, select_cols[1:])):
            raise ValueError("select_cols is not strictly increasing.")
        if len(select_cols) > 0 and select_cols[0] < 0:
            raise ValueError("select_cols contains negative values.")
        if len(select_cols) != len(defaults):
            raise ValueError("Length of select_cols and record_defaults do not match.")
    return gen_parsing_ops.decode_csv(
        records,
        defaults,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        select_cols=list(select_cols or []),
        name=name,
    )


def string_to_number(
    string_tensor: TensorLike | None = None,
    out_type: DTypeLike = dtypes.float32,
    name: str | None = None,
    input: TensorLike | None = None,  # noqa: A002
) -> ops.Tensor:
    """The number that each string says: string [...] -> `out_type` [...].

    `input` is the later name of `string_tensor`.
    """
    string_tensor = required_argument("string_tensor", string_tensor, "input", input)
    return gen_parsing_ops.string_to_number(string_tensor, out_type, name=name)
