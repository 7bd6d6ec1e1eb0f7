# SPDX-License-Identifier: Apache-2.0
"""ScalarSummary, HistogramSummary, MergeSummary."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_logging_ops, logging_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

DTYPES = [
    np.float32, np.float64, np.float16, np.int8, np.int16, np.int32, np.int64,
    np.uint8, np.uint16, np.uint32, np.uint64,
]  # fmt: skip


def run(fetch, feeds=None):
    with tf.Session() as session:
        return session.run(fetch, feeds)


def parse(summary):
    return tf.Summary.FromString(run(summary))


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_scalar_is_a_simple_value(dtype):
    summary = parse(tf.summary.scalar("loss", np.array(3, dtype)))
    assert [(v.tag, v.simple_value) for v in summary.value] == [("loss", 3.0)]


def test_a_scalar_of_bfloat16():
    summary = parse(tf.summary.scalar("x", tf.cast(1.5, tf.bfloat16)))
    assert summary.value[0].simple_value == 1.5


def test_tags_and_values_of_any_shape():
    summary = parse(
        gen_logging_ops.scalar_summary([["a", "b"], ["c", "d"]], [[1, 2], [3, 4]])
    )
    assert [(v.tag, v.simple_value) for v in summary.value] == [
        ("a", 1), ("b", 2), ("c", 3), ("d", 4)
    ]  # fmt: skip


@pytest.mark.parametrize("tags, values", [("a", [1.0]), (["a", "b"], [1.0]), ([], 1.0)])
def test_tags_and_values_must_have_the_same_shape(tags, values):
    with pytest.raises(tf.errors.InvalidArgumentError, match="same shape"):
        run(gen_logging_ops.scalar_summary(np.array(tags, object), values))


def limits():
    positive = [1e-12]
    while positive[-1] * 1.1 < 1e20:
        positive.append(positive[-1] * 1.1)
    positive.append(np.finfo(np.float64).max)
    return np.array([-v for v in reversed(positive)] + [0.0] + positive)


def expected_buckets(values):
    """Counts of all buckets, by a search for each value."""
    edges = limits()
    counts = np.zeros(len(edges))
    for v in np.ravel(values).astype(np.float64):
        counts[min(np.searchsorted(edges, v, side="right"), len(edges) - 1)] += 1
    return edges, counts


def all_buckets(histo):
    """Counts of all buckets of a proto, in which runs of zeros are one."""
    edges = limits()
    counts = np.zeros(len(edges))
    for limit, count in zip(histo.bucket_limit, histo.bucket):
        counts[np.searchsorted(edges, limit)] = count
    return counts


CASES = {
    "normal": lambda r: r.normal(size=1000),
    "tiny": lambda r: r.normal(size=100) * 1e-13,
    "large": lambda r: r.normal(size=100) * 1e19,
    "beyond the limits": lambda r: np.array([1e300, -1e300, 1.7976931348623157e308]),
    "limits": lambda r: limits()[1:-1],
    "zeros": lambda r: np.array([0.0, -0.0, 5e-324, -5e-324]),
    "many": lambda r: r.normal(size=(350, 400)),
    "none": lambda r: np.zeros([0, 3]),
}


@pytest.mark.parametrize("case", CASES)
def test_a_histogram_counts_what_falls_into_each_bucket(case):
    values = CASES[case](np.random.RandomState(7))
    histo = parse(tf.summary.histogram("h", values)).value[0].histo
    _, counts = expected_buckets(values)
    np.testing.assert_array_equal(all_buckets(histo), counts)
    assert histo.num == values.size
    if values.size and case != "beyond the limits":
        assert (histo.min, histo.max) == (values.min(), values.max())
        # Values that cancel leave the rounding errors of the sum.
        rounding = 1e-13 * np.abs(values).sum()
        np.testing.assert_allclose(histo.sum, values.sum(), rtol=1e-9, atol=rounding)
        np.testing.assert_allclose(histo.sum_squares, (values**2).sum(), rtol=1e-9)


@pytest.mark.parametrize("dtype", DTYPES)
def test_histograms_of_all_dtypes(dtype):
    values = np.array([0, 1, 1, 5, 100], dtype)
    histo = parse(tf.summary.histogram("h", values)).value[0].histo
    np.testing.assert_array_equal(all_buckets(histo), expected_buckets(values)[1])
    assert (histo.min, histo.max, histo.num, histo.sum) == (0, 100, 5, 107)


def test_runs_of_empty_buckets_are_one():
    histo = parse(tf.summary.histogram("h", [1.0, 1000.0])).value[0].histo
    assert list(histo.bucket) == [0, 1, 0, 1, 0]
    assert list(histo.bucket_limit) == sorted(histo.bucket_limit)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize(
    "value, word", [(np.nan, "Nan"), (np.inf, "Infinity"), (-np.inf, "Infinity")]
)
@pytest.mark.parametrize("size, at", [(3, 1), (200000, 150001)])
def test_histograms_are_of_finite_numbers(dtype, value, word, size, at):
    values = np.ones(size, dtype)
    values[at] = value
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=f"{word} in summary histogram for: hist"
    ):
        run(tf.summary.histogram("hist", values))


def test_a_histogram_has_one_tag():
    with pytest.raises(tf.errors.InvalidArgumentError, match="tag must be a scalar"):
        run(gen_logging_ops.histogram_summary(["a"], [1.0]))


def test_merged_summaries_have_all_values_in_order():
    with tf.Graph().as_default():
        parts = [tf.summary.scalar(n, i) for i, n in enumerate("abc")]
        merged = tf.summary.merge([tf.stack(parts[:2]), parts[2]])
        summary = parse(merged)
    assert [(v.tag, v.simple_value) for v in summary.value] == [
        ("a", 0), ("b", 1), ("c", 2)
    ]  # fmt: skip


def test_no_tag_comes_twice_in_a_merged_summary():
    one = gen_logging_ops.scalar_summary("same", 1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Duplicate tag same"):
        run(tf.summary.merge([one, one]))


@pytest.mark.parametrize("bad", [b"\x0a\x05a", b"not a summary", b"\xff"])
def test_what_is_merged_must_be_summaries(bad):
    with pytest.raises(tf.errors.InvalidArgumentError, match="could not be parsed"):
        run(tf.summary.merge([tf.constant(bad)]))


def test_merge_all_takes_the_collection():
    with tf.Graph().as_default():
        assert tf.summary.merge_all() is None
        tf.summary.scalar("a", 1.0)
        with tf.name_scope("inside"):
            tf.summary.scalar("b", 2.0)
        tf.summary.scalar("c", 3.0, collections=["others"])
        tags = [v.tag for v in parse(tf.summary.merge_all()).value]
        inside = [v.tag for v in parse(tf.summary.merge_all(scope="inside")).value]
        others = [v.tag for v in parse(tf.summary.merge_all("others")).value]
    assert (tags, inside, others) == (["a", "inside/b"], ["inside/b"], ["c"])


def test_names_become_tags():
    with tf.Graph().as_default():
        with tf.name_scope("outer"):
            ops = [
                tf.summary.scalar("a b", 1.0),
                tf.summary.scalar("a b", 1.0),
                tf.summary.scalar("c", 1.0, family="f"),
            ]
        tags = [parse(op).value[0].tag for op in ops]
        names = [op.op.name for op in ops]
    assert tags == ["outer/a_b", "outer/a_b_1", "f/outer/f/c"]
    assert names == ["outer/a_b", "outer/a_b_1", "outer/f/c"]


def test_functions_of_old_programs():
    with tf.Graph().as_default():
        logging_ops.scalar_summary(["a", "b"], [1.0, 2.0])
        logging_ops.histogram_summary("h", [1.0])
        tags = [v.tag for v in parse(logging_ops.merge_all_summaries()).value]
    assert tags == ["a", "b", "h"]
