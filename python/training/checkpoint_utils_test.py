# SPDX-License-Identifier: Apache-2.0
"""Readers of checkpoints, TensorFlow's among them, and initializing from them."""

import pathlib

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.training import checkpoint_management

# Written by TensorFlow: tools/dev/write_golden_checkpoints.py.
GOLDEN = pathlib.Path(__file__).parent / "testdata"
NUMBERS = (
    "float32 float64 int32 uint8 int16 int8 complex64 int64 bool uint16 complex128 float16"
).split()
LATER = ["bfloat16", "uint32", "uint64"]


def _check(value, name):
    count = np.arange(6).reshape(2, 3)
    dtype = tf.as_dtype(name).as_numpy_dtype
    want = (count % 2 if name == "bool" else count).astype(dtype)
    if "complex" in name:
        want += np.array(1j, dtype)
    assert value.dtype == dtype
    np.testing.assert_array_equal(value, want)


@pytest.mark.parametrize(
    "name", ["v1", "v1_sharded-?????-of-00003", "v2", "v2_sharded"]
)
def test_tensorflows_checkpoints_are_read(name):
    reader = tf.train.NewCheckpointReader(str(GOLDEN / name))
    numbers = NUMBERS + (LATER if "v2" in name else [])
    shapes = reader.get_variable_to_shape_map()
    assert set(shapes) == {*numbers, "string", "scalar", "empty", "parts"}
    assert shapes["parts"] == [3, 4] and shapes["scalar"] == []
    dtypes = reader.get_variable_to_dtype_map()
    for number in numbers:
        assert dtypes[number] == tf.as_dtype(number)
        _check(reader.get_tensor(number), number)
    assert reader.get_tensor("string").tolist() == [
        [b"", b"one"],
        [b"\x00\xff", b"x" * 300],
    ]
    assert reader.get_tensor("scalar") == 7
    assert reader.get_tensor("empty").shape == (0, 4)
    np.testing.assert_array_equal(
        reader.get_tensor("parts"), np.arange(12).reshape(3, 4)
    )
    assert b"parts (DT_FLOAT) [3,4]\n" in reader.debug_string()
    assert reader.has_tensor("parts") and not reader.has_tensor("none")
    with pytest.raises(tf.errors.NotFoundError, match="none"):
        reader.get_tensor("none")


@pytest.mark.parametrize(
    "name", ["v1", "v1_sharded-?????-of-00003", "v2", "v2_sharded"]
)
def test_tensorflows_checkpoints_are_restored(name):
    with tf.Graph().as_default():
        v = tf.get_variable("float32", [2, 3])
        with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(3, axis=0)):
            parts = tf.get_variable("parts", [3, 4])
        with tf.Session() as session:
            tf.train.Saver().restore(session, str(GOLDEN / name))
            _check(session.run(v), "float32")
            whole = session.run(tf.convert_to_tensor(parts))
            np.testing.assert_array_equal(whole, np.arange(12).reshape(3, 4))


def _bytes_of(name):
    return {p.name.replace(name, ""): p.read_bytes() for p in GOLDEN.glob(f"{name}.*")}


def test_the_bytes_are_tensorflows(tmp_path):
    with tf.Graph().as_default():
        reader = tf.train.NewCheckpointReader(str(GOLDEN / "v2"))
        dtypes = reader.get_variable_to_dtype_map()
        for name in sorted(dtypes):
            if name != "parts":
                tf.Variable(
                    tf.constant(reader.get_tensor(name), dtypes[name]), name=name
                )
        with tf.variable_scope("", partitioner=tf.fixed_size_partitioner(2, axis=1)):
            parts = list(tf.get_variable("parts", [3, 4]))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            whole = reader.get_tensor("parts")
            for part, half in zip(parts, (whole[:, :2], whole[:, 2:]), strict=True):
                session.run(part.assign(half))
            tf.train.Saver().save(session, str(tmp_path / "v2"), write_meta_graph=False)
    for suffix, data in _bytes_of("v2").items():
        assert (tmp_path / f"v2{suffix}").read_bytes() == data, suffix


def _saved(folder):
    """A checkpoint with a, b/c and, in two parts, b/d."""
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("a", initializer=1.0)
        with tf.variable_scope("b"):
            tf.get_variable("c", initializer=[1.0, 2.0])
        with tf.variable_scope("b", partitioner=tf.fixed_size_partitioner(2)):
            tf.get_variable("d", [4], initializer=tf.ones_initializer())
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(folder / "m"))


