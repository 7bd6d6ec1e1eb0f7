# SPDX-License-Identifier: Apache-2.0
"""SavedModelBuilder: writes graphs with the variables of a session to a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import types_pb2
from tensorwright.core.protobuf import meta_graph_pb2, saved_model_pb2, saver_pb2
from tensorwright.python.framework import ops, tensor_util
from tensorwright.python.lib.io import file_io
from tensorwright.python.ops import variables
from tensorwright.python.saved_model import constants
from tensorwright.python.training import saver as saver_lib
from tensorwright.python.util import compat
from tensorwright.python.util.lazy_protos import text_format

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface


class SavedModelBuilder:
    """Collects graphs for one folder; the first comes with the variables.

        builder = tf.saved_model.Builder("/models/1")
        builder.add_meta_graph_and_variables(sess, ["serve"], {"serving_default": signature})
        builder.save()

    The folder must not exist, or be empty: AssertionError otherwise.
    """

    def __init__(self, export_dir: str | os.PathLike):
        self._export_dir = compat.as_str(os.fspath(export_dir))
        if file_io.file_exists(self._export_dir):
            if file_io.list_directory(self._export_dir):
                raise AssertionError(
                    f"Export directory {self._export_dir} already exists, and isn't empty. "
                    "Please choose a different export directory, or delete all the "
                    "contents of the specified directory."
                )
        else:
            file_io.recursive_create_dir(self._export_dir)
        self._saved_model = saved_model_pb2.SavedModel(
            saved_model_schema_version=constants.SAVED_MODEL_SCHEMA_VERSION
        )
        self._has_saved_variables = False

    def add_meta_graph_and_variables(
        self,
        sess: SessionInterface,
        tags: Iterable[str],
        signature_def_map: Mapping[str, meta_graph_pb2.SignatureDef] | None = None,
        assets_collection: Iterable[ops.Tensor] | None = None,
        legacy_init_op: ops.Operation | None = None,
        clear_devices: bool = False,
        main_op: ops.Operation | None = None,
        strip_default_attrs: bool = False,
        saver: saver_lib.Saver | None = None,
    ) -> None:
        """Adds the default graph, and saves the variables that it has in `sess`.

        Args:
          sess: the session with the variables.
          tags: by which the graph is found.
          signature_def_map: key -> `SignatureDef`.
          assets_collection: constants that name files, which are copied along.
          main_op, legacy_init_op: an operation to run after the variables were restored.
          clear_devices, strip_default_attrs: see `export_meta_graph`.
          saver: saves the variables, by default one of all.

        Raises:
          AssertionError: the folder has variables already, or a signature is not valid.
        """
        if self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has already been saved. "
                "Please invoke `add_meta_graph()` instead."
            )
        _check_signatures(signature_def_map)
        with sess.graph.as_default():
            assets = self._add_collections(assets_collection, main_op, legacy_init_op)
            saver = saver or _saver_of_all()
            folder = file_io.join(self._export_dir, constants.VARIABLES_DIRECTORY)
            file_io.recursive_create_dir(folder)
            saver.save(
                sess,
                file_io.join(folder, constants.VARIABLES_FILENAME),
                write_meta_graph=False,
                write_state=False,
            )
            self._add(
                saver,
                tags,
                signature_def_map,
                assets,
                clear_devices,
                strip_default_attrs,
            )
        self._has_saved_variables = True

    def add_meta_graph(
        self,
        tags: Iterable[str],
        signature_def_map: Mapping[str, meta_graph_pb2.SignatureDef] | None = None,
        assets_collection: Iterable[ops.Tensor] | None = None,
        legacy_init_op: ops.Operation | None = None,
        clear_devices: bool = False,
        main_op: ops.Operation | None = None,
        strip_default_attrs: bool = False,
        saver: saver_lib.Saver | None = None,
    ) -> None:
        """Adds the default graph, which uses the variables that were saved with the first.

        AssertionError if there were none.
        """
        if not self._has_saved_variables:
            raise AssertionError(
                "Graph state including variables and assets has not been saved yet. "
                "Please invoke `add_meta_graph_and_variables()` first."
            )
        _check_signatures(signature_def_map)
        assets = self._add_collections(assets_collection, main_op, legacy_init_op)
        saver = saver or _saver_of_all()
        self._add(
            saver, tags, signature_def_map, assets, clear_devices, strip_default_attrs
        )

    def save(
        self,
        as_text: bool = False,
        experimental_image_format: bool = False,
        experimental_image_writer_options: object = None,
    ) -> bytes:
        """Writes the description of the graphs, and gives its path."""
        if experimental_image_format or experimental_image_writer_options:
            raise ValueError("SavedModels of one file are not written")
        if as_text:
            name = constants.SAVED_MODEL_FILENAME_PBTXT
            data: Any = text_format.MessageToString(self._saved_model)
        else:
            name = constants.SAVED_MODEL_FILENAME_PB
            data = self._saved_model.SerializeToString()
        path = file_io.join(self._export_dir, name)
        file_io.atomic_write_string_to_file(path, data)
        return compat.as_bytes(path)

    def _add(
        self,
        saver: saver_lib.Saver,
        tags: Iterable[str],
        signatures: Mapping[str, meta_graph_pb2.SignatureDef] | None,
        assets: list[meta_graph_pb2.AssetFileDef],
        clear_devices: bool,
        strip_default_attrs: bool,
    ) -> None:
        meta = saver.export_meta_graph(
            clear_devices=clear_devices, strip_default_attrs=strip_default_attrs
        )
        meta.meta_info_def.tags.extend(tags)
        for key, signature in (signatures or {}).items():
            meta.signature_def[key].CopyFrom(signature)
        meta.asset_file_def.extend(assets)
        self._saved_model.meta_graphs.add().CopyFrom(meta)

    def _add_collections(
        self, assets: Iterable[ops.Tensor] | None, main_op: Any, legacy_init_op: Any
    ) -> list[meta_graph_pb2.AssetFileDef]:
        init_op = main_op if main_op is not None else legacy_init_op
        if init_op is not None:
            if not isinstance(init_op, ops.Operation):
                raise TypeError(f"main_op needs to be an Operation: {init_op!r}")
            if not ops.get_collection(constants.MAIN_OP_KEY):
                ops.add_to_collection(constants.MAIN_OP_KEY, init_op)
        made = []
        for tensor in assets or ():
            path = _file_of(tensor)
            name = os.path.basename(path)
            self._copy_asset(path, name)
            asset = meta_graph_pb2.AssetFileDef(filename=name)
            asset.tensor_info.name = tensor.name
            ops.add_to_collection(constants.ASSETS_KEY, asset)
            made.append(asset)
        return made

    def _copy_asset(self, path: str, name: str) -> None:
        folder = file_io.join(self._export_dir, constants.ASSETS_DIRECTORY)
        file_io.recursive_create_dir(folder)
        target = file_io.join(folder, name)
        if not file_io.file_exists(target):
            file_io.copy(path, target)
            return
        read = file_io.read_file_to_string
        if read(path, binary_mode=True) != read(target, binary_mode=True):
            raise ValueError(
                f"Two different files are called {name}; {path} is one of them"
            )


def _saver_of_all() -> saver_lib.Saver:
    # pylint: disable=protected-access
    return saver_lib.Saver(
        variables._all_saveable_objects(),
        sharded=True,
        write_version=saver_pb2.SaverDef.V2,
        allow_empty=True,
    )


def _file_of(tensor: Any) -> str:
    """The file that a constant names."""
    value = None
    if isinstance(tensor, ops.Tensor) and tensor.dtype.name == "string":
        value = tensor_util.constant_value(tensor)
    if value is None:
        raise TypeError(
            f"An asset must be a constant with the path of a file: {tensor}"
        )
    path = compat.as_str(value.item() if hasattr(value, "item") else value)
    if not path:
        raise ValueError(f"An asset must name a file: {tensor}")
    return path


def _check_signatures(signatures: Mapping[str, Any] | None) -> None:
    for key, signature in (signatures or {}).items():
        for info in (*signature.inputs.values(), *signature.outputs.values()):
            if info.WhichOneof("encoding") is None:
                raise AssertionError(
                    f"Signature '{key}' has a TensorInfo without a name: {info}"
                )
            if info.dtype == types_pb2.DT_INVALID:
                raise AssertionError(
                    f"Signature '{key}' has a TensorInfo without a dtype: {info}"
                )


Builder = SavedModelBuilder
