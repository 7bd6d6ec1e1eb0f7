# SPDX-License-Identifier: Apache-2.0
"""Data frames of pandas and Dask as arrays.  Neither needs to be installed: without it nothing is one of its frames."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

__all__ = [
    "extract_dask_data",
    "extract_dask_labels",
    "extract_pandas_data",
    "extract_pandas_labels",
    "extract_pandas_matrix",
]


def _is(value: Any, module: str, *names: str) -> bool:
    """Whether `value` is of a class of a module, which is loaded if it is."""
    loaded = sys.modules.get(module)
    kinds = tuple(k for n in names if (k := getattr(loaded, n, None)) is not None)
    return bool(kinds) and isinstance(value, kinds)


def extract_pandas_data(data: Any) -> Any:
    """A DataFrame of numbers as a float array; anything else as it is.

    Raises:
        ValueError: a column that is neither of numbers nor of bools.
    """
    if not _is(data, "pandas", "DataFrame"):
        return data
    bad = [str(c) for c in data.columns if data[c].dtype.kind not in "iufb"]
    if bad:
        raise ValueError(f"Data types for extracting pandas data must be int, float, or bool, found others in {bad}.")  # fmt: skip
    return data.values.astype(float)


def extract_pandas_matrix(data: Any) -> Any:
    """A DataFrame as an array; anything else as it is."""
    return data.values if _is(data, "pandas", "DataFrame") else data


def extract_pandas_labels(labels: Any) -> Any:
    """A DataFrame of one column, or a Series, as an array; anything else as it is.

    Raises:
        ValueError: several columns, or such that are not of numbers.
    """
    if _is(labels, "pandas", "DataFrame"):
        if len(labels.columns) > 1:
            raise ValueError("Only one column for labels is allowed.")
        if labels.iloc[:, 0].dtype.kind not in "iufb":
            raise ValueError("Data types for labels must be int, float, or bool.")
        return labels.values
    if _is(labels, "pandas", "Series"):
        return np.asarray(labels)
    return labels


def _is_dask(data: Any) -> bool:
    return _is(data, "dask.dataframe", "DataFrame", "Series")


def extract_dask_data(data: Any) -> Any:
    """A frame or series of Dask as one of pandas, indexed by its rows; anything else as it is."""
    return data.compute().reset_index(drop=True) if _is_dask(data) else data


def extract_dask_labels(labels: Any) -> Any:
    """`extract_dask_data` of one column.

    Raises:
        ValueError: several columns.
    """
    if _is(labels, "dask.dataframe", "DataFrame") and len(labels.columns) > 1:
        raise ValueError("Only one column for labels is allowed.")
    return extract_dask_data(labels)
