# SPDX-License-Identifier: Apache-2.0
"""Assigning values, or those of a checkpoint, to variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from tensorwright.contrib.framework.python.ops import variables_find
from tensorwright.core.protobuf import saver_pb2
from tensorwright.python.client.session import SessionInterface
from tensorwright.python.framework import ops
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.ops import array_ops, control_flow_ops, variables
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import checkpoint_utils, saver as tf_saver

Assignment = tuple[ops.Operation, dict[ops.Tensor, np.ndarray]]
VarList = dict[str, Any] | Iterable[Any]


def _assignment(pairs: Iterable[tuple[Any, np.ndarray]]) -> Assignment:
    """Returns (op, feeds): the op assigns the fed values, so that the graph holds none."""
    assigns, feeds = [], {}
    for variable, value in pairs:
        fed = array_ops.placeholder(
            variable.dtype.base_dtype, shape=variable.get_shape(), name="placeholder"
        )
        assigns.append(variable.assign(fed))
        feeds[fed] = value
    return control_flow_ops.group(*assigns), feeds


def assign_from_values(var_names_to_values: dict[str, np.ndarray]) -> Assignment:
    """Returns an operation that assigns values to variables, and its feeds.

    Args:
        var_names_to_values: values by the full names of variables.

    Raises:
        ValueError: no variable has a name, or a value has not its shape.
    """

    def pairs() -> Any:
        for name, value in var_names_to_values.items():
            variable = variables_find.get_unique_variable(name)
            value = np.asarray(value)
            if not variable.get_shape().is_compatible_with(value.shape):
                raise ValueError(
                    f"assign_from_values: {name} has shape {variable.get_shape()}, its value "
                    f"{list(value.shape)}"
                )
            yield variable, value

    return _assignment(pairs())


def assign_from_values_fn(
    var_names_to_values: dict[str, np.ndarray],
) -> Callable[[SessionInterface], object]:
    """`f(session)`, which assigns the values; see `assign_from_values`."""
    op, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feeds)


def _by_saved_name(var_list: VarList) -> dict[str, list[Any]]:
    """The variables, or parts of one, that each tensor of a checkpoint is for."""
    groups: dict[str, list[Any]] = {}
    if not isinstance(var_list, dict):
        for variable in var_list:
            name = variables_find.get_variable_full_name(variable)
            groups.setdefault(name, []).append(variable)
        return groups
    for name, value in var_list.items():
        whole = isinstance(value, (list, tuple, variables.PartitionedVariable))
        groups[name] = list(value) if whole else [value]
    return groups


def _part(variable: Any, value: np.ndarray, name: str) -> np.ndarray:
    info = variable._get_save_slice_info()
    sizes = variable.get_shape().as_list()
    if info is None:
        if not variable.get_shape().is_compatible_with(value.shape):
            raise ValueError(
                f"Total size of new array must be unchanged for {name} lh_shape: "
                f"[{list(value.shape)}], rh_shape: [{sizes}]"
            )
        return value
    if list(info.full_shape) != list(value.shape):
        raise ValueError(
            f"Shape of {name} is {list(value.shape)} in the checkpoint, and "
            f"{list(info.full_shape)} in the graph"
        )
    return value[
        tuple(
            slice(first, first + size)
            for first, size in zip(info.var_offset, sizes, strict=True)
        )
    ]


def _missing(name: str, ignore: bool) -> None:
    text = f"Checkpoint is missing variable [{name}]"
    if not ignore:
        raise ValueError(text)
    logging.warning(text)


def assign_from_checkpoint(
    model_path: PathLike, var_list: VarList, ignore_missing_vars: bool = False
) -> Assignment:
    """Returns an operation that assigns the values of a checkpoint, and its feeds.

    Args:
        model_path: the checkpoint.
        var_list: variables; or a dict of a variable, or of the list of its parts, by names of the checkpoint.
        ignore_missing_vars: whether variables that the checkpoint lacks are skipped with a warning.

    Raises:
        ValueError: the checkpoint lacks a variable, or has it in another shape.
    """
    reader = checkpoint_utils.NewCheckpointReader(model_path)

    def pairs() -> Any:
        for name, group in _by_saved_name(var_list).items():
            if not reader.has_tensor(name):
                _missing(name, ignore_missing_vars)
                continue
            value = reader.get_tensor(name)
            for variable in group:
                yield variable, _part(variable, value, name)

    return _assignment(pairs())


def assign_from_checkpoint_fn(
    model_path: PathLike,
    var_list: VarList,
    ignore_missing_vars: bool = False,
    reshape_variables: bool = False,
) -> Callable[[SessionInterface], None] | None:
    """`f(session)`, which restores variables from a checkpoint; None if there is nothing to restore.

    Args:
        model_path: the checkpoint.
        var_list: variables, or a dict of them by names of the checkpoint.
        ignore_missing_vars: whether variables that the checkpoint lacks are skipped with a warning.
        reshape_variables: whether a saved value of another shape and equal size will do.

    Raises:
        ValueError: `var_list` is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    kept: dict[str, Any] | Sequence[Any]
    kept = var_list if isinstance(var_list, dict) else list(var_list)
    if ignore_missing_vars:
        reader = checkpoint_utils.NewCheckpointReader(model_path)
        named = (
            kept
            if isinstance(kept, dict)
            else {variables_find.get_variable_full_name(v): v for v in kept}
        )
        for name in named:
            if not reader.has_tensor(name):
                _missing(f"{name} of {model_path}", ignore=True)
        kept = {n: v for n, v in named.items() if reader.has_tensor(n)}
    if not kept:
        logging.warning("No Variables to restore")
        return None
    saver = tf_saver.Saver(
        kept, reshape=reshape_variables, write_version=saver_pb2.SaverDef.V1
    )
    return lambda session: saver.restore(session, str(model_path))
