# SPDX-License-Identifier: Apache-2.0
"""SaveV2, RestoreV2, MergeV2Checkpoints: checkpoints of the V2 format."""

import os

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io.saved_values import (
    DTYPES,
    assert_same,
    value_of,
)
from tensorwright.python.ops import io_ops


def _save(prefix, tensors, slices=None):
    """Saves arrays by name; `slices` are their texts."""
    names = list(tensors)
    with tf.Graph().as_default(), tf.Session() as session:
        feeds = [
            tf.placeholder(tf.as_dtype(np.asarray(x).dtype)) for x in tensors.values()
        ]
        save = io_ops.save_v2(prefix, names, slices or [""] * len(names), feeds)
        session.run(save, dict(zip(feeds, tensors.values(), strict=True)))


def _restore(prefix, names, dtypes, slices=None):
    with tf.Graph().as_default(), tf.Session() as session:
        restored = io_ops.restore_v2(prefix, names, slices or [""] * len(names), dtypes)
        return session.run(restored)


@pytest.mark.parametrize("shape", [[], [0, 3], [1], [7], [3, 5, 2]])
def test_every_dtype_comes_back(shape, tmp_path):
    prefix = str(tmp_path / "ckpt")
    wanted = {d.name: value_of(d, shape) for d in DTYPES}
    with tf.Graph().as_default(), tf.Session() as session:
        tensors = [tf.constant(wanted[d.name], d) for d in DTYPES]
        session.run(io_ops.save_v2(prefix, list(wanted), [""] * len(wanted), tensors))
    for dtype, got in zip(DTYPES, _restore(prefix, list(wanted), DTYPES), strict=True):
        assert_same(got, wanted[dtype.name])


def test_large_tensors_come_back(tmp_path):
    prefix = str(tmp_path / "ckpt")
    wanted = {f"w{n}": np.arange(n, dtype=np.float32) for n in (1, 300_000, 4_000_003)}
    _save(prefix, wanted)
    got = _restore(prefix, list(wanted), [tf.float32] * 3)
    for a, b in zip(got, wanted.values(), strict=True):
        assert_same(a, b)


def test_slices_are_saved_and_cut_out(tmp_path):
    prefix = str(tmp_path / "ckpt")
    whole = np.arange(24, dtype=np.float32).reshape(6, 4)
    with tf.Graph().as_default(), tf.Session() as session:
        parts = [
            tf.constant(whole[:2]),
            tf.constant(whole[2:, :1]),
            tf.constant(whole[2:, 1:]),
        ]
        texts = ["6 4 0,2:-", "6 4 2,4:0,1", "6 4 2,4:1,3"]
        session.run(io_ops.save_v2(prefix, ["w"] * 3, texts, parts))
    (got,) = _restore(prefix, ["w"], [tf.float32])
    assert_same(got, whole)
    (got,) = _restore(prefix, ["w"], [tf.float32], ["6 4 1,4:0,3"])
    assert_same(got, whole[1:5, :3])
    with tf.Graph().as_default():
        (cut,) = io_ops.restore_v2(prefix, ["w"], ["6 4 1,4:0,3"], [tf.float32])
        assert cut.shape.as_list() == [4, 3]


