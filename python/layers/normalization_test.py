# SPDX-License-Identifier: Apache-2.0
"""Batch normalisation in and out of training, against NumPy."""

import numpy as np
import pytest

import tensorwright as tf

RNG = np.random.RandomState(9)
IMAGE = (RNG.randn(3, 4, 5, 2) * 2 + 1).astype(np.float32)
ROWS = (RNG.randn(8, 3) + 2).astype(np.float32)
EPSILON = 1e-3


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def values():
    return {v.op.name.rpartition("/")[2]: v for v in tf.global_variables()}


def load(session):
    """Sets random values; those of divisors are positive."""
    session.run(tf.global_variables_initializer())
    drawn = {}
    for name, v in values().items():
        drawn[name] = np.abs(RNG.randn(*v.shape.as_list())) + 0.5
        v.load(drawn[name], session)
    return drawn


# Inputs, axis, fused.
FORMS = [
    (ROWS, -1, None),
    (IMAGE, -1, None),
    (IMAGE, 3, False),
    (IMAGE, 1, True),
    (IMAGE, 1, False),
    (IMAGE, [1, 3], None),
    (IMAGE.astype(np.float64), -1, None),
    (IMAGE[..., 0], 1, None),
]


@pytest.mark.parametrize("training", [True, False, "fed"])
@pytest.mark.parametrize("x,axis,fused", FORMS)
def test_normalises_and_keeps_averages(x, axis, fused, training):
    holder = tf.placeholder_with_default(True, []) if training == "fed" else training
    y = tf.layers.batch_normalization(
        tf.constant(x), axis, momentum=0.9, fused=fused, training=holder
    )
    axes = [a % x.ndim for a in (axis if isinstance(axis, list) else [axis])]
    rest = tuple(a for a in range(x.ndim) if a not in axes)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    assert len(updates) == (0 if training is False else 2)
    assert [v.op.name for v in tf.trainable_variables()] == [
        "batch_normalization/gamma",
        "batch_normalization/beta",
    ]
    is_fused = any(
        op.type == "FusedBatchNorm" for op in tf.get_default_graph().get_operations()
    )
    assert is_fused == (fused or (fused is None and x.ndim == 4 and axis == -1 and x.dtype == np.float32))  # fmt: skip

    def expect(drawn, seen):
        shape = [n if i in axes else 1 for i, n in enumerate(x.shape)]
        p = {k: v.reshape(shape) for k, v in drawn.items()}
        mean = x.mean(rest, keepdims=True) if seen else p["moving_mean"]
        variance = x.var(rest, keepdims=True) if seen else p["moving_variance"]
        return p["gamma"] * (x - mean) / np.sqrt(variance + EPSILON) + p["beta"]

    with tf.Session() as session:
        drawn = load(session)
        seen = training is not False
        got = session.run(y)
        np.testing.assert_allclose(got, expect(drawn, seen), rtol=1e-4, atol=1e-4)
        if training == "fed":
            got, *_ = session.run([y, *updates], {holder: False})
            np.testing.assert_allclose(got, expect(drawn, False), rtol=1e-4, atol=1e-4)
            for name in ("moving_mean", "moving_variance"):
                kept = session.run(values()[name])
                np.testing.assert_allclose(kept, drawn[name], rtol=1e-6)
        if not seen:
            return
        session.run(updates)
        count = x.size // np.prod([x.shape[a] for a in axes])
        variance = x.var(rest) * (count / (count - 1) if is_fused else 1)
        for name, value in (("mean", x.mean(rest)), ("variance", variance)):
            old = drawn[f"moving_{name}"]
            new = session.run(values()[f"moving_{name}"])
            np.testing.assert_allclose(
                new, 0.9 * old + 0.1 * value.reshape(old.shape), rtol=1e-4
            )


