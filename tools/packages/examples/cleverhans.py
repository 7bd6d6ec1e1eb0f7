# SPDX-License-Identifier: Apache-2.0
"""CleverHans 3: the tutorial's fast gradient sign method against a small network."""

import numpy as np
import tensorflow as tf
from cleverhans.attacks import FastGradientMethod
from cleverhans.loss import CrossEntropy
from cleverhans.model import Model
from cleverhans.train import train
from cleverhans.utils_tf import model_eval

random = np.random.RandomState(1)
x_train = random.rand(1024, 10).astype(np.float32)
y_train = np.eye(2)[(x_train[:, :5].sum(1) > 2.5).astype(int)].astype(np.float32)


class Net(Model):
    def __init__(self, scope, nb_classes=2):
        Model.__init__(self, scope, nb_classes, locals())
        self.fprop(tf.placeholder(tf.float32, [128, 10]))
        self.params = self.get_params()

    def fprop(self, x, **kwargs):
        with tf.variable_scope(self.scope, reuse=tf.AUTO_REUSE):
            hidden = tf.layers.dense(x, 32, activation=tf.nn.relu, name="hidden")
            logits = tf.layers.dense(hidden, self.nb_classes, name="logits")
        return {
            self.O_LOGITS: logits,
            self.O_PROBS: tf.nn.softmax(logits=logits),
        }


tf.set_random_seed(1)
sess = tf.Session()
x = tf.placeholder(tf.float32, [None, 10])
y = tf.placeholder(tf.float32, [None, 2])
model = Net("model1")
loss = CrossEntropy(model, smoothing=0.1)
params = {"nb_epochs": 20, "batch_size": 128, "learning_rate": 0.01}
train(
    sess,
    loss,
    x_train,
    y_train,
    args=params,
    rng=np.random.RandomState(2),
    var_list=model.get_params(),
)
fgsm = FastGradientMethod(model, sess=sess)
adversarial = fgsm.generate(x, eps=0.3, clip_min=0.0, clip_max=1.0)
args = {"batch_size": 128}
clean = model_eval(sess, x, y, model.get_logits(x), x_train, y_train, args=args)
attacked = model_eval(
    sess, x, y, model.get_logits(adversarial), x_train, y_train, args=args
)
assert clean > 0.9, clean
assert attacked < 0.5 * clean, (clean, attacked)
moved = sess.run(adversarial, {x: x_train[:4]}) - x_train[:4]
assert np.abs(moved).max() < 0.3 + 1e-5, moved
