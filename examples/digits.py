# SPDX-License-Identifier: Apache-2.0
"""Trains a small convolutional network on the 1,797 UCI handwritten digits (8x8 pixels).

Usage: ./run [examples/digits.py] [--steps N] [--batch N] [--device /gpu:0]
Prints a progress line, then the accuracy on 360 digits that training never saw; exits with 1
if that is below 97 %.
"""

from __future__ import annotations

import argparse
import pathlib
import sys
import time

import numpy as np

import tensorwright as tf

DATA = pathlib.Path(__file__).resolve().parent / "data" / "digits.csv.gz"
TEST_SIZE = 360
TARGET = 0.97


def load_digits() -> tuple[np.ndarray, np.ndarray]:
    """Images, float32 [1797, 8, 8, 1] in [0, 1], and labels, int32 [1797], shuffled once."""
    rows = np.loadtxt(DATA, delimiter=",", dtype=np.float32)
    rows = rows[np.random.RandomState(0).permutation(len(rows))]
    return rows[:, :64].reshape(-1, 8, 8, 1) / 16.0, rows[:, 64].astype(np.int32)


def weights(*shape: int) -> tf.Variable:
    return tf.Variable(tf.truncated_normal(shape, stddev=0.1), name="weights")


def biases(size: int) -> tf.Variable:
    return tf.Variable(tf.constant(0.1, shape=[size]), name="biases")


def conv_pool(x: tf.Tensor, channels: int, filters: int) -> tf.Tensor:
    """3x3 convolution, bias, relu, then 2x2 max pooling: [n, h, w, c] -> [n, h/2, w/2, f]."""
    w = weights(3, 3, channels, filters)
    y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
    y = tf.nn.relu(tf.nn.bias_add(y, biases(filters)))
    return tf.nn.max_pool(y, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


def network(images: tf.Tensor) -> tf.Tensor:
    """Logits, [n, 10], of images, [n, 8, 8, 1]."""
    with tf.name_scope("conv1"):
        h = conv_pool(images, 1, 32)
    with tf.name_scope("conv2"):
        h = conv_pool(h, 32, 64)
    with tf.name_scope("dense"):
        h = tf.reshape(h, [-1, 2 * 2 * 64])
        h = tf.nn.relu(tf.matmul(h, weights(256, 128)) + biases(128))
    with tf.name_scope("logits"):
        return tf.matmul(h, weights(128, 10)) + biases(10)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--device", default="", help="/cpu:0 or /gpu:0")
    args = parser.parse_args()

    images, labels = load_digits()
    train_x, train_y = images[TEST_SIZE:], labels[TEST_SIZE:]
    test_x, test_y = images[:TEST_SIZE], labels[:TEST_SIZE]

    tf.set_random_seed(1)
    with tf.device(args.device or None):
        x = tf.placeholder(tf.float32, [None, 8, 8, 1], name="images")
        y = tf.placeholder(tf.int32, [None], name="labels")
        logits = network(x)
        loss = tf.reduce_mean(
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits)
        )
        step_count = tf.train.get_or_create_global_step()
        # A rate that falls lets the last steps settle.
        rate = tf.train.polynomial_decay(2e-3, step_count, args.steps, 1e-5)
        train = tf.train.AdamOptimizer(rate).minimize(loss, global_step=step_count)
        correct = tf.equal(tf.argmax(logits, 1, output_type=tf.int32), y)
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))

    random = np.random.RandomState(1)
    start = time.time()
    # Ops without a GPU kernel, such as the count of steps, go to the CPU.
    config = tf.ConfigProto(allow_soft_placement=True)
    with tf.Session(config=config) as session:
        session.run(tf.global_variables_initializer())
        for step in range(1, args.steps + 1):
            pick = random.randint(len(train_x), size=args.batch)
            _, value = session.run([train, loss], {x: train_x[pick], y: train_y[pick]})
            if step % 50 == 0 or step == args.steps:
                done = session.run(accuracy, {x: test_x, y: test_y})
                print(
                    f"step {step:4}/{args.steps}  loss {value:.4f}  "
                    f"test accuracy {done:.2%}  {time.time() - start:.1f} s",
                    flush=True,
                )
        result = session.run(accuracy, {x: test_x, y: test_y})
    print(f"test accuracy {result:.2%} of {TEST_SIZE} digits (target {TARGET:.0%})")
    return 0 if result >= TARGET else 1


if __name__ == "__main__":
    sys.exit(main())
