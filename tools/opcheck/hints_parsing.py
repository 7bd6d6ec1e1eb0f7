# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of ops that parse text and bytes; see draws.hint."""

from __future__ import annotations

import gzip
import zlib
from typing import Any

import numpy as np
from google.protobuf import json_format

from tensorwright.core.example import example_pb2
from tensorwright.core.framework import tensor_pb2
from tensorwright.python.framework import tensor_util
from tensorwright.tools.opcheck import allowed, signature as sig
from tensorwright.tools.opcheck.draws import Drawer, Unsuitable, hint
from tensorwright.tools.opcheck.hints_string import strings, text

_VALUES = (sig.FLOAT, sig.INT64, sig.STRING)


# Examples. ---------------------------------------------------------------------------------------------------


def _put(d: Drawer, feature: Any, enum: int, n: int) -> None:
    if enum == sig.FLOAT:
        feature.float_list.value.extend(float(x) for x in d.rng.randint(-9, 9, n))
    elif enum == sig.INT64:
        feature.int64_list.value.extend(int(x) for x in d.rng.randint(-99, 99, n))
    else:
        feature.bytes_list.value.extend(d.pick([b"", b"a", b"xyz"]) for _ in range(n))


class _Features:
    """Keys and types of the features of a call."""

    def __init__(self, d: Drawer, sparse: str, dense: str, shapes: str, rows: bool):
        self.d = d
        self.sparse = [d.pick(_VALUES) for _ in range(d.int(0, 2))]
        self.dense = [d.pick(_VALUES) for _ in range(d.int(0, 2))]
        self.shapes = [d.shape(high=2, min_dim=1) for _ in self.dense]
        if not d.large:
            self.shapes = [[min(n, 3) for n in s] for s in self.shapes]
        else:
            self.shapes = [[4] for _ in self.shapes]
        self.rows = [rows and d.chance(0.3) for _ in self.dense]
        d.attrs[sparse], d.attrs[dense] = self.sparse, self.dense
        d.attrs[shapes] = [
            [-1, *s] if r else list(s) for s, r in zip(self.shapes, self.rows)
        ]
        self.sparse_keys = [f"s{i}" for i in range(len(self.sparse))]
        self.dense_keys = [f"d{i}" for i in range(len(self.dense))]
        self.missing = [d.chance(0.5) for _ in self.dense]

    def defaults(self) -> list[np.ndarray]:
        """Empty where an example always has the feature."""
        found = []
        for enum, shape, rows, missing in zip(
            self.dense, self.shapes, self.rows, self.missing
        ):
            size = [] if rows else shape
            found.append(self.d.values(enum, size if missing or rows else [0]))
        return found

    def fill(self, features: Any) -> None:
        d = self.d
        for key, enum in zip(self.sparse_keys, self.sparse):
            if d.chance(0.8):
                _put(d, features.feature[key], enum, d.int(0, 4))
        for key, enum, shape, rows, missing in zip(
            self.dense_keys, self.dense, self.shapes, self.rows, self.missing
        ):
            if (missing or rows) and d.chance(0.3):
                continue
            n = int(np.prod(shape)) * (d.int(0, 3) if rows else 1)
            _put(d, features.feature[key], enum, n)


def _texts(words: list[Any]) -> np.ndarray:
    out = np.empty(len(words), object)
    out[:] = [w if isinstance(w, bytes) else w.encode() for w in words]
    return out


def _scalars(words: list[str]) -> list[np.ndarray]:
    return [text(w.encode()) for w in words]


def _examples(d: Drawer, features: _Features, n: int) -> np.ndarray:
    made = []
    for _ in range(n):
        example = example_pb2.Example()
        features.fill(example.features)
        made.append(example.SerializeToString())
    return _texts(made)


def _batch(d: Drawer) -> int:
    return 2000 if d.large else d.int(0, 4)


def _names(d: Drawer, n: int) -> np.ndarray:
    return _texts([f"n{i}" for i in range(n)] if d.chance(0.4) else [])


@hint("ParseExample")
def _parse_example(d: Drawer):
    f = _Features(d, "sparse_types", "Tdense", "dense_shapes", True)
    d.attrs["Nsparse"], d.attrs["Ndense"] = len(f.sparse), len(f.dense)
    n = _batch(d)
    keys = [_scalars(f.sparse_keys), _scalars(f.dense_keys)]
    return [_examples(d, f, n), _names(d, n), *keys, f.defaults()]


@hint("ParseSingleExample")
def _parse_single_example(d: Drawer):
    f = _Features(d, "sparse_types", "Tdense", "dense_shapes", True)
    d.attrs["num_sparse"] = len(f.sparse)
    d.attrs["sparse_keys"], d.attrs["dense_keys"] = f.sparse_keys, f.dense_keys
    return [_examples(d, f, 1).reshape([]), f.defaults()]


