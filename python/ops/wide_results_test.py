# SPDX-License-Identifier: Apache-2.0
"""Results so large that threads share the work, against NumPy, to the last element."""

import itertools

import numpy as np
import pytest

import tensorwright as tf


def _draw(*shape, seed=1):
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype(np.float32)


def _run(build):
    config = tf.ConfigProto(intra_op_parallelism_threads=2)
    with tf.Graph().as_default() as graph, tf.Session(config=config) as session:
        graph.graph_def_versions.producer = 1
        return session.run(build())


def _taps(x, sizes):
    """(tap, the part of x that it sees) for a filter of these sizes, without padding."""
    for tap in itertools.product(*[range(n) for n in sizes]):
        ends = [slice(t, t + n - s + 1) for t, n, s in zip(tap, x.shape[1:-1], sizes)]
        yield tap, x[(slice(None), *ends)]


def test_pads():
    x, pads = _draw(700, 900), [[3, 5], [2, 7]]
    got = _run(lambda: tf.raw_ops.Pad(input=x, paddings=pads))
    np.testing.assert_array_equal(got, np.pad(x, pads))
    got = _run(lambda: tf.raw_ops.PadV2(input=x, paddings=pads, constant_values=2.0))
    np.testing.assert_array_equal(got, np.pad(x, pads, constant_values=2.0))


@pytest.mark.parametrize("mode", ["REFLECT", "SYMMETRIC"])
def test_the_gradient_of_mirrors(mode):
    pads = [[30, 50], [20, 70]]
    places = np.arange(600 * 700).reshape(600, 700)
    where = np.pad(places, pads, mode=mode.lower())
    dy = np.random.RandomState(1).randint(-9, 9, where.shape).astype(np.float32)
    want = np.zeros(places.size)
    np.add.at(want, where.ravel(), dy.ravel())
    got = _run(lambda: tf.raw_ops.MirrorPadGrad(input=dy, paddings=pads, mode=mode))
    np.testing.assert_array_equal(got, want.reshape(places.shape))


def test_the_gradient_of_tiles():
    dy = np.random.RandomState(1).randint(-9, 9, [1200, 900]).astype(np.float32)
    got = _run(lambda: tf.raw_ops.TileGrad(input=dy, multiples=[2, 3]))
    np.testing.assert_array_equal(got, dy.reshape(2, 600, 3, 300).sum((0, 2)))


def test_transforms():
    x = _draw(16, 256, 300)
    got = _run(lambda: tf.raw_ops.RFFT2D(input=x, fft_length=[256, 300]))
    np.testing.assert_allclose(got, np.fft.rfft2(x), rtol=0, atol=2e-3)
    y = np.fft.rfftn(_draw(4, 64, 60, 50), axes=(1, 2, 3)).astype(np.complex64)
    got = _run(lambda: tf.raw_ops.IRFFT3D(input=y, fft_length=[64, 60, 50]))
    want = np.fft.irfftn(y, [64, 60, 50], (1, 2, 3))
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-4)


def test_means_of_boxes():
    x = _draw(2, 24, 40, 40, 8)
    window = [1, 2, 2, 2, 1]
    got = _run(
        lambda: tf.raw_ops.AvgPool3D(
            input=x, ksize=window, strides=window, padding="VALID"
        )
    )
    want = x.reshape(2, 12, 2, 20, 2, 20, 2, 8).mean((2, 4, 6))
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_convolutions_of_volumes():
    x, f = _draw(2, 14, 26, 26, 8), _draw(3, 3, 3, 8, 8, seed=2)
    got = _run(
        lambda: tf.raw_ops.Conv3D(input=x, filter=f, strides=[1] * 5, padding="VALID")
    )
    want = sum(part @ f[tap] for tap, part in _taps(x, [3, 3, 3]))
    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)


