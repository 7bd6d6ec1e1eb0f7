# SPDX-License-Identifier: Apache-2.0
"""Crossed columns: their combinations, with TensorFlow's ids."""

import pytest

import tensorwright as tf
from tensorwright.python.feature_column import feature_column as fc

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _ids(column, features):
    """Returns the ids of each row, in order."""
    found, weights = column._get_sparse_tensors(fc._LazyBuilder(features))
    assert weights is None
    with tf.Session() as session:
        found = session.run(found)
    rows = [[] for _ in range(found.dense_shape[0])]
    for (row, _), value in zip(found.indices, found.values):
        rows[row].append(int(value))
    return rows


def _sparse(values):
    places = [(r, c) for r, row in enumerate(values) for c in range(len(row))]
    flat = [v for row in values for v in row]
    return tf.SparseTensor(places, flat, [len(values), 2])


_FEATURES = {
    "wire": lambda: _sparse([["omar"], ["stringer", "marlo"], []]),
    "day": lambda: _sparse([["mon"], ["mon", "tue"], ["wed"]]),
    "price": lambda: tf.constant([[1.0], [9.0], [2.0]]),
    "n": lambda: tf.constant([[11, 12], [3, 4], [5, 6]]),
}


def _features():
    return {key: make() for key, make in _FEATURES.items()}


def test_every_value_of_one_meets_every_value_of_the_other():
    column = fc.crossed_column(["wire", "day"], 2**40)
    rows = _ids(column, _features())
    assert [len(r) for r in rows] == [1, 4, 0] and len(set(rows[1])) == 4
    assert column.name == "day_X_wire" and column.num_buckets == 2**40
    assert column.parse_example_spec == {
        "wire": tf.VarLenFeature(tf.string),
        "day": tf.VarLenFeature(tf.string),
    }


def test_another_key_gives_other_ids():
    features = _features()
    one, two = (
        _ids(fc.crossed_column(["wire", "day"], 2**40, hash_key), features)
        for hash_key in (None, 5)
    )
    assert one[0] != two[0]


def test_columns_and_crosses_can_be_crossed():
    features = _features()
    price = fc.bucketized_column(fc.numeric_column("price"), [0, 5])
    wire = fc.categorical_column_with_vocabulary_list("wire", ["omar", "marlo"])
    inner = fc.crossed_column(["wire", "day"], 10)
    outer = fc.crossed_column([inner, price, "n"], 1000)
    assert outer.name == "day_X_n_X_price_bucketized_X_wire"
    assert set(outer.parse_example_spec) == {"wire", "day", "price", "n"}
    flat = fc.crossed_column(["wire", "day", price, "n"], 1000)
    assert _ids(outer, features) == _ids(flat, features)
    assert [len(r) for r in _ids(outer, features)] == [2, 8, 0]
    known = fc.crossed_column([wire, "day"], 1000)
    with tf.Session() as session:
        found = known._get_sparse_tensors(fc._LazyBuilder(features)).id_tensor
        session.run(tf.tables_initializer())
        assert len(session.run(found).values) == 5


def test_what_cannot_be_crossed_is_refused():
    hashed = fc.categorical_column_with_hash_bucket("a", 3)
    for keys, size, words in (
        (["a"], 10, "length > 1"),
        ("", 10, "length > 1"),
        (["a", "b"], 0, "must be > 1"),
        (["a", "b"], None, "must be > 1"),
        (["a", hashed], 10, "not supported for crossing"),
        (["a", fc.numeric_column("b")], 10, "Unsupported key type"),
    ):
        with pytest.raises(ValueError, match=words):
            fc.crossed_column(keys, size)
    weighted = fc.weighted_categorical_column(
        fc.categorical_column_with_identity("n", 20), "price"
    )
    with pytest.raises(ValueError, match="does not support weight_tensor"):
        _ids(fc.crossed_column(["wire", weighted], 10), _features())
