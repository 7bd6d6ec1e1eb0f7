# SPDX-License-Identifier: Apache-2.0
"""Supervisor, basic_train_loop, evaluate_once."""

import os
import time

import pytest

import tensorwright as tf
from tensorwright.python.training import evaluation


@pytest.fixture(autouse=True)
def graph():
    tf.summary.FileWriterCache.clear()
    with tf.Graph().as_default() as graph:
        yield graph


def counter():
    step = tf.train.get_or_create_global_step()
    return step, tf.assign_add(step, 1)


def events(folder):
    found = []
    for name in sorted(os.listdir(folder)):
        if "tfevents" in name:
            found += tf.train.summary_iterator(os.path.join(folder, name))
    return found


def wait_until(what):
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_managed_session_saves_and_summarizes(graph, tmp_path):
    step, count = counter()
    tf.summary.scalar("n", step)
    sv = tf.train.Supervisor(
        logdir=str(tmp_path), save_summaries_secs=0.05, save_model_secs=0.05
    )
    assert graph.finalized and sv.is_chief and sv.global_step is step
    assert sv.save_path == str(tmp_path / "model.ckpt")
    with sv.managed_session() as session:
        session.run(count)
        wait_until(lambda: tf.train.latest_checkpoint(str(tmp_path)))
        time.sleep(0.2)
        sv.request_stop()
        assert sv.should_stop()
    found = events(tmp_path)
    statuses = [e.session_log.status for e in found if e.HasField("session_log")]
    assert statuses[0] == tf.SessionLog.START and statuses[-1] == tf.SessionLog.STOP
    assert tf.SessionLog.CHECKPOINT in statuses
    tags = {v.tag for e in found for v in e.summary.value}
    assert tags == {"n", "global_step/sec"}
    assert (tmp_path / "graph.pbtxt").exists()
    assert any(e.HasField("meta_graph_def") for e in found)


def test_it_resumes(graph, tmp_path):
    step, count = counter()
    sv = tf.train.Supervisor(logdir=str(tmp_path))
    with sv.managed_session(start_standard_services=False) as session:
        session.run(count)
        sv.saver.save(session, sv.save_path, global_step=step)
    with sv.managed_session() as session:
        assert session.run(count) == 2


def test_nothing_is_written_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    _, count = counter()
    sv = tf.train.Supervisor()
    with sv.managed_session() as session:
        assert session.run(count) == 1
    assert os.listdir(tmp_path) == []
    with pytest.raises(RuntimeError, match="summary writer"):
        sv.summary_computed(None, b"")


def test_errors_are_raised_and_the_end_of_input_is_not():
    counter()
    sv = tf.train.Supervisor()
    with pytest.raises(KeyError, match="cause"):
        with sv.managed_session():
            raise KeyError("cause")
    with sv.managed_session():
        raise tf.errors.OutOfRangeError(None, None, "over")


def test_threads_of_a_loop():
    step, count = counter()
    sv = tf.train.Supervisor()
    with sv.managed_session() as session:
        sv.loop(0.001, session.run, args=(count,))
        wait_until(lambda: session.run(step) > 3)

    def fail():
        raise KeyError("in a thread")

    with pytest.raises(KeyError, match="in a thread"):
        with sv.managed_session() as session:
            sv.loop(None, fail)
            while not sv.should_stop():
                time.sleep(0.01)


def test_summaries_that_the_program_computes(tmp_path):
    step, count = counter()
    summary = tf.summary.scalar("mine", 3.0)
    sv = tf.train.Supervisor(logdir=str(tmp_path), summary_op=None)
    with sv.managed_session() as session:
        session.run(count)
        sv.summary_computed(session, session.run(summary))
        sv.summary_computed(session, session.run(summary), 7)
    found = [
        (e.step, v.tag)
        for e in events(tmp_path)
        for v in e.summary.value
        if v.tag == "mine"
    ]
    assert found == [(1, "mine"), (7, "mine")]


def test_ops_that_are_given(tmp_path):
    v = tf.get_variable("v", initializer=1.0)
    x = tf.placeholder(tf.float32, [])
    seen = []
    sv = tf.train.Supervisor(
        init_op=tf.assign(v, x),
        init_feed_dict={x: 4.0},
        init_fn=lambda session: seen.append(session.run(v)),
        saver=None,
        ready_op=None,
        summary_writer=None,
        logdir=str(tmp_path),
    )
    assert sv.saver is None and sv.ready_op is None and sv.summary_writer is None
    with sv.managed_session() as session:
        assert session.run(v) == 4.0
    assert seen == [4.0]


def test_a_worker_has_no_services():
    counter()
    sv = tf.train.Supervisor(is_chief=False, logdir="nowhere", recovery_wait_secs=0.01)
    assert sv.summary_writer is None and sv.save_path is None
    with tf.Session() as session, pytest.raises(RuntimeError, match="Only chief"):
        sv.start_standard_services(session)
    with pytest.raises(tf.errors.DeadlineExceededError):
        sv.prepare_or_wait_for_session(max_wait_secs=0.05)


