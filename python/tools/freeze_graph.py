# SPDX-License-Identifier: Apache-2.0
"""Turns a graph and a checkpoint into one GraphDef whose variables are constants; `tw freeze` does so too.

python -m tensorwright.python.tools.freeze_graph --input_graph=graph.pb --input_binary --input_checkpoint=model.ckpt \
    --output_graph=frozen.pb --output_node_names=y
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import graph_pb2
from tensorwright.core.protobuf import meta_graph_pb2, saver_pb2
from tensorwright.python.client import session
from tensorwright.python.framework import graph_util, importer, ops
from tensorwright.python.lib.io import file_io
from tensorwright.python.saved_model import loader, tag_constants
from tensorwright.python.tools import command_line
from tensorwright.python.training import (
    checkpoint_management,
    checkpoint_utils,
    saver as saver_lib,
)
from tensorwright.python.util.lazy_protos import text_format

if TYPE_CHECKING:
    from tensorwright.core.framework.graph_pb2 import GraphDef
    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef
    from tensorwright.core.protobuf.saver_pb2 import SaverDef


def freeze_graph_with_def_protos(
    input_graph_def: GraphDef | None,
    input_saver_def: SaverDef | None,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str = "",
    filename_tensor_name: str = "",
    output_graph: str = "",
    clear_devices: bool = True,
    initializer_nodes: str = "",
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph_def: MetaGraphDef | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str | None = None,
    checkpoint_version: int = saver_pb2.SaverDef.V2,
) -> GraphDef:
    """The GraphDef of a graph with constants in the place of its variables.

    Args:
        input_graph_def: the graph, unless the meta graph or the SavedModel has it.
        input_saver_def: a SaverDef of the graph's nodes; None makes a saver of the checkpoint's variables.
        input_checkpoint: the checkpoint's prefix, not needed for a SavedModel.
        output_node_names: the nodes to keep with all they need, between commas.
        restore_op_name: not used.
        filename_tensor_name: not used.
        output_graph: the file to write, if any.
        clear_devices: forget the nodes' devices.
        initializer_nodes: operations to run first, between commas.
        variable_names_whitelist: if any, only these variables become constants.
        variable_names_blacklist: these variables stay.
        input_meta_graph_def: a MetaGraphDef.
        input_saved_model_dir: a SavedModel's folder.
        saved_model_tags: its tags, between commas.
        checkpoint_version: the format of checkpoints that the made saver would write.

    Raises:
        ValueError: for a checkpoint that is not there, or without output nodes.
    """
    del restore_op_name, filename_tensor_name
    if not input_saved_model_dir and not checkpoint_management.checkpoint_exists(
        input_checkpoint
    ):
        raise ValueError(f"Input checkpoint '{input_checkpoint}' doesn't exist!")
    outputs = command_line.names(output_node_names)
    if not outputs:
        raise ValueError(
            "You need to supply the name of a node to --output_node_names."
        )
    meta = input_meta_graph_def
    graph_def = input_graph_def if meta is None else meta.graph_def
    with ops.Graph().as_default() as graph, session.Session() as sess:
        if input_saved_model_dir:
            tags = command_line.names(saved_model_tags or tag_constants.SERVING)
            graph_def = loader.load(sess, tags, input_saved_model_dir).graph_def
        assert graph_def is not None, "a graph, or a SavedModel with one"
        # Devices of another machine are none of this one.
        placed = graph_pb2.GraphDef.FromString(graph_def.SerializeToString())
        if clear_devices:
            for node in placed.node:
                node.device = ""
        if not input_saved_model_dir:
            importer.import_graph_def(placed, name="")
            _restore(sess, graph, meta, input_saver_def, input_checkpoint, checkpoint_version)  # fmt: skip # noqa: E501
        for name in command_line.names(initializer_nodes):
            sess.run(name)
        frozen = graph_util.convert_variables_to_constants(
            sess,
            placed,
            outputs,
            command_line.names(variable_names_whitelist) or None,
            command_line.names(variable_names_blacklist) or None,
        )
    if output_graph:
        file_io.atomic_write_string_to_file(output_graph, frozen.SerializeToString())
    return frozen


def _restore(
    sess: Any, graph: Any, meta: Any, saver_def: Any, checkpoint: str, version: int
) -> None:
    if saver_def is None and meta is not None and meta.HasField("saver_def"):
        saver_def = meta.saver_def
    if saver_def is not None:
        saver_lib.Saver(saver_def=saver_def, write_version=version).restore(sess, checkpoint)  # fmt: skip # noqa: E501
        return
    # The graph's variables are known by the checkpoint's names.
    found = {}
    for name, _ in checkpoint_utils.list_variables(checkpoint):
        try:
            found[name] = graph.get_tensor_by_name(f"{name}:0")
        except KeyError:
            continue
    saver_lib.Saver(var_list=found, write_version=version).restore(sess, checkpoint)


def _parsed(path: str, kind: Any, binary: bool) -> Any:
    """The proto of a file."""
    if not file_io.file_exists(path):
        raise ValueError(f"Input file '{path}' does not exist!")
    if binary:
        return kind.FromString(file_io.read_file_to_string(path, binary_mode=True))
    return text_format.Parse(file_io.read_file_to_string(path), kind())


def freeze_graph(
    input_graph: str,
    input_saver: str,
    input_binary: bool,
    input_checkpoint: str,
    output_node_names: str,
    restore_op_name: str = "",
    filename_tensor_name: str = "",
    output_graph: str = "",
    clear_devices: bool = True,
    initializer_nodes: str = "",
    variable_names_whitelist: str = "",
    variable_names_blacklist: str = "",
    input_meta_graph: str | None = None,
    input_saved_model_dir: str | None = None,
    saved_model_tags: str = tag_constants.SERVING,
    checkpoint_version: int = saver_pb2.SaverDef.V2,
) -> GraphDef:
    """`freeze_graph_with_def_protos` of files: a GraphDef, a SaverDef or a MetaGraphDef, binary or text.

    Raises:
        ValueError: for a file that is not there.
    """
    graph_def = saver_def = meta = None
    if input_saved_model_dir is None and input_graph:
        graph_def = _parsed(input_graph, graph_pb2.GraphDef, input_binary)
    if input_meta_graph:
        meta = _parsed(input_meta_graph, meta_graph_pb2.MetaGraphDef, input_binary)
    if input_saver:
        saver_def = _parsed(input_saver, saver_pb2.SaverDef, input_binary)
    return freeze_graph_with_def_protos(
        graph_def,
        saver_def,
        input_checkpoint,
        output_node_names,
        restore_op_name,
        filename_tensor_name,
        output_graph,
        clear_devices,
        initializer_nodes,
        variable_names_whitelist,
        variable_names_blacklist,
        meta,
        input_saved_model_dir,
        saved_model_tags,
        checkpoint_version,
    )


def main(argv: list[str] | None = None) -> int:
    """Runs the program with these flags, those of the command line if `argv` is None."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, help in (
        ("input_graph", "a GraphDef's file"),
        ("input_saver", "a SaverDef's file"),
        ("input_checkpoint", "a checkpoint's prefix"),
        ("output_graph", "the file to write"),
        ("output_node_names", "with commas between"),
        ("restore_op_name", "not used"),
        ("filename_tensor_name", "not used"),
        ("initializer_nodes", "operations to run first"),
        ("variable_names_whitelist", "only these variables become constants"),
        ("variable_names_blacklist", "these variables stay"),
        ("input_meta_graph", "a MetaGraphDef's file"),
        ("input_saved_model_dir", "a SavedModel's folder"),
    ):
        parser.add_argument(f"--{name}", default="", help=help)
    parser.add_argument("--saved_model_tags", default=tag_constants.SERVING)
    parser.add_argument("--checkpoint_version", type=int, default=saver_pb2.SaverDef.V2)
    command_line.add_boolean(parser, "input_binary", False, "binary files, not text")
    command_line.add_boolean(parser, "clear_devices", True, "forget the devices")
    flags = vars(parser.parse_args(argv))
    for name in ("input_meta_graph", "input_saved_model_dir"):
        flags[name] = flags[name] or None
    try:
        frozen = freeze_graph(**flags)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(frozen.node)} ops in the final graph.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
