# SPDX-License-Identifier: Apache-2.0
"""OpenNMT-tf 1.25: the README's use as a library: a self-attentional encoder and a decoder that learns."""

import numpy as np
import opennmt as onmt
import tensorflow as tf

tf.set_random_seed(1)
# A batch of input sequences.
random = np.random.RandomState(1)
inputs = tf.constant(random.rand(3, 6, 16).astype(np.float32))
sequence_length = tf.constant([4, 6, 5], dtype=tf.int32)
encoder = onmt.encoders.SelfAttentionEncoder(
    num_layers=2, num_units=16, num_heads=4, ffn_inner_dim=32
)
outputs, _, lengths = encoder.encode(
    inputs, sequence_length=sequence_length, mode=tf.estimator.ModeKeys.TRAIN
)
# The targets that a recurrent decoder learns to write.
ids = tf.constant(random.randint(3, 12, size=(3, 5)).astype(np.int32))
decoder = onmt.decoders.AttentionalRNNDecoder(num_layers=1, num_units=16)
table = tf.get_variable("targets", [12, 16])
logits, _, _ = decoder.decode(
    tf.nn.embedding_lookup(table, ids),
    tf.constant([5, 5, 5]),
    vocab_size=12,
    mode=tf.estimator.ModeKeys.TRAIN,
    memory=outputs,
    memory_sequence_length=lengths,
)
loss, normalizer, _ = onmt.utils.losses.cross_entropy_sequence_loss(
    logits, ids, tf.constant([5, 5, 5])
)
loss /= normalizer
train_op = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    assert sess.run(outputs).shape == (3, 6, 16)
    assert sess.run(logits).shape == (3, 5, 12)
    losses = [sess.run([loss, train_op])[0] for _ in range(60)]
assert losses[-1] < 0.5 * losses[0], (losses[0], losses[-1])
