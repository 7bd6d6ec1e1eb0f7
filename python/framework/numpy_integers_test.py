# SPDX-License-Identifier: Apache-2.0
"""NumPy's integers are integers, wherever a step, a size, an axis or a seed is taken."""

import os

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

INTEGERS = [np.int32, np.int64, np.uint8]


@pytest.mark.parametrize("step", [np.int32(0), np.int64(12), np.uint8(3), True, 5])
def test_a_checkpoint_is_named_by_its_step(tmp_path, step):
    v = tf.get_variable("v", [])
    with tf.Session() as session:
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "model"), step)
    assert os.path.basename(path) == f"model-{int(step)}"
    assert tf.train.checkpoint_exists(path)


@pytest.mark.parametrize("integer", INTEGERS)
def test_layers_take_them_for_sizes_strides_and_axes(integer):
    images = tf.ones([1, 8, 8, 3])
    three, two = integer(3), integer(2)
    layer = tf.layers.conv2d(images, integer(4), three, strides=two)
    assert layer.shape.as_list() == [1, 3, 3, 4]
    pooled = tf.layers.max_pooling2d(images, two, two)
    assert pooled.shape.as_list() == [1, 4, 4, 3]
    assert tf.layers.dense(tf.ones([4, 4]), three).shape.as_list() == [4, 3]
    normalized = tf.layers.batch_normalization(images, axis=three)
    assert normalized.shape == images.shape
    contrib = tf.contrib.layers
    assert contrib.fully_connected(tf.ones([2, 5]), three).shape.as_list() == [2, 3]
    assert contrib.conv2d(images, three, two).shape.as_list() == [1, 8, 8, 3]


@pytest.mark.parametrize("integer", INTEGERS)
def test_loops_take_them_for_their_parallel_iterations(integer):
    last = tf.while_loop(
        lambda i: i < 3, lambda i: i + 1, [0], parallel_iterations=integer(2)
    )
    with tf.Session() as session:
        assert session.run(last) == 3
    with pytest.raises(TypeError, match="parallel_iterations"):
        tf.while_loop(lambda i: i < 3, lambda i: i, [0], parallel_iterations=integer(0))


def test_seeds_of_datasets_are_combined_as_pythons_are():
    tf.set_random_seed(1)

    def order(seed):
        dataset = tf.data.Dataset.range(50).shuffle(50, seed=seed)
        with tf.Session() as session:
            element = dataset.batch(50).make_one_shot_iterator().get_next()
            return session.run(element).tolist()

    assert order(np.int64(7)) == order(7)


def test_images_gathers_and_samples_take_them_for_counts_and_axes():
    one, two = np.int64(1), np.int32(2)
    assert tf.image.rot90(tf.ones([2, 3, 1]), one).shape.as_list() == [3, 2, 1]
    assert tf.gather(tf.ones([2, 3]), [0], axis=one).shape.as_list() == [2, 1]
    samples = tf.distributions.Normal(0.0, 1.0).sample(two)
    assert samples.shape.as_list() == [2]


def test_a_switch_takes_them_for_its_indices():
    branches = {np.int32(i): lambda i=i: tf.constant(i) for i in range(3)}
    with tf.Session() as session:
        assert session.run(tf.switch_case(tf.constant(2), branches)) == 2


def test_a_counter_takes_them_for_its_steps():
    numbers = tf.data.experimental.Counter(5, np.int64(-2)).take(3)
    element = numbers.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [session.run(element) for _ in range(3)] == [5, 3, 1]
