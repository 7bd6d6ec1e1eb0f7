# SPDX-License-Identifier: Apache-2.0
"""Hooks, one by one."""

import json
import logging
import os
import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.training import (
    basic_session_run_hooks,
    evaluation,
    training_util,
)


@pytest.fixture(autouse=True)
def graph():
    tf.summary.FileWriterCache.clear()
    with tf.Graph().as_default() as graph:
        yield graph
    tf.summary.FileWriterCache.clear()


@pytest.fixture
def logged(caplog):
    """The text of messages, as they come."""
    caplog.set_level(logging.INFO, logger=tf.get_logger().name)
    tf.get_logger().propagate = True
    verbosity = tf.logging.get_verbosity()
    tf.logging.set_verbosity(tf.logging.INFO)
    yield lambda: [r.getMessage() for r in caplog.records]
    tf.logging.set_verbosity(verbosity)


def counter():
    step = tf.train.get_or_create_global_step()
    return step, tf.assign_add(step, 1)


class FakeWriter:
    def __init__(self):
        self.summaries, self.logs, self.metadata, self.flushed = [], [], [], 0

    def add_summary(self, summary, step):
        if isinstance(summary, bytes):
            summary = tf.Summary.FromString(summary)
        self.summaries.append((int(step), summary.value[0]))

    def add_session_log(self, log, step):
        self.logs.append((int(step), log.status))

    def flush(self):
        self.flushed += 1


def test_timer_of_steps():
    timer = tf.train.SecondOrStepTimer(every_steps=3)
    assert timer.last_triggered_step() is None
    assert timer.should_trigger_for_step(5)
    assert timer.update_last_triggered_step(5) == (None, None)
    assert [timer.should_trigger_for_step(s) for s in (5, 6, 7, 8)] == [
        False, False, False, True
    ]  # fmt: skip
    secs, steps = timer.update_last_triggered_step(8)
    assert steps == 3 and secs >= 0
    timer.reset()
    assert timer.should_trigger_for_step(8)


def test_timer_of_seconds():
    timer = tf.train.SecondOrStepTimer(every_secs=0.05)
    timer.update_last_triggered_step(1)
    assert not timer.should_trigger_for_step(1)
    assert not timer.should_trigger_for_step(2)
    time.sleep(0.06)
    assert not timer.should_trigger_for_step(1)
    assert timer.should_trigger_for_step(2)


@pytest.mark.parametrize(
    "make",
    [
        lambda: tf.train.SecondOrStepTimer(),
        lambda: tf.train.SecondOrStepTimer(1, 1),
        lambda: tf.train.LoggingTensorHook(["a"]),
        lambda: tf.train.LoggingTensorHook(["a"], 1, 1),
        lambda: tf.train.LoggingTensorHook(["a"], every_n_iter=0),
        lambda: tf.train.StepCounterHook(1, 1),
        lambda: tf.train.StepCounterHook(None, None),
        lambda: tf.train.StopAtStepHook(),
        lambda: tf.train.StopAtStepHook(1, 1),
        lambda: tf.train.CheckpointSaverHook("d"),
        lambda: tf.train.CheckpointSaverHook("d", 1, 1),
        lambda: tf.train.CheckpointSaverHook(
            "d", 1, saver=3, scaffold=tf.train.Scaffold()
        ),
        lambda: tf.train.SummarySaverHook(1),
        lambda: tf.train.SummarySaverHook(
            1, scaffold=tf.train.Scaffold(), summary_op="a"
        ),
        lambda: tf.train.ProfilerHook(),
    ],
)
def test_arguments_that_make_no_sense(make):
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: tf.train.StopAtStepHook(), "num_steps and last_step .* got neither"),
        (lambda: tf.train.StopAtStepHook(1, 2), "got num_steps and last_step"),
        (lambda: tf.train.SecondOrStepTimer(1, 2), "got every_secs and every_steps"),
        (lambda: tf.train.StepCounterHook(None), "every_n_steps and every_n_secs"),
        (lambda: tf.train.SummarySaverHook(1), "scaffold and summary_op .* neither"),
        (lambda: tf.train.LoggingTensorHook(["a"]), "at_end only: exactly one of"),
    ],
)
def test_options_of_which_exactly_one_is_needed_are_named(make, text):
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize(
    "hook",
    [
        tf.train.StopAtStepHook(1),
        tf.train.StepCounterHook(),
        tf.train.SummarySaverHook(1, summary_op="a"),
        tf.train.GlobalStepWaiterHook(1),
    ],
)
def test_hooks_that_need_a_global_step(hook):
    with pytest.raises(RuntimeError, match="Global step should be created"):
        hook.begin()


