# SPDX-License-Identifier: Apache-2.0
"""Elements kept in files from program to program: save, load and snapshot."""

import os

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import snapshot_pb2
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _save(dataset, path, **kwargs):
    with tf.Session() as session:
        session.run(dataset.save(str(path), **kwargs))


def _metadata(folder):
    return snapshot_pb2.SnapshotMetadataRecord.FromString(
        (folder / "snapshot.metadata").read_bytes()
    )


def _mixed():
    return Dataset.range(7).map(
        lambda i: {"number": i * 2, "words": tf.fill([i], tf.as_string(i))}
    )


@pytest.mark.parametrize("compression", [None, "GZIP", "SNAPPY"])
def test_what_was_saved_is_loaded(tmp_path, compression):
    _save(_mixed(), tmp_path, compression=compression)
    loaded = Dataset.load(str(tmp_path), compression=compression)
    assert loaded.element_spec == _mixed().element_spec
    assert elements(loaded) == elements(_mixed())
    record = _metadata(tmp_path)
    assert (record.version, record.num_elements, record.finalized) == (2, 7, True)
    with tf.Session() as session:
        assert session.run(loaded.cardinality()) == 7


def test_blocks_of_snappy_are_joined(tmp_path):
    rng = np.random.RandomState(0)
    rows = rng.randint(0, 4, [20, 30_000]).astype(np.int64)
    _save(Dataset.from_tensor_slices(rows), tmp_path, compression="SNAPPY")
    loaded = elements(Dataset.load(str(tmp_path), compression="SNAPPY"))
    np.testing.assert_array_equal(loaded, rows)


def test_shards_are_read_in_turn(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    _save(Dataset.range(9), tmp_path, shard_func=lambda x: x % 3)
    (run,) = [p for p in tmp_path.iterdir() if p.is_dir()]
    assert sorted(p.name for p in run.iterdir()) == [
        f"0000000{i}.shard" for i in range(3)
    ]
    assert elements(Dataset.load(str(tmp_path))) == [0, 1, 3, 4, 6, 7, 2, 5, 8]
    backwards = Dataset.load(
        str(tmp_path), reader_func=lambda shards: shards.skip(1).flat_map(lambda s: s)
    )
    assert elements(backwards) == [1, 4, 7, 2, 5, 8]


def test_sparse_elements_are_kept(tmp_path):
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [1.5, 2.5], [2, 3])
    dataset = Dataset.from_tensor_slices((sparse, [b"a", b"b"]))
    _save(dataset, tmp_path)
    loaded = Dataset.load(str(tmp_path))
    assert loaded.element_spec == dataset.element_spec
    assert elements(loaded) == elements(dataset)


def test_saving_again_replaces(tmp_path):
    _save(Dataset.range(5), tmp_path)
    _save(Dataset.range(2), tmp_path)
    assert elements(Dataset.load(str(tmp_path))) == [0, 1]


def test_what_fails_leaves_nothing_behind(tmp_path):
    broken = Dataset.range(5).map(lambda x: tf.check_numerics(1.0 / tf.cast(3 - x, tf.float32), "x"))  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError, match="element 3"):
        _save(broken, tmp_path)
    assert not [p for p in tmp_path.iterdir() if p.is_dir()]
    refuses("not whole", lambda: Dataset.load(str(tmp_path)), tf.errors.FailedPreconditionError)  # fmt: skip


def test_what_load_and_save_refuse(tmp_path):
    with pytest.raises(tf.errors.NotFoundError, match="no dataset"):
        Dataset.load(str(tmp_path / "none"))
    spec = tf.TensorSpec([], tf.int64)
    missing = str(tmp_path / "none")
    refuses("no dataset was saved", lambda: Dataset.load(missing, spec), tf.errors.NotFoundError)  # fmt: skip
    _save(Dataset.range(3), tmp_path)
    floats = tf.TensorSpec([], tf.float32)
    refuses("types \\[int64\\]", lambda: Dataset.load(str(tmp_path), floats))
    refuses("compression", lambda: Dataset.load(str(tmp_path), compression="BZIP"))
    refuses("int64", lambda: Dataset.range(3).save(missing, shard_func=lambda x: "a"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="negative"):
        _save(Dataset.range(3), tmp_path / "b", shard_func=lambda x: x - 2)
    with pytest.raises(TypeError, match="Dataset"):
        Dataset.load(str(tmp_path), reader_func=lambda shards: 1)


def _counted(calls):
    def count(x):
        calls.append(int(x))
        return x

    return Dataset.range(6).map(lambda x: tf.reshape(tf.py_func(count, [x], tf.int64), []))  # fmt: skip


@pytest.mark.parametrize("compression", [None, "AUTO", "GZIP"])
def test_a_snapshot_is_made_once(tmp_path, compression):
    calls: list[int] = []
    dataset = _counted(calls).snapshot(str(tmp_path), compression=compression)
    assert elements(dataset) == list(range(6))
    assert elements(dataset) == list(range(6))
    assert calls == list(range(6))


def test_a_pass_that_is_not_whole_makes_none(tmp_path):
    dataset = Dataset.range(6).snapshot(str(tmp_path))
    assert elements(dataset, limit=3) == [0, 1, 2]
    (folder,) = tmp_path.iterdir()
    assert not _metadata(folder).finalized
    assert not [p for p in folder.iterdir() if p.is_dir()]
    assert elements(dataset) == list(range(6))
    assert _metadata(folder).finalized


def test_another_dataset_has_another_snapshot(tmp_path):
    for n in (3, 4, 3):
        assert elements(Dataset.range(n).snapshot(str(tmp_path))) == list(range(n))
    assert len(list(tmp_path.iterdir())) == 2


def test_functions_of_snapshots(tmp_path):
    dataset = Dataset.range(6).snapshot(
        str(tmp_path),
        shard_func=lambda x: x // 2,
        reader_func=lambda shards: shards.flat_map(lambda s: s),
    )
    for _ in range(2):
        assert elements(dataset) == list(range(6))
    refuses("compression", lambda: Dataset.range(2).snapshot("x", compression="RAR"))
