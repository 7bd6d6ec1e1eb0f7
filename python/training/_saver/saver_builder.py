# SPDX-License-Identifier: Apache-2.0
"""The ops that save and restore a set of variables."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any, cast

from tensorwright.core.protobuf import saver_pb2
from tensorwright.python.framework import constant_op, device as pydev, dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    gen_io_ops,
    gen_string_ops,
)
from tensorwright.python.training._saver import saver_saveables
from tensorwright.python.training._saver.saver_saveables import SaveableObject

if TYPE_CHECKING:
    from google.protobuf.message import Message

_VERSION = saver_pb2.SaverDef


class BaseSaverBuilder:
    """Builds save and restore ops; a program may override the methods to build others.

    `build` gives the `SaverDef` that names the ops.
    """

    SaveSpec = saver_saveables.SaveSpec
    SaveableObject = SaveableObject
    VariableSaveable = saver_saveables.VariableSaveable
    ResourceVariableSaveable = saver_saveables.ResourceVariableSaveable
    OpListToDict = staticmethod(saver_saveables.op_list_to_dict)

    def __init__(self, write_version: int = _VERSION.V2):
        self._write_version = write_version

    # --- What subclasses may change ---------------------------------------------------

    def save_op(
        self, filename_tensor: ops.Tensor, saveables: list[SaveableObject]
    ) -> ops.Operation:
        """An op that writes the saveables to a file, or to a prefix of the V2 format."""
        names, tensors, slices = [], [], []
        for saveable in saveables:
            for spec in saveable.specs:
                names.append(spec.name)
                tensors.append(spec.tensor)
                slices.append(spec.slice_spec)
        if self._write_version == _VERSION.V1:
            # pylint: disable=protected-access
            return gen_io_ops._save_slices(filename_tensor, names, slices, tensors)
        if self._write_version == _VERSION.V2:
            return gen_io_ops.save_v2(filename_tensor, names, slices, tensors)
        raise RuntimeError(f"Unexpected write_version: {self._write_version}")

    def bulk_restore(
        self,
        filename_tensor: ops.Tensor,
        saveables: list[SaveableObject],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[ops.Tensor]:
        """The tensors of all specs, read one by one."""
        del restore_sequentially
        tensors: list[ops.Tensor] = []
        for saveable in saveables:
            with ops.device(_cpu_of(saveable.device)):
                tensors += self.restore_op(filename_tensor, saveable, preferred_shard)
        return tensors

    def restore_op(
        self,
        filename_tensor: ops.Tensor,
        saveable: SaveableObject,
        preferred_shard: int,
    ) -> list[ops.Tensor]:
        """The tensors of one saveable's specs."""
        del preferred_shard
        return [
            gen_io_ops.restore_v2(
                filename_tensor, [spec.name], [spec.slice_spec], [_base_dtype(spec)]
            )[0]
            for spec in saveable.specs
        ]

    def sharded_filename(
        self, filename_tensor: ops.Tensor, shard: int, num_shards: ops.Tensor
    ) -> ops.Tensor:
        # pylint: disable=protected-access
        return gen_io_ops._sharded_filename(filename_tensor, shard, num_shards)

    # --- Saving -----------------------------------------------------------------------

    def _add_save_ops(
        self, filename_tensor: ops.Tensor, saveables: list[SaveableObject]
    ) -> ops.Tensor:
        save = self.save_op(filename_tensor, saveables)
        return control_flow_ops.with_dependencies([save], filename_tensor)

    def _add_sharded_save_ops(
        self, filename_tensor: ops.Tensor, per_device: list
    ) -> ops.Tensor:
        """V1: a file for each device; the pattern of their names."""
        num_shards = constant_op.constant(len(per_device), name="num_shards")
        saves = []
        for shard, (device, saveables) in enumerate(per_device):
            with ops.device(device):
                name = self.sharded_filename(filename_tensor, shard, num_shards)
                saves.append(self._add_save_ops(name, saveables))
        with ops.control_dependencies([x.op for x in saves]):
            # pylint: disable=protected-access
            return gen_io_ops._sharded_filespec(filename_tensor, num_shards)

    def _add_sharded_save_ops_for_v2(
        self, prefix: ops.Tensor, per_device: list
    ) -> ops.Tensor:
        """V2: each device writes a bundle to a folder of its own name, and these become one."""
        folder = f"_temp_{uuid.uuid4().hex}/part"
        temporary = gen_string_ops.string_join([prefix, folder])
        num_shards = constant_op.constant(len(per_device), name="num_shards")
        names, saves = [], []
        for shard, (device, saveables) in enumerate(per_device):
            with ops.device(_cpu_of(device)):
                name = self.sharded_filename(temporary, shard, num_shards)
                names.append(name)
                saves.append(self._add_save_ops(name, saveables))
        with ops.control_dependencies([x.op for x in saves]):
            with ops.device(_cpu_of(per_device[-1][0])):
                merge = gen_io_ops.merge_v2_checkpoints(
                    array_ops.stack(names), prefix, delete_old_dirs=True
                )
        with ops.control_dependencies([merge]):
            return array_ops.identity(prefix)

    # --- Restoring --------------------------------------------------------------------

    def _add_restore_ops(
        self,
        filename_tensor: ops.Tensor,
        saveables: list[SaveableObject],
        restore_sequentially: bool,
        reshape: bool,
        preferred_shard: int = -1,
        name: str = "restore_all",
    ) -> ops.Operation:
        tensors = self.bulk_restore(
            filename_tensor, saveables, preferred_shard, restore_sequentially
        )
        assigns: list[Any] = []
        for saveable in saveables:
            mine, tensors = (
                tensors[: len(saveable.specs)],
                tensors[len(saveable.specs) :],
            )
            after = assigns[-1:] if restore_sequentially else []
            with ops.control_dependencies(after):
                shapes = _shapes_of(saveable) if reshape else None
                assigns.append(saveable.restore(mine, shapes))
        return control_flow_ops.group(*assigns, name=name)

    def _add_sharded_restore_ops(
        self,
        filename_tensor: ops.Tensor,
        per_device: list,
        restore_sequentially: bool,
        reshape: bool,
    ) -> ops.Operation:
        restores = []
        for shard, (device, saveables) in enumerate(per_device):
            with ops.device(device):
                restores.append(
                    self._add_restore_ops(
                        filename_tensor,
                        saveables,
                        restore_sequentially,
                        reshape,
                        preferred_shard=shard,
                        name="restore_shard",
                    )
                )
        return control_flow_ops.group(*restores, name="restore_all")

    # --- All of it --------------------------------------------------------------------

    def build(
        self,
        names_to_saveables: Any,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        filename: str = "model",
        build_save: bool = True,
        build_restore: bool = True,
    ) -> Message:
        """Adds the ops to the default graph and returns the `SaverDef` that names them.

        Args:
          names_to_saveables: a dict name -> variable, or a list of variables.
          reshape: restore into variables of other shapes with as many elements.
          sharded: a file, or part of one, for each device.
          max_to_keep, keep_checkpoint_every_n_hours: noted in the SaverDef.
          name: scope of the ops, "save" by default.
          restore_sequentially: one after the other on each device.
          filename: the checkpoint's name if none is fed.
          build_save, build_restore: which of both to build.
        """
        saveables = saver_saveables.validate_and_slice_inputs(names_to_saveables)
        max_to_keep = max_to_keep or 0
        with ops.name_scope(
            name, "save", [s.op for s in saveables if _is_tensor(s.op)]
        ) as scope:
            fallback = array_ops.placeholder_with_default(
                filename or "model", shape=(), name="filename"
            )
            # Programs feed it by this name.
            filename_tensor = array_ops.placeholder_with_default(
                fallback, shape=(), name="Const"
            )
            save_name = restore_name = ""
            if sharded:
                per_device = self._group_by_devices(saveables)
                if build_save:
                    v2 = self._write_version == _VERSION.V2
                    add = (
                        self._add_sharded_save_ops_for_v2
                        if v2
                        else self._add_sharded_save_ops
                    )
                    save_name = add(filename_tensor, per_device).name
                if build_restore:
                    restore_name = self._add_sharded_restore_ops(
                        filename_tensor, per_device, restore_sequentially, reshape
                    ).name
            else:
                if build_save:
                    save_name = self._add_save_ops(filename_tensor, saveables).name
                if build_restore:
                    restore_name = self._add_restore_ops(
                        filename_tensor, saveables, restore_sequentially, reshape
                    ).name
        del scope
        return saver_pb2.SaverDef(
            filename_tensor_name=filename_tensor.name,
            save_tensor_name=save_name,
            restore_op_name=restore_name,
            max_to_keep=max_to_keep,
            sharded=sharded,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            version=cast(Any, self._write_version),
        )

    def _group_by_devices(
        self, saveables: list[SaveableObject]
    ) -> list[tuple[str, list[SaveableObject]]]:
        """(device, its saveables), sorted; a saveable may not lie on several."""
        groups: dict[str, list[SaveableObject]] = {}
        for saveable in saveables:
            devices = {pydev.canonical_name(spec.device) for spec in saveable.specs}
            if len(devices) != 1:
                raise ValueError(
                    f"All tensors of a saveable object must be on the same device: {saveable.name}"
                )
            groups.setdefault(devices.pop(), []).append(saveable)
        return sorted(groups.items(), key=lambda item: item[0])


