# SPDX-License-Identifier: Apache-2.0
"""Session.run's mapping of fetches and feeds, for structures that hypothesis draws.

Whatever is nested in whatever: the result has the structure of the fetches, with the value of each leaf in its place.
"""

import collections

import hypothesis
import numpy as np
from hypothesis import strategies as st

import tensorwright as tf

Pair = collections.namedtuple("Pair", ["first", "second"])

# The same draws in every run, and nothing written.
fixed = hypothesis.settings(
    derandomize=True, database=None, deadline=None, max_examples=150
)

graph = tf.Graph()
with graph.as_default():
    defaults = [
        tf.placeholder_with_default(np.float32(i), [], name=f"in{i}") for i in range(4)
    ]
    doubled = [2 * x for x in defaults]
    variable = tf.get_variable("v", initializer=7)
    sparse = tf.SparseTensor([[0, 1]], [5.0], [1, 3])
    fed_sparse = tf.sparse_placeholder(tf.float32, name="sparse")
    slices = tf.IndexedSlices(tf.constant([1.5]), tf.constant([2]))
    nothing = tf.no_op("nothing")
    initialize = variable.initializer
session = tf.Session(graph=graph)
session.run(initialize)

# The fetch that a leaf stands for, and how its value is recognised.
LEAVES = {
    "tensor": (doubled[3], lambda v: v == 6),
    "name": ("in2:0", lambda v: v == 2),
    "variable": (variable, lambda v: v == 7),
    "operation": (nothing, lambda v: v is None),
    "name of an operation": ("nothing", lambda v: v is None),
    "sparse": (sparse, lambda v: v.values.tolist() == [5] and v.dense_shape[1] == 3),
    "slices": (slices, lambda v: v.values.tolist() == [1.5] and v.dense_shape is None),
}

leaves = st.sampled_from(sorted(LEAVES))
keys = st.text("abc", max_size=2)


def _containers(inside):
    return st.one_of(
        st.lists(inside, max_size=3),
        st.lists(inside, max_size=3).map(tuple),
        st.dictionaries(keys, inside, max_size=3),
        st.dictionaries(keys, inside, max_size=3).map(collections.OrderedDict),
        st.builds(Pair, inside, inside),
    )


structures = st.recursive(leaves, _containers, max_leaves=12)


def _fetches(structure):
    """Returns the structure with the fetches that its leaves stand for."""
    if isinstance(structure, str):
        return LEAVES[structure][0]
    if isinstance(structure, dict):
        return type(structure)((k, _fetches(v)) for k, v in structure.items())
    if isinstance(structure, Pair):
        return Pair(*map(_fetches, structure))
    return type(structure)(map(_fetches, structure))


def _check(structure, result):
    if isinstance(structure, str):
        assert LEAVES[structure][1](result), (structure, result)
        return
    assert type(result) is type(structure)
    assert len(result) == len(structure)
    if isinstance(structure, dict):
        assert list(result) == list(structure)
        structure, result = structure.values(), result.values()
    for part, value in zip(structure, result):
        _check(part, value)


@fixed
@hypothesis.given(structures)
def test_results_have_the_structure_of_the_fetches(structure):
    _check(structure, session.run(_fetches(structure)))


@fixed
@hypothesis.given(structures)
def test_callables_return_what_runs_return(structure):
    with graph.as_default():
        _check(structure, session.make_callable(_fetches(structure))())


@fixed
@hypothesis.given(
    st.lists(leaves, min_size=1, max_size=3),
    st.sampled_from([None, 1.5, object(), b"\xff", [None], {"a": 3}, "none:0"]),
    st.integers(0, 3),
)
def test_one_wrong_leaf_is_refused_wherever_it_stands(names, wrong, place):
    fetches = [LEAVES[name][0] for name in names]
    fetches.insert(place, wrong)
    try:
        session.run(fetches)
    except (TypeError, ValueError, KeyError):
        return
    raise AssertionError(f"{wrong!r} was fetched")


numbers = st.floats(-100, 100, width=32)


@fixed
@hypothesis.given(
    st.dictionaries(st.integers(0, 3), numbers),
    st.sampled_from(["tensor", "name", "array"]),
    st.permutations(range(4)),
)
def test_what_is_fed_replaces_its_tensor_and_no_other(fed, form, order):
    """The order is free, the feed may be a name or a tensor, and its value a number or an array."""
    feeds = {
        f"in{i}:0" if form == "name" else defaults[i]: (
            np.array(value, np.float32) if form == "array" else value
        )
        for i, value in fed.items()
    }
    results = session.run([doubled[i] for i in order], feeds)
    expected = [2 * np.float32(fed.get(i, i)) for i in order]
    np.testing.assert_array_equal(results, np.array(expected, np.float32))


@fixed
@hypothesis.given(st.lists(st.tuples(st.integers(0, 2), numbers), max_size=3))
def test_a_sparse_feed_is_three_arrays(entries):
    indices = np.array([[0, i] for i, _ in entries], np.int64).reshape(-1, 2)
    values = np.array([v for _, v in entries], np.float32)
    for key in (
        tf.SparseTensorValue(indices, values, [1, 3]),
        (indices, values, [1, 3]),
    ):
        got = session.run(fed_sparse, {fed_sparse: key})
        np.testing.assert_array_equal(got.indices, indices)
        np.testing.assert_array_equal(got.values, values)
        assert got.dense_shape.tolist() == [1, 3]
