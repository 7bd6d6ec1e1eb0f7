# SPDX-License-Identifier: Apache-2.0
"""Functions from features to logits."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

experimental = tf.estimator.experimental
FEATURES = {"x": [[1.0], [2.0]], "y": [[3.0], [4.0]]}


def _columns():
    return [tf.feature_column.numeric_column(key) for key in FEATURES]


def test_linear_logits_are_weighted_sums():
    logits = experimental.linear_logit_fn_builder(2, _columns())(features=FEATURES)
    x, y, bias = tf.trainable_variables()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([x.assign([[1, 10]]), y.assign([[2, 20]]), bias.assign([100, 200])])
        assert session.run(logits).tolist() == [[107, 270], [110, 300]]
    assert (
        tf.contrib.estimator.linear_logit_fn_builder
        is experimental.linear_logit_fn_builder
    )


def test_a_function_gets_the_arguments_that_it_has():
    def with_mode(features, mode):
        assert mode == "eval"
        return features

    def with_all(features, mode, params, config):
        return {"a": features * params["factor"], config: features}

    x = tf.constant([1.0])
    call = experimental.call_logit_fn
    assert call(with_mode, x, "eval", None, None) is x
    found = call(with_all, x, "train", {"factor": 2.0}, "b")
    assert set(found) == {"a", "b"}
    with pytest.raises(ValueError, match="should return a Tensor or a dictionary"):
        call(lambda features: 3, x, "eval", None, None)
    with pytest.raises(ValueError, match="must have an argument `features`"):
        call(lambda inputs: x, x, "eval", None, None)


@pytest.mark.parametrize("batch_norm", [False, True])
def test_logits_of_a_deep_network_have_its_variables(batch_norm):
    build = experimental.dnn_logit_fn_builder(
        1, [4, 3], _columns(), tf.nn.relu, 0.5, None, batch_norm
    )
    logits = build(features=FEATURES, mode=tf.estimator.ModeKeys.TRAIN)
    assert logits.shape.as_list() == [2, 1]
    layers = {v.op.name.split("/")[0] for v in tf.trainable_variables()}
    assert layers == {"hiddenlayer_0", "hiddenlayer_1", "logits"}
    norms = [v.op.name for v in tf.trainable_variables() if "batchnorm" in v.op.name]
    assert len(norms) == (4 if batch_norm else 0)
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == len(norms)
    drops = [o for o in tf.get_default_graph().get_operations() if "dropout" in o.name]
    assert drops
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(logits).shape == (2, 1)
    with pytest.raises(ValueError, match="units must be an int"):
        experimental.dnn_logit_fn_builder(1.5, [4], [], None, None, None, False)