class BulkSaverBuilder(BaseSaverBuilder):
    """One op reads everything: faster than an op for each variable."""

    def bulk_restore(
        self,
        filename_tensor: ops.Tensor,
        saveables: list[SaveableObject],
        preferred_shard: int,
        restore_sequentially: bool,
    ) -> list[ops.Tensor]:
        del preferred_shard, restore_sequentially
        specs = [spec for saveable in saveables for spec in saveable.specs]
        with ops.device("CPU:0"):
            return gen_io_ops.restore_v2(
                filename_tensor,
                [spec.name for spec in specs],
                [spec.slice_spec for spec in specs],
                [_base_dtype(spec) for spec in specs],
            )


def _is_tensor(value: Any) -> bool:
    return isinstance(value, ops.Tensor)


def _base_dtype(spec: Any) -> dtypes.DType:
    return dtypes.as_dtype(spec.dtype).base_dtype


def _cpu_of(device: str) -> str:
    """The CPU of a device's task, where files are."""
    if not device:
        return device
    spec = pydev.DeviceSpec.from_string(device)
    spec = pydev.DeviceSpec(
        job=spec.job,
        replica=spec.replica,
        task=spec.task,
        device_type="CPU",
        device_index=0,
    )
    return spec.to_string()


def _shapes_of(saveable: SaveableObject) -> list[Any]:
    """The shapes that the saveable's tensors have in the graph."""
    shapes = []
    for spec in saveable.specs:
        shape = spec.tensor.get_shape()
        if shape.is_fully_defined():
            shapes.append(shape.as_list())
        else:
            shapes.append(array_ops.shape(spec.tensor))
    return shapes
