# SPDX-License-Identifier: Apache-2.0
"""Distributions made of draws of gamma distribution, against SciPy: Gamma, Beta, Dirichlet, StudentT, DirichletMultinomial."""

import numpy as np
import pytest
from scipy import integrate, special, stats

import tensorwright as tf
from tensorwright.python.ops.distributions import beta, gamma, student_t

pytestmark = pytest.mark.usefixtures("fresh_graph")

tfd = tf.distributions

_A = np.array([[0.7], [2.5]])
_B = np.array([0.5, 1.5, 4.0])
_DF = np.array([[0.8], [1.5], [7.0]])
_LOC, _SCALE = np.array([-1.5, 0.25]), np.array([0.5, 3.0])
_C = np.array([[0.5, 2.0, 3.5], [4.0, 1.5, 2.5]])

# Name -> (parameters, SciPy's, points with the batch behind them).
_INSIDE = np.linspace(0.01, 0.99, 15)[:, None, None]
_SCALARS = {
    "Gamma": (
        {"concentration": _A, "rate": _B},
        stats.gamma(_A, scale=1 / _B),
        9 * _INSIDE,
    ),
    "Beta": ({"concentration1": _A, "concentration0": _B}, stats.beta(_A, _B), _INSIDE),
    "StudentT": (
        {"df": _DF, "loc": _LOC, "scale": _SCALE},
        stats.t(_DF, _LOC, _SCALE),
        20 * _INSIDE - 10,
    ),
}
_EACH = pytest.mark.parametrize("name", _SCALARS)
_DTYPES = pytest.mark.parametrize(
    ("dtype", "rtol"), [(np.float32, 5e-5), (np.float64, 1e-9)]
)


def _run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def _make(name, parameters, dtype=np.float64, **kwargs):
    cast = {k: np.asarray(v, dtype) for k, v in parameters.items()}
    return getattr(tfd, name)(**cast, **kwargs)


@_DTYPES
@_EACH
def test_functions_of_values_are_scipys(name, dtype, rtol):
    parameters, expected, points = _SCALARS[name]
    ours = _make(name, parameters, dtype)
    points = points.astype(dtype)
    table = {
        "prob": expected.pdf,
        "log_prob": expected.logpdf,
        "cdf": expected.cdf,
        "survival_function": expected.sf,
    }
    for method, function in table.items():
        result = _run(getattr(ours, method)(points))
        assert result.dtype == dtype
        want = function(points.astype(np.float64))
        np.testing.assert_allclose(result, want, rtol * 4, rtol, err_msg=method)


@_DTYPES
@_EACH
def test_statistics_are_scipys(name, dtype, rtol):
    parameters, expected, _ = _SCALARS[name]
    ours = _make(name, parameters, dtype)
    table = {"entropy": expected.entropy()}
    if name != "StudentT":
        table |= {"mean": expected.mean(), "variance": expected.var()}
        table["stddev"] = expected.std()
    for method, value in table.items():
        result = _run(getattr(ours, method)())
        assert result.dtype == dtype and result.shape == ours.batch_shape
        np.testing.assert_allclose(result, value, rtol * 4, rtol, err_msg=method)
    assert ours.event_shape.as_list() == []
    assert ours.reparameterization_type == tfd.FULLY_REPARAMETERIZED


def test_what_is_not_defined_is_nan():
    t = _make("StudentT", _SCALARS["StudentT"][0])
    mean, variance, mode = _run([t.mean(), t.variance(), t.mode()])
    np.testing.assert_array_equal(mean, [[np.nan] * 2, _LOC, _LOC])
    want = [[np.nan] * 2, [np.inf] * 2, _SCALE**2 * 7 / 5]
    np.testing.assert_allclose(variance, want)
    np.testing.assert_array_equal(mode, [_LOC] * 3)
    modes = _run(
        [
            tfd.Gamma([0.5, 1.0, 3.0], 2.0).mode(),
            tfd.Beta([3.0, 1.0, 2.0], [2.0, 2.0, 1.0]).mode(),
            tfd.Dirichlet([[2.0, 3.0, 4.0], [1.0, 3.0, 2.0]]).mode(),
        ]
    )
    np.testing.assert_allclose(modes[0], [np.nan, np.nan, 1.0])
    np.testing.assert_allclose(modes[1], [2 / 3, np.nan, np.nan], 1e-6)
    np.testing.assert_allclose(modes[2], [[1 / 6, 2 / 6, 3 / 6], [np.nan] * 3], 1e-6)


