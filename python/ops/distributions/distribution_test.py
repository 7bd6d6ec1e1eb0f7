# SPDX-License-Identifier: Apache-2.0
"""The behaviour of every distribution: shapes, seeds, copies, subclasses, and refusals."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

tfd = tf.distributions


def _run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


@pytest.mark.parametrize("known", [True, False])
def test_shapes(known):
    def parameter(x):
        x = np.asarray(x, np.float32)
        return x if known else tf.placeholder_with_default(x, [None] * x.ndim)

    ours = tfd.Normal(parameter([[-1.5], [0.25]]), parameter([0.5, 1.0, 3.0]))
    assert ours.event_shape == [] and ours.dtype == tf.float32
    assert ours.batch_shape.as_list() == ([2, 3] if known else [None, None])
    fetches = [
        ours.batch_shape_tensor(),
        ours.event_shape_tensor(),
        ours.is_scalar_batch(),
        ours.is_scalar_event(),
    ]
    batch, event, scalar_batch, scalar_event = _run(fetches)
    assert batch.tolist() == [2, 3] and event.tolist() == []
    assert scalar_event and not scalar_batch
    for shape, full in (((), []), (4, [4]), ([4, 1], [4, 1]), ([0], [0])):
        draws = ours.sample(shape)
        assert _run(draws).shape == (*full, 2, 3)
        if known:
            assert draws.get_shape().as_list() == [*full, 2, 3]


def test_seeds_repeat_draws():
    ours = tfd.Normal(0.0, 1.0)
    first, again, other = _run([ours.sample(5, seed=s) for s in (1, 1, 2)])
    assert (first == again).all() and (first != other).all()


def test_a_copy_has_other_parameters():
    ours = tfd.Normal([0.0, 1.0], 2.0)
    other = ours.copy(scale=3.0, validate_args=True)
    assert other.parameters == {
        "loc": [0.0, 1.0],
        "scale": 3.0,
        "validate_args": True,
        "allow_nan_stats": True,
        "name": "Normal",
    }
    assert _run(other.stddev()).tolist() == [3, 3] and other.validate_args
    assert ours.name == "Normal/" and other.name == "Normal_1/"
    assert ours.mean().op.name.startswith("Normal/mean/")
    assert "Normal/" in str(ours) and "batch_shape=(2,)" in repr(ours)


def test_parameters_shapes_are_those_of_samples():
    shapes = tfd.Normal.param_static_shapes([2, 3])
    assert {k: v.as_list() for k, v in shapes.items()} == {
        "loc": [2, 3],
        "scale": [2, 3],
    }
    assert _run(tfd.Exponential.param_shapes([4]))["rate"].tolist() == [4]
    with pytest.raises(ValueError, match="sample_shape"):
        tfd.Uniform.param_static_shapes(tf.placeholder(tf.int32, [1]))


class _Triangle(tfd.Distribution):
    """Density 2 x in [0, 1]: a user's class, with the least that one needs."""

    def __init__(self, allow_nan_stats=True, name="Triangle"):
        super().__init__(
            tf.float32,
            tfd.NOT_REPARAMETERIZED,
            False,
            allow_nan_stats,
            locals(),
            name=name,
        )

    def _batch_shape(self):
        return tf.TensorShape([])

    def _event_shape(self):
        return tf.TensorShape([])

    def _prob(self, x):
        return 2 * x

    def _log_cdf(self, x):
        return 2 * tf.log(x)

    def _variance(self):
        return tf.constant(1 / 18)


def test_a_class_of_ones_own_gets_what_follows():
    ours = _Triangle()
    x = 0.6
    table = {
        "prob": 2 * x,
        "log_prob": np.log(2 * x),
        "cdf": x * x,
        "log_cdf": 2 * np.log(x),
        "survival_function": 1 - x * x,
        "log_survival_function": np.log(1 - x * x),
    }
    for method, value in table.items():
        assert _run(getattr(ours, method)(x)) == pytest.approx(value, rel=1e-5)
    assert _run(ours.stddev()) == pytest.approx(np.sqrt(1 / 18))
    for method in ("mean", "mode", "entropy", "covariance", "sample"):
        with pytest.raises(NotImplementedError, match=f"{method}.*_Triangle"):
            getattr(ours, method)()
    with pytest.raises(NotImplementedError, match="quantile"):
        ours.quantile(0.5)
    assert ours.copy().parameters == {"allow_nan_stats": True, "name": "Triangle"}


