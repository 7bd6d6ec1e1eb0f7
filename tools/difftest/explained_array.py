# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of ops that rearrange, cut and gather."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    KERNELS,
    REFUSAL,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    ANY_DTYPE,
    FLOATS,
    OURS_ONLY,
    Explanation,
    call,
    gave,
    lacks,
    ours_is,
    refused,
)

_INT32 = np.iinfo(np.int32)
_INT64 = np.iinfo(np.int64)
_X = np.arange(6.0, dtype=np.float32).reshape(2, 3)


def _banded(d: Difference) -> np.ndarray:
    """The band of a matrix: less than 0 is all of a side."""
    x = d.input(0)
    lower, upper = (int(d.input(i)) for i in (1, 2))
    row, column = np.indices(x.shape[-2:])
    kept = np.ones(x.shape[-2:], bool)
    if lower >= 0:
        kept &= row - column <= lower
    if upper >= 0:
        kept &= column - row <= upper
    return np.where(kept, x, np.zeros((), x.dtype))


def _rolled(d: Difference) -> np.ndarray:
    shift, axis = (np.atleast_1d(d.input(i)) for i in (1, 2))
    x = d.input(0)
    for s, a in zip(shift.tolist(), axis.tolist()):
        x = np.roll(x, s % max(x.shape[a], 1), a)
    return x


def _huge(index: int):
    """An input that holds an integer of more than 32 bits."""

    def test(d: Difference) -> bool:
        x = np.asarray(d.input(index)).astype(object)
        return bool(((x > _INT32.max) | (x < _INT32.min)).any())

    return test


def _divides(d: Difference) -> np.ndarray:
    """Places where what is before is below the value, or not above it for UpperBound, and what is behind is not.

    Of rows that are not in order: in the others there is one such place.
    """
    assert d.arrays is not None and d.arrays.ours is not None
    rows, values, places = d.input(0), d.input(1), d.arrays.ours
    upper, n = d.op == "UpperBound", rows.shape[1]
    if n == 0 or not ((places >= 0) & (places <= n)).all():
        return np.zeros((), bool)
    before = np.take_along_axis(rows, np.maximum(places - 1, 0), 1)
    behind = np.take_along_axis(rows, np.minimum(places, n - 1), 1)
    fits_before = ~(values < before) if upper else before < values
    fits_behind = values < behind if upper else ~(behind < values)
    fits = ((places == 0) | fits_before) & ((places == n) | fits_behind)
    disorder = ~(rows[:, :-1] <= rows[:, 1:]).all(1, keepdims=True)
    return (fits & disorder)[d.arrays.far]


def _bounds(op: str, ours: int, theirs: int, *row: float) -> Difference:
    case = call(op, np.float32([row]), np.float32([[4]]))
    return gave(case, [[ours]], [[theirs]], "int32")


def _largest_index(d: Difference) -> bool:
    """DynamicStitch is given an index that int32 cannot count up to."""
    return any((np.asarray(i) == _INT32.max).any() for i in d.input(0))


def _one_index(d: Difference) -> bool:
    """The indices of an op are one index, without an outer dimension: what it points at is one slice."""
    at = {"ScatterNd": 0}.get(d.op, 1)
    return np.ndim(d.input(at)) == 1


# What TensorFlow says of the sum that stands in for TileGrad.
_NO_SUM = (
    r"InvalidArgumentError: (Value for attr 'T' of \w+ is not in the list of allowed "
    r"values: |No OpKernel was registered to support Op 'Sum' )[\s\S]*"
)
_NO_SUM_OF_BOOL = (
    "InvalidArgumentError: Value for attr 'T' of bool is not in the list of allowed "
    "values: float, double"
)


def _is_no_number(d: Difference) -> bool:
    dtype = d.input(0).dtype
    return dtype.kind in "bO" or dtype.names is not None


