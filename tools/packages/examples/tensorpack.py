# SPDX-License-Identifier: Apache-2.0
"""Tensorpack: the tutorial's ModelDesc and TrainConfig, on points of two classes."""

import numpy as np
import tensorflow as tf
from tensorpack import (
    BatchData,
    DataFromList,
    FullyConnected,
    InferenceRunner,
    ModelDesc,
    ModelSaver,
    OfflinePredictor,
    PredictConfig,
    ScalarStats,
    SimpleTrainer,
    SmartInit,
    TrainConfig,
    launch_train_with_config,
)
from tensorpack.utils import logger

random = np.random.RandomState(1)
points = random.rand(512, 4).astype(np.float32)
kinds = (points[:, 0] > points[:, 1]).astype(np.int32)


def data():
    return BatchData(DataFromList([[p, k] for p, k in zip(points, kinds)]), 32)


class Model(ModelDesc):
    def inputs(self):
        return [
            tf.TensorSpec((None, 4), tf.float32, "input"),
            tf.TensorSpec((None,), tf.int32, "label"),
        ]

    def build_graph(self, points, label):
        hidden = FullyConnected("fc0", points, 16, activation=tf.nn.relu)
        logits = FullyConnected("fc1", hidden, 2)
        tf.nn.softmax(logits, name="prob")
        right = tf.to_float(tf.nn.in_top_k(logits, label, 1))
        tf.reduce_mean(right, name="accuracy")
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(
            logits=logits, labels=label
        )
        return tf.reduce_mean(losses, name="total_costs")

    def optimizer(self):
        return tf.train.AdamOptimizer(0.01)


logger.set_logger_dir("logs", action="d")
config = TrainConfig(
    model=Model(),
    dataflow=data(),
    callbacks=[ModelSaver(), InferenceRunner(data(), ScalarStats(["accuracy"]))],
    steps_per_epoch=16,
    max_epoch=8,
)
launch_train_with_config(config, SimpleTrainer())

predict = OfflinePredictor(
    PredictConfig(
        model=Model(),
        session_init=SmartInit(tf.train.latest_checkpoint("logs")),
        input_names=["input"],
        output_names=["prob"],
    )
)
probability = predict(points)[0]
assert probability.shape == (512, 2)
right = (probability.argmax(1) == kinds).mean()
assert right > 0.9, right