def test_values_are_logged_every_few_steps(logged):
    _, count = counter()
    hook = tf.train.LoggingTensorHook({"n": count}, every_n_iter=3, at_end=False)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(7):
            session.run(count)
    lines = [m for m in logged() if m.startswith("n = ")]
    assert [m.split()[2] for m in lines] == ["1", "4", "7"]
    assert lines[0] == "n = 1" and lines[1].endswith(" sec)")


def test_a_logged_float32_has_its_own_digits(logged):
    tensor = tf.constant(26.646973, tf.float32)
    hook = tf.train.LoggingTensorHook({"x": tensor}, every_n_iter=1)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(tensor)
    assert [m for m in logged() if m.startswith("x")] == ["x = 26.646973"]


def test_values_are_logged_at_the_end_in_any_form(logged):
    step, count = counter()
    hook = tf.train.LoggingTensorHook(
        [step.name], at_end=True, formatter=lambda v: f"it is {v[step.name]}"
    )
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(count)
    assert [m for m in logged() if m.startswith("it is")] == ["it is 1"]


def test_names_of_tensors(graph):
    tf.unstack([1, 2], name="two")
    with pytest.raises(ValueError, match="ambiguous"):
        basic_session_run_hooks._as_graph_element("two")
    one = tf.constant(1, name="one")
    assert basic_session_run_hooks._as_graph_element("one") is one
    assert basic_session_run_hooks._as_graph_element("one:0") is one
    with tf.Graph().as_default(), pytest.raises(ValueError, match="graph"):
        basic_session_run_hooks._as_graph_element(one)


@pytest.mark.parametrize("how, last", [({"num_steps": 4}, 6), ({"last_step": 5}, 5)])
def test_it_stops_at_a_step(how, last):
    step, count = counter()
    begin = tf.train.Scaffold(init_fn=lambda _, session: session.run([count]))
    with tf.train.MonitoredSession(
        tf.train.ChiefSessionCreator(begin),
        hooks=[Twice(count), tf.train.StopAtStepHook(**how)],
    ) as session:
        while not session.should_stop():
            got = session.run(count)
    assert got == last


class Twice(tf.train.SessionRunHook):
    """One more step before the first."""

    def __init__(self, count):
        self.count = count

    def after_create_session(self, session, coord):
        session.run(self.count)


def test_steps_a_second():
    _, count = counter()
    writer = FakeWriter()
    hook = tf.train.StepCounterHook(every_n_steps=10, summary_writer=writer)
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        start = time.monotonic()
        for _ in range(31):
            session.run(count)
        took = time.monotonic() - start
    assert [step for step, _ in writer.summaries] == [11, 21, 31]
    for _, value in writer.summaries:
        assert value.tag == "global_step/sec"
        assert value.simple_value > 10 / took / 2


def test_nan_fails_or_ends_the_loop():
    x = tf.placeholder(tf.float32, [])
    loss = x * 2
    with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as session:
        session.run(loss, {x: 1.0})
        with pytest.raises(tf.train.NanLossDuringTrainingError, match="NaN loss"):
            session.run(loss, {x: np.nan})
    quiet = tf.train.NanTensorHook(loss, fail_on_nan_loss=False)
    with tf.train.MonitoredSession(hooks=[quiet]) as session:
        session.run(loss, {x: np.nan})
        assert session.should_stop()


