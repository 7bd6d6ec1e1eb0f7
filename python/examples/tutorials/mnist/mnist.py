# SPDX-License-Identifier: Apache-2.0
"""A network of two hidden layers that tells handwritten digits apart: its graph in four steps."""

from __future__ import annotations

import math

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.ops import (
    array_ops,
    math_ops,
    nn_ops,
    random_ops,
    variables,
)
from tensorwright.python.ops.losses import losses
from tensorwright.python.summary import summary
from tensorwright.python.training import gradient_descent

NUM_CLASSES = 10
IMAGE_SIZE = 28
IMAGE_PIXELS = IMAGE_SIZE * IMAGE_SIZE


def _layer(name: str, x: ops.Tensor, rows: int, columns: int) -> ops.Tensor:
    """x W + b in a name scope, its weights near 0."""
    with ops.name_scope(name):
        start = random_ops.truncated_normal(
            [rows, columns], stddev=1.0 / math.sqrt(float(rows))
        )
        weights = variables.Variable(start, name="weights")
        biases = variables.Variable(array_ops.zeros([columns]), name="biases")
        product = math_ops.matmul(x, ops.convert_to_tensor(weights))
        return product + ops.convert_to_tensor(biases)


def inference(images: ops.Tensor, hidden1_units: int, hidden2_units: int) -> ops.Tensor:
    """Logits, float32 [n, 10], of images, float32 [n, 784], by hidden layers of so many units."""
    with ops.name_scope(None):
        hidden = nn_ops.relu(_layer("hidden1", images, IMAGE_PIXELS, hidden1_units))
        hidden = nn_ops.relu(_layer("hidden2", hidden, hidden1_units, hidden2_units))
        return _layer("softmax_linear", hidden, hidden2_units, NUM_CLASSES)


def loss(logits: ops.Tensor, labels: ops.Tensor) -> ops.Tensor:
    """The mean cross entropy, float32 [], of logits [n, 10] for labels [n], which are integers."""
    labels = math_ops.cast(labels, dtypes.int64)
    return losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)


def training(loss: ops.Tensor, learning_rate: float) -> ops.Operation:
    """The operation of a step of gradient descent, which counts steps, with a summary of the loss."""
    summary.scalar("loss", loss)
    optimizer = gradient_descent.GradientDescentOptimizer(learning_rate)
    global_step = variables.Variable(0, name="global_step", trainable=False)
    return optimizer.minimize(loss, global_step=global_step)


def evaluation(logits: ops.Tensor, labels: ops.Tensor) -> ops.Tensor:
    """How many of the n images have the largest logit at their label: int32 []."""
    correct = nn_ops.in_top_k(logits, labels, 1)
    return math_ops.reduce_sum(math_ops.cast(correct, dtypes.int32))
