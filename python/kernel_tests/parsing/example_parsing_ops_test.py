# SPDX-License-Identifier: Apache-2.0
"""ParseExample, ParseExampleV2 and ParseSingleExample: Examples as tensors."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_parsing_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def feature(values):
    if values is None:
        return tf.train.Feature()
    if any(isinstance(v, bytes) for v in values):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if any(isinstance(v, float) for v in values):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(**features):
    made = {name: feature(values) for name, values in features.items()}
    return tf.train.Example(
        features=tf.train.Features(feature=made)
    ).SerializeToString()


def _run(tensors, feeds=None):
    with tf.Session() as session:
        return session.run(tensors, feeds)


_BATCH = [
    example(f=[1.5, 2.0], i=[1, -1, 2**62], s=[b"a", b""], r=[1.0, 2.0, 3.0, 4.0]),
    example(f=[3.0, 4.0], other=[b"not asked for"]),
    example(f=[5.0, 6.0], i=[7], s=[b"xyz"], r=[5.0, 6.0]),
]


def test_features_of_all_kinds_become_tensors():
    parsed = _run(
        tf.parse_example(
            _BATCH,
            {
                "f": tf.FixedLenFeature([2], tf.float32),
                "i": tf.VarLenFeature(tf.int64),
                "s": tf.VarLenFeature(tf.string),
                "r": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
            },
        )
    )
    np.testing.assert_array_equal(parsed["f"], [[1.5, 2], [3, 4], [5, 6]])
    assert parsed["f"].dtype == np.float32
    assert parsed["i"].indices.tolist() == [[0, 0], [0, 1], [0, 2], [2, 0]]
    assert parsed["i"].values.tolist() == [1, -1, 2**62, 7]
    assert parsed["i"].dense_shape.tolist() == [3, 3]
    assert parsed["s"].values.tolist() == [b"a", b"", b"xyz"]
    assert parsed["s"].dense_shape.tolist() == [3, 2]
    np.testing.assert_array_equal(
        parsed["r"], [[[1, 2], [3, 4]], [[0, 0], [0, 0]], [[5, 6], [0, 0]]]
    )


def test_defaults_stand_in_for_what_is_missing():
    features = {
        "a": tf.FixedLenFeature([], tf.string, default_value="none"),
        "b": tf.FixedLenFeature([2], tf.int64, default_value=[3, 4]),
        "r": tf.FixedLenSequenceFeature(
            [], tf.float32, allow_missing=True, default_value=-1.0
        ),
    }
    parsed = _run(tf.parse_example([*_BATCH, example(a=None, b=[8, 9])], features))
    assert parsed["a"].tolist() == [b"none"] * 4
    assert parsed["b"].tolist() == [[3, 4]] * 3 + [[8, 9]]
    assert parsed["r"].tolist() == [
        [1, 2, 3, 4],
        [-1, -1, -1, -1],
        [5, 6, -1, -1],
        [-1, -1, -1, -1],
    ]


def test_indices_and_values_are_a_sparse_tensor():
    batch = [
        example(x=[3, 0, 1], y=[0, 5, 2], v=[1.0, 2.0, 3.0]),
        example(x=[1], y=[1], v=[4.0]),
        example(),
    ]
    features = {
        "one": tf.SparseFeature("x", "v", tf.float32, 4),
        "two": tf.SparseFeature(["x", "y"], "v", tf.float32, [4, 6]),
        "asis": tf.SparseFeature("x", "v", tf.float32, 4, already_sorted=True),
    }
    parsed = _run(tf.parse_example(batch, features))
    assert sorted(parsed) == ["asis", "one", "two"]
    assert parsed["one"].indices.tolist() == [[0, 0], [0, 1], [0, 3], [1, 1]]
    assert parsed["one"].values.tolist() == [2, 3, 1, 4]
    assert parsed["one"].dense_shape.tolist() == [3, 4]
    assert parsed["two"].indices.tolist() == [
        [0, 0, 5],
        [0, 1, 2],
        [0, 3, 0],
        [1, 1, 1],
    ]
    assert parsed["two"].dense_shape.tolist() == [3, 4, 6]
    assert parsed["asis"].indices.tolist() == [[0, 3], [0, 0], [0, 1], [1, 1]]


def test_one_example_has_no_dimension_of_a_batch():
    features = {
        "f": tf.FixedLenFeature([2], tf.float32),
        "i": tf.VarLenFeature(tf.int64),
        "r": tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True),
        "none": tf.VarLenFeature(tf.string),
        "sp": tf.SparseFeature("i", "v", tf.float32, 9),
    }
    one = tf.placeholder(tf.string, [])
    tensors = tf.parse_single_example(one, features)
    assert tensors["f"].op.type == "ParseSingleExample"
    assert tensors["f"].shape.as_list() == [2]
    assert tensors["r"].shape.as_list() == [None, 2]
    serialized = example(f=[1.0, 2.0], i=[4, 2], r=[3.0, 4.0], v=[3.0, 4.0])
    for tensors in (
        tensors,
        tf.parse_single_example(one, features, example_names="me"),
    ):
        parsed = _run(tensors, {one: serialized})
        assert parsed["f"].tolist() == [1, 2]
        assert parsed["i"].indices.tolist() == [[0], [1]]
        assert parsed["i"].dense_shape.tolist() == [2]
        assert parsed["r"].tolist() == [[3, 4]]
        assert parsed["none"].dense_shape.tolist() == [0]
        assert parsed["sp"].indices.tolist() == [[2], [4]]
        assert parsed["sp"].values.tolist() == [4, 3]


def test_an_empty_batch_is_parsed():
    features = {
        "f": tf.FixedLenFeature([2], tf.float32),
        "i": tf.VarLenFeature(tf.int64),
        "r": tf.FixedLenSequenceFeature([], tf.string, allow_missing=True),
    }
    parsed = _run(tf.parse_example(tf.zeros([0], tf.string), features))
    assert parsed["f"].shape == (0, 2)
    assert parsed["i"].dense_shape.tolist() == [0, 0]
    assert parsed["r"].shape == (0, 0)


@pytest.mark.parametrize(
    ("sparse", "dense", "said"),
    [
        ([], [], "Nsparse is 2, but there are 0 sparse_types"),
        ([tf.int64] * 3, [], "Nsparse is 2, but there are 3 sparse_types"),
        ([tf.int64] * 2, [1.0], "Ndense is 0, but there are 1 Tdense"),
    ],
)
def test_as_many_keys_as_types_are_wanted(sparse, dense, said):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=said):
        gen_parsing_ops.parse_example(
            serialized=_BATCH,
            names=tf.zeros([0], tf.string),
            sparse_keys=["i", "j"],
            dense_keys=[],
            dense_defaults=dense,
            sparse_types=sparse,
            dense_shapes=[[]] * len(dense),
        )


@pytest.mark.parametrize("split_type", [tf.int32, tf.int64])
def test_ragged_features_are_values_and_splits(split_type):
    def ragged(serialized):
        return gen_parsing_ops.parse_example_v2(
            serialized=serialized,
            names=tf.zeros([0], tf.string),
            sparse_keys=tf.zeros([0], tf.string),
            dense_keys=["f"],
            ragged_keys=["i"],
            dense_defaults=[tf.zeros([0])],
            num_sparse=0,
            sparse_types=[],
            ragged_value_types=[tf.int64],
            ragged_split_types=[split_type],
            dense_shapes=[[2]],
        )

    out = _run(ragged(_BATCH))
    assert out.dense_values[0].tolist() == [[1.5, 2], [3, 4], [5, 6]]
    assert out.ragged_values[0].tolist() == [1, -1, 2**62, 7]
    assert out.ragged_row_splits[0].tolist() == [0, 3, 3, 4]
    assert out.ragged_row_splits[0].dtype == split_type.as_numpy_dtype
    out = _run(ragged(_BATCH[0]))
    assert out.dense_values[0].tolist() == [1.5, 2]
    assert out.ragged_values[0].tolist() == [1, -1, 2**62]
    assert out.ragged_row_splits[0].shape == (0,)


def test_every_way_to_write_a_list_is_read():
    def field(number, content):
        return bytes([number << 3 | 2, len(content)]) + content

    def one(key, kind, values):
        entry = field(1, key) + field(2, field(kind, values))
        return field(1, entry)

    # Numbers one by one, and in two pieces; a feature said twice: the last counts.
    ints = b"\x08\x05" + field(1, b"\x01\x02") + b"\x08" + b"\xff" * 9 + b"\x01"
    floats = b"\x0d" + np.float32(2.5).tobytes() + field(1, np.float32(3).tobytes())
    features = (
        one(b"i", 3, b"\x08\x09")
        + one(b"i", 3, ints)
        + one(b"f", 2, floats)
        + one(b"s", 1, field(1, b"x") + field(1, b""))
        + b"\x10\x07"  # A field with an unknown number.
    )
    two = field(1, features) + field(1, one(b"t", 1, field(1, b"y")))
    parsed = _run(
        tf.parse_example(
            [two],
            {
                "i": tf.VarLenFeature(tf.int64),
                "f": tf.FixedLenFeature([2], tf.float32),
                "s": tf.VarLenFeature(tf.string),
                "t": tf.FixedLenFeature([], tf.string),
            },
        )
    )
    assert parsed["i"].values.tolist() == [5, 1, 2, -1]
    assert parsed["f"].tolist() == [[2.5, 3]]
    assert parsed["s"].values.tolist() == [b"x", b""]
    assert parsed["t"].tolist() == [b"y"]


def test_many_examples_are_parsed_by_several_threads():
    rng = np.random.RandomState(0)
    floats = rng.rand(500, 7).astype(np.float32)
    lists = [rng.randint(-(2**40), 2**40, rng.randint(9)).tolist() for _ in range(500)]
    batch = [
        example(f=[float(x) for x in f], i=i, s=[b"%d" % n])
        for n, (f, i) in enumerate(zip(floats, lists))
    ]
    features = {
        "f": tf.FixedLenFeature([7], tf.float32),
        "i": tf.VarLenFeature(tf.int64),
        "s": tf.FixedLenFeature([], tf.string),
    }
    parsed = _run(tf.parse_example(batch, features))
    np.testing.assert_array_equal(parsed["f"], floats)
    assert parsed["i"].values.tolist() == sum(lists, [])
    assert parsed["i"].indices[:, 0].tolist() == [
        n for n, i in enumerate(lists) for _ in i
    ]
    assert parsed["s"].tolist() == [b"%d" % n for n in range(500)]


@pytest.mark.parametrize(
    ("features", "text"),
    [
        ({"f": tf.FixedLenFeature([3], tf.float32)}, "Key: f, Index: 0.*float values"),
        ({"f": tf.FixedLenFeature([2], tf.int64)}, "Key: f.*Data types don't match"),
        ({"f": tf.VarLenFeature(tf.string)}, "Key: f.*Data types don't match"),
        ({"no": tf.FixedLenFeature([], tf.string)}, "Feature: no .*string.*required"),
        (
            {"f": tf.FixedLenSequenceFeature([3], tf.float32, allow_missing=True)},
            "Key: f.*multiple of stride",
        ),
    ],
)
def test_what_does_not_fit_is_named(features, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        _run(tf.parse_example(_BATCH, features))
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=f"Name: mine, .*{text[:6]}"
    ):
        _run(tf.parse_example(_BATCH, features, example_names=["mine"] * 3))
    with pytest.raises(tf.errors.InvalidArgumentError, match=text[:6]):
        _run(tf.parse_single_example(_BATCH[0], features))


def test_features_that_contradict_are_refused():
    for features, error in [
        ({}, ValueError),
        ({"a": 7}, ValueError),
        ({"a": tf.FixedLenFeature([None], tf.float32)}, ValueError),
        ({"a": tf.FixedLenFeature(None, tf.float32)}, ValueError),
        ({"a": tf.VarLenFeature(None)}, ValueError),
        ({"a": tf.VarLenFeature(tf.int32)}, TypeError),
        ({"a": tf.FixedLenSequenceFeature([], tf.int64)}, ValueError),
        (
            {
                "a": tf.SparseFeature("i", "v", tf.float32, 3),
                "i": tf.FixedLenFeature([], tf.int64),
            },
            ValueError,
        ),
        (
            {
                "a": tf.SparseFeature("i", "v", tf.float32, 3),
                "v": tf.VarLenFeature(tf.int64),
            },
            ValueError,
        ),
    ]:
        with pytest.raises(error):
            tf.parse_example(_BATCH, features)
    with pytest.raises(tf.errors.InvalidArgumentError, match="names"):
        _run(
            tf.parse_example(
                _BATCH, {"i": tf.VarLenFeature(tf.int64)}, example_names=["a"]
            )
        )


def test_changed_and_cut_examples_are_errors_or_values():
    features = {
        "f": tf.FixedLenFeature([2], tf.float32, default_value=[0.0, 0.0]),
        "i": tf.VarLenFeature(tf.int64),
        "s": tf.VarLenFeature(tf.string),
        "r": tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True),
    }
    whole = _BATCH[0]
    changed = [whole[:n] for n in range(len(whole))]
    for bit in range(0, 8 * len(whole), 97):
        data = bytearray(whole)
        data[bit // 8] ^= 1 << bit % 8
        changed.append(bytes(data))
    # Lengths beyond anything: of the features, of an entry, of a list.
    huge = b"\xff\xff\xff\xff\xff\xff\xff\xff\x7f"
    changed += [b"\x0a" + huge, b"\x0a\x0b\x0a" + huge, b"\x0b\x0c", b"\xff" * 40]
    serialized = tf.placeholder(tf.string, [None])
    parsed = tf.parse_example(serialized, features)
    refused = 0
    with tf.Session() as session:
        for data in changed:
            try:
                out = session.run(parsed, {serialized: [data]})
            except tf.errors.InvalidArgumentError:
                refused += 1
            else:
                assert out["i"].values.size <= len(whole)
    assert refused > len(whole) // 2
