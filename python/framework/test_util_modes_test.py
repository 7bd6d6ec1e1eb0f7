# SPDX-License-Identifier: Apache-2.0
"""Tests that say in which modes they run."""

import unittest

import pytest

import tensorwright as tf
from tensorwright.python.framework import test_util


@test_util.run_all_in_graph_and_eager_modes
class _Methods(test_util.TensorFlowTestCase):
    __test__ = False  # Its methods run by the test below.
    runs = []

    def test_a(self):
        self.runs.append(("a", int(self.evaluate(tf.constant(1) + 1))))

    def helper(self):
        assert tf.get_default_session() is None


class _One(test_util.TensorFlowTestCase):
    __test__ = False  # Its methods run by the test below.
    runs = []

    @test_util.run_in_graph_and_eager_modes(use_gpu=False)
    def test_b(self):
        assert tf.get_default_session() is not None
        self.runs.append(tf.constant(1).graph is tf.get_default_graph())

    @test_util.run_in_graph_and_eager_modes
    def test_c(self):
        self.fail("as it should")


@pytest.mark.parametrize(
    ("case", "name", "passes", "runs"),
    [
        (_Methods, "test_a", True, [("a", 2)]),
        (_One, "test_b", True, [True]),
        (_One, "test_c", False, []),
    ],
)
def test_a_method_runs_once_with_a_session(case, name, passes, runs):
    case.runs.clear()
    result = unittest.TestResult()
    case(name).run(result)
    assert result.wasSuccessful() == passes and not result.errors
    assert case.runs == runs
    _Methods("test_a").helper()


def test_a_class_is_refused_by_the_decorator_of_methods():
    with pytest.raises(
        ValueError, match="run_all_in_graph_and_eager_modes takes a class"
    ):
        test_util.run_in_graph_and_eager_modes(_One)


def test_what_this_build_has_not_is_false():
    assert not test_util.IsMklEnabled() and not test_util.is_xla_enabled()
    assert test_util.InstallStackTraceHandler() is None
