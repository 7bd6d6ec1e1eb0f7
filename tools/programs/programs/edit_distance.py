# SPDX-License-Identifier: Apache-2.0
"""Dynamic programs in the graph: edit distances, Viterbi paths, the forward algorithm, primes, sorting networks."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(24)


def distance(a, b):
    """The edit distance of two vectors, a row of the table a step."""
    first = tf.range(tf.size(b) + 1)

    def row(before, letter):
        changed = before[:-1] + tf.cast(tf.not_equal(b, letter), tf.int32)
        best = tf.minimum(before[1:] + 1, changed)
        start = before[:1] + 1
        return tf.scan(
            lambda left, up: tf.minimum(left + 1, up), tf.concat([start, best], 0)
        )

    return tf.foldl(row, a, initializer=first)[-1]


def characters(text):
    return tf.decode_raw(tf.constant(text), tf.uint8)


log_start = tf.log(tf.constant([0.6, 0.3, 0.1]))
log_move = tf.nn.log_softmax(tf.constant(rng.normal(size=[3, 3]).astype(np.float32)))
log_emit = tf.nn.log_softmax(tf.constant(rng.normal(size=[3, 5]).astype(np.float32)))
seen = tf.placeholder(tf.int32, [None])
scores = tf.gather(tf.transpose(log_emit), seen)


def forward(alpha, score):
    return score + tf.reduce_logsumexp(tf.expand_dims(alpha, 1) + log_move, 0)


def viterbi(state, score):
    paths = tf.expand_dims(state[0], 1) + log_move
    return score + tf.reduce_max(paths, 0), tf.argmax(paths, 0, output_type=tf.int32)


start = log_start + scores[0]
evidence = tf.reduce_logsumexp(tf.foldl(forward, scores[1:], initializer=start))
best, back = tf.scan(viterbi, scores[1:], initializer=(start, tf.zeros([3], tf.int32)))
last = tf.argmax(best[-1], output_type=tf.int32)
path = tf.scan(lambda now, pointers: pointers[now], back, last, reverse=True)
posterior = tf.exp(tf.gradients(evidence, scores)[0])
counts = tf.gradients(evidence, log_move)[0]


def sieve(limit):
    def cross(p, kept):
        numbers = tf.range(limit)
        multiple = tf.logical_and(tf.equal(numbers % p, 0), numbers > p)
        return p + 1, tf.logical_and(kept, tf.logical_not(multiple))

    _, kept = tf.while_loop(
        lambda p, _: p * p < limit,
        cross,
        [2, tf.range(limit) > 1],
        parallel_iterations=1,
    )
    return tf.reshape(tf.where(kept), [-1])


def collatz(n):
    def body(n, steps):
        following = tf.case(
            [
                (tf.equal(n % 2, 0), lambda: n // 2),
                (tf.equal(n % 2, 1), lambda: 3 * n + 1),
            ],
            exclusive=True,
        )
        return following, steps + 1

    return tf.while_loop(lambda n, _: n > 1, body, [n, 0])[1]


def power_of_two(x):
    """A loop whose tensor grows."""
    return tf.while_loop(
        lambda v: tf.size(v) < 10,
        lambda v: tf.concat([v, v * 2], 0),
        [x],
        shape_invariants=[tf.TensorShape([None])],
    )


with tf.Session() as session:
    for a, b in (("kitten", "sitting"), ("flaw", "lawn"), ("same", "same")):
        print(a, b, session.run(distance(characters(a), characters(b))))
    at = {seen: [0, 3, 2, 4, 4, 1]}
    print("evidence", session.run(evidence, at))
    print("path", *session.run(path, at), session.run(last, at))
    print("best", session.run(tf.reduce_max(best[-1]), at))
    print("counts", *session.run(counts, at).ravel())
    print("posterior", *session.run(tf.reduce_sum(posterior, 1), at))
    print("primes", *session.run(sieve(40)))
    print("collatz", *session.run(tf.map_fn(collatz, tf.range(1, 10))))
    print("grown", *session.run(power_of_two(tf.constant([1, 3]))))
    print(
        "right", session.run(tf.foldr(lambda total, x: 2 * total + x, tf.range(1, 6)))
    )
