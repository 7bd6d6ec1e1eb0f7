# SPDX-License-Identifier: Apache-2.0
"""Meta graphs as tf.train has them: with the saver of the graph."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import meta_graph, ops
from tensorwright.python.framework.type_aliases import PathLike
from tensorwright.python.ops.variables import _all_saveable_objects
from tensorwright.python.training._saver.saver_saver import Saver, SaverDef
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: MetaGraphDef.MetaInfoDef | None = None,
    graph_def: GraphDef | None = None,
    saver_def: SaverDef | None = None,
    collection_list: list[str] | None = None,
    as_text: bool = False,
    graph: ops.Graph | None = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> MetaGraphDef:
    """The `MetaGraphDef` of a graph, written to `filename` if given.

    The arguments are those of `meta_graph.export_scoped_meta_graph`.

    Raises:
      ValueError: the graph is too large for one message, or is no part of `export_scope`.
    """
    return meta_graph.export_scoped_meta_graph(
        filename=filename,
        meta_info_def=meta_info_def,
        graph_def=graph_def,
        saver_def=saver_def,
        collection_list=collection_list,
        as_text=as_text,
        graph=graph,
        export_scope=export_scope,
        clear_devices=clear_devices,
        clear_extraneous_savers=clear_extraneous_savers,
        strip_default_attrs=strip_default_attrs,
        save_debug_info=save_debug_info,
        **kwargs,
    )[0]


def import_meta_graph(
    meta_graph_or_file: MetaGraphDef | PathLike,
    clear_devices: bool = False,
    import_scope: str | None = None,
    **kwargs: Any,
) -> Saver | None:
    """Adds a meta graph to the default graph, and returns the saver of its variables.

    Args:
      meta_graph_or_file: a `MetaGraphDef`, or the path of a file.
      clear_devices, import_scope: see `meta_graph.import_scoped_meta_graph`, as **kwargs.

    Returns:
      A `Saver`: the one that the meta graph names, or a new one of the graph's variables (those in `import_scope`
      count); None if there is neither.

    Raises:
      OSError: the file cannot be read, or has no meta graph.
      ValueError: the graph is not valid, or an item of a collection; or the default graph is finalized.
      KeyError: a collection names an element that is not in the graph.
    """
    return import_meta_graph_with_return_elements(
        meta_graph_or_file, clear_devices, import_scope, **kwargs
    )[0]


def import_meta_graph_with_return_elements(
    meta_graph_or_file: MetaGraphDef | PathLike,
    clear_devices: bool = False,
    import_scope: str | None = None,
    return_elements: list[str] | None = None,
    **kwargs: Any,
) -> tuple[Saver | None, list[ops.Operation | ops.Tensor] | None]:
    """The same, with the operations and tensors `return_elements` names."""
    meta = meta_graph_or_file
    if isinstance(meta, (str, bytes, os.PathLike)):
        meta = meta_graph.read_meta_graph_file(compat.as_text(os.fspath(meta)))
    _, elements = meta_graph.import_scoped_meta_graph_with_return_elements(
        meta,
        clear_devices=clear_devices,
        import_scope=import_scope,
        return_elements=return_elements,
        **kwargs,
    )
    if meta.HasField("saver_def"):
        # The names of the saver's ops are in the scope of the whole import.
        scope = import_scope
        outer = ops.get_default_graph().get_name_scope()
        if outer:
            scope = "/".join(part for part in (outer, import_scope) if part)
        saver_def = SaverDef.FromString(meta.saver_def.SerializeToString())
        return Saver(saver_def=saver_def, name=scope), elements
    if _all_saveable_objects(import_scope):
        return Saver(), elements
    return None, elements