def test_the_divergence_of_the_nearest_bases_is_taken():
    class Base(_Triangle):
        pass

    class Derived(Base):
        pass

    with pytest.raises(NotImplementedError, match=r"No KL.*Base and Derived"):
        tfd.kl_divergence(Base(), Derived())

    @tfd.RegisterKL(Base, Base)
    def _far(a, b, name=None):
        return tf.constant(1.0)

    @tfd.RegisterKL(Derived, Base)
    def _near(a, b, name=None):
        return tf.constant(np.nan)

    assert _run(Base().kl_divergence(Derived())) == 1
    assert np.isnan(_run(Derived().kl_divergence(Derived())))
    with pytest.raises(
        tf.errors.InvalidArgumentError,
        match="KL calculation between .* and .* returned NaN values",
    ):
        _run(Derived(allow_nan_stats=False).kl_divergence(Base()))
    with pytest.raises(ValueError, match="has already been registered"):
        tfd.RegisterKL(Base, Base)(_near)
    with pytest.raises(TypeError, match="must be callable"):
        tfd.RegisterKL(Base, Derived)(1)


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: tfd.Normal(0, 1), "floating"),
        (lambda: tfd.Normal(0.0, np.float64(1)), "float64"),
        (lambda: tfd.Bernoulli(), "Must pass probs or logits, but not both"),
        (lambda: tfd.Bernoulli(1.0, 0.5), "Must pass probs or logits"),
        (lambda: tfd.Normal(0.0, 1.0).sample([[1]]), "neither scalar nor vector"),
        (lambda: tfd.Categorical(3.0), "rank"),
        (lambda: tfd.Categorical([1.0], validate_args=True), "2 to"),
        (lambda: tfd.Normal([0.0, 1.0], [1.0, 2.0, 3.0]).batch_shape, "ncompatible"),
        (
            lambda: tfd.Distribution(
                tf.float32, None, False, True, graph_parents=[1.0]
            ),
            r"graph_parents\[0\]",
        ),
    ],
)
def test_mistakes_are_found_while_building(build, words):
    with pytest.raises(ValueError, match=words):
        build()


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda x, **c: tfd.Normal(0.0, -x, **c).mean(), "Condition x > 0"),
        (lambda x, **c: tfd.Laplace(0.0, x - x, **c).mean(), "positive"),
        (lambda x, **c: tfd.Uniform(x, 0.5, **c).mean(), "low >= high.*x < y"),
        (lambda x, **c: tfd.Exponential(-x, **c).mean(), "positive"),
        (lambda x, **c: tfd.Exponential(x, **c).prob(-1.0), "x must be positive"),
        (lambda x, **c: tfd.Bernoulli(probs=2 * x, **c).mean(), "greater than 1"),
        (lambda x, **c: tfd.Bernoulli(probs=-x, **c).mean(), "Condition x >= 0"),
        (lambda x, **c: tfd.Bernoulli(x, **c).prob(2), "cannot exceed 1"),
        (lambda x, **c: tfd.Bernoulli(x, **c).prob(2.0), "cannot exceed 1"),
        (lambda x, **c: tfd.Categorical(probs=[x, x], **c).entropy(), "not sum to 1"),
        (lambda x, **c: tfd.Categorical([x, x], **c).prob(0.5), "int32-equivalent"),
        (lambda x, **c: tfd.Multinomial(-x, [x, x], **c).mean(), "be non-negative"),
        (
            lambda x, **c: tfd.Multinomial(x, [x, x], **c).prob([1.0, 1.0]),
            "must sum to",
        ),
        (lambda x, **c: tfd.Multinomial(x, [x, x], **c).prob([0.5, 1]), "fractional"),
    ],
)
def test_checks_are_made_where_one_asks_for_them(build, words):
    x = tf.placeholder_with_default(1.0, [])
    _run(build(x))
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        _run(build(x, validate_args=True))


def test_classes_are_below_their_number():
    for k in (-1, 2):
        with pytest.raises(tf.errors.InvalidArgumentError, match="label"):
            _run(tfd.Categorical([0.0, 0.0]).prob(k))
