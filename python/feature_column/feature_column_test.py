# SPDX-License-Identifier: Apache-2.0
"""Columns: the values they make of features, the features they parse from an Example, and their refusals."""

import copy

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.feature_column import feature_column as fc

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(fetches):
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        return session.run(fetches)


def _dense(column, features):
    """The column's tensor, of the shape that it promises."""
    tensor = column._get_dense_tensor(fc._LazyBuilder(features))
    value = _run(tensor)
    assert list(value.shape[1:]) == column._variable_shape.as_list()
    return value.tolist()


def _ids(column, features):
    """{(row, place): id}."""
    ids, weights = column._get_sparse_tensors(fc._LazyBuilder(features))
    assert weights is None
    found = _run(ids)
    assert found.values.size == 0 or found.values.max() < column._num_buckets
    return dict(zip(map(tuple, found.indices.tolist()), found.values.tolist()))


def _sparse(values):
    """A SparseTensor [rows, 2] of the values of each row."""
    places = [(r, c) for r, row in enumerate(values) for c in range(len(row))]
    flat = [v for row in values for v in row]
    return tf.SparseTensor(places, flat, [len(values), 2])


def test_numbers_are_floats():
    price = fc.numeric_column("price", normalizer_fn=lambda x: x - 1)
    assert _dense(price, {"price": [[3], [5]]}) == [[2], [4]]
    assert _dense(price, {"price": [3.0, 5.0]}) == [[2], [4]]  # A vector: one each.
    matrix = fc.numeric_column("m", [2, 1], dtype=tf.int64)
    assert _dense(matrix, {"m": np.array([[[1], [2]]])}) == [[[1], [2]]]
    assert _run(matrix._get_dense_tensor(fc._LazyBuilder({"m": [[1]]}))).dtype == "f4"


def test_defaults_have_the_shape_of_the_feature():
    for default, shape, want in (
        (None, 1, None),
        (3, (1,), (3,)),
        (3, [2, 1], ((3,), (3,))),
        ([1.5, 2.0], 2, (1.5, 2.0)),
        (np.array([[1, 2]]), [1, 2], ((1, 2),)),
    ):
        column = fc.numeric_column("a", shape, default_value=default)
        assert column.default_value == want
        assert column._parse_example_spec["a"].default_value == want
    for default, kwargs, error in (
        ("x", {}, TypeError),
        (1.5, {"dtype": tf.int32}, TypeError),
        ([1, 2, 3], {"shape": 2}, ValueError),
        ([[1]], {"shape": 1}, ValueError),
    ):
        with pytest.raises(error, match="default_value"):
            fc.numeric_column("a", default_value=default, **kwargs)


def test_buckets_are_one_hot_or_ids():
    size = fc.numeric_column("size", shape=2)
    buckets = fc.bucketized_column(size, [0, 3.5])
    features = {"size": [[-1.0, 0.0], [3.4, 3.5]]}
    low, middle, high = np.eye(3).tolist()
    assert _dense(buckets, features) == [[low, middle], [middle, high]]
    assert buckets.name == "size_bucketized" and buckets.num_buckets == 6
    ids = {(0, 0): 0, (0, 1): 3 + 1, (1, 0): 1, (1, 1): 3 + 2}
    assert _ids(buckets, features) == ids
    assert buckets.parse_example_spec == size.parse_example_spec


def test_words_have_the_id_of_their_hash():
    column = fc.categorical_column_with_hash_bucket("word", 10)
    hashes = _run(tf.string_to_hash_bucket_fast(["a", "löß", ""], 10)).tolist()
    got = _ids(column, {"word": _sparse([["a"], [], ["löß", ""]])})
    assert got == {(0, 0): hashes[0], (2, 0): hashes[1], (2, 1): hashes[2]}
    # In a dense feature, the empty word is no value.
    got = _ids(column, {"word": [["", "a"], ["löß", ""]]})
    assert got == {(0, 1): hashes[0], (1, 0): hashes[1]}
    numbers = fc.categorical_column_with_hash_bucket("n", 10, tf.int64)
    (hashed,) = _run(tf.string_to_hash_bucket_fast(["-7"], 10)).tolist()
    assert _ids(numbers, {"n": [[-1, -7]]}) == {(0, 1): hashed}


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64, tf.uint8])
def test_integers_are_ids(dtype):
    features = {"n": tf.constant([[0, 2], [5, 3]], dtype)}
    column = fc.categorical_column_with_identity("n", 4, default_value=1)
    ids = {(0, 0): 0, (0, 1): 2, (1, 0): 1, (1, 1): 3}
    assert _ids(column, features) == ids
    strict = fc.categorical_column_with_identity("n", 4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="less_than_num_buckets"):
        _ids(strict, features)
    low = {"n": tf.SparseTensor([[0, 0]], tf.constant([-2], tf.int64), [1, 1])}
    with pytest.raises(tf.errors.InvalidArgumentError, match="x >= y"):
        _ids(strict, low)


