# SPDX-License-Identifier: Apache-2.0
"""The time for which a driver waits for a worker, and the facts it learns about its death."""

import itertools
import pickle
import sys

import pytest

from tensorwright.tools.opcheck.processes import OURS, Died, Worker, answers_in_time


def _waits(answers, seconds_each):
    """(whether it answers, waits): in the waits there are these answers, and so much of the processor is used in each."""
    asked = []

    def wait(seconds):
        asked.append(seconds)
        return next(answers)

    found = answers_in_time(wait, lambda: len(asked) * seconds_each, 20.0)
    return found, len(asked)


def test_a_worker_that_computes_all_the_time_has_its_time_once():
    assert _waits(itertools.repeat(False), 20.0) == (False, 1)


def test_a_worker_that_waits_for_something_has_its_time_once():
    assert _waits(itertools.repeat(False), 0.0) == (False, 1)


def test_a_worker_that_gets_little_of_the_processor_has_more_time():
    assert _waits(iter([False, False, True]), 2.0) == (True, 3)
    found, waits = _waits(itertools.repeat(False), 2.0)
    assert not found and waits == 5  # Half of its time has been the processor's.
    assert not _waits(itertools.repeat(False), 0.1)[0]  # And this ends, too.


def test_a_death_can_be_sent_to_another_process():
    death = pickle.loads(pickle.dumps(Died("SIGSEGV", "its last words")))
    assert (death.how, death.said, str(death)) == (
        "SIGSEGV",
        "its last words",
        "SIGSEGV",
    )


def test_a_worker_that_is_killed_is_noticed_and_one_takes_its_place():
    worker = Worker(OURS, sys.executable, timeout=30)
    try:
        names = worker.ask("ops")
        pid = worker._process.pid
        worker.post("ops")
        worker._process.kill()
        with pytest.raises(Died, match="SIGKILL"):
            worker.collect()
            worker.collect()
        assert worker.ask("ops") == names
        assert worker._process.pid != pid
    finally:
        worker.close()
