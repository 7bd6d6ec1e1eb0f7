# SPDX-License-Identifier: Apache-2.0
"""Tensor2Tensor: a transformer of its registry, trained as transformer_test trains it, by the library's optimizer."""

import numpy as np
import tensorflow as tf
from tensor2tensor.data_generators import problem_hparams
from tensor2tensor.models import transformer
from tensor2tensor.utils import optimize, registry

tf.set_random_seed(1)
random = np.random.RandomState(1)
assert registry.model("transformer") is transformer.Transformer
hparams = registry.hparams("transformer_tiny")
hparams.hidden_size, hparams.filter_size, hparams.num_heads = 16, 32, 2
hparams.layer_prepostprocess_dropout = 0.0
p_hparams = problem_hparams.test_problem_hparams(9, 9, hparams)
hparams.problem_hparams = p_hparams
inputs = random.randint(1, 9, size=(3, 5, 1, 1)).astype(np.int32)
features = {
    "inputs": tf.constant(inputs),
    "targets": tf.constant(inputs[:, ::-1].copy()),
    "target_space_id": tf.constant(1, dtype=tf.int32),
}
model = transformer.Transformer(hparams, tf.estimator.ModeKeys.TRAIN, p_hparams)
logits, losses = model(features)
loss = tf.add_n(list(losses.values()))
if not losses:
    loss = 0.0
loss = loss + tf.reduce_mean(
    tf.nn.sparse_softmax_cross_entropy_with_logits(
        logits=tf.reshape(logits, [15, -1]),
        labels=tf.reshape(features["targets"], [15]),
    )
)
tf.train.get_or_create_global_step()
train_op = optimize.optimize(loss, 0.01, hparams)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    assert session.run(logits).shape[:4] == (3, 5, 1, 1)
    found = [session.run([loss, train_op])[0] for _ in range(60)]
assert found[-1] < 0.6 * found[0], (found[0], found[-1])
