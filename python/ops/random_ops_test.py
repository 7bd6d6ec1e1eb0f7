# SPDX-License-Identifier: Apache-2.0
"""Random ops without a seed of their own: theirs is the count of the graph's operations, as in TensorFlow 1.x."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _op_seeds():
    return [
        op.get_attr("seed2")
        for op in tf.get_default_graph().get_operations()
        if op.type in ("RandomStandardNormal", "TruncatedNormal", "RandomUniform")
    ]


# The shape and two parameters are constants of the graph before the seed is taken.
@pytest.mark.parametrize(
    "draw", [tf.random_normal, tf.truncated_normal, tf.random_uniform]
)
def test_the_seed_counts_the_constants_of_the_arguments(draw):
    tf.set_random_seed(1)
    draw([2])
    first = len(tf.get_default_graph().get_operations())
    draw([2])
    assert _op_seeds() == [3, first + 3]


# The numbers that TensorFlow's functions give by the rule of 1.x.
@pytest.mark.parametrize(
    ("initializer", "seeds"),
    [
        (tf.random_normal_initializer, [3, 12]),
        (tf.truncated_normal_initializer, [3, 12]),
        (tf.glorot_normal_initializer, [3, 12]),
        (tf.random_uniform_initializer, [3, 13]),
        (tf.glorot_uniform_initializer, [3, 13]),
    ],
)
def test_the_seeds_of_initializers(initializer, seeds):
    tf.set_random_seed(1)
    for name in "ab":
        tf.get_variable(name, [4, 4], initializer=initializer())
    assert _op_seeds() == seeds


def test_a_seeded_draw_gives_tensorflows_number():
    """TensorFlow 1.x's own test of noise on gradients expects 9.86912; 25 operations come before its noise."""
    tf.set_random_seed(42)
    for _ in range(25):
        tf.no_op()
    noise = tf.truncated_normal([])
    with tf.Session() as session:
        assert 9.5 - session.run(noise) == pytest.approx(9.86912, abs=1e-4)
