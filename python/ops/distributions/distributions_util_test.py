# SPDX-License-Identifier: Apache-2.0
"""Helpers of distributions against NumPy and SciPy: special functions, checks, shapes."""

import numpy as np
import pytest
from scipy import special

import tensorwright as tf
from tensorwright.python.ops.distributions import kullback_leibler, special_math, util

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


@pytest.mark.parametrize(("dtype", "rtol"), [(np.float32, 1e-5), (np.float64, 1e-11)])
@pytest.mark.parametrize(
    ("ours", "scipys"),
    [
        (special_math.ndtr, special.ndtr),
        (special_math.log_ndtr, special.log_ndtr),
        (lambda x: special_math.ndtri(special_math.ndtr(x / 8)), lambda x: x / 8),
        (lambda x: special_math.erfinv(x / 10), lambda x: special.erfinv(x / 10)),
    ],
)
def test_special_functions_are_scipys(ours, scipys, dtype, rtol):
    x = np.linspace(-9.9, 9.9, 199).astype(dtype)
    got = _run(ours(x))
    assert got.dtype == dtype
    np.testing.assert_allclose(got, scipys(x.astype(np.float64)), rtol * 10, rtol)


def test_the_derivative_of_log_ndtr_is_that_of_all_its_pieces():
    x = tf.constant(np.array([-300.0, -20.5, -20.0, -19.0, -1.0, 0.0, 1.0, 30.0]))
    (grad,) = tf.gradients(special_math.log_ndtr(x), x)
    values, got = _run([x, grad])
    density = -0.5 * values**2 - 0.5 * np.log(2 * np.pi)
    np.testing.assert_allclose(got, np.exp(density - special.log_ndtr(values)), 1e-8)


@pytest.mark.parametrize(
    ("order", "error"), [(1.5, TypeError), (-1, ValueError), (31, ValueError)]
)
def test_the_order_of_the_series_is_a_small_int(order, error):
    with pytest.raises(error, match="series_order"):
        special_math.log_ndtr(1.0, order)


def test_special_functions_are_of_float32_and_float64():
    for function in (special_math.ndtr, special_math.ndtri, special_math.log_ndtr):
        with pytest.raises(TypeError, match="float32 or float64"):
            function(tf.constant(1.0, tf.float16))


def test_softplus_inverse_keeps_digits_of_small_and_large_numbers():
    x = np.array([1e-30, 1e-5, 0.5, 1.0, 50.0, 1e5], np.float32)
    wide = x.astype(np.float64)
    with np.errstate(over="ignore"):
        expected = wide + np.log(-np.expm1(-wide))
    np.testing.assert_allclose(_run(util.softplus_inverse(x)), expected, 1e-6)


def test_log_combinations():
    counts = np.array([[2.0, 1.0, 2.0], [5.0, 0.0, 0.0]])
    got = _run(util.log_combinations(np.float64(5), counts))
    np.testing.assert_allclose(got, np.log([30.0, 1.0]), atol=1e-12)


def test_seeds_follow_from_seeds():
    assert util.gen_new_seed(None, "salt") is None
    seeds = {util.gen_new_seed(s, t) for s in (0, 1) for t in ("a", "b")}
    assert len(seeds) == 4 and all(0 <= s < 2**31 for s in seeds)
    # TensorFlow's gen_new_seed returns this.
    assert util.gen_new_seed(7, "abc") == 1356946699


@pytest.mark.parametrize("static", [True, False])
def test_rotate_transpose(static):
    x = np.arange(24).reshape(2, 3, 4)
    for shift in (-4, -1, 0, 1, 2, 5):
        if static:
            got = util.rotate_transpose(x, shift)
        else:
            unknown = tf.placeholder_with_default(x, None)
            got = util.rotate_transpose(unknown, tf.constant(shift))
        expected = x.transpose(np.roll(np.arange(3), shift))
        np.testing.assert_array_equal(_run(got), expected)


def test_pick_vector():
    condition = tf.placeholder(tf.bool, [])
    picked = util.pick_vector(condition, [1, 2], [3, 4, 5])
    assert _run(picked, {condition: True}).tolist() == [1, 2]
    assert _run(picked, {condition: False}).tolist() == [3, 4, 5]
    assert _run(util.pick_vector(True, [1], [2, 3])).tolist() == [1]
    with pytest.raises(TypeError, match="bool"):
        util.pick_vector(1, [1], [2])
    with pytest.raises(TypeError, match="one dtype"):
        util.pick_vector(condition, [1], [2.0])


