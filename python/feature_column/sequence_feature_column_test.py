# SPDX-License-Identifier: Apache-2.0
"""Columns of sequences, and the first layer of a recurrent network from them."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.feature_column import (
    feature_column as fc,
    sequence_feature_column as sfc,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

_TABLE = np.float32([[1, 2], [3, 5], [7, 11]])


def _table(shape, dtype=None, partition_info=None):
    return tf.constant(_TABLE, dtype)


def _run(fetches):
    with tf.Session() as session:
        session.run([tf.global_variables_initializer(), tf.tables_initializer()])
        return session.run(fetches)


def _sparse(rows, width, dtype=None):
    places = [(r, c) for r, row in enumerate(rows) for c in range(len(row))]
    flat = np.array([v for row in rows for v in row], dtype)
    return tf.SparseTensor(places, flat, [len(rows), width])


def test_embeddings_step_by_step():
    ids = _sparse([[2], [0, 1], [], [1]], 2)
    column = fc.embedding_column(
        fc.sequence_categorical_column_with_identity("id", 3), 2, initializer=_table
    )
    dense, lengths = sfc.sequence_input_layer({"id": ids}, column)
    names = [v.op.name for v in tf.global_variables()]
    assert names == ["sequence_input_layer/id_embedding/embedding_weights"]
    value, lengths = _run([dense, lengths])
    assert lengths.tolist() == [1, 2, 0, 1] and lengths.dtype == np.int64
    none = [0, 0]
    want = [[_TABLE[2], none], [_TABLE[0], _TABLE[1]], [none, none], [_TABLE[1], none]]
    np.testing.assert_array_equal(value, want)


def test_several_ids_a_step():
    places = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    ids = tf.SparseTensor(places, np.array([2, 0, 1, 2]), [2, 2, 2])
    watched = fc.sequence_categorical_column_with_identity("id", 3)
    columns = [
        fc.embedding_column(watched, 2, initializer=_table),
        fc.indicator_column(watched),
    ]
    dense, lengths = sfc.sequence_input_layer({"id": ids}, columns)
    value, lengths = _run([dense, lengths])
    assert lengths.tolist() == [2, 1]
    np.testing.assert_array_equal(value[0, 0], [4, 6.5, 1, 0, 1])
    np.testing.assert_array_equal(value[0, 1], [3, 5, 0, 1, 0])
    np.testing.assert_array_equal(value[1], [[7, 11, 0, 0, 1], [0] * 5])


@pytest.mark.parametrize("kind", ["hash", "list", "file"])
def test_words_step_by_step(kind, tmp_path):
    (tmp_path / "words").write_text("a\nb\n")
    path = str(tmp_path / "words")
    column = {
        "hash": lambda: fc.sequence_categorical_column_with_hash_bucket("w", 3),
        "list": lambda: fc.sequence_categorical_column_with_vocabulary_list(
            "w", ["a", "b"], num_oov_buckets=1
        ),
        "file": lambda: fc.sequence_categorical_column_with_vocabulary_file(
            "w", path, num_oov_buckets=1
        ),
    }[kind]()
    assert column.name == "w" and column.num_buckets == 3
    assert column.parse_example_spec == {"w": tf.VarLenFeature(tf.string)}
    features = {"w": _sparse([["b", "x", "a"], ["a"]], 3)}
    dense, lengths = _run(
        sfc.sequence_input_layer(features, [fc.indicator_column(column)])
    )
    assert lengths.tolist() == [3, 1]
    np.testing.assert_array_equal(dense.sum(-1), [[1, 1, 1], [1, 0, 0]])
    if kind != "hash":
        assert dense.argmax(-1)[0].tolist() == [1, 2, 0]
    assert dense.argmax(-1)[0, 2] == dense.argmax(-1)[1, 0]


def test_numbers_step_by_step():
    features = {"x": _sparse([[1, 2, 3, 4], [5, 6], []], 4, np.float32)}
    column = fc.sequence_numeric_column("x", shape=2, default_value=-1.0)
    dense, lengths = _run(sfc.sequence_input_layer(features, [column]))
    assert lengths.tolist() == [2, 1, 0]
    none = [-1, -1]
    want = [[[1, 2], [3, 4]], [[5, 6], none], [none, none]]
    np.testing.assert_array_equal(dense, want)

    def halved(feature):
        return feature.with_values(feature.values / 2)

    column = fc.sequence_numeric_column("x", normalizer_fn=halved)
    dense, lengths = _run(sfc.sequence_input_layer(features, [column]))
    assert lengths.tolist() == [4, 2, 0] and dense[0, :, 0].tolist() == [0.5, 1, 1.5, 2]
    assert column.parse_example_spec == {"x": tf.VarLenFeature(tf.float32)}


def test_columns_must_agree_about_the_steps():
    features = {
        "id": _sparse([[2], [0, 1]], 2),
        "x": _sparse([[0.5], [1.5, 2.5]], 2, np.float32),
    }
    columns = [
        fc.indicator_column(fc.sequence_categorical_column_with_identity("id", 3)),
        fc.sequence_numeric_column("x"),
    ]
    dense, lengths = _run(sfc.sequence_input_layer(features, columns))
    np.testing.assert_array_equal(dense[1], [[1, 0, 0, 1.5], [0, 1, 0, 2.5]])
    features["x"] = _sparse([[0.5, 1.5], [2.5]], 2, np.float32)
    _, lengths = sfc.sequence_input_layer(features, columns)
    with pytest.raises(tf.errors.InvalidArgumentError):
        _run(lengths)


def test_context_is_there_at_every_step():
    sequence = np.arange(12, dtype="f4").reshape(2, 3, 2)
    context = np.float32([[10], [20]])
    both = _run(sfc.concatenate_context_input(context, sequence))
    want = np.concatenate([sequence, np.broadcast_to(context[:, None], (2, 3, 1))], 2)
    np.testing.assert_array_equal(both, want)
    for wrong in ((context[0], sequence), (context, sequence[0])):
        with pytest.raises(ValueError, match="rank"):
            sfc.concatenate_context_input(*wrong)
    with pytest.raises(ValueError, match="float32"):
        sfc.concatenate_context_input(context.astype("f8"), sequence)


def test_other_columns_are_refused():
    plain = fc.categorical_column_with_identity("id", 3)
    features = {"id": _sparse([[1]], 2)}
    for column, words in (
        (fc.numeric_column("id"), "_SequenceDenseColumn"),
        (plain, "_SequenceDenseColumn"),
        (fc.indicator_column(plain), "must be of type _SequenceCategoricalColumn"),
    ):
        with pytest.raises(ValueError, match=words):
            sfc.sequence_input_layer(features, [column])
    with pytest.raises(ValueError, match="greater than 0"):
        fc.sequence_numeric_column("x", [0])
    with pytest.raises(ValueError, match="convertible to float"):
        fc.sequence_numeric_column("x", dtype=tf.string)
    with pytest.raises(TypeError, match="callable"):
        fc.sequence_numeric_column("x", normalizer_fn=1)
