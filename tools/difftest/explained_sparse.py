# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of sparse tensors."""

from __future__ import annotations

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import (
    ERROR_CLASS,
    GRADIENT,
    GRADIENT_ERROR,
    KERNELS,
    REFUSAL,
    VALUE,
)
from tensorwright.tools.difftest.explanation import (
    FLOATS,
    Explanation,
    call,
    gave,
    lacks,
    ours_is,
    refused,
    upstream,
)

_ROWS = np.array([[1, 0], [1, 1]], np.int64)
_ALL_ROWS = np.array([[0, 0], [1, 1]], np.int64)
_TWO = np.array([2, 3], np.int64)
_UNHANDLED = "UnimplementedError: DeserializeSparse Unhandled data type: 15"
_TAKES = "TypeError: _SparseSparseMaximumGrad() takes 2 positional arguments but 3 were given"
_NOT_YET = "NotImplementedError: Gradient for SparseDenseCwiseAdd is not implemented."


def _has_empty_row(d) -> bool:
    """Is there a row without elements?"""
    return len(set(np.asarray(d.input(0))[:, 0].tolist())) < int(d.input(2)[0])


_OUTSIDE = "InvalidArgumentError: indices[1] = [6,-2] is out of bounds: need 0 <= index < [8,2]"
_WRITE = (
    "InternalError: Obtained a write index of -2 which is outside of bounds of [0, 2)"
)
_NO_VECTOR = "InvalidArgumentError: params must be at least a vector"


def _reduced(column: int):
    indices = np.array([[0, 0], [6, column]], np.int64)
    return call("SparseReduceSum", indices, [1.0, 2.0], np.int64([8, 2]), [0])


def _is_a_vector_of_rows(d) -> bool:
    """The indices are a vector, each of an element."""
    return np.ndim(d.input(0)) == 1 and np.size(d.input(1)) == 1


def _given_by_rows(d) -> bool:
    """Ours has the upstream gradient's elements at the indices."""
    wanted = upstream(d.outputs[0][0])[np.asarray(d.input(0), np.int64)]
    return np.array_equal(d.arrays.ours, wanted)


def _rest(d) -> np.ndarray:
    """The upstream gradient of what no index names."""
    of = upstream(d.outputs[0][0])
    return of.sum() - of[np.asarray(d.input(0), np.int64)].sum()


_VECTOR = np.float64([0.5, 0.25, 0.125])
_OF_VECTOR = upstream(_VECTOR)


def _densified(indices, ours, theirs, output: int = 0):
    case = call("SparseToDense", np.array(indices, np.int32), np.int32([3]), 1.0, 0.5)
    return gave(
        case, ours, theirs, "float64", output=output, kind=GRADIENT,
        outputs=([_VECTOR], [_VECTOR]),
    )  # fmt: skip


def _broadcasts_to_nothing(d) -> bool:
    """The sparse shape has no element, and the dense one is its own or 1 at each place from the end."""
    sparse, dense = np.asarray(d.input(2)).tolist(), np.shape(d.input(3))
    fits = all(b in (1, a) for a, b in zip(sparse[::-1], dense[::-1]))
    return 0 in sparse and len(dense) <= len(sparse) and fits


def _shared(sparse, dense):
    case = call(
        "SparseDenseCwiseMul", np.zeros([0, len(sparse)], np.int64), np.zeros(0),
        np.int64(sparse), np.zeros(dense),
    )  # fmt: skip
    return refused(
        case,
        theirs="InvalidArgumentError: SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: [5,0] vs. [5,1]",
    )