@pytest.mark.parametrize("fused", [True, False])
def test_gradient_in_training(fused):
    x = tf.placeholder(tf.float32, IMAGE.shape)
    y = tf.layers.batch_normalization(x, training=True, fused=fused)
    weights = RNG.randn(*IMAGE.shape)
    gradient = tf.gradients(tf.reduce_sum(y * weights.astype(np.float32)), x)[0]
    with tf.Session() as session:
        gamma = load(session)["gamma"]
        got = session.run(gradient, {x: IMAGE})
    rest = (0, 1, 2)
    deviation = np.sqrt(IMAGE.var(rest) + EPSILON)
    normal = (IMAGE - IMAGE.mean(rest)) / deviation
    want = weights - weights.mean(rest) - normal * (weights * normal).mean(rest)
    np.testing.assert_allclose(got, want * gamma / deviation, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("fused", [True, False])
def test_without_centre_and_scale(fused):
    y = tf.layers.batch_normalization(
        IMAGE, center=False, scale=False, training=True, fused=fused
    )
    assert set(values()) == {"moving_mean", "moving_variance"}
    assert tf.trainable_variables() == []
    with tf.Session() as session:
        load(session)
        got = session.run(y)
    np.testing.assert_allclose(got.mean((0, 1, 2)), 0, atol=1e-5)
    np.testing.assert_allclose(got.var((0, 1, 2)), 1, atol=1e-2)


def test_half_precision_keeps_statistics_in_float():
    y = tf.layers.batch_normalization(ROWS.astype(np.float16), training=True)
    assert y.dtype == tf.float16
    dtypes = [v.dtype.base_dtype for v in tf.global_variables()]
    assert dtypes == [tf.float32] * 4


def test_reuse_and_names():
    for reuse in (None, True):
        tf.layers.batch_normalization(ROWS, training=True, name="bn", reuse=reuse)
    assert sorted(v.op.name for v in tf.global_variables()) == [
        "bn/beta",
        "bn/gamma",
        "bn/moving_mean",
        "bn/moving_variance",
    ]
    assert len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)) == 4


def test_renormalisation_goes_towards_the_averages():
    fed = tf.placeholder_with_default(True, [])
    y = tf.layers.batch_normalization(
        ROWS, training=fed, renorm=True, renorm_momentum=0.8,
        renorm_clipping={"rmin": 0.5, "rmax": 1.5, "dmax": 0.6},
    )  # fmt: skip
    with tf.Session() as session:
        p = load(session)
        for name in ("renorm_mean_weight", "renorm_stddev_weight"):
            values()[name].load(0.75, session)
        mean, deviation = ROWS.mean(0), np.sqrt(ROWS.var(0) + EPSILON)
        mixed_mean = p["renorm_mean"] + 0.25 * mean
        mixed = p["renorm_stddev"] + 0.25 * deviation
        r = np.clip(deviation / mixed, 0.5, 1.5)
        d = np.clip((mean - mixed_mean) / mixed, -0.6, 0.6)
        got = session.run(y)
        want = ((ROWS - mean) / deviation * r + d) * p["gamma"] + p["beta"]
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
        got = session.run(y, {fed: False})
        used = (ROWS - p["moving_mean"]) / np.sqrt(p["moving_variance"] + EPSILON)
        np.testing.assert_allclose(got, used * p["gamma"] + p["beta"], rtol=1e-4, atol=1e-5)  # fmt: skip
        session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        moved = session.run([values()["renorm_mean"], values()["renorm_mean_weight"]])
        np.testing.assert_allclose(moved[0], 0.8 * p["renorm_mean"] + 0.2 * mean, rtol=1e-5)  # fmt: skip
        np.testing.assert_allclose(moved[1], 0.8 * 0.75 + 0.2, rtol=1e-6)
        session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), {fed: False})
        assert session.run(values()["renorm_mean_weight"]) == moved[1]


FOUR = np.concatenate([IMAGE, 0.5 * IMAGE[1:2]])


@pytest.mark.parametrize(("x", "axis"), [(ROWS, -1), (FOUR, -1), (FOUR, 1), (FOUR, [1, 3])])  # fmt: skip
def test_parts_of_a_batch_are_normalised_by_themselves(x, axis):
    fed, given = tf.placeholder_with_default(True, []), tf.placeholder("float", [None, *x.shape[1:]])  # fmt: skip
    size = len(x) // 2
    y = tf.layers.batch_normalization(
        given, axis, momentum=0.9, training=fed, virtual_batch_size=size
    )
    assert y.shape.as_list() == [None, *x.shape[1:]]
    axes = [a % x.ndim for a in (axis if isinstance(axis, list) else [axis])]
    shape = [n if i in axes else 1 for i, n in enumerate(x.shape)]
    rest = tuple(a for a in range(x.ndim) if a not in axes)
    with tf.Session() as session:
        drawn = load(session)
        p = {k: v.reshape(shape) for k, v in drawn.items()}
        want = np.empty_like(x)
        means, variances = [], []
        for part in (slice(0, None, 2), slice(1, None, 2)):
            mean = x[part].mean(rest, keepdims=True)
            variance = x[part].var(rest, keepdims=True)
            want[part] = p["gamma"] * (x[part] - mean) / np.sqrt(variance + EPSILON) + p["beta"]  # fmt: skip
            means.append(mean)
            variances.append(variance)
        got = session.run(y, {given: x})
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-4)
        used = p["gamma"] * (x - p["moving_mean"]) / np.sqrt(p["moving_variance"] + EPSILON) + p["beta"]  # fmt: skip
        got = session.run(y, {given: x, fed: False})
        np.testing.assert_allclose(got, used, rtol=1e-4, atol=1e-4)
        session.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), {given: x})
        for name, seen in (("moving_mean", means), ("moving_variance", variances)):
            moved = 0.9 * p[name] + 0.1 * np.mean(seen, 0)
            np.testing.assert_allclose(session.run(values()[name]).reshape(shape), moved, rtol=1e-4)  # fmt: skip
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {given: np.concatenate([x, x[:1]])})