def test_what_does_not_fit_is_refused(tmp_path):
    prefix = str(tmp_path / "ckpt")
    _save(prefix, {"w": np.zeros([2, 3], np.float32)})
    for names, dtypes, slices, error in (
        (["none"], [tf.float32], [""], tf.errors.NotFoundError),
        (["w"], [tf.int32], [""], tf.errors.InvalidArgumentError),
        (["w"], [tf.float32], ["2 4 -:-"], tf.errors.InvalidArgumentError),
    ):
        with pytest.raises(error, match=names[0]):
            _restore(prefix, names, dtypes, slices)
    with pytest.raises(tf.errors.NotFoundError, match="elsewhere"):
        _restore(str(tmp_path / "elsewhere"), ["w"], [tf.float32])
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        _restore(prefix, ["w"], [tf.float32], ["2 3 5,1:-"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        with tf.Graph().as_default(), tf.Session() as session:
            session.run(io_ops.save_v2(prefix, ["a", "a"], ["", ""], [1.0, 2.0]))
    # The failed save leaves no file, and the earlier files are whole.
    assert sorted(os.listdir(tmp_path)) == ["ckpt.data-00000-of-00001", "ckpt.index"]
    with tf.Graph().as_default(), pytest.raises(ValueError):
        io_ops.save_v2(prefix, ["a", "b"], ["", ""], [1.0])
    with tf.Graph().as_default(), pytest.raises(ValueError):
        io_ops.restore_v2(prefix, ["a", "b"], [""], [tf.float32, tf.float32])


def test_broken_files_are_named(tmp_path):
    prefix = str(tmp_path / "ckpt")
    _save(prefix, {"first": np.arange(4.0), "w": np.arange(100.0)})
    data = tmp_path / "ckpt.data-00000-of-00001"
    whole = data.read_bytes()
    data.write_bytes(whole[:100] + b"\xff" + whole[101:])
    assert_same(_restore(prefix, ["first"], [tf.float64])[0], np.arange(4.0))
    with pytest.raises(
        tf.errors.DataLossError, match="00001: tensor 'w'.* at offset 32"
    ):
        _restore(prefix, ["w"], [tf.float64])
    data.write_bytes(whole[:-1])
    with pytest.raises(tf.errors.DataLossError, match="only 831 bytes"):
        _restore(prefix, ["w"], [tf.float64])
    data.unlink()
    with pytest.raises(tf.errors.NotFoundError, match="ckpt.data"):
        _restore(prefix, ["w"], [tf.float64])
    index = tmp_path / "ckpt.index"
    index.write_bytes(index.read_bytes()[:-60])
    with pytest.raises(tf.errors.DataLossError, match="ckpt.index"):
        _restore(prefix, ["w"], [tf.float64])


@pytest.mark.parametrize("delete", [True, False])
def test_bundles_are_merged(delete, tmp_path):
    parts = [str(tmp_path / f"parts{i}" / "part") for i in range(2)]
    for i, part in enumerate(parts):
        _save(part, {f"w{i}": np.full([3], i, np.int32)})
    merged = str(tmp_path / "all")
    with tf.Graph().as_default(), tf.Session() as session:
        session.run(io_ops.merge_v2_checkpoints(parts, merged, delete_old_dirs=delete))
    got = _restore(merged, ["w0", "w1"], [tf.int32] * 2)
    np.testing.assert_array_equal(got, [[0] * 3, [1] * 3])
    assert (tmp_path / "parts0").exists() != delete
    files = {"all.index", "all.data-00000-of-00002", "all.data-00001-of-00002"}
    assert files <= set(os.listdir(tmp_path))


def test_merging_what_is_not_there(tmp_path):
    part = str(tmp_path / "part")
    _save(part, {"w": np.float32(1)})
    with tf.Graph().as_default(), tf.Session() as session:
        prefixes = [part, str(tmp_path / "none")]
        merge = io_ops.merge_v2_checkpoints(prefixes, str(tmp_path / "all"))
        with pytest.raises(tf.errors.NotFoundError, match="none"):
            session.run(merge)
        session.run(
            io_ops.merge_v2_checkpoints(
                prefixes, str(tmp_path / "all"), allow_missing_files=True
            )
        )
    assert _restore(str(tmp_path / "all"), ["w"], [tf.float32]) == [1]


def test_checkpoints_in_memory():
    _save("ram://v2/ckpt", {"w": np.arange(5)})
    assert_same(_restore("ram://v2/ckpt", ["w"], [tf.int64])[0], np.arange(5))
    tf.gfile.DeleteRecursively("ram://v2")
