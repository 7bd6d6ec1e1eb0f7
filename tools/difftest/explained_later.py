# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of ops of later versions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorwright.tools.difftest.difference import (
    GRADIENT_ERROR,
    REFUSAL,
    SHAPE,
    VALUE,
    Difference,
)
from tensorwright.tools.difftest.explanation import (
    Explanation,
    call,
    gave,
    inferred,
    refused,
)
from tensorwright.tools.opcheck import signature as sig

_NO_LIST = "TypeError: 'NoneType' object is not iterable"
_NO_PRODUCT = "InvalidArgumentError: Cannot multiply A and B because inner dimension does not match: 6 vs. 18.  Did you"


def _is_zero(d: Difference) -> Any:
    """Elements that ours made 0."""
    assert d.arrays is not None
    return d.arrays.a == 0


def _is_split_of_one(d: Difference) -> bool:
    """The output has row splits of a ragged feature, and there is one example and no batch."""
    a = d.attrs
    contexts = len(a["context_ragged_value_types"])
    first = 3 * a["Ncontext_sparse"] + len(a["Tcontext_dense"]) + contexts
    lists = len(a["feature_list_ragged_value_types"])
    second = first + contexts + 3 * a["Nfeature_list_sparse"]
    second += 2 * a["Nfeature_list_dense"] + lists
    is_split = first <= d.output < first + contexts or 0 <= d.output - second < lists
    return is_split and np.ndim(d.case.inputs[0]) == 0  # type: ignore[union-attr, arg-type]


def _parsed(serialized: Any, ours: Any, theirs: Any, output: int = 1) -> Difference:
    case = call(
        "ParseSequenceExampleV2",
        serialized,
        Ncontext_sparse=0,
        Tcontext_dense=[],
        context_ragged_value_types=[sig.FLOAT],
        Nfeature_list_sparse=0,
        Nfeature_list_dense=0,
        feature_list_ragged_value_types=[sig.FLOAT],
    )
    return gave(case, ours, theirs, "int64", output)


def _gamma(alpha: Any, shape: list[int], alg: int, **said: str) -> Difference:
    case = call(
        "StatelessRandomGammaV3", shape, np.uint64([1]), np.uint64([1, 2]), alg, alpha
    )
    return refused(case, **said)


def _counted(dense_shape: list[int], theirs: str) -> Difference:
    rank = len(dense_shape)
    inputs = np.zeros([0, rank], np.int64), np.zeros(0, np.int64), dense_shape
    return refused(call("SparseBincount", *inputs, 3, []), theirs=theirs)


def _split(splits: list[int]) -> Difference:
    case = call("RaggedCountSparseOutput", np.int64(splits), np.zeros(0, np.int32), [])
    return refused(
        case,
        theirs="InvalidArgumentError: Must provide at least 2 elements for the splits argument",
    )


def _weighted(weights: np.ndarray) -> Difference:
    values = np.zeros(2, np.int64)
    case = call("SparseBincount", np.zeros([2, 1], np.int64), values, [3], 3, weights)
    return refused(
        case,
        "InvalidArgumentError: SparseBincount: weights must be empty or have the shape of the values, got [1,1] and values [2]",
    )


def _gathered(indices: list[int]) -> Difference:
    case = call("ResourceGatherNd", np.uint8(3), np.zeros(indices, np.int64))
    return refused(
        case, theirs="InvalidArgumentError: params must be at least a vector"
    )


_ALPHA = "TypeError: Value passed to parameter 'alpha' has DataType float16 not in list of allowed values: float32, float64"


def _named(values: list[int], theirs: str) -> Difference:
    case = call(
        "ParseExampleV2",
        b"",
        [b"n"],
        Tdense=[],
        sparse_types=[],
        ragged_value_types=values,
    )
    return refused(case, theirs=theirs)


_NAMES = "InvalidArgumentError: Expected names have the same shape as serialized: name.shape=[1], serialized.shape=[]"


def _cut(size: int) -> Any:
    inputs = np.int64(0), np.int64([[0]]), np.float32([1]), np.int64([size])
    return call("SparseSplit", *inputs, num_split=3)