def test_vocabularies(tmp_path):
    (tmp_path / "words").write_text("omar\nstringer\nmarlo\n")
    path = str(tmp_path / "words")
    features = {"word": _sparse([["marlo"], ["skywalker", "omar"]])}
    whole = fc.categorical_column_with_vocabulary_file("word", path)
    assert (whole.vocabulary_size, whole.num_buckets) == (3, 3)
    assert _ids(whole, features) == {(0, 0): 2, (1, 0): -1, (1, 1): 0}
    part = fc.categorical_column_with_vocabulary_file("word", path, 2, default_value=1)
    assert _ids(part, features) == {(0, 0): 1, (1, 0): 1, (1, 1): 0}
    more = fc.categorical_column_with_vocabulary_file("word", path, num_oov_buckets=1)
    assert _ids(more, features) == {(0, 0): 2, (1, 0): 3, (1, 1): 0}
    listed = fc.categorical_column_with_vocabulary_list("word", ("omar", "marlo"))
    assert _ids(listed, features) == {(0, 0): 1, (1, 0): -1, (1, 1): 0}
    numbers = fc.categorical_column_with_vocabulary_list(
        "n", np.array([30, 11]), dtype=tf.int32, num_oov_buckets=1
    )
    got = _ids(numbers, {"n": tf.constant([[11], [12], [-1]])})
    assert got == {(0, 0): 1, (1, 0): 2}
    assert numbers.parse_example_spec == {"n": tf.VarLenFeature(tf.int32)}


def test_weights_go_with_ids():
    column = fc.weighted_categorical_column(
        fc.categorical_column_with_identity("id", 3), "weight"
    )
    assert column.name == "id_weighted_by_weight"
    assert set(column.parse_example_spec) == {"id", "weight"}
    ids = _sparse([[0, 2], [1]])
    for weights in (
        ids.with_values(tf.constant([0.5, 1.0, 0.1])),
        tf.constant([[0.5, 1.0], [0.1, 0.0]]),
    ):
        features = {"id": ids, "weight": weights}
        found = column._get_sparse_tensors(fc._LazyBuilder(features))
        found, weighed = _run([found.id_tensor, found.weight_tensor])
        np.testing.assert_array_equal(found.indices, weighed.indices)
        np.testing.assert_array_equal(weighed.values, np.float32([0.5, 1, 0.1]))
        indicator = fc.indicator_column(column)
        indicator = indicator._get_dense_tensor(fc._LazyBuilder(features))
        np.testing.assert_allclose(_run(indicator), [[0.5, 0, 1], [0, 0.1, 0]])
    integers = fc.weighted_categorical_column(
        fc.categorical_column_with_identity("id", 3), "weight", tf.int32
    )
    features = {"id": ids, "weight": tf.constant([[2, 3], [4, 0]])}
    found = integers._get_sparse_tensors(fc._LazyBuilder(features))
    assert _run(found.weight_tensor.values).tolist() == [2, 3, 4]
    with pytest.raises(ValueError, match="Bad dtype"):
        column._get_sparse_tensors(fc._LazyBuilder(features))


def test_indicators_count():
    words = fc.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
    column = fc.indicator_column(words)
    features = {"word": [["a", "a", "c"], ["x", "", "b"]]}
    value = _run(column._get_dense_tensor(fc._LazyBuilder(features)))
    np.testing.assert_array_equal(value, [[2, 0, 1], [0, 1, 0]])
    assert column.name == "word_indicator" and column.variable_shape == [1, 3]


def test_a_feature_is_transformed_once():
    calls = []
    price = fc.numeric_column("price", normalizer_fn=lambda x: calls.append(1) or x)
    builder = fc._LazyBuilder({"price": [[1.0]]})
    for column in (price, copy.deepcopy(price), price):
        fc.bucketized_column(column, [0])._get_dense_tensor(builder)
    assert len(calls) == 1
    assert fc.numeric_column("a") == fc.numeric_column("a") != fc.numeric_column("b")


