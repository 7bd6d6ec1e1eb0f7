# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.lookup: words to numbers and back, refusals."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

lookup = tf.contrib.lookup
WORDS = ["emerson", "lake", "palmer"]


def run(fetches):
    with tf.Session() as session:
        session.run(tf.tables_initializer())
        return session.run(fetches)


def test_words_and_numbers():
    words = tf.constant(["lake", "palmer", "king"])
    table = lookup.index_table_from_tensor(mapping=WORDS, num_oov_buckets=1)
    strings = lookup.string_to_index_table_from_tensor(WORDS, default_value=9)
    numbers = tf.constant([2, 0, 5], tf.int64)
    got = run(
        [
            table.lookup(words),
            strings.lookup(words),
            lookup.string_to_index(words, WORDS),
            lookup.index_to_string(numbers, WORDS),
            lookup.index_to_string_table_from_tensor(WORDS, "?").lookup(numbers),
        ]
    )
    assert [g.tolist() for g in got] == [
        [1, 2, 3],
        [1, 2, 9],
        [1, 2, -1],
        [b"palmer", b"emerson", b"UNK"],
        [b"palmer", b"emerson", b"?"],
    ]


def test_words_of_files(tmp_path):
    path = str(tmp_path / "words")
    (tmp_path / "words").write_text("\n".join(WORDS) + "\n")
    there = lookup.string_to_index_table_from_file(path)
    back = lookup.index_to_string_table_from_file(path, vocab_size=2)
    got = run([there.lookup(tf.constant(["palmer"])), back.lookup(tf.constant([1, 2], tf.int64))])  # fmt: skip
    assert got[0].tolist() == [2] and got[1].tolist() == [b"lake", b"UNK"]


def test_tables_that_change():
    table = lookup.MutableHashTable(tf.string, tf.int64, -1)
    dense = lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0)
    with tf.Session() as session:
        session.run(table.insert(tf.constant(["a"]), tf.constant([7], tf.int64)))
        session.run(
            dense.insert(tf.constant([3], tf.int64), tf.constant([8], tf.int64))
        )
        got = session.run([table.lookup(tf.constant(["a", "b"])), dense.lookup(tf.constant([3, 4], tf.int64))])  # fmt: skip
    assert got[0].tolist() == [7, -1] and got[1].tolist() == [8, -1]


def test_what_is_no_vocabulary_is_refused():
    for make in (lookup.index_table_from_tensor, lookup.index_to_string_table_from_tensor):  # fmt: skip
        with pytest.raises(ValueError, match="mapping"):
            make(None)
    with pytest.raises(ValueError, match="vocabulary_file"):
        lookup.string_to_index_table_from_file("")
    with pytest.raises(ValueError):
        lookup.index_table_from_tensor(WORDS, num_oov_buckets=-1)
