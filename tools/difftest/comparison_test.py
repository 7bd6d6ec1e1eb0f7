# SPDX-License-Identifier: Apache-2.0
"""A comparison counts correctly and sees faults: it runs the library beside itself, and beside itself made wrong."""

import pathlib

import numpy as np
import pytest

from tensorwright.tools.difftest import programs, table, unreached
from tensorwright.tools.difftest.comparison import Comparison
from tensorwright.tools.opcheck import signature as sig, wire
from tensorwright.tools.opcheck.processes import OURS, Worker
from tensorwright.tools.opcheck.signature import Signature


class Mirror:
    """A ProcessPair whose peer is the library itself; `ours` and `theirs` may change its answers."""

    def __init__(self):
        file = str(pathlib.Path(programs.__file__).resolve())
        self.worker = Worker(OURS, loads=(file,), timeout=60)
        self.leave()

    def leave(self):
        self.ours = self.theirs = lambda answer: answer

    def peer_attrs(self, op):
        return set(Signature(op).attrs)

    def peer_kernels(self, op):
        return Signature(op).kernels

    def _run(self, graphs):
        if graphs:
            self.worker.post("run_each", graphs=graphs)
        return self.worker.run_each(graphs)

    def both(self, mine, its):
        ours = [self.ours(a) for a in self._run(mine)]
        return ours, [self.theirs(a) for a in self._run(its)]

    def peer_alone(self, graph):
        return self._run([graph])[0]

    def peer_anew(self, graph):
        return self.peer_alone(graph)


@pytest.fixture(scope="module")
def worker():
    mirror = Mirror()
    yield mirror
    mirror.worker.close()


@pytest.fixture
def mirror(worker):
    worker.leave()
    return worker


def _compare(mirror, op, draws=20):
    return Comparison(op, mirror).run([7], draws)


def _changed(key, function):
    """Makes something else of the floats of the values, or the gradients, of each answer."""

    def change(answer):
        for run in answer.get("runs", []):
            if key in run:
                run[key] = [v and _apply(function, v) for v in run[key]]
        return answer

    return change


def _apply(function, data):
    if data[0] not in sig.FLOATS:
        return data
    x = wire.decode(data, sig.numpy_type(data[0]))
    with np.errstate(all="ignore"):
        return wire.encode(function(x).astype(x.dtype), data[0])


def test_what_is_the_same_agrees_and_is_counted(mirror):
    row = _compare(mirror, "MatMul", 40)
    assert (row.draws, row.disagreed, row.explained, row.seconded) == (40, 0, 0, 0)
    assert row.computed and row.gradients and row.refused
    assert row.computed + row.refused == 40
    assert unreached.problems([row]) == []
    assert not table.failed([row])


def test_a_wrong_value_disagrees(mirror):
    mirror.ours = _changed("values", lambda x: x * 3)
    row = _compare(mirror, "Softmax")
    assert row.disagreed and {d.kind for d in row.disagreements} == {"value"}
    assert table.failed([row])
    assert "Softmax: value" in table.summary([row], 1.0)


def test_one_wrong_element_disagrees(mirror):
    def last(x):
        x = x.copy()
        x.reshape(-1)[-1:] += 1
        return x

    mirror.ours = _changed("values", last)
    assert _compare(mirror, "Sigmoid").disagreed


@pytest.mark.parametrize(("seconds", "apart"), [(30, False), (3600, True)])
def test_clocks_may_be_read_half_a_minute_apart(mirror, seconds, apart):
    mirror.ours = _changed("values", lambda x: x - seconds)
    assert bool(_compare(mirror, "Timestamp").disagreed) == apart


@pytest.mark.parametrize(
    "op", ["Tanh", "Switch", "Enter", "TensorArrayReadV3", "TensorArrayWriteV2"]
)
def test_a_wrong_gradient_disagrees(mirror, op):
    assert not _compare(mirror, op).disagreements
    mirror.ours = _changed("grads", lambda x: x * 3)
    row = _compare(mirror, op)
    assert row.gradients and {d.kind for d in row.disagreements} == {"gradient"}


