# SPDX-License-Identifier: Apache-2.0
"""The report of `tw inspect` as plain data, which the text, the JSON and the page show.

{"format": 1, "path", "kind", "is_text", "bytes", "checkpoint", "graphs": [graph, ...]}

kind        "GraphDef", "MetaGraphDef", "SavedModel" or "checkpoint"
checkpoint  null, or {"path", "bytes", "tensors": [{"name", "dtype", "shape", "bytes"}]}; or {"error"}
graph       {"tags": [text], "made_by", "version", "producer", "min_consumer",
             "nodes", "function_nodes", "functions": [{"name", "nodes", "called_by": {"function", "node"} or null}], "call_depth",
             "risks": [{"level", "kind", "text", "nodes": [node]}], the worst first;
                      level is "outside", "broken", "costly" or "note"
             "policy": {"all": policy, "use": policy or null}; policy is {"code", "arguments", "refused", "anywhere"}
             "capabilities": {capability: [node]},
             "files": [{"touches": [text], "file": text or "", "is_prefix", "node": node}],
             "ops": [{"op", "count", "touches": [text], "needs": [text], "library", "is_function", "is_known"}],
             "unknown_ops": [{"op", "count", "origin", "similar": [text]}],
             "constants": [{"node": node, "attr", "dtype", "shape", "bytes", "stored", "fault"}], the largest first
             "variables": [{"node": node, "dtype", "shape", "bytes", "key", "in_checkpoint"}], the largest first
             "not_in_graph": [text], tensors of the checkpoint that are no variable's
             "assets": [{"file", "tensor", "exists"}],
             "signatures": [{"name", "method", "inputs": [tensor], "outputs": [tensor], "capabilities": [text]}]}
node        {"node", "op", "function"}; function is "" for the graph's own
tensor      {"key", "tensor", "dtype", "shape"}

A shape is a list of sizes, -1 where one is not known, or null.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
from typing import Any

from tensorwright.tools.tw import (
    checkpoint,
    doctor_graph,
    graph_bodies,
    graph_file,
    inspect_graph,
    inspect_needs,
    inspect_policy,
    inspect_risks,
    inspect_sizes,
    saved_model,
    suggest,
)

FORMAT = 1


@dataclasses.dataclass
class Subject:
    """The meaning of a path: the graphs of a file, a checkpoint, or both.

    Attributes:
        path: as the user gave it.
        file: the file with graphs, or None.
        graphs: the graphs, inspected.
        checkpoint: the checkpoint itself, or the one beside the graphs, or None.
        checkpoint_error: why that one cannot be read, or "".
    """

    path: pathlib.Path
    file: graph_file.GraphFile | None
    graphs: list[inspect_graph.Inspected]
    checkpoint: inspect_sizes.Checkpoint | None
    checkpoint_error: str


def read(path: str) -> Subject:
    """Reads what is at a path: a graph's file, a SavedModel, a checkpoint, or a folder of them.

    Raises:
        ValueError: nothing of that is there, or it cannot be understood.
        OSError: a file cannot be read.
    """
    place = pathlib.Path(path)
    if not path or "\0" in path:
        raise ValueError("a path is wanted")
    graph = _graph_at(place)
    if graph is None:
        prefix = checkpoint.find(path)
        if prefix is None:
            raise ValueError(_nothing_at(path))
        values, why = _checkpoint(prefix)
        if values is None:
            raise ValueError(why)
        meta = pathlib.Path(f"{prefix}.meta")
        file = graph_file.read(meta) if meta.is_file() else None
    else:
        try:
            file = graph_file.read(graph)
        except ValueError:
            # A checkpoint of the first format is one file with any name.
            if place.is_dir() or place.suffix in graph_file.SUFFIXES:
                raise
            values, why = _checkpoint(path)
            if values is None:
                raise
            file = None
        else:
            values, why = _beside(place)
    graphs = (
        []
        if file is None
        else [inspect_graph.Inspected(place, item, values, why) for item in file.graphs]
    )
    return Subject(place, file, graphs, values, why)


def _graph_at(path: pathlib.Path) -> pathlib.Path | None:
    """The path if it is a file, or the folder of a SavedModel; None if it can only be a checkpoint."""
    if path.is_dir():
        return path if graph_file.is_graph(path) else None
    if path.name.endswith(".index") or ".data-" in path.name or not path.exists():
        return None
    return path


def _nothing_at(path: str) -> str:
    if pathlib.Path(path).is_dir():
        text = checkpoint.what_is_there(path)
        return f"neither a SavedModel nor a checkpoint: {text}"
    return f"no such file: {path}{suggest.files(path)}"


def _beside(path: pathlib.Path) -> tuple[inspect_sizes.Checkpoint | None, str]:
    """The checkpoint with the variables of a SavedModel or of a .meta file."""
    wanted = str(path) if path.is_dir() else str(path).removesuffix(".meta")
    if not path.is_dir() and path.suffix != ".meta":
        return None, ""
    prefix = checkpoint.find(wanted)
    return (None, "") if prefix is None else _checkpoint(prefix)


def _checkpoint(prefix: str) -> tuple[inspect_sizes.Checkpoint | None, str]:
    """(the checkpoint, "") or (None, why it cannot be read)."""
    from tensorwright.python.framework import errors

    try:
        return inspect_sizes.Checkpoint.read(prefix), ""
    except (errors.OpError, TypeError, ValueError) as error:
        return None, getattr(error, "message", None) or str(error)


# ---- As data.


def described(subject: Subject) -> dict[str, Any]:
    """All of the report; the docstring of this module says what it has."""
    file = subject.file
    return {
        "format": FORMAT,
        "path": os.fspath(subject.path),
        "kind": "checkpoint" if file is None else file.kind,
        "is_text": file is not None and file.is_text,
        "bytes": None if file is None else file.size,
        "checkpoint": _described_checkpoint(subject),
        "graphs": [_graph(it) for it in subject.graphs],
    }


def _described_checkpoint(subject: Subject) -> dict[str, Any] | None:
    values = subject.checkpoint
    if values is None:
        return {"error": subject.checkpoint_error} if subject.checkpoint_error else None
    tensors = [
        {
            "name": name,
            "dtype": values.dtypes[name],
            "shape": list(shape),
            "bytes": values.size(name),
        }
        for name, shape in sorted(values.shapes.items())
    ]
    total = sum(tensor["bytes"] or 0 for tensor in tensors)
    return {"path": values.path, "bytes": total, "tensors": tensors}


def _graph(it: inspect_graph.Inspected) -> dict[str, Any]:
    info = None if it.meta is None else it.meta.meta_info_def
    use = inspect_policy.for_use(it)
    variables = [_variable(variable) for variable in it.variables]
    return {
        "tags": [] if info is None else sorted(info.tags),
        "made_by": graph_file.made_by(it.version, it.graph),
        "version": it.version,
        "producer": it.producer,
        "min_consumer": it.graph.versions.min_consumer,
        "nodes": len(it.body.nodes),
        "function_nodes": it.node_count - len(it.body.nodes),
        "functions": [
            {
                "name": b.function,
                "nodes": len(b.nodes),
                "called_by": _caller(it.calls.caller(b.function)),
            }
            for b in it.bodies[1:]
        ],
        "call_depth": it.calls.depth,
        "risks": [
            {
                "level": f.level,
                "kind": f.kind,
                "text": f.text,
                "nodes": _nodes(f.places),
            }
            for f in inspect_risks.findings(it)
        ],
        "policy": {
            "all": _policy(inspect_policy.for_all(it)),
            "use": None if use is None else _policy(use),
        },
        "capabilities": {kind: _nodes(places) for kind, places in it.places.items()},
        "files": [_file(use) for use in it.uses],
        "ops": _ops(it),
        "unknown_ops": [
            {k: v for k, v in u.items() if k != "places"} for u in it.unknown_ops
        ],
        "constants": [_constant(constant) for constant in it.constants],
        "variables": variables,
        "not_in_graph": it.not_in_graph,
        "assets": _assets(it),
        "signatures": _signatures(it),
    }


def _nodes(places: list[inspect_needs.Place]) -> list[dict[str, str]]:
    return [dataclasses.asdict(place) for place in places]


def _caller(found: tuple[str, str] | None) -> dict[str, str] | None:
    return None if found is None else {"function": found[0], "node": found[1]}


def _node(node: str, op: str, function: str) -> dict[str, str]:
    return {"node": node, "op": op, "function": function}


def _policy(made: inspect_policy.Smallest) -> dict[str, Any]:
    return {"code": made.code, **dataclasses.asdict(made)}


def _file(use: graph_bodies.FileUse) -> dict[str, Any]:
    return {
        "touches": list(use.touches),
        "file": use.file,
        "is_prefix": use.has_parts,
        "node": _node(use.node.name, use.node.op, use.function),
    }


def _ops(it: inspect_graph.Inspected) -> list[dict[str, Any]]:
    """Ops and called functions with the number of their nodes, those that may do most first."""
    counts: dict[str, int] = {}
    for body in it.bodies:
        for node in body.nodes:
            counts[node.op] = counts.get(node.op, 0) + 1
    found = []
    for op, count in counts.items():
        data = None if op in it.functions else it.known.get(op)
        found.append(
            {
                "op": op,
                "count": count,
                "touches": [] if data is None else list(data["touches"]),
                "needs": [] if data is None else list(data["needs"]),
                "library": "" if data is None else data["library"],
                "is_function": op in it.functions,
                "is_known": data is not None,
            }
        )
    return sorted(
        found, key=lambda o: (not o["touches"], not o["needs"], -o["count"], o["op"])
    )


def _constant(found: inspect_sizes.Constant) -> dict[str, Any]:
    return {
        "node": _node(found.node, "", found.function),
        "attr": found.attr,
        "dtype": found.dtype,
        "shape": found.shape,
        "bytes": found.size,
        "stored": found.stored,
        "fault": found.fault,
    }


def _variable(found: inspect_sizes.Variable) -> dict[str, Any]:
    return {
        "node": _node(found.node, "", found.function),
        "dtype": found.dtype,
        "shape": found.shape,
        "bytes": found.size,
        "key": found.key,
        "in_checkpoint": found.in_checkpoint,
    }


def _assets(it: inspect_graph.Inspected) -> list[dict[str, Any]]:
    if it.meta is None:
        return []
    folder = it.path if it.path.is_dir() else it.path.parent
    return [
        {
            "file": asset.filename,
            "tensor": asset.tensor_info.name,
            "exists": doctor_graph.exists(folder / "assets" / asset.filename),
        }
        for asset in it.meta.asset_file_def
    ]


def _signatures(it: inspect_graph.Inspected) -> list[dict[str, Any]]:
    if it.meta is None:
        return []
    found = []
    for purpose in it.purposes:
        if purpose.name not in it.meta.signature_def:
            continue
        signature = it.meta.signature_def[purpose.name]
        kinds = [
            kind for kind, places in it.places.items() if any(map(purpose.has, places))
        ]
        found.append(
            {
                "name": purpose.name,
                "method": signature.method_name,
                "inputs": _tensors(signature.inputs),
                "outputs": _tensors(signature.outputs),
                "capabilities": kinds,
            }
        )
    return found


def _tensors(infos: Any) -> list[dict[str, str]]:
    try:
        rows = saved_model.tensors_of(infos)
    except saved_model.Mistake as error:
        return [{"key": "", "tensor": "", "dtype": "", "shape": str(error)}]
    return [
        {"key": key, "tensor": tensor, "dtype": dtype, "shape": shape}
        for key, (tensor, dtype, shape) in rows.items()
    ]
