# SPDX-License-Identifier: Apache-2.0
"""Calls that are made beside the draws: they show differences that are explained and seldom drawn."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest.examples import call
from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import Case
from tensorwright.tools.opcheck.signature import Arg, Signature

_NAN, _INF, _MOST = np.nan, np.inf, (1 << 31) - 1
_QINT8, _QUINT8, _QINT32 = 11, 12, 13
_RANGE, _PAIR = np.float32([0, 1]), np.uint8([1, 2])
_PIXEL = np.ones([1, 1, 1, 1], np.float32)
_IMAGE = np.float32(np.arange(16) % 5).reshape(1, 2, 2, 4)
_POOL = {"ksize": [1, 1, 1, 1], "padding": "VALID"}
# Vectors of numbers are divided in another way than the last few.
_OVER_INFINITY = np.complex64(
    [complex(_INF, 1), complex(1, _INF), complex(_INF, _INF), complex(-_INF, -1)]
)


def _labelled(*labels: int) -> list[np.ndarray]:
    """Inputs of a CTCLoss of one row and three classes, the last of which is the blank."""
    indices = np.array([[0, i] for i in range(len(labels))], np.int64).reshape(-1, 2)
    logits = np.zeros([3, 1, 3], np.float32)
    return [logits, indices, np.int32(labels), np.int32([3])]


def _known(op: str, *inputs: np.ndarray, **attrs: object) -> Case:
    """A call whose shapes are known while its graph is built, as seeds decide."""
    case = call(op, *inputs, **attrs)
    case.seed = 6
    return case


def _without_gradient(op: str, *inputs: np.ndarray, **attrs: object) -> Case:
    """A call that is not differentiated."""
    case = call(op, *inputs, **attrs)
    case.seed = 1
    return case


_CALLS = [
    call("AdjustSaturation", _PIXEL * np.float32([0.5, 1, 2]), np.float32(_NAN)),
    call("AsString", np.float32([1]), precision=1 << 20),
    call("CTCLoss", *_labelled()),
    _without_gradient("CTCLoss", *_labelled(2)),
    call("Dilation2D", np.zeros([1, 1, 2, 1]), np.float64([[[_NAN], [0]]]),
        strides=[1] * 4, rates=[1] * 4, padding="VALID"),
    call("Div", np.ones_like(_OVER_INFINITY), _OVER_INFINITY),
    call("DynamicStitch", [np.int32([_MOST])], [np.zeros([1, 0], np.float32)]),
    call("FakeQuantWithMinMaxVarsGradient", *np.float32([[2, 1], [2, 1]]), *np.float32([_INF, 1])),
    call("FusedBatchNormGrad", 0 * _IMAGE + 1, _IMAGE, np.ones(4, np.float32), _IMAGE.mean((0, 1, 2)), _IMAGE.var((0, 1, 2)),
        is_training=True, data_format="NHWC", epsilon=1e-3),
    call("FusedBatchNormGrad", _IMAGE + 1, _IMAGE, np.ones(4, np.float32), _IMAGE.mean((0, 1, 2)), np.float32([_INF] * 4),
        is_training=True, data_format="NHWC", epsilon=1e-3),
    _known("FusedPadConv2D", _PIXEL[:0], np.zeros([4, 2], np.int32), _PIXEL, mode="REFLECT", strides=[1] * 4, padding="VALID"),
    call("GatherNd", np.float32([1, 2]), np.int32([1])),
    call("GatherNd", np.float32(3), np.zeros([2, 0], np.int64)),
    call("Igamma", np.float32([1]), np.float32([0])),
    call("LRN", np.float32([[[[_INF, 1]]]]), beta=0.5),
    call("LowerBound", np.int32([[2, 9, 1, 7, 3, 8]]), np.int32([[2, 5, 8]])),
    _known("MatrixSolveLs", np.eye(2, dtype=np.float32), np.ones([2, 2], np.float32), np.float64(_INF)),
    call("MaxPoolWithArgmax", np.zeros([0, 2, 2, 1], np.float32), strides=[1] * 4, **_POOL),
    call("MaxPoolWithArgmax", _PIXEL, strides=[1, 1, 1, 2], **_POOL),
    call("ParameterizedTruncatedNormal", np.int32([4, 64]), *[np.full(4, x, np.float16) for x in (3, 1, 2.8, 3.7)],
        seed=16, seed2=18),
    call("QuantizedBatchNormWithGlobalNormalization", np.arange(4, dtype=np.uint8).reshape(1, 1, 2, 2), *np.float32([0, _NAN]),
        *[_PAIR, *_RANGE] * 4, types=[_QUINT8, sig.FLOAT, sig.FLOAT] * 5, out_type=_QINT32,
        variance_epsilon=0.1, scale_after_normalization=True),
    call("QuantizedConv2D", np.zeros([0, 2, 2, 1], np.uint8), np.zeros([1, 1, 1, 1], np.uint8), *_RANGE, *_RANGE,
        types=[_QUINT8, _QUINT8, *[sig.FLOAT] * 4], strides=[1] * 4, padding="VALID"),
    call("RandomCrop", np.ones([1, 1, 1], np.float32), np.int64([1 << 62, 1])),
    call("ReadFile", np.array(b"\xff", object)),
    call("ReadFile", np.array(b"abc\0b", object)),
    call("Requantize", np.int32([5, 6]), *np.float32([-1, 1, -_INF, 1]), types=[_QINT32, *[sig.FLOAT] * 4],
        out_type=_QINT8),
    call("SelfAdjointEigV2", np.diag([1.0, _NAN])),
    call("Skipgram", filename=b"\xff", window_size=5, batch_size=1, min_count=1),
    call("SparseSplit", np.int64(0), np.int64([[0]]), np.float32([1]), np.int64([1 << 31]), num_split=3),
    call("TopKV2", np.float32([[3, _NAN, 2]]), np.int32(2)),
    call("TridiagonalSolve", np.array([[0], [0], [0]], np.complex128), np.array([[1j]]), partial_pivoting=False),
    call("UnsortedSegmentJoin", np.array([[b"a"]], object), np.zeros([1, 1, 1], np.int32), np.int32(1)),
]  # fmt: skip


def _enums(arg: Arg, enum: int | list[int]) -> list[int]:
    return enum if isinstance(enum, list) else [enum]


def _filled(case: Case) -> Case:
    """Adds the attrs that the inputs of a call say, and the defaults of the others."""
    signature = Signature(case.op)
    for arg, enum in zip(signature.inputs, case.types):
        if arg.type_attr:
            case.attrs.setdefault(arg.type_attr, _enums(arg, enum)[0])
        if arg.number_attr:
            case.attrs.setdefault(arg.number_attr, len(_enums(arg, enum)))
    for name, attr in signature.attrs.items():
        if name not in case.attrs and attr.HasField("default_value"):
            case.attrs[name] = _plain(attr.default_value)
    case.words = "chosen"  # type: ignore[attr-defined]
    return case


def _plain(value: object) -> object:
    kind = value.WhichOneof("value")  # type: ignore[attr-defined]
    found = getattr(value, kind)
    if kind != "list":
        return found.decode(errors="surrogateescape") if kind == "s" else found
    for part in ("i", "f", "b", "type", "s"):
        if len(getattr(found, part)):
            return list(getattr(found, part))
    return []


def calls(op: str) -> list[Case]:
    """The calls of an op."""
    return [_filled(c) for c in _CALLS if c.op == op]