@pytest.mark.parametrize("x", [ROWS, IMAGE])
def test_what_is_normalised_is_adjusted_in_training(x):
    fed = tf.placeholder_with_default(True, [])
    scale = np.abs(RNG.randn(len(x), *[1] * (x.ndim - 1))).astype(np.float32)
    shapes = []

    def adjustment(shape):
        shapes.append(shape)
        return tf.constant(scale), tf.constant(-scale)

    y = tf.layers.batch_normalization(tf.constant(x), training=fed, adjustment=adjustment)  # fmt: skip
    rest = tuple(range(x.ndim - 1))
    with tf.Session() as session:
        p = load(session)
        normal = (x - x.mean(rest)) / np.sqrt(x.var(rest) + EPSILON)
        want = p["gamma"] * (normal * scale - scale) + p["beta"]
        np.testing.assert_allclose(session.run(y), want, rtol=1e-3, atol=1e-4)
        used = (x - p["moving_mean"]) / np.sqrt(p["moving_variance"] + EPSILON)
        got = session.run(y, {fed: False})
        np.testing.assert_allclose(got, p["gamma"] * used + p["beta"], rtol=1e-3, atol=1e-4)  # fmt: skip
        assert session.run(shapes[0]).tolist() == list(x.shape)


bn = tf.layers.batch_normalization


@pytest.mark.parametrize(
    "shape,options,fused",
    [
        ((2, 3, 4, 5), {}, True),
        ((2, 3, 4, 5), {"axis": 1}, True),
        ((2, 3, 4, 5), {"axis": 2}, False),
        ((6, 5), {}, False),
        ((4, 3, 5), {}, False),
        ((2, 3, 4, 5), {"virtual_batch_size": 1}, False),
        (
            (2, 3, 4, 5),
            {"adjustment": lambda s: (tf.ones(s[-1:]), tf.zeros(s[-1:]))},
            False,
        ),  # fmt: skip # noqa: E501
    ],
)
def test_what_is_asked_to_be_fused_is_so_if_one_op_can_do_it(shape, options, fused):
    x = np.random.RandomState(0).randn(*shape).astype(np.float32)
    y = bn(x, fused=True, training=True, epsilon=1e-3, **options)
    types = {op.type for op in tf.get_default_graph().get_operations()}
    assert any(t.startswith("FusedBatchNorm") for t in types) is fused
    if "virtual_batch_size" in options:
        parts = [x[i : i + 1] for i in range(len(x))]
    else:
        parts = [x]
    channel = options.get("axis", -1) % x.ndim
    axes = tuple(a for a in range(x.ndim) if a != channel)
    wanted = [(p - p.mean(axes, keepdims=True)) / np.sqrt(p.var(axes, keepdims=True) + 1e-3) for p in parts]  # fmt: skip # noqa: E501
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_allclose(session.run(y), np.concatenate(wanted), 1e-4, 1e-4)


REFUSED = [
    (lambda: bn(tf.placeholder("float")), ValueError, "undefined rank"),
    (
        lambda: bn(tf.placeholder("float", [3, None])),
        ValueError,
        "needs its size.* undefined",
    ),
    (lambda: bn(ROWS, axis=2), ValueError, r"axis must be in \[-2, 2\)"),
    (lambda: bn(ROWS, axis=[1, -1]), ValueError, "names one twice"),
    (lambda: bn(ROWS, axis="x"), TypeError, "axis must be int or list"),
    (lambda: bn(IMAGE, fused=True, renorm=True), ValueError, "do not go together"),
    (lambda: bn(ROWS, virtual_batch_size=2, adjustment=max), ValueError, "neither adj"),
    (lambda: bn(ROWS, virtual_batch_size=2, renorm=True), ValueError, "neither adj"),
    (lambda: bn(ROWS, virtual_batch_size=2, axis=0), ValueError, "cannot include 0"),
    (lambda: bn(ROWS, virtual_batch_size=0), ValueError, "positive integer"),
    (
        lambda: bn(ROWS, renorm=True, renorm_clipping={"max": 1}),
        ValueError,
        "contains keys not in",
    ),
]


@pytest.mark.parametrize("build,error,words", REFUSED)
def test_what_does_not_fit_is_refused(build, error, words):
    with pytest.raises(error, match=words):
        build()
