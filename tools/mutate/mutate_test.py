# SPDX-License-Identifier: Apache-2.0
"""Mutants of well-tested ops are caught, each kind of them; of badly tested ones they survive and are listed."""

import os
import signal
import textwrap
import time

import pytest

import tensorwright as tf
from tensorwright.tools.mutate import command, faults, forks, report, survivors
from tensorwright.tools.mutate.campaign import (
    OPCHECK,
    SURVIVED,
    TESTS,
    Campaign,
    OpResult,
    Pool,
    Verdict,
    record,
)
from tensorwright.tools.mutate.kinds import (
    GRADIENTS,
    KINDS,
    NO_FAULT,
    Facts,
    Mutant,
    mutants_of,
)

# Two ops that have all kinds of mutants between them.
_OPS = ["GatherNd", "Maximum"]

_GOOD = """
    import numpy as np
    import pytest
    import tensorwright as tf

    _TYPES = [np.float16, np.float32, np.float64, np.int8, np.int16, np.int32, np.int64,
              np.uint8, np.uint16, np.uint32, np.uint64, tf.bfloat16.as_numpy_dtype]

    @pytest.fixture(autouse=True)
    def fresh_graph():
        with tf.Graph().as_default():
            yield

    def run(x, feeds=None):
        with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=2)) as session:
            return session.run(x, feeds)

    @pytest.mark.parametrize("dtype", _TYPES)
    @pytest.mark.parametrize("shape", [(), (1,), (7,), (5, 3), (300, 501)])
    def test_maximum_is_that_of_numpy(dtype, shape):
        rng = np.random.RandomState(1)
        x, y = (rng.randint(0, 4, shape).astype(dtype) for _ in range(2))
        got = run(tf.maximum(x, y))
        assert got.dtype == x.dtype
        np.testing.assert_array_equal(got, np.maximum(x, y))

    @pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
    def test_maximum_keeps_every_nan(dtype):
        x = np.array([1, np.nan, np.nan, 2], dtype)
        np.testing.assert_array_equal(run(tf.maximum(x, dtype(0))), x)

    def test_maximum_says_its_shape():
        x = tf.placeholder(tf.float32, [None, 3, 4])
        y = tf.placeholder(tf.float32, [2, 1, 1])
        assert tf.maximum(x, y).shape.as_list() == [2, 3, 4]
        assert tf.maximum(y[0, 0, 0], y[0, 0, 0]).shape.as_list() == []
        with pytest.raises(ValueError):
            tf.maximum(x, tf.zeros([5, 4]))

    @pytest.mark.parametrize("dtype", _TYPES)
    def test_gather_nd_is_that_of_numpy(dtype):
        x = (np.arange(24) % 5).reshape(4, 3, 2).astype(dtype)
        for at in ([[0, 1], [3, 2]], [[3], [0]]):
            for index in (np.int32, np.int64):
                got = run(tf.gather_nd(x, np.array(at, index)))
                np.testing.assert_array_equal(got, x[tuple(np.transpose(at))])

    @pytest.mark.parametrize("at", [[[4]], [[-1]], [[0, 3]]])
    def test_gather_nd_refuses_indices_out_of_range(at):
        fed = tf.placeholder(tf.int32)
        got = tf.gather_nd(np.zeros((4, 3), np.float32), fed)
        with pytest.raises(tf.errors.InvalidArgumentError):
            run(got, {fed: at})

    # Is true of what is optimised, as nothing is that goes through hooks.
    def test_constants_are_folded():
        x = tf.maximum(tf.constant(1.0), tf.constant(2.0), name="x")
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        with tf.Session() as session:
            session.run(x + tf.placeholder_with_default(1.0, []), options=options,
                        run_metadata=metadata)
        nodes = [n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats]
        assert "x" not in nodes
"""

_WEAK = """
    import tensorwright as tf

    def test_maximum_runs():
        with tf.Graph().as_default(), tf.Session() as session:
            session.run(tf.maximum([[1.0, 2.0]], [[2.0], [2.0]]))
"""


class _WithoutOpcheck:
    """A server whose opcheck finds nothing."""

    def __init__(self, server):
        self._server = server

    def ask(self, do, **arguments):
        if do == "opcheck":
            return {"found": ""}
        return self._server.ask(do, **arguments)


def _pool(folder, text):
    file = folder / "ops_test.py"
    file.write_text(textwrap.dedent(text))
    return Pool(folder, [file], 1)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    pool = _pool(tmp_path_factory.mktemp("good"), _GOOD)
    recording = record(pool)
    _record_ops(pool, recording)
    yield pool, recording
    pool.close()


def _record_ops(pool, recording, file=None):
    campaign = Campaign(recording, file=file)
    for _ in pool.map(campaign.mutants, _OPS):
        pass


def _run(pool, recording, op, mutants=None, **options):
    campaign = Campaign(recording, **options)
    (result,) = pool.map(
        lambda server, m: campaign.run_mutants(server, op, m),
        [mutants or mutants_of(op, recording.facts[op])],
    )
    return result


