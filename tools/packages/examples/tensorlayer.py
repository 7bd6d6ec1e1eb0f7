# SPDX-License-Identifier: Apache-2.0
"""TensorLayer 1.11: the tutorial's multilayer perceptron with dropout, on generated pictures."""

import numpy as np
import tensorflow as tf
import tensorlayer as tl

random = np.random.RandomState(1)
X_train = random.rand(1000, 20).astype(np.float32)
y_train = X_train[:, :3].argmax(1).astype(np.int64)

sess = tf.InteractiveSession()
x = tf.placeholder(tf.float32, shape=[None, 20], name="x")
y_ = tf.placeholder(tf.int64, shape=[None], name="y_")
network = tl.layers.InputLayer(x, name="input")
network = tl.layers.DropoutLayer(network, keep=0.9, name="drop1")
network = tl.layers.DenseLayer(network, 80, tf.nn.relu, name="relu1")
network = tl.layers.DropoutLayer(network, keep=0.9, name="drop2")
network = tl.layers.DenseLayer(network, n_units=3, act=None, name="output")
y = network.outputs
cost = tl.cost.cross_entropy(y, y_, name="xentropy")
acc = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), y_), tf.float32))
train_op = tf.train.AdamOptimizer(learning_rate=0.01).minimize(
    cost, var_list=network.all_params
)
tl.layers.initialize_global_variables(sess)
network.print_params()
network.print_layers()
tl.utils.fit(
    sess,
    network,
    train_op,
    cost,
    X_train,
    y_train,
    x,
    y_,
    acc=acc,
    batch_size=100,
    n_epoch=20,
    print_freq=5,
    X_val=X_train[:200],
    y_val=y_train[:200],
    eval_train=False,
)
off = {x: X_train, y_: y_train, **tl.utils.dict_to_one(network.all_drop)}
reached = sess.run(acc, off)
assert reached > 0.85, reached
before = sess.run(y, off)
tl.files.save_npz(network.all_params, name="model.npz")
tl.files.load_and_assign_npz(sess=sess, name="model.npz", network=network)
assert np.allclose(sess.run(y, off), before)
sess.close()
