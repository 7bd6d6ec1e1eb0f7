# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of ops of later versions, and of later versions of diagonals and segments."""

import numpy as np

from tensorwright.tools.difftest.examples import but, call, on, seen
from tensorwright.tools.difftest.explanation import (
    FLOATS,
    INTEGERS,
    QUANTIZED,
    ours_is,
    upstream,
)
from tensorwright.tools.difftest.records import (
    death,
    gradient,
    inference,
    no_gradient,
    refusal,
    shaped,
    value,
)
from tensorwright.tools.opcheck import signature as sig


def _is_split_of_one(d):
    """The output has row splits of a ragged feature, and there is one example and no batch."""
    a = d.attrs
    contexts = len(a["context_ragged_value_types"])
    first = 3 * a["Ncontext_sparse"] + len(a["Tcontext_dense"]) + contexts
    lists = len(a["feature_list_ragged_value_types"])
    second = first + contexts + 3 * a["Nfeature_list_sparse"]
    second += 2 * a["Nfeature_list_dense"] + lists
    is_split = first <= d.output < first + contexts or 0 <= d.output - second < lists
    return is_split and np.ndim(d.input(0)) == 0


_TYPES = {"Tcontext_dense": [], "Ncontext_sparse": 0, "Nfeature_list_sparse": 0}
for _name in ("context", "feature_list"):
    _TYPES[f"{_name}_ragged_value_types"] = [sig.FLOAT]


def _sequence(serialized):
    return on(serialized, Nfeature_list_dense=0, **_TYPES)


def _example(*values):
    attrs = {"Tdense": [], "sparse_types": [], "ragged_value_types": [*values]}
    return on(b"", [b"n"], **attrs)


def _counted(*dense_shape):
    indices = np.zeros([0, len(dense_shape)], np.int64)
    return on(indices, np.zeros(0, np.int64), dense_shape, 3, [])


def _weighted(*shape):
    indices, values = np.zeros([2, 1], np.int64), np.zeros(2, np.int64)
    return on(indices, values, [3], 3, np.ones(shape))


def _gamma(shape, alg, dtype="float64"):
    return on(shape, np.uint64([1]), np.uint64([1, 2]), alg, np.ones(2, dtype))


def _is_last(d):
    """The places of indices that are max_index, a power of 4."""
    last = d.input(2).astype(np.uint64)
    return (d.input(0).astype(np.uint64) == last) & (last & (last - np.uint64(1)) == 0)


def _last_place(d):
    return np.where(_is_last(d), d.input(0), d.there)


def _cut(size):
    inputs = np.int64(0), np.int64([[0]]), np.float32([1]), np.int64([size])
    return on(*inputs, num_split=3)


# Diagonals and segments. -------------------------------------------------------------------------------------


def _band(d):
    """The lowest and the highest diagonal of a MatrixDiagV2, MatrixDiagPartV2 or MatrixSetDiagV2."""
    k = np.reshape(d.input(2 if d.op == "MatrixSetDiagV2" else 1), -1)
    return int(k[0]), int(k[-1])


def _of_left(d):
    """The gradient by the diagonals, or of MatrixDiagPartV2 by the matrix: short diagonals are at the left."""
    g, (low, high) = upstream(d.outputs[0][0]), _band(d)
    part = d.op == "MatrixDiagPartV2"
    result = np.zeros(np.shape(d.input(1 if d.op == "MatrixSetDiagV2" else 0)), g.dtype)
    matrix, rows = (result, g) if part else (g, result)
    for i, k in enumerate(range(high, low - 1, -1)):
        n = np.diagonal(matrix, k, -2, -1).shape[-1]
        at = np.arange(n)
        place = (..., at + max(-k, 0), at + max(k, 0))
        if part:
            matrix[place] = rows[..., i, :n]
        else:
            rows[..., i, :n] = matrix[place]
    return result


def _diagonals(last):
    rows = np.ones([2, 2] if last else [2], np.float32)
    return on(rows, np.int32([0, last]), 2, 2, np.float32(0))


def _segments(count, ids=1):
    return on(_ZEROS, *[np.int64([0, 0])] * ids, np.int64(count))


_ZEROS = np.zeros([2, 2], np.float32)
_G = upstream(_ZEROS)
_LEFT = np.float32([[_G[0, 1], 0], [_G[0, 0], _G[1, 1]]])
_OF_LEFT = dict(
    why="TensorFlow's gradient takes short diagonals to be at the right above the main one, where the op has them left",
    dtypes=FLOATS,
    elements=ours_is(_of_left),
    gives="of short diagonals at the left",
    when=lambda d: _band(d)[0] < _band(d)[1],
)
_NO_HALF = "TypeError: Value passed to parameter 'alpha' has DataType <b?~>float16 not in list of allowed values: float32, float64"

