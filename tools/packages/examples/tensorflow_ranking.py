# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Ranking 0.1: the tutorial's groupwise ranking estimator, on lists that are generated."""

import numpy as np
import tensorflow as tf
import tensorflow_ranking as tfr

random = np.random.RandomState(1)
lists = random.rand(64, 6, 3).astype(np.float32)
grades = np.round(4 * lists[:, :, 0]).astype(np.float32)


def input_fn():
    features = {f"f{i}": lists[:, :, i : i + 1] for i in range(3)}
    data = tf.data.Dataset.from_tensor_slices((features, grades))
    return data.repeat().batch(16).make_one_shot_iterator().get_next()


columns = {
    f"f{i}": tf.feature_column.numeric_column(f"f{i}", shape=(1,)) for i in range(3)
}


def transform_fn(features, mode):
    context, example = tfr.feature.encode_listwise_features(
        features,
        input_size=6,
        context_feature_columns={},
        example_feature_columns=columns,
        mode=mode,
    )
    return context, example


def score_fn(context_features, group_features, mode, params, config):
    flat = [tf.layers.flatten(group_features[name]) for name in sorted(columns)]
    hidden = tf.layers.dense(tf.concat(flat, 1), 16, activation=tf.nn.relu)
    return tf.layers.dense(hidden, 1)


def train_op_fn(loss):
    return tf.train.AdamOptimizer(0.05).minimize(loss, tf.train.get_global_step())


head = tfr.head.create_ranking_head(
    loss_fn=tfr.losses.make_loss_fn(tfr.losses.RankingLossKey.PAIRWISE_LOGISTIC_LOSS),
    eval_metric_fns={
        "ndcg@3": tfr.metrics.make_ranking_metric_fn(
            tfr.metrics.RankingMetricKey.NDCG, topn=3
        )
    },
    train_op_fn=train_op_fn,
)
ranker = tf.estimator.Estimator(
    model_fn=tfr.model.make_groupwise_ranking_fn(
        group_score_fn=score_fn,
        group_size=1,
        transform_fn=transform_fn,
        ranking_head=head,
    ),
    model_dir="ranker",
    config=tf.estimator.RunConfig(tf_random_seed=1),
)
ranker.train(input_fn, steps=2)
before = ranker.evaluate(input_fn, steps=4)["ndcg@3"]
ranker.train(input_fn, steps=100)
after = ranker.evaluate(input_fn, steps=4)["ndcg@3"]
assert after > 0.9 and after > before, (before, after)
