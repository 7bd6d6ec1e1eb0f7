# SPDX-License-Identifier: Apache-2.0
"""Mutants of kernels that only have an effect, and of checks of kernels whose output may have any rank."""

import textwrap

import pytest

from tensorwright.tools.mutate.campaign import OPCHECK, TESTS, Campaign, Pool, record
from tensorwright.tools.mutate.kinds import Mutant

# QueueEnqueueV2 is an asynchronous kernel, AssignVariableOp is none.
_TESTED = """
    import numpy as np
    import pytest
    import tensorwright as tf

    @pytest.fixture(autouse=True)
    def session():
        with tf.Graph().as_default(), tf.Session() as session:
            yield session

    def test_a_queue_gives_what_it_got(session):
        queue = tf.FIFOQueue(2, [tf.float32, tf.int32], [[2], []])
        session.run(queue.enqueue([[1.0, 2.0], 3]))
        row, number = session.run(queue.dequeue())
        assert (row.tolist(), number) == ([1, 2], 3)

    def test_a_variable_has_what_it_was_given(session):
        v = tf.Variable([1.0, 2.0], use_resource=True)
        session.run(v.initializer)
        assert session.run(v).tolist() == [1, 2]

    def test_what_is_no_tensor_is_refused(session, tmp_path):
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(tf.parse_tensor("junk", tf.int32))

    def test_a_file_without_records_is_refused(session, tmp_path):
        (tmp_path / "empty").write_bytes(b"")
        records = tf.raw_ops.RecordInput(file_pattern=str(tmp_path / "empty"))
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(records)

    def test_what_no_handle_is_of_cannot_be_deleted(session):
        for handle in ("one", "of two"):
            deleter = tf.raw_ops.DeleteSessionTensor(handle=handle)
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(deleter)
"""


@pytest.fixture(scope="module")
def tested(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tested")
    (folder / "ops_test.py").write_text(textwrap.dedent(_TESTED))
    pool = Pool(folder, [folder / "ops_test.py"], 1)
    recording = record(pool)
    assert not recording.left_out
    yield pool, recording
    pool.close()


def _caught(tested, op, mutants):
    pool, recording = tested
    campaign = Campaign(recording)
    (result,) = pool.map(
        lambda server, m: campaign.run_mutants(server, op, m), [mutants]
    )
    assert not result.fails_without
    return [v.by for v in result.verdicts]


@pytest.mark.parametrize("op", ["QueueEnqueueV2", "AssignVariableOp"])
def test_what_a_kernel_writes_elsewhere_is_made_wrong(tested, op):
    assert (
        _caught(tested, op, [Mutant(op, "element", n) for n in (0, 1)]) == [TESTS] * 2
    )


@pytest.mark.parametrize("op", ["ParseTensor", "RecordInput", "DeleteSessionTensor"])
def test_a_check_is_taken_away_whatever_the_rank_and_the_file(tested, op):
    _, recording = tested
    (rule,) = recording.facts[op].rules
    for word in ("tmp", "pytest", "one", "two"):
        assert word not in rule
    (by,) = _caught(tested, op, [Mutant(op, "check", 0, rule)])
    assert by in (OPCHECK, TESTS)