def test_summaries_are_saved_every_few_steps():
    step, count = counter()
    with tf.control_dependencies([count]):
        summary = tf.summary.scalar("n", tf.identity(step))
    writer = FakeWriter()
    hook = tf.train.SummarySaverHook(
        save_steps=3, summary_writer=writer, summary_op=summary
    )
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(8):
            session.run(count)
    assert [s for s, _ in writer.summaries] == [1, 4, 7]
    assert writer.logs == [(1, tf.SessionLog.START)]
    assert writer.flushed == 1


def test_several_summary_ops():
    _, count = counter()
    parts = [tf.summary.scalar(t, 1.0) for t in "ab"]
    writer = FakeWriter()
    hook = tf.train.SummarySaverHook(
        save_secs=1000, summary_writer=writer, summary_op=parts
    )
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(count)
        session.run(count)
    assert [v.tag for _, v in writer.summaries] == ["a", "b"]


class Listener(tf.train.CheckpointSaverListener):
    def __init__(self, stop_at=None):
        self.calls, self.stop_at = [], stop_at

    def begin(self):
        self.calls.append("begin")

    def before_save(self, session, global_step_value):
        self.calls.append(("before", global_step_value))

    def after_save(self, session, global_step_value):
        self.calls.append(("after", global_step_value))
        return global_step_value == self.stop_at

    def end(self, session, global_step_value):
        self.calls.append(("end", global_step_value))


@pytest.mark.parametrize("save_graph_def", [True, False])
def test_checkpoints_are_saved_every_few_steps(tmp_path, save_graph_def):
    _, count = counter()
    listener = Listener()
    hook = tf.train.CheckpointSaverHook(
        str(tmp_path),
        save_steps=2,
        scaffold=(scaffold := tf.train.Scaffold()),
        listeners=[listener],
        save_graph_def=save_graph_def,
    )
    with tf.train.MonitoredSession(
        tf.train.ChiefSessionCreator(scaffold), hooks=[hook]
    ) as session:
        for _ in range(5):
            session.run(count)
    saved = [c for c in listener.calls if c[0] == "after"]
    assert saved == [("after", s) for s in (0, 2, 4, 5)]
    assert listener.calls[0] == "begin" and listener.calls[-1] == ("end", 5)
    state = tf.train.get_checkpoint_state(str(tmp_path))
    found = [p.rpartition("-")[2] for p in state.all_model_checkpoint_paths]
    assert found == ["0", "2", "4", "5"]
    assert (tmp_path / "graph.pbtxt").exists() == save_graph_def


def test_a_listener_ends_the_loop(tmp_path):
    _, count = counter()
    hook = tf.train.CheckpointSaverHook(
        str(tmp_path),
        save_steps=1,
        saver=tf.train.Saver(),
        listeners=[Listener(stop_at=3)],
    )
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        while not session.should_stop():
            got = session.run(count)
    assert got == 3


def test_no_step_until_others_are_ahead():
    step, count = counter()
    waiter = tf.train.GlobalStepWaiterHook(2)
    with tf.train.MonitoredSession(hooks=[waiter]) as session:
        raw = session._tf_sess()
        other = threading.Thread(target=lambda: [raw.run(count) for _ in range(2)])
        other.start()
        assert session.run(step) >= 2
        other.join()
        start = time.monotonic()
        session.run(step)
        assert time.monotonic() - start < 0.4  # It waits once.


def test_a_waiting_worker_says_now_and_then_how_far_the_others_are(logged):
    step, _ = counter()
    waiter = tf.train.GlobalStepWaiterHook(2500)
    waiter._SECS_BETWEEN_LOOKS = 0
    steps = iter([0, 400, 999, 1000, 1500, 2400, 2500])

    class Others:
        def run(self, fetches):
            return next(steps)

    waiter.begin()
    context = tf.train.SessionRunContext(None, Others())
    waiter.before_run(context)
    waiter.before_run(context)
    assert list(steps) == []
    lines = [m for m in logged() if m.startswith("GlobalStepWaiterHook")]
    assert [m.split(",")[0].split()[-1] for m in lines] == ["0", "1000", "2400"]
    assert all(m.endswith("begins at 2500") for m in lines)


