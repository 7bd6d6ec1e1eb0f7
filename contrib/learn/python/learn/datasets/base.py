# SPDX-License-Identifier: Apache-2.0
"""Small data sets out of files."""

from __future__ import annotations

import collections
import csv
from typing import Any

import numpy as np

from tensorwright.python.framework.type_aliases import DTypeLike
from tensorwright.python.platform import gfile

__all__ = [
    "Dataset",
    "Datasets",
    "load_csv_with_header",
    "load_csv_without_header",
    "shrink_csv",
]

Dataset = collections.namedtuple("Dataset", ["data", "target"])
Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])


def _split(rows: Any, target: int, features_dtype: Any, target_dtype: Any) -> Dataset:
    data, targets = [], []
    for row in rows:
        row = list(row)
        targets.append(row.pop(target))
        data.append(np.asarray(row, dtype=features_dtype))
    return Dataset(data=np.array(data), target=np.array(targets, dtype=target_dtype))


def load_csv_with_header(
    filename: str,
    target_dtype: DTypeLike,
    features_dtype: DTypeLike,
    target_column: int = -1,
) -> Dataset:
    """A CSV file whose first line says how many rows and features there are.

    Args:
        filename: its name.
        target_dtype: the dtype of the target.
        features_dtype: the dtype of all other columns.
        target_column: the target's.

    Raises:
        ValueError: not as many rows or features as it says.
    """
    with gfile.GFile(filename) as file:
        rows = csv.reader(file)
        header = next(rows)
        count, width = int(header[0]), int(header[1])
        found = _split(rows, target_column, features_dtype, target_dtype)
    if found.data.shape != (count, width):
        raise ValueError(
            f"{filename} has {found.data.shape} features, it says ({count}, {width})"
        )
    return found


def load_csv_without_header(
    filename: str,
    target_dtype: DTypeLike,
    features_dtype: DTypeLike,
    target_column: int = -1,
) -> Dataset:
    """A CSV file of rows alone; arguments as in `load_csv_with_header`."""
    with gfile.GFile(filename) as file:
        return _split(csv.reader(file), target_column, features_dtype, target_dtype)


def shrink_csv(filename: str, ratio: int) -> None:
    """Writes every `ratio`-th line of a file, "x.csv", to "x_small.csv"."""
    with gfile.GFile(filename) as file:
        lines = file.read().splitlines(keepends=True)
    small = filename.replace(".", "_small.")
    with gfile.GFile(small, "w") as file:
        file.write("".join(lines[::ratio]))
