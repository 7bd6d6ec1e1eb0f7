# SPDX-License-Identifier: Apache-2.0
"""Metrics of a process."""

import pytest

from tensorwright.python.eager import monitoring


def test_a_counter_has_a_number_for_each_label():
    counter = monitoring.Counter("/test/counter", "Counts.", "color")
    counter.get_cell("red").increase_by(2)
    counter.get_cell("red").increase_by(3)
    assert counter.get_cell("red").value() == 5
    assert counter.get_cell("blue").value() == 0
    with pytest.raises(ValueError, match="-1"):
        counter.get_cell("red").increase_by(-1)
    with pytest.raises(ValueError, match="expected 1 labels"):
        counter.get_cell()


def test_gauges_keep_what_was_set():
    for kind, value in (
        (monitoring.IntGauge, 3),
        (monitoring.StringGauge, "on"),
        (monitoring.BoolGauge, True),
    ):
        gauge = kind(f"/test/{kind.__name__}", "Is set.")
        assert gauge.get_cell().value() == type(value)()
        gauge.get_cell().set(value)
        assert gauge.get_cell().value() == value


def test_a_sampler_counts_by_buckets():
    sampler = monitoring.Sampler(
        "/test/sampler", monitoring.ExponentialBuckets(1.0, 2.0, 3), "Samples."
    )
    for sample in (0.5, 1.0, 3.0, 9.0):
        sampler.get_cell().add(sample)
    found = sampler.get_cell().value()
    assert found["bounds"] == [1, 2, 4] and found["counts"] == [1, 1, 1, 1]
    assert (found["num"], found["sum"], found["sum_squares"]) == (4, 13.5, 91.25)


def test_a_name_is_had_by_one_metric_at_a_time():
    first = monitoring.Counter("/test/once", "Counts.")
    with pytest.raises(ValueError, match="/test/once"):
        monitoring.Counter("/test/once", "Counts.")
    del first
    monitoring.Counter("/test/once", "Counts.")