_MANY = np.zeros((2, 2), np.int32)
_ONE = np.zeros(2, np.int32)
_SCATTERS = (
    "ScatterNdAdd ScatterNdSub ScatterNdUpdate ScatterNdNonAliasingAdd "
    "ScatterNdMax ScatterNdMin TensorScatterAdd TensorScatterSub TensorScatterUpdate TensorScatterMax TensorScatterMin"
)
_MUST_MATCH = (
    "InvalidArgumentError: Dimensions [0,1) of indices[shape=[2]] = 2 must match "
    "dimensions [0,1) of updates[shape=[8]] = 8"
)
_SLICE_MUST_MATCH = (
    "InvalidArgumentError: Dimensions [1,2) of input[shape=[1,1]] must match "
    "dimensions [1,1) of updates[shape=[1]]"
)

_RANK_IS_UNKNOWN = (
    "InvalidArgumentError: Shape must be rank -1 but is rank 2 for '{{node op}}"
)

TABLE: list[Explanation] = [
    Explanation(
        "SpaceToBatchND BatchToSpaceND",
        REFUSAL,
        "TensorFlow wants the rank of block_shape to be known",
        theirs=r"InvalidArgumentError: block_shape must have rank 1\. for .* with input shapes: \?, \?, \?\.",
        true=[
            refused(
                "SpaceToBatchND",
                theirs="InvalidArgumentError: block_shape must have rank 1. for 'op' with input shapes: ?, ?, ?.",
            )
        ],
        wrong=[
            refused(
                "SpaceToBatchND",
                theirs="InvalidArgumentError: block_shape must have rank 1. for 'op' with input shapes: [4], [2,2], ?.",
            )
        ],
    ),
    Explanation(
        "ExtractImagePatches",
        GRADIENT_ERROR,
        "TensorFlow's gradient wants the shape to be known",
        theirs=r"InvalidArgumentError: Cannot infer argument `num` from shape \(None,\)",
        true=[
            refused(
                "ExtractImagePatches",
                theirs="InvalidArgumentError: Cannot infer argument `num` from shape (None,)",
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                "ExtractImagePatches",
                theirs="InvalidArgumentError: Cannot infer argument `num` from shape (3,)",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "BatchMatrixBandPart MatrixBandPart",
        VALUE,
        "TensorFlow's arithmetic overflows; less than 0 means all",
        dtypes=ANY_DTYPE,
        outputs=(0,),
        elements=ours_is(_banded),
        bound=np.inf,
        when=lambda d: any(int(d.input(i)) == _INT64.min for i in (1, 2)),
        true=[gave(call("MatrixBandPart", _X, _INT64.min, 0), np.tril(_X), 0 * _X)],
        wrong=[
            gave(call("MatrixBandPart", _X, _INT64.min, 0), np.tril(_X) * 3, 0 * _X),
            gave(call("MatrixBandPart", _X, -1, 0), np.tril(_X), 0 * _X),
        ],
    ),
    Explanation(
        "TileGrad",
        REFUSAL,
        "Sum, which stands in for it, is for numbers that can be added",
        theirs=_NO_SUM,
        when=_is_no_number,
        true=[refused(call("TileGrad", [True], [1]), theirs=_NO_SUM_OF_BOOL)],
        wrong=[refused(call("TileGrad", [1.0], [1]), theirs=_NO_SUM_OF_BOOL)],
    ),
    Explanation(
        "TileGrad",
        ERROR_CLASS,
        "Sum, which stands in for it, is for numbers that can be added",
        ours=r"UnimplementedError: TileGrad: values of type \w+ cannot be added, .*",
        theirs=_NO_SUM,
        true=[
            refused(
                "TileGrad",
                "UnimplementedError: TileGrad: values of type bool cannot be added, so",
                _NO_SUM_OF_BOOL,
            )
        ],
        wrong=[
            refused("TileGrad", "InvalidArgumentError: TileGrad: x", _NO_SUM_OF_BOOL)
        ],
    ),
    Explanation(
        "Conj",
        KERNELS,
        "TensorFlow 2 conjugates lists of tensors, which are variants; Conj takes numbers alone, as in TensorFlow 1.x",
        dtypes="variant",
        true=[lacks("Conj", "variant")],
        wrong=[
            lacks("AddN", "variant"),
            lacks("Conj", "float32"),
            lacks("Identity", "variant"),
        ],
    ),
    Explanation(
        "SplitV",
        REFUSAL,
        "TensorFlow infers no size where there is one output",
        theirs=r"InvalidArgumentError: If there is only one output, it must have the same size as the input\. Input size: \d+ output size: -1",
        when=lambda d: d.attrs["num_split"] == 1,
        true=[
            refused(
                call("SplitV", _X, [-1], 0, num_split=1),
                theirs="InvalidArgumentError: If there is only one output, it must have the same size as the input. Input size: 2 output size: -1",
            )
        ],
        wrong=[
            refused(
                call("SplitV", _X, [3], 0, num_split=1),
                theirs="InvalidArgumentError: If there is only one output, it must have the same size as the input. Input size: 2 output size: 3",
            )
        ],
    ),
    Explanation(
        "GatherNd",
        REFUSAL,
        "TensorFlow refuses to gather slices without elements",
        theirs=r"InvalidArgumentError: Requested more than 0 entries, but params is empty\.",
        when=lambda d: d.input(0).size == 0,
        true=[
            refused(
                call("GatherNd", np.zeros((3, 0)), [[1]]),
                theirs="InvalidArgumentError: Requested more than 0 entries, but params is empty.  Params shape: [3,0]",
            )
        ],
        wrong=[
            refused(
                call("GatherNd", np.zeros((3, 1)), [[1]]),
                theirs="InvalidArgumentError: Requested more than 0 entries, but params is empty.  Params shape: [3,1]",
            )
        ],
    ),
    Explanation(
        "Reverse",
        REFUSAL,
        "TensorFlow refuses to reverse nothing",
        theirs=r"InvalidArgumentError: Invalid input first dimension\. Found 0\.",
        when=lambda d: d.input(0).shape[:1] == (0,),
        true=[
            refused(
                call("Reverse", np.zeros((0, 2)), [True, False]),
                theirs="InvalidArgumentError: Invalid input first dimension. Found 0.",
            )
        ],
        wrong=[
            refused(
                call("Reverse", np.zeros((3, 2)), [True, False]),
                theirs="InvalidArgumentError: Invalid input first dimension. Found 0.",
            )
        ],
    ),
    Explanation(
        f"ScatterNd {_SCATTERS}",
        REFUSAL,
        "TensorFlow's shape function expects an outer dimension; one index may stand alone",
        theirs=r"InvalidArgumentError: (Shape must be at least rank 1 but is rank 0 for '\{\{node op\}\}|Dimensions \[0,1\) of indices\[shape=\[\d+\]\] = \d+ must match dimensions \[0,1\) of updates|Dimensions \[\d+,\d+\) of input\[shape=\[[\d,]+\]\] must match dimensions \[1,\d+\) of updates)",
        when=_one_index,
        true=[
            refused(
                call("ScatterNd", _ONE, np.zeros(8), [3, 3, 8]), theirs=_MUST_MATCH
            ),
            refused(
                call("ScatterNdAdd", _X, _ONE, 1.0),
                theirs="InvalidArgumentError: Shape must be at least rank 1 but is rank 0 for '{{node op}} = ScatterNdAdd[",
            ),
            refused(
                call("TensorScatterSub", _X, _ONE, np.zeros(8)), theirs=_MUST_MATCH
            ),
            refused(
                call("ScatterNdAdd", _X[:1, :1], [0], [1.0]), theirs=_SLICE_MUST_MATCH
            ),
        ],
        wrong=[
            refused(
                call("ScatterNdAdd", _X[:1, :1], [[0]], [1.0]), theirs=_SLICE_MUST_MATCH
            ),
            refused(
                call("ScatterNd", _MANY, np.zeros(8), [3, 3, 8]), theirs=_MUST_MATCH
            ),
            refused(
                call("TensorScatterSub", _X, _ONE, np.zeros(8)),
                theirs="InvalidArgumentError: Dimensions [0,2) of indices[shape=[2,2]] = 2 must match dimensions [0,2) of updates",
            ),
        ],
    ),
    Explanation(
        _SCATTERS,
        REFUSAL,
        "TensorFlow's kernel expects an outer dimension; one index may stand alone",
        theirs=r"InvalidArgumentError: Updates shape must have rank at least one\. Found:\[\]",
        when=lambda d: _one_index(d) and d.input(2).ndim == 0,
        true=[
            refused(
                call("TensorScatterMin", _X, _ONE, 1.0),
                theirs="InvalidArgumentError: Updates shape must have rank at least one. Found:[]",
            )
        ],
        wrong=[
            refused(
                call("TensorScatterMin", _X, _MANY, 1.0),
                theirs="InvalidArgumentError: Updates shape must have rank at least one. Found:[]",
            )
        ],
    ),
    Explanation(
        "EnsureShape",
        REFUSAL,
        "TensorFlow takes an unknown rank for a rank of -1",
        theirs=r"InvalidArgumentError: Shape must be rank -1 but is rank \d+ for ",
        when=lambda d: d.attrs["shape"] is None,
        true=[refused(call("EnsureShape", _X, shape=None), theirs=_RANK_IS_UNKNOWN)],
        wrong=[
            refused(call("EnsureShape", _X, shape=[2, 3]), theirs=_RANK_IS_UNKNOWN),
            refused(
                call("EnsureShape", _X, shape=None),
                theirs="InvalidArgumentError: Shape must be rank 1 but is rank 2 for '{{node",
            ),
        ],
    ),
    Explanation(
        "Roll",
        VALUE,
        "TensorFlow cuts an int64 shift to 32 bits",
        dtypes=ANY_DTYPE,
        outputs=(0,),
        elements=ours_is(_rolled),
        bound=np.inf,
        when=_huge(1),
        true=[gave(call("Roll", _X, 1 << 32, 1), np.roll(_X, 1, 1), _X)],
        wrong=[
            gave(call("Roll", _X, 1 << 32, 1), np.roll(_X, 2, 1), _X),
            gave(call("Roll", _X, 1, 1), np.roll(_X, 1, 1), _X),
        ],
    ),
    Explanation(
        "LowerBound UpperBound",
        VALUE,
        "where numbers are not in order, a value has several places between a smaller and a larger one",
        dtypes="int32 int64",
        outputs=(0,),
        elements=_divides,
        bound=np.inf,
        true=[
            _bounds("LowerBound", 0, 2, 5, 3),
            _bounds("LowerBound", 2, 0, 5, 3),
            _bounds("UpperBound", 0, 2, 5, 4),
            _bounds("UpperBound", 2, 0, 5, np.nan),
        ],
        wrong=[
            _bounds("LowerBound", 1, 2, 5, 3),
            _bounds("LowerBound", 3, 2, 5, 3),
            _bounds("LowerBound", 0, 1, 3, 5),
            _bounds("UpperBound", 1, 0, 4, 5, 5),
        ],
    ),
    Explanation(
        "DynamicStitch",
        REFUSAL,
        "TensorFlow counts the rows in 32 bits",
        theirs=r"InvalidArgumentError: Expected a non-negative size, got -2147483648",
        when=_largest_index,
        true=[
            refused(
                call("DynamicStitch", [np.int32([_INT32.max])], [np.zeros((1, 0))]),
                theirs="InvalidArgumentError: Expected a non-negative size, got -2147483648",
            )
        ],
        wrong=[
            refused(
                call("DynamicStitch", [np.int32([5])], [np.zeros((1, 0))]),
                theirs="InvalidArgumentError: Expected a non-negative size, got -2147483648",
            )
        ],
    ),
    Explanation(
        "UnravelIndex",
        REFUSAL,
        "TensorFlow makes coordinates of a negative index, which has none",
        ours=r"InvalidArgumentError: index -\d+ is out of bound as with dims of \d+ elements",
        true=[
            refused(
                "UnravelIndex",
                "InvalidArgumentError: index -3 is out of bound as with dims of 6 elements",
            )
        ],
        wrong=[
            refused(
                "UnravelIndex",
                "InvalidArgumentError: index 3 is out of bound as with dims of 6 elements",
            )
        ],
    ),
    Explanation(
        "UnravelIndex",
        REFUSAL,
        "TensorFlow refuses to work on nothing",
        theirs=r"InvalidArgumentError: received empty tensor indices: ",
        when=lambda d: d.input(0).size == 0,
        true=[
            refused(
                call("UnravelIndex", np.zeros(0, np.int32), [2]),
                theirs="InvalidArgumentError: received empty tensor indices: Tensor<type: int32 shape: [0] values: >",
            )
        ],
        wrong=[
            refused(
                call("UnravelIndex", np.zeros(1, np.int32), [2]),
                theirs="InvalidArgumentError: received empty tensor indices: Tensor<type: int32 shape: [1] values: 0>",
            )
        ],
    ),
    Explanation(
        "Unpack",
        REFUSAL,
        "an op without outputs is waited for, but not computed",
        theirs=r"InvalidArgumentError: (axis = -?\d+ not in \[|Input shape axis \d+ must equal 0, got shape )",
        when=lambda d: d.attrs["num"] == 0,
        true=[
            refused(
                call("Unpack", _X, num=0, axis=-9),
                theirs="InvalidArgumentError: axis = -9 not in [-2, 2)",
            ),
            refused(
                call("Unpack", _X, num=0, axis=0),
                theirs="InvalidArgumentError: Input shape axis 0 must equal 0, got shape [2,3]",
            ),
        ],
        wrong=[
            refused(
                call("Unpack", _X, num=1, axis=-9),
                theirs="InvalidArgumentError: axis = -9 not in [-2, 2)",
            )
        ],
    ),
    Explanation(
        "EditDistance",
        ERROR_CLASS,
        "of an index outside of the shape, TensorFlow sees only that it leaves the output",
        ours=r"InvalidArgumentError: (hypothesis|truth)_indices\[\d+\] = \[[\d,\s-]*\] is out of bounds of (hypothesis|truth)_shape",
        theirs=r"InternalError: Got an inner product -?\d+ which would require writing to outside of the buffer for the output tensor",
        true=[
            refused(
                "EditDistance",
                "InvalidArgumentError: truth_indices[2] = [1048576, 2] is out of bounds of truth_shape [1, 5]",
                "InternalError: Got an inner product 1048576 which would require writing to outside of the buffer for the output tensor (max elements 1)",
            )
        ],
        wrong=[
            refused(
                "EditDistance",
                "InvalidArgumentError: Shape must be rank 1 but is rank 0: truth_shape has shape []",
                "InternalError: Got an inner product 1048576 which would require writing to outside of the buffer for the output tensor (max elements 1)",
            )
        ],
    ),
    Explanation(
        "Tile",
        REFUSAL,
        "TensorFlow registers a kernel for quantized numbers and uint16 that does not take them",
        theirs=r"UnimplementedError: TileOp : The input data type is not supported, DataType : (qu?int|uint16)",
        when=lambda d: d.case.types[0] in (11, 12, 13, 15, 16, 17),
        true=[
            refused(
                call("Tile", np.zeros(2, np.uint16), [1]),
                theirs="UnimplementedError: TileOp : The input data type is not supported, DataType : uint16, Dimension : 1",
            ),
            refused(
                call("Tile", np.zeros(2), [1], types=[11, 3]),
                theirs="UnimplementedError: TileOp : The input data type is not supported, DataType : qint8, Dimension : 1",
            ),
        ],
        wrong=[
            refused(
                call("Tile", np.zeros(2), [1]),
                theirs="UnimplementedError: TileOp : The input data type is not supported, DataType : qint8, Dimension : 1",
            )
        ],
    ),
    Explanation(
        "Where",
        REFUSAL,
        "TensorFlow registers a kernel for float16 that does not take it",
        theirs=r"UnimplementedError: No WhereOp available for float16/half type on CPU",
        when=lambda d: d.input(0).dtype == np.float16,
        true=[
            refused(
                call("Where", np.ones(2, np.float16)),
                theirs="UnimplementedError: No WhereOp available for float16/half type on CPU; dying in CPU WhereOp",
            )
        ],
        wrong=[
            refused(
                call("Where", np.ones(2, np.float32)),
                theirs="UnimplementedError: No WhereOp available for float16/half type on CPU; dying in CPU WhereOp",
            )
        ],
    ),
    Explanation(
        "MirrorPadGrad",
        ERROR_CLASS,
        "TensorFlow's kernel stops at 5 dimensions, before it sees what else is wrong",
        ours=r"InvalidArgumentError: MirrorPadGrad: Shape must be rank \d+ but is rank \d+: (input|paddings) has shape ",
        theirs=r"UnimplementedError: inputs rank not in \[[\d,]+\]: \d+",
        when=lambda d: d.input(0).ndim > 5,
        true=[
            refused(
                call("MirrorPadGrad", np.zeros([1] * 6)),
                "InvalidArgumentError: MirrorPadGrad: Shape must be rank 2 but is rank 6: input has shape [1,1,1,1,1,1]",
                "UnimplementedError: inputs rank not in [1,5]: 6",
            )
        ],
        wrong=[
            refused(
                call("MirrorPadGrad", np.zeros([1] * 4)),
                "InvalidArgumentError: MirrorPadGrad: Shape must be rank 2 but is rank 4: input has shape [1,1,1,1]",
                "UnimplementedError: inputs rank not in [1,5]: 4",
            )
        ],
    ),
    Explanation(
        "ExtractImagePatches",
        ERROR_CLASS,
        "of the input's faults, TensorFlow calls this one its own",
        ours=r"InvalidArgumentError: ExtractImagePatches: (ksizes|strides|rates) must be \[1, rows, cols, 1\] with positive rows and cols",
        theirs=r"(UnimplementedError: Only support (ksizes|strides|rates) across space|OutOfRangeError: (ksizes|strides|rates) is out of range)\.",
        true=[
            refused(
                "ExtractImagePatches",
                "InvalidArgumentError: ExtractImagePatches: rates must be [1, rows, cols, 1] with positive rows and cols, got [1,0,1,1]",
                "OutOfRangeError: rates is out of range.",
            ),
            refused(
                "ExtractImagePatches",
                "InvalidArgumentError: ExtractImagePatches: ksizes must be [1, rows, cols, 1] with positive rows and cols, got [2,1,1,1]",
                "UnimplementedError: Only support ksizes across space.",
            ),
        ],
        wrong=[
            refused(
                "ExtractImagePatches",
                "InvalidArgumentError: ExtractImagePatches: Shape must be rank 4 but is rank 0: images has shape []",
                "OutOfRangeError: rates is out of range.",
            )
        ],
    ),
    Explanation(
        "GatherNd",
        GRADIENT_ERROR,
        "TensorFlow's gradient has no shape of type int16",
        theirs=r"(TypeError: Value passed to parameter 'out_type' has DataType int16 not in list of allowed values: int32, int64|InvalidArgumentError: Input tensor must be int32 or int64, but was int16)",
        when=lambda d: d.input(1).dtype == np.int16,
        true=[
            refused(
                call("GatherNd", _X, np.int16([[1]])),
                theirs="InvalidArgumentError: Input tensor must be int32 or int64, but was int16",
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("GatherNd", _X, np.int32([[1]])),
                theirs="InvalidArgumentError: Input tensor must be int32 or int64, but was int16",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "GatherNd",
        GRADIENT_ERROR,
        "TensorFlow's gradient scatters, and expects an outer dimension; one index may stand alone",
        theirs=r"InvalidArgumentError: (Updates shape must have rank at least one\. Found:\[\]|Dimensions \[0,1\) of indices\[shape=\[\d+\]\] = \d+ must match dimensions \[0,1\) of updates)",
        when=_one_index,
        true=[
            refused(
                call("GatherNd", _X, [1, 2]),
                theirs="InvalidArgumentError: Updates shape must have rank at least one. Found:[]",
                kind=GRADIENT_ERROR,
            ),
            refused(call("GatherNd", _X, [1]), theirs=_MUST_MATCH, kind=GRADIENT_ERROR),
        ],
        wrong=[
            refused(
                call("GatherNd", _X, [[1]]), theirs=_MUST_MATCH, kind=GRADIENT_ERROR
            )
        ],
    ),
    Explanation(
        "GatherNd",
        GRADIENT_ERROR,
        "TensorFlow refuses to scatter nothing, or into nothing",
        theirs=r"InvalidArgumentError: Indices and updates specified for empty output shape",
        when=lambda d: d.input(0).size == 0 or d.input(1).size == 0,
        true=[
            refused(
                call("GatherNd", np.zeros((3, 0)), [[1]]),
                theirs="InvalidArgumentError: Indices and updates specified for empty output shape",
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                call("GatherNd", np.zeros((3, 1)), [[1]]),
                theirs="InvalidArgumentError: Indices and updates specified for empty output shape",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "StridedSlice",
        GRADIENT_ERROR,
        "TensorFlow's gradient has no shape of type int16",
        theirs=r"TypeError: Value passed to parameter '(out_type|shape)' has DataType int16 not in list of allowed values: int32, int64",
        when=lambda d: d.input(1).dtype == np.int16,
        true=[
            refused(
                call("StridedSlice", _X, np.int16([1])),
                theirs="TypeError: Value passed to parameter 'shape' has DataType int16 not in list of allowed values: int32, int64",
                kind=GRADIENT_ERROR,
            ),
            refused(
                call("StridedSlice", _X, np.int16([1])),
                theirs="TypeError: Value passed to parameter 'out_type' has DataType int16 not in list of allowed values: int32, int64",
                kind=GRADIENT_ERROR,
            ),
        ],
        wrong=[
            refused(
                call("StridedSlice", _X, np.int64([1])),
                theirs="TypeError: Value passed to parameter 'out_type' has DataType int16 not in list of allowed values: int32, int64",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "ConcatV2",
        GRADIENT_ERROR,
        "TensorFlow's gradient mixes an int64 axis with int32",
        theirs=r"TypeError: Input 'y' of 'FloorMod' Op has type int32 that does not match type int64 of argument 'x'",
        true=[
            refused(
                "ConcatV2",
                theirs="TypeError: Input 'y' of 'FloorMod' Op has type int32 that does not match type int64 of argument 'x'.",
                kind=GRADIENT_ERROR,
            )
        ],
        wrong=[
            refused(
                "ConcatV2",
                theirs="TypeError: Input 'y' of 'FloorMod' Op has type float that does not match type int64 of argument 'x'.",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "MatrixDiagV2 MatrixDiagV3",
        GRADIENT,
        "TensorFlow gives the number for the rest no gradient; the output depends on it",
        dtypes=FLOATS,
        outputs=(1,),
        path=OURS_ONLY,
        true=[gave("MatrixDiagV3", 1.0, None, output=1, kind=GRADIENT)],
        wrong=[
            gave("MatrixDiagV3", None, 1.0, output=1, kind=GRADIENT),
            gave("MatrixDiagV3", 1.0, None, output=0, kind=GRADIENT),
            gave("MatrixDiagV3", 3.0, 1.0, output=1, kind=GRADIENT),
        ],
    ),
]
