# SPDX-License-Identifier: Apache-2.0
"""tf.distributions against SciPy: densities, statistics, draws, divergences, gradients."""

import numpy as np
import pytest
from scipy import integrate, stats

import tensorwright as tf
from tensorwright.python.ops.distributions import (
    bernoulli,
    exponential,
    laplace,
    normal,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")

tfd = tf.distributions

_LOC = np.array([[-1.5], [0.25]])
_SCALE = np.array([0.5, 1.0, 3.0])
_LOGITS = np.array([[0.5, -1.0, 2.0, 0.0], [0.0, 0.0, -3.0, 1.0]])
_PROBS = np.exp(_LOGITS) / np.exp(_LOGITS).sum(-1, keepdims=True)

# Name -> (parameters, that of SciPy, points with the batch behind them).
_POINTS = np.linspace(-6, 6, 25)[:, None, None]
_CONTINUOUS = {
    "Normal": ({"loc": _LOC, "scale": _SCALE}, stats.norm(_LOC, _SCALE), _POINTS),
    "Laplace": ({"loc": _LOC, "scale": _SCALE}, stats.laplace(_LOC, _SCALE), _POINTS),
    "Uniform": (
        {"low": _LOC, "high": _SCALE},
        stats.uniform(_LOC, _SCALE - _LOC),
        # SciPy's interval has both ends.
        _POINTS + 0.01,
    ),
    "Exponential": ({"rate": _SCALE}, stats.expon(0, 1 / _SCALE), _POINTS[:, 0] + 6.5),
}


def _run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


def _make(name, parameters, dtype, **kwargs):
    cast = {k: np.asarray(v, dtype) for k, v in parameters.items()}
    return getattr(tfd, name)(**cast, **kwargs)


_DTYPES = pytest.mark.parametrize(
    ("dtype", "rtol"), [(np.float32, 2e-5), (np.float64, 1e-10)]
)


@_DTYPES
@pytest.mark.parametrize("name", _CONTINUOUS)
def test_functions_of_values_are_scipys(name, dtype, rtol):
    parameters, expected, points = _CONTINUOUS[name]
    ours = _make(name, parameters, dtype)
    points = points.astype(dtype)
    wide = points.astype(np.float64)
    table = {
        "prob": expected.pdf,
        "log_prob": expected.logpdf,
        "cdf": expected.cdf,
        "log_cdf": expected.logcdf,
        "survival_function": expected.sf,
        "log_survival_function": expected.logsf,
    }
    with np.errstate(divide="ignore"):
        for method, function in table.items():
            result = _run(getattr(ours, method)(points))
            assert result.dtype == dtype
            np.testing.assert_allclose(
                result, function(wide), rtol * 10, rtol, err_msg=method
            )


@_DTYPES
@pytest.mark.parametrize("name", _CONTINUOUS)
def test_statistics_are_scipys(name, dtype, rtol):
    parameters, expected, _ = _CONTINUOUS[name]
    ours = _make(name, parameters, dtype)
    table = {
        "mean": expected.mean(),
        "variance": expected.var(),
        "stddev": expected.std(),
        "entropy": expected.entropy(),
    }
    for method, value in table.items():
        result = _run(getattr(ours, method)())
        assert result.dtype == dtype and result.shape == ours.batch_shape
        np.testing.assert_allclose(result, value, rtol, rtol, err_msg=method)
    if name in ("Normal", "Laplace"):
        np.testing.assert_allclose(_run(ours.mode()), expected.mean(), rtol)


def test_quantiles_of_normal_undo_its_cdf():
    ours = _make("Normal", _CONTINUOUS["Normal"][0], np.float64)
    p = np.array([1e-12, 0.2, 0.5, 0.999])[:, None, None]
    np.testing.assert_allclose(
        _run(ours.quantile(p)), stats.norm(_LOC, _SCALE).ppf(p), 1e-9, 1e-12
    )


@pytest.mark.parametrize("name", ["Normal", "Laplace"])
def test_logs_of_tails_do_not_underflow(name):
    expected = {"Normal": stats.norm, "Laplace": stats.laplace}[name]()
    for dtype, rtol in ((np.float32, 1e-5), (np.float64, 1e-10)):
        ours = _make(name, {"loc": 0.0, "scale": 1.0}, dtype)
        x = np.array([-200.0, -45.0, -21.0, -12.0, -5.0, 0.0, 5.0, 9.0], dtype)
        result = _run([ours.log_cdf(x), ours.log_survival_function(-x)])
        wide = expected.logcdf(x.astype(np.float64))
        np.testing.assert_allclose(result[0], wide, rtol)
        np.testing.assert_allclose(result[1], wide, rtol)


def test_exponential_has_nothing_below_zero():
    ours = tfd.Exponential(2.0)
    assert np.isnan(_run(ours.cdf(-1.0))) and np.isnan(_run(ours.mode()))
    with pytest.raises(tf.errors.InvalidArgumentError, match="mode"):
        _run(tfd.Exponential(2.0, allow_nan_stats=False).mode())


@pytest.mark.parametrize("name", _CONTINUOUS)
def test_draws_have_the_distribution(name):
    parameters, expected, _ = _CONTINUOUS[name]
    ours = _make(name, parameters, np.float32)
    draws = _run(ours.sample(4000, seed=3)).astype(np.float64)
    for i in np.ndindex(draws.shape[1:]):

        def cdf(x, i=i):
            batch = [len(x), *draws.shape[1:]]
            x = np.broadcast_to(x.reshape(-1, *[1] * len(i)), batch)
            return expected.cdf(x)[(slice(None), *i)]

        assert stats.kstest(draws[(slice(None), *i)], cdf).pvalue > 1e-3


@pytest.mark.parametrize("name", _CONTINUOUS)
def test_gradients_are_numeric_ones(name):
    parameters, _, _ = _CONTINUOUS[name]
    x = {
        "Uniform": [[0.3], [0.4]],
        "Exponential": [0.7],
    }.get(name, [[-0.7], [2.3]])
    fed = {k: tf.placeholder(tf.float64, v.shape) for k, v in parameters.items()}
    ours = getattr(tfd, name)(**fed)
    upstream = np.random.RandomState(0).normal(size=ours.batch_shape.as_list())
    functions = {
        "log_prob": ours.log_prob(np.array(x)),
        "log_cdf": ours.log_cdf(np.array(x)),
        "log_survival_function": ours.log_survival_function(np.array(x)),
        "entropy": ours.entropy(),
        "sample": ours.sample(seed=5),
    }

    def at(y, values):
        # A new session begins with the same draws.
        return (upstream * _run(y, values)).sum()

    for method, y in functions.items():
        grads = tf.gradients(y, list(fed.values()), tf.constant(upstream))
        for (key, p), grad in zip(fed.items(), grads, strict=True):
            base = {fed[k]: np.array(v) for k, v in parameters.items()}
            got = _run(grad, base) if grad is not None else 0 * base[p]
            for i in np.ndindex(*p.shape.as_list()):
                step = np.zeros(p.shape.as_list())
                step[i] = 1e-6
                more = at(y, base | {p: base[p] + step})
                less = at(y, base | {p: base[p] - step})
                assert got[i] == pytest.approx(
                    (more - less) / 2e-6, rel=1e-4, abs=1e-6
                ), (method, key)


def _discrete(dtype=np.float64):
    p = np.array([[0.1, 0.5], [0.7, 0.99]])
    return p, tfd.Bernoulli(probs=p.astype(dtype)), stats.bernoulli(p)


def test_bernoulli_is_scipys():
    p, ours, expected = _discrete()
    for event in (0, 1):
        np.testing.assert_allclose(_run(ours.prob(event)), expected.pmf(event))
        np.testing.assert_allclose(_run(ours.log_prob(event)), expected.logpmf(event))
    # Events that are many broadcast, and need not be ints.
    events = np.array([0.0, 1.0])[:, None, None]
    np.testing.assert_allclose(_run(ours.prob(events)), expected.pmf(events))
    for method in ("mean", "variance", "stddev", "entropy"):
        wanted = getattr(
            expected, {"variance": "var", "stddev": "std"}.get(method, method)
        )()
        np.testing.assert_allclose(_run(getattr(ours, method)()), wanted)
    assert _run(ours.mode()).tolist() == [[0, 0], [1, 1]]
    np.testing.assert_allclose(_run(ours.logits), np.log(p / (1 - p)))
    assert _run(tfd.Bernoulli(logits=np.log(3.0)).probs) == pytest.approx(0.75)
    draws = _run(tfd.Bernoulli(probs=p, dtype=tf.int64).sample(20000, seed=1))
    assert draws.dtype == np.int64 and set(np.unique(draws)) == {0, 1}
    np.testing.assert_allclose(draws.mean(0), p, atol=4 * 0.5 / np.sqrt(20000))


def test_categorical_is_a_choice_by_its_probabilities():
    for ours in (tfd.Categorical(_LOGITS), tfd.Categorical(probs=_PROBS)):
        classes = np.arange(4)[:, None]
        np.testing.assert_allclose(_run(ours.prob(classes)), _PROBS.T, rtol=1e-7)
        below = np.cumsum(_PROBS, -1) - _PROBS
        np.testing.assert_allclose(_run(ours.cdf(classes)), below.T, atol=1e-12)
        entropy = -(_PROBS * np.log(_PROBS)).sum(-1)
        np.testing.assert_allclose(_run(ours.entropy()), entropy)
        assert _run(ours.mode()).tolist() == [2, 3]
        assert _run(ours.event_size) == 4
        draws = _run(ours.sample([100, 200], seed=2))
        assert draws.shape == (100, 200, 2) and draws.dtype == np.int32
        for i in range(2):
            counts = np.bincount(draws[..., i].ravel(), minlength=4)
            assert stats.chisquare(counts, 20000 * _PROBS[i]).pvalue > 1e-3
    # A class that never occurs adds nothing.
    sure = tfd.Categorical(probs=[1.0, 0.0])
    assert _run([sure.entropy(), sure.kl_divergence(sure)]) == [0, 0]


def test_multinomial_counts_draws():
    totals = np.array([5.0, 2.0])
    ours = tfd.Multinomial(totals, probs=_PROBS)
    counts = np.array([[2.0, 1.0, 2.0, 0.0], [0.0, 1.0, 0.0, 1.0]])
    expected = [stats.multinomial(int(n), p) for n, p in zip(totals, _PROBS)]
    logs = [e.logpmf(c) for e, c in zip(expected, counts)]
    np.testing.assert_allclose(_run(ours.log_prob(counts)), logs)
    np.testing.assert_allclose(_run(ours.prob(counts)), np.exp(logs))
    np.testing.assert_allclose(_run(ours.mean()), totals[:, None] * _PROBS)
    covariances = [e.cov() for e in expected]
    np.testing.assert_allclose(_run(ours.covariance()), covariances)
    variances = np.diagonal(covariances, axis1=1, axis2=2)
    np.testing.assert_allclose(_run(ours.variance()), variances)
    assert ours.event_shape.as_list() == [4] and ours.batch_shape.as_list() == [2]


def test_draws_of_multinomial_have_its_moments():
    totals = np.array([[7.0], [0.0], [3.0]], np.float32)
    ours = tfd.Multinomial(totals, probs=_PROBS.astype(np.float32))
    draws = _run(ours.sample(20000, seed=4))
    assert draws.shape == (20000, 3, 2, 4) and draws.min() >= 0
    np.testing.assert_array_equal(draws.sum(-1), np.broadcast_to(totals, [20000, 3, 2]))
    assert (draws == np.round(draws)).all()
    error = 4 * np.sqrt(7 * 0.25 / 20000)
    np.testing.assert_allclose(draws.mean(0), totals[..., None] * _PROBS, atol=error)
    for i in np.ndindex(3, 2):
        expected = stats.multinomial(int(totals[i[0], 0]), _PROBS[i[1]])
        covariance = np.cov(draws[(slice(None), *i)].T)
        np.testing.assert_allclose(covariance, expected.cov(), atol=0.06)


@pytest.mark.parametrize("name", ["Normal", "Exponential"])
def test_divergences_are_integrals(name):
    if name == "Normal":
        a, b = {"loc": 0.5, "scale": 1.5}, {"loc": -1.0, "scale": 2.0}
        x = np.linspace(-25, 25, 200001)
    else:
        a, b = {"rate": 1.5}, {"rate": 0.25}
        x = np.linspace(0, 60, 600001)
    ours, other = _make(name, a, np.float64), _make(name, b, np.float64)
    logs = _run([ours.log_prob(x), other.log_prob(x)])
    density = np.exp(logs[0])
    kl = integrate.trapezoid(density * (logs[0] - logs[1]), x)
    cross = integrate.trapezoid(-density * logs[1], x)
    assert _run(ours.kl_divergence(other)) == pytest.approx(kl, rel=1e-6)
    assert _run(tfd.kl_divergence(ours, other)) == pytest.approx(kl, rel=1e-6)
    assert _run(ours.cross_entropy(other)) == pytest.approx(cross, rel=1e-6)
    assert _run(ours.kl_divergence(ours)) == pytest.approx(0, abs=1e-12)


def test_divergences_of_discrete_distributions_are_sums():
    p, q = _PROBS
    kl = tfd.Categorical(probs=p).kl_divergence(tfd.Categorical(probs=q))
    assert _run(kl) == pytest.approx((p * np.log(p / q)).sum())
    p, q = np.array([0.2, 0.8]), np.array([0.7, 0.3])
    kl = tfd.Bernoulli(probs=0.8).kl_divergence(
        tfd.Bernoulli(probs=np.array([0.3], np.float32))
    )
    assert _run(kl) == pytest.approx([(p * np.log(p / q)).sum()])


@pytest.mark.parametrize(
    ("softplus", "plain"),
    [
        (normal.NormalWithSoftplusScale, tfd.Normal),
        (laplace.LaplaceWithSoftplusScale, tfd.Laplace),
        (exponential.ExponentialWithSoftplusRate, tfd.Exponential),
    ],
)
def test_parameters_of_any_sign_become_positive(softplus, plain):
    raw = np.array([-3.0, 0.0, 2.0])
    arguments = [] if plain is tfd.Exponential else [0.5 * raw]
    ours = softplus(*arguments, raw)
    expected = plain(*arguments, np.log1p(np.exp(raw)))
    np.testing.assert_allclose(*_run([ours.log_prob(0.7), expected.log_prob(0.7)]))
    assert list(ours.parameters.values())[len(arguments)] is raw
    assert type(ours.copy()) is softplus


def test_bernoulli_by_logits_alone():
    ours = bernoulli.BernoulliWithSigmoidProbs(0.5)
    assert _run(ours.probs) == pytest.approx(1 / (1 + np.exp(-0.5)))
