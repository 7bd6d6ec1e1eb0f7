# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of calls made wrong and of numbers beyond all bounds, whatever the family."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    PEER_DIED,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.expected_dilation import gradient as dilated
from tensorwright.tools.difftest.explanation import (
    Explanation,
    both,
    call,
    gave,
    ours_is,
    refused,
    upstream,
)

_RANGES = {
    "qint8": (-(2**7), 2**7 - 1),
    "quint8": (0, 2**8 - 1),
    "qint16": (-(2**15), 2**15 - 1),
    "quint16": (0, 2**16 - 1),
    "qint32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
}


def _has_nan(index: int):
    return lambda d: bool(np.isnan(np.asarray(d.input(index), np.float64)).any())


def _beyond_range(d: Difference) -> np.ndarray:
    """Where the number to be cast is none of the codes, and ours its lower bits; 0 where it has more than 31."""
    low, high = _RANGES[d.dtype]
    x = np.trunc(np.real(d.input(0)[d.arrays.far]).astype(np.float64))  # type: ignore[union-attr]
    beyond = ~((x >= low) & (x <= high))
    fits = np.abs(x) < 2.0**62
    bits = np.where(fits, x, 0).astype(np.int64) % (high - low + 1)
    bits = np.where(bits > high, bits - (high - low + 1), bits)
    a = d.arrays.a.astype(np.int64)  # type: ignore[union-attr]
    return beyond & ((a == bits) | (a == 0) & ~(np.abs(x) < 2.0**31))


def _solved(d: Difference) -> np.ndarray:
    """MatrixSolveLs's derivative by its matrix, in double precision."""
    a, b = (d.input(i).astype(np.complex128) for i in (0, 1))
    g = upstream(d.outputs[0][0]).astype(np.complex128)
    ah = np.conj(np.swapaxes(a, -1, -2))
    size = min(a.shape[-2:])
    ridge = float(d.input(2)) * np.eye(size)

    def h(x: np.ndarray) -> np.ndarray:
        return np.conj(np.swapaxes(x, -1, -2))

    if a.shape[-2] >= a.shape[-1]:
        inverse = np.linalg.inv(ah @ a + ridge)
        x, z = inverse @ ah @ b, inverse @ g
        return (b - a @ x) @ h(z) - a @ z @ h(x)
    inverse = np.linalg.inv(a @ ah + ridge)
    y, z = inverse @ b, inverse @ a @ g
    return y @ h(g - ah @ z) - z @ h(ah @ y)


def _of_its_size(d: Difference) -> np.ndarray:
    """Singular values that are as near as rounding the largest one allows."""
    assert d.arrays is not None and d.arrays.ours is not None
    ours = compare.widest(d.arrays.ours).real
    x = d.input(0).astype(np.complex128)
    finite = np.isfinite(x).all((-1, -2))[..., None]
    right = np.linalg.svd(np.where(finite[..., None], x, 0), compute_uv=False)
    epsilon = 1e-5 if d.dtype in ("float32", "complex64") else 1e-13
    unit = epsilon * right.max(-1, keepdims=True, initial=0)
    near = ((np.abs(ours - right) <= unit) & (ours >= 0)).all(-1, keepdims=True)
    near = near & finite
    near = near & (np.abs(ours - compare.widest(d.arrays.theirs).real) <= 4 * unit)  # type: ignore[arg-type]
    return near[d.arrays.far]


def _dilates(d: Difference) -> bool:
    """All of our gradient is right: what went to one place is missing at another."""
    assert d.arrays is not None and d.arrays.ours is not None
    tolerance = 8 * compare.TOLERANCE[d.enum]
    return bool(compare.close(d.arrays.ours, dilated(d), tolerance).all())


