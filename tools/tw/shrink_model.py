# SPDX-License-Identifier: Apache-2.0
"""The model that `tw shrink` is given: a frozen graph with named inputs and outputs, and the kernels that it runs."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from typing import Any

import numpy as np

from tensorwright.tools.tw import graph_file, saved_model

# The signature's name in the MetaGraphDef that is linked into the library.
SIGNATURE = "model"
# Sizes that are not known, for the calls that are drawn.
_BATCHES = (1, 3)
# Inputs and outputs have one of these, as model/shrunk_model.py knows them.
_DTYPES = (
    *("float16", "float32", "float64", "complex64", "complex128", "bool", "string"),
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
)
_VARIABLES = ("Variable", "VariableV2", "VarHandleOp", "HashTable", "HashTableV2")


class Mistake(Exception):
    """The model cannot be shrunk; the text says why."""


@dataclasses.dataclass
class Model:
    """A frozen model.

    Attributes:
        meta: a MetaGraphDef with the graph, and the signature SIGNATURE whose keys callers will use.
        calls: drawn or given calls, input -> array.
        results: for each call what the whole library computes, output -> array.
        ops: the ops of the graph, before and after graph passes, and of its functions.
        dtypes: the names of the dtypes of their tensors.
    """

    meta: Any
    calls: list[dict[str, np.ndarray]] = dataclasses.field(default_factory=list)
    results: list[dict[str, np.ndarray]] = dataclasses.field(default_factory=list)
    ops: set[str] = dataclasses.field(default_factory=set)
    dtypes: set[str] = dataclasses.field(default_factory=set)

    @property
    def signature(self) -> Any:
        return self.meta.signature_def[SIGNATURE]


def read(path: pathlib.Path, args: argparse.Namespace) -> Model:
    """Returns the model in a file with a frozen GraphDef, or in the folder of a SavedModel.

    `args` has `inputs` and `outputs`, tensors of a GraphDef, or `tags` and `signature` of a SavedModel.

    Raises:
        Mistake: there is no such model, or it has state that no constants stand for.
    """
    try:
        found = graph_file.read(path)
    except (OSError, ValueError, StopIteration) as error:
        raise Mistake(f"{path}: {error}") from error
    if found.kind == "SavedModel":
        graph, inputs, outputs = _of_saved_model(path, args)
    else:
        graph, inputs, outputs = _of_graph(found.graphs[0].graph, args)
    return Model(_meta(graph, inputs, outputs))


def _of_saved_model(path: pathlib.Path, args: argparse.Namespace) -> Any:
    """The graph of a signature with constants for variables; input -> tensor and output -> tensor."""
    import tensorwright as tf
    from tensorwright.python.saved_model import loader

    folder = str(path if path.is_dir() else path.parent)
    try:
        parsed = loader.parse_saved_model(folder)
        meta = saved_model.chosen_graph(parsed, args.tags)
        signature = saved_model.chosen_signature(meta, args.signature)
        inputs = {k: v[0] for k, v in saved_model.tensors_of(signature.inputs).items()}
        outputs = {
            k: v[0] for k, v in saved_model.tensors_of(signature.outputs).items()
        }
    except saved_model.Mistake as error:
        raise Mistake(f"{path}: {error}") from error
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.saved_model.load(session, list(meta.meta_info_def.tags), folder)
        nodes = sorted({_node(t) for t in outputs.values()})
        frozen = tf.graph_util.convert_variables_to_constants(
            session, graph.as_graph_def(), nodes
        )
    return frozen, inputs, outputs


def _of_graph(graph: Any, args: argparse.Namespace) -> Any:
    """The part of a graph that computes the outputs; input -> tensor and output -> tensor."""
    import tensorwright as tf

    nodes = {node.name: node for node in graph.node}
    outputs = args.outputs or _ends(graph)
    for tensor in [*outputs, *args.inputs]:
        if _node(tensor) not in nodes:
            raise Mistake(f"the graph has no node {_node(tensor)!r}")
    part = tf.graph_util.extract_sub_graph(graph, sorted({_node(t) for t in outputs}))
    inputs = args.inputs or [n.name for n in part.node if n.op == "Placeholder"]
    return part, _named(inputs), _named(outputs)


def _ends(graph: Any) -> list[str]:
    """The nodes with outputs that no other node uses."""
    used = {_node(name) for node in graph.node for name in node.input}
    ends = [n.name for n in graph.node if n.name not in used and n.input]
    if not ends:
        raise Mistake("no node is without a user: --outputs names what to compute")
    return ends


def _node(tensor: str) -> str:
    return tensor.lstrip("^").partition(":")[0]


def _named(tensors: Sequence[str]) -> dict[str, str]:
    """The names by which callers know these tensors: those of their nodes, for a first output."""
    named = {}
    for tensor in tensors:
        node, _, number = tensor.partition(":")
        named[node if number in ("", "0") else tensor] = f"{node}:{number or 0}"
    return named


def _meta(graph: Any, inputs: dict[str, str], outputs: dict[str, str]) -> Any:
    import tensorwright as tf

    state = sorted({n.name for n in graph.node if n.op in _VARIABLES})
    if state:
        raise Mistake(
            f"{state[0]} has state, which the graph does not hold; `tw freeze` makes "
            "constants of variables"
        )
    meta = tf.MetaGraphDef(graph_def=graph)
    signature = meta.signature_def[SIGNATURE]
    with tf.Graph().as_default() as imported:
        try:
            tf.import_graph_def(graph, name="")
            for infos, tensors in (
                (signature.inputs, inputs),
                (signature.outputs, outputs),
            ):
                for name, tensor in tensors.items():
                    found = imported.get_tensor_by_name(tensor)
                    if found.dtype.name not in _DTYPES:
                        raise Mistake(
                            f"{name} has the dtype {found.dtype.name}, for which NumPy has no name"
                        )
                    infos[name].CopyFrom(tf.saved_model.utils.build_tensor_info(found))
        except (ValueError, KeyError, tf.errors.OpError) as error:
            raise Mistake(str(error)) from error
    return meta


def draw_calls(model: Model) -> list[dict[str, np.ndarray]]:
    """Calls of the model, for each of a few sizes of what is not known."""
    from tensorwright.python.framework import dtypes

    calls = []
    for seed, size in enumerate(_BATCHES):
        random = np.random.default_rng(seed)
        call = {}
        for name, info in model.signature.inputs.items():
            if info.tensor_shape.unknown_rank:
                raise Mistake(
                    f"the rank of the input {name!r} is not known: --examples FILE.npz has an array for each input"
                )
            shape = [size if d.size < 0 else d.size for d in info.tensor_shape.dim]
            dtype = dtypes.as_dtype(info.dtype)
            if dtype.is_floating:
                array = random.standard_normal(shape).astype(dtype.as_numpy_dtype)
            elif dtype.is_integer or dtype.is_bool:
                array = random.integers(0, 2, shape).astype(dtype.as_numpy_dtype)
            else:
                raise Mistake(
                    f"no {dtype.name} is drawn for the input {name!r}: --examples FILE.npz has an array for each input"
                )
            call[name] = array
        calls.append(call)
    return calls


def run_whole(model: Model, onednn: bool = True) -> None:
    """Runs the calls by the whole library, in a process of its own: sets `results`, `ops` and `dtypes`.

    Without `onednn` its kernels are turned off.

    Raises:
        Mistake: a run failed.
    """
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "model").write_bytes(model.meta.SerializeToString())
        for i, call in enumerate(model.calls):
            np.savez(work / f"call{i}.npz", **call)
        executed = work / "executed"
        executed.touch()
        done = subprocess.run(
            [sys.executable, "-m", __spec__.name if __spec__ else __name__, folder],
            env={
                **os.environ,
                "TENSORWRIGHT_EXECUTED_OPS": str(executed),
                "TENSORWRIGHT_KERNELS_OFF": "" if onednn else "onednn",
            },
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise Mistake(f"the model does not run: {error_of(done)}")
        seen = json.loads((work / "seen.json").read_text())
        model.ops, model.dtypes = set(seen["ops"]), set(seen["dtypes"])
        for line in executed.read_text().split():
            op, _, types = line.partition(":")
            model.ops.add(op)
            model.dtypes |= set(re.findall(r"[a-z]+[0-9]*", types))
        model.results = []
        for i in range(len(model.calls)):
            with np.load(work / f"result{i}.npz", allow_pickle=True) as result:
                model.results.append(dict(result))


def error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The error with which a Python program ended: the text below its traceback, whose lines are indented or a header."""
    lines = done.stderr.strip().splitlines()
    frames = [i for i, line in enumerate(lines) if line.startswith("  File ")]
    # Beneath a frame stands its source, and perhaps a mark; the error begins a line.
    start = frames[-1] + 1 if frames else 0
    while start < len(lines) and lines[start].startswith("    "):
        start += 1
    return "\n".join(lines[start:]) or f"exit status {done.returncode}"


