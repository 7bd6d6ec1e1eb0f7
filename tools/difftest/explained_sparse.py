# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of sparse tensors."""

import numpy as np

from tensorwright.tools.difftest import compare
from tensorwright.tools.difftest.difference import GRADIENT
from tensorwright.tools.difftest.examples import but, on, seen
from tensorwright.tools.difftest.explanation import ANY_DTYPE, FLOATS, ours_is, upstream
from tensorwright.tools.difftest.records import (
    gradient,
    kernels,
    no_gradient,
    refusal,
    shaped,
    value,
)


def _has_empty_row(d):
    """Is there a row without elements?"""
    return len(set(np.asarray(d.input(0))[:, 0].tolist())) < int(d.input(2)[0])


def _is_vector_of_rows(d):
    """The indices are a vector, each of an element."""
    return np.ndim(d.input(0)) == 1 and np.size(d.input(1)) == 1


def _at_indices(d):
    """The upstream gradient, and its elements at the indices."""
    up = upstream(d.outputs[0][0])
    return up, up[np.asarray(d.input(0), np.int64)]


def _rest(d):
    """The upstream gradient of what no index names."""
    up, found = _at_indices(d)
    return up.sum() - found.sum()


def _broadcasts_to_nothing(d):
    """The sparse shape has no element, and the dense one is its own or 1 at each place from the end."""
    sparse, dense = np.asarray(d.input(2)).tolist(), np.shape(d.input(3))
    fits = all(b in (1, a) for a, b in zip(sparse[::-1], dense[::-1]))
    return 0 in sparse and len(dense) <= len(sparse) and fits


def _in_box(d):
    """The indices, counted from its corner, and the values of what is in the box of a SparseSlice."""
    rows, start = np.asarray(d.input(0), object), np.asarray(d.input(3), object)
    end = start + np.asarray(d.input(4), object)
    inside = ((rows >= start) & (rows < end)).all(-1)
    return (rows - start)[inside].astype(np.int64), d.input(1)[inside]


def _largest(d):
    """The largest of each group of a SparseReduceMax, or NaN."""
    dense = np.full(d.input(2).tolist(), -np.inf)
    dense[tuple(d.input(0).T)] = d.wide(1)
    axes = tuple(np.ravel(d.input(3)).tolist())
    return dense.max(axes, keepdims=d.attrs["keep_dims"])


def _in_order(d):
    """The values of a SparseReorder: those of equal indices as they came."""
    order = np.lexsort(d.input(0).T[::-1])
    return d.input(1)[order]


def _comes_again(d):
    """The places of a SparseReorder's output whose index is another one's, too."""
    rows = d.input(0)[np.lexsort(d.input(0).T[::-1])]
    same = (rows[1:] == rows[:-1]).all(-1)
    return np.append(same, False) | np.append(False, same)


def _places(*values):
    rows = np.arange(len(values))[:, None]
    return on(rows, np.float32(values), np.int64([len(values)]), [0], keep_dims=True)


def _box(start):
    rows = np.int64([[1], [3]])
    return on(
        rows, np.int32([5, 6]), np.int64([4]), np.int64([start]), np.int64([2**63 - 1])
    )


def _dense(*indices):
    return on(np.array(indices, np.int32), np.int32([3]), 1.0, 0.5)


def _shared(sparse, dense):
    return on(np.zeros([0, 2], np.int64), [], np.int64(sparse), np.zeros(dense))


def _rows(first):
    return on(np.int64([[first, 0], [1, 1]]), [1, 2], np.int64([2, 3]))


def _is_sum(d):
    """Ours is one number, the sum of TensorFlow's."""
    by = 8 * (compare.TOLERANCE.get(d.enum) or 0)
    return d.here.shape == () and bool(compare.close(d.here, d.there.sum(), by))


def _one_value(value):
    return on(np.int32([[0], [2]]), np.int32([3]), value, 0.5)


def _reduced(column):
    return on(np.int64([[0, 0], [6, column]]), [1.0, 2.0], np.int64([8, 2]), [0])


