# SPDX-License-Identifier: Apache-2.0
"""A network of slim under an arg_scope: repeated layers, end points, slim's losses, training loop and evaluation."""

import tempfile

import numpy as np
import tensorflow as tf

slim = tf.contrib.slim
tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(32)
images = rng.normal(size=[10, 8, 8, 2]).astype(np.float32)
classes = rng.randint(0, 3, 10)


class Cosines(object):
    """An initializer without chance."""

    def __call__(self, shape, dtype=tf.float32, partition_info=None):
        numbers = np.cos(np.arange(np.prod(shape))).reshape(shape)
        return tf.constant(0.3 * numbers, dtype)


def scope(decay):
    with slim.arg_scope(
        [slim.conv2d, slim.fully_connected],
        weights_initializer=Cosines(),
        weights_regularizer=slim.l2_regularizer(decay),
        activation_fn=tf.nn.elu,
    ):
        with slim.arg_scope([slim.conv2d], padding="SAME") as found:
            return found


def network(inputs):
    with tf.variable_scope("net", values=[inputs]) as sc:
        points = sc.original_name_scope + "_points"
        with slim.arg_scope([slim.conv2d, slim.max_pool2d], outputs_collections=points):
            h = slim.repeat(inputs, 2, slim.conv2d, 4, [3, 3], scope="conv1")
            h = slim.max_pool2d(h, [2, 2], scope="pool1")
            h = slim.conv2d(h, 6, [3, 3], stride=2, scope="conv2")
        h = slim.flatten(h)
        h = slim.stack(h, slim.fully_connected, [8, 5], scope="fc")
        h = slim.fully_connected(h, 3, activation_fn=None, scope="logits")
        return h, slim.utils.convert_collection_to_dict(points)


with tf.Graph().as_default():
    with slim.arg_scope(scope(0.01)):
        logits, points = network(tf.constant(images))
    for name in points:
        print("point", name.split("/", 1)[1], *points[name].shape)
    one_hot = slim.one_hot_encoding(classes, 3)
    slim.losses.softmax_cross_entropy(logits, one_hot)
    loss = slim.losses.get_total_loss()
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    train = slim.learning.create_train_op(loss, optimizer, clip_gradient_norm=1.0)
    for variable in slim.get_model_variables():
        print("variable", variable.op.name, *variable.shape)
    folder = tempfile.mkdtemp()

    def step(session, train_op, global_step, kwargs):
        value, stop = slim.learning.train_step(session, train_op, global_step, kwargs)
        at = session.run(global_step)
        if at % 2 == 1:
            print("loss", at, value)
        return value, stop

    slim.learning.train(
        train,
        folder,
        train_step_fn=step,
        number_of_steps=9,
        log_every_n_steps=100,
        save_summaries_secs=0,
        save_interval_secs=600,
    )
with tf.Graph().as_default():
    with slim.arg_scope(scope(0.0)):
        logits, _ = network(tf.constant(images))
    names, updates = slim.metrics.aggregate_metric_map(
        {
            "accuracy": slim.metrics.streaming_accuracy(tf.argmax(logits, 1), classes),
            "mean": slim.metrics.streaming_mean(tf.nn.softmax(logits)[:, 0]),
        }
    )
    found = slim.evaluation.evaluate_once(
        "",
        tf.train.latest_checkpoint(folder),
        folder,
        num_evals=1,
        eval_op=list(updates.values()),
        final_op=[names["accuracy"], names["mean"]],
    )
    print("evaluated", *found)
