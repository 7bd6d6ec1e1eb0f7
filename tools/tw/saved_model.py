# SPDX-License-Identifier: Apache-2.0
"""`tw saved-model`: what is in a SavedModel, and what it computes.

    $ tw saved-model /models/digits
    /models/digits: 1 graph, 3 variables of 31.4 kB
    tags serve, written by 1.3.0; 24 nodes, which touch nothing
      serving_default: tensorflow/serving/predict
        input  x  float32 [?, 784]  images:0
        output y  float32 [?, 10]   digits/Softmax:0
    $ tw saved-model /models/digits --run inputs.npz --out outputs.npz

DIR is the folder with saved_model.pb or .pbtxt.  `--run` feeds the arrays of an .npz file, or of a .json file
({"x": [[1, 2]]}; `-` reads one from the standard input), to the signature `--signature` of the graph `--tags`; both can be
left out where there is one, or one for serving.  The results are printed as JSON, or written to the file of `--out`,
.npz or .json.

Bytes that are not UTF-8 are {"b64": "..."} in JSON.  The parts of a sparse input are "x/indices", "x/values" and
"x/dense_shape".  An .npz file gets bfloat16 and other types that NumPy does not have as float32.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import sys
from collections.abc import Iterable
from typing import Any

from tensorwright.python import _pywrap
from tensorwright.tools.tw import checkpoint, saved_model_values, suggest

_SPARSE_PARTS = {
    "indices": ("indices_tensor_name", "int64"),
    "values": ("values_tensor_name", None),
    "dense_shape": ("dense_shape_tensor_name", "int64"),
}
# A loader runs this signature by itself.
_INTERNAL = "__saved_model"


class Mistake(Exception):
    """A mistake of the caller, which the text explains."""


def _closest(name: str, names: Iterable[str]) -> str:
    names = sorted(names)
    close = difflib.get_close_matches(name, names, 3)
    return f"similar: {', '.join(close)}" if close else f"there are {', '.join(names)}"


def shape_text(shape: Any) -> str:
    if shape.unknown_rank:
        return "of any shape"
    sizes = ("?" if dim.size < 0 else str(dim.size) for dim in shape.dim)
    return f"[{', '.join(sizes)}]"


def tensors_of(infos: Any) -> dict[str, tuple[str, str, str]]:
    """The tensors behind the keys of a signature: key -> name, dtype, text of the shape.

    A sparse tensor has three, `key/indices`, `key/values` and `key/dense_shape`.

    Raises:
        Mistake: something else than tensors, or a number that stands for no dtype.
    """
    from tensorwright.python.framework import dtypes

    found = {}
    for key, info in sorted(infos.items()):
        try:
            dtype = dtypes.as_dtype(info.dtype).name
        except TypeError as error:
            raise Mistake(f"{key} has no dtype: {error}") from error
        encoding = info.WhichOneof("encoding")
        if encoding == "name":
            found[key] = (info.name, dtype, shape_text(info.tensor_shape))
        elif encoding == "coo_sparse":
            for part, (field, fixed) in _SPARSE_PARTS.items():
                name = getattr(info.coo_sparse, field)
                found[f"{key}/{part}"] = (name, fixed or dtype, "of a sparse tensor")
        else:
            raise Mistake(f"{key} is not a tensor, but a {encoding or 'nothing'}")
    return found


def _ops_text(meta: Any) -> str:
    """Returns the number of nodes in a graph, and the resources that they reach outside of it."""
    library = meta.graph_def.library.function
    kinds = {node.op for node in meta.graph_def.node}
    kinds |= {node.op for function in library for node in function.node_def}
    touches = {data["name"]: data["touches"] for data in _pywrap.op_registrations()}
    reached: dict[str, list[str]] = {}
    for kind in sorted(kinds & set(touches)):
        for what in touches[kind]:
            reached.setdefault(what, []).append(kind)
    texts = [f"{what} ({', '.join(reached[what])})" for what in sorted(reached)]
    text = f"{len(meta.graph_def.node)} nodes, which touch "
    text += ", ".join(texts) or "nothing"
    unknown = sorted(kinds - set(touches) - {f.signature.name for f in library})
    return f"{text}; no op is called {', '.join(unknown)}" if unknown else text


def show(folder: str, saved_model: Any) -> None:
    """Prints the graphs and signatures of a SavedModel, and the number of its variables.

    Args:
        folder: the folder of the SavedModel.
        saved_model: the `SavedModel` message in it.

    Raises:
        Mistake: a signature has something other than tensors of known dtypes.
    """
    graphs = _counted(len(saved_model.meta_graphs), "graph")
    print(f"{folder}: {graphs}, {_variables(folder)}")
    for meta in saved_model.meta_graphs:
        info = meta.meta_info_def
        version = info.tensorflow_version or "an unknown version"
        tags = " ".join(sorted(info.tags)) or "(none)"
        print(f"tags {tags}, written by {version}; {_ops_text(meta)}")
        for asset in meta.asset_file_def:
            print(f"  asset {asset.filename}  {asset.tensor_info.name}")
        for key, signature in sorted(meta.signature_def.items()):
            if not key.startswith(_INTERNAL):
                _show_signature(key, signature)


def _variables(folder: str) -> str:
    """How many variables come with the graphs."""
    from tensorwright.python.training import checkpoint_utils

    path = checkpoint.find(folder)
    if path is None:
        return "no variables"
    sizes = checkpoint.sizes_of(checkpoint_utils.NewCheckpointReader(path))
    size = checkpoint.size_text(sum(sizes.values()))
    return f"{_counted(len(sizes), 'variable')} of {size}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _show_signature(key: str, signature: Any) -> None:
    print(f"  {key}: {signature.method_name or 'no method'}")
    rows = [
        (side, name, f"{dtype} {shape}", tensor)
        for side, infos in (("input", signature.inputs), ("output", signature.outputs))
        for name, (tensor, dtype, shape) in tensors_of(infos).items()
    ]
    wide = [max((len(row[i]) for row in rows), default=0) for i in range(3)]
    for side, name, kind, tensor in rows:
        default = side == "input" and name in signature.defaults
        print(
            f"    {side:{wide[0]}} {name:{wide[1]}}  {kind:{wide[2]}}  {tensor}"
            f"{'  has a default' if default else ''}"
        )


def chosen_graph(saved_model: Any, tags: str | None) -> Any:
    """The graph with these tags; without them the only one, or the one for serving."""
    from tensorwright.python.saved_model import tag_constants

    graphs = {
        frozenset(meta.meta_info_def.tags): meta for meta in saved_model.meta_graphs
    }
    if tags is not None:
        wanted = frozenset(tag for tag in tags.split(",") if tag)
    elif len(graphs) == 1:
        (wanted,) = graphs
    else:
        wanted = frozenset([tag_constants.SERVING])
    if wanted not in graphs:
        there = " or ".join(",".join(sorted(t)) or "''" for t in graphs) or "none"
        raise Mistake(f"no graph has the tags {','.join(sorted(wanted))}; {there}")
    return graphs[wanted]


def chosen_signature(meta: Any, key: str | None) -> Any:
    from tensorwright.python.saved_model import signature_constants

    keys = [k for k in meta.signature_def if not k.startswith(_INTERNAL)]
    if not keys:
        raise Mistake("the graph has no signatures")
    if key is None:
        serving = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        key = keys[0] if len(keys) == 1 else serving
    if key not in keys:
        raise Mistake(f"no signature is called {key!r}; {_closest(key, keys)}")
    return meta.signature_def[key]


def _feeds(signature: Any, values: dict[str, Any]) -> dict[str, Any]:
    """Returns the feeds: tensor -> array."""
    from tensorwright.python.framework import tensor_util

    inputs = tensors_of(signature.inputs)
    for key in values:
        if key not in inputs:
            raise Mistake(f"no input is called {key!r}; {_closest(key, inputs)}")
    feeds = {}
    for key, (tensor, dtype, _) in inputs.items():
        if key in values:
            try:
                feeds[tensor] = saved_model_values.as_dtype(values[key], dtype)
            except ValueError as error:
                raise Mistake(f"input {key!r}: {error}") from error
        elif key in signature.defaults:
            feeds[tensor] = tensor_util.MakeNdarray(signature.defaults[key])
        else:
            raise Mistake(f"input {key!r} is missing")
    return feeds


def run(
    folder: str, saved_model: Any, values: dict[str, Any], args: argparse.Namespace
) -> dict[str, Any]:
    """The outputs of a signature for these inputs, by key."""
    import tensorwright as tf

    meta = chosen_graph(saved_model, args.tags)
    signature = chosen_signature(meta, args.signature)
    feeds = _feeds(signature, values)
    fetches = {k: name for k, (name, _, _) in tensors_of(signature.outputs).items()}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, list(meta.meta_info_def.tags), folder)
        return session.run(fetches, feeds)


def _no_saved_model(path: str) -> str:
    """Returns words about a wrong path, and about the path that may have been meant."""
    from tensorwright.python.lib.io import file_io
    from tensorwright.python.saved_model import loader

    if not file_io.file_exists(path):
        return f"no such folder: {path}{suggest.files(path)}"
    if not file_io.is_directory(path):
        folder = os.path.dirname(path) or "."
        meant = f"; its folder is one: {folder}"
        is_one = loader.maybe_saved_model_directory(folder)
        return f"{path} is a file, not the folder of a SavedModel{meant * is_one}"
    # As a server keeps them: a folder for each version.
    inside = [file_io.join(path, name) for name in file_io.list_directory(path)]
    models = sorted(p for p in inside if loader.maybe_saved_model_directory(p))
    there = f"; there are {', '.join(models)}" if models else ""
    return f"{path} has no saved_model.pb or saved_model.pbtxt{there}"


def _run(args: argparse.Namespace) -> int:
    import tensorwright as tf
    from tensorwright.python.saved_model import loader

    try:
        for library in args.library:
            tf.load_op_library(os.path.abspath(library))
        if not loader.maybe_saved_model_directory(args.dir):
            raise Mistake(_no_saved_model(args.dir))
        saved_model = loader.parse_saved_model(args.dir)
        if args.run is None:
            show(args.dir, saved_model)
            return 0
        if args.out is not None:
            saved_model_values.check_out(args.out)
        values = saved_model_values.read(args.run)
        results = run(args.dir, saved_model, values, args)
        if args.out is not None:
            saved_model_values.write(args.out, results)
        else:
            json.dump(saved_model_values.to_json(results), sys.stdout)
            print()
    except tf.errors.OpError as error:
        print(f"tw saved-model: {error.message}", file=sys.stderr)
        return 1
    except FileNotFoundError as error:
        print(f"tw saved-model: {suggest.no_such_file(error)}", file=sys.stderr)
        return 1
    except (Mistake, OSError, KeyError, RuntimeError, TypeError, ValueError) as error:
        message = error.args[0] if isinstance(error, KeyError) else error
        print(f"tw saved-model: {message}", file=sys.stderr)
        return 1
    return 0


def add_command(commands: Any) -> None:
    """Adds `tw saved-model` to the subcommands."""
    parser = commands.add_parser(
        "saved-model",
        help="what is in a SavedModel, and what it computes",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("dir", metavar="DIR")
    parser.add_argument("--run", metavar="FILE", help="inputs, .npz or .json, or `-`")
    parser.add_argument("--out", metavar="FILE", help="outputs, .npz or .json")
    parser.add_argument("--tags", help="of the graph to run, with commas between")
    parser.add_argument("--signature", help="what to run of it")
    parser.add_argument(
        "--library", action="append", default=[], help="an op library to load first"
    )
    parser.set_defaults(do=_run)
