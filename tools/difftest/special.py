# SPDX-License-Identifier: Apache-2.0
"""Calls that are not drawn: of ops whose gradients need more than one node, and of ops that no drawn value can feed.

`requests` are pairs of what to run here and in TensorFlow.  `stand_in` is what TensorFlow runs instead of an op that it
has not any more, or still lists but cannot run.  `invariant` is what is differentiated of vectors that have no one sign.
"""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from tensorwright.tools.difftest import array_graphs
from tensorwright.tools.opcheck import graphs, signature as sig, wire
from tensorwright.tools.opcheck.draws import Case

# Op -> the programs (programs.py) that have it.
_PROGRAMS: dict[str, tuple[str, ...]] = {
    "DeleteSessionTensor": ("session_tensor",),
    "Enter": ("power_loop", "nested_loop"),
    "Exit": ("power_loop", "nested_loop"),
    "GetSessionTensor": ("session_tensor",),
    "LoopCond": ("power_loop", "branch_in_loop"),
    "Merge": ("branch", "branch_in_loop", "power_loop"),
    "NextIteration": ("power_loop", "nested_loop", "array_in_loop"),
    "PyFunc": ("python_function",),
    "PyFuncStateless": ("python_function",),
    "ReadVariableOp": ("resource_variable",),
    "ResourceGather": ("resource_rows",),
    "ResourceGatherNd": ("resource_rows",),
    "Switch": ("branch", "branch_in_loop", "power_loop"),
    "TensorArrayGatherV3": ("array_in_loop",),
    "TensorArrayReadV3": ("array_in_loop",),
    "TensorArrayScatterV3": ("array_in_loop",),
    "TensorArrayWriteV3": ("array_in_loop",),
}
# Op -> the pipeline (programs_data.py) that has it.  TensorFlow 2.21 may write it with another op, of a later version.
_PIPELINES: dict[str, str] = {
    "AssertCardinalityDataset": "assert_cardinality",
    "BatchDatasetV2": "batch",
    "CacheDataset": "cache",
    "ConcatenateDataset": "concatenate",
    "DatasetCardinality": "cardinality",
    "DatasetToSingleElement": "get_single_element",
    "DenseToSparseBatchDataset": "dense_to_sparse_batch",
    "DirectedInterleaveDataset": "choose_from_datasets",
    "FilterDataset": "filter",
    "FlatMapDataset": "flat_map",
    "GroupByWindowDataset": "group_by_window",
    "InterleaveDataset": "interleave",
    "IteratorGetNext": "take",
    "IteratorGetNextAsOptional": "get_next_as_optional",
    "IteratorV2": "repeat",
    "MakeIterator": "skip",
    "MapDataset": "enumerate",
    "OptionalGetValue": "get_next_as_optional",
    "OptionalHasValue": "get_next_as_optional",
    "LoadDataset": "save_and_load",
    "OptionsDataset": "options",
    "PaddedBatchDatasetV2": "padded_batch",
    "ParallelBatchDataset": "batch",
    "ParallelInterleaveDatasetV4": "interleave",
    "ParallelMapDatasetV2": "map",
    "PrefetchDataset": "prefetch",
    "RandomDataset": "random",
    "ReduceDataset": "reduce",
    "RepeatDataset": "repeat",
    "SaveDataset": "save_and_load",
    "ScanDataset": "scan",
    "ShardDataset": "shard",
    "ShuffleAndRepeatDataset": "shuffle_and_repeat",
    "ShuffleDataset": "shuffle",
    "SkipDataset": "skip",
    "SnapshotDatasetV2": "snapshot",
    "SparseTensorSliceDataset": "sparse_tensor_slices",
    "TakeDataset": "take",
    "TakeWhileDataset": "take_while",
    "TensorSliceDataset": "sample_from_datasets",
    "TensorDataset": "flat_map",
    "UnbatchDataset": "batch",
    "UniqueDataset": "unique",
    "WindowDataset": "window",
    "ZipDataset": "zip",
}
Pair = tuple[dict[str, Any], dict[str, Any]]


