# SPDX-License-Identifier: Apache-2.0
"""Trains on handwritten digits with checkpoints and summaries; killed and started again, it goes on.

Usage: ./run examples/mnist_like.py --model_dir=/tmp/digits [--train_steps=1000] [--batch_size=64]
           [--learning_rate=0.001] [--save_steps=100]
Then `tensorboard --logdir=/tmp/digits` shows loss, weights, images and the graph.
The data are the 1,797 UCI digits of 8x8 pixels beside this file.
"""

from __future__ import annotations

import pathlib
import sys
import tempfile
import time

import numpy as np

import tensorwright as tf

FLAGS = tf.flags.FLAGS
tf.flags.DEFINE_string("model_dir", None, "of checkpoints and event files")
tf.flags.DEFINE_integer("train_steps", 1000, "in all, with those of earlier runs")
tf.flags.DEFINE_integer("batch_size", 64, "images a step")
tf.flags.DEFINE_float("learning_rate", 1e-3, "of Adam")
tf.flags.DEFINE_integer("save_steps", 100, "between two checkpoints")

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.csv.gz"
TEST_SIZE = 360


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """Images, float32 [1797, 8, 8, 1] in [0, 1], and labels, int64 [1797], shuffled once."""
    rows = np.loadtxt(DATA, delimiter=",", dtype=np.float32)
    rows = rows[np.random.RandomState(0).permutation(len(rows))]
    return rows[:, :64].reshape(-1, 8, 8, 1) / 16.0, rows[:, 64].astype(np.int64)


def network(images: tf.Tensor) -> tf.Tensor:
    """Logits, [n, 10], of images, [n, 8, 8, 1]."""
    h = tf.layers.conv2d(images, 32, 3, padding="same", activation=tf.nn.relu)
    h = tf.layers.max_pooling2d(h, 2, 2)
    h = tf.layers.dense(tf.layers.flatten(h), 64, activation=tf.nn.relu)
    return tf.layers.dense(h, 10)


class ProgressHook(tf.train.SessionRunHook):
    """A line that shows how far the training is, how fast, and how long it will take."""

    def __init__(self, loss: tf.Tensor, last_step: int, every_secs: float = 1.0):
        self._loss = loss
        self._last_step = last_step
        self._every_secs = every_secs

    def begin(self) -> None:
        self._step = tf.train.get_global_step()

    def after_create_session(self, session, coord) -> None:
        self._first_step = int(session.run(self._step))
        self._started = self._shown = time.monotonic()

    def before_run(self, run_context) -> tf.train.SessionRunArgs:
        return tf.train.SessionRunArgs(self._loss)

    def after_run(self, run_context, run_values) -> None:
        # Fetched beside the training op it would be the step before or after.
        step = int(run_context.session.run(self._step))
        now = time.monotonic()
        if now - self._shown < self._every_secs and step < self._last_step:
            return
        self._shown = now
        speed = (step - self._first_step) / (now - self._started)
        left = max(0.0, self._last_step - step) / speed
        print(
            f"\rstep {step}/{self._last_step}  loss {run_values.results:.4f}  "
            f"{speed:.0f} steps/s  {left:.0f} s to go ",
            end="",
            flush=True,
        )

    def end(self, session) -> None:
        print()


def main(_: list[str]) -> int:
    tf.set_random_seed(1)
    model_dir = FLAGS.model_dir or tempfile.mkdtemp(prefix="digits")
    print(f"checkpoints and events are in {model_dir}")
    images, labels = load_digits()
    train_x, train_y = images[TEST_SIZE:], labels[TEST_SIZE:]

    x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
    y = tf.placeholder(tf.int64, [None], name="labels")
    logits = network(x)
    loss = tf.losses.sparse_softmax_cross_entropy(labels=y, logits=logits)
    accuracy = tf.reduce_mean(
        tf.cast(tf.equal(tf.argmax(logits, 1), y), tf.float32), name="accuracy"
    )
    step = tf.train.get_or_create_global_step()
    train = tf.train.AdamOptimizer(FLAGS.learning_rate).minimize(loss, step)
    tf.summary.scalar("loss", loss)
    tf.summary.scalar("accuracy", accuracy)
    tf.summary.image("digits", x)
    for variable in tf.trainable_variables():
        tf.summary.histogram(variable.op.name, variable)

    random = np.random.RandomState()
    hooks = [
        tf.train.StopAtStepHook(last_step=FLAGS.train_steps),
        tf.train.NanTensorHook(loss),
        ProgressHook(loss, FLAGS.train_steps),
    ]
    with tf.train.MonitoredTrainingSession(
        checkpoint_dir=model_dir,
        hooks=hooks,
        save_checkpoint_steps=FLAGS.save_steps,
        save_summaries_steps=20,
    ) as session:
        while not session.should_stop():
            pick = random.randint(len(train_x), size=FLAGS.batch_size)
            session.run(train, {x: train_x[pick], y: train_y[pick]})

    with tf.Session() as session:
        path = tf.train.latest_checkpoint(model_dir)
        if path is None:
            raise FileNotFoundError(f"no checkpoint in {model_dir}")
        tf.train.Saver().restore(session, path)
        found = session.run(accuracy, {x: images[:TEST_SIZE], y: labels[:TEST_SIZE]})
    print(f"{path}: test accuracy {found:.2%} of {TEST_SIZE} digits")
    return 0


if __name__ == "__main__":
    sys.exit(tf.app.run(main))