def test_filter_gradients_of_depthwise_convolutions():
    x, dy = _draw(8, 66, 66, 16), _draw(8, 64, 64, 32, seed=2)
    got = _run(
        lambda: tf.raw_ops.DepthwiseConv2dNativeBackpropFilter(
            input=x,
            filter_sizes=[3, 3, 16, 2],
            out_backprop=dy,
            strides=[1] * 4,
            padding="VALID",
        )
    )
    want = np.zeros([3, 3, 16, 2])
    for tap, part in _taps(x, [3, 3]):
        parts = dy.reshape(8, 64, 64, 16, 2)
        want[tap] = np.einsum("bijc,bijcm->cm", part, parts, dtype=np.float64)
    np.testing.assert_allclose(got, want, rtol=1e-3, atol=1e-3)


_A = np.array([[b"%d" % (i % 89), b"x"] for i in range(30_000)], object)
_B = np.array([[b"%d" % (i % 97)] for i in range(30_000)], object)


def _cross(op, a, b, **attrs):
    none = dict(indices=[], values=[], shapes=[])
    return list(getattr(tf.raw_ops, op)(**none, dense_inputs=[a, b], **attrs))


def _check_places(indices, shape, rows):
    wanted = [(i, j) for i in range(rows) for j in range(2)]
    np.testing.assert_array_equal(indices, wanted)
    np.testing.assert_array_equal(shape, [rows, 2])


@pytest.mark.parametrize("op", ["SparseCross", "SparseCrossV2"])
def test_crosses_of_texts(op):
    if op == "SparseCross":
        attrs = dict(
            hashed_output=False, num_buckets=0, hash_key=1,
            out_type=tf.string, internal_type=tf.string,
        )  # fmt: skip
        between = b"_X_"
    else:
        attrs, between = dict(sep="-"), b"-"
    indices, values, shape = _run(lambda: _cross(op, _A, _B, **attrs))
    want = [a + between + b[0] for row, b in zip(_A, _B) for a in row]
    assert values.tolist() == want
    _check_places(indices, shape, len(_A))


def test_the_hash_of_a_row_does_not_depend_on_the_others():
    attrs = dict(num_buckets=1 << 40, strong_hash=True, salt=[1, 2])
    indices, values, shape = _run(lambda: _cross("SparseCrossHashed", _A, _B, **attrs))
    _check_places(indices, shape, len(_A))
    # Every 8633rd row is the same.
    np.testing.assert_array_equal(values[: 2 * 8633], values[2 * 8633 : 4 * 8633])
    assert len(set(values.tolist())) == 8633 + 97 * 1
    for at in range(0, 20, 3):
        row = slice(at, at + 1)
        _, alone, _ = _run(
            lambda r=row: _cross("SparseCrossHashed", _A[r], _B[r], **attrs)
        )
        np.testing.assert_array_equal(alone, values[2 * at : 2 * at + 2])
    tail = slice(8633 - 7, 8633 + 5)
    _, parts, _ = _run(lambda: _cross("SparseCrossHashed", _A[tail], _B[tail], **attrs))
    np.testing.assert_array_equal(parts, values[2 * tail.start : 2 * tail.stop])
    # There is one bucket only.
    attrs["num_buckets"] = 1
    indices, values, shape = _run(
        lambda: _cross("SparseCrossHashed", _A[:9], _B[:9], **attrs)
    )
    _check_places(indices, shape, 9)
    np.testing.assert_array_equal(values, np.zeros(18))


def test_many_examples_in_json():
    text = '{"features": {"feature": {"n": {"int64List": {"value": [%d]}}}}}'
    numbers = np.arange(4000).reshape(2000, 2)
    texts = np.array([[text % n for n in row] for row in numbers], object)
    got = _run(lambda: tf.raw_ops.DecodeJSONExample(json_examples=texts))
    assert got.shape == texts.shape
    for number, example in zip(numbers.ravel(), got.ravel()):
        made = tf.train.Example()
        made.features.feature["n"].int64_list.value.append(number)
        assert example == made.SerializeToString()