@pytest.mark.parametrize(
    ("make", "method"),
    [
        (lambda **k: tfd.Gamma(1.0, 2.0, **k), "mode"),
        (lambda **k: tfd.Beta(2.0, 1.0, **k), "mode"),
        (lambda **k: tfd.Dirichlet([2.0, 1.0], **k), "mode"),
        (lambda **k: tfd.StudentT(1.0, 0.0, 1.0, **k), "mean"),
        (lambda **k: tfd.StudentT(1.0, 0.0, 1.0, **k), "variance"),
    ],
)
def test_what_is_not_defined_fails_where_nan_is_not_allowed(make, method):
    with pytest.raises(tf.errors.InvalidArgumentError, match=f"(?i){method} .*defined"):
        _run(getattr(make(allow_nan_stats=False), method)())


@_EACH
def test_draws_have_the_distribution(name):
    parameters, expected, _ = _SCALARS[name]
    draws = _run(_make(name, parameters, np.float32).sample(4000, seed=3))
    draws = draws.astype(np.float64)
    assert draws.shape[1:] == expected.mean().shape
    for i in np.ndindex(draws.shape[1:]):

        def cdf(x, i=i):
            batch = [len(x), *draws.shape[1:]]
            x = np.broadcast_to(x.reshape(-1, *[1] * len(i)), batch)
            return expected.cdf(x)[(slice(None), *i)]

        assert stats.kstest(draws[(slice(None), *i)], cdf).pvalue > 1e-3


@_EACH
def test_gradients_are_numeric_ones(name):
    """The gradients of densities and entropies agree with differences."""
    parameters, _, points = _SCALARS[name]
    fed = {k: tf.placeholder(tf.float64, v.shape) for k, v in parameters.items()}
    ours = getattr(tfd, name)(**fed)
    upstream = np.random.RandomState(0).normal(size=ours.batch_shape.as_list())
    x = points[4]
    for method, y in (("log_prob", ours.log_prob(x)), ("entropy", ours.entropy())):
        grads = tf.gradients(y, list(fed.values()), tf.constant(upstream))
        base = {fed[k]: np.array(v) for k, v in parameters.items()}
        for (key, p), grad in zip(fed.items(), grads, strict=True):
            if method == "entropy" and key == "loc":
                assert grad is None
                continue
            got = _run(grad, base)
            for i in np.ndindex(*p.shape.as_list()):
                step = np.zeros(p.shape.as_list())
                step[i] = 1e-6
                more, less = (
                    (upstream * _run(y, base | {p: base[p] + s})).sum()
                    for s in (step, -step)
                )
                slope = (more - less) / 2e-6
                assert got[i] == pytest.approx(slope, rel=1e-4, abs=1e-6), (method, key)


def test_the_density_at_its_end_and_its_derivative():
    """A concentration of 1 takes x = 0, and still has a derivative."""
    c = tf.constant(np.float64(1.0))
    log = tfd.Gamma(c, np.float64(2.0)).log_prob(np.array([0.0, 0.7]))
    (grad,) = tf.gradients(log[1], c)
    got, slope = _run([log, grad])
    np.testing.assert_allclose(got, np.log(2) - 2 * np.array([0, 0.7]))
    np.testing.assert_allclose(slope, np.log(0.7) - special.digamma(1) + np.log(2))
    both = tfd.Beta([1.0, 1.0], [2.0, 1.0]).prob([0.0, 1.0])
    np.testing.assert_allclose(_run(both), [2.0, 1.0], 1e-6)


