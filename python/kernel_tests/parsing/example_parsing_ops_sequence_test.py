# SPDX-License-Identifier: Apache-2.0
"""ParseSingleSequenceExample and ParseSequenceExample: SequenceExamples as tensors."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph


def _feature(values):
    if values is None:
        return tf.train.Feature()
    if any(isinstance(v, bytes) for v in values):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if any(isinstance(v, float) for v in values):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def _sequence(context, lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={k: _feature(v) for k, v in context.items()}),
        feature_lists=tf.train.FeatureLists(
            feature_list={
                k: tf.train.FeatureList(feature=[_feature(x) for x in v])
                for k, v in lists.items()
            }
        ),
    ).SerializeToString()


_A = _sequence(
    {"c": [1, 2], "d": [2.5]},
    {"l": [[1.0, 2.0], [3.0, 4.0]], "s": [[1], [], [2, 3]], "t": [[b"x"], [b"y"]]},
)
_B = _sequence({"d": [3.5]}, {"l": [[5.0, 6.0]], "s": [[7]]})
_CONTEXT = {
    "c": tf.VarLenFeature(tf.int64),
    "d": tf.FixedLenFeature([1], tf.float32, default_value=[0.0]),
}
_LISTS = {
    "l": tf.FixedLenSequenceFeature([2], tf.float32),
    "s": tf.VarLenFeature(tf.int64),
    "t": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True),
}


def _run(tensors, feeds=None):
    with tf.Session() as session:
        return session.run(tensors, feeds)


def test_one_sequence_becomes_tensors():
    tensors = tf.parse_single_sequence_example(_A, _CONTEXT, _LISTS)
    assert tensors[1]["l"].shape.as_list() == [None, 2]
    context, lists = _run(tensors)
    assert context["c"].indices.tolist() == [[0], [1]]
    assert context["c"].values.tolist() == [1, 2]
    assert context["c"].dense_shape.tolist() == [2]
    assert context["d"].tolist() == [2.5]
    assert lists["l"].tolist() == [[1, 2], [3, 4]]
    assert lists["s"].indices.tolist() == [[0, 0], [2, 0], [2, 1]]
    assert lists["s"].values.tolist() == [1, 2, 3]
    assert lists["s"].dense_shape.tolist() == [3, 2]
    assert lists["t"].tolist() == [b"x", b"y"]


def test_what_may_be_missing_is_empty():
    context, lists = _run(tf.parse_single_sequence_example(_B, _CONTEXT, _LISTS))
    assert context["c"].dense_shape.tolist() == [0]
    assert lists["t"].shape == (0,)
    _, lists = _run(
        tf.parse_single_sequence_example(
            _B, sequence_features={"none": tf.VarLenFeature(tf.float32)}
        )
    )
    assert lists["none"].dense_shape.tolist() == [0, 0]


def test_a_batch_is_padded():
    context, lists, lengths = _run(
        tf.io.parse_sequence_example([_A, _B], _CONTEXT, _LISTS)
    )
    assert context["c"].indices.tolist() == [[0, 0], [0, 1]]
    assert context["c"].dense_shape.tolist() == [2, 2]
    assert context["d"].tolist() == [[2.5], [3.5]]
    assert lists["l"].tolist() == [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert lists["s"].indices.tolist() == [[0, 0, 0], [0, 2, 0], [0, 2, 1], [1, 0, 0]]
    assert lists["s"].values.tolist() == [1, 2, 3, 7]
    assert lists["s"].dense_shape.tolist() == [2, 3, 2]
    assert lists["t"].tolist() == [[b"x", b"y"], [b"", b""]]
    assert lengths["l"].tolist() == [2, 1]
    assert lengths["t"].tolist() == [2, 0]
    with pytest.raises(ValueError, match="rank 1"):
        tf.io.parse_sequence_example(_A, _CONTEXT, _LISTS)


def test_an_empty_batch_is_parsed():
    context, lists, lengths = _run(
        tf.io.parse_sequence_example(tf.zeros([0], tf.string), _CONTEXT, _LISTS)
    )
    assert context["c"].dense_shape.tolist() == [0, 0]
    assert lists["l"].shape == (0, 0, 2)
    assert lists["s"].dense_shape.tolist() == [0, 0, 0]
    assert lengths["l"].shape == (0,)


@pytest.mark.parametrize(
    ("context", "lists", "text"),
    [
        ({"c": tf.FixedLenFeature([1], tf.int64)}, {}, "Context feature: c.*values"),
        ({"c": tf.VarLenFeature(tf.string)}, {}, "Context feature: c.*types"),
        ({"z": tf.FixedLenFeature([], tf.int64)}, {}, "Context feature: z .*required"),
        (
            {},
            {"z": tf.FixedLenSequenceFeature([], tf.int64)},
            "Feature list 'z' is req",
        ),
        (
            {},
            {"l": tf.FixedLenSequenceFeature([3], tf.float32)},
            "Feature list: l, Ind",
        ),
        (
            {},
            {"l": tf.FixedLenSequenceFeature([2], tf.int64)},
            "Feature list: l.*types",
        ),
        ({}, {"l": tf.VarLenFeature(tf.int64)}, "Feature list: l.*types"),
        (
            {},
            {"s": tf.FixedLenSequenceFeature([1], tf.int64)},
            "Index: 1.*values size: 0",
        ),
    ],
)
def test_what_does_not_fit_is_named(context, lists, text):
    for parse, serialized in (
        (tf.parse_single_sequence_example, _A),
        (tf.io.parse_sequence_example, [_A]),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(parse(serialized, context, lists))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name: mine, "):
        _run(tf.parse_single_sequence_example(_A, context, lists, example_name="mine"))


def test_features_of_other_kinds_are_refused():
    with pytest.raises(ValueError, match="at least one"):
        tf.parse_single_sequence_example(_A)
    with pytest.raises(ValueError, match="Unsupported"):
        tf.parse_single_sequence_example(
            _A, sequence_features={"l": tf.FixedLenFeature([2], tf.float32)}
        )
    with pytest.raises(ValueError, match="Unsupported"):
        tf.parse_single_sequence_example(_A, {"l": _LISTS["l"]})


def test_changed_and_cut_sequences_are_errors_or_values():
    serialized = tf.placeholder(tf.string, [])
    single = tf.parse_single_sequence_example(serialized, _CONTEXT, _LISTS)
    batch = tf.io.parse_sequence_example(tf.reshape(serialized, [1]), _CONTEXT, _LISTS)
    changed = [_A[:n] for n in range(len(_A))]
    for bit in range(0, 8 * len(_A), 97):
        data = bytearray(_A)
        data[bit // 8] ^= 1 << bit % 8
        changed.append(bytes(data))
    changed += [b"\x12" + b"\xff" * 8 + b"\x7f", b"junk"]
    refused = 0
    with tf.Session() as session:
        for data in changed:
            for tensors in (single, batch):
                try:
                    out = session.run(tensors, {serialized: data})
                except tf.errors.InvalidArgumentError:
                    refused += 1
                else:
                    assert np.size(out[1]["s"].values) <= len(_A)
    assert refused > len(_A)