def test_features_of_any_rank_have_rows():
    column = fc.numeric_column("a")
    for shape in ([], [2, 1, 3]):
        unknown = tf.placeholder(tf.float32)
        tensor = fc._LazyBuilder({"a": unknown}).get("a")
        with tf.Session() as session:
            value = np.ones(shape)
            if not shape:
                with pytest.raises(tf.errors.InvalidArgumentError, match="rank 0"):
                    session.run(tensor, {unknown: value})
                continue
            assert session.run(tensor, {unknown: value}).shape == tuple(shape)
            assert session.run(tensor, {unknown: [1, 2]}).shape == (2, 1)
    sparse = tf.sparse_placeholder(tf.int64)
    tensor = fc._LazyBuilder({"a": sparse}).get("a")
    with tf.Session() as session:
        for shape, want in (([3], [3, 1]), ([3, 2], [3, 2])):
            fed = tf.SparseTensorValue([[0] * len(shape)], [7], shape)
            assert session.run(tensor, {sparse: fed}).dense_shape.tolist() == want
    with pytest.raises(ValueError, match="cannot have rank 0"):
        column._get_dense_tensor(fc._LazyBuilder({"a": 1.0}))


def test_what_examples_must_have(tmp_path):
    size = fc.numeric_column("size", 2, default_value=7)
    word = fc.categorical_column_with_hash_bucket("word", 100)
    columns = [
        size,
        fc.bucketized_column(size, [3, 8]),
        fc.embedding_column(word, 2),
        fc.crossed_column(["word", "other", fc.bucketized_column(size, [5])], 10),
    ]
    spec = tf.feature_column.make_parse_example_spec(columns)
    assert spec == {
        "size": tf.FixedLenFeature((2,), tf.float32, (7, 7)),
        "word": tf.VarLenFeature(tf.string),
        "other": tf.VarLenFeature(tf.string),
    }
    example = tf.train.Example()
    example.features.feature["word"].bytes_list.value.extend([b"a", b"b"])
    parsed = tf.parse_example([example.SerializeToString()], spec)
    assert _dense(columns[0], parsed) == [[7, 7]]
    assert sorted(_ids(columns[3], parsed)) == []  # There is no `other`.
    assert len(_ids(word, parsed)) == 2
    with pytest.raises(ValueError, match="different parse_spec"):
        tf.feature_column.make_parse_example_spec([size, fc.numeric_column("size")])
    with pytest.raises(ValueError, match="_FeatureColumn"):
        tf.feature_column.make_parse_example_spec(["size"])


def test_columns_are_transformed_together():
    price = fc.numeric_column("price")
    buckets = fc.bucketized_column(price, [2])
    outputs = fc._transform_features({"price": [[1.0], [3.0]]}, [buckets, price])
    values = _run([outputs[price], outputs[buckets]])
    assert [v.tolist() for v in values] == [[[1], [3]], [[0], [1]]]
    with pytest.raises(ValueError, match="not in features"):
        fc._transform_features({}, [price])
    with pytest.raises(ValueError, match="Duplicate"):
        fc._transform_features({"price": [[1.0]]}, [price, price])
    with pytest.raises(TypeError, match='"key" must be'):
        fc._LazyBuilder({}).get(3)


def test_a_column_of_ones_own():
    class Length(fc._DenseColumn):
        name = "length"
        _parse_example_spec = {"text": tf.FixedLenFeature([], tf.string)}
        _variable_shape = tf.TensorShape([1])

        def _transform_feature(self, inputs):
            return tf.cast(tf.strings.length(inputs.get("text")), tf.float32)

        def _get_dense_tensor(self, inputs, weight_collections=None, trainable=None):
            return inputs.get(self)

    layer = tf.feature_column.input_layer({"text": ["a", "abc"]}, [Length()])
    assert _run(layer).tolist() == [[1], [3]]


_PRICE = fc.numeric_column("price")
_HASHED = fc.categorical_column_with_hash_bucket("text", 10)
_ID = fc.categorical_column_with_identity("id", 3)
_ID4 = fc.categorical_column_with_identity("other", 4)
_list = fc.categorical_column_with_vocabulary_list
_file = fc.categorical_column_with_vocabulary_file