@pytest.mark.parametrize(
    ("make", "start", "mean"),
    [
        (lambda p: tfd.Gamma(p, np.float64(2.0)), 1.5, lambda p: p / 2),
        (lambda p: tfd.Beta(p, np.float64(2.0)), 1.5, lambda p: p / (p + 2)),
        (
            lambda p: tfd.Dirichlet([p, np.float64(2.0), np.float64(0.5)]),
            1.5,
            lambda p: np.array([p, 2, 0.5]) / (p + 2.5),
        ),
    ],
)
def test_gradients_through_samples_are_those_of_the_mean(make, start, mean):
    p = tf.constant(np.float64(start))
    draws = make(p).sample(20000, seed=8)
    means = tf.reduce_mean(draws, 0)
    weights = 1.0 + np.arange(3.0) if draws.get_shape().ndims == 2 else 1.0
    (grad,) = tf.gradients(tf.reduce_sum(means * weights), p)
    slope = np.sum(weights * (mean(start + 1e-6) - mean(start - 1e-6))) / 2e-6
    assert _run(grad) == pytest.approx(slope, rel=0.05)


def test_student_t_widens_with_its_scale_and_df():
    # Many equal distributions, each with gradients of its own: their spread gives the mean's standard error.
    many = 400
    df = tf.constant(np.full(many, 6.0))
    scale = tf.constant(np.full(many, 2.0))
    draws = tfd.StudentT(df, np.float64(0.0), scale).sample(1000, seed=9)
    squares = tf.reduce_mean(draws**2, 0)
    got = np.array(_run(tf.gradients(squares, [df, scale])))
    # The variance is scale^2 df / (df - 2).
    want = np.array([4 * -2 / 16, 2 * 2 * 6 / 4])
    error = got.std(1) / many**0.5
    assert np.all(error < 0.03 * abs(want))
    assert np.all(abs(got.mean(1) - want) < 4 * error)


def test_dirichlet_is_scipys():
    ours = tfd.Dirichlet(_C)
    x = np.array([0.2, 0.3, 0.5])
    each = [stats.dirichlet(c) for c in _C]
    np.testing.assert_allclose(_run(ours.log_prob(x)), [e.logpdf(x) for e in each])
    np.testing.assert_allclose(_run(ours.prob(x)), [e.pdf(x) for e in each])
    np.testing.assert_allclose(_run(ours.mean()), [e.mean() for e in each])
    np.testing.assert_allclose(_run(ours.variance()), [e.var() for e in each])
    np.testing.assert_allclose(_run(ours.entropy()), [e.entropy() for e in each])
    covariances = _run(ours.covariance())
    np.testing.assert_allclose(covariances, [e.cov() for e in each])
    assert ours.event_shape.as_list() == [3] and ours.batch_shape.as_list() == [2]
    draws = _run(ours.sample(20000, seed=5))
    np.testing.assert_allclose(draws.sum(-1), 1.0)
    for i, c in enumerate(_C):
        np.testing.assert_allclose(np.cov(draws[:, i].T), covariances[i], atol=2e-3)
        for j in range(3):
            # A share has beta distribution.
            one = stats.beta(c[j], c.sum() - c[j])
            assert stats.kstest(draws[:, i, j], one.cdf).pvalue > 1e-3


def test_dirichlet_multinomial_is_scipys():
    totals = np.array([5.0, 2.0])
    ours = tfd.DirichletMultinomial(totals, _C)
    counts = np.array([[2.0, 1.0, 2.0], [0.0, 1.0, 1.0]])
    each = [stats.dirichlet_multinomial(c, int(n)) for n, c in zip(totals, _C)]
    logs = [e.logpmf(k.astype(int)) for e, k in zip(each, counts)]
    np.testing.assert_allclose(_run(ours.log_prob(counts)), logs)
    np.testing.assert_allclose(_run(ours.prob(counts)), np.exp(logs))
    np.testing.assert_allclose(_run(ours.mean()), [e.mean() for e in each])
    np.testing.assert_allclose(_run(ours.variance()), [e.var() for e in each])
    np.testing.assert_allclose(_run(ours.covariance()), [e.cov() for e in each])
    assert ours.reparameterization_type == tfd.NOT_REPARAMETERIZED


