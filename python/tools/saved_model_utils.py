# SPDX-License-Identifier: Apache-2.0
"""The protos of a SavedModel, without a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.saved_model import loader

if TYPE_CHECKING:
    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef
    from tensorwright.core.protobuf.saved_model_pb2 import SavedModel


def read_saved_model(saved_model_dir: str) -> SavedModel:
    """The SavedModel of a folder, from saved_model.pb or saved_model.pbtxt; OSError if there is neither."""
    return loader.parse_saved_model(saved_model_dir)


def get_saved_model_tag_sets(saved_model_dir: str) -> list[list[str]]:
    """The tags of each graph of a SavedModel, in their order there."""
    model = read_saved_model(saved_model_dir)
    return [list(meta.meta_info_def.tags) for meta in model.meta_graphs]


def get_meta_graph_def(saved_model_dir: str, tag_set: str) -> MetaGraphDef:
    """The graph with these tags and no others.

    Args:
        saved_model_dir: the folder of a SavedModel.
        tag_set: tags with commas between, such as "serve" or "serve,gpu".

    Raises:
        RuntimeError: no graph has these tags.
        OSError: the folder has no SavedModel.
    """
    wanted = set(tag_set.split(","))
    for meta in read_saved_model(saved_model_dir).meta_graphs:
        if set(meta.meta_info_def.tags) == wanted:
            return meta
    found = "; ".join(",".join(t) for t in get_saved_model_tag_sets(saved_model_dir))
    raise RuntimeError(
        f"MetaGraphDef associated with tag-set {tag_set!r} could not be found in SavedModel {saved_model_dir}, "
        f"which has: {found}"
    )