def _without_solution(d: Difference) -> np.ndarray:
    """Solutions by matrices of which a leading part is singular: NaN here, 0 there."""
    arrays = d.arrays
    assert arrays is not None and arrays.ours is not None
    above, middle, below = np.moveaxis(compare.widest(d.input(0)), -2, 0)
    n = middle.shape[-1]
    a = middle[..., None] * np.eye(n)
    a = a + above[..., None] * np.eye(n, k=1) + (below[..., None] * np.eye(n, k=-1))
    with np.errstate(all="ignore"):
        parts = [np.linalg.det(a[..., :k, :k]) for k in range(1, n + 1)]
    singular = np.any([~(np.abs(p) > 1e-12) for p in parts], axis=0)
    there = np.broadcast_to(singular[..., None, None], arrays.ours.shape)
    return there[arrays.far] & np.isnan(arrays.a) & (arrays.b == 0)


def _tridiagonal(middle: float, ours: float, theirs: float):
    diagonals = np.array([[0], [middle], [0]], np.complex128)
    case = call("TridiagonalSolve", diagonals, np.array([[1j]]))
    return gave(case, [[complex(ours)]], [[complex(theirs)]], "complex128")


_A = np.array([[1 + 2j, 0.5], [0.25j, 1], [1, -1j]])
_B = np.array([[1j], [2], [0.5]])


def _solve(a, ours, theirs):
    x = np.linalg.lstsq(a, _B[: len(a)], rcond=None)[0]
    case = call("MatrixSolveLs", a, _B[: len(a)], np.float64(0), fast=True)
    return gave(case, ours, theirs, "complex128", kind=GRADIENT, outputs=([x], [x]))


def _regularized(by: float, ours: float):
    case = call("MatrixSolveLs", np.eye(2), np.ones([2, 1]), np.float64(by), fast=True)
    return gave(case, [[ours] * 2] * 2, [[np.nan] * 2] * 2, "float64", kind=GRADIENT)


# How far gradients of normal equations may be off.
_OF_SOLUTIONS = {"complex64": 1e-3, "complex128": 1e-8}
_TALL = _solved(_solve(_A, np.zeros((3, 2)), np.zeros((3, 2))))
_WIDE = _solved(_solve(_A.T, np.zeros((2, 3)), np.zeros((2, 3))))
_LARGE = call("Svd", np.diag([1e6, 1.0]))
_HALF = call("Cast", np.float16([-1.5, 0.5]))
_INFINITE = call("Cast", np.float16([np.inf]))
_NOTHING = np.zeros([8, 4, 0], np.float32)
_NO_ROW = "InvalidArgumentError: indices[0] = -2 is not in [0, 4)"
_SHORT = (
    "InvalidArgumentError: Input dimension 2 must have length of at least 8 but got: 0"
)
_PRECISION = "InvalidArgumentError: AsString: width and precision must be at most 16384, got 8 and 1048576"
_RANK_3 = "OutOfRangeError: Invalid segment_id rank 3 for input with 2 dimension(s)"
_MIRROR = "UnimplementedError: inputs rank not in [0,5]: 11"
_POOLING = "UnimplementedError: Pooling is not yet supported on the depth dimension."
_STRIDES = "InvalidArgumentError: AvgPool3DGrad: strides must be positive"
_DEPTH = "InvalidArgumentError: MaxPoolGradWithArgmax: the depth stride must be 1 if the depth window is, got 1048576; input has shape [1,5,4,1]"
_WINDOW = "InvalidArgumentError: DepthwiseConv2dNative: window and input sizes must be positive int32 values, got window 0 and input 5"
_KEYS = "InvalidArgumentError: ParseExample: Shape must be rank 0 but is rank 1: dense_keys[0] has shape [1]"
_UTF8 = "InvalidArgumentError: 'utf-8' codec can't decode byte 0xff in position 54: invalid start byte"
_TWICE = "FailedPreconditionError: HashTable has different value for same key. Key 5 has a and trying to add value b"
_RANK_5 = "InvalidArgumentError: LoadAndRemapMatrix: Shape must be rank 0 but is rank 2: old_tensor_name has shape [1,1]"
_NO_INDEX = "NotFoundError: .index; No such file or directory"
_OUTER = "InvalidArgumentError: BatchMatrixTriangularSolve: matrix and rhs must have the same outer dimensions, got shapes [7,1,1] and [1,7,1,4]"
_NAN_FILTER = np.reshape([np.nan, 0.0], [1, 2, 1])


