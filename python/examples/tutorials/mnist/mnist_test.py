# SPDX-License-Identifier: Apache-2.0
"""The modules of the tutorial of handwritten digits."""

import gzip
import io
import struct

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.examples.tutorials.mnist import input_data, mnist


def _file(kind, array):
    sizes = struct.pack(f">{1 + array.ndim}I", kind, *array.shape)
    return sizes + array.astype(np.uint8).tobytes()


def _images(n):
    return np.arange(n)[:, None, None] * np.ones([1, 28, 28], np.uint8)


@pytest.fixture(params=["packed", "unpacked"])
def folder(request, tmp_path):
    """MNIST with 20 images to train with and 4 to test, whose pixels are all the image's number."""
    contents = {
        input_data.TRAIN_IMAGES: _file(2051, _images(20)),
        input_data.TRAIN_LABELS: _file(2049, np.arange(20) % 10),
        input_data.TEST_IMAGES: _file(2051, _images(4)),
        input_data.TEST_LABELS: _file(2049, np.arange(4)),
    }
    for name, data in contents.items():
        if request.param == "packed":
            (tmp_path / name).write_bytes(gzip.compress(data))
        else:
            (tmp_path / name.removesuffix(".gz")).write_bytes(data)
    return str(tmp_path)


def test_the_files_become_three_sets(folder):
    sets = input_data.read_data_sets(folder, validation_size=5)
    assert [s.num_examples for s in sets] == [15, 5, 4]
    assert sets.train.images.shape == (15, 784)
    assert sets.train.images.dtype == np.float32
    np.testing.assert_allclose(sets.train.images[0], np.full(784, 5 / 255), rtol=1e-6)
    assert sets.validation.labels.tolist() == [0, 1, 2, 3, 4]
    raw = input_data.read_data_sets(
        folder, one_hot=True, dtype=tf.uint8, reshape=False, validation_size=0
    )
    assert raw.test.images.shape == (4, 28, 28, 1) and raw.test.images.dtype == np.uint8
    np.testing.assert_array_equal(raw.test.labels, np.eye(10)[:4])


def test_batches_go_through_all_images_in_each_epoch(folder):
    train = input_data.read_data_sets(folder, validation_size=0, dtype=tf.uint8, seed=1).train  # fmt: skip # noqa: E501
    seen = []
    for _ in range(5):
        images, labels = train.next_batch(8)
        assert (images[:, 0] % 10 == labels).all() and len(labels) == 8
        seen += images[:, 0].tolist()
    assert train.epochs_completed == 1
    assert sorted(seen[:20]) == sorted(seen[20:]) == list(range(20))
    assert seen[:20] != list(range(20)) and seen[:20] != seen[20:]
    again = input_data.read_data_sets(folder, validation_size=0, seed=1).train
    assert (again.next_batch(8)[1] == np.array(seen[:8]) % 10).all()


def test_batches_may_keep_the_order(folder):
    test = input_data.read_data_sets(folder, validation_size=0).test
    labels = [test.next_batch(3, shuffle=False)[1].tolist() for _ in range(3)]
    assert labels == [[0, 1, 2], [3, 0, 1], [2, 3, 0]]


def test_fake_data_needs_no_file():
    train = input_data.read_data_sets("/nowhere", fake_data=True, one_hot=True).train
    images, labels = train.next_batch(2)
    assert np.shape(images) == (2, 784) and labels[1] == [1] + [0] * 9
    assert train.num_examples == 10000


def test_a_missing_file_is_named_with_its_source(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        input_data.read_data_sets(str(tmp_path))
    source = input_data.DEFAULT_SOURCE_URL + input_data.TRAIN_IMAGES
    assert str(tmp_path) in str(error.value) and source in str(error.value)


def test_files_that_hold_something_else_are_refused(folder):
    images = _file(2051, _images(2))
    with pytest.raises(ValueError, match="magic number 2049 in MNIST image file"):
        input_data.extract_images(io.BytesIO(_file(2049, np.arange(4))))
    with pytest.raises(ValueError, match="magic number 2051 in MNIST label file"):
        input_data.extract_labels(io.BytesIO(images))
    with pytest.raises(ValueError, match="has 1567 bytes, its shape is"):
        input_data.extract_images(io.BytesIO(images[:-1]))
    with pytest.raises(ValueError, match="between 0 and 20. Received: 21"):
        input_data.read_data_sets(folder, validation_size=21)
    with pytest.raises(TypeError, match="Invalid image dtype float64"):
        input_data.DataSet(_images(2), np.arange(2), dtype=tf.float64)
    with pytest.raises(ValueError, match="2 images and 3 labels"):
        input_data.DataSet(_images(2), np.arange(3))


def test_the_network_learns_bright_from_dark():
    rng = np.random.RandomState(0)
    labels = rng.randint(0, 2, 64)
    images = rng.rand(64, 784) * 0.1 + 0.5 * labels[:, None]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        x, y = tf.constant(images, tf.float32), tf.constant(labels, tf.int32)
        logits = mnist.inference(x, 16, 8)
        names = [v.op.name for v in tf.trainable_variables()]
        assert names == [
            f"{layer}/{part}"
            for layer in ("hidden1", "hidden2", "softmax_linear")
            for part in ("weights", "biases")
        ]
        loss = mnist.loss(logits, y)
        step = mnist.training(loss, 0.05)
        right = mnist.evaluation(logits, y)
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(100):
            session.run(step)
        assert session.run(loss) < before / 2
        assert session.run(right) == 64
        assert session.run("global_step:0") == 100
