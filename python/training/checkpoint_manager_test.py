# SPDX-License-Identifier: Apache-2.0
"""tf.train.CheckpointManager."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def numbers(folder):
    return sorted(
        int(p.name.split("-")[1].split(".")[0]) for p in folder.glob("*.index")
    )


@pytest.fixture
def session():
    with tf.Session() as session:
        yield session


@pytest.fixture
def variable(session):
    v = tf.get_variable("v", [3], initializer=tf.zeros_initializer())
    session.run(v.initializer)
    return v


def test_the_latest_are_kept(session, variable, tmp_path):
    manager = tf.train.CheckpointManager(tf.train.Saver(), str(tmp_path), 2)
    assert manager.latest_checkpoint is None and manager.checkpoints == []
    for i in range(5):
        session.run(variable.assign([i, i, i]))
        assert manager.save() == f"{tmp_path}/ckpt-{i + 1}"
    assert numbers(tmp_path) == [4, 5]
    assert manager.checkpoints == [f"{tmp_path}/ckpt-4", f"{tmp_path}/ckpt-5"]
    assert manager.latest_checkpoint == f"{tmp_path}/ckpt-5"
    assert tf.train.latest_checkpoint(str(tmp_path)) == f"{tmp_path}/ckpt-5"
    assert manager.directory == str(tmp_path)
    session.run(variable.assign([0, 0, 0]))
    assert manager.restore_or_initialize() == f"{tmp_path}/ckpt-5"
    np.testing.assert_array_equal(session.run(variable), [4, 4, 4])


def test_another_manager_goes_on(session, variable, tmp_path):
    saver = tf.train.Saver()
    first = tf.train.CheckpointManager(saver, str(tmp_path), 3, checkpoint_name="m")
    first.save(7)
    first.save()
    second = tf.train.CheckpointManager(saver, str(tmp_path), 3, checkpoint_name="m")
    assert second.checkpoints == [f"{tmp_path}/m-7", f"{tmp_path}/m-8"]
    second.save()
    second.save(tf.constant(20))
    assert first.latest_checkpoint == f"{tmp_path}/m-8"
    first.sync()
    assert first.checkpoints == [f"{tmp_path}/m-{i}" for i in (8, 9, 20)]
    assert numbers(tmp_path) == [8, 9, 20]
    # One that is written again is the youngest.
    second.save(9)
    assert second.checkpoints == [f"{tmp_path}/m-{i}" for i in (8, 20, 9)]


def test_one_in_some_hours_stays(session, variable, tmp_path, monkeypatch):
    now = 1_000_000.0
    monkeypatch.setattr("time.time", lambda: now)
    manager = tf.train.CheckpointManager(
        tf.train.Saver(), str(tmp_path), 1, keep_checkpoint_every_n_hours=2
    )
    for _ in range(9):
        now += 3600
        manager.save()
    # Two hours after the beginning, then every two hours.
    assert numbers(tmp_path) == [2, 4, 6, 8, 9]
    assert manager.checkpoints == [f"{tmp_path}/ckpt-9"]


def test_all_are_kept_without_a_number(session, variable, tmp_path):
    manager = tf.train.CheckpointManager(tf.train.Saver(), str(tmp_path), None)
    for _ in range(7):
        manager.save()
    assert numbers(tmp_path) == list(range(1, 8))


def test_nothing_is_saved_before_the_interval_is_over(session, variable, tmp_path):
    step = tf.Variable(0, name="step")
    session.run(step.initializer)
    manager = tf.train.CheckpointManager(
        tf.train.Saver(), str(tmp_path), 10, step_counter=step, checkpoint_interval=3
    )
    assert manager.checkpoint_interval == 3
    saved = []
    for i in range(8):
        if manager.save() is not None:
            saved.append(i)
        session.run(step.assign_add(1))
    assert saved == [0, 3, 6]
    assert manager.save() is None
    assert manager.save(check_interval=False) is not None


def test_it_initializes_where_nothing_was_saved(session, variable, tmp_path):
    called = []
    manager = tf.train.CheckpointManager(
        tf.train.Saver(), str(tmp_path / "new"), 1, init_fn=lambda: called.append(1)
    )
    assert manager.restore_or_initialize() is None and called == [1]
    manager.save()
    assert manager.restore_or_initialize() is not None and called == [1]


def test_a_relative_folder(session, variable, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    manager = tf.train.CheckpointManager(tf.train.Saver(), "run", 2)
    for _ in range(3):
        manager.save()
    assert manager.restore_or_initialize() == "run/ckpt-3"
    again = tf.train.CheckpointManager(tf.train.Saver(), "run", 2)
    assert again.checkpoints == ["run/ckpt-2", "run/ckpt-3"]
    assert numbers(tmp_path / "run") == [2, 3]


def test_any_object_with_write_and_restore(tmp_path):
    class Notes:
        text = "old"

        def write(self, prefix, options=None):
            tf.gfile.MakeDirs(str(tmp_path))
            with open(prefix + ".index", "w") as f:
                f.write(f"{self.text} {options}")
            return prefix

        def restore(self, path):
            with open(path + ".index") as f:
                self.text = f.read()

    notes = Notes()
    manager = tf.train.CheckpointManager(notes, str(tmp_path), 1)
    assert manager.checkpoint is notes
    manager.save(options="with")
    notes.text = "new"
    manager.restore_or_initialize()
    assert notes.text == "old with"


def test_what_is_refused(tmp_path, variable):
    saver = tf.train.Saver()
    with pytest.raises(ValueError, match="max_to_keep"):
        tf.train.CheckpointManager(saver, str(tmp_path), 0)
    with pytest.raises(ValueError, match="step_counter"):
        tf.train.CheckpointManager(saver, str(tmp_path), 1, checkpoint_interval=3)


def test_a_saver_needs_a_session(tmp_path):
    tf.get_variable("v", [])
    manager = tf.train.CheckpointManager(tf.train.Saver(), str(tmp_path), 1)
    with pytest.raises(ValueError, match="default session"):
        manager.save()
