# SPDX-License-Identifier: Apache-2.0
"""Random numbers that a seed decides: values, distributions, what is refused."""

import numpy as np
import pytest
import scipy.stats

import tensorwright as tf
from tensorwright.python.ops import gen_stateless_random_ops
from tensorwright.python.testing.op_testing import evaluate, fed

UNIFORM, NORMAL, TRUNCATED = (
    tf.random.stateless_uniform,
    tf.random.stateless_normal,
    tf.random.stateless_truncated_normal,
)
I32, I64 = tf.int32, tf.int64
# TensorFlow 2.21's results: function, seed, dtype, other arguments, values.
VALUES = [
    (UNIFORM, [1, 2], tf.float32, (), [0.8440604, 0.19204533, 0.9962232, 0.1603874]),
    (UNIFORM, [1, 2], tf.float64, (), [0.752483754, 0.969785773, 0.175922339]),
    (UNIFORM, [1, 2], tf.float16, (), [0.543, 0.2354, 0.06055, 0.8936]),
    (NORMAL, [1, -2], tf.float32, (), [-0.7619396, 0.031738095, 0.5835484]),
    (NORMAL, [1, -2], tf.float64, (), [-0.193500379, -0.004276503, 0.464886579]),
    (TRUNCATED, [1 << 40, 2], tf.float32, (), [-0.7425537, -0.1665702, 1.5792646]),
    (TRUNCATED, [1 << 40, 2], tf.float64, (), [0.059265726, -0.13855575, 1.430564048]),
    (UNIFORM, [1, 2], I32, (-5, 10**9), [105988130, 738052839, 959391274, 370444174]),
    (UNIFORM, [1, 2], I64, (-5, 10**9), [956213899, 802733128, 217673907, 385184683]),
    (UNIFORM, [3, 2], I32, (None, None), [-823133931, 1169161062, 47483412]),
    (UNIFORM, [3, 2], I64, (None, None), [5021508528518461717, -7742725827228038636]),
]


@pytest.mark.parametrize(("function", "seed", "dtype", "more", "want"), VALUES)
def test_values_of_a_seed(function, seed, dtype, more, want):
    got = fed(lambda s: function([4], s, *more, dtype=dtype), np.int64(seed))
    assert got.dtype == dtype.as_numpy_dtype
    if dtype.is_integer:
        assert got[: len(want)].tolist() == want
    else:
        eps = np.finfo(got.dtype).eps
        np.testing.assert_allclose(got[: len(want)], want, 4 * eps, 1e-8)


@pytest.mark.parametrize("function", [UNIFORM, NORMAL, TRUNCATED])
@pytest.mark.parametrize("seed_dtype", [np.int32, np.int64])
def test_the_seed_decides(function, seed_dtype):
    def draw(seed):
        return fed(lambda s: function([3, 50], s), np.array(seed, seed_dtype))

    one = draw([1, 2])
    np.testing.assert_array_equal(one, draw([1, 2]))
    for other in ([2, 1], [1, 3], [-1, 2]):
        assert (draw(other) != one).mean() > 0.9


def test_seeds_of_any_width_agree():
    def draw(dtype):
        return fed(
            lambda s: gen_stateless_random_ops.stateless_random_uniform_full_int(
                [4], s, dtype=tf.uint64
            ),
            np.array([7, 9], dtype),
        )

    wanted = draw(np.int64)
    for dtype in (np.int32, np.uint32, np.uint64):
        np.testing.assert_array_equal(draw(dtype), wanted)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_distributions(dtype):
    # Numbers of few digits are many times the same: they are made continuous again.
    step = {tf.float16: 2.0**-10, tf.bfloat16: 2.0**-7}.get(dtype, 0)
    noise = np.random.RandomState(0).uniform(0, step, 20_000)
    got = fed(lambda s: UNIFORM([20_000], s, dtype=dtype), np.int64([5, 6]))
    assert scipy.stats.kstest(got.astype(np.float64) + noise, "uniform").pvalue > 1e-3
    if step:
        return
    got = fed(lambda s: NORMAL([20_000], s, 3.0, 2.0, dtype), np.int64([5, 6]))
    assert scipy.stats.kstest(got, scipy.stats.norm(3, 2).cdf).pvalue > 1e-3
    got = fed(lambda s: TRUNCATED([20_000], s, 0.0, 1.0, dtype), np.int64([5, 6]))
    assert scipy.stats.kstest(got, scipy.stats.truncnorm(-2, 2).cdf).pvalue > 1e-3


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int32, np.int64])
def test_all_integers(dtype):
    got = fed(lambda s: UNIFORM([10_000], s, None, None, dtype=dtype), np.int64([1, 1]))
    bits = np.unpackbits(got.view(np.uint8)).reshape(10_000, -1)
    # Each bit is set half of the time: five deviations.
    assert (np.abs(bits.mean(0) - 0.5) < 5 * 0.5 / 100).all()