_INTERVAL = "InvalidArgumentError: num_split must be in the interval (0, -2147483648]"
_RANK = "InvalidArgumentError: Input must be less than rank 2 for '{{node op}} = SparseBincount[T=DT_INT64"
_HALF = "TypeError: Value passed to parameter 'alpha' has DataType float16 not in list of allowed values: float32, float64"
_ALG = "InvalidArgumentError: StatelessRandomGammaV3: alg must be 1 (Philox) or 3 (the device's), got -2"
_SIZES = "InvalidArgumentError: Dimensions must be equal, but are 2 and 0 for '{{node gradients/op_grad/RandomGammaGrad}} = RandomGammaGrad[T=DT_DOUBLE]"

TABLE: list[Explanation] = [
    Explanation(
        "ParseSequenceExampleV2",
        VALUE,
        "the splits of one example that is in no batch are an empty vector, a vector as TensorFlow's shape function says, too",
        dtypes="int32 int64",
        outputs=tuple(range(64)),
        shapes=((0,), ()),
        when=_is_split_of_one,
        true=[_parsed(b"", [], 0), _parsed(b"", [], 0, 3)],
        wrong=[
            _parsed(b"", [], 0, 0),
            _parsed(b"", [], 0, 2),
            _parsed(b"", [], 0, 4),
            _parsed(b"", [0], 0),
            _parsed([b""], [], 0),
        ],
    ),
    Explanation(
        "ParseExampleV2",
        REFUSAL,
        "an op without a state and without an output is not run for another one that waits for it",
        theirs=r"InvalidArgumentError: Expected names have the same shape as serialized: name\.shape=",
        when=lambda d: (
            not any(
                d.attrs[a] for a in ("Tdense", "sparse_types", "ragged_value_types")
            )
        ),
        true=[_named([], _NAMES)],
        wrong=[
            _named([sig.FLOAT], _NAMES),
            _named(
                [], "InvalidArgumentError: Key: i.  Can't parse serialized Example."
            ),
        ],
    ),
    Explanation(
        "SparseCountSparseOutput",
        SHAPE,
        "TensorFlow's shape function says of the counts what is true of the input: a matrix's are counted, of any rank",
        outputs=(0, 2),
        when=lambda d: d.ours[-1] == 2 == d.actual[-1] and d.theirs[-1] > 2,
        true=[
            inferred("SparseCountSparseOutput", [None, 2], [None, 3], [4, 2]),
            inferred("SparseCountSparseOutput", [2], [3], [2], output=2),
        ],
        wrong=[
            inferred("SparseCountSparseOutput", [None, 2], [None, 3], [4, 3]),
            inferred("SparseCountSparseOutput", [None, 3], [None, 2], [4, 2]),
            inferred("SparseCountSparseOutput", [2], [1], [2], output=2),
        ],
    ),
    Explanation(
        "SparseSplit",
        REFUSAL,
        "sizes have 64 bits; TensorFlow takes the lower 32 of the one that is cut",
        theirs=r"InvalidArgumentError: num_split must be in the interval \(0, -?\d+\]",
        when=lambda d: d.input(3).max(initial=0) >= 1 << 31,
        true=[refused(_cut(1 << 31), theirs=_INTERVAL)],
        wrong=[refused(_cut(7), theirs=_INTERVAL)],
    ),
    Explanation(
        "RaggedCountSparseOutput",
        REFUSAL,
        "no rows have the splits [0]",
        theirs="InvalidArgumentError: Must provide at least 2 elements for the splits argument",
        when=lambda d: np.array_equal(d.input(0), [0]) and np.size(d.input(1)) == 0,
        true=[_split([0])],
        wrong=[_split([0, 0]), _split([])],
    ),
    Explanation(
        "SparseBincount",
        REFUSAL,
        "there is a weight for each value or none, as its documentation says",
        ours=r"InvalidArgumentError: SparseBincount: weights must be empty or have the shape of the values, got ",
        when=lambda d: np.shape(d.input(4)) != np.shape(d.input(1)),
        true=[_weighted(np.ones([1, 1]))],
        wrong=[_weighted(np.ones(2))],
    ),
    Explanation(
        "StatelessRandomGammaV2",
        GRADIENT_ERROR,
        "TensorFlow's gradient function is not for halves",
        theirs=r"TypeError: Value passed to parameter 'alpha' has DataType b?float16 not in list of allowed values: float32, float64",
        true=[refused("StatelessRandomGammaV2", theirs=_ALPHA, kind=GRADIENT_ERROR)],
        wrong=[
            refused(
                "StatelessRandomGammaV2",
                theirs=_ALPHA.replace("float16", "int32"),
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "ResourceGatherNd GatherNd",
        REFUSAL,
        "an index of no depth is all of the params, also of a number",
        theirs=r"InvalidArgumentError: params must be at least a vector",
        when=lambda d: np.ndim(d.input(0)) == 0 and np.shape(d.input(1))[-1:] == (0,),
        true=[_gathered([2, 0])],
        wrong=[_gathered([2, 1])],
    ),
    Explanation(
        "SparseBincount",
        REFUSAL,
        "rows are counted of any rank; TensorFlow's shape function refuses it, and its kernel does not",
        theirs="InvalidArgumentError: Input must be less than rank 2 for ",
        when=lambda d: np.size(d.input(2)) > 2,
        true=[_counted([2, 3, 4], _RANK)],
        wrong=[
            _counted([2, 3], _RANK),
            _counted([2, 3, 4], "InvalidArgumentError: Shape must be rank 1 but is 2"),
        ],
    ),
    Explanation(
        "StatelessRandomGammaV3",
        GRADIENT_ERROR,
        "TensorFlow's derivative of gamma samples has no kernel for half",
        theirs=r"TypeError: Value passed to parameter 'alpha' has DataType b?float16 not in list of allowed values: float32, float64",
        when=lambda d: d.input(4).dtype.itemsize == 2,
        true=[
            _gamma(np.ones(2, np.float16), [2], 1, theirs=_HALF, kind=GRADIENT_ERROR)
        ],
        wrong=[
            _gamma(np.ones(2, np.float32), [2], 1, theirs=_HALF, kind=GRADIENT_ERROR)
        ],
    ),
    Explanation(
        "StatelessRandomGammaV3",
        REFUSAL,
        "an algorithm that is none is refused; TensorFlow does not look where there is nothing to draw",
        ours=r"InvalidArgumentError: StatelessRandomGammaV3: alg must be 1 \(Philox\) or 3 \(the device's\), got ",
        when=lambda d: d.input(3) not in (1, 3) and 0 in d.input(0),
        true=[_gamma(np.ones(2), [0, 2], -2, ours=_ALG)],
        wrong=[
            _gamma(np.ones(2), [1, 2], -2, ours=_ALG),
            _gamma(np.ones(2), [0, 2], 1, ours=_ALG),
        ],
    ),
    Explanation(
        "ExtractVolumePatches",
        SHAPE,
        "TensorFlow's shape function forgets a dimension",
        outputs=(0,),
        when=lambda d: d.ours == [None] * 5 and d.theirs == [None] * 4,
        true=[
            inferred("ExtractVolumePatches", [None] * 5, [None] * 4, [1, 2, 1, 4, 4])
        ],
        wrong=[
            inferred("ExtractVolumePatches", [None] * 4, [None] * 4, [1, 2, 1, 4, 4]),
            inferred("ExtractVolumePatches", [None] * 5, [None] * 5, [1, 2, 1, 4, 4]),
        ],
    ),
    Explanation(
        "ExtractVolumePatches",
        GRADIENT_ERROR,
        "TensorFlow's gradient function fails where sizes are not known, or channels are several",
        theirs=r"(TypeError: 'NoneType' object is not iterable|InvalidArgumentError: Cannot multiply A and B because inner dimension does not match: )",
        true=[
            refused("ExtractVolumePatches", theirs=_NO_LIST, kind=GRADIENT_ERROR),
            refused("ExtractVolumePatches", theirs=_NO_PRODUCT, kind=GRADIENT_ERROR),
        ],
        wrong=[refused("ExtractImagePatches", theirs=_NO_LIST, kind=GRADIENT_ERROR)],
    ),
    Explanation(
        "FakeParam Empty",
        VALUE,
        "nothing is to be read of it: ours is 0, TensorFlow's what lies in memory",
        dtypes="float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128 "
        "bool qint8 quint8 qint16 quint16 qint32",
        outputs=(0,),
        elements=_is_zero,
        bound=np.inf,
        when=lambda d: not d.attrs.get("init", False),
        true=[
            gave("FakeParam", [0.0, 0.0], [0.0, 7.0]),
            gave(call("Empty", init=False), [0.0, 0.0], [0.0, 7.0]),
        ],
        wrong=[
            gave("FakeParam", [1.0, 0.0], [0.0, 0.0]),
            gave(call("Empty", init=True), [0.0, 0.0], [0.0, 7.0]),
        ],
    ),
]