def _run_whole(work: pathlib.Path) -> None:
    """The process of run_whole."""
    import tensorwright as tf

    meta = tf.MetaGraphDef.FromString((work / "model").read_bytes())
    signature = meta.signature_def[SIGNATURE]
    nodes = list(meta.graph_def.node)
    for function in meta.graph_def.library.function:
        nodes += function.node_def
    options = tf.RunOptions(output_partition_graphs=True)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(meta.graph_def, name="")
        for i, file in enumerate(sorted(work.glob("call*.npz"))):
            with np.load(file, allow_pickle=True) as call:
                feeds = {signature.inputs[k].name: v for k, v in call.items()}
            fetches = {k: info.name for k, info in signature.outputs.items()}
            metadata = tf.RunMetadata()
            result = session.run(fetches, feeds, options, metadata)
            # A run without options takes the shortest way, which callers of the small library take, too.
            result = session.run(fetches, feeds)
            np.savez(work / f"result{i}.npz", **result)
            for graph in metadata.partition_graphs:
                nodes += graph.node
    functions = {f.signature.name for f in meta.graph_def.library.function}
    ops = {node.op for node in nodes} - functions
    seen = {"ops": sorted(ops), "dtypes": sorted(_dtypes(nodes, ops))}
    (work / "seen.json").write_text(json.dumps(seen))


def _dtypes(nodes: list[Any], ops: set[str]) -> set[str]:
    """The dtypes that attrs of the nodes name, and those of arguments whose dtype is fixed."""
    from tensorwright.core.framework import op_def_pb2
    from tensorwright.python import _pywrap
    from tensorwright.python.framework import dtypes

    enums = set()
    for node in nodes:
        for value in node.attr.values():
            enums |= {value.type, *value.list.type}
    for op in ops:
        definition = op_def_pb2.OpDef.FromString(_pywrap.op_registration(op)["op_def"])
        arguments = [*definition.input_arg, *definition.output_arg]
        enums |= {argument.type for argument in arguments}
    return {dtypes.as_dtype(e).base_dtype.name for e in enums if e != 0}


def words(infos: Any) -> str:
    """Inputs or outputs in words: "x: float32 [?, 64]"."""
    from tensorwright.python.framework import dtypes

    return "; ".join(
        f"{name}: {dtypes.as_dtype(info.dtype).name} "
        f"{saved_model.shape_text(info.tensor_shape)}"
        for name, info in sorted(infos.items())
    )


if __name__ == "__main__":
    _run_whole(pathlib.Path(sys.argv[1]))