@hint("ParseExampleV2")
def _parse_example_v2(d: Drawer):
    f = _Features(d, "sparse_types", "Tdense", "dense_shapes", True)
    d.attrs["num_sparse"] = len(f.sparse)
    ragged = [d.pick(_VALUES) for _ in range(d.int(0, 2))]
    d.attrs["ragged_value_types"] = ragged
    d.attrs["ragged_split_types"] = [d.pick([sig.INT32, sig.INT64]) for _ in ragged]
    single = not d.large and d.chance(0.3)
    n = 1 if single else _batch(d)
    sparse_keys = _texts(f.sparse_keys)
    # Ragged features are written as sparse ones are.
    f.sparse_keys = f.sparse_keys + [f"r{i}" for i in range(len(ragged))]
    f.sparse = f.sparse + ragged
    serialized = _examples(d, f, n)
    ragged_keys = _texts(f.sparse_keys[len(sparse_keys) :])
    names = _names(d, n)
    return [
        serialized.reshape([]) if single else serialized,
        names,
        sparse_keys,
        _texts(f.dense_keys),
        ragged_keys,
        f.defaults(),
    ]


class _Lists:
    """Keys and types of the feature lists of a call."""

    def __init__(self, d: Drawer):
        self.d = d
        self.sparse = [d.pick(_VALUES) for _ in range(d.int(0, 2))]
        self.dense = [d.pick(_VALUES) for _ in range(d.int(0, 2))]
        self.shapes = [[d.int(1, 3)] * d.int(0, 2) for _ in self.dense]
        self.sparse_keys = [f"ls{i}" for i in range(len(self.sparse))]
        self.dense_keys = [f"ld{i}" for i in range(len(self.dense))]
        self.missing = [key for key in self.dense_keys if d.chance(0.5)]
        d.attrs["feature_list_sparse_types"] = self.sparse
        d.attrs["feature_list_dense_types"] = self.dense
        d.attrs["feature_list_dense_shapes"] = [list(s) for s in self.shapes]
        d.attrs["Nfeature_list_sparse"] = len(self.sparse)
        d.attrs["Nfeature_list_dense"] = len(self.dense)

    def fill(self, lists: Any) -> None:
        d = self.d
        for key, enum in zip(self.sparse_keys, self.sparse):
            if d.chance(0.8):
                frames = lists.feature_list[key]
                frames.SetInParent()
                for _ in range(d.int(0, 3)):
                    _put(d, frames.feature.add(), enum, d.int(0, 3))
        for key, enum, shape in zip(self.dense_keys, self.dense, self.shapes):
            if key in self.missing and d.chance(0.3):
                continue
            frames = lists.feature_list[key]
            frames.SetInParent()
            for _ in range(d.int(0, 3)):
                _put(d, frames.feature.add(), enum, int(np.prod(shape)))


def _sequences(d: Drawer, n: int) -> tuple[_Features, _Lists, np.ndarray]:
    context = _Features(
        d, "context_sparse_types", "Tcontext_dense", "context_dense_shapes", False
    )
    d.attrs["Ncontext_sparse"] = len(context.sparse)
    d.attrs["Ncontext_dense"] = len(context.dense)
    lists = _Lists(d)
    made = []
    for _ in range(n):
        example = example_pb2.SequenceExample()
        context.fill(example.context)
        lists.fill(example.feature_lists)
        made.append(example.SerializeToString())
    return context, lists, _texts(made)


@hint("ParseSingleSequenceExample")
def _parse_single_sequence_example(d: Drawer):
    context, lists, serialized = _sequences(d, 1)
    return [
        serialized.reshape([]),
        _texts(lists.missing),
        _scalars(context.sparse_keys),
        _scalars(context.dense_keys),
        _scalars(lists.sparse_keys),
        _scalars(lists.dense_keys),
        context.defaults(),
        text(b"name"),
    ]


@hint("ParseSequenceExample")
def _parse_sequence_example(d: Drawer):
    n = _batch(d)
    context, lists, serialized = _sequences(d, n)
    d.attrs["feature_list_dense_missing_assumed_empty"] = lists.missing
    d.attrs["context_sparse_keys"] = context.sparse_keys
    d.attrs["context_dense_keys"] = context.dense_keys
    d.attrs["feature_list_sparse_keys"] = lists.sparse_keys
    d.attrs["feature_list_dense_keys"] = lists.dense_keys
    return [serialized, _names(d, n), context.defaults()]


@hint("ParseSequenceExampleV2")
def _parse_sequence_example_v2(d: Drawer):
    context = _Features(
        d, "context_sparse_types", "Tcontext_dense", "context_dense_shapes", False
    )
    d.attrs["Ncontext_sparse"] = len(context.sparse)
    lists = _Lists(d)
    # Ragged features are written as sparse ones are.
    keys = {}
    for features, attr in ((context, "context_ragged"), (lists, "feature_list_ragged")):
        types = [d.pick(_VALUES) for _ in range(d.int(0, 2))]
        d.attrs[f"{attr}_value_types"] = types
        d.attrs[f"{attr}_split_types"] = [d.pick([sig.INT32, sig.INT64]) for _ in types]
        ragged = [f"r{i}" for i in range(len(types))]
        keys[attr] = (_texts(features.sparse_keys), _texts(ragged))
        features.sparse_keys = features.sparse_keys + ragged
        features.sparse = features.sparse + types
    single = not d.large and d.chance(0.3)
    n = 1 if single else _batch(d)
    made = []
    for _ in range(n):
        example = example_pb2.SequenceExample()
        context.fill(example.context)
        lists.fill(example.feature_lists)
        made.append(example.SerializeToString())
    serialized = _texts(made)
    return [
        serialized.reshape([]) if single else serialized,
        _names(d, n),
        keys["context_ragged"][0],
        _texts(context.dense_keys),
        keys["context_ragged"][1],
        keys["feature_list_ragged"][0],
        _texts(lists.dense_keys),
        keys["feature_list_ragged"][1],
        np.array([key in lists.missing for key in lists.dense_keys], bool),
        context.defaults(),
    ]


