# SPDX-License-Identifier: Apache-2.0
"""Checkpoints, early stopping, schedules, logs: Keras calls them while it trains."""

import csv
import os
import tempfile

import numpy as np
import tensorflow as tf
from tensorflow.keras import backend as K, callbacks, layers, models

tf.set_random_seed(13)
np.random.seed(13)
rng = np.random.RandomState(13)
x = rng.randn(200, 6)
y = x @ rng.randn(6, 1)
folder = tempfile.mkdtemp()


class Losses(callbacks.Callback):
    def on_train_begin(self, logs=None):
        self.losses = []

    def on_batch_end(self, batch, logs=None):
        self.losses.append(logs["loss"])


def build():
    model = models.Sequential([layers.Dense(8, activation="relu", input_dim=6), layers.Dense(1)])  # fmt: skip # noqa: E501
    model.compile("sgd", "mse")
    return model


model, seen = build(), Losses()
model.fit(
    x, y, epochs=6, batch_size=20, verbose=0, validation_split=0.2,
    callbacks=[
        seen,
        callbacks.ModelCheckpoint(os.path.join(folder, "best.h5"), save_best_only=True),
        callbacks.ModelCheckpoint(os.path.join(folder, "w-{epoch:02d}.h5"), save_weights_only=True, period=2),
        callbacks.CSVLogger(os.path.join(folder, "log.csv")),
        callbacks.LearningRateScheduler(lambda epoch: 0.05 / (epoch + 1)),
        callbacks.TensorBoard(os.path.join(folder, "events"), histogram_freq=2),
        callbacks.TerminateOnNaN(),
    ],
)  # fmt: skip
assert len(seen.losses) == 6 * 8 and seen.losses[-1] < seen.losses[0]
assert abs(K.get_value(model.optimizer.lr) - 0.05 / 6) < 1e-6
assert sorted(f for f in os.listdir(folder) if f[0] == "w") == ["w-02.h5", "w-04.h5", "w-06.h5"]  # fmt: skip # noqa: E501
with open(os.path.join(folder, "log.csv"), newline="") as log:
    rows = list(csv.DictReader(log))
assert len(rows) == 6 and float(rows[5]["val_loss"]) < float(rows[0]["val_loss"])
best = models.load_model(os.path.join(folder, "best.h5"))
lowest = min(float(row["val_loss"]) for row in rows)
assert abs(best.evaluate(x[160:], y[160:], verbose=0) - lowest) < 1e-4

(events,) = tf.gfile.Glob(os.path.join(folder, "events", "*"))
tags = {v.tag for e in tf.train.summary_iterator(events) for v in e.summary.value}
assert {"loss", "val_loss"} <= tags and any("kernel" in tag for tag in tags)

stopper = callbacks.EarlyStopping(monitor="loss", patience=1, restore_best_weights=True)
slower = callbacks.ReduceLROnPlateau("loss", factor=0.1, patience=0, min_lr=1e-5)
model.compile(tf.keras.optimizers.SGD(0.0), "mse")
history = model.fit(x, y, epochs=50, verbose=0, callbacks=[stopper, slower])
assert len(history.epoch) < 5
print("callbacks: checkpoints, logs and schedules are as they should be")
