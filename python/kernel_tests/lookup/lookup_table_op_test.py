# SPDX-License-Identifier: Apache-2.0
"""Tables of all kinds, with handles of both generations."""

import threading

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_lookup_ops, lookup_ops

KEYS = {
    tf.string: np.array([b"a", b"", b"long" * 20], object),
    tf.int64: np.array([5, -1, 1 << 40], np.int64),
    tf.int32: np.array([5, -1, 1 << 30], np.int32),
}
OTHER = {tf.string: b"x", tf.int64: 6, tf.int32: 6}
VALUES = {
    tf.string: np.array([b"v", b"", b"w" * 50], object),
    tf.bool: np.array([True, False, True]),
    tf.float32: np.array([1.5, -2, np.inf], np.float32),
    tf.float64: np.array([1.5, -2, 1e300]),
    tf.int32: np.array([1, -2, 3], np.int32),
    tf.int64: np.array([1, -2, 1 << 50], np.int64),
}
PAIRS = [(k, v) for k in KEYS for v in VALUES if not (k == tf.int32 and v == tf.bool)]


def default_of(dtype):
    return np.array(b"none", object) if dtype == tf.string else VALUES[dtype][:1][0]


class Table:
    """A handle of either generation, with the ops that take it."""

    def __init__(self, kind, key_dtype, value_dtype, version, **attrs):
        self.suffix = version
        self.dtypes = key_dtype, value_dtype
        make = getattr(gen_lookup_ops, f"_{kind}{version}")
        if "empty_key" not in attrs:
            attrs["key_dtype"] = key_dtype
        self.handle = make(value_dtype=value_dtype, **attrs)

    def op(self, name, *args, **kwargs):
        return getattr(gen_lookup_ops, f"_{name}{self.suffix}")(
            self.handle, *args, **kwargs
        )

    def find(self, keys, default):
        return self.op("lookup_table_find", keys, default)

    def export(self, session):
        keys, values = session.run(self.op("lookup_table_export", *self.dtypes))
        return {
            k if isinstance(k, bytes) else np.asarray(k).tolist(): v
            for k, v in zip(keys.tolist(), values.tolist())
        }


@pytest.mark.parametrize("version", ["", "_v2"])
@pytest.mark.parametrize("key,value", PAIRS, ids=lambda d: d.name)
@pytest.mark.parametrize("kind", ["hash_table", "mutable_hash_table"])
def test_what_went_in_is_found(kind, key, value, version):
    keys, values = KEYS[key], VALUES[value]
    default = default_of(value)
    with tf.Graph().as_default(), tf.Session() as session:
        table = Table(kind, key, value, version)
        fill = "initialize_table" if kind == "hash_table" else "lookup_table_insert"
        k = tf.placeholder(key)
        v = tf.placeholder(value)
        session.run(table.op(fill, k, v), {k: keys, v: values})
        assert session.run(table.op("lookup_table_size")) == 3
        asked = np.array([[keys[2], OTHER[key]], [keys[0], keys[1]]], keys.dtype)
        found = session.run(table.find(k, tf.constant(default, value)), {k: asked})
        expected = np.array(
            [[values[2], default], [values[0], values[1]]], values.dtype
        )
        assert found.tolist() == expected.tolist()
        assert table.export(session) == dict(zip(keys.tolist(), values.tolist()))


