# SPDX-License-Identifier: Apache-2.0
"""Looking into checkpoints, and initializing variables from them."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python import _pywrap
from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.lib.io import file_io
from tensorwright.python.ops import gen_io_ops, state_ops, variable_scope, variables
from tensorwright.python.ops.gen_resource_variable_ops import assign_variable_op
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import checkpoint_management
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorwright.python.ops._variables.variables_partitioned import (
        PartitionedVariable,
    )
    from tensorwright.python.ops._variables.variables_variable import Variable


class CheckpointReader(_pywrap.CheckpointReader):
    """Reads the tensors of a checkpoint of either format.  Any thread may use it.

    Raises NotFoundError if there is no such checkpoint or no tensor of the name, and
    DataLossError if the checkpoint's files are broken.
    """

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of each tensor, by name."""
        return self.shapes()

    def get_variable_to_dtype_map(self) -> dict[str, dtypes.DType]:
        """The dtype of each tensor, by name."""
        return {name: dtypes.as_dtype(number) for name, number in self.dtypes().items()}

    def has_tensor(self, tensor_str: str) -> bool:
        """Whether there is a tensor of that name."""
        return super().has_tensor(compat.as_str(tensor_str))

    def get_tensor(self, tensor_str: str) -> np.ndarray:
        """The value of a tensor; one that was saved in slices is put together."""
        return super().get_tensor(compat.as_str(tensor_str))


def NewCheckpointReader(filepattern: PathLike) -> CheckpointReader:
    """A reader of the checkpoint of a path: the prefix of a V2 one, or V1 files."""
    return CheckpointReader(compat.as_str(os.fspath(filepattern)))


def load_checkpoint(ckpt_dir_or_file: PathLike) -> CheckpointReader:
    """A reader of a checkpoint, or of the latest of a folder.

    ValueError if the folder has none.
    """
    path = checkpoint_path(ckpt_dir_or_file)
    if path is None:
        raise ValueError(
            f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}"
        )
    return NewCheckpointReader(path)


def checkpoint_path(ckpt_dir_or_file: PathLike) -> str | None:
    """A checkpoint's path, or that of the latest of a folder; None if it has none."""
    path = compat.as_str(os.fspath(ckpt_dir_or_file))
    if file_io.is_directory(path):
        return checkpoint_management.latest_checkpoint(path)
    return path


def load_variable(ckpt_dir_or_file: PathLike, name: str) -> np.ndarray:
    """The value of one variable of a checkpoint."""
    # A tensor's name is that of its variable here.
    name = name.removesuffix(":0")
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name)


def list_variables(ckpt_dir_or_file: PathLike) -> list[tuple[str, list[int]]]:
    """(name, shape) of every variable of a checkpoint, sorted."""
    shapes = load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map()
    return sorted(shapes.items())


def init_from_checkpoint(
    ckpt_dir_or_file: PathLike,
    assignment_map: Mapping[
        str, str | Variable | PartitionedVariable | Sequence[Variable]
    ],
) -> None:
    """Makes the initializers of variables read a checkpoint.

    Args:
      ckpt_dir_or_file: a checkpoint, or a folder whose latest is taken.
      assignment_map: pairs of a name in the checkpoint and a variable of the graph, its
        name, or the list of parts of a partitioned one; or of two scopes with "/" at the
        end ("/" for all names): each variable in the scope of the graph is read under the
        name with the other scope.

    Raises:
      ValueError: a variable is missing, on either side, or has another shape.
    """
    path = checkpoint_path(ckpt_dir_or_file)
    reader = load_checkpoint(ckpt_dir_or_file)
    assert path is not None  # Without one, there was no reader.
    shapes = reader.get_variable_to_shape_map()
    pairs = (
        assignment_map.items() if isinstance(assignment_map, dict) else assignment_map
    )
    for there, here in sorted(pairs, key=lambda pair: str(pair[0])):
        if isinstance(here, str) and here.endswith("/"):
            _init_scope(path, shapes, there, here)
            continue
        found = _variables_named(here)
        if there not in shapes:
            raise ValueError(
                f'Tensor "{there}" is not found in {ckpt_dir_or_file} checkpoint {sorted(shapes)}'
            )
        _init_variables(path, shapes, there, found)


def _variables_named(here: Any) -> list[Any]:
    """A variable, or all parts of one, from itself or its name."""
    if isinstance(here, variables.PartitionedVariable):
        return list(here)
    if isinstance(here, (list, tuple)):
        return list(here)
    if not isinstance(here, str):
        return [here]
    name = here.removesuffix(":0")
    store = variable_scope._get_default_variable_store()._vars
    if name in store:
        return [store[name]]
    parts = [
        v
        for key, v in sorted(store.items())
        if re.fullmatch(f"{re.escape(name)}/part_\\d+", key)
    ]
    if not parts:
        raise ValueError(f"Variable {name} was not found in the graph")
    return sorted(parts, key=lambda v: v._get_save_slice_info().var_offset)


def _init_scope(path: str, shapes: dict, there: str, here: str) -> None:
    if here != "/" and not there.endswith("/"):
        raise ValueError(
            f"Assignment map with scope only name {here} should map to scope only {there}. "
            "Should be 'scope/': 'other_scope/'."
        )
    prefix = "" if here == "/" else here
    other = "" if there == "/" else there
    store = variable_scope._get_default_variable_store()._vars
    found: dict[str, list[Any]] = {}
    for name, variable in sorted(store.items()):
        if name.startswith(prefix):
            found.setdefault(re.sub(r"/part_\d+$", "", name), []).append(variable)
    for name, parts in found.items():
        tensor = other + name.removeprefix(prefix)
        if tensor not in shapes:
            raise ValueError(
                f"Tensor {tensor} ({name} in {prefix}) is not found in {path} checkpoint"
            )
        _init_variables(path, shapes, tensor, parts)


def _init_variables(path: str, shapes: dict, name: str, parts: list[Any]) -> None:
    for variable in parts:
        info = variable._get_save_slice_info() if len(parts) > 1 else None
        whole = info.full_shape if info is not None else variable.get_shape().as_list()
        if list(whole) != shapes[name]:
            raise ValueError(
                f"Shape of variable {variable.name} ({list(whole)}) doesn't match with shape of "
                f"tensor {name} ({shapes[name]}) from checkpoint reader."
            )
        _init_from(path, name, variable, info.spec if info is not None else "")
    logging.debug(
        "Initialize variable %s from checkpoint %s with %s", parts[0].name, path, name
    )


def _init_from(path: str, name: str, variable: Any, slice_spec: str) -> None:
    """Replaces the initializer of a variable by one that reads the checkpoint."""
    dtype = dtypes.as_dtype(variable.dtype).base_dtype
    with ops.device(variable.device), ops.device("/cpu:0"):
        value = gen_io_ops.restore_v2(
            path, [name], [slice_spec], [dtype], name="checkpoint_initializer"
        )[0]
        value.set_shape(variable.get_shape())
    set_initial_value(variable, value)


def set_initial_value(variable: Variable, value: ops.Tensor) -> None:
    """Replaces the initializer of a variable by one that assigns `value`, of its shape and dtype."""
    handle = getattr(variable, "handle", None)
    with ops.device(variable.device), ops.colocate_with(variable.op):
        if handle is not None:
            initializer = assign_variable_op(handle, value)
        else:
            initializer = state_ops.assign(variable._ref(), value).op
    variable._initializer_op = initializer
    variable._initial_value = value
