# SPDX-License-Identifier: Apache-2.0
"""ParseSingleSequenceExample, ParseSequenceExample and its V2: SequenceExamples as tensors."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_parsing_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


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
    with pytest.raises(ValueError, match="rank"):
        tf.io.parse_sequence_example([[_A]], _CONTEXT, _LISTS)


def test_a_batch_may_be_one_example():
    for serialized in (_A, _B):
        expected = _run(tf.parse_single_sequence_example(serialized, _CONTEXT, _LISTS))
        context, lists, lengths = _run(
            tf.io.parse_sequence_example(serialized, _CONTEXT, _LISTS)
        )
        assert lengths["l"] == len(lists["l"]) and lengths["t"] == len(lists["t"])
        for got, wanted in ((context, expected[0]), (lists, expected[1])):
            assert sorted(got) == sorted(wanted)
            for key, value in wanted.items():
                for part, other in zip(
                    value if isinstance(value, tuple) else [value],
                    got[key] if isinstance(value, tuple) else [got[key]],
                    strict=True,
                ):
                    np.testing.assert_array_equal(part, other)


def _ragged(serialized, splits=tf.int64, **given):
    """Ragged `c` of the context and ragged list `s`, by the op itself."""
    arguments = {
        "debug_name": tf.constant([], tf.string),
        "context_sparse_keys": tf.constant([], tf.string),
        "context_dense_keys": tf.constant([], tf.string),
        "context_ragged_keys": ["c"],
        "feature_list_sparse_keys": tf.constant([], tf.string),
        "feature_list_dense_keys": tf.constant([], tf.string),
        "feature_list_ragged_keys": ["s"],
        "feature_list_dense_missing_assumed_empty": tf.constant([], tf.bool),
        "context_dense_defaults": [],
        "context_ragged_value_types": [tf.int64],
        "context_ragged_split_types": [splits],
        "feature_list_ragged_value_types": [tf.int64],
        "feature_list_ragged_split_types": [splits],
    }
    return gen_parsing_ops.parse_sequence_example_v2(
        serialized, **{**arguments, **given}
    )


@pytest.mark.parametrize("splits", [tf.int32, tf.int64])
def test_ragged_features_are_values_and_splits(splits):
    none = _sequence({}, {})
    out = _ragged([_A, none, _B], splits)
    assert out.context_ragged_row_splits[0].shape.as_list() == [4]
    got = _run(out)
    assert got.context_ragged_row_splits[0].dtype == splits.as_numpy_dtype
    assert got.context_ragged_values[0].tolist() == [1, 2]
    assert got.context_ragged_row_splits[0].tolist() == [0, 2, 2, 2]
    assert got.feature_list_ragged_values[0].tolist() == [1, 2, 3, 7]
    assert got.feature_list_ragged_outer_splits[0].tolist() == [0, 3, 3, 4]
    assert got.feature_list_ragged_inner_splits[0].tolist() == [0, 1, 1, 3, 4]
    got = _run(_ragged(_A, splits))
    assert got.context_ragged_values[0].tolist() == [1, 2]
    assert got.feature_list_ragged_inner_splits[0].tolist() == [0, 1, 1, 3]
    got = _run(_ragged(tf.zeros([0], tf.string), splits))
    assert got.feature_list_ragged_outer_splits[0].tolist() == [0]
    assert got.feature_list_ragged_inner_splits[0].tolist() == [0]


def test_the_ranks_for_an_unknown_batch_are_known():
    out = _ragged(
        tf.placeholder(tf.string),
        context_sparse_keys=["a"], context_sparse_types=[tf.int64], Ncontext_sparse=1,
        feature_list_sparse_keys=["l"], feature_list_sparse_types=[tf.int64], Nfeature_list_sparse=1,
        feature_list_dense_keys=["d"], feature_list_dense_types=[tf.int64], Nfeature_list_dense=1,
        feature_list_dense_shapes=[[3]], feature_list_dense_missing_assumed_empty=[True],
    )  # fmt: skip

    def ranks(*fields):
        return [x.shape.ndims for f in fields for x in getattr(out, f)]

    assert ranks("context_sparse_indices", "feature_list_sparse_indices") == [2, 2]
    assert ranks("context_sparse_shapes", "feature_list_sparse_shapes") == [1, 1]
    assert ranks("context_ragged_values", "context_ragged_row_splits") == [1, 1]
    assert ranks("feature_list_ragged_outer_splits", "feature_list_ragged_values") == [1, 1]  # fmt: skip
    assert ranks("feature_list_dense_values", "feature_list_dense_lengths") == [None, None]  # fmt: skip


def test_ragged_features_that_do_not_fit_are_named():
    wrong = {
        "context_ragged_keys_and": (
            {"context_ragged_keys": ["c", "d"]},
            "context_ragged",
        ),
        "lists": ({"feature_list_ragged_keys": ["l"]}, "Feature list: l.*types"),
        "contexts": ({"context_ragged_keys": ["d"]}, "Context feature: d.*types"),
        "missing": (
            {"feature_list_dense_missing_assumed_empty": [True]},
            "missing_assumed_empty must have",
        ),
        "names": ({"debug_name": ["a", "b"]}, "debug_name must be"),
    }
    for given, text in wrong.values():
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(_ragged([_A], **given))


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


def test_the_first_version_of_the_op_has_keys_as_attrs():
    out = gen_parsing_ops.parse_sequence_example(
        serialized=[_A, _B],
        debug_name=tf.constant([], tf.string),
        context_dense_defaults=[],
        feature_list_dense_missing_assumed_empty=[],
        context_sparse_keys=["c"],
        context_dense_keys=[],
        feature_list_sparse_keys=["s"],
        feature_list_dense_keys=["l"],
        Ncontext_sparse=1,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=1,
        context_sparse_types=[tf.int64],
        feature_list_dense_types=[tf.float32],
        feature_list_sparse_types=[tf.int64],
        feature_list_dense_shapes=[[2]],
    )
    got = _run(out)
    assert got.context_sparse_indices[0].tolist() == [[0, 0], [0, 1]]
    assert got.context_sparse_values[0].tolist() == [1, 2]
    assert got.context_sparse_shapes[0].tolist() == [2, 2]
    lists = [[0, 0, 0], [0, 2, 0], [0, 2, 1], [1, 0, 0]]
    assert got.feature_list_sparse_indices[0].tolist() == lists
    assert got.feature_list_sparse_values[0].tolist() == [1, 2, 3, 7]
    assert got.feature_list_sparse_shapes[0].tolist() == [2, 3, 2]
    dense = [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert got.feature_list_dense_values[0].tolist() == dense
    assert got.feature_list_dense_lengths[0].tolist() == [2, 1]
