# SPDX-License-Identifier: Apache-2.0
"""A model that watches itself: assertions, finite numbers, static shapes, printed tensors, errors that name their op."""

import sys

import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 3], name="x")
n = tf.placeholder(tf.int32, [], name="n")
checks = {
    "positive": tf.assert_positive(x, message="x must be more"),
    "less": tf.assert_less(n, 5, data=[n], summarize=2),
    "equal": tf.assert_equal(tf.shape(x)[0], n),
    "rank": tf.assert_rank_in(x, [2, 3]),
    "whole": tf.assert_integer(n),
    "near": tf.assert_near(tf.reduce_sum(x), 6.0, atol=1.0),
    "none": tf.assert_none_equal(x, 9.0),
}
with tf.control_dependencies(list(checks.values())):
    safe = tf.log(x, name="safe")
finite = tf.check_numerics(1.0 / (x - 1.0), "division")
verified = tf.verify_tensor_all_finite(tf.sqrt(x - 2.0), "roots")
printed = tf.Print(x, [n, tf.shape(x)], "seen: ", first_n=1)
told = tf.print("n is", n, output_stream=sys.stderr)
exact = tf.ensure_shape(x, [2, 3])


def attempt(session, name, value, feeds):
    """Prints a run's values, or the key words of its error."""
    try:
        print(name, *np.ravel(session.run(value, feeds)))
    except tf.errors.InvalidArgumentError as error:
        known = (
            "x must be more",
            "not less",
            "not equal",
            "division",
            "roots",
            "Inf",
            "NaN",
            "assertion failed",
            "is not compatible",
        )
        print(name, type(error).__name__, *[k for k in known if k in error.message])


def refused(name, build):
    try:
        build()
    except (ValueError, TypeError, tf.errors.InvalidArgumentError) as error:
        print(name, type(error).__name__)


good = {x: [[1.5, 2.0, 3.0]], n: 1}
with tf.Session() as session:
    attempt(session, "good", safe, good)
    attempt(session, "negative", safe, {x: [[-1, 4, 3]], n: 1})
    attempt(session, "large", safe, {x: [[1, 2, 3]] * 7, n: 7})
    attempt(session, "count", checks["equal"], {x: [[1, 2, 3]], n: 2})
    attempt(session, "far", checks["near"], {x: [[5, 5, 5]], n: 1})
    attempt(session, "division", finite, {x: [[1, 2, 3]]})
    attempt(session, "roots", verified, {x: [[1, 2, 3]]})
    attempt(session, "shape", exact, {x: [[1, 2, 3]]})
    attempt(session, "right shape", exact, {x: [[1, 2, 3]] * 2})
    session.run(told, {n: 3})
    attempt(session, "printed", printed, good)
    try:
        session.run(tf.gather([1.0, 2.0], n, name="pick"), {n: 4})
    except tf.errors.InvalidArgumentError as error:
        print("named", error.op.name, error.error_code == tf.errors.INVALID_ARGUMENT)
    try:
        session.run(tf.reshape(x, tf.fill([n], 2), name="fold"), good)
    except tf.errors.InvalidArgumentError as error:
        print("named", error.node_def.name, error.op.type)

refused("fold", lambda: tf.reshape(x, [4]))
refused("static", lambda: tf.assert_equal(1, 2))
refused("ranks", lambda: tf.assert_rank(tf.zeros([2]), 3))
refused("matmul", lambda: tf.matmul(tf.zeros([2, 3]), tf.zeros([4, 5])))
refused("types", lambda: tf.add(tf.constant(1), tf.constant(1.0)))
refused("broadcast", lambda: tf.zeros([2, 3]) + tf.zeros([4]))
refused("twice", lambda: [tf.get_variable("same", [1]) for _ in range(2)])
refused("string", lambda: tf.nn.relu("text"))
refused("bool", lambda: bool(x))
refused("iterate", lambda: list(tf.placeholder(tf.float32)))
refused("concat", lambda: tf.concat([tf.zeros([2, 2]), tf.zeros([3])], 0))
print("static", tf.is_numeric_tensor(x), tf.is_non_decreasing([1, 2]).dtype.name)
print(
    "shape",
    x.shape.as_list(),
    x.shape.merge_with([4, None]),
    tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([5])),
)