def requests(op: str, seed: int) -> list[Pair]:
    """Returns pairs of requests to run, here and in TensorFlow; none for most ops."""
    found: list[Pair] = []
    for name in _PROGRAMS.get(op, ()):
        request = {"program": name, "seed": seed % (1 << 32)}
        found.append((request, request))
    if op in _PIPELINES:
        name = f"data_{_PIPELINES[op]}"
        found.append(_same({"program": name, "seed": seed % (1 << 32)}))
    if op in ("RefIdentity", "RefMerge", "RefSwitch"):
        found.append(_same(_reference(op, seed)))
    if op == "ImmutableConst":
        found.append(_same(_file(seed)))
    return found + array_graphs.graphs_of(op, seed)


def _same(graph: dict[str, Any]) -> Pair:
    return graph, graph


class _Graph:
    """A GraphDef that is written node by node."""

    def __init__(self) -> None:
        from tensorwright.core.framework import graph_pb2

        self.definition = graph_pb2.GraphDef()
        self.definition.versions.producer = 24

    def node(self, op: str, name: str, inputs: list[str], **attrs: Any) -> Any:
        """A node; of its attrs, ints are types."""
        node = self.definition.node.add(op=op, name=name)
        node.input.extend(inputs)
        for key, value in attrs.items():
            kinds = {bool: "bool", int: "type", str: "string", list: "shape"}
            graphs.set_attr(node.attr[key], kinds[type(value)], value)
        return node

    def constant(self, name: str, value: Any, enum: int) -> str:
        node = self.node("Const", name, [], dtype=enum)
        node.attr["value"].tensor.CopyFrom(graphs.tensor_proto(value, enum))
        return name

    def request(
        self, fetches: list[str], xs: list[str], feeds: dict[str, wire.Array]
    ) -> dict[str, Any]:
        return {
            "def": self.definition.SerializeToString(),
            "feeds": list(feeds),
            "fetches": fetches,
            "sets": [list(feeds.values())],
            "xs": xs,
            "threads": 0,
        }


def _reference(op: str, seed: int) -> dict[str, Any]:
    """A variable that goes through the op, differentiated by it."""
    rng = np.random.RandomState(seed % (1 << 32))
    enum = (sig.FLOAT, sig.DOUBLE)[rng.randint(2)]
    g = _Graph()
    g.node("Placeholder", "start", [], dtype=enum, shape=[3])
    g.node("VariableV2", "variable", [], dtype=enum, shape=[3])
    g.node("Assign", "assign", ["variable", "start"], T=enum)
    inputs = ["variable", "^assign"]
    if op == "RefSwitch":
        g.constant("side", np.bool_(rng.randint(2)), sig.BOOL)
        inputs.insert(1, "side")
    node = g.node(op, "op", inputs, T=enum)
    through = "op:0"
    if op == "RefMerge":
        node.attr["N"].i = 1
    if op == "RefSwitch":
        through = "merged:0"
        merged = g.node("RefMerge", "merged", ["op:0", "op:1"], T=enum)
        merged.attr["N"].i = 2
    g.node("Square", "value", [through], T=enum)
    start = rng.normal(size=3).astype(sig.numpy_type(enum))
    feeds = {"start:0": wire.encode(start, enum)}
    return g.request(["value:0"], ["variable:0"], feeds)


def _file(seed: int) -> dict[str, Any]:
    """A constant that is mapped from a file, which stays while the process lives."""
    rng = np.random.RandomState(seed % (1 << 32))
    enum = (sig.FLOAT, sig.DOUBLE, sig.INT32, 4)[rng.randint(4)]
    shape = [int(n) for n in rng.randint(0, 5, rng.randint(4))]
    value = rng.randint(0, 100, shape).astype(sig.numpy_type(enum))
    # A region without bytes cannot be mapped.
    content = value.tobytes() or b"\0"
    path = os.path.join(_folder(), f"{seed}.bin")
    with open(path, "wb") as file:
        file.write(content)
    g = _Graph()
    g.node("ImmutableConst", "op", [], dtype=enum, shape=shape, memory_region_name=path)
    return g.request(["op:0"], [], {})


