# SPDX-License-Identifier: Apache-2.0
"""The ready-made wide and deep classifier: columns, two optimizers, its variables set by a hook, train_and_evaluate."""

import tempfile

import numpy as np
import tensorflow as tf

tf.logging.set_verbosity(tf.logging.ERROR)
rng = np.random.RandomState(31)
SIZE = 40
ages = rng.uniform(18, 70, SIZE).astype(np.float32)
jobs = rng.choice(["clerk", "smith", "nurse"], SIZE)
labels = ((ages > 40) ^ (jobs == "smith")).astype(np.int32)

age = tf.feature_column.numeric_column("age", normalizer_fn=lambda v: (v - 40.0) / 15.0)
job = tf.feature_column.categorical_column_with_vocabulary_list(
    "job", ["clerk", "smith", "nurse"]
)
buckets = tf.feature_column.bucketized_column(
    tf.feature_column.numeric_column("age"), [30, 40, 50]
)


class SetVariables(tf.train.SessionRunHook):
    """Gives every kernel numbers that are known."""

    def begin(self):
        self.sets = []
        for v in tf.trainable_variables():
            if "kernel" in v.op.name:
                shape = v.shape.as_list()
                numbers = np.cos(np.arange(np.prod(shape))).reshape(shape)
                self.sets.append(v.assign(0.5 * numbers))

    def after_create_session(self, session, coord):
        if session.run(tf.train.get_global_step(session.graph)) == 0:
            session.run(self.sets)


def rows(epochs):
    return tf.estimator.inputs.numpy_input_fn(
        {"age": ages, "job": jobs}, labels, SIZE, epochs, shuffle=False
    )


estimator = tf.estimator.DNNLinearCombinedClassifier(
    model_dir=tempfile.mkdtemp(),
    linear_feature_columns=[buckets, job],
    linear_optimizer=tf.train.FtrlOptimizer(0.2),
    dnn_feature_columns=[age, tf.feature_column.indicator_column(job)],
    dnn_hidden_units=[5, 3],
    dnn_optimizer=tf.train.AdagradOptimizer(0.3),
    dnn_activation_fn=tf.nn.tanh,
)
for i in range(4):
    estimator.train(rows(None), hooks=[SetVariables()], steps=5)
    found = estimator.evaluate(rows(1))
    print("loss", found["global_step"], found["average_loss"], found["accuracy"])
print("auc", found["auc"] > 0.9)
chances = [p["probabilities"] for p in estimator.predict(rows(1))]
print("chances", *np.concatenate(chances[:3]))
for name in sorted(estimator.get_variable_names()):
    if name.endswith(("kernel", "bias", "weights")):
        print(name, *estimator.get_variable_value(name).shape)
