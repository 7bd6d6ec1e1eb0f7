# SPDX-License-Identifier: Apache-2.0
"""Objects that threads share: accumulators, staging areas, barriers, priority and padding queues, a condition."""

import threading

import numpy as np
import tensorflow as tf

v = tf.Variable([1.0, 2.0, 3.0], name="v")
loss = tf.reduce_sum(v**2)
step = tf.train.get_or_create_global_step()
optimizer = tf.train.GradientDescentOptimizer(0.1)
[(gradient, _)] = optimizer.compute_gradients(loss, [v])
scale = tf.placeholder_with_default(1.0, [])
dense = tf.ConditionalAccumulator(tf.float32, shape=[3], shared_name="dense")
add = dense.apply_grad(gradient * scale, local_step=step)
train = optimizer.apply_gradients([(dense.take_grad(3), v)], step)
advance = dense.set_global_step(step)
sparse = tf.SparseConditionalAccumulator(tf.float32, shape=[5, 2])
slices = tf.IndexedSlices(
    tf.ones([2, 2]), tf.constant([1, 3], tf.int64), tf.constant([5, 2], tf.int64)
)
add_sparse = sparse.apply_indexed_slices_grad(slices)
taken = sparse.take_indexed_slices_grad(2)

priority = tf.PriorityQueue(10, [tf.string], [[]])
fill = priority.enqueue_many([[5, 1, 3], ["five", "one", "three"]])
padding = tf.PaddingFIFOQueue(10, [tf.int32], [[None]])
one, two = padding.enqueue([[1, 2, 3]]), padding.enqueue([[4]])
shuffling = tf.RandomShuffleQueue(20, 2, [tf.int32], [[]], seed=6)
mix = shuffling.enqueue_many([tf.range(8)])
barrier = tf.queue.FIFOQueue(4, tf.int64, [[]])
limited = barrier.enqueue_many([np.arange(9, dtype=np.int64)])
some = barrier.dequeue_up_to(3)

area = tf.FIFOQueue(1, [tf.float32, tf.int32], names=["x", "y"], shapes=[[], []])
put = area.enqueue({"x": tf.constant(1.5), "y": tf.constant(7)})
got = area.dequeue()

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for i in range(3):
        threads = [
            threading.Thread(target=session.run, args=(add, {scale: float(s)}))
            for s in (1, 2, 3)
        ]
        for thread in threads:
            thread.start()
        session.run(train)
        for thread in threads:
            thread.join()
        session.run(advance)
        print(
            "step",
            session.run(step),
            *session.run(v),
            session.run(dense.num_accumulated()),
        )
    for _ in range(2):
        session.run(add_sparse)
    found = session.run(taken)
    print("sparse", *found.indices, *found.values.ravel())
    session.run(fill)
    print("priority", *[session.run(priority.dequeue())[1].decode() for _ in range(3)])
    session.run([one])
    session.run([two])
    print("padded", *session.run(padding.dequeue_many(2)).ravel())
    session.run(mix)
    drawn = session.run(shuffling.dequeue_many(6))
    print(
        "shuffled",
        *sorted(drawn.tolist())[:1],
        len(set(drawn.tolist())),
        session.run(shuffling.size()),
    )
    filler = threading.Thread(target=session.run, args=(limited,))
    filler.start()
    seen = []
    while len(seen) < 9:
        seen.extend(session.run(some).tolist())
    filler.join()
    print("limited", *seen)
    session.run(put)
    print("named", *[value for _, value in sorted(session.run(got).items())])
    session.run(area.close(cancel_pending_enqueues=True))
    try:
        session.run(put)
    except tf.errors.CancelledError:
        print("closed", session.run(area.is_closed()))
    except tf.errors.AbortedError:
        print("aborted")