def test_events_say_where_a_session_starts_and_what_it_saved(tmp_path):
    _, count = counter()
    sv = tf.train.Supervisor(
        logdir=str(tmp_path), save_summaries_secs=0, save_model_secs=0.05
    )

    def saved_at_1():
        return [
            e for e in events(tmp_path) if e.step == 1 and e.session_log.checkpoint_path
        ]

    with sv.managed_session() as session:
        session.run(count)
        # One may have begun before the count, and note the step after it; the next has not.
        wait_until(lambda: len(saved_at_1()) > 1)
    with sv.managed_session():
        pass
    logs = [(e.step, e.session_log) for e in events(tmp_path)]
    starts = [at for at, log in logs if log.status == tf.SessionLog.START]
    assert starts == [0, 1]
    saved = [(at, log) for at, log in logs if log.status == tf.SessionLog.CHECKPOINT]
    assert saved and {log.checkpoint_path for _, log in saved} == {sv.save_path}
    assert saved[-1][0] == 1


def test_summaries_of_a_model_without_a_global_step_have_no_step(tmp_path):
    tf.summary.scalar("n", tf.get_variable("v", initializer=2.0))
    sv = tf.train.Supervisor(
        logdir=str(tmp_path), global_step=None, save_summaries_secs=0.02, saver=None
    )
    with sv.managed_session() as session:
        threads = sv.start_standard_services(session)
        assert [type(t).__name__ for t in threads] == ["SVSummaryThread"]

        wait_until(lambda: any(e.summary.value for e in events(tmp_path)))
    written = [e for e in events(tmp_path) if e.summary.value]
    assert {(e.step, e.summary.value[0].simple_value) for e in written} == {(0, 2.0)}


def queue_of_one_runner():
    queue = tf.FIFOQueue(4, tf.float32, [])
    runner = tf.train.QueueRunner(queue, [queue.enqueue(1.0)])
    tf.train.add_queue_runner(runner)
    return queue.dequeue()


def test_queue_runners_are_started_with_the_services_of_any_worker(tmp_path):
    value = queue_of_one_runner()
    _, count = counter()
    for chief in (True, False):
        sv = tf.train.Supervisor(
            is_chief=chief, logdir=str(tmp_path), ready_op=None, local_init_op=None
        )
        with sv.managed_session() as session:
            assert session.run(value) == 1.0
    session = sv.prepare_or_wait_for_session(start_standard_services=False)
    with session, pytest.raises(tf.errors.DeadlineExceededError):
        session.run(value, options=tf.RunOptions(timeout_in_ms=100))
    with tf.Session() as session:
        assert sv.start_queue_runners(session, []) == []


def test_a_session_is_closed_if_its_services_fail(tmp_path):
    counter()
    made = []

    class Failing(tf.train.Supervisor):
        def start_standard_services(self, sess):
            made.append(sess)
            raise KeyError("service")

    sv = Failing(logdir=str(tmp_path))
    with pytest.raises(KeyError, match="service"):
        sv.prepare_or_wait_for_session()
    with pytest.raises(RuntimeError, match="closed Session"):
        made[0].run(sv.global_step)


def test_a_writer_that_stays_open_has_written_everything(tmp_path):
    counter()
    summary = tf.summary.scalar("mine", 3.0)
    sv = tf.train.Supervisor(
        logdir=str(tmp_path), summary_op=None, save_summaries_secs=0
    )
    with sv.managed_session(close_summary_writer=False) as session:
        sv.summary_computed(session, session.run(summary), 5)
    found = events(tmp_path)
    assert [e.step for e in found if e.summary.value] == [5]
    assert tf.SessionLog.STOP not in {e.session_log.status for e in found}
    with pytest.raises(TypeError):
        sv.summary_computed(None, 3.0, 1)


def test_the_basic_loop_begins_anew_when_a_process_is_lost():
    _, count = counter()
    sv = tf.train.Supervisor()
    calls = []

    def train(session, more, stop_at):
        calls.append(more)
        session.run(count)
        if len(calls) == 3:
            raise tf.errors.AbortedError(None, None, "lost")
        if len(calls) == stop_at:
            sv.request_stop()

    tf.train.basic_train_loop(sv, train, args=("a",), kwargs={"stop_at": 5})
    assert calls == ["a"] * 5


def test_evaluation_of_a_checkpoint(tmp_path):
    v = tf.get_variable("v", initializer=1.0)
    with tf.Session() as session:
        session.run(tf.assign(v, 5.0))
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    total = tf.get_variable("total", initializer=0.0, collections=["local_variables"])
    got = evaluation.evaluate_once(
        path,
        eval_ops=tf.assign_add(total, v),
        final_ops={"total": total},
        hooks=[evaluation._StopAfterNEvalsHook(3)],
    )
    assert got == {"total": 15.0}


def test_checkpoints_come_one_by_one(tmp_path):
    v = tf.get_variable("v", initializer=1.0)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(v.initializer)
        seen = []
        for path in evaluation.checkpoints_iterator(str(tmp_path), timeout=0.05):
            seen.append(path)
        assert seen == []
        saver.save(session, str(tmp_path / "m"), global_step=1)
        for path in evaluation.checkpoints_iterator(str(tmp_path), timeout=0.05):
            seen.append(path)
    assert seen == [str(tmp_path / "m-1")]
