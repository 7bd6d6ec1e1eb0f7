# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of calls made wrong and of numbers beyond all bounds, whatever the family."""

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.examples import but, call, gave, on, seen
from tensorwright.tools.difftest.expected_dilation import gradient as dilated
from tensorwright.tools.difftest.explanation import ours_is, upstream
from tensorwright.tools.difftest.records import death, gradient, refusal, value

_COMPLEX = "complex64 complex128"


def _beyond_range(d):
    """The number to be cast is none of the codes, and ours its lower bits, or 0 if it has more than 31."""
    bits = int(d.dtype.lstrip("quint"))
    low, high = (
        (0, 2**bits - 1)
        if "u" in d.dtype
        else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    )
    x = np.trunc(d.wide(0).real)
    beyond = ~((x >= low) & (x <= high))
    cut = np.where(np.abs(x) < 2.0**62, x, 0).astype(np.int64) % 2**bits
    ours = d.here.astype(np.int64)
    same = (ours - cut) % 2**bits == 0
    return beyond & (same | (ours == 0) & ~(np.abs(x) < 2.0**31))


def _adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def _solved(d):
    """MatrixSolveLs's derivative by its matrix, in double precision."""
    a, b, g = (
        x.astype(np.complex128)
        for x in (d.input(0), d.input(1), upstream(d.outputs[0][0]))
    )
    ridge = float(d.input(2)) * np.eye(min(a.shape[-2:]))
    if a.shape[-2] >= a.shape[-1]:
        inverse = np.linalg.inv(_adjoint(a) @ a + ridge)
        x, z = inverse @ _adjoint(a) @ b, inverse @ g
        return (b - a @ x) @ _adjoint(z) - a @ z @ _adjoint(x)
    inverse = np.linalg.inv(a @ _adjoint(a) + ridge)
    y, z = inverse @ b, inverse @ a @ g
    return y @ _adjoint(g - _adjoint(a) @ z) - z @ _adjoint(_adjoint(a) @ y)


def _of_its_size(d):
    """Singular values that are as near as rounding the largest one allows."""
    x, ours, theirs = (
        compare.widest(x) for x in (d.input(0), d.here.real, d.there.real)
    )
    finite = np.isfinite(x).all((-1, -2))[..., None]
    right = np.linalg.svd(np.where(finite[..., None], x, 0), compute_uv=False)
    epsilon = 1e-5 if d.dtype in ("float32", "complex64") else 1e-13
    unit = epsilon * right.max(-1, keepdims=True, initial=0)
    near = ((np.abs(ours - right) <= unit) & (ours >= 0)).all(-1, keepdims=True)
    return finite & near & (np.abs(ours - theirs) <= 4 * unit)


def _dilates(d):
    """All of our gradient is right: the part that went to one place is missing at another."""
    return compare.close(d.here, dilated(d), 8 * compare.TOLERANCE[d.enum]).all()


def _without_solution(d):
    """Solutions by matrices of which a leading part is singular: NaN here, 0 there."""
    above, middle, below = np.moveaxis(d.wide(0), -2, 0)[..., None]
    n = middle.shape[-2]
    a = middle * np.eye(n) + above * np.eye(n, k=1) + below * np.eye(n, k=-1)
    parts = [np.linalg.det(a[..., :k, :k]) for k in range(1, n + 1)]
    singular = np.any([~(np.abs(p) > 1e-12) for p in parts], axis=0)
    return singular[..., None, None] & np.isnan(d.here) & (d.there == 0)