def test_shapes_and_threads():
    one = fed(lambda s: UNIFORM([300, 700], s), np.int64([1, 2]))
    two = fed(lambda s: UNIFORM([210_000], s), np.int64([1, 2]))
    np.testing.assert_array_equal(one.ravel(), two)
    assert fed(lambda s: NORMAL([0, 2], s), np.int64([1, 2])).shape == (0, 2)
    assert fed(lambda s: NORMAL([], s), np.int64([1, 2])).shape == ()


@pytest.mark.parametrize(
    ("op", "more"),
    [
        ("StatelessRandomUniform", {}),
        ("StatelessRandomNormal", {}),
        ("StatelessTruncatedNormal", {}),
        ("StatelessRandomUniformInt", dict(minval=-9, maxval=1 << 30)),
        ("StatelessRandomUniformFullInt", dict(dtype=tf.int32)),
        ("StatelessRandomUniformIntV2", dict(minval=-9, maxval=1 << 30)),
        ("StatelessRandomUniformFullIntV2", dict(dtype=tf.int32)),
    ],
)
def test_numbers_come_in_the_order_of_their_places(op, more):
    """A matrix has the numbers of a vector of its size; a longer vector begins with them."""
    if op.endswith("V2"):
        more = dict(key=np.uint64([1]), counter=np.uint64([2, 3]), alg=1, **more)
    else:
        more = dict(seed=[1, 2], **more)

    def draw(shape):
        return evaluate(getattr(tf.raw_ops, op)(shape=shape, **more))

    flat = draw([12])
    np.testing.assert_array_equal(draw([3, 4]).ravel(), flat)
    np.testing.assert_array_equal(draw([4, 3]).ravel(), flat)
    np.testing.assert_array_equal(draw([15])[:12], flat)


_KEYED = dict(key=np.uint64([1]), counter=np.uint64([2, 3]), alg=1)


@pytest.mark.parametrize(
    ("op", "more"),
    [
        ("StatelessRandomUniformFullInt", dict(seed=[1, 2])),
        ("StatelessRandomUniformFullIntV2", _KEYED),
    ],
)
@pytest.mark.parametrize("bits", [32, 64])
def test_unsigned_numbers_are_the_bits_of_signed_ones(op, more, bits):
    signed, unsigned = (
        evaluate(getattr(tf.raw_ops, op)(shape=[9], dtype=f"{t}{bits}", **more))
        for t in ("int", "uint")
    )
    np.testing.assert_array_equal(unsigned, signed.view(unsigned.dtype))


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64, np.int32, np.int64])
def test_integers_stay_within_their_range(dtype):
    got = evaluate(
        tf.raw_ops.StatelessRandomUniformIntV2(
            shape=[200], minval=dtype(7), maxval=dtype(10), **_KEYED
        )
    )
    assert got.dtype == dtype and set(got.tolist()) == {7, 8, 9}


def test_refuses_bad_arguments():
    for seed in ([1], [1, 2, 3], 1, [[1, 2]]):
        with pytest.raises(
            (ValueError, tf.errors.InvalidArgumentError), match="seed|Shape|Dimension"
        ):
            fed(lambda s: UNIFORM([2], s), np.int64(seed))
    with pytest.raises(tf.errors.InvalidArgumentError, match="minval < maxval"):
        fed(lambda s: UNIFORM([2], s, 3, 3, dtype=tf.int32), np.int64([1, 2]))
    with pytest.raises(ValueError, match="both None or not None"):
        UNIFORM([2], [1, 2], 0, None, dtype=tf.int32)
    with pytest.raises(ValueError, match="unsigned"):
        UNIFORM([2], [1, 2], 0, 9, dtype=tf.uint32)
    with pytest.raises(ValueError, match="alg"):
        UNIFORM([2], [1, 2], alg="threefry")


def test_is_not_differentiated():
    with tf.Graph().as_default():
        low, mean = tf.constant(0.0), tf.constant(1.0)
        assert tf.gradients(UNIFORM([2], [1, 2], low), low)[0] is not None
        shape = tf.constant([2])
        for function in (UNIFORM, NORMAL, TRUNCATED):
            assert tf.gradients(function(shape, [1, 2], mean), shape) == [None]


