# SPDX-License-Identifier: Apache-2.0
"""A bidirectional recurrent network tags words of sentences of different lengths; padding counts for nothing."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(4)
lengths_of = np.array([5, 3, 6, 2, 4, 6, 1, 5])
words_of = np.zeros([8, 6], np.int32)
tags_of = np.zeros([8, 6], np.int32)
for row, size in enumerate(lengths_of):
    words_of[row, :size] = rng.randint(1, 9, size)
    following = np.append(words_of[row, 1:size], 0)
    tags_of[row, :size] = (words_of[row, :size] > following).astype(int)

words = tf.placeholder(tf.int32, [None, None])
lengths = tf.placeholder(tf.int32, [None])
tags = tf.placeholder(tf.int32, [None, None])
uniform = tf.random_uniform_initializer(-0.5, 0.5, seed=6)
embedding = tf.get_variable("embedding", [9, 5], initializer=uniform)
inputs = tf.nn.embedding_lookup(embedding, words)
(forward, backward), (end_fw, end_bw) = tf.nn.bidirectional_dynamic_rnn(
    tf.nn.rnn_cell.LSTMCell(6, use_peepholes=True, initializer=uniform),
    tf.nn.rnn_cell.LSTMCell(6, num_proj=4, cell_clip=3.0, initializer=uniform),
    inputs,
    sequence_length=lengths,
    dtype=tf.float32,
)
both = tf.concat([forward, backward], 2)
w = tf.get_variable("w", [10, 2], initializer=uniform)
logits = tf.tensordot(both, w, [[2], [0]])
mask = tf.sequence_mask(lengths, tf.shape(words)[1], dtype=tf.float32)
losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=tags, logits=logits)
loss = tf.reduce_sum(losses * mask) / tf.reduce_sum(mask)
step = tf.train.AdamOptimizer(0.05).minimize(loss)
best = tf.argmax(logits, 2, output_type=tf.int32)
right = tf.reduce_sum(tf.cast(tf.equal(best, tags), tf.float32) * mask)
reverse = tf.reverse_sequence(words, lengths, seq_axis=1)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    feeds = {words: words_of, lengths: lengths_of, tags: tags_of}
    for i in range(25):
        value, _ = session.run([loss, step], feeds)
        if i % 6 == 0:
            print("loss", i, value)
    outputs, a, b = session.run([both, end_fw, end_bw], feeds)
    print("padding", np.abs(outputs[1, 3:]).max())
    print("last", np.abs(outputs[2, 5, :6] - a.h[2]).max(), "c", *a.c[2][:2])
    print("first", np.abs(outputs[2, 0, 6:] - b.h[2]).max(), "c", *b.c[2][:2])
    print("reversed", *session.run(reverse, feeds)[1])
    print("right", session.run(right, feeds) > 0.8 * lengths_of.sum())
