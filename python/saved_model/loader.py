# SPDX-License-Identifier: Apache-2.0
"""Loading a SavedModel into a session."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.core.protobuf import meta_graph_pb2, saved_model_pb2
from tensorwright.python.framework import meta_graph, ops
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.lib.io import file_io
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.saved_model import constants
from tensorwright.python.training import checkpoint_management, saver as saver_lib
from tensorwright.python.util import compat
from tensorwright.python.util.lazy_protos import message, text_format

if TYPE_CHECKING:
    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef
    from tensorwright.python.client.session import SessionInterface


def parse_saved_model(export_dir: str | os.PathLike) -> saved_model_pb2.SavedModel:
    """The `SavedModel` of a folder, from its binary or text file.

    Raises:
      OSError: it has neither, or what it has is no such message.
    """
    folder = compat.as_str(os.fspath(export_dir))
    binary = file_io.join(folder, constants.SAVED_MODEL_FILENAME_PB)
    text = file_io.join(folder, constants.SAVED_MODEL_FILENAME_PBTXT)
    try:
        if file_io.file_exists(binary):
            data = file_io.read_file_to_string(binary, binary_mode=True)
            return saved_model_pb2.SavedModel.FromString(data)
        if file_io.file_exists(text):
            data = file_io.read_file_to_string(text)
            return text_format.Parse(data, saved_model_pb2.SavedModel())
    except (message.DecodeError, text_format.ParseError) as error:
        raise OSError(f"Cannot parse the SavedModel of {folder}: {error}") from error
    raise OSError(f"SavedModel file does not exist at: {binary} or {text}")


def maybe_saved_model_directory(export_dir: str | os.PathLike) -> bool:
    """Whether a folder has the description of a SavedModel."""
    folder = compat.as_str(os.fspath(export_dir))
    return any(
        file_io.file_exists(file_io.join(folder, name))
        for name in (
            constants.SAVED_MODEL_FILENAME_PB,
            constants.SAVED_MODEL_FILENAME_PBTXT,
        )
    )


contains_saved_model = maybe_saved_model_directory


def load(
    sess: SessionInterface,
    tags: Iterable[str],
    export_dir: PathLike,
    import_scope: str | None = None,
    **saver_kwargs: Any,
) -> MetaGraphDef:
    """Adds the graph with these tags to the session's and sets its variables.

    Args:
      sess: its graph gets the nodes; variables, tables and the like are set up in it.
      tags: exactly those that the graph was saved with.
      export_dir: the folder.
      import_scope: put in front of all names; not in what is returned.
      **saver_kwargs: to `import_meta_graph`.

    Returns:
      The `MetaGraphDef`.

    Raises:
      OSError: the folder has no SavedModel that can be read.
      RuntimeError: no graph has these tags.
      ValueError: the graph, or what says how to set it up, is not valid.
      KeyError: a collection or signature names what is not in the graph.
      TypeError: the graph's saver names something that is no tensor as that of the file's name.
    """
    folder = compat.as_str(os.fspath(export_dir))
    meta = _graph_with_tags(parse_saved_model(folder), tags, folder)
    with sess.graph.as_default():
        saver = saver_lib.import_meta_graph(
            meta, import_scope=import_scope, **saver_kwargs
        )
        variables = file_io.join(
            folder, constants.VARIABLES_DIRECTORY, constants.VARIABLES_FILENAME
        )
        if not checkpoint_management.checkpoint_exists(variables):
            logging.info("The specified SavedModel has no variables.")
        elif saver is not None:
            saver.restore(sess, variables)
        init_op = _init_op(sess.graph, meta, import_scope)
        if init_op is not None:
            sess.run(init_op, _asset_feeds(meta, folder, import_scope))
    return meta


def _graph_with_tags(saved_model: Any, tags: Iterable[str], folder: str) -> Any:
    wanted = set(tags)
    for meta in saved_model.meta_graphs:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    there = [sorted(meta.meta_info_def.tags) for meta in saved_model.meta_graphs]
    raise RuntimeError(
        f"MetaGraphDef associated with tags {sorted(wanted)} could not be found in the "
        f"SavedModel of {folder}, which has {there}"
    )


def _init_op(
    graph: ops.Graph, meta: Any, scope: str | None
) -> ops.Operation | ops.Tensor | None:
    """Finds the operation that sets up tables and the like, in whichever collection it is."""
    for key in (constants.MAIN_OP_KEY, constants.LEGACY_INIT_OP_KEY):
        names = (
            meta.collection_def[key].node_list.value
            if key in meta.collection_def
            else ()
        )
        if len(names) > 1:
            raise RuntimeError(f"Expected exactly one op in the collection {key}")
        if names:
            return graph.as_graph_element(ops.prepend_name_scope(names[0], scope))
    signature = meta.signature_def.get("__saved_model_init_op")
    if signature is None:
        return None
    if len(signature.outputs) != 1:
        raise ValueError(
            f"the signature of the init op must have 1 output, got {len(signature.outputs)}"
        )
    (info,) = signature.outputs.values()
    return graph.as_graph_element(ops.prepend_name_scope(info.name, scope))


def _asset_feeds(meta: Any, folder: str, scope: str | None) -> dict[str, str]:
    """Maps the tensors that name asset files to the files' present places."""
    assets = list(meta.asset_file_def)
    if not assets and constants.ASSETS_KEY in meta.collection_def:
        for value in meta.collection_def[constants.ASSETS_KEY].any_list.value:
            # The value's type may be of either package.
            assets.append(
                meta_graph.collection_item(
                    constants.ASSETS_KEY, meta_graph_pb2.AssetFileDef, value.value
                )
            )
    return {
        ops.prepend_name_scope(a.tensor_info.name, scope): file_io.join(
            folder, constants.ASSETS_DIRECTORY, a.filename
        )
        for a in assets
    }
