# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of ops that rearrange, cut and gather."""

import numpy as np

from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import (
    ANY_DTYPE,
    FLOATS,
    OURS_ONLY,
    ours_is,
)
from tensorwright.tools.difftest.records import (
    kernels,
    no_gradient,
    path,
    refusal,
    value,
)

_LARGEST, _LOWEST = np.iinfo(np.int32).max, np.iinfo(np.int64).min
_X = np.arange(6.0, dtype=np.float32).reshape(2, 3)


def _banded(d):
    """The band of a matrix: less than 0 is all of a side."""
    x, lower, upper = d.input(0), int(d.input(1)), int(d.input(2))
    row, column = np.indices(x.shape[-2:])
    below, above = (row - column <= lower), (column - row <= upper)
    kept = (below | (lower < 0)) & (above | (upper < 0))
    return np.where(kept, x, np.zeros((), x.dtype))


def _rolled(d):
    x = d.input(0)
    for s, a in zip(*(np.atleast_1d(d.input(i)).tolist() for i in (1, 2))):
        x = np.roll(x, s % max(x.shape[a], 1), a)
    return x


def _divides(d):
    """Places where what is before is below the value, or not above it for UpperBound, and what is behind is not.

    Rows that are in order have one such place, and are not meant.
    """
    rows, values, places = d.input(0), d.input(1), d.here
    upper, n = d.op == "UpperBound", rows.shape[1]
    if n == 0 or not ((places >= 0) & (places <= n)).all():
        return False
    before = np.take_along_axis(rows, np.maximum(places - 1, 0), 1)
    behind = np.take_along_axis(rows, np.minimum(places, n - 1), 1)
    fits_before = ~(values < before) if upper else before < values
    fits_behind = values < behind if upper else ~(behind < values)
    fits = ((places == 0) | fits_before) & ((places == n) | fits_behind)
    return fits & ~(rows[:, :-1] <= rows[:, 1:]).all(1, keepdims=True)


def _bounds(op, ours, theirs, *row):
    return seen(call(op, np.float32([row]), np.float32([[4]])), [[ours]], [[theirs]])


def _one_index(d):
    """The indices of an op are one index, without an outer dimension: what it points at is one slice."""
    return np.ndim(d.input(0 if d.op == "ScatterNd" else 1)) == 1


def _is_no_number(d):
    dtype = d.input(0).dtype
    return dtype.kind in "bO" or dtype.names is not None


_MANY, _ONE = np.zeros((2, 2), np.int32), np.zeros(2, np.int32)
_SCATTERS = (
    "ScatterNdAdd ScatterNdSub ScatterNdUpdate ScatterNdNonAliasingAdd "
    "ScatterNdMax ScatterNdMin TensorScatterAdd TensorScatterSub TensorScatterUpdate TensorScatterMax TensorScatterMin"
)
_MUST_MATCH = "InvalidArgumentError: Dimensions [0,1) of indices[shape=[<2>]] = <2> must match dimensions [0,1) of updates"
_NO_ROWS = "InvalidArgumentError: Updates shape must have rank at least one. Found:[]"
# TensorFlow says so of the sum that stands in for TileGrad.
_NO_SUM = r"InvalidArgumentError: <(Value for attr 'T' of \w+ is not in the list of allowed values: |No OpKernel was registered to support Op 'Sum' )[\s\S]*~Value for attr 'T' of bool is not in the list of allowed values: float, double>"


def _inside_output(d):
    """All groups of an EditDistance have a place in its output, whose shape is the larger of both."""
    groups = np.maximum(d.input(2), d.input(5))[:-1]
    return all(bool((d.input(i)[:, :-1] < groups).all()) for i in (0, 3))


def _distance(index):
    """A hypothesis at this index in a shape without elements, and a truth of three groups."""
    rows = np.int64([index]), [1], np.int64([0, 0])
    return on(*rows, np.int64([[0, 0]]), [1], np.int64([3, 3]))