_made: list[tempfile.TemporaryDirectory[str]] = []


def _folder() -> str:
    if not _made:
        _made.append(tempfile.TemporaryDirectory(prefix="difftest"))
    return _made[0].name


def pointless(case: Case) -> bool:
    """Whether a comparison of the call proves nothing, so that it is not made.

    TensorFlow reads dense integers to be hashed in crosses as if they were strings, what is left of infinite complex
    numbers depends on the order of products, codes of a range without an end stand for nothing, and a negative variance
    has no root.
    """
    if case.op == "QuantizedBatchNormWithGlobalNormalization":
        if (case.inputs[7] < 0).any():
            return True
        ends = [x for x in case.inputs if x.dtype == np.float32]
        return not np.isfinite(np.concatenate([x.ravel() for x in ends])).all() or not (
            np.isfinite(np.float32(case.attrs["variance_epsilon"]))
        )
    if case.op == "SparseCrossHashed":
        return sig.INT64 in case.attrs["dense_types"]
    if "CenteredRMSProp" in case.op and case.attrs["T"] in sig.COMPLEXES:
        return not all(np.isfinite(x).all() for x in case.inputs[4:8])
    return False


def deadly(case: Case) -> bool:
    """Says whether TensorFlow dies of a call, or never ends, so that the call is not made.

    TensorFlow divides by an empty depth, waits for a sum of gaps to exceed NaN, subtracts turns of a hue one by one,
    writes texts of gigabytes for longer than anybody waits, or has no memory for them.
    """
    if case.op == "AsString":
        return max(case.attrs["width"], case.attrs["precision"]) > 1 << 24
    if case.op == "AdjustHue":
        return bool((~(np.abs(np.float32(case.inputs[1])) < 1e6)).any())
    if case.op == "StatelessRandomBinomial":
        # A call that is made wrong may have strings.
        numbers = [x for x in case.inputs[2:] if x.dtype != object]
        return any(np.isnan(x.astype(np.float64)).any() for x in numbers)
    if not case.op.startswith("BatchNormWithGlobalNormalization"):
        return False
    return any(np.shape(x)[-1:] == (0,) for x in case.inputs)


def drawn_anew(case: Case) -> bool:
    """Whether TensorFlow draws numbers that a call does not fix: its values are not compared.

    Adaptive coordinate ascent draws which of several examples it takes.
    """
    return (
        case.op == "SdcaOptimizer"
        and bool(case.attrs["adaptative"])
        and np.size(case.inputs[4]) > 1
    )


# TensorFlow's stand-ins. -------------------------------------------------------------------------------------


# Stand-ins that are other ops: only their values are compared.
VALUES_ONLY = frozenset({"TileGrad"})
# Ops that TensorFlow 2.21 has by another name alone.
RENAMED = {
    f"Batch{name}": name
    for name in ("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D")
}


def stand_in(case: Case, graph: dict[str, Any]) -> dict[str, Any]:
    """Returns a call's graph with an op that TensorFlow 2.21 can run in place of "op"; most stay as they are."""
    replace = {
        "TopK": _top_k,
        "TileGrad": _tile_grad,
        "UnicodeDecodeWithOffsets": _unicode_decode,
    }.get(case.op)
    if case.op in RENAMED:
        replace = _rename
    if replace is None:
        return graph
    g = _Graph()
    g.definition.ParseFromString(graph["def"])
    op = next(n for n in g.definition.node if n.name == "op")
    replace(g, op, case)
    return {**graph, "def": g.definition.SerializeToString()}


def _rename(g: _Graph, op: Any, case: Case) -> None:
    op.op = RENAMED[case.op]


def _top_k(g: _Graph, op: Any, case: Case) -> None:
    """Its kernel asks for an attr that the op does not have; the second version has k for an input."""
    k = case.attrs["k"]
    if not -(1 << 31) <= k < 1 << 31:
        return
    g.constant("k", np.int32(k), sig.INT32)
    op.op = "TopKV2"
    op.input.append("k")
    del op.attr["k"]


