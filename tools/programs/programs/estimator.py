# SPDX-License-Identifier: Apache-2.0
"""An Estimator of one's own: trained in two calls, evaluated, exported, warm and predicting."""

import os
import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(30)
data = rng.normal(size=[32, 3]).astype(np.float32)
labels = (data @ [1.0, -2.0, 0.5] + 0.3).astype(np.float32)


def model_fn(features, labels, mode, params):
    x = features["x"]
    w = tf.get_variable("w", [3, 1], initializer=tf.zeros_initializer())
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer())
    guess = tf.squeeze(tf.matmul(x, w) + b, 1)
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"guess": tf.estimator.export.PredictOutput({"guess": guess})}
        return tf.estimator.EstimatorSpec(
            mode, predictions={"guess": guess}, export_outputs=outputs
        )
    loss = tf.losses.mean_squared_error(labels, guess)
    error = tf.metrics.mean_absolute_error(labels, guess)
    if mode == tf.estimator.ModeKeys.EVAL:
        return tf.estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={"error": error}
        )
    step = tf.train.get_global_step()
    rate = tf.train.exponential_decay(params["rate"], step, 5, 0.8)
    train = tf.train.MomentumOptimizer(rate, 0.5).minimize(loss, step)
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train)


class Losses(tf.train.SessionRunHook):
    """Prints the loss of each fourth step."""

    def begin(self):
        self.loss = tf.losses.get_losses()[0]
        self.step = tf.train.get_global_step()

    def before_run(self, run_context):
        self.at = run_context.session.run(self.step)
        return tf.train.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        if self.at % 4 == 0:
            print("loss", self.at, run_values.results)


def batches(epochs=None):
    return tf.estimator.inputs.numpy_input_fn(
        {"x": data}, labels, batch_size=8, num_epochs=epochs, shuffle=False
    )


folder = tempfile.mkdtemp()
config = tf.estimator.RunConfig().replace(tf_random_seed=5, save_summary_steps=50)
estimator = tf.estimator.Estimator(model_fn, folder, config, params={"rate": 0.1})
estimator.train(batches(), hooks=[Losses()], steps=10)
estimator.train(batches(), hooks=[Losses()], max_steps=18)
found = estimator.evaluate(batches(epochs=1))
print("evaluated", found["global_step"], found["loss"], found["error"])
print("w", *estimator.get_variable_value("w").ravel())
guesses = list(estimator.predict(batches(epochs=1)))
print("guesses", len(guesses), *[g["guess"] for g in guesses[:3]])


def receiver():
    x = tf.placeholder(tf.float32, [None, 3])
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


exported = estimator.export_savedmodel(os.path.join(folder, "export"), receiver)
with tf.Graph().as_default(), tf.Session() as session:
    loaded = tf.saved_model.loader.load(session, ["serve"], exported)
    signature = loaded.signature_def["serving_default"]
    feeds = {signature.inputs["x"].name: [[1, 1, 1]]}
    [output] = signature.outputs.values()
    print("served", *session.run(output.name, feeds))