def _as_often_as_said(d):
    """Each class is drawn as often as its logit says, but for six standard deviations, and no other."""
    p = np.exp(d.wide(0) - d.wide(0).max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    n, classes = d.here.shape[-1], p.shape[-1]
    if not ((d.here >= 0) & (d.here < classes)).all():
        return False
    found = np.stack([np.bincount(row, minlength=classes) for row in d.here])
    return bool((np.abs(found - n * p) <= 6 * np.sqrt(n * p * (1 - p)) + 6).all())


def _tridiagonal(middle):
    return on(np.array([[0], [middle], [0]], np.complex128), np.array([[1j]]))


def _solve(a, by=0.0):
    return call("MatrixSolveLs", a, _B[: len(a)], np.float64(by), fast=True)


def _of_solution(a):
    """The outputs that `_solved` reads, and its result."""
    outputs = [np.linalg.lstsq(a, _B[: len(a)], rcond=None)[0]]
    return outputs, _solved(gave(_solve(a), 0, 0, outputs=outputs))


def _dilate(taps):
    """Two taps over two pixels."""
    attrs = {"strides": [1] * 4, "rates": [1] * 4, "padding": "VALID"}
    return on(np.zeros([1, 1, 2, 1]), np.reshape(taps, [1, 2, 1]), **attrs)


_A = np.array([[1 + 2j, 0.5], [0.25j, 1], [1, -1j]])
_B = np.array([[1j], [2], [0.5]])
(_X, _TALL), (_Y, _WIDE) = _of_solution(_A), _of_solution(_A.T)
# The one upstream number of a dilation goes to the first tap, or to the second.
_ONE = np.zeros([1, 1, 1, 1])
_FIRST, _SECOND = (
    np.reshape(x, [1, 2, 1]) * upstream(_ONE).reshape(()) for x in ([1, 0], [0, 1])
)
_NAN, _NANS, _NOTHING = (
    complex(np.nan),
    np.full([2, 2], np.nan),
    np.zeros([8, 4, 0], np.float32),
)
_LOGITS = np.zeros([2, 3], np.float32)
_DRAWN = np.random.RandomState(1).randint(0, 3, [2, 2, 1 << 14])


def _sizes_of_windows(d):
    """The sizes and strides of a pool: attrs, or the last two inputs of the ops whose names end with V2."""
    if d.op.endswith("V2"):
        return np.concatenate([np.ravel(d.input(i)) for i in (-2, -1)])
    return [*d.attrs.get("strides", [1]), *d.attrs.get("ksize", [1])]


# fmt: off
TABLE = [
    value("Cast", "no rule says what becomes of a number that is none of the codes",
        "qint8 quint8 qint16 quint16 qint32 uint32", 0, where=_beyond_range,
        gives="the lower bits, or 0 of a number with more than 31",
        true=[seen(on(np.float16([-1.5, 0.5])), [255, 0], [0, 0], dtype="quint8"),
            seen(on(np.float16([np.inf])), [0], [1 << 31], dtype="uint32")],
        wrong=[but(ours=[255, 1], theirs=[255, 0]), but(on(np.float16([-1.5])), [7], [1 << 31], dtype="uint32")]),
    value("TridiagonalSolve", "a singular system has no solution; TensorFlow fills it with C++'s complex NaN, which is 0",
        _COMPLEX, 0, where=_without_solution, gives="NaN", there="0",
        true=[seen(_tridiagonal(0.0), [[_NAN]], [[0]], dtype="complex128")],
        wrong=[_tridiagonal(1.0), but(ours=[[2.0]]), but(theirs=[[1.0]])]),
    gradient("MatrixSolveLs", "TensorFlow's derivative by a complex matrix lacks conjugates", _COMPLEX, 0,
        # How far gradients of normal equations may be off.
        lambda d: ours_is(_solved, {"complex64": 1e-3, "complex128": 1e-8}[d.dtype])(d),
        gives="the derivative with conjugates",
        true=[seen(_solve(_A), _TALL, np.conj(_TALL), dtype="complex128", outputs=_X),
            but(_solve(_A.T), _WIDE, np.conj(_WIDE), outputs=_Y)],
        wrong=[but(ours=np.conj(_TALL), theirs=_TALL), but(ours=_TALL * (1 + 1e-6))]),
    value("Svd BatchSvd", "a singular value is as good as the largest one's rounding", f"float32 float64 {_COMPLEX}", 0,
        where=_of_its_size, gives="NumPy's, to 1e-5 or 1e-13 of the largest",
        true=[seen(on(np.diag([1e6, 1.0])), [1e6, 1.0], [1e6, 1 + 1e-8], dtype="float64")],
        wrong=[but(ours=[10.0, 1.0], theirs=[10.0, 1 + 1e-8]), but(ours=[1.1e6, 1.0], theirs=[1e6, 1.0]),
            but(ours=[1e6, -1.0], theirs=[1e6, 1.0]), but(theirs=[1e6, 1.001])]),
    gradient("Dilation2D", "where a sum is no number, no rule says which sum is the largest",
        "float16 bfloat16 float32 float64", (0, 1), _dilates, gives="to the first that no other exceeds",
        when=lambda d: np.isnan(d.wide(0)).any() or np.isnan(d.wide(1)).any(),
        true=[seen(_dilate([np.nan, 0]), _FIRST, _SECOND, dtype="float64", output=1, outputs=[_ONE])],
        wrong=[_dilate([0.0, 0]), but(ours=0 * _FIRST), but(ours=_SECOND, theirs=_FIRST), but(ours=2 * _FIRST)]),
    gradient("MatrixSolveLs",
        "an infinite regularizer makes the solution 0, which does not change; TensorFlow multiplies infinity by 0",
        f"float32 float64 {_COMPLEX}", (0, 1), where=lambda d: (d.here == 0) & np.isnan(d.there), gives="0", there="NaN",
        when=lambda d: np.isposinf(d.input(2)), true=[seen(_solve(np.eye(2), np.inf), np.zeros([2, 2]), _NANS)],
        wrong=[but(ours=np.ones([2, 2])), _solve(np.eye(2), 1.0)]),
    value("Multinomial", "TensorFlow's numbers of large calls depend on how many threads it has", "int32 int64", 0,
        where=lambda d: True, gives="other draws, each class as often as its logit says",
        # One of so many draws may be of any class.
        also=("zero", "twice"),
        when=lambda d: d.input(0).shape[0] > 1 and int(d.input(1)) >= 1 << 14 and _as_often_as_said(d),
        true=[seen(on(_LOGITS, 1 << 14), *_DRAWN, dtype="int64")],
        wrong=[but(ours=_DRAWN[0] + 1), but(ours=np.minimum(_DRAWN[0], 1)), but(on(_LOGITS, 8), [[2, 1]], [[0, 1]])]),
    refusal("Gather GatherV2",
        "an index that is out of range is refused; TensorFlow does not look at it where rows have no elements",
        ours=r"InvalidArgumentError: indices<(\[[\d,]*\])?~[0]> = <-2> is not in [0, <4>)",
        when=lambda d: np.size(d.input(0)) == 0, true=[call("GatherV2", np.zeros([4, 0]), np.int16([-2]), 0)],
        wrong=[call("GatherV2", np.zeros([4, 1]), np.int16([-2]), 0)]),
    refusal("RFFT RFFT2D RFFT3D IRFFT IRFFT2D IRFFT3D",
        "TensorFlow gives an output that it does not write",
        ours="InvalidArgumentError: Input dimension <2> must have length of at least <8> but got: 0",
        when=lambda d: np.size(d.input(0)) == 0, true=[call("RFFT2D", _NOTHING, [3, 8])],
        wrong=[call("RFFT2D", [[1.0]], [3, 8])]),
    refusal("AsString", "the text of a number has at most 16384 characters here",
        ours="InvalidArgumentError: AsString: width and precision must be at most 16384, got ",
        when=lambda d: max(d.attrs["width"], d.attrs["precision"]) > 16384, true=[on(width=8, precision=1 << 20)],
        wrong=[on(width=8, precision=2)]),
    refusal("MaxPoolGradWithArgmax MaxPoolWithArgmax", "TensorFlow does not look at a stride along channels",
        ours="InvalidArgumentError: MaxPool<(Grad)?~Grad>WithArgmax: the depth stride must be 1 if the depth window is, got ",
        when=lambda d: d.attrs["strides"][3] != 1, true=[on(strides=[1, 2, 2, 1 << 20])],
        wrong=[on(strides=[1, 2, 2, 1])]),
    refusal("DepthwiseConv2dNative DepthwiseConv2dNativeBackpropInput DepthwiseConv2dNativeBackpropFilter",
        "TensorFlow takes a window of no size for one that finds nothing",
        ours=r"InvalidArgumentError: DepthwiseConv2dNative<\w*~>: window and input sizes must be positive int32 values, got window 0 and input <5>",
        wrong=[but(ours="InvalidArgumentError: DepthwiseConv2dNative: window and input sizes must be positive int32 values, got window 3 and input 5")]),
    refusal("Dilation2D Dilation2DBackpropInput Dilation2DBackpropFilter",
        "an attr that is wrong for all shapes is refused while a graph is built, as any invalid argument",
        ours="InvalidArgumentError: Dilation2D<(Backprop(Input|Filter))?~>: <strides|rates~strides> must be 1 for batch and depth, got ",
        theirs="UnimplementedError: <Stride|Rate~Stride> is only supported across spatial dimensions.",
        wrong=[but(ours="InvalidArgumentError: Dilation2D: no"), but(theirs="UnimplementedError: no")]),
    refusal("ParseSingleExample", "a feature of any length may have no default, as in ParseExample",
        theirs="InvalidArgumentError: dense_shape[<0>] is a variable length shape: <.*~[?]>, therefore def_value[<0>] must contain a single element",
        wrong=[but(theirs="InvalidArgumentError: dense_shape[0] is unknown"), call("ParseExample")]),
    refusal("ParseExample ParseSingleExample ParseSequenceExample", "TensorFlow takes the elements of keys of any rank",
        ours="InvalidArgumentError: Parse<Example>: Shape must be rank 0 but is rank <1>: <dense|sparse~dense>_keys[<0>] has ",
        wrong=[but(ours="InvalidArgumentError: ParseExample: Shape must be rank 0 but is rank 1: names has shape [1]")]),
    refusal("BatchMatrixTriangularSolve", "as in TensorFlow 1.x, outer dimensions are not broadcast",
        ours=["InvalidArgumentError: BatchMatrixTriangularSolve: matrix and rhs must have the same outer dimensions, got ",
            "InvalidArgumentError: BatchMatrixTriangularSolve: Shape must be rank <4> but is rank <3>: rhs has shape "],
        when=lambda d: np.shape(d.input(0))[:-2] != np.shape(d.input(1))[:-2],
        true=[on(np.ones([7, 1, 1]), np.ones([1, 7, 1, 4]))], wrong=[on(np.ones([7, 1, 1]), np.ones([7, 1, 4]))]),
    death("CTCLoss", "TensorFlow makes room for a label at a place that is no int32",
        theirs="Died: SIG<ABRT|SEGV~ABRT>",
        when=lambda d: bool((np.abs(d.input(1)[:, 1:].astype(float)) >= 2 ** 31).any()), true=[on(np.zeros([2, 1, 3]), np.int64([[0, 1 << 62]]), [0], [2])],
        wrong=[on(np.zeros([2, 1, 3]), np.int64([[0, 1]]), [0], [2])]),
    refusal("UnsortedSegmentJoin", "a wrong rank is a fault of the input",
        ours="InvalidArgumentError: UnsortedSegmentJoin: ",
        theirs="OutOfRangeError: Invalid segment_id rank <3> for input with <2> dimension",
        wrong=[but(ours="InternalError: UnsortedSegmentJoin: x")]),
    refusal("MirrorPad MirrorPadGrad", "TensorFlow's kernel stops at 5 dimensions, before it looks at the paddings",
        ours="InvalidArgumentError: <.*(paddings|MirrorPad)~paddings>",
        theirs="UnimplementedError: inputs rank not in [0,5]: <11>", when=lambda d: np.ndim(d.input(0)) > 5,
        true=[on(np.ones([1] * 11))], wrong=[on(np.ones([1] * 5))]),
    refusal("AvgPool3D AvgPool3DGrad MaxPool3D MaxPool3DGrad MaxPool3DGradGrad MaxPool MaxPoolGrad MaxPoolGradGrad AvgPool AvgPoolGrad "
        "MaxPoolV2 MaxPoolGradV2 MaxPoolGradGradV2",
        "a window or stride that no pool can have is a fault of the input",
        ours=r"InvalidArgumentError: <Avg|Max~Avg>Pool<\w*~3DGrad>: <strides>",
        theirs="UnimplementedError: Pooling is not yet supported on the <depth|batch~depth> dimension",
        when=lambda d: min(_sizes_of_windows(d)) <= 0,
        true=[call("AvgPool3DGrad", strides=[1, 2, 1, 2, -2], ksize=[1] * 5)],
        wrong=[call("AvgPool3DGrad", strides=[1, 2, 1, 2, 2], ksize=[1] * 5)]),
    refusal("InitializeTable InitializeTableV2 LookupTableInsert LookupTableInsertV2",
        "TensorFlow's Python cannot read its own message about a value that is no text",
        ours="FailedPreconditionError: HashTable has different value for same key",
        theirs="InvalidArgumentError: 'utf-8' codec can't decode byte 0x", true=[call("InitializeTableV2")],
        wrong=[but(ours="FailedPreconditionError: no table")]),
    refusal("LoadAndRemapMatrix", "our shape functions look at every run, before files are looked for",
        ours="InvalidArgumentError: LoadAndRemapMatrix: Shape must be rank <[01]~0> but is rank <2>: <old_tensor_name> has ",
        theirs=r"NotFoundError: <\S*~.index>; No such file or directory", wrong=[but(theirs="NotFoundError: x")]),
]