_REFUSED = [
    (lambda: fc.numeric_column(3), ValueError, "key must be a string"),
    (lambda: fc.numeric_column("a", [0]), ValueError, "greater than 0"),
    (lambda: fc.numeric_column("a", [1.5]), TypeError, "must be integer"),
    (lambda: fc.numeric_column("a", dtype=tf.string), ValueError, "convertible"),
    (lambda: fc.numeric_column("a", normalizer_fn=3), TypeError, "callable"),
    (lambda: fc.bucketized_column(_HASHED, [1]), ValueError, "source_column"),
    (
        lambda: fc.bucketized_column(fc.numeric_column("a", [1, 2]), [1]),
        ValueError,
        "one-dimensional",
    ),
    (lambda: fc.bucketized_column(_PRICE, []), ValueError, "not be empty"),
    (lambda: fc.bucketized_column(_PRICE, [2, 1]), ValueError, "sorted list"),
    (lambda: fc.bucketized_column(_PRICE, {1, 2}), ValueError, "sorted list"),
    (
        lambda: fc.categorical_column_with_hash_bucket("a", None),
        ValueError,
        "must be set",
    ),
    (
        lambda: fc.categorical_column_with_hash_bucket("a", 0),
        ValueError,
        "at least 1",
    ),
    (
        lambda: fc.categorical_column_with_hash_bucket("a", 1, tf.float32),
        ValueError,
        "string or integer",
    ),
    (lambda: _file("a", ""), ValueError, "Missing vocabulary_file"),
    (lambda: _file("a", "/none"), ValueError, "does not exist"),
    (lambda: _file("a", "x", 0), ValueError, "Invalid vocabulary_size"),
    (lambda: _file("a", "x", 1, -1), ValueError, "Invalid num_oov_buckets"),
    (lambda: _file("a", "x", 1, 1, 1), ValueError, "both num_oov_buckets"),
    (lambda: _file("a", "x", 1, dtype=tf.bool), ValueError, "string or integer"),
    (lambda: _list("a", []), ValueError, "non-empty"),
    (lambda: _list("a", ["a", "a"]), ValueError, "Duplicate keys"),
    (lambda: _list("a", [1.5]), ValueError, "string or integer"),
    (lambda: _list("a", ["a"], tf.int64), ValueError, "do not match"),
    (lambda: _list("a", ["a"], None, 3, 1), ValueError, "both num_oov_buckets"),
    (
        lambda: fc.categorical_column_with_identity("a", 0),
        ValueError,
        "num_buckets 0 < 1",
    ),
    (
        lambda: fc.categorical_column_with_identity("a", 2, 2),
        ValueError,
        r"not in range \[0, 2\)",
    ),
    (
        lambda: fc.weighted_categorical_column(_ID, "w", tf.string),
        ValueError,
        "not convertible to float",
    ),
    (
        lambda: fc.weighted_categorical_column(_ID, "id").parse_example_spec,
        ValueError,
        "already exists",
    ),
    (lambda: fc.embedding_column(_ID, 0), ValueError, "Invalid dimension"),
    (
        lambda: fc.embedding_column(_ID, 1, ckpt_to_load_from="x"),
        ValueError,
        "Must specify both",
    ),
    (
        lambda: fc.embedding_column(_ID, 1, initializer="zeros"),
        ValueError,
        "must be callable",
    ),
    (
        lambda: fc.shared_embedding_columns([_ID, _ID4], 1),
        ValueError,
        "same number of buckets",
    ),
    (
        lambda: fc.shared_embedding_columns([_ID, _HASHED], 1),
        ValueError,
        "same type",
    ),
    (
        lambda: fc.shared_embedding_columns([_PRICE], 1),
        ValueError,
        "must be subclasses of _CategoricalColumn",
    ),
    (
        lambda: _ids(_HASHED, {"text": [[1]]}),
        ValueError,
        "must be compatible",
    ),
    (
        lambda: _ids(_list("text", ["a"]), {"text": [[1]]}),
        ValueError,
        "must be compatible",
    ),
    (lambda: _ids(_ID, {"id": [["a"]]}), ValueError, "not integer"),
    (
        lambda: _dense(_PRICE, {"price": _sparse([[1.0]])}),
        ValueError,
        "must be a Tensor",
    ),
    (
        lambda: _dense(
            fc.embedding_column(
                fc.sequence_categorical_column_with_identity("a", 2), 2
            ),
            {"a": [[1]]},
        ),
        ValueError,
        "_SequenceCategoricalColumn",
    ),
]


@pytest.mark.parametrize("call, error, words", _REFUSED)
def test_what_makes_no_sense_is_refused(call, error, words):
    with pytest.raises(error, match=words):
        call()
