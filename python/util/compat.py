# SPDX-License-Identifier: Apache-2.0
"""Text and bytes, and the abstract number types."""

from __future__ import annotations

import contextlib
import datetime
import numbers
import os

import numpy as np

from tensorwright.python.framework.type_aliases import PathLike

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)

_HORIZON = datetime.date(2019, 10, 14)


def as_bytes(bytes_or_text: str | bytes | bytearray, encoding: str = "utf-8") -> bytes:
    """bytes of a str (encoded) or bytes-like object.  TypeError for others."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_text(bytes_or_text: str | bytes | bytearray, encoding: str = "utf-8") -> str:
    """str of a str or of bytes (decoded).  TypeError for others."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


def as_str(bytes_or_text: str | bytes | bytearray, encoding: str = "utf-8") -> str:
    """The same as `as_text`: str is text in Python 3."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: object, encoding: str = "utf-8") -> str:
    """`as_str` of bytes, `str` of anything else."""
    return as_str(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: PathLike) -> str | bytes:
    """A path object as a str; anything else as it is."""
    return as_str_any(os.fspath(path)) if isinstance(path, os.PathLike) else path


def path_to_bytes(path: PathLike) -> bytes:
    return as_bytes(os.fspath(path))


def forward_compatible(year: int, month: int, day: int) -> bool:
    """True where graphs need not be read by programs from before that day."""
    return _HORIZON > datetime.date(year, month, day)


def forward_compatibility_horizon(year: int, month: int, day: int):
    """A context that moves the day `forward_compatible` compares with."""

    @contextlib.contextmanager
    def horizon():
        global _HORIZON
        outer, _HORIZON = _HORIZON, datetime.date(year, month, day)
        try:
            yield
        finally:
            _HORIZON = outer

    return horizon()