def test_variables_are_listed_and_loaded(tmp_path):
    path = _saved(tmp_path)
    want = [("a", []), ("b/c", [2]), ("b/d", [4])]
    assert tf.train.list_variables(path) == want
    assert tf.train.list_variables(str(tmp_path)) == want
    np.testing.assert_array_equal(tf.train.load_variable(path, "b/c:0"), [1, 2])
    with pytest.raises(ValueError, match="find"):
        (tmp_path / "empty").mkdir()
        tf.train.load_checkpoint(str(tmp_path / "empty"))
    with pytest.raises(tf.errors.NotFoundError):
        tf.train.load_checkpoint(str(tmp_path / "none"))


@pytest.mark.parametrize("parts", [None, 2, 4])
def test_initializers_read_a_checkpoint(parts, tmp_path):
    path = _saved(tmp_path)
    with tf.Graph().as_default(), tf.Session() as session:
        a = tf.get_variable("mine", [])
        with tf.variable_scope("new"):
            c = tf.get_variable("c", [2])
        cut = tf.fixed_size_partitioner(parts) if parts else None
        with tf.variable_scope("new", partitioner=cut):
            d = tf.get_variable("d", [4])
        other = tf.get_variable("other", [4])
        tf.train.init_from_checkpoint(str(tmp_path), {"a": a, "b/": "new/"})
        tf.train.init_from_checkpoint(path, {"b/d": "other"})
        session.run(tf.global_variables_initializer())
        assert session.run(a) == 1
        np.testing.assert_array_equal(session.run(c), [1, 2])
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(d)), [1] * 4)
        np.testing.assert_array_equal(session.run(other), [1] * 4)
        for wrong in ({"none": a}, {"b/c": a}, {"a": "nowhere"}, {"b/": "/"}):
            with pytest.raises(ValueError):
                tf.train.init_from_checkpoint(path, wrong)


@pytest.mark.parametrize("absolute", [False, True])
def test_a_list_of_relative_paths_is_found_from_outside(
    absolute, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    folder = str(tmp_path / "run") if absolute else "run"
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name="v")
        saver = tf.train.Saver(save_relative_paths=True)
        session.run(tf.global_variables_initializer())
        for step in (1, 2):
            path = saver.save(session, f"{folder}/m", step)
    assert 'model_checkpoint_path: "m-2"' in (tmp_path / "run/checkpoint").read_text()
    assert tf.train.latest_checkpoint(folder) == path
    kept = tf.train.get_checkpoint_state(folder).all_model_checkpoint_paths
    assert list(kept) == [f"{folder}/m-1", f"{folder}/m-2"]


def test_the_list_of_checkpoints(tmp_path):
    folder = str(tmp_path)
    assert tf.train.get_checkpoint_state(folder) is None
    assert tf.train.latest_checkpoint(folder) is None
    path = _saved(tmp_path)
    tf.train.update_checkpoint_state(folder, path, ["old", path])
    state = tf.train.get_checkpoint_state(folder)
    assert state.model_checkpoint_path == path
    assert list(state.all_model_checkpoint_paths) == [str(tmp_path / "old"), path]
    (mtime,) = tf.train.get_checkpoint_mtimes([path, str(tmp_path / "old")])
    assert abs(mtime - (tmp_path / "m.index").stat().st_mtime) < 1e-3
    tf.train.update_checkpoint_state(folder, str(tmp_path / "gone"))
    assert tf.train.latest_checkpoint(folder) is None
    with pytest.raises(RuntimeError, match="has the path"):
        tf.train.update_checkpoint_state(folder, str(tmp_path / "checkpoint"))
    (tmp_path / "checkpoint").write_text("no state")
    assert tf.train.get_checkpoint_state(folder) is None
    made = tf.train.generate_checkpoint_state_proto("a/b", "a/b/m-1", ["a/b/m-0"])
    assert list(made.all_model_checkpoint_paths) == ["m-0", "m-1"]
    with pytest.raises(ValueError, match="timestamps"):
        tf.train.generate_checkpoint_state_proto("a", "m", ["m"], [1.0, 2.0])


def test_new_checkpoints_are_waited_for(tmp_path):
    path = _saved(tmp_path)
    found = []
    for new in checkpoint_management.checkpoints_iterator(str(tmp_path), timeout=0):
        found.append(new)
    assert found == [path]


def test_checkpoints_are_removed(tmp_path):
    path = _saved(tmp_path)
    tf.train.remove_checkpoint(path)
    assert [p.name for p in tmp_path.iterdir()] == ["checkpoint"]