def test_a_gradient_that_only_one_has_disagrees(mirror):
    def drop(answer):
        for run in answer.get("runs", []):
            if "grads" in run:
                run["grads"] = [None] * len(run["grads"])
        return answer

    mirror.ours = drop
    row = _compare(mirror, "Tanh")
    assert row.disagreed
    # The row has no compared gradient.
    assert unreached.problems([row]) == ["Tanh: nothing gradient compared"]


def test_another_class_of_error_is_a_column_of_its_own(mirror):
    def other(answer):
        for where in (answer, *answer.get("runs", [])):
            if "error" in where:
                where["error"] = ("InternalError", where["error"][1])
        return answer

    mirror.ours = other
    row = _compare(mirror, "MatMul", 40)
    assert row.refused == 0
    assert row.refused_otherwise == row.disagreed > 0


def test_a_death_that_does_not_repeat_is_none_of_the_call(mirror):
    """The process may have been spoilt by an earlier call: it is asked again, in a new one."""
    mirror.theirs = lambda answer: {"died": "SIGABRT"}
    row = _compare(mirror, "Tanh")
    assert row.computed and not row.disagreements
    mirror.peer_anew = lambda graph: {"died": "SIGABRT"}
    row = _compare(mirror, "Tanh")
    del mirror.peer_anew
    assert {d.kind for d in row.disagreements} == {"peer died"}


def test_an_op_that_never_ran_on_both_sides_is_listed(mirror):
    mirror.ours = lambda answer: {"error": ("InvalidArgumentError", "never")}
    row = _compare(mirror, "ReluGrad")
    assert row.computed == 0
    assert "ReluGrad: nothing computed by both" in unreached.problems([row])
    assert "ReluGrad: nothing computed by both" in table.summary([row], 1.0)


def test_an_exemption_that_is_not_needed_is_listed(mirror, monkeypatch):
    monkeypatch.setitem(
        unreached.EXEMPT, "Tanh", {unreached.GRADIENT: "of no reason at all"}
    )
    row = _compare(mirror, "Tanh")
    assert unreached.problems([row]) == [
        "Tanh: exempt from 'gradient compared', which was reached"
    ]


def test_second_looks_are_counted_and_shown(mirror):
    """The peer's halves are rounded to few bits; the referee, which is not, finds ours right."""

    def rough(answer):
        for run in answer.get("runs", []):
            run["values"] = [
                _apply(lambda x: x * 1.02, v) if v[0] == sig.HALF else v
                for v in run.get("values", [])
            ]
        return answer

    mirror.theirs = rough
    row = _compare(mirror, "Cumsum", 120)
    assert row.seconded and not row.disagreements
    text = table.summary([row], 1.0)
    assert f"{len(row.second_looks)} second looks:" in text
    assert f"(--seed {row.second_looks[0].seed})" in text


def test_the_table_has_a_cell_for_each_column(mirror):
    row = _compare(mirror, "Tanh")
    titles = "op draws by both compared alike otherwise explained looks disagreed"
    assert table.HEADER.splitlines()[1].split() == titles.split()
    assert len(table.line(row).split()) == 9


def test_errors_of_unseen_draws_do_not_count(mirror):
    mirror.ours = _changed("values", lambda x: x + 1)
    assert table.miscomputed([_compare(mirror, "MatMul")])
    mirror.leave()
    mirror.ours = lambda answer: {"error": ["InternalError", "no"]}
    row = _compare(mirror, "MatMul")
    assert row.disagreements and table.failed([row])
    assert not table.miscomputed([row])


def test_parts_hold_every_name_once():
    names = [str(i) for i in range(10)]
    parts = [sig.part_of(names, f"{i}/3") for i in (1, 2, 3)]
    assert sorted(sum(parts, [])) == names
    assert sig.part_of(names, "1/1") == names
    with pytest.raises(ValueError, match="I/N"):
        sig.part_of(names, "4/3")
