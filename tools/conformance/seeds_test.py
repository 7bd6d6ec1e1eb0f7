# SPDX-License-Identifier: Apache-2.0
"""Functions that draw take TensorFlow's op seeds in a graph with a seed."""

import pytest

import tensorwright as tf
from tensorwright.tools.conformance import seeds


@pytest.mark.parametrize("draw", seeds.read(), ids=lambda draw: draw.expression)
def test_the_op_seeds_are_those_of_tensorflow(draw):
    assert seeds.taken(tf, draw.expression) == (draw.ours or draw.expected)


def test_a_difference_has_a_reason():
    for draw in seeds.read():
        assert bool(draw.ours) == bool(draw.reason), draw.expression
        assert draw.ours != draw.expected, draw.expression


def test_an_operation_before_the_draw_changes_the_seed():
    alone = seeds.taken(tf, "tf.random_normal([2])")
    assert alone == "RandomStandardNormal 3"
    assert seeds.taken(tf, "(tf.no_op(), tf.random_normal([2]))") != alone
