# SPDX-License-Identifier: Apache-2.0
"""LMDBReader: databases that LMDB itself wrote."""

import ctypes

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io import reader_testing

pytestmark = pytest.mark.usefixtures("fresh_graph")


class _Value(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("data", ctypes.c_char_p)]


def _write(path, records, no_subdir):
    lmdb = ctypes.CDLL("liblmdb.so.0")
    env, txn, dbi = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_uint()

    def value(b):
        return ctypes.byref(_Value(len(b), b))

    assert lmdb.mdb_env_create(ctypes.byref(env)) == 0
    flags = 0x4000 if no_subdir else 0
    assert lmdb.mdb_env_open(env, str(path).encode(), flags, 0o644) == 0
    assert lmdb.mdb_txn_begin(env, None, 0, ctypes.byref(txn)) == 0
    assert lmdb.mdb_dbi_open(txn, None, 0, ctypes.byref(dbi)) == 0
    for key, content in records.items():
        assert lmdb.mdb_put(txn, dbi, value(key), value(content), 0) == 0
    assert lmdb.mdb_txn_commit(txn) == 0
    lmdb.mdb_env_close(env)


_RECORDS = {b"b": b"2" * 1000, b"a": b"", b"c": b"\x00\xff", b"key 10": b"x"}


@pytest.mark.parametrize("no_subdir", [False, True])
def test_records_come_in_the_order_of_keys(tmp_path, no_subdir):
    path = tmp_path / "database"
    if not no_subdir:
        path.mkdir()
    _write(path, _RECORDS, no_subdir)
    got = reader_testing.read_all(tf.LMDBReader(), [str(path), str(path)])
    assert got == sorted(_RECORDS.items()) * 2


def test_an_empty_database_has_no_records(tmp_path):
    _write(tmp_path, {}, False)
    assert reader_testing.read_all(tf.LMDBReader(), [str(tmp_path)]) == []


def test_what_is_no_database_is_refused(tmp_path):
    path = tmp_path / "file"
    for content in (b"", b"junk" * 5000):
        path.write_bytes(content)
        with pytest.raises(tf.errors.InvalidArgumentError, match="file"):
            reader_testing.read_all(tf.LMDBReader(), [str(path)])
