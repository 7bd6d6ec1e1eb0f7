# SPDX-License-Identifier: Apache-2.0
"""A process that is killed while it saves leaves a checkpoint that is whole.

Usage of the long form: ./run python/training/saver_kill_test.py 1000
"""

import contextlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np
import pytest

import tensorwright as tf

_VARIABLES = 6
_SIZE = 20_000


def _build(sharded: bool, version: int):
    """Variables that all hold the step, and their saver."""
    step = tf.Variable(0, name="step")
    variables = []
    for i in range(_VARIABLES):
        with tf.device(f"/cpu:{i % 2}" if sharded else None):
            variables.append(tf.Variable(tf.zeros([_SIZE]), name=f"v{i}"))
    with tf.control_dependencies([step.assign_add(1)]):
        now = tf.cast(step.read_value(), tf.float32)
        train = tf.group(*[v.assign(tf.fill([_SIZE], now)) for v in variables])
    saver = tf.train.Saver(sharded=sharded, write_version=version, max_to_keep=2)
    return step, variables, train, saver


def _session() -> tf.Session:
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))


def _restore_latest(session, saver, folder: str) -> str | None:
    latest = tf.train.latest_checkpoint(folder)
    if latest is not None:
        saver.restore(session, latest)
        state = tf.train.get_checkpoint_state(folder)
        saver.recover_last_checkpoints(list(state.all_model_checkpoint_paths))
    return latest


def train_for_ever(folder: str, sharded: bool, version: int) -> None:
    """Goes on from the latest checkpoint and saves after each step, until it is killed."""
    step, _, train, saver = _build(sharded, version)
    with _session() as session:
        session.run(tf.global_variables_initializer())
        _restore_latest(session, saver, folder)
        print("ready", flush=True)
        while True:
            session.run(train)
            saver.save(session, f"{folder}/model", global_step=step)


def kill_and_look(folder: str, sharded: bool, version: int, kills: int) -> int:
    """Kills the process `kills` times at random; the last step that was saved."""
    rng = random.Random(f"{sharded} {version} {kills}")
    done = 0
    command = [sys.executable, os.path.abspath(__file__), "child", folder]
    for _ in range(kills):
        child = subprocess.Popen(
            [*command, str(int(sharded)), str(version)], stdout=subprocess.PIPE
        )
        assert child.stdout is not None and child.stdout.readline() == b"ready\n"
        time.sleep(rng.uniform(0, 0.15))
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        done = _check(folder, sharded, version, done)
    return done


def _check(folder: str, sharded: bool, version: int, before: int) -> int:
    """The step of the latest checkpoint, of which every variable is the same."""
    with tf.Graph().as_default():
        step, variables, _, saver = _build(sharded, version)
        with _session() as session:
            if _restore_latest(session, saver, folder) is None:
                assert before == 0
                return 0
            now = int(session.run(step))
            for value in session.run(variables):
                np.testing.assert_array_equal(value, np.full([_SIZE], now))
    assert now >= before
    return now


@pytest.mark.parametrize("sharded", [False, True])
def test_every_checkpoint_is_whole(sharded, tmp_path):
    assert kill_and_look(str(tmp_path), sharded, tf.train.SaverDef.V2, kills=3) > 0


_INTERVAL = 5


def train_monitored(folder: str) -> None:
    """The same as a MonitoredTrainingSession does it, every few steps; says each step."""
    step = tf.train.create_global_step()
    v = tf.get_variable("v", [_SIZE], initializer=tf.zeros_initializer())
    with tf.control_dependencies([v.assign_add(tf.ones([_SIZE]))]):
        train = tf.assign_add(step, 1)
    tf.summary.scalar("step", step)
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=folder,
        save_checkpoint_steps=_INTERVAL,
        save_checkpoint_secs=None,
        save_summaries_steps=2,
        log_step_count_steps=None,
    ) as session:
        print("resumed", session.run(step), *set(session.run(v)), flush=True)
        while True:
            print("step", session.run(train), flush=True)


def kill_monitored(folder: str, kills: int, steps: int = 0) -> int:
    """Kills such a training, after `steps` steps at least; each restart goes on at most one interval before where it was."""
    rng = random.Random(f"monitored {kills}")
    done = 0
    command = [sys.executable, os.path.abspath(__file__), "monitored", folder]
    for _ in range(kills):
        child = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert child.stdout is not None
        word, resumed, value = child.stdout.readline().split()
        assert word == b"resumed" and float(value) == int(resumed)
        assert int(resumed) > done - _INTERVAL, (int(resumed), done)
        said = [child.stdout.readline() for _ in range(steps)]
        time.sleep(rng.uniform(0, 0.15))
        child.send_signal(signal.SIGKILL)
        said += child.stdout.read().split(b"\n")[:-1]
        child.wait()
        child.stdout.close()
        done = int(said[-1].split()[1]) if said else int(resumed)
    return done


def test_a_monitored_training_loses_an_interval_at_most(tmp_path):
    # So many that the writer's queue was full more than once.
    assert kill_monitored(str(tmp_path), kills=3, steps=50) > 0
    # All whole events of killed processes can be read.
    steps = []
    for path in tmp_path.glob("*tfevents*"):
        with contextlib.suppress(tf.errors.DataLossError):
            steps += [e.step for e in tf.train.summary_iterator(str(path))]
    assert max(steps) > 0


def main() -> None:
    if sys.argv[1] == "child":
        folder, sharded, version = sys.argv[2:]
        train_for_ever(folder, sharded == "1", int(version))
    if sys.argv[1] == "monitored":
        train_monitored(sys.argv[2])
    kinds = [(s, v) for s in (False, True) for v in (1, 2)]
    kills = int(sys.argv[1]) // (len(kinds) + 1)
    with tempfile.TemporaryDirectory() as folder:
        step = kill_monitored(folder, kills)
        print(
            f"MonitoredTrainingSession: {kills} kills, {step} steps, none lost but "
            f"those since the last checkpoint, one in {_INTERVAL} steps",
            flush=True,
        )
    for sharded, version in kinds:
        with tempfile.TemporaryDirectory() as folder:
            step = kill_and_look(folder, sharded, version, kills)
            left = len(list(pathlib.Path(folder).iterdir()))
            print(
                f"V{version}, {'sharded' if sharded else 'one file'}: {kills} kills, "
                f"{step} steps, every checkpoint whole, {left} files left",
                flush=True,
            )


if __name__ == "__main__":
    main()