def test_same_dynamic_shape():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    same = util.same_dynamic_shape(a, b)
    for shapes, want in (
        (([2, 3], [2, 3]), True),
        (([2, 3], [3, 2]), False),
        (([2], [2, 1]), False),
        (([], []), True),
    ):
        assert _run(same, {a: np.ones(shapes[0]), b: np.ones(shapes[1])}) == want
    assert _run(util.same_dynamic_shape([1, 2], [3.0, 4.0]))


def test_fill_lower_triangular_goes_row_by_row():
    x = np.arange(1, 13).reshape(2, 6)
    got = _run(util.fill_lower_triangular(x))
    assert got[0].tolist() == [[1, 0, 0], [2, 3, 0], [4, 5, 6]]
    assert got[1].tolist() == [[7, 0, 0], [8, 9, 0], [10, 11, 12]]
    for bad in (np.ones(4), tf.placeholder(tf.float32, [None])):
        with pytest.raises(ValueError, match="last dimension"):
            util.fill_lower_triangular(bad)


def _passes(build, value):
    """Whether a run of the check lets the value through."""
    with tf.Graph().as_default():
        x = tf.placeholder(np.asarray(value).dtype, None)
        check = build(x)
        try:
            _run(check, {x: value})
        except tf.errors.InvalidArgumentError:
            return False
        return True


@pytest.mark.parametrize(
    ("build", "good", "bad"),
    [
        (util.assert_integer_form, [1.0, -3.0], [1.5]),
        (util.assert_integer_form, np.array([1, 2]), None),
        (
            lambda x: util.assert_integer_form(x, int_dtype=tf.int16),
            [32767.0],
            [32768.0],
        ),
        (lambda x: util.assert_close(x, tf.ones_like(x)), [1.0, 1 + 2e-16], [1.001]),
        (lambda x: util.assert_close(x, tf.ones_like(x)), np.array([1]), np.array([2])),
        (util.embed_check_nonnegative_integer_form, [0.0, 4.0], [-1.0]),
        (util.embed_check_nonnegative_integer_form, [0.0, 4.0], [0.5]),
        (
            lambda x: util.embed_check_integer_casting_closed(x, tf.int8),
            np.array([0, 127]),
            np.array([128]),
        ),
        (
            lambda x: util.embed_check_integer_casting_closed(x, tf.int8, False),
            np.array([-128]),
            np.array([-129]),
        ),
        (
            lambda x: util.embed_check_integer_casting_closed(x, tf.float16),
            np.array([2048]),
            np.array([2049]),
        ),
        (
            lambda x: util.embed_check_integer_casting_closed(x, tf.int32),
            [3.0],
            [-1.0],
        ),
        (util.embed_check_categorical_event_shape, [[0.5, 0.5]], [[1.0]]),
    ],
)
def test_checks(build, good, bad):
    assert _passes(build, good)
    assert bad is None or not _passes(build, bad)


@pytest.mark.parametrize(
    "dtype, lower, upper",
    [
        (
            np.float32,
            special_math.LOGNDTR_FLOAT32_LOWER,
            special_math.LOGNDTR_FLOAT32_UPPER,
        ),
        (
            np.float64,
            special_math.LOGNDTR_FLOAT64_LOWER,
            special_math.LOGNDTR_FLOAT64_UPPER,
        ),
    ],
)
def test_the_ends_of_log_ndtr_are_where_its_forms_meet(dtype, lower, upper):
    assert lower.dtype == upper.dtype == dtype
    above = np.linspace(upper, upper + 3, 20).astype(dtype)
    just_below = np.array([lower * 1.0001, lower * 0.9999], dtype)
    with tf.Session() as session:
        found, probability = session.run(
            [special_math.log_ndtr(above), special_math.ndtr(-above)]
        )
        low, high = session.run(special_math.log_ndtr(just_below, series_order=10))
    np.testing.assert_allclose(found, -probability, rtol=2 * np.finfo(dtype).eps)
    # The slope of log_ndtr at x far below 0 is about -x.
    step = (just_below[1] - just_below[0]) * -lower
    np.testing.assert_allclose(high - low, step, rtol=0.02)


def test_a_divergence_is_found_by_the_nearest_bases():
    class Mine(tf.distributions.Normal):
        pass

    normal = tf.distributions.Normal
    found = kullback_leibler._registered_kl(Mine, normal)
    assert found is kullback_leibler._registered_kl(normal, normal)
    assert found is kullback_leibler._DIVERGENCES[normal, normal]
    assert kullback_leibler._registered_kl(normal, tf.distributions.Gamma) is None