def test_draws_of_dirichlet_multinomial_have_its_probabilities():
    totals = np.array([[3.0], [0.0]], np.float32)
    ours = tfd.DirichletMultinomial(totals, _C.astype(np.float32))
    assert ours.batch_shape.as_list() == [2, 2]
    draws = _run(ours.sample(20000, seed=6))
    assert draws.shape == (20000, 2, 2, 3) and draws.dtype == np.float32
    np.testing.assert_array_equal(draws.sum(-1), np.broadcast_to(totals, [20000, 2, 2]))
    every = np.array([k for k in np.ndindex(4, 4, 4) if sum(k) == 3])
    for i, c in enumerate(_C):
        rows = draws[:, 0, i].astype(int)
        found = [(rows == k).all(-1).sum() for k in every]
        want = [20000 * stats.dirichlet_multinomial(c, 3).pmf(k) for k in every]
        want = np.array(want) * (sum(found) / sum(want))  # Equal but for rounding.
        assert stats.chisquare(found, want).pvalue > 1e-3


def _kl(ours, other, x):
    logs = _run([ours.log_prob(x), other.log_prob(x)])
    return integrate.trapezoid(np.exp(logs[0]) * (logs[0] - logs[1]), x)


@pytest.mark.parametrize(
    ("a", "b", "x"),
    [
        (
            lambda: _make("Gamma", {"concentration": 2.5, "rate": 1.5}),
            lambda: _make("Gamma", {"concentration": 1.7, "rate": 0.5}),
            np.geomspace(1e-12, 60, 200001),
        ),
        (
            lambda: _make("Exponential", {"rate": 1.5}),
            lambda: _make("Gamma", {"concentration": 1.7, "rate": 0.5}),
            np.geomspace(1e-12, 60, 200001),
        ),
        (
            lambda: _make("Beta", {"concentration1": 2.5, "concentration0": 3.5}),
            lambda: _make("Beta", {"concentration1": 1.5, "concentration0": 2.0}),
            np.linspace(1e-9, 1 - 1e-9, 400001),
        ),
    ],
)
def test_divergences_are_integrals(a, b, x):
    a, b = a(), b()
    kl = _kl(a, b, x)
    assert _run(a.kl_divergence(b)) == pytest.approx(kl, rel=1e-5)
    cross = _run(a.cross_entropy(b) - a.entropy())
    assert cross == pytest.approx(kl, rel=1e-5)
    assert _run(a.kl_divergence(a)) == pytest.approx(0, abs=1e-12)


def test_the_divergence_of_dirichlet_of_two_is_that_of_beta():
    of_two = tfd.Dirichlet([2.5, 3.5]).kl_divergence(tfd.Dirichlet([1.5, 2.0]))
    betas = tfd.Beta(2.5, 3.5).kl_divergence(tfd.Beta(1.5, 2.0))
    np.testing.assert_allclose(*_run([of_two, betas]), 1e-5)
    a, b = tfd.Dirichlet(_C[0]), tfd.Dirichlet(_C[1])
    draws = a.sample(40000, seed=2)
    mean = tf.reduce_mean(a.log_prob(draws) - b.log_prob(draws))
    np.testing.assert_allclose(*_run([a.kl_divergence(b), mean]), 0.05)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda p, **k: tfd.Gamma(p, 1.0, **k).mean(), "[Cc]oncentration"),
        (lambda p, **k: tfd.Gamma(1.0, p, **k).mean(), "rate"),
        (lambda p, **k: tfd.Gamma(1.0, 1.0, **k).log_prob(p), "x must be positive"),
        (lambda p, **k: tfd.Beta(p, 1.0, **k).mean(), "concentration1"),
        (lambda p, **k: tfd.Beta(1.0, p, **k).mean(), "concentration0"),
        (lambda p, **k: tfd.Beta(1.0, 1.0, **k).prob(p), "sample must be positive"),
        (lambda p, **k: tfd.Beta(1.0, 1.0, **k).prob(1 - p), "less than `1`"),
        (lambda p, **k: tfd.Dirichlet([p, 2.0], **k).mean(), "[Cc]oncentration"),
        (lambda p, **k: tfd.Dirichlet([1.0, 2.0], **k).prob([p + 2, 0.5]), "sum to"),
        (lambda p, **k: tfd.StudentT(p, 0.0, 1.0, **k).mode(), "df"),
        (
            lambda p, **k: tfd.DirichletMultinomial(p, [1.0, 2.0], **k).mean(),
            "negative",
        ),
        (
            lambda p, **k: tfd.DirichletMultinomial(2.0, [p, 2.0], **k).mean(),
            "Concentration parameter must be positive",
        ),
        (
            lambda p, **k: tfd.DirichletMultinomial(2.0, [1.0, 2.0], **k).prob(
                [p + 2, 2.0]
            ),
            "last-dimension must sum to",
        ),
    ],
)
def test_arguments_are_checked_where_that_is_asked_for(make, text):
    wrong = tf.placeholder(tf.float32, [])
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        _run(make(wrong, validate_args=True), {wrong: -1.0})
    _run(make(wrong), {wrong: -1.0})


