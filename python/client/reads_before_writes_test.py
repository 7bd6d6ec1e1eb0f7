# SPDX-License-Identifier: Apache-2.0
"""Updates in one run that use each other's variables: all read before one writes."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

_STEPS = 20


def _equations(x, y, z):
    """A system of differential equations, one step of Euler's method."""
    return x + 0.1 * (y * z), y - 0.1 * (x * z), z + 0.1 * (x * y)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("threads", [1, 2])
def test_a_group_of_assignments_is_one_step_of_a_system(resource, order, threads):
    start = (1.0, 0.0, 2.0)
    state = [tf.Variable(v, use_resource=resource) for v in start]
    updates = [v.assign(new) for v, new in zip(state, _equations(*state), strict=True)]
    step = tf.group(*updates[::order])
    expected = start
    for _ in range(_STEPS):
        expected = _equations(*expected)
    config = tf.ConfigProto(inter_op_parallelism_threads=threads)
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(_STEPS):
            session.run(step)
        np.testing.assert_allclose(session.run(state), expected, rtol=1e-5)


@pytest.mark.parametrize("resource", [False, True])
def test_products_that_run_in_parallel_see_the_old_values(resource):
    size = 200
    a, b = (
        tf.Variable(tf.eye(size) * scale, use_resource=resource) for scale in (2.0, 3.0)
    )
    step = tf.group(a.assign(tf.matmul(b, a) + b), b.assign(tf.matmul(a, b) - a))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        got = session.run([a[0, 0], b[0, 0]])
    assert got == [9, 4]


def test_an_update_and_a_fetch_of_what_is_computed_from_the_variable():
    x = tf.Variable(1.0)
    double, up = x * 2.0, x.assign_add(10.0)
    with tf.control_dependencies([up]):
        after = x.read_value() * 2.0
    with tf.Session() as session:
        session.run(x.initializer)
        assert session.run([up.op, double, after])[1:] == [2, 22]


def test_a_run_may_wait_for_a_queue_that_an_update_fills():
    x = tf.Variable(1.0)
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    fill = queue.enqueue(tf.identity(x.assign_add(1.0)))
    late = x * queue.dequeue()
    with tf.Session() as session:
        session.run(x.initializer)
        assert session.run([fill, late])[1] == 4