TABLE: list[Explanation] = [
    Explanation(
        "SparseToDense",
        GRADIENT,
        "a vector of indices names elements; TensorFlow's gradient takes it for one index",
        dtypes=FLOATS,
        outputs=(0,),
        shapes=_given_by_rows,
        when=_is_a_vector_of_rows,
        true=[
            _densified([], [], _OF_VECTOR),
            _densified([1], _OF_VECTOR[1:2], _OF_VECTOR[1]),
        ],
        wrong=[
            _densified([1], _OF_VECTOR[:1], _OF_VECTOR[1]),
            _densified([[1]], _OF_VECTOR[1:2], _OF_VECTOR[1]),
        ],
    ),
    Explanation(
        "SparseToDense",
        GRADIENT,
        "a vector of indices names elements; TensorFlow's gradient takes it for one index",
        dtypes=FLOATS,
        outputs=(1,),
        elements=lambda d: ours_is(_rest, 8 * compare.TOLERANCE[d.enum])(d),
        bound=np.inf,
        when=lambda d: _is_a_vector_of_rows(d) and np.size(d.input(0)) == 0,
        true=[_densified([], _OF_VECTOR.sum(), 0.0, output=1)],
        wrong=[
            _densified([], 0.0, _OF_VECTOR.sum(), output=1),
            _densified([1], _OF_VECTOR.sum(), 0.0, output=1),
        ],
    ),
    Explanation(
        "SparseDenseCwiseMul SparseDenseCwiseDiv SparseDenseCwiseAdd",
        REFUSAL,
        "one element is broadcast to none, as anywhere else",
        theirs=r"InvalidArgumentError: SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: ",
        when=_broadcasts_to_nothing,
        true=[_shared([5, 0], [5, 1])],
        wrong=[_shared([5, 3], [5, 1]), _shared([5, 0], [4, 1])],
    ),
    Explanation(
        "AddManySparseToTensorsMap",
        VALUE,
        "TensorFlow numbers the rows without elements last",
        dtypes="int64",
        outputs=(0,),
        when=_has_empty_row,
        elements=lambda d: sorted(d.arrays.a) == sorted(d.arrays.b),
        bound=np.inf,
        true=[
            gave(
                call("AddManySparseToTensorsMap", _ROWS, [1, 2], _TWO),
                [0, 1],
                [1, 0],
                "int64",
            )
        ],
        wrong=[
            gave(
                call("AddManySparseToTensorsMap", _ALL_ROWS, [1, 2], _TWO),
                [0, 1],
                [1, 0],
                "int64",
            ),
            gave(
                call("AddManySparseToTensorsMap", _ROWS, [1, 2], _TWO),
                [0, 1],
                [2, 0],
                "int64",
            ),
        ],
    ),
    Explanation(
        "DeserializeSparse DeserializeManySparse",
        REFUSAL,
        "TensorFlow cannot put parts of some dtypes together",
        theirs=r"UnimplementedError: DeserializeSparse Unhandled data type: 1[56]",
        true=[refused("DeserializeSparse", theirs=_UNHANDLED)],
        wrong=[refused("DeserializeSparse", theirs="UnimplementedError: x")],
    ),
    Explanation(
        "SparseSparseMaximum SparseSparseMinimum",
        GRADIENT_ERROR,
        "TensorFlow's gradient function cannot be called",
        theirs=r"TypeError: _SparseSparseM(ax|in)imumGrad\(\) takes 2 positional arguments but 3 were given",
        true=[refused("SparseSparseMaximum", theirs=_TAKES, kind=GRADIENT_ERROR)],
        wrong=[
            refused("SparseSparseMaximum", theirs="TypeError: x", kind=GRADIENT_ERROR)
        ],
    ),
    Explanation(
        "SparseDenseCwiseAdd",
        GRADIENT_ERROR,
        "TensorFlow's gradient function is not written",
        theirs=r"NotImplementedError: Gradient for SparseDenseCwiseAdd is not implemented",
        true=[refused("SparseDenseCwiseAdd", theirs=_NOT_YET, kind=GRADIENT_ERROR)],
        wrong=[
            refused(
                "SparseDenseCwiseAdd",
                theirs="NotImplementedError: x",
                kind=GRADIENT_ERROR,
            )
        ],
    ),
    Explanation(
        "SparseAdd",
        KERNELS,
        "TensorFlow's kernels are registered for thresholds of any dtype, and read them as the values'",
        dtypes="uint8 uint16 uint32 uint64 float16 bfloat16",
        true=[lacks("SparseAdd", "uint8")],
        wrong=[lacks("SparseAdd", "int32")],
    ),
    *(
        Explanation(
            "SparseReduceSum SparseReduceSumSparse SparseReduceMax SparseReduceMaxSparse",
            kind,
            "TensorFlow looks at indices where it writes, not where it reads",
            ours=r"InvalidArgumentError: indices\[\d+\] = \[[\d,-]*\] is out of bounds: need 0 <= index < \[",
            theirs=theirs,
            when=lambda d: bool(
                (d.input(0) < 0).any() or (d.input(0) >= d.input(2)).any()
            ),
            true=[refused(_reduced(-2), _OUTSIDE, theirs and _WRITE)],
            wrong=[refused(_reduced(1), _OUTSIDE, theirs and _WRITE)],
        )
        for kind, theirs in (
            (REFUSAL, ""),
            (
                ERROR_CLASS,
                r"InternalError: Obtained a write index of -?\d+ which is outside of bounds",
            ),
        )
    ),
    Explanation(
        "SparseDenseCwiseDiv SparseDenseCwiseMul SparseToDense",
        GRADIENT_ERROR,
        "TensorFlow's gradient gathers where there is one element, and no dimension",
        theirs=r"InvalidArgumentError: ((params|indices) must be at least a vector|index innermost dimension length must be <= params rank; saw: )",
        true=[refused("SparseDenseCwiseDiv", theirs=_NO_VECTOR, kind=GRADIENT_ERROR)],
        wrong=[
            refused("SparseDenseCwiseDiv", theirs=_NO_VECTOR[:30], kind=GRADIENT_ERROR)
        ],
    ),
]