def test_parameters_must_be_floats_of_one_dtype():
    for make in (
        lambda: tfd.Gamma(1, 2),
        lambda: tfd.Gamma(np.float32(1), np.float64(1)),
        lambda: tfd.Beta(np.float32(1), np.float64(1)),
        lambda: tfd.StudentT(np.float32(1), np.float64(1), np.float64(1)),
        lambda: tfd.Beta(1.0),
    ):
        with pytest.raises(ValueError):
            make()
    with pytest.raises(ValueError, match=">=1 dimensions"):
        tfd.Dirichlet(1.0, validate_args=True)
    one_class = tfd.Dirichlet([1.0], validate_args=True)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="classes"):
            session.run(one_class.concentration)


@pytest.mark.parametrize("name", ["Gamma", "Beta", "StudentT"])
def test_shapes_that_only_the_run_knows(name):
    parameters, expected, points = _SCALARS[name]
    unknown = {k: tf.placeholder_with_default(v, None) for k, v in parameters.items()}
    ours = getattr(tfd, name)(**unknown)
    draws = ours.sample([2, 3], seed=1)
    got = _run([ours.batch_shape_tensor(), draws, ours.log_prob(points)])
    batch = expected.mean().shape
    assert tuple(got[0]) == batch and got[1].shape == (2, 3, *batch)
    np.testing.assert_allclose(got[2], expected.logpdf(points), 1e-8, 1e-8)


def test_dirichlets_whose_shapes_only_the_run_knows():
    c = tf.placeholder_with_default(_C, None)
    n = tf.placeholder_with_default(np.array([5.0, 2.0]), None)
    both = (tfd.Dirichlet(c), tfd.DirichletMultinomial(n, c))
    for ours in both:
        shapes = [ours.batch_shape_tensor(), ours.event_shape_tensor()]
        got = _run([*shapes, ours.sample(4, seed=1), ours.covariance()])
        assert got[0].tolist() == [2] and got[1].tolist() == [3]
        assert got[2].shape == (4, 2, 3) and got[3].shape == (2, 3, 3)


@pytest.mark.parametrize(
    ("softplus", "plain", "names"),
    [
        (
            gamma.GammaWithSoftplusConcentrationRate,
            tfd.Gamma,
            ("concentration", "rate"),
        ),
        (
            beta.BetaWithSoftplusConcentration,
            tfd.Beta,
            ("concentration1", "concentration0"),
        ),
    ],
)
def test_parameters_of_any_sign_become_positive(softplus, plain, names):
    raw = np.array([-3.0, 0.5, 2.0])
    ours = softplus(raw, 0.5 * raw)
    expected = plain(np.log1p(np.exp(raw)), np.log1p(np.exp(0.5 * raw)))
    np.testing.assert_allclose(*_run([ours.log_prob(0.7), expected.log_prob(0.7)]))
    assert set(names) <= set(ours.parameters) and ours.parameters[names[0]] is raw
    assert type(ours.copy()) is softplus


def test_student_t_of_any_df_and_scale():
    ours = student_t.StudentTWithAbsDfSoftplusScale(-2.7, 0.0, -1.0)
    assert _run(ours.df) == 2.0
    assert _run(ours.scale) == pytest.approx(np.log1p(np.exp(-1.0)))
