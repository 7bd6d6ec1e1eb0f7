# SPDX-License-Identifier: Apache-2.0
"""Saver: saves variables to checkpoints and restores them."""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import TYPE_CHECKING, Any

from tensorwright.core.protobuf import saver_pb2
from tensorwright.python.client import session
from tensorwright.python.framework import errors, meta_graph, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.lib.io import file_io
from tensorwright.python.ops import variables
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.training import checkpoint_management, training_util
from tensorwright.python.training._saver.saver_builder import (
    BaseSaverBuilder,
    BulkSaverBuilder,
)
from tensorwright.python.training._saver.saver_errors import explanation
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef
    from tensorwright.python.client.session import SessionInterface
    from tensorwright.python.ops._variables.variables_variable import Variable

SaverDef = saver_pb2.SaverDef


class Saver:
    """Saves variables to checkpoints, keeps the last few, and restores from one.

        saver = tf.train.Saver()
        with tf.Session() as sess:
            path = saver.save(sess, "/tmp/model", global_step=step)
            saver.restore(sess, path)

    A checkpoint appears whole or not at all: its files are written under other names
    first, and the list of checkpoints is replaced last.

    Args:
      var_list: a list of variables and saveables, or a dict name -> variable.  By default
        all of the graph.
      reshape: restore into variables of another shape with as many elements.
      sharded: each device writes a file of its own, at the same time as the others.
      max_to_keep: how many checkpoints stay; older ones are deleted.  0 or None: all.
      keep_checkpoint_every_n_hours: one in so many hours is not deleted.
      name: scope of the ops.
      restore_sequentially: one variable after the other, which takes less memory.
      saver_def: the ops are in the graph already, and this `SaverDef` names them.
      builder: builds the ops, a `BulkSaverBuilder` by default.
      defer_build: the ops are added by a call of `build`.
      allow_empty: whether save and restore do nothing if there is nothing to save; if not, that is an error.
      write_version: `SaverDef.V2`, or V1.
      pad_step_number: the step in file names has eight digits at least.
      save_relative_paths: the list of checkpoints has paths relative to its folder.
      filename: the file to save to if no name is fed.

    Raises:
      TypeError, ValueError: `var_list` has the wrong form, or there is nothing to save.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: SaverDef | None = None,
        builder: BaseSaverBuilder | None = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = SaverDef.V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ):
        if defer_build and var_list:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. "
                "Either set defer_build=False or var_list=None."
            )
        self._var_list = var_list
        self._reshape = reshape
        self._sharded = sharded
        self._max_to_keep = max_to_keep or 0
        self._keep_checkpoint_every_n_hours = keep_checkpoint_every_n_hours
        self._name = name
        self._restore_sequentially = restore_sequentially
        self.saver_def: Any = saver_def
        self._builder = builder
        self._allow_empty = allow_empty
        self._write_version = write_version
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._filename = filename
        self._is_built = False
        self._is_empty = False
        # (path, when it was saved), the oldest first.
        self._last_checkpoints: list[tuple[str, float]] = []
        self._checkpoints_to_be_deleted: list[tuple[str, float]] = []
        self._next_checkpoint_time = time.time() + keep_checkpoint_every_n_hours * 3600
        if not defer_build:
            self.build()
        if self.saver_def:
            self._check_saver_def()
            self._write_version = self.saver_def.version

    # --- The ops ----------------------------------------------------------------------

    def build(self) -> None:
        """Adds the ops to the default graph, once."""
        if self._is_built:
            return
        self._is_built = True
        if self.saver_def is None:
            var_list = self._var_list
            if var_list is None:
                # pylint: disable=protected-access
                var_list = variables._all_saveable_objects()
            if not var_list:
                if not self._allow_empty:
                    raise ValueError("No variables to save")
                self._is_empty = True
                return
            self._var_list = var_list
            builder = self._builder or BulkSaverBuilder(self._write_version)
            self.saver_def = builder.build(
                var_list,
                reshape=self._reshape,
                sharded=self._sharded,
                max_to_keep=self._max_to_keep,
                keep_checkpoint_every_n_hours=self._keep_checkpoint_every_n_hours,
                name=self._name,
                restore_sequentially=self._restore_sequentially,
                filename=self._filename or "model",
            )
        elif self.saver_def and self._name:
            scope = self._name
            self.saver_def = saver_pb2.SaverDef.FromString(
                self.saver_def.SerializeToString()
            )
            for field in (
                "filename_tensor_name",
                "save_tensor_name",
                "restore_op_name",
            ):
                value = getattr(self.saver_def, field)
                setattr(self.saver_def, field, ops.prepend_name_scope(value, scope))
        self._check_saver_def()
        self._next_checkpoint_time = (
            time.time() + self.saver_def.keep_checkpoint_every_n_hours * 3600
        )

    def _check_saver_def(self) -> None:
        if not isinstance(self.saver_def, saver_pb2.SaverDef):
            raise ValueError(f"saver_def must be a SaverDef: {self.saver_def}")
        if not self.saver_def.save_tensor_name:
            raise ValueError(
                f"saver_def must specify the save_tensor_name: {self.saver_def}"
            )
        if not self.saver_def.restore_op_name:
            raise ValueError(
                f"saver_def must specify the restore_op_name: {self.saver_def}"
            )

    def as_saver_def(self) -> SaverDef:
        """The `SaverDef` of this saver."""
        return self.saver_def

    def to_proto(self, export_scope: str | None = None) -> SaverDef | None:
        """The `SaverDef`, its names without `export_scope/`; None if they are not in it."""
        if export_scope is None:
            return self.saver_def
        if not (
            self.saver_def.filename_tensor_name.startswith(export_scope)
            and self.saver_def.save_tensor_name.startswith(export_scope)
            and self.saver_def.restore_op_name.startswith(export_scope)
        ):
            return None
        saver_def = saver_pb2.SaverDef()
        saver_def.CopyFrom(self.saver_def)
        for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
            value = getattr(saver_def, field)
            setattr(saver_def, field, ops.strip_name_scope(value, export_scope))
        return saver_def

    @staticmethod
    def from_proto(saver_def: SaverDef, import_scope: str | None = None) -> Saver:
        """The saver whose ops a `SaverDef` names, in `import_scope/`."""
        return Saver(saver_def=saver_def, name=import_scope)

    # Kept checkpoints. ----------------------------------------------------------------

    @property
    def last_checkpoints(self) -> list[str]:
        """Paths of the checkpoints that are kept, the oldest first; for `recover_last_checkpoints`."""
        return [path for path, _ in self._last_checkpoints]

    def set_last_checkpoints(self, last_checkpoints: list[str]) -> None:
        """Sets the list of kept checkpoints; none of them will be deleted.

        TypeError if it is no list.
        """
        if not isinstance(last_checkpoints, list):
            raise TypeError("last_checkpoints must be a list")
        self._last_checkpoints = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(
        self, last_checkpoints_with_time: list[tuple[str, float]]
    ) -> None:
        """Sets the list of kept checkpoints, (path, seconds since 1970) each.

        TypeError if it is no list.
        """
        if not isinstance(last_checkpoints_with_time, list):
            raise TypeError("last_checkpoints_with_time must be a list")
        self._last_checkpoints = last_checkpoints_with_time

    def recover_last_checkpoints(self, checkpoint_paths: list[str]) -> None:
        """Takes over the kept checkpoints of a process that ended; those that are gone are left out."""
        there = []
        for path in checkpoint_paths:
            for mtime in checkpoint_management.get_checkpoint_mtimes([path]):
                there.append((compat.as_text(os.fspath(path)), mtime))
        self.set_last_checkpoints_with_time(there)

    def _record_last_checkpoint(self, path: str) -> None:
        if self.saver_def.max_to_keep <= 0:
            return
        # Saved again under the same name it is new.
        kept = [entry for entry in self._last_checkpoints if entry[0] != path]
        kept.append((path, time.time()))
        while len(kept) > self.saver_def.max_to_keep:
            self._checkpoints_to_be_deleted.append(kept.pop(0))
        self._last_checkpoints = kept

    def _delete_old_checkpoints(self, meta_graph_suffix: str) -> None:
        while self._checkpoints_to_be_deleted:
            path, when = self._checkpoints_to_be_deleted.pop(0)
            if when > self._next_checkpoint_time:
                self._next_checkpoint_time += (
                    self.saver_def.keep_checkpoint_every_n_hours * 3600
                )
                continue
            try:
                checkpoint_management.remove_checkpoint(
                    path, self.saver_def.version, meta_graph_suffix
                )
            except errors.OpError as error:
                logging.warning("Ignoring: %s", error)

    # --- Saving and restoring ---------------------------------------------------------

    def save(
        self,
        sess: SessionInterface,
        save_path: str | os.PathLike,
        global_step: Variable | TensorLike | None = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | Any:
        """Saves the variables to a checkpoint and returns its path, for `restore`.

        Args:
          sess: the session that has the variables.
          save_path: the path, without the step.
          global_step: a number, variable or tensor: put behind the path, "-7".
          latest_filename: the name of the list of checkpoints, "checkpoint" by default.
          meta_graph_suffix: what the file of the meta graph ends with.
          write_meta_graph: write that file too.
          write_state: add the checkpoint to the list, and delete what is too old.
          strip_default_attrs, save_debug_info: as in `export_meta_graph`.

        Raises:
          TypeError: `sess` is no session.
          ValueError: `latest_filename` is a path, or the path of the checkpoint too; the
            folder does not exist.
          RuntimeError: the saver has no ops yet.
        """
        if not self._is_built:
            raise RuntimeError(
                "`build()` should be called before save if defer_build==True"
            )
        latest_filename = latest_filename or "checkpoint"
        save_path = compat.as_text(os.fspath(save_path))
        if os.path.split(latest_filename)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        if not isinstance(sess, session.SessionInterface):
            raise TypeError(f"'sess' must be a Session; {sess}")
        path = self._path_with_step(sess, save_path, global_step)
        if os.path.basename(save_path) == latest_filename and not self._sharded:
            raise ValueError(
                "'latest_filename' collides with 'save_path': "
                f"'{latest_filename}' and '{save_path}'"
            )
        written = None
        if not self._is_empty:
            written = self._run_save(sess, path, save_path)
            if write_state:
                self._record_last_checkpoint(written)
                checkpoint_management.update_checkpoint_state_internal(
                    save_dir=os.path.dirname(save_path),
                    model_checkpoint_path=written,
                    all_model_checkpoint_paths=self.last_checkpoints,
                    latest_filename=latest_filename,
                    save_relative_paths=self._save_relative_paths,
                )
                self._delete_old_checkpoints(meta_graph_suffix)
        if write_meta_graph:
            with sess.graph.as_default():
                self.export_meta_graph(
                    checkpoint_management.meta_graph_filename(path, meta_graph_suffix),
                    strip_default_attrs=strip_default_attrs,
                    save_debug_info=save_debug_info,
                )
        return written

    def _path_with_step(self, sess: Any, save_path: str, global_step: Any) -> str:
        if global_step is None:
            return save_path
        if isinstance(global_step, compat.integral_types):
            global_step = int(global_step)
        else:
            global_step = training_util.global_step(sess, global_step)
        step = f"{global_step:08d}" if self._pad_step_number else f"{global_step}"
        return f"{save_path}-{step}"

    def _run_save(self, sess: Any, path: str, save_path: str) -> str:
        before = _parts(path) if self._sharded else set()
        try:
            written = sess.run(
                self.saver_def.save_tensor_name,
                {self.saver_def.filename_tensor_name: path},
            )
        except errors.OpError as error:
            folder = os.path.dirname(save_path)
            kinds = (errors.FailedPreconditionError, errors.NotFoundError)
            if isinstance(error, kinds) and folder and not file_io.is_directory(folder):
                raise ValueError(
                    f"Parent directory of {save_path} doesn't exist, can't save."
                ) from error
            if self._sharded:
                # A full disk would stay full.
                _delete(_parts(path) - before)
            raise
        return compat.as_text(written)

    def restore(self, sess: SessionInterface, save_path: str | os.PathLike) -> None:
        """Sets the variables to the values in a checkpoint.  They need not be initialized.

        Raises:
          ValueError: `save_path` is None, or no checkpoint is there.
          NotFoundError, InvalidArgumentError: the checkpoint has no such variable, or one
            of another dtype or shape.
          DataLossError: its files are broken.
        """
        if self._is_empty:
            return
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        path = compat.as_text(os.fspath(save_path))
        if not checkpoint_management.checkpoint_exists(path):
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        logging.info("Restoring parameters from %s", path)
        try:
            sess.run(
                self.saver_def.restore_op_name,
                {self.saver_def.filename_tensor_name: path},
            )
        except (errors.NotFoundError, errors.InvalidArgumentError) as error:
            # The class and the reason stay; the message also names the differences.
            kind = type(error)
            raise kind(error.node_def, error.op, explanation(path, error)) from error

    def export_meta_graph(
        self,
        filename: str | None = None,
        collection_list: list[str] | None = None,
        as_text: bool = False,
        export_scope: str | None = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> MetaGraphDef:
        """The default graph with this saver as a `MetaGraphDef`, written to `filename` if given."""
        exported, _ = meta_graph.export_scoped_meta_graph(
            filename,
            ops.get_default_graph().as_graph_def(add_shapes=True),
            as_text=as_text,
            collection_list=collection_list,
            export_scope=export_scope,
            saver_def=self.saver_def,
            save_debug_info=save_debug_info,
            clear_devices=clear_devices,
            clear_extraneous_savers=clear_extraneous_savers,
            strip_default_attrs=strip_default_attrs,
        )
        return exported


ops.register_proto_function(
    ops.GraphKeys.SAVERS,
    proto_type=saver_pb2.SaverDef,
    to_proto=Saver.to_proto,
    from_proto=Saver.from_proto,
)


def _parts(path: str) -> set[str]:
    """Finds where shards of a checkpoint were written: files of V1, temporary folders of V2."""
    name = re.escape(os.path.basename(path))
    pattern = re.compile(name + r"(-\d{5}-of-\d{5}|_temp_[0-9a-f]{32}/?)")
    folder = os.path.dirname(path) or "."
    with contextlib.suppress(errors.OpError):
        names = file_io.list_directory(folder)
        return {file_io.join(folder, n) for n in names if pattern.fullmatch(n)}
    return set()


def _delete(paths: set[str]) -> None:
    for path in paths:
        with contextlib.suppress(errors.OpError):
            if file_io.is_directory(path):
                file_io.delete_recursively(path)
            else:
                file_io.delete_file(path)
