# SPDX-License-Identifier: Apache-2.0
"""tf.nn, clipping and checks: values against NumPy, and what they refuse."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

_RANDOM = np.random.RandomState(3)
_IMAGE = _RANDOM.normal(size=[2, 5, 4, 3])
_FILTER = _RANDOM.normal(size=[3, 2, 3, 4])


def _conv(x, w, stride):
    """The VALID convolution, one output pixel at a time."""
    h = (x.shape[1] - w.shape[0]) // stride + 1
    v = (x.shape[2] - w.shape[1]) // stride + 1
    y = np.zeros([x.shape[0], h, v, w.shape[3]])
    for i in range(h):
        for j in range(v):
            top, left = i * stride, j * stride
            patch = x[:, top : top + w.shape[0], left : left + w.shape[1]]
            y[:, i, j] = np.tensordot(patch, w, [[1, 2, 3], [0, 1, 2]])
    return y


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("stride", [1, 2])
def test_conv2d(dtype, stride):
    got = evaluate(
        tf.nn.conv2d(
            _IMAGE.astype(dtype), _FILTER.astype(dtype), [1, stride, stride, 1], "VALID"
        )
    )
    np.testing.assert_allclose(
        got, _conv(_IMAGE, _FILTER, stride), rtol=1e-4, atol=1e-5
    )


def test_conv2d_transpose_is_the_gradient_of_conv2d():
    x = tf.constant(_IMAGE)
    y = tf.nn.conv2d(x, _FILTER, [1, 2, 1, 1], "SAME")
    dy = _RANDOM.normal(size=y.get_shape().as_list())
    (want,) = tf.gradients(y, x, grad_ys=[tf.constant(dy)])
    got = tf.nn.conv2d_transpose(dy, _FILTER, [2, 5, 4, 3], [1, 2, 1, 1], "SAME")
    assert got.op.type == "Conv2DBackpropInput"
    np.testing.assert_allclose(*evaluate([got, want]), rtol=1e-10)


def test_pools_reduce_their_windows():
    windows = _IMAGE[:, :4].reshape(2, 2, 2, 2, 2, 3)
    args = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    np.testing.assert_allclose(
        evaluate(tf.nn.max_pool(_IMAGE, **args)), windows.max((2, 4))
    )
    np.testing.assert_allclose(
        evaluate(tf.nn.avg_pool(_IMAGE, **args)), windows.mean((2, 4))
    )


def _softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@pytest.mark.parametrize("wrong", [None, "two", [1, None]])
def test_window_sizes_that_are_no_integers_are_refused_by_name(wrong):
    x, dy = np.zeros([1, 4, 4, 1]), np.zeros([1, 3, 3, 1])
    with pytest.raises(TypeError, match="strides must be one integer"):
        tf.nn.conv2d_backprop_input([1, 4, 4, 1], x[0], dy, wrong, "VALID")
    with pytest.raises(TypeError, match="ksize must be one integer"):
        tf.nn.max_pool(x, wrong, 1, "VALID")


def test_cross_entropies_are_numpys():
    logits = _RANDOM.normal(size=[4, 3])
    labels = _softmax(_RANDOM.normal(size=[4, 3]))
    classes = np.array([0, 2, 1, 2])
    log_p = np.log(_softmax(logits))
    got = evaluate(
        [
            tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits),
            tf.nn.sparse_softmax_cross_entropy_with_logits(
                labels=classes, logits=logits
            ),
            tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits),
            tf.nn.softmax(logits),
            tf.nn.log_softmax(logits),
            tf.nn.l2_loss(logits),
        ]
    )
    s = 1 / (1 + np.exp(-logits))
    want = [
        -(labels * log_p).sum(1),
        -log_p[np.arange(4), classes],
        -labels * np.log(s) - (1 - labels) * np.log(1 - s),
        np.exp(log_p),
        log_p,
        (logits**2).sum() / 2,
    ]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-6)


@pytest.mark.parametrize(
    "loss",
    [
        tf.nn.softmax_cross_entropy_with_logits,
        tf.nn.sparse_softmax_cross_entropy_with_logits,
        tf.nn.sigmoid_cross_entropy_with_logits,
    ],
)
def test_losses_take_arguments_by_name_only(loss):
    x = tf.constant([[1.0]])
    with pytest.raises(ValueError, match="named arguments"):
        loss(x, x)
    with pytest.raises(ValueError, match="Both labels and logits"):
        loss(logits=x)


def test_activations():
    x = np.array([-7.0, -1.0, 0.0, 0.5, 8.0])
    got = evaluate(
        [
            tf.nn.relu(x),
            tf.nn.relu6(x),
            tf.nn.elu(x),
            tf.nn.softplus(x),
            tf.nn.softsign(x),
            tf.nn.leaky_relu(x),
            tf.nn.crelu(x),
            tf.sigmoid(x),
            tf.log_sigmoid(x),
        ]
    )
    want = [
        np.maximum(x, 0),
        np.clip(x, 0, 6),
        np.where(x > 0, x, np.expm1(x)),
        np.log1p(np.exp(x)),
        x / (1 + np.abs(x)),
        np.where(x > 0, x, 0.2 * x),
        np.concatenate([np.maximum(x, 0), np.maximum(-x, 0)]),
        1 / (1 + np.exp(-x)),
        -np.log1p(np.exp(-x)),
    ]
    for g, w in zip(got, want, strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-6, atol=1e-12)


def test_dropout_keeps_the_mean():
    x = tf.ones([100, 100])
    y = evaluate(tf.nn.dropout(x, keep_prob=0.8, seed=1))
    assert set(np.unique(y)) == {np.float32(0), np.float32(1.25)}
    np.testing.assert_allclose(y.mean(), 1.0, atol=0.02)


def test_moments_and_normalisation():
    x = _RANDOM.normal(2.0, 3.0, [50, 4])
    mean, variance = tf.nn.moments(tf.constant(x), [0])
    normal = tf.nn.batch_normalization(x, mean, variance, None, None, 1e-9)
    got = evaluate([mean, variance, normal, tf.nn.l2_normalize(x, 1)])
    np.testing.assert_allclose(got[0], x.mean(0))
    np.testing.assert_allclose(got[1], x.var(0))
    np.testing.assert_allclose(got[2].std(0), np.ones(4), rtol=1e-6)
    np.testing.assert_allclose((got[3] ** 2).sum(1), np.ones(50))


def test_top_k():
    values, indices = evaluate(tf.nn.top_k([[1.0, 4.0, 2.0], [3.0, 3.0, 1.0]], 2))
    assert values.tolist() == [[4, 2], [3, 3]]
    assert indices.tolist() == [[1, 2], [0, 1]]
    assert evaluate(tf.nn.in_top_k([[0.1, 0.7, 0.2]], [2], 2)).tolist() == [True]


def test_clips():
    x = np.array([[3.0, 4.0], [0.0, 1.0]])
    got = evaluate(
        [
            tf.clip_by_value(x, 0.5, 3.5),
            tf.clip_by_norm(x, 2.0, axes=[1]),
            tf.global_norm([x, x]),
            *tf.clip_by_global_norm([x, None, x], 1.0)[0][::2],
        ]
    )
    norm = np.sqrt(2 * (x**2).sum())
    np.testing.assert_allclose(got[0], np.clip(x, 0.5, 3.5))
    np.testing.assert_allclose(got[1], [[1.2, 1.6], [0, 1]])
    np.testing.assert_allclose(got[2], norm)
    np.testing.assert_allclose(got[3], x / norm)


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        (lambda x: tf.assert_equal(x, 2), 3),
        (lambda x: tf.assert_less(x, 3), 3),
        (lambda x: tf.assert_less_equal(x, 2), 3),
        (lambda x: tf.assert_greater(x, 1), 1),
        (lambda x: tf.assert_greater_equal(x, 2), 1),
        (lambda x: tf.assert_none_equal(x, 5), 5),
        (tf.assert_positive, 0),
        (tf.assert_non_negative, -1),
    ],
)
def test_assertions(check, bad):
    x = tf.placeholder(tf.int32, [None])
    with tf.control_dependencies([check(x)]):
        y = tf.identity(x)
    with tf.Session() as session:
        assert session.run(y, {x: [2, 2]}).tolist() == [2, 2]
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: [2, bad]})


def test_static_assertions_fail_while_building():
    with pytest.raises(ValueError):
        tf.assert_rank(tf.constant([1]), 0)
    with pytest.raises(TypeError):
        tf.assert_integer(tf.constant(1.0))


@pytest.mark.parametrize(
    "build",
    [
        lambda: tf.nn.conv2d(_IMAGE, _FILTER, [1, 1, 1], "SAME"),
        lambda: tf.nn.conv2d(_IMAGE, _FILTER, [1, 1, 1, 1], "ROUND"),
        lambda: tf.nn.conv2d(_IMAGE[0], _FILTER, [1, 1, 1, 1], "SAME"),
        lambda: tf.nn.conv2d(_IMAGE[..., :2], _FILTER, [1, 1, 1, 1], "SAME"),
        lambda: tf.nn.bias_add(_IMAGE, [1.0, 2.0]),
        lambda: tf.nn.max_pool(_IMAGE, [1, 9, 9, 1], [1, 1, 1, 1], "VALID"),
        lambda: tf.nn.top_k([1.0], 2),
    ],
)
def test_shapes_that_do_not_fit_are_found_while_building(build):
    with pytest.raises((ValueError, TypeError)):
        build()


def test_leaky_relu_has_the_slope_of_its_side():
    x = tf.constant([np.inf, -np.inf, np.nan, 0.0, 3.0, -3.0])
    y = tf.nn.leaky_relu(x)
    value, slope = evaluate([y, tf.gradients(y, x)[0]])
    np.testing.assert_allclose(value, [np.inf, -np.inf, np.nan, 0.0, 3.0, -0.6])
    np.testing.assert_allclose(slope, [1, 0.2, 0.2, 0.2, 1, 0.2])
    steep = evaluate(tf.nn.leaky_relu([2.0, -2.0], alpha=1.5))
    assert steep.tolist() == [2.0, -3.0]


def test_softmax_cross_entropy_flattens_logits_and_labels_each_by_itself():
    logits = tf.placeholder(tf.float32, [None, 7])
    labels = tf.placeholder(tf.float32, [1, None, 7])
    x = np.random.RandomState(0).normal(size=[3, 7])
    feed = {logits: x, labels: np.ones([1, 3, 7]) / 7}
    for function in (
        tf.nn.softmax_cross_entropy_with_logits,
        tf.nn.softmax_cross_entropy_with_logits_v2,
    ):
        cost = function(labels=labels, logits=logits)
        want = np.log(np.exp(x).sum(1)) - x.mean(1)
        np.testing.assert_allclose(evaluate(cost, feed), want, rtol=1e-5)
        cost = function(labels=feed[labels], logits=tf.reshape(logits, [3, 1, 7]))
        np.testing.assert_allclose(evaluate(cost, feed)[:, 0], want, rtol=1e-5)