KEY, COUNTER = np.uint64([7]), np.uint64([1, 2])


def test_places_of_a_stream():
    """TensorFlow 2.21 returns these."""
    ops = gen_stateless_random_ops

    def draw(op, dtype, *more):
        return fed(lambda k, c: op([4], k, c, 1, *more, **dtype), KEY, COUNTER)

    single = {"dtype": tf.float32}
    np.testing.assert_allclose(
        draw(ops.stateless_random_uniform_v2, single),
        [0.10157979, 0.86369145, 0.67601836, 0.34561503], rtol=1e-6,
    )  # fmt: skip
    normal = [-1.6157985, 1.4010770, 0.72996628, -0.50021923]
    for op in (ops.stateless_random_normal_v2, ops.stateless_truncated_normal_v2):
        np.testing.assert_allclose(draw(op, single), normal, rtol=2e-6)
    full = draw(ops.stateless_random_uniform_full_int_v2, {"dtype": tf.uint32})
    assert full[:3].tolist() == [3993829521, 955157873, 3973482437]


def test_a_seed_names_a_place():
    ops = gen_stateless_random_ops
    key, counter, alg = ops.stateless_random_get_key_counter_alg([3, 5])
    got = evaluate([key, counter, alg, ops.stateless_random_get_alg()])
    assert got[0].tolist() == [4551124392215935721]
    assert got[1].tolist() == [0, 13892792660983712975]
    assert got[2] == got[3] == 1
    same = evaluate(list(ops.stateless_random_get_key_counter([3, 5])))
    assert [x.tolist() for x in same] == [x.tolist() for x in got[:2]]
    seeded = [
        ops.stateless_random_uniform([9], [3, 5]),
        ops.stateless_random_normal([9], [3, 5], dtype=tf.float64),
        ops.stateless_truncated_normal([9], [3, 5]),
        ops.stateless_random_uniform_full_int([9], [3, 5], dtype=tf.int64),
        ops.stateless_random_uniform_int([9], [3, 5], -7, 1000),
    ]
    placed = [
        ops.stateless_random_uniform_v2([9], key, counter, alg),
        ops.stateless_random_normal_v2([9], key, counter, alg, dtype=tf.float64),
        ops.stateless_truncated_normal_v2([9], key, counter, alg),
        ops.stateless_random_uniform_full_int_v2([9], key, counter, alg, dtype=tf.int64),
        ops.stateless_random_uniform_int_v2([9], key, counter, alg, -7, 1000),
    ]  # fmt: skip
    for a, b in zip(evaluate(seeded), evaluate(placed)):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_rows_of_a_stream_are_its_numbers_in_turn(dtype):
    ops = gen_stateless_random_ops
    key, counter = ops.stateless_random_get_key_counter([3, 5])
    for seeded, placed in (
        (ops.stateless_random_uniform, ops.stateless_random_uniform_v2),
        (ops.stateless_random_normal, ops.stateless_random_normal_v2),
        (ops.stateless_truncated_normal, ops.stateless_truncated_normal_v2),
    ):
        want = evaluate(seeded([12], [3, 5], dtype=dtype))
        got = evaluate(placed([3, 4], key, counter, 1, dtype=dtype))
        np.testing.assert_array_equal(got, want.reshape(3, 4))


@pytest.mark.parametrize("dtype", [np.uint32, np.uint64])
def test_unsigned_integers_in_a_range(dtype):
    low, high = dtype(5), dtype(4_000_000_000)
    got = fed(
        lambda k, c: gen_stateless_random_ops.stateless_random_uniform_int_v2(
            [1000], k, c, 1, low, high
        ),
        KEY, COUNTER,
    )  # fmt: skip
    assert got.dtype == dtype and got.min() >= low and got.max() < high
    assert got.max() > 3_900_000_000


@pytest.mark.parametrize(
    "key, counter, alg, words",
    [
        ([7, 8], [1, 2], 1, "imension"),
        ([7], [1], 1, "counter must have 2"),
        ([7], [1, 2], 2, "alg must be 1"),
        ([7], [1, 2], 9, "alg must be 1"),
        ([7], [1, 2], [1], "rank 0"),
    ],
)
def test_bad_places(key, counter, alg, words):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        fed(
            lambda k, c, a: gen_stateless_random_ops.stateless_random_uniform_v2(
                [2], k, c, a
            ),
            np.uint64(key), np.uint64(counter), np.int32(alg),
        )  # fmt: skip
