# SPDX-License-Identifier: Apache-2.0
"""Losses of generators and discriminators against NumPy, and a generator that learns a distribution."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

gan = tf.contrib.gan
RNG = np.random.RandomState(7)
REAL, FAKE = RNG.randn(6, 1).astype(np.float32), RNG.randn(6, 1).astype(np.float32)


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def outputs():
    """A model of which only the discriminator's outputs count."""
    return gan.GANModel(*[None] * 6, tf.constant(REAL), tf.constant(FAKE), *[None] * 3)


def softplus(x):
    return np.log1p(np.exp(x))


@pytest.mark.parametrize(
    ("name", "options", "want"),
    [
        ("wasserstein_generator_loss", {}, -FAKE.mean()),
        ("wasserstein_discriminator_loss", {}, FAKE.mean() - REAL.mean()),
        ("modified_generator_loss", {}, softplus(-FAKE).mean()),
        (
            "minimax_discriminator_loss",
            {},
            (softplus(REAL) - 0.875 * REAL).mean() + softplus(FAKE).mean(),
        ),
        (
            "modified_discriminator_loss",
            {"label_smoothing": 0.0},
            softplus(-REAL).mean() + softplus(FAKE).mean(),
        ),
        (
            "minimax_generator_loss",
            {},
            -(softplus(-REAL).mean() + softplus(FAKE).mean()),
        ),
        ("least_squares_generator_loss", {"real_label": 2.0}, ((FAKE - 2) ** 2).mean() / 2),
        (
            "least_squares_discriminator_loss",
            {"fake_label": -1.0},
            (((REAL - 1) ** 2).mean() + ((FAKE + 1) ** 2).mean()) / 2,
        ),
    ],
)  # fmt: skip
def test_each_loss_has_its_value_and_one_summary(name, options, want):
    loss = getattr(gan.losses, name)(outputs(), add_summaries=True, **options)
    np.testing.assert_allclose(run(loss), want, rtol=1e-5)
    assert len(tf.get_collection(tf.GraphKeys.SUMMARIES)) == 1
    assert not tf.get_collection(tf.GraphKeys.LOSSES)


def generator(z):
    return tf.layers.dense(z, 2, name="g")


def discriminator(x, unused_z):
    hidden = tf.layers.dense(x, 16, tf.nn.relu, name="a")
    return tf.layers.dense(hidden, 1, name="b")


def model(batch=32):
    real = tf.random_normal([batch, 2]) * [0.5, 0.1] + [2.0, -1.0]
    return gan.gan_model(generator, discriminator, real, tf.random_normal([batch, 3]))


def test_models_share_the_discriminator():
    made = model()
    assert [v.op.name for v in made.generator_variables] == ["Generator/g/kernel", "Generator/g/bias"]  # fmt: skip
    assert len(made.discriminator_variables) == 4 and len(tf.trainable_variables()) == 6
    assert made.discriminator_real_outputs.get_shape().as_list() == [32, 1]
    with pytest.raises(ValueError, match="same shape"):
        gan.gan_model(generator, discriminator, tf.zeros([4, 3]), tf.zeros([4, 3]), "G", "D")  # fmt: skip


def test_gradients_of_the_discriminator_are_punished():
    real, fake = tf.constant(RNG.randn(8, 2).astype(np.float32)), tf.constant(RNG.randn(8, 2).astype(np.float32))  # fmt: skip

    def linear(x, unused):
        return tf.reduce_sum(x * tf.get_variable("w", initializer=[3.0, 4.0]), 1)

    made = gan.gan_model(lambda z: fake, linear, real, tf.zeros([1]))
    penalty = gan.losses.wasserstein_gradient_penalty
    found = [penalty(made), penalty(made, target=10.0), penalty(made, target=10.0, one_sided=True)]  # fmt: skip
    np.testing.assert_allclose(run(found), [16, 0.25, 0], rtol=1e-5)
    with_penalty = gan.gan_loss(made, gradient_penalty_weight=2.0).discriminator_loss
    plain = gan.gan_loss(made).discriminator_loss
    got = run([with_penalty, plain])
    np.testing.assert_allclose(got[0] - got[1], 32, rtol=1e-4)
    with pytest.raises(ValueError, match="negative"):
        gan.gan_loss(made, gradient_penalty_weight=-1.0)


@pytest.mark.parametrize("hooks", [gan.get_sequential_train_hooks, gan.get_joint_train_hooks])  # fmt: skip
def test_training_in_turn(hooks, tmp_path):
    tf.set_random_seed(1)
    made = model(128)
    loss = gan.gan_loss(made, gan.losses.modified_generator_loss, gan.losses.modified_discriminator_loss)  # fmt: skip
    train_ops = gan.gan_train_ops(made, loss, tf.train.AdamOptimizer(0.02, 0.5), tf.train.AdamOptimizer(0.02, 0.5))  # fmt: skip
    count = gan.gan_train(
        train_ops, str(tmp_path), hooks(gan.GANTrainSteps(1, 2)),
        hooks=[tf.train.StopAtStepHook(num_steps=400)], save_summaries_steps=None,
    )  # fmt: skip
    assert count == 400
    with tf.Session() as session:
        tf.train.Saver().restore(session, tf.train.latest_checkpoint(str(tmp_path)))
        generated = np.concatenate([session.run(made.generated_data) for _ in range(10)])  # fmt: skip
    np.testing.assert_allclose(generated.mean(0), [2, -1], atol=0.6)


def test_steps_for_slim():
    made = model()
    train_ops = gan.gan_train_ops(made, gan.gan_loss(made), *[tf.train.GradientDescentOptimizer(0.01)] * 2)  # fmt: skip
    step = gan.get_sequential_train_steps(gan.GANTrainSteps(1, 3))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        loss, stops = step(session, train_ops, tf.train.get_global_step(), {"should_stop": tf.constant(True)})  # fmt: skip
        assert np.isfinite(loss) and stops
        assert session.run(tf.train.get_global_step()) == 1


def test_updates_of_each_scope():
    def normalized(z):
        return tf.layers.batch_normalization(tf.layers.dense(z, 2), training=True)

    made = gan.gan_model(normalized, discriminator, tf.zeros([4, 2]), tf.random_normal([4, 3]))  # fmt: skip
    loss = gan.gan_loss(made)
    sgd = tf.train.GradientDescentOptimizer(0.0)
    train_ops = gan.gan_train_ops(made, loss, sgd, sgd)
    (mean,) = [v for v in tf.global_variables() if v.op.name.endswith("moving_mean")]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(train_ops.discriminator_train_op)
        assert not session.run(mean).any()
        session.run(train_ops.generator_train_op)
        assert session.run(mean).any()
    tf.layers.batch_normalization(tf.zeros([4, 2]), training=True, name="elsewhere")
    with pytest.raises(ValueError, match="unused update ops"):
        gan.gan_train_ops(made, loss, sgd, sgd)
    assert not hasattr(gan, "infogan_model")
