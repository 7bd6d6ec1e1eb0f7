# SPDX-License-Identifier: Apache-2.0
"""Looking into checkpoints, under the argument names that tf.contrib has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.training import checkpoint_utils

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorwright.python.ops._variables.variables_partitioned import (
        PartitionedVariable,
    )
    from tensorwright.python.ops._variables.variables_variable import Variable


__all__ = [
    "init_from_checkpoint",
    "list_variables",
    "load_checkpoint",
    "load_variable",
]


def load_checkpoint(filepattern: PathLike) -> checkpoint_utils.CheckpointReader:
    """A reader of a checkpoint, or of the latest of a folder.

    Raises:
        ValueError: a folder without one.
    """
    return checkpoint_utils.load_checkpoint(filepattern)


def load_variable(checkpoint_dir: PathLike, name: str) -> np.ndarray:
    """The value of a variable of a checkpoint, or of the latest of a folder."""
    return checkpoint_utils.load_variable(checkpoint_dir, name)


def list_variables(checkpoint_dir: PathLike) -> list[tuple[str, list[int]]]:
    """(name, shape) of every variable of a checkpoint, sorted."""
    return checkpoint_utils.list_variables(checkpoint_dir)


def init_from_checkpoint(
    checkpoint_dir: PathLike,
    assignment_map: Mapping[
        str, str | Variable | PartitionedVariable | Sequence[Variable]
    ],
) -> None:
    """Makes the initializers of variables read a checkpoint; see `tf.train.init_from_checkpoint`."""
    checkpoint_utils.init_from_checkpoint(checkpoint_dir, assignment_map)