# fmt: off
TABLE = [
    refusal("SpaceToBatchND BatchToSpaceND", "TensorFlow wants the rank of block_shape to be known",
        theirs="InvalidArgumentError: block_shape must have rank 1. for <.*~'op'> with input shapes: ?, ?, ?.",
        wrong=[but(theirs="InvalidArgumentError: block_shape must have rank 1. for 'op' with input shapes: [4], [2,2], ?.")]),
    no_gradient("ExtractImagePatches", "TensorFlow's gradient wants the shape to be known",
        theirs="InvalidArgumentError: Cannot infer argument `num` from shape (None,)",
        wrong=[but(theirs="InvalidArgumentError: Cannot infer argument `num` from shape (3,)")]),
    value("BatchMatrixBandPart MatrixBandPart", "TensorFlow's arithmetic overflows, where less than 0 means all", ANY_DTYPE, 0,
        ours_is(_banded), gives="all of a side", when=lambda d: any(int(d.input(i)) == _LOWEST for i in (1, 2)),
        true=[seen(call("MatrixBandPart", _X, _LOWEST, 0), np.tril(_X), 0 * _X)],
        wrong=[but(ours=np.tril(_X) * 3), call("MatrixBandPart", _X, -1, 0)]),
    refusal("TileGrad", "Sum, which TensorFlow runs in its place, adds numbers only",
        theirs=_NO_SUM,
        when=_is_no_number, true=[on([True], [1])], wrong=[on([1.0], [1])]),
    refusal("TileGrad", "Sum, which TensorFlow runs in its place, adds numbers only",
        ours="UnimplementedError: TileGrad: values of type <bool> cannot be added, <.*~so>",
        theirs=_NO_SUM,
        wrong=[but(ours="InvalidArgumentError: TileGrad: x")]),
    kernels("Conj", "TensorFlow 2 conjugates lists of tensors, which are variants; Conj takes numbers alone, as in TensorFlow 1.x",
        "variant", wrong=[but(op="Identity")]),
    refusal("SplitV", "TensorFlow infers no size where there is one output",
        theirs="InvalidArgumentError: If there is only one output, it must have the same size as the input. Input size: <2> output size: -1",
        when=lambda d: d.attrs["num_split"] == 1, true=[on(_X, [-1], 0, num_split=1)],
        wrong=[on(_X, [-1], 0, num_split=2),
            but(theirs="InvalidArgumentError: If there is only one output, it must have the same size as the input. Input size: 2 output size: 3")]),
    refusal("GatherNd", "TensorFlow refuses to gather slices without elements",
        theirs="InvalidArgumentError: Requested more than 0 entries, but params is empty.",
        when=lambda d: d.input(0).size == 0, true=[on(np.zeros((3, 0)), [[1]])], wrong=[on(np.zeros((3, 1)), [[1]])]),
    refusal("Reverse", "TensorFlow refuses to reverse nothing",
        theirs="InvalidArgumentError: Invalid input first dimension. Found 0.",
        when=lambda d: d.input(0).shape[:1] == (0,), true=[on(np.zeros((0, 2)), [True, False])],
        wrong=[on(np.zeros((3, 2)), [True, False])]),
    refusal(f"ScatterNd {_SCATTERS}",
        "TensorFlow's shape function expects an outer dimension; one index may stand alone",
        theirs=[_MUST_MATCH, "InvalidArgumentError: Shape must be at least rank 1 but is rank 0 for '{{node op}}",
            r"InvalidArgumentError: Dimensions [<1>,<2>) of input[shape=[<[\d,]+~1,1>]] must match dimensions [1,<1>) of updates"],
        when=_one_index, true=[on(_ONE, np.zeros(8), [3, 3, 8]), call("ScatterNdAdd", _X, _ONE, 1.0),
            call("ScatterNdAdd", _X[:1, :1], [0], [1.0]), call("TensorScatterSub", _X, _ONE, np.zeros(8))],
        wrong=[call("ScatterNdAdd", _X[:1, :1], [[0]], [1.0]), on(_MANY, np.zeros(8), [3, 3, 8]),
            but(theirs="InvalidArgumentError: Dimensions [0,2) of indices[shape=[2,2]] = 2 must match dimensions [0,2) of updates")]),
    refusal(_SCATTERS, "TensorFlow's kernel expects an outer dimension; one index may stand alone",
        theirs=_NO_ROWS, when=lambda d: _one_index(d) and d.input(2).ndim == 0, true=[call("TensorScatterMin", _X, _ONE, 1.0)],
        wrong=[call("TensorScatterMin", _X, _MANY, 1.0)]),
    refusal("EnsureShape", "TensorFlow takes an unknown rank for a rank of -1",
        theirs="InvalidArgumentError: Shape must be rank -1 but is rank <2> for ",
        when=lambda d: d.attrs["shape"] is None, true=[on(_X, shape=None)],
        wrong=[on(_X, shape=[2, 3]),
            but(theirs="InvalidArgumentError: Shape must be rank 1 but is rank 2 for '{{node")]),
    value("Roll", "TensorFlow cuts an int64 shift to 32 bits", ANY_DTYPE, 0, ours_is(_rolled), gives="rolled by all 64 bits",
        when=lambda d: any(not -(2**31) <= n < 2**31 for n in np.ravel(d.input(1)).tolist()),
        true=[seen(on(_X, 1 << 32, 1), np.roll(_X, 1, 1), _X)], wrong=[but(ours=np.roll(_X, 2, 1)), on(_X, 1, 1)]),
    value("LowerBound UpperBound",
        "where numbers are not in order, a value has several places between a smaller and a larger one", "int32 int64", 0,
        where=_divides, gives="another such place", there="one of them",
        true=[_bounds("LowerBound", 0, 2, 5, 3), _bounds("LowerBound", 2, 0, 5, 3), _bounds("UpperBound", 0, 2, 5, 4),
            _bounds("UpperBound", 2, 0, 5, np.nan)],
        wrong=[_bounds("LowerBound", 1, 2, 5, 3), _bounds("LowerBound", 3, 2, 5, 3), _bounds("LowerBound", 0, 1, 3, 5),
            _bounds("UpperBound", 1, 0, 4, 5, 5)]),
    refusal("DynamicStitch", "TensorFlow counts the rows in 32 bits",
        theirs="InvalidArgumentError: Expected a non-negative size, got -2147483648", when=lambda d: any((np.asarray(i) == _LARGEST).any() for i in d.input(0)),
        true=[on([np.int32([_LARGEST])], [np.zeros((1, 0))])], wrong=[on([np.int32([5])], [np.zeros((1, 0))])]),
    refusal("UnravelIndex", "TensorFlow gives coordinates to a negative index, which has none",
        ours="InvalidArgumentError: index -<3> is out of bound as with dims of <6> elements",
        wrong=[but(ours="InvalidArgumentError: index 3 is out of bound as with dims of 6 elements")]),
    refusal("UnravelIndex", "TensorFlow refuses to work on nothing",
        theirs="InvalidArgumentError: received empty tensor indices: ", when=lambda d: d.input(0).size == 0,
        true=[on(np.zeros(0, np.int32), [2])], wrong=[on(np.zeros(1, np.int32), [2])]),
    refusal("Unpack", "an op without outputs is waited for, but not computed",
        theirs=["InvalidArgumentError: axis = <-9> not in [",
            "InvalidArgumentError: Input shape axis <0> must equal 0, got shape "],
        when=lambda d: d.attrs["num"] == 0, true=[on(_X, num=0, axis=-9), on(_X, num=0, axis=0)],
        wrong=[on(_X, num=1, axis=-9)]),
    refusal("EditDistance", "TensorFlow sees only that an index outside of the shape leaves the output",
        ours=r"InvalidArgumentError: <hypothesis|truth~truth>_indices[<2>] = [<[\d,\s-]*~1048576, 2>] is out of bounds of <hypothesis|truth~truth>_shape",
        theirs=r"InternalError: Got an inner product <-?\d+~1048576> which would require writing to outside of the buffer for the output tensor",
        wrong=[but(ours="InvalidArgumentError: Shape must be rank 1 but is rank 0: truth_shape has shape []")]),
    refusal("EditDistance", "TensorFlow sees only that an index outside of the shape leaves the output",
        ours=r"InvalidArgumentError: <hypothesis|truth~hypothesis>_indices[<0>] = [<[\d,\s-]*~0, 0>] is out of bounds of <hypothesis|truth~hypothesis>_shape",
        when=_inside_output, true=[_distance([0, 0])], wrong=[_distance([3, 0])]),
    refusal("Tile", "TensorFlow registers a kernel for quantized numbers and uint16 that does not take them",
        theirs="UnimplementedError: TileOp : The input data type is not supported, DataType : <qu?int|uint16~uint16>",
        when=lambda d: d.case.types[0] in (11, 12, 13, 15, 16, 17),
        true=[on(np.zeros(2, np.uint16), [1]), on(np.zeros(2), [1], types=[11, 3])], wrong=[on(np.zeros(2), [1])]),
    refusal("Where", "TensorFlow registers a kernel for float16 that does not take it",
        theirs="UnimplementedError: No WhereOp available for float16/half type on CPU",
        when=lambda d: d.input(0).dtype == np.float16, true=[on(np.ones(2, np.float16))],
        wrong=[on(np.ones(2, np.float32))]),
    refusal("MirrorPadGrad", "TensorFlow's kernel stops at 5 dimensions, before it sees what else is wrong",
        ours="InvalidArgumentError: MirrorPadGrad: Shape must be rank <2> but is rank <6>: <input|paddings~input> has shape ",
        theirs=r"UnimplementedError: inputs rank not in [<[\d,]+~1,5>]: <6>", when=lambda d: d.input(0).ndim > 5,
        true=[on(np.zeros([1] * 6))],
        wrong=[on(np.zeros([1] * 4))]),
    refusal("ExtractImagePatches", "TensorFlow calls this fault of the input its own",
        ours="InvalidArgumentError: ExtractImagePatches: <ksizes|strides|rates~rates> must be [1, rows, cols, 1] with positive rows and cols",
        theirs=["UnimplementedError: Only support <ksizes|strides|rates~ksizes> across space.",
            "OutOfRangeError: <ksizes|strides|rates~rates> is out of range."],
        wrong=[but(ours="InvalidArgumentError: ExtractImagePatches: Shape must be rank 4 but is rank 0: images has shape []")]),
    no_gradient("GatherNd", "TensorFlow's gradient has no shape of type int16",
        theirs=["InvalidArgumentError: Input tensor must be int32 or int64, but was int16",
            "TypeError: Value passed to parameter 'out_type' has DataType int16 not in list of allowed values: int32, int64"],
        when=lambda d: d.input(1).dtype == np.int16, true=[on(_X, np.int16([[1]]))], wrong=[on(_X, np.int32([[1]]))]),
    no_gradient("GatherNd",
        "TensorFlow's gradient scatters, and expects an outer dimension; one index may stand alone",
        theirs=[_NO_ROWS, _MUST_MATCH], when=_one_index, true=[on(_X, [1, 2]), on(_X, [1])], wrong=[on(_X, [[1]])]),
    no_gradient("GatherNd", "TensorFlow refuses to scatter nothing, or into nothing",
        theirs="InvalidArgumentError: Indices and updates specified for empty output shape",
        when=lambda d: d.input(0).size == 0 or d.input(1).size == 0, true=[on(np.zeros((3, 0)), [[1]])],
        wrong=[on(np.zeros((3, 1)), [[1]])]),
    no_gradient("StridedSlice", "TensorFlow's gradient has no shape of type int16",
        theirs="TypeError: Value passed to parameter '<out_type|shape~shape>' has DataType int16 not in list of allowed values: int32, int64",
        when=lambda d: d.input(1).dtype == np.int16,
        true=[on(_X, np.int16([1]))], wrong=[on(_X, np.int64([1]))]),
    no_gradient("ConcatV2", "TensorFlow's gradient mixes an int64 axis with int32",
        theirs="TypeError: Input 'y' of 'FloorMod' Op has type int32 that does not match type int64 of argument 'x'",
        wrong=[but(theirs="TypeError: Input 'y' of 'FloorMod' Op has type float that does not match type int64 of argument 'x'.")]),
    path("MatrixDiagV2 MatrixDiagV3", "TensorFlow gives no gradient to the number that fills the rest; the output depends on it",
        FLOATS, 1, OURS_ONLY, wrong=[but(output=0)]),
    refusal("ConcatOffset", "as in TensorFlow 1.x, a vector of one number is a scalar",
        theirs="InvalidArgumentError: Concat dim tensor should be a scalar integer, but got shape [1]",
        when=lambda d: np.shape(d.input(0)) == (1,), true=[on(np.int32([0]))], wrong=[on(np.int32(0))]),
]