def test_many_keys_are_found_by_several_threads():
    n = 100_000
    rng = np.random.RandomState(1)
    with tf.Graph().as_default(), tf.Session() as session:
        keys, values = rng.permutation(n), rng.normal(size=n)
        table = lookup_ops.HashTable(
            lookup_ops.KeyValueTensorInitializer(keys, values), np.nan
        )
        session.run(table.init)
        asked = tf.placeholder(tf.int64)
        look = session.make_callable(table.lookup(asked), [asked])
        expected = np.full(2 * n, np.nan)
        expected[keys] = values
        np.testing.assert_array_equal(look(np.arange(2 * n)), expected)
        wrong = []

        def looks():
            for _ in range(20):
                if not np.array_equal(look(np.arange(n)), expected[:n]):
                    wrong.append(1)

        threads = [threading.Thread(target=looks) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


@pytest.mark.parametrize("version", ["", "_v2"])
def test_entries_of_a_mutable_table_change(version):
    with tf.Graph().as_default(), tf.Session() as session:
        table = Table("mutable_hash_table", tf.string, tf.int64, version)
        insert = table.op("lookup_table_insert", ["a", "b", "a"], np.int64([1, 2, 3]))
        session.run(insert)
        assert table.export(session) == {b"a": 3, b"b": 2}
        session.run(
            table.op("lookup_table_insert", [["b"], ["c"]], np.int64([[5], [6]]))
        )
        assert table.export(session) == {b"a": 3, b"b": 5, b"c": 6}
        session.run(table.op("lookup_table_import", ["z"], np.int64([9])))
        assert table.export(session) == {b"z": 9}


def test_a_default_for_each_key():
    with tf.Graph().as_default(), tf.Session() as session:
        table = Table("mutable_hash_table", tf.int64, tf.int64, "_v2")
        session.run(table.op("lookup_table_insert", np.int64([1]), np.int64([10])))
        keys = np.int64([0, 1, 2])
        assert session.run(table.find(keys, np.int64([7, 8, 9]))).tolist() == [7, 10, 9]
        assert session.run(table.find(np.int64([3]), np.int64([4]))).tolist() == [4]


def test_values_that_are_vectors():
    for dtype, rows in (
        (tf.float32, [[1, 2], [3, 4]]),
        (tf.string, [["a", "b"], ["c", ""]]),
    ):
        with tf.Graph().as_default(), tf.Session() as session:
            table = lookup_ops.MutableHashTable(
                tf.int64, dtype, tf.constant(rows[0][::-1], dtype)
            )
            session.run(table.insert(np.int64([1, 2]), tf.constant(rows, dtype)))
            session.run(table.insert(np.int64([2]), tf.constant(rows[:1], dtype)))
            found = table.lookup(tf.constant([[2], [9]], tf.int64))
            assert found.shape == [2, 1, 2]
            expected = np.array([[rows[0]], [rows[0][::-1]]])
            got = session.run(found)
            assert got.astype(expected.dtype).tolist() == expected.tolist()
            keys, values = session.run(table.export())
            assert sorted(keys.tolist()) == [1, 2] and values.shape == (2, 2)
            assert session.run(table.size()) == 2


def test_a_dense_table_has_buckets():
    for make in ("mutable_dense_hash_table", "mutable_dense_hash_table"):
        for version in ("", "_v2"):
            with tf.Graph().as_default(), tf.Session() as session:
                table = Table(
                    make, tf.int64, tf.int64, version,
                    empty_key=np.int64(-1), initial_num_buckets=4,
                )  # fmt: skip
                insert = table.op(
                    "lookup_table_insert", np.int64([1, 2, 3]), np.int64([5, 6, 7])
                )
                session.run(insert)
                found = table.find(np.int64([3, 9]), np.int64(0))
                assert session.run(found).tolist() == [7, 0]
                export = table.op("lookup_table_export", tf.int64, tf.int64)
                keys, values = session.run(export)
                assert sorted(keys.tolist()) == [-1, 1, 2, 3]
                session.run(
                    table.op("lookup_table_insert", np.int64([4]), np.int64([8]))
                )
                keys, values = session.run(export)
                assert keys.shape == values.shape == (8,)
                assert sorted(keys.tolist()) == [-1] * 4 + [1, 2, 3, 4]
                # The exported arrays, with their empty buckets, make the same table.
                again = Table(
                    make, tf.int64, tf.int64, version,
                    empty_key=np.int64(-1), initial_num_buckets=4,
                )  # fmt: skip
                session.run(again.op("lookup_table_import", keys, values))
                assert session.run(again.op("lookup_table_size")) == 4
                found = again.find(np.int64([1, 4, 5]), np.int64(0))
                assert session.run(found).tolist() == [5, 8, 0]


@pytest.mark.parametrize("dtype", [tf.int64, tf.string])
def test_keys_and_values_of_a_dense_table_may_be_vectors(dtype):
    keys = np.array([[1, 2], [2, 1], [12, 3]])
    if dtype == tf.string:
        keys = np.array([[b"a", b"bc"], [b"ab", b"c"], [b"", b"abc"]], object)
    with tf.Graph().as_default(), tf.Session() as session:
        empty = keys[0][:1].repeat(2)
        table = lookup_ops.MutableDenseHashTable(
            dtype, tf.float32, [0.0, 0.5], tf.constant(empty, dtype), 8
        )
        values = np.arange(6, dtype=np.float32).reshape(3, 2)
        session.run(table.insert(tf.constant(keys, dtype), values))
        found = table.lookup(tf.constant(keys[::-1], dtype))
        assert found.shape == [3, 2]
        np.testing.assert_array_equal(session.run(found), values[::-1])
        missing = session.run(table.lookup(tf.constant(keys[:1][:, ::-1], dtype)))
        expected = values[1] if dtype == tf.int64 else [0.0, 0.5]
        np.testing.assert_array_equal(missing, [expected])
        exported = session.run(table.export())
        assert exported[0].shape == (8, 2) and exported[1].shape == (8, 2)
        with pytest.raises(tf.errors.InvalidArgumentError, match="empty_key"):
            session.run(table.lookup(tf.constant([empty], dtype)))


def test_wrong_use_is_refused():
    invalid = tf.errors.InvalidArgumentError
    with tf.Graph().as_default(), tf.Session() as session:
        table = Table("hash_table", tf.string, tf.int64, "_v2")
        one = np.int64([1])
        x = tf.placeholder(tf.int64)
        cases = [
            (table.find(["a"], np.int64(1)), tf.errors.FailedPreconditionError, "not init"),
            (table.op("lookup_table_export", *table.dtypes), tf.errors.AbortedError, "not"),
            (table.op("lookup_table_insert", ["a"], one), tf.errors.UnimplementedError, "not supported"),
            (table.find(np.int64([1]), np.int64(1)), invalid, "LookupTableFindV2"),
            (table.find(["a", "b"], np.int64([1, 2, 3])), invalid, "default"),
            (table.op("initialize_table", ["a", "a"], np.int64([1, 2])),
             tf.errors.FailedPreconditionError, "Key a has 1 and trying to add value 2"),
        ]  # fmt: skip
        mutable = Table("mutable_hash_table", tf.int64, tf.int64, "_v2")
        cases += [
            (mutable.op("initialize_table", one, one), invalid, "not initializable"),
            (
                table.op("initialize_table", np.array([], object), np.int64([])),
                invalid,
                "cannot be empty",
            ),
            (mutable.op("lookup_table_insert", x, one), invalid, "shape"),
        ]
        for attrs, words in (
            (dict(empty_key=np.zeros([1, 1], np.int64)), "rank|scalar or a vector"),
            (dict(empty_key=np.int64(0), max_load_factor=1.0), "between 0 and 1"),
            (dict(empty_key=np.int64(0), initial_num_buckets=3), "power of 2"),
            (dict(empty_key=np.int64(0), value_shape=[2, 2]), "scalar or a vector"),
        ):
            try:
                dense = Table(
                    "mutable_dense_hash_table", tf.int64, tf.int64, "", **attrs
                )
            except ValueError as error:
                assert "rank" in str(error)
                continue
            cases.append((dense.op("lookup_table_size"), invalid, words))
        vectors = Table("mutable_hash_table_of_tensors", tf.int64, tf.int64, "_v2")
        cases.append((vectors.op("lookup_table_size"), invalid, "must be a vector"))
        for op, error, words in cases:
            with pytest.raises(error, match=words):
                session.run(op, {x: [1, 2]})
        assert session.run(table.op("lookup_table_size")) == 0


def test_a_table_is_filled_once():
    with tf.Graph().as_default(), tf.Session() as session:
        table = Table("hash_table", tf.string, tf.int64, "_v2")
        fill = table.op("initialize_table", ["a", "b", "a"], np.int64([1, 2, 1]))
        session.run(fill)
        session.run(fill)
        for keys, values in ((["a"], [1]), (["a", "b"], [1, 3]), (["a", "c"], [1, 2])):
            again = table.op("initialize_table", keys, np.int64(values))
            with pytest.raises(
                tf.errors.FailedPreconditionError, match="different data"
            ):
                session.run(again)
        assert table.export(session) == {b"a": 1, b"b": 2}


def test_shared_names_and_private_tables():
    with tf.Graph().as_default(), tf.Session() as session:
        attrs = dict(key_dtype=tf.int64, value_dtype=tf.int64)
        one, two = (
            gen_lookup_ops._mutable_hash_table_v2(shared_name="s", **attrs)
            for _ in range(2)
        )
        insert = gen_lookup_ops._lookup_table_insert_v2(
            one, np.int64([1]), np.int64([2])
        )
        session.run(insert)
        assert session.run(gen_lookup_ops._lookup_table_size_v2(two)) == 1
        own = gen_lookup_ops._mutable_hash_table_v2(**attrs)
        assert session.run(gen_lookup_ops._lookup_table_size_v2(own)) == 0
        other = gen_lookup_ops._mutable_hash_table_v2(
            shared_name="s", key_dtype=tf.int64, value_dtype=tf.float32
        )
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(gen_lookup_ops._lookup_table_size_v2(other))


@pytest.mark.parametrize("version", ["", "_v2"])
def test_a_table_of_vectors_with_handles_of_both_generations(version):
    with tf.Graph().as_default(), tf.Session() as session:
        table = Table(
            "mutable_hash_table_of_tensors",
            tf.string,
            tf.int64,
            version,
            value_shape=[2],
        )
        rows = np.int64([[1, 2], [3, 4]])
        session.run(table.op("lookup_table_insert", ["a", "b"], rows))
        found = table.find(["b", "x"], np.int64([7, 8]))
        assert session.run(found).tolist() == [[3, 4], [7, 8]]
        assert table.export(session) == {b"a": [1, 2], b"b": [3, 4]}
        with pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
            wrong = tf.placeholder(tf.int64)
            session.run(
                table.op("lookup_table_insert", ["a"], wrong), {wrong: [[1, 2, 3]]}
            )