@hint("DecodeJSONExample")
def _decode_json_example(d: Drawer):
    def one() -> str:
        example = example_pb2.Example()
        for key in ("a", "b")[: d.int(0, 1)]:
            _put(d, example.features.feature[key], d.pick(_VALUES), d.int(0, 3))
        return json_format.MessageToJson(example)

    words = [one().encode() for _ in range(4)]
    # One takes as long as hundreds of elements of other ops.
    return [strings(d, [100] if d.large else d.shape(high=2), words)]


# Text and bytes. ---------------------------------------------------------------------------------------------


@hint("DecodeCSV")
def _decode_csv(d: Drawer):
    d.attrs["field_delim"] = d.pick([",", "\t", ";"])
    d.attrs["na_value"] = d.pick(["", "NA"])
    types = d.attrs["OUT_TYPE"]
    columns = len(types) + (d.int(0, 2) if d.chance(0.3) else 0)
    chosen = sorted(d.rng.permutation(columns)[: len(types)].tolist())
    d.attrs["select_cols"] = [] if columns == len(types) else chosen

    def field(enum: int) -> str:
        if d.chance(0.2):
            return d["na_value"]
        if enum == sig.STRING:
            quoted = d["use_quote_delim"] and d.chance(0.5)
            return '"a ""b"",\n"' if quoted else d.pick(["x", "yz", " w "])
        if enum in (sig.INT32, sig.INT64):
            return str(d.int(-99, 99))
        return d.pick(["1.5", "-2", "1e3", "inf"])

    def line() -> bytes:
        at = dict(zip(chosen, types))
        fields = [field(at.get(i, sig.STRING)) for i in range(columns)]
        return (d["field_delim"].join(fields) or "0").encode()

    defaults = [d.values(t, [] if d.chance(0.3) else [1]) for t in types]
    lines = [line() for _ in range(5)]
    if any(line == b"0" for line in lines):
        raise Unsuitable("a line of one empty field is no line")
    return [strings(d, d.shape(high=3), lines), defaults]


@hint("DecodeRaw")
def _decode_raw(d: Drawer):
    shape = d.shape(high=3)
    n = sig.numpy_type(d["out_type"]).itemsize * d.int(0, 3)
    top = 2 if d["out_type"] == sig.BOOL else 64
    words = [bytes(d.rng.randint(0, top, n).astype(np.uint8)) for _ in range(4)]
    return [strings(d, shape, words)]


@hint("DecodePaddedRaw")
def _decode_padded_raw(d: Drawer):
    n = sig.numpy_type(d["out_type"]).itemsize * d.int(1, 3)
    words = [
        bytes(d.rng.randint(0, 64, d.int(0, 20)).astype(np.uint8)) for _ in range(4)
    ]
    return [strings(d, d.shape(high=3), words), d.array(sig.INT32, n)]


@hint("DecodeCompressed")
def _decode_compressed(d: Drawer):
    kind = d.attrs["compression_type"] = d.pick(["", "ZLIB", "GZIP"])
    pack = {"": bytes, "ZLIB": zlib.compress, "GZIP": gzip.compress}[kind]
    words = [pack(b"ab" * d.int(0, 50)) for _ in range(3)]
    return [strings(d, d.shape(high=2), words)]


@hint("ParseTensor")
def _parse_tensor(d: Drawer):
    if d["out_type"] in (sig.RESOURCE, sig.VARIANT):
        raise Unsuitable("nothing serializes such")
    value = d.values("out_type", d.shape(high=3))
    proto = tensor_util.make_tensor_proto(value, dtype=d["out_type"])
    assert isinstance(proto, tensor_pb2.TensorProto)
    return [text(proto.SerializeToString())]


@hint("StringToNumber")
def _string_to_number(d: Drawer):
    whole = d["out_type"] not in (sig.FLOAT, sig.DOUBLE)
    words = [b"1", b"0", b" 42 ", b"+7"] if whole else [b"1.5", b"-2e3", b"inf", b".5"]
    return [strings(d, d.shape(), words)]


allowed.allow(
    allowed.THREADS,
    ["ParseSingleExample", "ParseSingleSequenceExample"],
    "one thread parses an example",
)
allowed.allow(
    allowed.THREADS, "DecodeJSONExample", "so many elements take too long to parse"
)
allowed.allow(allowed.SHAPE, "ParseTensor", "the proto has the shape")
