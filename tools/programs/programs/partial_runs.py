# SPDX-License-Identifier: Apache-2.0
"""Sessions: partial runs, handles of tensors that stay, callables, options, containers, interleaved graphs."""

import numpy as np
import tensorflow as tf

a = tf.placeholder(tf.float32, [2], name="a")
b = tf.placeholder(tf.float32, [2], name="b")
double = tf.multiply(a, 2.0, name="double")
mixed = tf.add(double, b, name="mixed")
product = tf.reduce_sum(mixed * a, name="product")

with tf.Session() as session:
    setup = session.partial_run_setup([double, mixed, product], [a, b])
    first = session.partial_run(setup, double, {a: [1, 2]})
    print("first", *first)
    print("second", *session.partial_run(setup, mixed, {b: first + 1}))
    print("third", session.partial_run(setup, product))

    handle = session.run(tf.get_session_handle(double), {a: [3, 4]})
    print("eval", *handle.eval())
    place, there = tf.get_session_tensor(handle.handle, tf.float32)
    print("kept", *session.run(there * 10, {place: handle.handle}))
    handle.delete()

    call = session.make_callable([double, {"m": mixed}], [a, b])
    twice, rest = call(np.ones(2, np.float32), np.zeros(2, np.float32))
    print("called", *twice, *rest["m"])
    nested = session.run(
        {"x": (double, [mixed]), "none": tf.no_op()}, {a: [1, 1], b: [2, 2]}
    )
    print("nested", *nested["x"][0], *nested["x"][1][0], nested["none"])
    print("by name", *session.run("mixed:0", {"a:0": [0, 1], b: [5, 5]}))
    print("inner", *session.run(mixed, {double: [7, 8], b: [0, 0]}))
    print("sparse", *session.run(tf.SparseTensor([[0], [2]], [1.0, 2.0], [3])).values)
    try:
        session.run(mixed, {a: [1, 1]})
    except tf.errors.InvalidArgumentError as error:
        print("refused", "must feed a value for placeholder" in str(error))
    try:
        session.run(mixed, {a: [1, 1, 1], b: [1, 1]})
    except ValueError as error:
        print("refused", "Cannot feed value of shape" in str(error))

config = tf.ConfigProto(allow_soft_placement=True, intra_op_parallelism_threads=1)
config.graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
with tf.Graph().as_default() as graph:
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0, 2.0], name="v")
    update = tf.assign_add(v, [1.0, 1.0])
    with tf.Session(config=config) as session:
        session.run(v.initializer)
        metadata = tf.RunMetadata()
        options = tf.RunOptions(
            trace_level=tf.RunOptions.SOFTWARE_TRACE, timeout_in_ms=20000
        )
        print("updated", *session.run(update, options=options, run_metadata=metadata))
    with tf.Session(graph=graph, config=config) as other:
        try:
            other.run(v)
        except tf.errors.FailedPreconditionError as error:
            print("own state", "ninitialized" in str(error))
    graph.finalize()
    try:
        tf.constant(1)
    except RuntimeError:
        print("finalized", graph.finalized)

interactive = tf.InteractiveSession()
print("interactive", *tf.constant([1, 2]).eval(), mixed.graph is interactive.graph)
with tf.Graph().as_default() as inner:
    with tf.container("box"), tf.Session() as session:
        queue = tf.FIFOQueue(3, [tf.int32], [[]], shared_name="q")
        session.run(queue.enqueue_many([[4, 5]]))
        print("queued", session.run(queue.size()), session.run(queue.dequeue()))
    print("ops", len(inner.get_operations()) > 3, inner is not interactive.graph)
interactive.close()