def test_final_ops():
    step, count = counter()
    x = tf.placeholder(tf.int64, [])
    hook = tf.train.FinalOpsHook({"sum": step + x}, {x: 10})
    assert hook.final_ops_values is None
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(count)
    assert hook.final_ops_values == {"sum": 11}


def test_final_ops_without_input_left_say_so_and_fail(logged):
    value = tf.data.Dataset.range(0).make_one_shot_iterator().get_next()
    hook = tf.train.FinalOpsHook(value)
    with tf.Session() as session, pytest.raises(tf.errors.OutOfRangeError):
        hook.end(session)
    assert any(m.startswith("FinalOpsHook: the final ops read") for m in logged())


def test_without_summaries_only_the_step_is_fetched():
    _, count = counter()
    writer = FakeWriter()
    hook = tf.train.SummarySaverHook(
        save_steps=1, summary_writer=writer, scaffold=tf.train.Scaffold()
    )
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        session.run(count)
    assert writer.summaries == [] and writer.logs == [(1, tf.SessionLog.START)]


@pytest.mark.parametrize("savers", [0, 2])
def test_a_saver_is_needed_to_save(tmp_path, savers):
    _, count = counter()
    for _ in range(savers):
        tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver())
    hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1)
    hook.begin()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(RuntimeError, match=f"must have one saver, got {savers}"):
            hook.after_create_session(session, None)


def test_a_function_feeds():
    x = tf.placeholder(tf.float32, [])
    values = iter([1.0, 2.0])
    hook = tf.train.FeedFnHook(lambda: {x: next(values)})
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        assert [session.run(2 * x) for _ in ()] == []
        y = session.graph.get_tensor_by_name(x.name)
        assert session.run(y) == 1.0
        assert session.run(y) == 2.0


def test_steps_are_profiled(tmp_path):
    _, count = counter()
    hook = tf.train.ProfilerHook(save_steps=2, output_dir=str(tmp_path))
    with tf.train.MonitoredSession(hooks=[hook]) as session:
        for _ in range(6):
            session.run(count)
    tf.summary.FileWriterCache.clear()
    names = sorted(n for n in os.listdir(tmp_path) if n.startswith("timeline"))
    assert names == ["timeline-2.json", "timeline-4.json", "timeline-6.json"]
    trace = json.loads((tmp_path / names[0]).read_text())
    assert trace["traceEvents"]
    (events,) = [n for n in os.listdir(tmp_path) if "tfevents" in n]
    tags = [
        e.tagged_run_metadata.tag
        for e in tf.train.summary_iterator(str(tmp_path / events))
        if e.HasField("tagged_run_metadata")
    ]
    steps = [n.removeprefix("timeline-").removesuffix(".json") for n in names]
    assert tags == [f"step_{s}" for s in steps]


@pytest.mark.parametrize("use_resource", [False, True])
@pytest.mark.parametrize("how", ["optimizer", "assign_add", "assign"])
def test_intervals_are_kept_however_the_step_is_counted(how, use_resource, tmp_path):
    # The step is fetched beside what counts it, so before it or after it.
    with tf.variable_scope("", use_resource=use_resource):
        step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=1.0)
    train = {
        "optimizer": lambda: tf.train.GradientDescentOptimizer(0.1).minimize(w, step),
        "assign_add": lambda: tf.assign_add(step, 1),
        "assign": lambda: tf.assign(step, step + 1),
    }[how]()
    summaries, counts = FakeWriter(), FakeWriter()
    folder = str(tmp_path)
    hooks = [
        tf.train.ProfilerHook(save_steps=3, output_dir=folder),
        tf.train.SummarySaverHook(
            3, summary_writer=summaries, summary_op=tf.summary.scalar("w", w)
        ),
        tf.train.StepCounterHook(3, summary_writer=counts),
        tf.train.CheckpointSaverHook(folder, save_steps=3),
        tf.train.StopAtStepHook(last_step=12),
    ]
    with tf.train.MonitoredSession(hooks=hooks) as session:
        while not session.should_stop():
            session.run(train)
    tf.summary.FileWriterCache.clear()

    def steps(pattern):
        names = (p.name for p in tmp_path.glob(pattern))
        return sorted(int(n.split("-")[1].split(".")[0]) for n in names)

    assert steps("timeline-*.json") == [3, 6, 9, 12]
    assert [s for s, _ in summaries.summaries] == [1, 4, 7, 10]
    assert [s for s, _ in counts.summaries] == [4, 7, 10]
    assert steps("model.ckpt-*.index") == [0, 3, 6, 9, 12]
    assert counts.flushed == 1