def test_the_server_has_no_threads_that_a_fork_would_lack(good):
    pool, _ = good
    assert pool.ready["threads"] == 1
    assert not pool.ready["broken"]


def test_a_test_that_hooks_make_fail_is_left_out(good):
    _, recording = good
    (left_out,) = recording.left_out
    assert left_out.endswith("::test_constants_are_folded")


def test_every_mutant_of_a_well_tested_op_is_caught(good):
    result = _run(*good, "Maximum")
    assert not result.fails_without
    assert [v for v in result.verdicts if v.by == SURVIVED] == []


def test_the_ops_above_have_every_kind(good):
    _, recording = good
    found = {m.kind for op in _OPS for m in mutants_of(op, recording.facts[op])}
    assert found == set(KINDS)


@pytest.mark.parametrize("op", _OPS)
def test_nothing_fails_by_the_hooks_alone(good, op):
    pool, recording = good
    mutant = Mutant(op, NO_FAULT)
    tests = [(name, t.seconds) for name, t in recording.tests.items()]
    (answer,) = pool.map(
        lambda server, _: server.ask(
            "tests", mutant=mutant, tests=tests, budget=1e9, stop=False
        ),
        [None],
    )
    assert answer == {"failed": [], "ran": len(tests), "ending": ""}
    (answer,) = pool.map(lambda server, _: server.ask("opcheck", mutant=mutant), [None])
    assert answer["found"] == ""


def test_mutants_of_a_badly_tested_op_survive_and_are_listed(tmp_path):
    pool = _pool(tmp_path, _WEAK)
    try:
        recording = record(pool)
        mutants = [Mutant("Maximum", k, 1) for k in ("element", "nan", "grad-sign")]
        campaign = Campaign(recording)
        (result,) = pool.map(
            lambda server, m: campaign.run_mutants(
                _WithoutOpcheck(server), "Maximum", m
            ),
            [mutants],
        )
    finally:
        pool.close()
    assert [v.by for v in result.verdicts] == [SURVIVED] * 3
    # No test has a NaN, and no test asks for the gradient.
    assert [(v.ran, v.touching) for v in result.verdicts] == [(1, 1), (0, 0), (0, 0)]
    text = report.text([result], {})
    for mutant in mutants:
        assert f"survived: Maximum {mutant.kind} 1: {mutant.words()}" in text
    assert "values: 0.00% caught, the budget is 98%" in text
    assert not report.is_good([result], {})


# Gradients. --------------------------------------------------------------------------------------------------


def _gradient_mutants(op, *places):
    facts = Facts()
    facts.add("gradient", " ".join(str(p) for p in places))
    return [
        (m.kind, m.number)
        for m in mutants_of(op, facts)
        if m.group == GRADIENTS and m.kind in ("grad-sign", "grad-none")
    ]


def test_every_input_with_a_gradient_has_mutants():
    assert _gradient_mutants("MaxPoolGrad", 2) == [("grad-sign", 0), ("grad-none", 3)]
    assert _gradient_mutants("Select", 1, 2) == [
        ("grad-sign", 0), ("grad-sign", 2), ("grad-sign", 3),
        ("grad-none", 2), ("grad-none", 3),
    ]  # fmt: skip
    assert _gradient_mutants("Sign") == []


def _recorded_places(monkeypatch, file, op, make):
    """The inputs of `op` that a recording of the gradients of make() names."""
    monkeypatch.setattr(faults, "_recording", None)
    table = dict(faults._table())
    faults._record_gradients(file)
    try:
        with tf.Graph().as_default():
            make()
    finally:
        faults._table().clear()
        faults._table().update(table)
    lines = file.read_text().splitlines()
    return [line for line in lines if line.split(" ")[1] == op]


def test_gradients_that_nothing_can_make_wrong_are_not_recorded(monkeypatch, tmp_path):
    def pools():
        x = tf.placeholder(tf.float32, [1, 4, 4, 1])
        y = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
        (dx,) = tf.gradients(y, x)
        tf.gradients(dx, x, stop_gradients=[y])
        tf.gradients(dx, dx.op.inputs[2])

    found = _recorded_places(monkeypatch, tmp_path / "a", "MaxPoolGrad", pools)
    assert found
    assert set(found) == {"gradient MaxPoolGrad 2"}

    def arrays():
        x = tf.placeholder(tf.float32, [2])
        array = tf.TensorArray(tf.float32, 1).write(0, x)
        tf.gradients(array.read(0), x)

    found = _recorded_places(monkeypatch, tmp_path / "b", "TensorArrayWriteV3", arrays)
    assert found == ["gradient TensorArrayWriteV3 2"]
    lines = (tmp_path / "b").read_text().splitlines()
    assert "gradient TensorArrayReadV3 " in lines


# Reports of verdicts. ----------------------------------------------------------------------------------------


