# SPDX-License-Identifier: Apache-2.0
"""`tw freeze`: a checkpoint and its graph as one GraphDef, with constants in the place of variables.

    $ tw freeze /tmp/digits/model.ckpt-1000 --outputs accuracy frozen.pb
    frozen.pb: 14 nodes, 0.1 MB, from 43 nodes and 7 variables

The graph is that of the meta graph beside the checkpoint, `<checkpoint>.meta`, or of --graph.  Nodes that the
outputs do not need are left out, and with --inference those, too, that only pass values on.
"""

from __future__ import annotations

import argparse
import difflib
import pathlib
import sys
from typing import Any

import numpy as np

from tensorwright.tools.tw import checkpoint as checkpoints, suggest

# Ops that end a graph without being a result of it.
_NO_RESULTS = ("Assert", "Assign", "AssignVariableOp", "NoOp", "MergeV2Checkpoints")


class Missing(Exception):
    """A file or node is not there; the text names those that are."""


def _read_graph(path: pathlib.Path) -> Any:
    """A GraphDef in a file, as bytes or as text (.pbtxt)."""
    from google.protobuf import text_format

    import tensorwright as tf

    if path.suffix in (".pbtxt", ".txt"):
        return text_format.Parse(path.read_text(), tf.GraphDef())
    return tf.GraphDef.FromString(path.read_bytes())


def freeze(
    checkpoint: str,
    outputs: list[str],
    graph: pathlib.Path | None = None,
    inference: bool = False,
) -> tuple[Any, Any]:
    """The frozen GraphDef, and the one that it was made of.

    Args:
      checkpoint: the path that a Saver gave, or its folder, whose latest one is taken.
      outputs: names of nodes.
      graph: a file with a GraphDef; the meta graph beside the checkpoint if not given.
      inference: leave out nodes that only pass values on.

    Raises Missing for a checkpoint or meta graph that is not there, and for outputs that the graph does not have.
    """
    import tensorwright as tf

    checkpoint = _found(checkpoint, needs_meta=graph is None)
    with tf.Graph().as_default() as made, tf.Session() as session:
        if graph is None:
            saver = tf.train.import_meta_graph(f"{checkpoint}.meta", clear_devices=True)
        else:
            tf.import_graph_def(_read_graph(graph), name="")
            saver = None
        whole = made.as_graph_def()
        _check_outputs(whole, outputs)
        if saver is None:
            _restore(session, made, checkpoint)
        else:
            saver.restore(session, checkpoint)
        frozen = tf.graph_util.convert_variables_to_constants(session, whole, outputs)
    if inference:
        frozen = tf.graph_util.remove_training_nodes(frozen, protected_nodes=outputs)
    return frozen, whole


def _found(path: str, needs_meta: bool) -> str:
    """The checkpoint that a path means."""
    from tensorwright.python.lib.io import file_io

    found = checkpoints.find(path)
    if found is None:
        raise Missing(checkpoints.what_is_there(path))
    if needs_meta and not file_io.file_exists(f"{found}.meta"):
        raise Missing(
            f"checkpoint {found} has no meta graph, {found}.meta, beside it; --graph "
            "names a file with the graph"
        )
    return found


def _check_outputs(graph: Any, outputs: list[str]) -> None:
    names = {node.name for node in graph.node}
    missing = [name for name in outputs if name not in names]
    if not missing:
        return
    # `y:0` is a tensor of the node y.
    close = [n for n in (m.partition(":")[0] for m in missing) if n in names]
    close = close or difflib.get_close_matches(missing[0], names, 3)
    hint = f"; similar: {', '.join(close)}" if close else ""
    if not close:
        ends = _ends(graph)
        if ends:
            hint = f"; nothing uses what these give: {', '.join(ends[:5])}"
    raise Missing(f"the graph has no node {', '.join(missing)}{hint}")