def test_the_last_run_of_several_steps_does_no_more_than_are_left():
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        count = basic_session_run_hooks.get_or_create_steps_per_run_variable()
        assert basic_session_run_hooks.get_or_create_steps_per_run_variable() is count
        train = step.assign_add(tf.cast(count, tf.int64))
        hook = basic_session_run_hooks._MultiStepStopAtStepHook(
            last_step=10, steps_per_run=4
        )
        seen = []
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            while not session.should_stop():
                seen.append(int(session.run(train)))
        assert seen == [4, 8, 10]
    with pytest.raises(ValueError, match="steps_per_run must be >= 1, got 0"):
        basic_session_run_hooks._MultiStepStopAtStepHook(last_step=1, steps_per_run=0)


def test_steps_of_several_a_run_count_from_the_session():
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        count = basic_session_run_hooks.get_or_create_steps_per_run_variable()
        train = step.assign_add(tf.cast(count, tf.int64))
        start = step.assign(5)
        hook = basic_session_run_hooks._MultiStepStopAtStepHook(
            num_steps=3, steps_per_run=2
        )
        scaffold = tf.train.Scaffold(init_fn=lambda _, session: session.run(start))
        creator = tf.train.ChiefSessionCreator(scaffold)
        with tf.train.MonitoredSession(creator, [hook]) as session:
            while not session.should_stop():
                last = session.run(train)
        assert last == 8


def test_the_global_step_is_read_by_one_tensor():
    with tf.Graph().as_default() as graph, tf.Session() as session:
        assert training_util._get_or_create_global_step_read() is None
        with pytest.raises(ValueError, match="Global step tensor should be created"):
            training_util._increment_global_step(1)
        step = tf.train.get_or_create_global_step()
        assert training_util._get_global_step_read() is None
        with tf.name_scope("anywhere"), tf.control_dependencies([tf.no_op("wait")]):
            read = training_util._get_or_create_global_step_read()
        assert training_util._get_or_create_global_step_read(graph) is read
        assert read.name.startswith("global_step/") and not read.op.control_inputs
        assert graph.get_collection(training_util.GLOBAL_STEP_READ_KEY) == [read]
        session.run(step.initializer)
        session.run(training_util._increment_global_step(7))
        assert session.run(read) == 7


@pytest.mark.parametrize("num_evals, runs", [(5, [2, 4, 5]), (4, [2, 4])])
def test_the_last_run_of_several_evaluations_does_no_more_than_are_left(
    num_evals, runs
):
    with tf.Graph().as_default():
        count = tf.train.get_or_create_steps_per_run_variable()
        done = tf.get_variable("done", [], tf.int32, tf.zeros_initializer())
        seen = []

        class Watch(tf.train.SessionRunHook):
            def after_run(self, run_context, run_values):
                seen.append(run_context.session.run(done))

        hook = evaluation._MultiStepStopAfterNEvalsHook(num_evals, steps_per_run=2)
        final = evaluation.evaluate_once(
            None, eval_ops=done.assign_add(count), final_ops=done, hooks=[hook, Watch()]
        )
        assert seen == runs and final == num_evals