# fmt: off
TABLE = [
    shaped("ParseSequenceExampleV2",
        "one example that is in no batch has an empty vector of splits; TensorFlow's shape function says a vector, too",
        "int32 int64", range(64), ((0,), ()), when=_is_split_of_one,
        true=[seen(_sequence(b""), [], 0, dtype="int64", output=1), but(output=3)],
        wrong=[but(output=0), but(output=2), but(output=4), but(ours=[0]), _sequence([b""])]),
    refusal("ParseExampleV2",
        "an op without a state and without an output is not run for another one that waits for it",
        theirs="InvalidArgumentError: Expected names have the same shape as serialized: name.shape=",
        when=lambda d: not any(d.attrs[a] for a in ("Tdense", "sparse_types", "ragged_value_types")),
        true=[_example()],
        wrong=[_example(sig.FLOAT), but(theirs="InvalidArgumentError: Key: i.  Can't parse serialized Example.")]),
    inference("SparseCountSparseOutput",
        "TensorFlow's shape function says of the counts what is true of the input; the counts are a matrix's, of any rank",
        (0, 2), when=lambda d: d.ours[-1] == 2 == d.actual[-1] and d.theirs[-1] > 2,
        true=[seen(None, [None, 2], [None, 3], actual=[4, 2]), seen(None, [2], [3], actual=[2], output=2)],
        wrong=[but(actual=[4, 3]), but(ours=[None, 3], theirs=[None, 2]), but(ours=[2], theirs=[1], actual=[2], output=2)]),
    refusal("SparseSplit", "sizes have 64 bits; TensorFlow takes the lower 32 of the one that is cut",
        theirs="InvalidArgumentError: num_split must be in the interval (0, <-2147483648>]",
        when=lambda d: d.input(3).max(initial=0) >= 1 << 31, true=[_cut(1 << 31)], wrong=[_cut(7)]),
    refusal("RaggedCountSparseOutput", "a tensor without rows has the splits [0]",
        theirs="InvalidArgumentError: Must provide at least 2 elements for the splits argument",
        when=lambda d: np.array_equal(d.input(0), [0]) and np.size(d.input(1)) == 0,
        true=[on([0], [], [])], wrong=[on([0, 0], [], []), on([], [], [])]),
    refusal("SparseBincount", "there is a weight for each value or none, as its documentation says",
        ours="InvalidArgumentError: SparseBincount: weights must be empty or have the shape of the values, got ",
        when=lambda d: np.shape(d.input(4)) != np.shape(d.input(1)), true=[_weighted(1, 1)], wrong=[_weighted(2)]),
    no_gradient("StatelessRandomGammaV2", "TensorFlow's gradient function is not for halves", theirs=_NO_HALF,
        wrong=[but(theirs=_NO_HALF.replace("<b?~>float16", "int32"))]),
    refusal("ResourceGatherNd GatherNd", "an index of no depth is all of the params, also of a number",
        theirs="InvalidArgumentError: params must be at least a vector",
        when=lambda d: np.ndim(d.input(0)) == 0 and np.shape(d.input(1))[-1:] == (0,),
        true=[on(3, np.zeros([2, 0], np.int64))], wrong=[on(3, np.zeros([2, 1], np.int64))]),
    refusal("SparseBincount",
        "rows are counted of any rank; TensorFlow's shape function refuses it, and its kernel does not",
        theirs="InvalidArgumentError: Input must be less than rank 2 for ", when=lambda d: np.size(d.input(2)) > 2,
        true=[_counted(2, 3, 4)],
        wrong=[_counted(2, 3), but(theirs="InvalidArgumentError: Shape must be rank 1 but is 2")]),
    no_gradient("StatelessRandomGammaV3", "TensorFlow's derivative of gamma samples has no kernel for half",
        theirs=_NO_HALF, when=lambda d: d.input(4).dtype.itemsize == 2, true=[_gamma([2], 1, "float16")],
        wrong=[_gamma([2], 1, "float32")]),
    refusal("StatelessRandomGammaV3",
        "an unknown algorithm is refused; TensorFlow does not look at it where there is nothing to draw",
        ours="InvalidArgumentError: StatelessRandomGammaV3: alg must be 1 (Philox) or 3 (the device's), got ",
        when=lambda d: d.input(3) not in (1, 3) and 0 in d.input(0), true=[_gamma([0, 2], -2)],
        wrong=[_gamma([1, 2], -2), _gamma([0, 2], 1)]),
    inference("ExtractVolumePatches", "TensorFlow's shape function forgets a dimension", (0,), gives="has the output's rank",
        when=lambda d: d.ours == [None] * 5 and d.theirs == [None] * 4,
        true=[seen(None, [None] * 5, [None] * 4, actual=[1, 2, 1, 4, 4])],
        wrong=[but(ours=[None] * 4), but(theirs=[None] * 5)]),
    no_gradient("ExtractVolumePatches",
        "TensorFlow's gradient function fails where sizes are not known, or channels are several",
        theirs=["TypeError: 'NoneType' object is not iterable",
            "InvalidArgumentError: Cannot multiply A and B because inner dimension does not match: "],
        wrong=[call("ExtractImagePatches")]),
    value("FakeParam Empty", "nothing is to be read of it", f"{FLOATS} {INTEGERS} {QUANTIZED} bool", 0,
        where=lambda d: d.here == 0, gives="0", there="what lies in memory",
        when=lambda d: not d.attrs.get("init", False),
        true=[seen(on(), [0.0, 0.0], [0.0, 7.0]), seen(call("Empty", init=False), [0.0, 0.0], [0.0, 7.0])],
        wrong=[but(ours=[1.0, 0.0], theirs=[0.0, 0.0]), call("Empty", init=True)]),
    gradient("MatrixDiagV2 MatrixDiagPartV2", outputs=0, **_OF_LEFT,
        true=[seen(_diagonals(1), _LEFT, np.roll(_LEFT, 1, 1), outputs=[_ZEROS])], wrong=[but(ours=-_LEFT), _diagonals(0)]),
    gradient("MatrixSetDiagV2", outputs=1, **_OF_LEFT,
        true=[seen(on(_G, _G, np.int32([0, 1])), _LEFT, np.roll(_LEFT, 1, 1), outputs=[_ZEROS])], wrong=[but(ours=-_LEFT)]),
    death("UnsortedSegmentMin UnsortedSegmentSum", "TensorFlow makes room for all segments that an int32 can count",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape[2147483647<[,\]]~,>",
        theirs="Died: <SIGABRT|SIGKILL|no answer in~SIGABRT>", when=lambda d: int(np.max(d.input(2))) >= 2**31 - 1,
        true=[_segments(2**31 - 1)], wrong=[_segments(7)]),
    refusal("SparseSegmentSumWithNumSegments SparseSegmentMeanWithNumSegments SparseSegmentSqrtNWithNumSegments",
        "TensorFlow's number of segments overflows an int32",
        ours=r"ResourceExhaustedError: OOM when allocating tensor with shape[<\d{10,}[,\]]~2147483648,>",
        theirs=r"InvalidArgumentError: segment ids must be \< num_segments",
        when=lambda d: int(np.max(d.input(3))) >= 2**31, true=[_segments(2**31, 2)], wrong=[_segments(5, 2)]),
    refusal("ParseSequenceExampleV2", "TensorFlow takes the elements of keys of any rank",
        ours="InvalidArgumentError: ParseSequenceExampleV2: Shape must be rank 1 but is rank <2>: <\\w+_keys~feature_list_sparse_keys> has shape ",
        when=lambda d: any(np.ndim(i) != 1 for i in d.case.inputs[2:8]),
        true=[on(*[b""] * 2, *[[b"a"]] * 3, np.array([[b"a"]], object), *[[b"a"]] * 2)], wrong=[on(*[b""] * 2, *[[b"a"]] * 6)]),
    refusal("ParseSequenceExampleV2", "two features have two names; TensorFlow finds neither where the name is in no example",
        ours="InvalidArgumentError: <Key|Feature list~Key>: <.*~a> is asked for twice",
        when=lambda d: any(len({*np.ravel(i).tolist()}) < np.size(i) for i in d.case.inputs[2:8]),
        true=[on(*[b""] * 2, [b"a", b"a"], *[[b"a"]] * 5)], wrong=[on(*[b""] * 2, *[[b"a"]] * 6)]),
    refusal("ParseSequenceExampleV2", "what is as long as it is in the one example that is given has a shape",
        theirs="InvalidArgumentError: Shape [<[\\d,?]*~?>] is not fully defined for '",
        when=lambda d: any(-1 in s for s in d.attrs["context_dense_shapes"]),
        true=[on(context_dense_shapes=[[-1], [3, 1]])], wrong=[on(context_dense_shapes=[[3, 1]])]),
    refusal("StatelessRandomUniformIntV2", "bounds are looked at also where nothing is drawn",
        ours=r"InvalidArgumentError: Need minval \< maxval, got <-5> >= <-1>", when=lambda d: 0 in d.input(0),
        true=[on(np.int32([8, 0]))], wrong=[on(np.int32([8, 1]))]),
    refusal("ResourceGather", "batches are as many as those of the indices, also where there are none",
        ours="InvalidArgumentError: ResourceGather: shape must start with the shape of indices, got [<[\\d,]+~3,8>] and [<[\\d,]+~0>]",
        when=lambda d: np.size(d.input(1)) == 0 and d.attrs["batch_dims"] > 0,
        true=[on(np.ones([3, 8]), np.int64([]), batch_dims=1)],
        wrong=[on(np.ones([3, 8]), np.int64([0]), batch_dims=1), on(np.ones([3, 8]), np.int64([]), batch_dims=0)]),
    refusal("StatelessRandomGammaV2", "a shape that does not fit the parameters is refused before there is room for it",
        ours=r"InvalidArgumentError: StatelessRandomGammaV2: shape must end with that of the parameters, [<[\d,]*~8>], got [<[\d,]+~2147483648>]",
        theirs="ResourceExhaustedError: OOM when allocating tensor with shape[",
        when=lambda d: np.shape(d.input(2)) != tuple(d.input(0)[-np.ndim(d.input(2)) :]),
        true=[on(np.int64([1 << 31, 1 << 31]), [1, 2], np.ones(8))], wrong=[on(np.int64([1 << 31, 8]), [1, 2], np.ones(8))]),
    refusal("StatelessRandomGammaV3", "a counter of Philox has two numbers; TensorFlow does not look how many it has",
        ours="InvalidArgumentError: StatelessRandomGammaV3: counter must have 2 elements at least, got shape [<1>]",
        when=lambda d: np.size(d.input(2)) < 2, true=[on([1], np.uint64([1]), np.uint64([5]))],
        wrong=[on([1], np.uint64([1]), np.uint64([5, 6]))]),
    refusal("StatelessRandomPoisson", "a shape must end with that of the parameters, also where nothing is drawn",
        ours=r"InvalidArgumentError: StatelessRandomPoisson: shape must end with that of the parameters, [<[\d,]*~0>], got [<[\d,]*~0,2>]",
        when=lambda d: 0 in d.input(0), true=[on(np.int32([0, 2]))], wrong=[on(np.int32([1, 2]))]),
    refusal("StatelessTruncatedNormalV2", "TensorFlow reads a counter's second number, also where it has one",
        ours=r"InvalidArgumentError: StatelessTruncatedNormalV2: counter must have 2 elements at least, got shape [1]",
        when=lambda d: np.shape(d.input(2)) == (1,), true=[on([2], np.uint64([1]), np.uint64([1]))],
        wrong=[on([2], np.uint64([1]), np.uint64([1, 2]))]),
    refusal("RandomIndexShuffle", "no numbers have no places",
        theirs=["InvalidArgumentError: Index bust be a scalar or vector.",
            "InvalidArgumentError: Maxval must be a scalar or a vector of the same size as index but got [0]",
            "InvalidArgumentError: Seed must be a vector of size [3] or matrix of size [num_seeds, 3] but got [0,3]"],
        when=lambda d: any(np.size(x) == 0 for x in d.case.inputs), true=[on(np.int32([]), [1, 2, 3], 9)],
        wrong=[on(np.int32([1]), [1, 2, 3], 9)]),
    refusal("RandomIndexShuffle", "TensorFlow reads beyond the keys of three rounds, and of an odd number of them",
        ours="InvalidArgumentError: RandomIndexShuffle: rounds must be >= 4 and even, got <-1>",
        when=lambda d: d.attrs["rounds"] < 4 or d.attrs["rounds"] % 2 == 1, true=[on(1, [1, 2, 3], 9, rounds=1)],
        wrong=[on(1, [1, 2, 3], 9, rounds=4), on(1, [1, 2, 3], 9, rounds=6)]),
    value("RandomIndexShuffle",
        "all places differ; TensorFlow gives the last index below a power of 4, whose blocks are a bit short, the place of 0",
        "int32 uint32 int64 uint64", 0, ours_is(_last_place), where=_is_last, gives="its own place", there="the place of 0",
        by_chance=True, true=[seen(on(np.int64([0, 65536]), [11, 12, 13], 65536), [36499, 65536], [36499, 36499], dtype="int64")],
        wrong=[on(np.int64([0, 65535]), [11, 12, 13], 65535), but(ours=[36499, 7])]),
]
