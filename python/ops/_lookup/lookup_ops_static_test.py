# SPDX-License-Identifier: Apache-2.0
"""Tables by the names and arguments of tf.lookup."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _ids(words):
    numbers = tf.range(len(words), dtype=tf.int64)
    return tf.lookup.KeyValueTensorInitializer(words, numbers)


def _run(fetches):
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        return session.run(fetches)


def test_static_hash_tables():
    table = tf.lookup.StaticHashTable(_ids(["a", "b"]), -1, name="mine")
    assert (table.key_dtype, table.value_dtype) == (tf.string, tf.int64)
    assert table.name == "mine" and table.resource_handle.dtype == tf.resource
    assert table.initializer in tf.get_collection(tf.GraphKeys.TABLE_INITIALIZERS)
    found, size, default, (keys, values) = _run(
        [
            table.lookup(tf.constant([["b", "x"]])),
            table.size(),
            table.default_value,
            table.export(),
        ]
    )
    assert (found.tolist(), size, default) == ([[1, -1]], 2, -1)
    assert dict(zip(keys, values)) == {b"a": 0, b"b": 1}
    assert table.export()[0].shape.as_list() == [None]


def test_words_of_a_file_can_be_numbered_from_one_on(tmp_path):
    (tmp_path / "words").write_text("a\nb\n")
    index = tf.lookup.TextFileIndex
    lines = tf.lookup.TextFileInitializer(
        str(tmp_path / "words"), tf.string, index.WHOLE_LINE, tf.int64,
        index.LINE_NUMBER, value_index_offset=1,
    )  # fmt: skip
    table = tf.lookup.StaticHashTable(lines, default_value=0)
    assert _run(table.lookup(tf.constant(["b", "x", "a"]))).tolist() == [2, 0, 1]


def test_other_words_share_ids():
    table = tf.lookup.StaticVocabularyTable(_ids(["a", "b"]), 3)
    buckets = tf.lookup.StaticVocabularyTable(None, 3)
    words = ["a", "x", "b", "y", "z"]
    hashes = tf.string_to_hash_bucket_fast(words, 3)
    ids, sizes, only, hashes = _run(
        [
            table.lookup(tf.constant(words)),
            [table.size(), buckets.size()],
            buckets.lookup(tf.constant(words)),
            hashes,
        ]
    )
    assert ids[[0, 2]].tolist() == [0, 1] and sizes == [5, 3]
    assert (ids[[1, 3, 4]] - 2).tolist() == hashes[[1, 3, 4]].tolist()
    assert only.tolist() == hashes.tolist()
    with tf.Session() as session:
        session.run([table.initializer, buckets.initializer])
    assert table.resource_handle is not None and buckets.resource_handle is None


def test_integers_of_any_width_are_keys():
    sevens = tf.lookup.KeyValueTensorInitializer(
        tf.constant([7, 9], tf.int64), tf.constant([0, 1], tf.int64)
    )
    table = tf.lookup.StaticVocabularyTable(sevens, 1, lookup_key_dtype=tf.int32)
    assert _run(table.lookup(tf.constant([9, 8, 7]))).tolist() == [1, 2, 0]


def test_what_is_no_vocabulary_is_refused():
    words = tf.lookup.KeyValueTensorInitializer(["a"], ["b"])
    floats = tf.lookup.KeyValueTensorInitializer([1.5], tf.constant([0], tf.int64))
    make = tf.lookup.StaticVocabularyTable
    with pytest.raises(ValueError, match="must be > 0"):
        make(_ids(["a"]), 0)
    with pytest.raises(TypeError, match="Invalid value dtype"):
        make(words, 1)
    with pytest.raises(TypeError, match="Invalid key dtype"):
        make(floats, 1)
    with pytest.raises(TypeError, match="Invalid key dtype"):
        make(_ids(["a"]), 1, lookup_key_dtype=tf.int64)
    with pytest.raises(TypeError, match="Invalid key_dtype"):
        make(None, 1, lookup_key_dtype=tf.float32)
    table = make(_ids(["a"]), 1)
    with pytest.raises(TypeError, match="Signature mismatch"):
        table.lookup(tf.constant([1]))