def _result(*by):
    mutants = [Mutant("Op", "element", i % 2) for i in range(len(by))]
    return OpResult("Op", [Verdict(m, b) for m, b in zip(mutants, by)])


def test_the_table_counts_by_kind():
    lines = report.table([_result(TESTS, TESTS, OPCHECK, SURVIVED)], {})
    (row,) = [line.split() for line in lines if line.startswith("element")]
    assert row == "element 4 0 1 2 0 0 1 75.00% 75.00%".split()


def test_a_harmless_survivor_does_not_count_and_a_weak_check_does():
    result = _result(*[TESTS] * 3, SURVIVED)
    for verdict, good in (("harmless", True), ("weak", False)):
        key = ("Op", "element", 1)
        entry = survivors.Entry(*key, verdict, "a reason")
        assert report.is_good([result], {key: entry}) == good
        text = report.text([result], {key: entry})
        assert f"{verdict}: a reason" in text


def test_an_entry_speaks_of_one_number():
    entry = survivors.Entry("Op", "element", 0, "harmless", "a reason")
    result = _result(SURVIVED, SURVIVED)
    text = report.text([result], {("Op", "element", 0): entry})
    assert text.count("harmless: a reason") == text.count("not looked at yet") == 1


@pytest.mark.parametrize("kind, number", [("element", 0), ("grad-sign", 7)])
def test_an_entry_that_nothing_needs_is_a_failure(kind, number):
    key = ("Op", kind, number)
    entries = {key: survivors.Entry(*key, "weak", "a reason")}
    result = _result(TESTS)
    assert report.is_good([result], {})
    assert not report.is_good([result], entries)
    text = report.text([result], entries)
    assert f"Op {kind} {number}: no such mutant survives" in text


def test_an_op_that_fails_without_mutants_is_no_success():
    result = OpResult("Op", [], "shape: wrong")
    assert not report.is_good([result], {})
    assert "fails without a mutant: shape: wrong" in report.text([result], {})


def test_the_list_of_survivors_can_be_read(tmp_path):
    survivors.read()
    file = tmp_path / "survivors.txt"
    file.write_text("# words\nOp nan 1 weak because of this\n")
    assert survivors.read(file)["Op", "nan", 1].why == "because of this"
    file.write_text("Op nan weak because of this\n")
    with pytest.raises(ValueError, match="survivors.txt:1: needs"):
        survivors.read(file)


# Processes. --------------------------------------------------------------------------------------------------


def test_a_child_that_hangs_dies_or_raises_is_told_from_one_that_ends():
    def say(send):
        send(1)
        send(2)

    def hang(send):
        send(1)
        time.sleep(60)

    def die(send):
        os.kill(os.getpid(), signal.SIGSEGV)

    def fail(send):
        raise KeyError("words")

    assert forks.in_child(say, 5).messages == [1, 2]
    assert forks.in_child(say, 5).ending == ""
    answers = forks.in_child(hang, 0.2)
    assert (answers.messages, answers.ending) == ([1], "no answer in 0.2 s")
    assert forks.in_child(die, 5).ending == "SIGSEGV"
    assert "KeyError: 'words'" in forks.in_child(fail, 5).ending


def test_what_was_recorded_is_not_recorded_again(good, tmp_path):
    pool, recording = good
    file = tmp_path / "recording"
    first = record(pool, file)
    _record_ops(pool, first, file)
    # The last line is cut short, as where a process is killed.
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-1]) + lines[-1][:20])
    asked = []

    class Asked(Pool):
        def __init__(self):
            self.ready = pool.ready

        def map(self, work, items):
            asked.extend(items)
            return pool.map(work, items)

    again = record(Asked(), file)
    assert len(lines) == len(_OPS) + 1
    assert asked == []
    assert [again.knows(op) for op in _OPS] == [True, False]
    _record_ops(Asked(), again, file)
    assert asked == _OPS
    assert again.facts == first.facts == recording.facts
    assert set(again.tests) == set(first.tests) == set(recording.tests)


def test_words_choose_the_files_of_tests(monkeypatch, tmp_path):
    monkeypatch.setattr(command, "_ROOT", tmp_path)
    for name in ("array/pad_op", "array/mirror_pad_op", "nn/relu_op"):
        file = tmp_path / f"python/kernel_tests/{name}_test.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    (tmp_path / "python/cluster_tests").mkdir()
    (tmp_path / "python/cluster_tests/pad_op_test.py").touch()
    assert len(command.test_files()) == 3
    pads = [f.name for f in command.test_files(["/pad_op", "mirror"])]
    assert pads == ["mirror_pad_op_test.py", "pad_op_test.py"]
    assert command.test_files(["no_such"]) == []


def test_results_are_kept_in_files(tmp_path):
    file = tmp_path / "results"
    assert report.read_results(file) == []
    results = [_result(TESTS, SURVIVED), OpResult("Other", [], "shape: wrong")]
    for result in results:
        report.add_result(result, file)
    with file.open("a") as out:
        out.write('{"op": "Cut", "verd')
    assert report.read_results(file) == results
