# SPDX-License-Identifier: Apache-2.0
"""cluster_faults.py: which scenarios run, which do not, and that the end says so.  The runs themselves are not made here."""

import pathlib
import sys

import pytest

# The program imports the files beside it as a script does.
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import cluster_faults  # noqa: E402

CALM = ["--baseline", "0", "--mode", "sync"]


@pytest.fixture
def ran(monkeypatch):
    """The scenarios that were run, by name; the machine has no netem, and all others go well."""
    made = []
    known = cluster_faults.scenarios(1)
    names = {id(scenario): name for name, scenario in known.items()}
    monkeypatch.setattr(cluster_faults, "scenarios", lambda kills: known)

    def run_scenario(scenario, args, mode, seed):
        name = names[id(scenario)]
        if name == "poor_network":
            raise cluster_faults.LeftOut("the kernel has no netem")
        made.append(name)
        loss = 9.0 if name == "slow_worker" and args.runs == 7 else 0.013
        return cluster_faults.Result(loss=loss, step=cluster_faults.STEPS, seconds=1)

    monkeypatch.setattr(cluster_faults, "run_scenario", run_scenario)
    return made


def test_what_the_machine_cannot_do_fails(ran, capsys):
    assert cluster_faults.main(CALM) == 1
    out = capsys.readouterr().out
    assert "sync poor_network: FAILED, this machine cannot do it: the kernel" in out
    assert "left out: sync poor_network, the kernel has no netem" in out
    assert out.endswith("5 disturbed runs, 0 processes died, 1 failed, 1 left out\n")
    assert len(ran) == 5 and "poor_network" not in ran


def test_what_is_left_out_by_name_and_reason_is_listed_and_does_not_fail(ran, capsys):
    assert cluster_faults.main([*CALM, "--leave-out", "poor_network=no netem"]) == 0
    out = capsys.readouterr().out
    assert "left out: sync poor_network, as asked: no netem" in out
    assert out.endswith("0 failed, 1 left out\n") and len(ran) == 5


def test_scenarios_that_were_not_chosen_are_listed(ran, capsys):
    assert cluster_faults.main([*CALM, "--only", "kill_ps", "--only", "full_disk"]) == 0
    assert ran == ["kill_ps", "full_disk"]
    out = capsys.readouterr().out
    assert "not chosen: kill_workers, slow_worker, cut_network, poor_network\n" in out
    assert "left out:" not in out


def test_a_loss_that_is_too_high_fails(ran, capsys):
    assert cluster_faults.main([*CALM, "--only", "slow_worker", "--runs", "7"]) == 1
    assert "7 failed, 0 left out" in capsys.readouterr().out


def test_scenarios_that_need_root_are_left_out_by_others(monkeypatch):
    monkeypatch.setattr(cluster_faults.os, "geteuid", lambda: 1000)
    args, chosen = cluster_faults.parse(["--only", "full_disk"])
    with pytest.raises(cluster_faults.LeftOut, match="needs root"):
        cluster_faults.run_scenario(chosen["full_disk"], args, "sync", 0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--leave-out", "full_disk"], "expected NAME=REASON"),
        (["--leave-out", "full_disk= "], "expected NAME=REASON"),
        (["--leave-out", "disk=none"], "no scenario is called 'disk'"),
        (["--only", "disk"], "no scenario is called 'disk'"),
    ],
)
def test_names_and_reasons_are_needed(arguments, words, capsys):
    with pytest.raises(SystemExit) as ended:
        cluster_faults.main(arguments)
    assert ended.value.code == 2 and words in capsys.readouterr().err
