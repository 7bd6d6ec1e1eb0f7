# SPDX-License-Identifier: Apache-2.0
"""The initializers of tables, run by one operation."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import lookup_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_the_initializer_of_all_tables_runs_each():
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(tf.tables_initializer())  # There are no tables: this does nothing.
        states = [tf.Variable(i, trainable=False) for i in range(2)]
        session.run(tf.global_variables_initializer())
        for state in states:
            tf.add_to_collection(
                tf.GraphKeys.TABLE_INITIALIZERS, tf.assign_add(state, 10).op
            )
        initializer = tf.tables_initializer(name="mine")
        assert initializer.name == "mine"
        session.run(initializer)
        assert session.run(states) == [10, 11]
        session.run(tf.initialize_all_tables())
        session.run(tf.initializers.tables_initializer())
        assert session.run(states) == [30, 31]


def test_words_to_numbers_and_back(tmp_path):
    path = tmp_path / "words"
    path.write_text("emerson\nlake\npalmer\n")
    with tf.Graph().as_default(), tf.Session() as session:
        to_id = lookup_ops.index_table_from_file(str(path), num_oov_buckets=2)
        plain = lookup_ops.index_table_from_tensor(["emerson", "lake", "palmer"])
        back = lookup_ops.index_to_string_table_from_file(str(path))
        other = lookup_ops.index_to_string_table_from_tensor(["a", "b"], "none")
        session.run(tf.tables_initializer())
        words = tf.constant(["lake", "and", "palmer"])
        ids = session.run(to_id.lookup(words))
        assert ids[[0, 2]].tolist() == [1, 2] and ids[1] in (3, 4)
        assert session.run(plain.lookup(words)).tolist() == [1, -1, 2]
        assert session.run([to_id.size(), plain.size()]) == [5, 3]
        numbers = tf.constant([2, 7], tf.int64)
        assert session.run(back.lookup(numbers)).tolist() == [b"palmer", b"UNK"]
        assert session.run(other.lookup(numbers)).tolist() == [b"none", b"none"]
        assert tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)


def test_buckets_without_a_table_and_of_numbers():
    with tf.Graph().as_default(), tf.Session() as session:
        buckets = lookup_ops.IdTableWithHashBuckets(
            None, 10, lookup_ops.StrongHashSpec([1, 2])
        )
        ids = session.run(buckets.lookup(tf.constant(["a", "b", "a"])))
        assert ids[0] == ids[2] and ((ids >= 0) & (ids < 10)).all()
        assert session.run(buckets.size()) == 10
        session.run(buckets.init)
        table = lookup_ops.index_table_from_tensor([42, 1, -1000], 1, dtype=tf.int64)
        session.run(table.init)
        keys = tf.constant([1, 42, 7], tf.int64)
        assert session.run(table.lookup(keys)).tolist() == [1, 0, 3]


def test_sparse_keys_stay_sparse():
    with tf.Graph().as_default(), tf.Session() as session:
        table = lookup_ops.index_table_from_tensor(["a", "b"], num_oov_buckets=1)
        session.run(table.init)
        keys = tf.SparseTensor([[0, 1], [2, 0]], ["b", "x"], [3, 2])
        ids = session.run(table.lookup(keys))
        assert ids.values.tolist() == [1, 2] and ids.dense_shape.tolist() == [3, 2]


def test_bad_arguments_of_tables():
    strings = lookup_ops.KeyValueTensorInitializer
    with tf.Graph().as_default():
        table = lookup_ops.HashTable(strings(["a"], [1]), -1)
        bad = [
            (TypeError, lambda: table.lookup(tf.constant([1]))),
            (TypeError, lambda: lookup_ops.StrongHashSpec([1.5, 2])),
            (ValueError, lambda: lookup_ops.StrongHashSpec([1])),
            (ValueError, lambda: lookup_ops.index_table_from_file("")),
            (ValueError, lambda: lookup_ops.index_table_from_file("f", -1)),
            (ValueError, lambda: lookup_ops.index_table_from_file("f", vocab_size=0)),
            (ValueError, lambda: lookup_ops.index_table_from_tensor(None)),
            (TypeError, lambda: lookup_ops.index_table_from_tensor(["a"], dtype=tf.float32)),
            (ValueError, lambda: lookup_ops.IdTableWithHashBuckets(None, 0)),
            (TypeError, lambda: lookup_ops.IdTableWithHashBuckets(None, 1, "fast")),
            (TypeError, lambda: lookup_ops.HashTable(strings(["a"], [1]), "x")),
            (ValueError, lambda: lookup_ops.TextFileInitializer(
                "f", tf.string, -3, tf.int64, -1)),
            (ValueError, lambda: lookup_ops.TextFileInitializer(
                "f", tf.string, -1, tf.int64, -1)),
        ]  # fmt: skip
        for error, call in bad:
            with pytest.raises(error):
                call()


def test_mutable_tables_are_in_checkpoints(tmp_path):
    def tables():
        words = lookup_ops.MutableHashTable(tf.string, tf.int64, -1, name="words")
        vectors = lookup_ops.MutableHashTable(
            tf.int64, tf.float32, [0.0, 0.0], name="vectors"
        )
        dense = lookup_ops.MutableDenseHashTable(
            tf.int64, tf.float32, -1.0, empty_key=0, initial_num_buckets=4, name="dense"
        )
        lookup_ops.MutableHashTable(
            tf.string, tf.int64, -1, name="transient", checkpoint=False
        )
        return words, vectors, dense

    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        words, vectors, dense = tables()
        v = tf.Variable([1.0], name="v")
        saver = tf.train.Saver()
        session.run(v.initializer)
        session.run(words.insert(["a", "b"], np.int64([1, 2])))
        session.run(vectors.insert(np.int64([7]), [[1.0, 2.0]]))
        session.run(dense.insert(np.int64([3, 4]), [0.5, 0.25]))
        saver.save(session, path, write_meta_graph=False)
        assert dict(tf.train.list_variables(path)).keys() == {
            "v", "words-keys", "words-values", "vectors-keys", "vectors-values",
            "dense-keys", "dense-values",
        }  # fmt: skip
    with tf.Graph().as_default(), tf.Session() as session:
        words, vectors, dense = tables()
        v = tf.Variable([0.0], name="v")
        session.run(words.insert(["gone"], np.int64([9])))
        tf.train.Saver().restore(session, path)
        assert session.run(words.lookup(tf.constant(["b", "gone", "a"]))).tolist() == [
            2,
            -1,
            1,
        ]
        assert session.run(vectors.lookup(np.int64([7, 8]))).tolist() == [
            [1, 2],
            [0, 0],
        ]
        assert session.run(dense.lookup(np.int64([4, 3, 5]))).tolist() == [
            0.25,
            0.5,
            -1,
        ]
        assert session.run(v).tolist() == [1]


def test_two_tables_of_one_name_are_not_saved():
    for _ in range(2):
        lookup_ops.MutableHashTable(tf.string, tf.int64, -1)
    with pytest.raises(ValueError, match="same name: MutableHashTable"):
        tf.train.Saver()


def test_the_wrappers_of_table_ops_are_beside_the_tables():
    table = lookup_ops.mutable_hash_table_v2(tf.string, tf.int64)
    insert = lookup_ops.lookup_table_insert_v2(
        table, ["a", "b"], tf.constant([1, 2], tf.int64)
    )
    default = tf.constant(-1, tf.int64)
    with tf.control_dependencies([insert]):
        found = lookup_ops.lookup_table_find_v2(table, ["b", "c"], default)
        size = lookup_ops.lookup_table_size_v2(table)
    with tf.Session() as session:
        values, count = session.run([found, size])
    assert values.tolist() == [2, -1] and count == 2