_VECTOR = np.float64([0.5, 0.25, 0.125])
_UP = upstream(_VECTOR)
_ONE_INDEX = (
    "a vector of indices names elements; TensorFlow's gradient takes it for one index"
)
_OUTSIDE = dict(
    why="TensorFlow looks at indices where it writes, not where it reads",
    ours=r"InvalidArgumentError: indices[<1>] = [<[\d,-]*~6,-2>] is out of bounds: need 0 \<= index \< [",
    when=lambda d: bool((d.input(0) < 0).any() or (d.input(0) >= d.input(2)).any()),
    true=[_reduced(-2)],
    wrong=[_reduced(1)],
)
_REDUCTIONS = (
    "SparseReduceSum SparseReduceSumSparse SparseReduceMax SparseReduceMaxSparse"
)


def _sets(shape):
    empty = np.zeros([0, 2], np.int64), np.zeros(0, np.int32)
    return on(*empty, np.int64([3, 4]), *empty, np.int64(shape))


# fmt: off
TABLE = [
    shaped("SparseToDense", _ONE_INDEX, FLOATS, 0, lambda d: np.array_equal(d.here, _at_indices(d)[1]),
        when=_is_vector_of_rows, kind=GRADIENT,
        true=[seen(_dense(), [], _UP, dtype="float64", outputs=[_VECTOR]), but(_dense(1), _UP[1:2], _UP[1])],
        wrong=[but(_dense(1), _UP[:1], _UP[1]), but(_dense([1]), _UP[1:2], _UP[1])]),
    gradient("SparseToDense", _ONE_INDEX, FLOATS, 1, ours_is(_rest, slack=8), gives="of all elements without an index",
        when=lambda d: _is_vector_of_rows(d) and np.size(d.input(0)) == 0,
        true=[seen(_dense(), _UP.sum(), 0.0, dtype="float64", outputs=[_VECTOR])],
        wrong=[but(ours=0.0, theirs=_UP.sum()), _dense(1)]),
    refusal("SparseDenseCwiseMul SparseDenseCwiseDiv SparseDenseCwiseAdd",
        "one element is broadcast to none, as anywhere else",
        theirs="InvalidArgumentError: SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: ",
        when=_broadcasts_to_nothing, true=[_shared([5, 0], [5, 1])],
        wrong=[_shared([5, 3], [5, 1]), _shared([5, 0], [4, 1])]),
    value("AddManySparseToTensorsMap", "TensorFlow numbers the rows without elements last", "int64", 0,
        lambda d: sorted(d.a) == sorted(d.b), gives="numbered in order", when=_has_empty_row,
        true=[seen(_rows(1), [0, 1], [1, 0])], wrong=[_rows(0), but(theirs=[2, 0])]),
    refusal("DeserializeSparse DeserializeManySparse", "TensorFlow cannot put parts of some dtypes together",
        theirs="UnimplementedError: DeserializeSparse Unhandled data type: 1<[56]~5>",
        wrong=[but(theirs="UnimplementedError: x")]),
    no_gradient("SparseSparseMaximum SparseSparseMinimum", "TensorFlow's gradient function cannot be called",
        theirs="TypeError: _SparseSparseM<ax|in~ax>imumGrad() takes 2 positional arguments but 3 were given",
        wrong=[but(theirs="TypeError: x")]),
    no_gradient("SparseDenseCwiseAdd", "TensorFlow's gradient function is not written",
        theirs="NotImplementedError: Gradient for SparseDenseCwiseAdd is not implemented",
        wrong=[but(theirs="NotImplementedError: x")]),
    kernels("SparseAdd", "TensorFlow's kernels are registered for thresholds of any dtype, and read them as the values'",
        "uint8 uint16 uint32 uint64 float16 bfloat16", wrong=[but(dtype="int32")]),
    refusal(_REDUCTIONS, **_OUTSIDE),
    refusal(_REDUCTIONS, theirs="InternalError: Obtained a write index of <-2> which is outside of bounds", **_OUTSIDE),
    no_gradient("SparseDenseCwiseDiv SparseDenseCwiseMul SparseToDense",
        "TensorFlow's gradient gathers where there is one element, and no dimension",
        theirs=["InvalidArgumentError: <params|indices~params> must be at least a vector",
            r"InvalidArgumentError: index innermost dimension length must be \<= params rank; saw: ",
            "InvalidArgumentError: Shape must be at least rank 1 but is rank 0 for '{{node gradients/op_grad/GatherNd}}"],
        wrong=[but(theirs="InvalidArgumentError: params m")]),
    shaped("SparseSlice", "a box that ends beyond all places ends nowhere; the sum of TensorFlow's start and size overflows",
        ANY_DTYPE, (0, 1), lambda d: np.array_equal(d.here, _in_box(d)[d.output]),
        when=lambda d: max(int(a) + int(b) for a, b in zip(d.input(3), d.input(4))) >= 1 << 63,
        true=[seen(_box(1), [[0], [2]], np.zeros([0, 1]), dtype="int64"), but(ours=[5, 6], theirs=[], dtype="int32", output=1)],
        wrong=[_box(0), but(ours=[[0]]), but(ours=[[1], [3]])]),
    shaped("SparseToDense", "one value for all indices has one gradient, their sum; TensorFlow gives one to each", FLOATS, 0,
        _is_sum, when=lambda d: np.ndim(d.input(2)) == 0, kind=GRADIENT,
        true=[seen(_one_value(3.0), 0.75, [0.5, 0.25], dtype="float64", outputs=[_VECTOR])],
        wrong=[_one_value([3.0, 3.0]), but(ours=0.5), but(ours=[0.75])]),
    no_gradient("SparseSoftmax", "a place outside is a fault of the indices",
        ours="InvalidArgumentError: indices[<1>] = [<0,7>] is out of bounds: need 0 \\<= index \\< [",
        theirs="InternalError: Obtained a write index of <25> which is outside of bounds",
        when=lambda d: bool((d.input(0) >= d.input(2)).any()), true=[on(np.int64([[0, 7]]), [1.0], np.int64([5, 5]))],
        wrong=[on(np.int64([[0, 1]]), [1.0], np.int64([5, 5]))]),
    refusal("DenseToSparseSetOperation", "TensorFlow passes over the rows of a set that lie outside, unless asked to look",
        ours="InvalidArgumentError: indices[<0>,0] = <2147483647> is not in [0, <8>): index out of bounds",
        when=lambda d: not d.attrs["validate_indices"], true=[on(validate_indices=False)], wrong=[on(validate_indices=True)]),
    value("SparseReduceMax", "a NaN is the largest of all; TensorFlow keeps it or not by its place",
        "float16 bfloat16 float32 float64", 0, ours_is(_largest), where=lambda d: np.isnan(d.here) != np.isnan(d.there), gives="NaN",
        there="a NaN that is first, or a number",
        when=lambda d: np.isnan(d.wide(1)).any() and np.prod(d.wide(2)) < 1e6,
        true=[seen(_places(1, np.nan), [np.nan], [1.0])], wrong=[_places(1, 2), but(ours=[1.0], theirs=[np.nan])]),
    value("SparseReorder", "equal indices stay in order; TensorFlow's sort does not keep it", ANY_DTYPE, 1,
        ours_is(_in_order), where=_comes_again, gives="values in the order in which they came",
        true=[seen(on([[2], [1], [1]], [3.0, 4, 5], [3]), [4, 5, 3], [5, 4, 3])],
        wrong=[but(ours=[5, 4, 3], theirs=[4, 5, 3]), but(on([[2], [0], [1]], [3.0, 4, 5], [3]))]),
    refusal("SparseConcat", "sizes that are wrong are a fault of the input, however large their product is",
        ours=["InvalidArgumentError: sizes along the concat dimension must be >= 0 and have a sum that fits into int64, got ",
            "InvalidArgumentError: Input shapes must match: expected <7> for dimension <0> but got <-2147483648> at position <2>"],
        theirs="InternalError: Encountered overflow from large input shape.", wrong=[but(ours="InvalidArgumentError: no"), but(theirs="InternalError: no")]),
    refusal("SparseToSparseSetOperation", "a set has no more elements than rows; TensorFlow counts the places of its shape",
        theirs="InvalidArgumentError: Encountered overflow when multiplying <3> with <9223372036854775807>, result: -<1>",
        when=lambda d: max(float(np.prod(d.wide(i))) for i in (2, 5)) >= 2.0**63,
        true=[_sets([3, 2**63 - 1])], wrong=[_sets([3, 4])]),
]