def _dilated(taps, ours: list[float], theirs: list[float]):
    """The gradient by two taps over two pixels, in parts of the one upstream number."""
    pixels, output = np.zeros([1, 1, 2, 1]), np.zeros([1, 1, 1, 1])
    case = call(
        "Dilation2D", pixels, taps,
        strides=[1] * 4, rates=[1] * 4, padding="VALID",
    )  # fmt: skip
    by = upstream(output).reshape(())
    ours, theirs = (np.reshape(x, [1, 2, 1]) * by for x in (ours, theirs))
    return gave(
        case, ours, theirs, "float64", output=1, kind=GRADIENT,
        outputs=([output], [output]),
    )  # fmt: skip


_MANY = call("Multinomial", np.zeros([2, 3], np.float32), np.int32(1 << 14))
_FEW = call("Multinomial", np.zeros([2, 3], np.float32), np.int32(8))
_DRAWN = np.random.RandomState(1).randint(0, 3, [2, 2, 1 << 14])


def _all_classes(d: Difference) -> bool:
    """There are such classes as are drawn."""
    assert d.arrays is not None and d.arrays.ours is not None
    ours = d.arrays.ours
    return bool(((ours >= 0) & (ours < d.input(0).shape[-1])).all())


def _as_often_as_said(d: Difference) -> bool:
    """Each class is drawn as often as its logit says, but for six standard deviations."""
    assert d.arrays is not None and d.arrays.ours is not None
    logits = d.input(0).astype(np.float64)
    p = np.exp(logits - logits.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    n = d.arrays.ours.shape[-1]
    found = np.stack([np.bincount(row, minlength=p.shape[-1]) for row in d.arrays.ours])
    return bool((np.abs(found - n * p) <= 6 * np.sqrt(n * p * (1 - p)) + 6).all())


def _ctc(place: int):
    case = call(
        "CTCLoss",
        np.zeros([2, 1, 3]),
        np.int64([[0, place]]),
        np.int32([0]),
        np.int32([2]),
    )
    return refused(case, theirs="Died: SIGABRT", kind=PEER_DIED)


_NUMBERS = [
    Explanation(
        "Cast",
        VALUE,
        "what becomes of a number that is none of the codes is anyone's",
        dtypes="qint8 quint8 qint16 quint16 qint32 uint32",
        outputs=(0,),
        elements=_beyond_range,
        bound=np.inf,
        true=[
            gave(_HALF, [255, 0], [0, 0], "quint8"),
            gave(_INFINITE, [0], [1 << 31], "uint32"),
        ],
        wrong=[
            gave(_HALF, [255, 1], [255, 0], "quint8"),
            gave(call("Cast", np.float16([-1.5])), [7], [1 << 31], "uint32"),
        ],
    ),
    Explanation(
        "TridiagonalSolve",
        VALUE,
        "what has no solution has NaN; TensorFlow fills it with what C++ has for a complex NaN, which is 0",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=_without_solution,
        bound=np.inf,
        true=[_tridiagonal(0.0, np.nan, 0.0)],
        wrong=[
            _tridiagonal(1.0, np.nan, 0.0),
            _tridiagonal(0.0, 2.0, 0.0),
            _tridiagonal(0.0, np.nan, 1.0),
        ],
    ),
    Explanation(
        "MatrixSolveLs",
        GRADIENT,
        "TensorFlow's derivative by a complex matrix lacks conjugates",
        dtypes="complex64 complex128",
        outputs=(0,),
        elements=lambda d: ours_is(_solved, _OF_SOLUTIONS[d.dtype])(d),
        bound=np.inf,
        true=[
            _solve(_A, _TALL, np.conj(_TALL)),
            _solve(_A.T, _WIDE, np.conj(_WIDE)),
        ],
        wrong=[
            _solve(_A, np.conj(_TALL), _TALL),
            _solve(_A, _TALL * (1 + 1e-6), np.conj(_TALL)),
        ],
    ),
    Explanation(
        "Svd BatchSvd",
        VALUE,
        "a singular value is as good as the largest one's rounding",
        dtypes="float32 float64 complex64 complex128",
        outputs=(0,),
        elements=_of_its_size,
        bound=np.inf,
        true=[gave(_LARGE, [1e6, 1.0], [1e6, 1 + 1e-8], "float64")],
        wrong=[
            gave(_LARGE, [10.0, 1.0], [10.0, 1 + 1e-8], "float64"),
            gave(_LARGE, [1.1e6, 1.0], [1e6, 1.0], "float64"),
            gave(_LARGE, [1e6, -1.0], [1e6, 1.0], "float64"),
            gave(_LARGE, [1e6, 1.0], [1e6, 1.001], "float64"),
        ],
    ),
    Explanation(
        "Dilation2D",
        GRADIENT,
        "where one of the sums is no number, which one is largest is anyone's",
        dtypes="float16 bfloat16 float32 float64",
        outputs=(0, 1),
        elements=_dilates,
        bound=np.inf,
        when=lambda d: _has_nan(0)(d) or _has_nan(1)(d),
        true=[_dilated(_NAN_FILTER, [1, 0], [0, 1])],
        wrong=[
            _dilated(np.zeros([1, 2, 1]), [1, 0], [0, 1]),
            _dilated(_NAN_FILTER, [0, 0], [0, 1]),
            _dilated(_NAN_FILTER, [0, 1], [1, 0]),
            _dilated(_NAN_FILTER, [2, 0], [0, 1]),
        ],
    ),
    Explanation(
        "MatrixSolveLs",
        GRADIENT,
        "what an infinite regularizer makes 0 does not change; TensorFlow multiplies infinity by 0",
        dtypes="float32 float64 complex64 complex128",
        outputs=(0, 1),
        elements=both(ours_is(lambda d: 0), lambda d: np.isnan(d.arrays.b)),
        bound=np.inf,
        when=lambda d: np.isposinf(d.input(2)),
        true=[_regularized(np.inf, 0.0)],
        wrong=[_regularized(np.inf, 1.0), _regularized(1.0, 0.0)],
    ),
    Explanation(
        "Multinomial",
        VALUE,
        "TensorFlow's numbers of large calls depend on how many threads it has",
        dtypes="int32 int64",
        outputs=(0,),
        elements=lambda d: (d.arrays.a >= 0) & (d.arrays.a < d.input(0).shape[-1]),
        bound=np.inf,
        # Of so many draws one may be of any class.
        also=("zero", "twice"),
        when=lambda d: (
            d.input(0).shape[0] > 1
            and int(d.input(1)) >= 1 << 14
            and _all_classes(d)
            and _as_often_as_said(d)
        ),
        true=[gave(_MANY, *_DRAWN, "int64")],
        wrong=[
            gave(_MANY, _DRAWN[0] + 1, _DRAWN[1], "int64"),
            gave(_MANY, np.minimum(_DRAWN[0], 1), _DRAWN[1], "int64"),
            gave(_FEW, [[2, 1]], [[0, 1]], "int64"),
        ],
    ),
]

_REFUSALS = [
    Explanation(
        "Gather GatherV2",
        REFUSAL,
        "an index that is out of range is refused; TensorFlow does not look at it where rows have no elements",
        ours=r"InvalidArgumentError: indices(\[[\d,]*\])? = -?\d+ is not in \[0, \d+\)",
        when=lambda d: np.size(d.input(0)) == 0,
        true=[refused(call("GatherV2", np.zeros([4, 0]), np.int16([-2]), 0), _NO_ROW)],
        wrong=[refused(call("GatherV2", np.zeros([4, 1]), np.int16([-2]), 0), _NO_ROW)],
    ),
    Explanation(
        "RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D",
        REFUSAL,
        "TensorFlow makes something of nothing: an output that it does not write",
        ours=r"InvalidArgumentError: Input dimension \d+ must have length of at least \d+ but got: 0",
        when=lambda d: np.size(d.input(0)) == 0,
        true=[refused(call("RFFT2D", _NOTHING, [3, 8]), _SHORT)],
        wrong=[refused(call("RFFT2D", [[1.0]], [3, 8]), _SHORT)],
    ),
    Explanation(
        "AsString",
        REFUSAL,
        "a text of a number has at most 16384 characters here",
        ours=r"InvalidArgumentError: AsString: width and precision must be at most 16384, got ",
        when=lambda d: max(d.attrs["width"], d.attrs["precision"]) > 16384,
        true=[refused(call("AsString", width=8, precision=1 << 20), _PRECISION)],
        wrong=[refused(call("AsString", width=8, precision=2), _PRECISION)],
    ),
    Explanation(
        "MaxPoolGradWithArgmax MaxPoolWithArgmax",
        REFUSAL,
        "TensorFlow does not look at a stride along channels",
        ours=r"InvalidArgumentError: MaxPool(Grad)?WithArgmax: the depth stride must be 1 if the depth window is, got ",
        when=lambda d: d.attrs["strides"][3] != 1,
        true=[
            refused(call("MaxPoolGradWithArgmax", strides=[1, 2, 2, 1 << 20]), _DEPTH)
        ],
        wrong=[refused(call("MaxPoolGradWithArgmax", strides=[1, 2, 2, 1]), _DEPTH)],
    ),
    Explanation(
        "DepthwiseConv2dNative DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter",
        REFUSAL,
        "TensorFlow takes a window of no size for one that finds nothing",
        ours=r"InvalidArgumentError: DepthwiseConv2dNative\w*: window and input sizes must be positive int32 values, got window 0 and input \d+",
        true=[refused("DepthwiseConv2dNative", _WINDOW)],
        wrong=[
            refused("DepthwiseConv2dNative", _WINDOW.replace("window 0", "window 3"))
        ],
    ),
    Explanation(
        "ParseExample ParseSingleExample ParseSequenceExample",
        REFUSAL,
        "TensorFlow takes the elements of keys of any rank",
        ours=r"InvalidArgumentError: Parse\w+: Shape must be rank 0 but is rank \d+: (dense|sparse)_keys\[\d+\] has ",
        true=[refused("ParseExample", _KEYS)],
        wrong=[refused("ParseExample", _KEYS.replace("dense_keys[0]", "names"))],
    ),
    Explanation(
        "BatchMatrixTriangularSolve",
        REFUSAL,
        "as in TensorFlow 1.x, outer dimensions are not broadcast",
        ours=r"InvalidArgumentError: BatchMatrixTriangularSolve: matrix and rhs must have the same outer dimensions, got ",
        when=lambda d: np.shape(d.input(0))[:-2] != np.shape(d.input(1))[:-2],
        true=[
            refused(
                call(
                    "BatchMatrixTriangularSolve",
                    np.ones([7, 1, 1]),
                    np.ones([1, 7, 1, 4]),
                ),
                _OUTER,
            )
        ],
        wrong=[
            refused(
                call(
                    "BatchMatrixTriangularSolve", np.ones([7, 1, 1]), np.ones([7, 1, 4])
                ),
                _OUTER,
            )
        ],
    ),
    Explanation(
        "CTCLoss",
        PEER_DIED,
        "TensorFlow makes room for a label at a place that is no int32",
        theirs="Died: SIG(ABRT|SEGV)",
        when=lambda d: bool((np.abs(d.input(1)[:, 1:].astype(float)) >= 2**31).any()),
        true=[_ctc(1 << 62)],
        wrong=[_ctc(1)],
    ),
]

_CLASSES = [
    Explanation(
        "UnsortedSegmentJoin",
        ERROR_CLASS,
        "a rank that does not fit is a fault of the input",
        ours=r"InvalidArgumentError: UnsortedSegmentJoin: ",
        theirs=r"OutOfRangeError: Invalid segment_id rank \d+ for input with \d+ dimension",
        true=[
            refused(
                "UnsortedSegmentJoin",
                "InvalidArgumentError: UnsortedSegmentJoin: x",
                _RANK_3,
            )
        ],
        wrong=[
            refused(
                "UnsortedSegmentJoin", "InternalError: UnsortedSegmentJoin: x", _RANK_3
            )
        ],
    ),
    Explanation(
        "MirrorPad MirrorPadGrad",
        ERROR_CLASS,
        "TensorFlow's kernel stops at 5 dimensions, before it looks at the paddings",
        ours=r"InvalidArgumentError: .*(paddings|MirrorPad)",
        theirs=r"UnimplementedError: inputs rank not in \[0,5\]: \d+",
        when=lambda d: np.ndim(d.input(0)) > 5,
        true=[
            refused(
                call("MirrorPad", np.ones([1] * 11)),
                "InvalidArgumentError: paddings",
                _MIRROR,
            )
        ],
        wrong=[
            refused(
                call("MirrorPad", np.ones([1] * 5)),
                "InvalidArgumentError: paddings",
                _MIRROR,
            )
        ],
    ),
    Explanation(
        "AvgPool3D AvgPool3DGrad MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPool MaxPoolGrad MaxPoolGradGrad "
        "AvgPool AvgPoolGrad MaxPoolV2 MaxPoolGradV2 MaxPoolGradGradV2",
        ERROR_CLASS,
        "a window or stride that no pool can have is a fault of the input",
        ours=r"InvalidArgumentError: (Avg|Max)Pool\w*: \w+",
        theirs=r"UnimplementedError: Pooling is not yet supported on the (depth|batch) dimension",
        when=lambda d: (
            min(
                *d.attrs.get("strides", [1]),
                *d.attrs.get("ksize", [1]),
                *(
                    np.concatenate([np.ravel(d.input(i)) for i in (-2, -1)])
                    if "V2" in d.op
                    else []
                ),
            )
            <= 0
        ),
        true=[
            refused(
                call("AvgPool3DGrad", strides=[1, 2, 1, 2, -2], ksize=[1] * 5),
                _STRIDES,
                _POOLING,
            )
        ],
        wrong=[
            refused(
                call("AvgPool3DGrad", strides=[1, 2, 1, 2, 2], ksize=[1] * 5),
                _STRIDES,
                _POOLING,
            )
        ],
    ),
    Explanation(
        "InitializeTable InitializeTableV2 LookupTableInsert LookupTableInsertV2",
        ERROR_CLASS,
        "TensorFlow's Python cannot read its own message about a value that is no text",
        ours=r"FailedPreconditionError: HashTable has different value for same key",
        theirs=r"InvalidArgumentError: 'utf-8' codec can't decode byte 0x",
        true=[refused("InitializeTableV2", _TWICE, _UTF8)],
        wrong=[
            refused("InitializeTableV2", "FailedPreconditionError: no table", _UTF8)
        ],
    ),
    Explanation(
        "LoadAndRemapMatrix",
        ERROR_CLASS,
        "our shape functions speak in every run, before files are looked for",
        ours=r"InvalidArgumentError: LoadAndRemapMatrix: Shape must be rank [01] but is rank \d+: \w+ has ",
        theirs=r"NotFoundError: \S*; No such file or directory",
        true=[refused("LoadAndRemapMatrix", _RANK_5, _NO_INDEX)],
        wrong=[refused("LoadAndRemapMatrix", _RANK_5, "NotFoundError: x")],
    ),
]

TABLE: list[Explanation] = [*_NUMBERS, *_REFUSALS, *_CLASSES]