def _tile_grad(g: _Graph, op: Any, case: Case) -> None:
    """As above; it computes the sum over the repeated parts."""
    dy, multiples = case.inputs
    fits = multiples.ndim == 1 and multiples.size == dy.ndim and dy.ndim > 0
    if not fits or (multiples <= 0).any() or any(np.array(dy.shape) % multiples):
        return
    split = [[m, s // m] for s, m in zip(dy.shape, multiples.tolist())]
    enum = case.types[0]
    g.constant("split", np.array(split, np.int32).reshape(-1), sig.INT32)
    g.constant("axes", np.arange(0, 2 * dy.ndim, 2, dtype=np.int32), sig.INT32)
    source = op.input[0]
    # The referee widens it with the first input.
    g.node("Reshape", "around0", [source, "split"], T=enum, Tshape=sig.INT32)
    op.op = "Sum"
    del op.input[:]
    op.input.extend(["around0", "axes"])
    op.attr.clear()
    for name, value in (("T", enum), ("Tidx", sig.INT32)):
        op.attr[name].type = value
    op.attr["keep_dims"].b = False


def _unicode_decode(g: _Graph, op: Any, case: Case) -> None:
    """Its kernel fits splits of 64 bits alone, and ends the process where others are asked for: these are cast."""
    if case.attrs["Tsplits"] != sig.INT32:
        return
    op.name = "wide"
    op.attr["Tsplits"].type = sig.INT64
    g.node("Cast", "splits", ["wide"], SrcT=sig.INT64, DstT=sig.INT32)
    last = g.node("IdentityN", "op", ["splits", "wide:1", "wide:2"])
    last.attr["T"].list.type.extend([sig.INT32, sig.INT32, sig.INT64])


# Gradients. --------------------------------------------------------------------------------------------------


# Ops whose outputs after the first are vectors: the attr that asks for them.
_VECTORS = {"SelfAdjointEigV2": "compute_v", "Svd": "compute_uv"}


def invariant(case: Case, graph: dict[str, Any]) -> dict[str, Any]:
    """Returns the graph for a call's gradient, with outputs that both libraries have alike; most stay as they are.

    An eigenvector or singular vector may be turned by a number of size 1: the squares of its elements' sizes stand for
    it.  In a call made wrong, equal values may have any vectors: it is not differentiated.  Nor is a gradient of batch
    norm in training that is given other moments than its batch has, which TensorFlow then takes.
    """
    if case.op.startswith("FusedBatchNormGrad") and _other_moments(case):
        return {**graph, "xs": []}
    asks = _VECTORS.get(case.op)
    if asks is None:
        return graph
    if getattr(case, "words", "") or _any_vectors(case):
        return {**graph, "xs": []}
    if not case.attrs[asks]:
        return {**graph, "fetches": graph["fetches"][:1]}
    g = _Graph()
    g.definition.ParseFromString(graph["def"])
    enum = case.attrs["T"]
    fetches = graph["fetches"][:1]
    for i in range(1, len(graph["fetches"])):
        other = f"op:{i}"
        if enum in sig.COMPLEXES:
            other = g.node("Conj", f"turned{i}", [other], T=enum).name
        g.node("Mul", f"size{i}", [f"op:{i}", other], T=enum)
        fetches.append(f"size{i}:0")
    return {**graph, "def": g.definition.SerializeToString(), "fetches": fetches}


def _other_moments(case: Case) -> bool:
    """Are the moments finite, and none of x?"""
    x, means = case.inputs[1].astype(np.float64), case.inputs[3]
    if not case.attrs["is_training"] or x.ndim != 4 or means.ndim != 1:
        return False
    axes = (0, 1, 2) if case.attrs["data_format"] == "NHWC" else (0, 2, 3)
    if not x.size or means.shape != x.mean(axes).shape or not np.isfinite(means).all():
        return False
    return not np.allclose(means, x.mean(axes), rtol=1e-3, atol=1e-3)


def _any_vectors(case: Case) -> bool:
    """Says whether vectors may differ that the matrix does not determine."""
    *_, rows, columns = case.inputs[0].shape
    return bool(case.attrs.get("full_matrices")) and abs(rows - columns) > 1
