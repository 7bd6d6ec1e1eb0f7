# SPDX-License-Identifier: Apache-2.0
"""Monitored sessions, Scaffold, SessionManager and hooks, on small counters."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.protobuf import config_pb2


@pytest.fixture(autouse=True)
def clean():
    tf.summary.FileWriterCache.clear()
    yield
    tf.summary.FileWriterCache.clear()


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def counter():
    """The global step, and an op that counts it up."""
    step = tf.train.get_or_create_global_step()
    return step, tf.assign_add(step, 1)


class Recorder(tf.train.SessionRunHook):
    """Notes what it is called for."""

    def __init__(self, fetch=None, feed=None, stop_after=None):
        self.calls, self.results = [], []
        self.fetch, self.feed, self.stop_after = fetch, feed, stop_after

    def begin(self):
        self.calls.append("begin")

    def after_create_session(self, session, coord):
        assert isinstance(session, tf.Session)
        assert isinstance(coord, tf.train.Coordinator)
        self.calls.append("created")

    def before_run(self, run_context):
        self.calls.append("before")
        self.asked = run_context.original_args
        if self.fetch is not None or self.feed is not None:
            return tf.train.SessionRunArgs(self.fetch, self.feed)
        return None

    def after_run(self, run_context, run_values):
        self.calls.append("after")
        self.results.append(run_values.results)
        if self.stop_after is not None and len(self.results) >= self.stop_after:
            run_context.request_stop()

    def end(self, session):
        self.calls.append("end")


def test_hooks_are_called_in_order(graph):
    _, count = counter()
    hook = Recorder()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert session.graph is graph and graph.finalized
        assert session.run(count) == 1
        assert session.run({"a": [count]}) == {"a": [2]}
    step = ["before", "after"]
    assert hook.calls == ["begin", "created", *step, *step, "end"]
    assert hook.asked.fetches == {"a": [count]}
    assert not graph.finalized  # As before the session.


def test_hooks_fetch_and_feed(graph):
    x = tf.placeholder(tf.float32, name="x")
    y = tf.placeholder(tf.float32, name="y")
    double, both = 2 * x, x + y
    one = Recorder(fetch={"d": double}, feed={y: 10.0})
    two = Recorder(fetch=[both, x])
    with tf.train.MonitoredSession(hooks=[one, two]) as session:
        assert session.run(both, {x: 3.0}) == 13.0
    assert one.results == [{"d": 6.0}]
    assert two.results == [[13.0, 3.0]]


@pytest.mark.parametrize("by_user", [True, False])
def test_nothing_is_fed_twice(graph, by_user):
    x = tf.placeholder(tf.float32)
    y = 2 * x
    hooks = [Recorder(feed={x: 1.0})] * (1 if by_user else 2)
    with tf.train.MonitoredSession(hooks=hooks) as session:
        with pytest.raises(RuntimeError, match="user and hooks" if by_user else "two"):
            session.run(y, {x: 1.0} if by_user else None)


def test_a_hook_ends_the_loop(graph):
    _, count = counter()
    hook = Recorder(stop_after=3)
    steps = 0
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        while not session.should_stop():
            session.run(count)
            steps += 1
        with pytest.raises(RuntimeError, match="should_stop"):
            session.run(count)
    assert steps == 3 and hook.calls[-1] == "end"
    with pytest.raises(RuntimeError, match="closed"):
        session.run(count)
    assert session.should_stop()


def test_options_of_hooks_are_merged(graph):
    class Traces(tf.train.SessionRunHook):
        def before_run(self, run_context):
            options = config_pb2.RunOptions(
                trace_level=config_pb2.RunOptions.FULL_TRACE
            )
            return tf.train.SessionRunArgs(None, options=options)

        def after_run(self, run_context, run_values):
            self.values = run_values

    _, count = counter()
    hook = Traces()
    metadata = config_pb2.RunMetadata()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(
            count,
            options=config_pb2.RunOptions(timeout_in_ms=9999),
            run_metadata=metadata,
        )
    assert hook.values.options.timeout_in_ms == 9999
    assert hook.values.options.trace_level == config_pb2.RunOptions.FULL_TRACE
    assert metadata.step_stats.dev_stats and hook.values.run_metadata is metadata


@pytest.mark.parametrize("end", [StopIteration, tf.errors.OutOfRangeError])
def test_the_end_of_input_ends_the_loop(graph, end):
    hook = Recorder()
    counter()
    with tf.train.MonitoredSession(hooks=[hook]):
        raise end(None, None, "over") if end is not StopIteration else end()
    assert hook.calls[-1] == "end"


def test_an_error_is_raised_and_no_hook_ends(graph):
    _, count = counter()
    hook = Recorder()
    with pytest.raises(ZeroDivisionError):
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            session.run(count)
            raise ZeroDivisionError
    assert "end" not in hook.calls


def test_step_functions(graph):
    step, count = counter()
    hook = Recorder()

    def step_fn(step_context):
        assert step_context.session.run(step) == 0  # Without hooks.
        return step_context.run_with_hooks(count)

    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert session.run_step_fn(step_fn) == 1
        assert hook.calls.count("before") == 1
        with pytest.raises(StopIteration):
            session.run_step_fn(lambda step_context: step_context.request_stop())
        with pytest.raises(ValueError, match="step_context"):
            session.run_step_fn(lambda context, more: None)


# Threads. ------------------------------------------------------------------------------------------------


class ThreadHook(tf.train.SessionRunHook):
    """Has a thread that fails, or that works until it is asked to stop."""

    def __init__(self, error=None):
        self.error, self.stopped = error, False

    def after_create_session(self, session, coord):
        def work():
            with coord.stop_on_exception():
                if self.error is not None:
                    raise self.error
                coord.wait_for_stop()
                self.stopped = True

        self.thread = threading.Thread(target=work)
        coord.register_thread(self.thread)
        self.thread.start()


def test_threads_are_stopped_and_waited_for(graph):
    hook = ThreadHook()
    counter()
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert not session.should_stop()
    assert hook.stopped and not hook.thread.is_alive()


def test_the_error_of_a_thread_is_the_loops(graph):
    _, count = counter()
    hook = ThreadHook(KeyError("first cause"))
    with pytest.raises(KeyError, match="first cause"):
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            hook.thread.join()
            while not session.should_stop():
                session.run(count)


def test_the_first_cause_comes_before_what_it_caused(graph):
    x = tf.placeholder(tf.float32)
    check = tf.check_numerics(x, "not a number")
    hook = ThreadHook(KeyError("first cause"))
    with pytest.raises(KeyError) as caught:
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            hook.thread.join()
            session.run(check, {x: np.nan})
    assert isinstance(caught.value.__cause__, tf.errors.InvalidArgumentError)


# Recovery. -----------------------------------------------------------------------------------------------


class Loses(tf.train.SessionRunHook):
    """Loses the session at some steps, as if a process had gone."""

    def __init__(self, at, error):
        self.at, self.error, self.steps, self.sessions = at, error, 0, 0

    def after_create_session(self, session, coord):
        self.sessions += 1

    def before_run(self, run_context):
        self.steps += 1
        if self.steps in self.at:
            raise self.error(None, None, "lost")


@pytest.mark.parametrize("error", [tf.errors.AbortedError, tf.errors.UnavailableError])
def test_a_lost_session_is_made_anew_from_the_checkpoint(graph, tmp_path, error):
    _, count = counter()
    hook = Loses({3, 5}, error)
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), save_checkpoint_steps=1, hooks=[hook]
    ) as session:
        values = [int(session.run(count)) for _ in range(4)]
    assert hook.sessions == 3
    assert values == [1, 2, 3, 4]  # The lost steps were run again.


def test_a_singular_session_does_not_recover(graph):
    _, count = counter()
    hook = Loses({1}, tf.errors.AbortedError)
    with pytest.raises(tf.errors.AbortedError):
        with tf.train.SingularMonitoredSession(hooks=[hook]) as session:
            assert isinstance(session.raw_session(), tf.Session)
            session.run(count)


# Scaffold, SessionManager. -------------------------------------------------------------------------------


def test_a_scaffold_makes_what_is_missing(graph):
    tf.get_variable("v", initializer=1.0)
    tf.get_variable("local", initializer=2.0, collections=["local_variables"])
    tf.summary.scalar("s", 1.0)
    scaffold = tf.train.Scaffold().finalize()
    keys = tf.GraphKeys
    for key, op in [
        (keys.INIT_OP, scaffold.init_op),
        (keys.READY_OP, scaffold.ready_op),
        (keys.LOCAL_INIT_OP, scaffold.local_init_op),
        (keys.SUMMARY_OP, scaffold.summary_op),
        (keys.SAVERS, scaffold.saver),
    ]:
        assert tf.get_collection(key) == [op]
    with tf.Session() as session:
        assert set(session.run(scaffold.ready_op)) == {b"v", b"local"}
        session.run([scaffold.init_op, scaffold.local_init_op])
        assert session.run(scaffold.ready_op).size == 0


def test_a_scaffold_has_what_it_is_given(graph):
    v = tf.get_variable("v", initializer=1.0)
    x = tf.placeholder(tf.float32, [])
    seen = []
    init = tf.assign(v, x)
    first = tf.train.Scaffold(
        init_op=init,
        init_feed_dict={x: 5.0},
        init_fn=lambda scaffold, session: seen.append((scaffold, session.run(v))),
    )
    scaffold = tf.train.Scaffold(copy_from_scaffold=first)
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold)) as session:
        assert session.run(v) == 5.0
    assert seen == [(scaffold, 5.0)]
    with pytest.raises(TypeError, match="copy_from_scaffold"):
        tf.train.Scaffold(copy_from_scaffold=3)
    tf.add_to_collection("two", 1)
    tf.add_to_collection("two", 2)
    with pytest.raises(RuntimeError, match="More than one item"):
        tf.train.Scaffold.get_or_default("arg", "two", lambda: None)


def test_a_session_manager_initializes_or_restores(graph, tmp_path):
    v = tf.get_variable("v", initializer=1.0)
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    saver = tf.train.Saver()
    init = tf.global_variables_initializer()
    args = {"init_op": init, "saver": saver, "checkpoint_dir": str(tmp_path)}
    with manager.prepare_session("", **args) as session:
        assert session.run(v) == 1.0
        session.run(tf.assign(v, 9.0))
        path = saver.save(session, str(tmp_path / "model"), global_step=1)
    with manager.prepare_session("", **args) as session:
        assert session.run(v) == 9.0
    session, loaded = manager.recover_session("", saver, str(tmp_path))
    assert loaded and session.run(v) == 9.0
    session, loaded = manager.recover_session("", saver, str(tmp_path / "none"))
    assert not loaded
    with manager.prepare_session(
        "", saver=saver, checkpoint_filename_with_path=path
    ) as session:
        assert session.run(v) == 9.0
    with pytest.raises(ValueError, match="both"):
        manager.prepare_session(
            "", saver=saver, checkpoint_dir="a", checkpoint_filename_with_path="b"
        )


def test_a_model_that_does_not_get_ready(graph):
    tf.get_variable("v", initializer=1.0)
    manager = tf.train.SessionManager(
        ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=0.01
    )
    with pytest.raises(RuntimeError, match="no init_op"):
        manager.prepare_session("")
    with pytest.raises(RuntimeError, match="not make model ready.*initialized: v"):
        manager.prepare_session("", init_op=tf.no_op())
    with pytest.raises(tf.errors.DeadlineExceededError, match="not ready"):
        manager.wait_for_session("", max_wait_secs=0.1)
    with pytest.raises(ValueError, match="local_init_op"):
        tf.train.SessionManager(ready_for_local_init_op=tf.constant(["a"]))


# A training session as a whole. --------------------------------------------------------------------------


def events(folder):
    (name,) = [n for n in os.listdir(folder) if "tfevents" in n]
    return list(tf.train.summary_iterator(os.path.join(folder, name)))


def test_a_training_session_saves_summarizes_and_resumes(graph, tmp_path):
    step, count = counter()
    tf.summary.scalar("value", tf.cast(step, tf.float32))
    for last in (5, 8):
        tf.summary.FileWriterCache.clear()
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path),
            save_checkpoint_steps=2,
            save_summaries_steps=1,
            log_step_count_steps=1,
            summary_dir=str(tmp_path / f"to{last}"),
            hooks=[tf.train.StopAtStepHook(last_step=last)],
        ) as session:
            while not session.should_stop():
                got = session.run(count)
        assert got == last
        path = tf.train.latest_checkpoint(str(tmp_path))
        assert path.endswith(f"model.ckpt-{last}")
        tf.summary.FileWriterCache.clear()
        found = events(tmp_path / f"to{last}")
        tags = {v.tag for e in found for v in e.summary.value}
        assert tags == {"value", "global_step/sec"}
        steps = [e.step for e in found for v in e.summary.value if v.tag == "value"]
        assert steps == list(range(steps[0], last + 1))
    assert steps[0] == 6
    assert (tmp_path / "graph.pbtxt").exists()


def test_nothing_is_written_without_a_folder(graph, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, count = counter()
    with tf.train.MonitoredTrainingSession() as session:
        session.run(count)
    assert os.listdir(tmp_path) == []


def test_a_worker_waits_for_its_chief(graph):
    counter()
    with pytest.raises(tf.errors.DeadlineExceededError):
        tf.train.MonitoredTrainingSession(is_chief=False, max_wait_secs=0.1)


LOOP = """
import sys, threading
import tensorwright as tf
step = tf.train.get_or_create_global_step()
count = tf.assign_add(step, 1)
class Threads(tf.train.SessionRunHook):
    def after_create_session(self, session, coord):
        def work():
            with coord.stop_on_exception():
                while not coord.should_stop():
                    session.run(step)
        for _ in range(8):
            thread = threading.Thread(target=work)
            coord.register_thread(thread)
            thread.start()
with tf.train.MonitoredTrainingSession(
    checkpoint_dir=sys.argv[1], hooks=[Threads()]) as session:
    for i in range(10**9):
        session.run(count)
        if i == 20:
            print("running", flush=True)
"""


def test_ctrl_c_ends_many_threads_with_a_checkpoint(tmp_path):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    process = subprocess.Popen(
        [sys.executable, "-c", LOOP, str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=env,
        text=True,
    )
    assert process.stdout.readline() == "running\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode != 0 and "KeyboardInterrupt" in err
    path = tf.train.latest_checkpoint(str(tmp_path))
    assert int(path.rpartition("-")[2]) > 20