def _ends(graph: Any) -> list[str]:
    """The nodes that look like results: nothing uses them, and they are no part of a saver."""
    used = {i.lstrip("^").partition(":")[0] for n in graph.node for i in n.input}
    return [
        node.name
        for node in graph.node
        if node.name not in used
        and any(not i.startswith("^") for i in node.input)
        and node.op not in _NO_RESULTS
        and not node.name.startswith("save")
    ]


def _restore(session: Any, graph: Any, checkpoint: str) -> None:
    """Gives the variables of a graph without collections their values."""
    import tensorwright as tf

    shapes = dict(tf.train.list_variables(checkpoint))
    kinds = ("Variable", "VariableV2", "VarHandleOp")
    parts: dict[str, list[tuple[int, Any]]] = {}
    assigns = []
    with graph.as_default():
        for op in (op for op in graph.get_operations() if op.type in kinds):
            whole, _, number = op.name.rpartition("/part_")
            if op.name in shapes:
                value = tf.train.load_variable(checkpoint, op.name)
                assigns.append(_assign(op, value))
            elif whole in shapes and number.isdigit():
                parts.setdefault(whole, []).append((int(number), op))
        for whole, of_whole in parts.items():
            ops = [op for _, op in sorted(of_whole, key=lambda part: part[0])]
            assigns += _assign_parts(ops, tf.train.load_variable(checkpoint, whole))
    session.run(assigns)


def _assign(op: Any, value: Any) -> Any:
    import tensorwright as tf
    from tensorwright.python.ops import gen_resource_variable_ops

    if op.type == "VarHandleOp":
        value = tf.convert_to_tensor(value, op.get_attr("dtype"))
        return gen_resource_variable_ops.assign_variable_op(op.outputs[0], value)
    return tf.assign(op.outputs[0], value, validate_shape=False).op


def _assign_parts(ops: list[Any], value: Any) -> list[Any]:
    """Cuts a variable that the checkpoint has as one as its parts are."""
    import tensorwright as tf

    shapes = [tf.TensorShape(op.get_attr("shape")).as_list() for op in ops]
    axes = [i for i, size in enumerate(value.shape) if shapes[0][i] != size]
    axis = axes[0] if axes else 0
    ends = np.cumsum([shape[axis] for shape in shapes])
    return [
        _assign(op, part)
        for op, part in zip(ops, np.split(value, ends[:-1], axis), strict=True)
    ]


def _run(args: argparse.Namespace) -> int:
    import tensorwright as tf

    outputs = [n for part in args.outputs for n in part.split(",") if n]
    try:
        frozen, whole = freeze(
            args.checkpoint, outputs, args.graph, inference=args.inference
        )
    except (Missing, OSError, tf.errors.OpError) as error:
        message = suggest.no_such_file(error) if isinstance(error, OSError) else error
        print(f"tw freeze: {message}", file=sys.stderr)
        return 1
    data = frozen.SerializeToString()
    args.out.write_bytes(data)
    kinds = ("Variable", "VariableV2", "VarHandleOp")
    variables = sum(node.op in kinds for node in whole.node)
    print(
        f"{args.out}: {len(frozen.node)} nodes, {len(data) / 1e6:.1f} MB, "
        f"from {len(whole.node)} nodes and {variables} variables"
    )
    return 0


def add_command(commands: Any) -> None:
    """Adds `tw freeze` to the subcommands."""
    parser = commands.add_parser(
        "freeze",
        help="a checkpoint as a GraphDef of constants",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "checkpoint",
        help="as a Saver gave it, without .meta; or its folder: the latest",
    )
    parser.add_argument("out", type=pathlib.Path, help="the file to write")
    parser.add_argument(
        "--outputs", action="append", required=True, help="nodes, with commas between"
    )
    parser.add_argument("--graph", type=pathlib.Path, help="a GraphDef, .pb or .pbtxt")
    parser.add_argument(
        "--inference", action="store_true", help="without nodes that pass values on"
    )
    parser.set_defaults(do=_run)
