# SPDX-License-Identifier: Apache-2.0
"""Ratings factored into users and films: partitioned embeddings, biases, segments, an average for unseen films."""

import numpy as np
import tensorflow as tf

USERS, FILMS = 11, 7
rng = np.random.RandomState(15)
seen = np.argwhere(rng.uniform(size=[USERS, FILMS]) < 0.5)
likes = rng.normal(size=[USERS, 2]) @ rng.normal(size=[2, FILMS])
ratings = np.clip(3 + likes[tuple(seen.T)], 1, 5).astype(np.float32)

with tf.variable_scope("factors", partitioner=tf.fixed_size_partitioner(3)):
    users = tf.get_variable(
        "users", [USERS, 4], initializer=tf.random_normal_initializer(0, 0.3, seed=1)
    )
    films = tf.get_variable(
        "films", [FILMS, 4], initializer=tf.random_normal_initializer(0, 0.3, seed=2)
    )
user_bias = tf.get_variable("user_bias", [USERS], initializer=tf.zeros_initializer())
film_bias = tf.get_variable("film_bias", [FILMS], initializer=tf.zeros_initializer())
mean = tf.constant(ratings.mean())

u = tf.placeholder(tf.int32, [None])
f = tf.placeholder(tf.int32, [None])
r = tf.placeholder(tf.float32, [None])
mine = tf.nn.embedding_lookup(users, u, partition_strategy="div")
theirs = tf.nn.embedding_lookup(films, f, partition_strategy="div")
guess = (
    tf.reduce_sum(mine * theirs, 1)
    + tf.gather(user_bias, u)
    + tf.gather(film_bias, f)
    + mean
)
error = tf.reduce_mean(tf.squared_difference(guess, r))
decay = tf.nn.l2_loss(mine) + tf.nn.l2_loss(theirs)
step = tf.train.AdagradOptimizer(0.3).minimize(error + 0.005 * decay)
count = tf.unsorted_segment_sum(tf.ones_like(r), f, FILMS)
average = tf.div_no_nan(tf.unsorted_segment_sum(r, f, FILMS), count)
best, which = tf.nn.top_k(
    tf.tensordot(
        tf.convert_to_tensor(users), tf.transpose(tf.convert_to_tensor(films)), 1
    )
    + film_bias,
    2,
)
print("parts", *[p.shape[0] for p in users], *[p.op.name for p in films])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    order = rng.permutation(len(seen))
    for epoch in range(12):
        for batch in np.array_split(order, 4):
            feeds = {u: seen[batch, 0], f: seen[batch, 1], r: ratings[batch]}
            session.run(step, feeds)
        if epoch % 3 == 0:
            feeds = {u: seen[:, 0], f: seen[:, 1], r: ratings}
            print("epoch", epoch, "error", session.run(error, feeds))
    print("averages", *session.run(average, feeds))
    print("best", *session.run(best).ravel()[:6])
