# SPDX-License-Identifier: Apache-2.0
"""MetaGraphDef: a graph with its collections, to and from a file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, cast

from tensorwright.core.framework import graph_pb2, op_def_pb2
from tensorwright.core.protobuf import meta_graph_pb2
from tensorwright.python.framework import (
    graph_io,
    importer,
    op_def_registry,
    ops,
    proto_functions,
    versions,
)
from tensorwright.python.lib.io import file_io
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.util import compat
from tensorwright.python.util.lazy_protos import message, text_format

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.framework.op_def_pb2 import OpList
    from tensorwright.core.protobuf.meta_graph_pb2 import CollectionDef, MetaGraphDef
    from tensorwright.core.protobuf.saver_pb2 import SaverDef
    from tensorwright.python.framework.type_aliases import (
        MessageT,
        PathLike,
        TensorLike,
    )
    from tensorwright.python.ops._variables.variables_variable import Variable

# The name of an input that lies outside the exported scope.
_UNBOUND = "$unbound_inputs_"
# --- Ops of a graph ---------------------------------------------------------------------


def ops_used_by_graph_def(graph_def: GraphDef) -> list[str]:
    """The types of all ops of a graph and of the functions it calls."""
    functions = {f.signature.name: f for f in graph_def.library.function}
    used: set[str] = set()
    left = [node.op for node in graph_def.node]
    while left:
        op = left.pop()
        if op in used:
            continue
        used.add(op)
        if op in functions:
            left += [node.op for node in functions[op].node_def]
    return sorted(op for op in used if op not in functions)


def stripped_op_list_for_graph(graph_def: GraphDef) -> OpList:
    """The `OpList` of the registered ops that a graph uses, without prose."""
    found = op_def_pb2.OpList()
    for name in ops_used_by_graph_def(graph_def):
        op_def = op_def_registry.get(name)
        if op_def is None:
            continue
        added = found.op.add()
        added.CopyFrom(op_def)
        added.ClearField("summary")
        added.ClearField("description")
        for part in (*added.input_arg, *added.output_arg, *added.attr):
            part.ClearField("description")
    return found


def strip_graph_default_valued_attrs(meta_graph_def: MetaGraphDef) -> None:
    """Removes attrs that have the default of their op: older versions may not know them."""
    nodes = list(meta_graph_def.graph_def.node)
    for function in meta_graph_def.graph_def.library.function:
        nodes += list(function.node_def)
    for node in nodes:
        op_def = op_def_registry.get(node.op)
        if op_def is None:
            continue
        for attr in op_def.attr:
            if attr.HasField("default_value") and attr.name in node.attr:
                if node.attr[attr.name] == attr.default_value:
                    del node.attr[attr.name]
    meta_graph_def.meta_info_def.stripped_default_attrs = True


# --- Making one -------------------------------------------------------------------------


def create_meta_graph_def(
    meta_info_def: MetaGraphDef.MetaInfoDef | None = None,
    graph_def: GraphDef | None = None,
    saver_def: SaverDef | None = None,
    collection_list: Iterable[str] | None = None,
    graph: ops.Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Iterable[str] | None = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
) -> MetaGraphDef:
    """A `MetaGraphDef` of a graph (by default the default one) and its collections.

    Args:
      meta_info_def: its tags and the like; version and ops are filled in.
      graph_def: the nodes, those of `graph` by default.
      saver_def: the saver to restore the variables with.
      collection_list: names of collections, all by default.
      graph: where the collections are from.
      export_scope: items outside this scope are left out, names are without it.
      exclude_nodes: nodes whose items are left out.
      clear_extraneous_savers: leave out savers but for `saver_def`.
      strip_default_attrs: see `strip_graph_default_valued_attrs`.
    """
    if graph is not None and not isinstance(graph, ops.Graph):
        raise TypeError(f"graph must be of type Graph, not {type(graph)}")
    graph = graph or ops.get_default_graph()
    made = meta_graph_pb2.MetaGraphDef()
    if meta_info_def is not None:
        made.meta_info_def.MergeFrom(meta_info_def)
    made.meta_info_def.tensorflow_version = versions.__version__
    made.meta_info_def.tensorflow_git_version = versions.__git_version__
    made.graph_def.MergeFrom(
        graph_def if graph_def is not None else graph.as_graph_def(add_shapes=True)
    )
    if not made.meta_info_def.HasField("stripped_op_list"):
        made.meta_info_def.stripped_op_list.MergeFrom(
            stripped_op_list_for_graph(made.graph_def)
        )
    if strip_default_attrs:
        strip_graph_default_valued_attrs(made)
    if saver_def is not None:
        made.saver_def.MergeFrom(saver_def)
    names = (
        graph.get_all_collection_keys() if collection_list is None else collection_list
    )
    for name in names:
        keep = None
        if name == ops.GraphKeys.SAVERS and clear_extraneous_savers:
            keep = []
        add_collection_def(
            made,
            name,
            graph,
            export_scope,
            exclude_nodes=exclude_nodes,
            override_contents=keep,
        )
    return made


def add_collection_def(
    meta_graph_def: MetaGraphDef,
    key: str,
    graph: ops.Graph | None = None,
    export_scope: str | None = None,
    exclude_nodes: Iterable[str] | None = None,
    override_contents: Sequence[object] | None = None,
) -> None:
    """Writes a collection; one whose items cannot be written is passed by with a warning."""
    if not isinstance(key, (str, bytes)):
        logging.warning("Only collections named by strings are exported: %s", key)
        return
    graph = graph or ops.get_default_graph()
    excluded = set(exclude_nodes or ())
    items = (
        graph.get_collection(key) if override_contents is None else override_contents
    )
    items = [x for x in items if _inside(x, export_scope, excluded)]
    if not items:
        return
    try:
        made = _collection_def(key, items, export_scope)
    except (AttributeError, TypeError, ValueError) as error:
        logging.warning("Collection %s cannot be exported: %s", key, error)
        return
    meta_graph_def.collection_def[key].CopyFrom(made)


def _collection_def(
    key: str, items: list[Any], export_scope: str | None
) -> CollectionDef:
    made = meta_graph_pb2.CollectionDef()
    to_proto = ops.get_to_proto_function(key)
    if to_proto is not None:
        for item in items:
            proto = to_proto(item, export_scope=export_scope)
            if proto is not None:
                made.bytes_list.value.append(proto.SerializeToString())
        return made
    first = items[0]
    if isinstance(first, (ops.Tensor, ops.Operation)) or hasattr(
        first, "_as_graph_element"
    ):
        for item in items:
            if hasattr(item, "_as_graph_element"):
                item = item._as_graph_element()
            made.node_list.value.append(ops.strip_name_scope(item.name, export_scope))
    elif isinstance(first, (bytes, str)):
        made.bytes_list.value.extend(compat.as_bytes(x) for x in items)
    elif isinstance(first, bool) or not isinstance(first, (int, float)):
        if not hasattr(first, "SerializeToString"):
            raise TypeError(f"no proto has {type(first).__name__}s")
        for item in items:
            packed = made.any_list.value.add()
            packed.Pack(item)
            # Both libraries read TensorFlow's name.
            packed.type_url = packed.type_url.replace("/tensorwright.", "/tensorflow.")
    elif isinstance(first, int):
        made.int64_list.value.extend(items)
    else:
        made.float_list.value.extend(items)
    return made


def _inside(item: Any, scope: str | None, excluded: set[str]) -> bool:
    """Whether an item of a collection, if it has a name, is in a scope and not excluded."""
    name = getattr(item, "name", None)
    if not isinstance(name, str):
        return True
    if name.split(":")[0] in excluded:
        return False
    return scope is None or name.startswith(scope.rstrip("/") + "/")


# --- Files ------------------------------------------------------------------------------


def read_meta_graph_file(filename: str | os.PathLike) -> MetaGraphDef:
    """A `MetaGraphDef` from a file in binary or text form.  OSError if it is neither, or missing."""
    if not file_io.file_exists(filename):
        raise OSError(f"File does not exist. Received: {filename}.")
    data = file_io.read_file_to_string(filename, binary_mode=True)
    try:
        return meta_graph_pb2.MetaGraphDef.FromString(data)
    except message.DecodeError:
        pass
    try:
        return text_format.Parse(data.decode("utf-8"), meta_graph_pb2.MetaGraphDef())
    except (UnicodeDecodeError, text_format.ParseError) as error:
        raise OSError(f"Cannot parse file {filename}: {error}") from error


# --- Importing --------------------------------------------------------------------------


def import_scoped_meta_graph(
    meta_graph_or_file: MetaGraphDef | PathLike,
    clear_devices: bool = False,
    graph: ops.Graph | None = None,
    import_scope: str | None = None,
    input_map: Mapping[str, TensorLike] | None = None,
    unbound_inputs_col_name: str = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
) -> dict[str, Variable]:
    """Adds the nodes and collections of a `MetaGraphDef` to a graph.

    Args:
      meta_graph_or_file: the proto, or the path of a file.
      clear_devices: leave out which device each node asks for.
      graph: the default one if None.
      import_scope: put in front of all names.
      input_map: names of unbound inputs -> tensors that take their place.
      unbound_inputs_col_name: the collection that names unbound inputs; None if any may be
        mapped.
      restore_collections_predicate: whether a collection is wanted.

    Returns:
      The variables that were added, by name without `import_scope`.

    Raises:
      ValueError: an unbound input is not in `input_map`, or the graph is finalized.
    """
    return import_scoped_meta_graph_with_return_elements(
        meta_graph_or_file,
        clear_devices,
        graph,
        import_scope,
        input_map,
        unbound_inputs_col_name,
        restore_collections_predicate,
    )[0]


def import_scoped_meta_graph_with_return_elements(
    meta_graph_or_file: MetaGraphDef | PathLike,
    clear_devices: bool = False,
    graph: ops.Graph | None = None,
    import_scope: str | None = None,
    input_map: Mapping[str, TensorLike] | None = None,
    unbound_inputs_col_name: str = "unbound_inputs",
    restore_collections_predicate: Callable[[str], bool] = lambda key: True,
    return_elements: list[str] | None = None,
) -> tuple[dict[str, Variable], list[ops.Operation | ops.Tensor] | None]:
    """The same, with the operations and tensors `return_elements` names."""
    meta = meta_graph_or_file
    if isinstance(meta, (str, bytes, os.PathLike)):
        meta = read_meta_graph_file(compat.as_text(os.fspath(meta)))
    _check_inputs(meta, input_map, unbound_inputs_col_name)
    graph = graph or ops.get_default_graph()
    graph_def = graph_pb2.GraphDef()
    graph_def.ParseFromString(meta.graph_def.SerializeToString())
    if clear_devices:
        for node in graph_def.node:
            node.device = ""
    input_map = _with_plain_names(graph_def, input_map)
    producer = meta.meta_info_def.stripped_op_list
    with graph.as_default():
        elements = importer.import_graph_def(
            graph_def,
            name=import_scope or "",
            input_map=input_map,
            return_elements=return_elements,
            producer_op_list=producer if len(producer.op) else None,
        )
        # Inside another name scope the nodes have that in front, too.
        scope = "/".join(
            part for part in (graph.get_name_scope(), import_scope) if part
        )
        _restore_collections(graph, meta, scope or None, restore_collections_predicate)
    return _variables_in(graph, scope or None), elements


def _with_plain_names(graph_def: Any, input_map: Mapping[str, Any] | None) -> Any:
    """Renames unbound inputs, both in the nodes and in the map: no node may have their names."""

    def plain(name: str) -> str:
        return name.replace(_UNBOUND, "unbound_inputs.", 1) if "$" in name else name

    for node in graph_def.node:
        for i, name in enumerate(node.input):
            if "$" in name:
                node.input[i] = plain(name)
    return input_map and {plain(name): value for name, value in input_map.items()}


def _check_inputs(meta: Any, input_map: Mapping[str, Any] | None, unbound: str) -> None:
    if not unbound or unbound not in meta.collection_def:
        return
    names = [
        compat.as_str(value) for value in meta.collection_def[unbound].bytes_list.value
    ]
    if names and not input_map:
        raise ValueError(
            f"Graph contains unbound inputs: {names}. Must provide these inputs."
        )
    missing = [name for name in names if name not in (input_map or {})]
    if missing:
        raise ValueError(
            f"Graph contains unbound inputs: {missing}. Must provide these inputs."
        )


def _restore_collections(
    graph: ops.Graph, meta: Any, scope: str | None, wanted: Callable[[str], bool]
) -> None:
    # A variable of several collections is one object in all of them.
    variables: dict[bytes, Any] = {}
    for key in sorted(meta.collection_def):
        if not wanted(key):
            continue
        collection = meta.collection_def[key]
        kind = collection.WhichOneof("kind")
        if kind is None:
            logging.error("Collection %s has no items of a known kind", key)
            continue
        from_proto = ops.get_from_proto_function(key)
        if from_proto is not None and kind == "bytes_list":
            proto_type = ops.get_collection_proto_type(key)
            shared = variables if key in proto_functions.KEYS_OF_VARIABLES else None
            for value in collection.bytes_list.value:
                item = shared.get(value) if shared is not None else None
                if item is None:
                    proto = collection_item(key, cast(Any, proto_type), value)
                    item = from_proto(proto, import_scope=scope)
                if shared is not None:
                    shared[value] = item
                graph.add_to_collection(key, item)
        else:
            for value in getattr(collection, kind).value:
                if kind == "node_list":
                    value = graph.as_graph_element(ops.prepend_name_scope(value, scope))
                graph.add_to_collection(key, value)


def collection_item(key: str, proto_type: type[MessageT], data: bytes) -> MessageT:
    """Parses an item of a collection; ValueError, naming the collection, if it is no such message."""
    try:
        return proto_type.FromString(data)
    except message.DecodeError as error:
        raise ValueError(
            f"the collection {key!r} has an item that is no {proto_type.__name__}: {error}"
        ) from error


def _variables_in(graph: ops.Graph, scope: str | None) -> dict[str, Any]:
    found = {}
    prefix = None if scope is None else scope.rstrip("/") + "/"
    for key in proto_functions.KEYS_OF_VARIABLES:
        for variable in graph.get_collection(key, prefix):
            found[ops.strip_name_scope(variable.op.name, scope)] = variable
    return found


# --- Exporting --------------------------------------------------------------------------


def export_scoped_meta_graph(
    filename: str | os.PathLike | None = None,
    graph_def: GraphDef | None = None,
    graph: ops.Graph | None = None,
    export_scope: str | None = None,
    as_text: bool = False,
    unbound_inputs_col_name: str = "unbound_inputs",
    clear_devices: bool = False,
    saver_def: SaverDef | None = None,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> tuple[MetaGraphDef, dict[str, Variable]]:
    """Returns a `MetaGraphDef` of a graph, or of its part in `export_scope`, and the variables in it.

    An input from outside the scope becomes unbound: it is named in a collection, and is
    given when the graph is imported.

    Args:
      filename: where to write it, if anywhere.
      graph_def: the nodes, if not those of `graph`; it must match it.
      graph: the default one if None.
      export_scope: names are without it then.
      as_text: write text.
      unbound_inputs_col_name: the name of that collection; none if None.
      clear_devices: leave out which device each node asks for.
      saver_def, clear_extraneous_savers, strip_default_attrs: see create_meta_graph_def.
      save_debug_info: has no effect; TensorFlow's signature has it.
      **kwargs: more for create_meta_graph_def.
    """
    del save_debug_info
    graph = graph or ops.get_default_graph()
    if graph_def is None:
        graph_def = graph.as_graph_def(add_shapes=True)
    unbound: list[str] = []
    excluded: set[str] = set()
    if export_scope or clear_devices:
        graph_def, unbound, excluded = _part_of_graph(
            graph_def, export_scope, clear_devices
        )
    if unbound_inputs_col_name and export_scope:
        graph.clear_collection(unbound_inputs_col_name)
        for name in unbound:
            graph.add_to_collection(unbound_inputs_col_name, name)
    meta = create_meta_graph_def(
        graph_def=graph_def,
        graph=graph,
        export_scope=export_scope,
        exclude_nodes=excluded,
        clear_extraneous_savers=clear_extraneous_savers,
        saver_def=saver_def,
        strip_default_attrs=strip_default_attrs,
        **kwargs,
    )
    if filename is not None:
        folder, name = os.path.split(compat.as_text(os.fspath(filename)))
        graph_io.write_graph(meta, folder or ".", name, as_text=as_text)
    return meta, _variables_in(graph, export_scope)


def _part_of_graph(
    graph_def: Any, scope: str | None, clear_devices: bool
) -> tuple[Any, list[str], set[str]]:
    """The nodes in a scope, which inputs come from outside, and the nodes outside."""
    part = graph_pb2.GraphDef()
    part.versions.CopyFrom(graph_def.versions)
    part.library.CopyFrom(graph_def.library)
    prefix = "" if not scope else scope.rstrip("/") + "/"
    unbound: list[str] = []
    excluded: set[str] = set()
    for node in graph_def.node:
        if not node.name.startswith(prefix):
            excluded.add(node.name)
            continue
        added = part.node.add()
        added.CopyFrom(node)
        added.name = node.name.removeprefix(prefix)
        for i, name in enumerate(node.input):
            base = name.removeprefix("^").partition(":")[0]
            if base.startswith(prefix):
                added.input[i] = name.replace(prefix, "", 1)
            else:
                added.input[i] = _UNBOUND + name
                if added.input[i] not in unbound:
                    unbound.append(added.input[i])
        if "_class" in added.attr:
            added.attr["_class"].list.s[:] = [
                compat.as_bytes(compat.as_str(s).replace(f"loc:@{prefix}", "loc:@", 1))
                for s in added.attr["_class"].list.s
                if compat.as_str(s).startswith(f"loc:@{prefix}")
            ]
            if not added.attr["_class"].list.s:
                del added.attr["_class"]
        if clear_devices:
            added.device = ""
    return part, unbound, excluded


def copy_scoped_meta_graph(
    from_scope: str,
    to_scope: str,
    from_graph: ops.Graph | None = None,
    to_graph: ops.Graph | None = None,
) -> dict[str, Variable]:
    """Copies what is in a scope to another scope or graph, and gives the new variables.

    ValueError if both are the same.
    """
    from_graph = from_graph or ops.get_default_graph()
    to_graph = to_graph or ops.get_default_graph()
    if from_graph is to_graph and from_scope == to_scope:
        raise ValueError(
            f"'from_scope' and 'to_scope' need to be different when copying in one graph: {to_scope}"
        )
    meta, variables = export_scoped_meta_graph(
        export_scope=from_scope, graph=from_graph
    )
    import_scoped_meta_graph(meta, graph=to_graph, import_scope=to_scope)
    copies = {}
    for name in variables:
        path = f"{to_scope.rstrip('/')}/{name}"
        for variable in to_graph.get_collection(ops.GraphKeys.GLOBAL_VARIABLES, path):
            if variable.op.name == path:
                copies[name] = variable
    return copies
