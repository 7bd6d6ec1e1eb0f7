# SPDX-License-Identifier: Apache-2.0
"""tf.compat: bytes and text, and the number types that dtypes stand for."""

from __future__ import annotations

import numbers
import os
from typing import Any

import numpy as np

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """`bytes_or_text` as bytes.  Raises TypeError for anything else."""
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise TypeError(f"expected bytes or str, got {bytes_or_text!r}")


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """`bytes_or_text` as str.  Raises TypeError for anything else."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"expected bytes or str, got {bytes_or_text!r}")


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Text of bytes or text; `str(value)` of anything else."""
    if isinstance(value, (bytes, str)):
        return as_text(value, encoding)
    return str(value)


def path_to_str(path: Any) -> Any:
    """The text of a path-like object; anything else unchanged."""
    return os.fspath(path) if hasattr(path, "__fspath__") else path


path_to_bytes = as_bytes
