# SPDX-License-Identifier: Apache-2.0
"""Steps of GmmAlgorithm against expectation and maximization by NumPy; the estimator of mixtures."""

import numpy as np
import pytest
from scipy import special, stats

import tensorwright as tf
from tensorwright.contrib.factorization.python.ops import gmm_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

factorization = tf.contrib.factorization
RNG = np.random.RandomState(0)
CENTERS = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
SPREADS = np.array([[[1.0, 0.6], [0.6, 1.0]], [[2.0, 0.0], [0.0, 0.3]], [[0.5, -0.2], [-0.2, 0.4]]])  # fmt: skip
COUNTS = [60, 100, 40]
X = np.concatenate([RNG.multivariate_normal(*a) for a in zip(CENTERS, SPREADS, COUNTS, strict=True)]).astype(np.float32)  # fmt: skip
TRUE = np.repeat(np.arange(3), COUNTS)
BEGIN = np.array([[1.0, 1.0], [6.0, 2.0], [2.0, 6.0]], np.float32)
# Densities are of covariances with so much more on the diagonal.
LEAST = 1e-3


def log_joint(alphas, means, covs):
    size = means.shape[1]
    full = [np.diag(c) if c.ndim == 1 else c for c in covs]
    parts = [
        stats.multivariate_normal.logpdf(X, m, c + LEAST * np.eye(size)) + np.log(a)
        for a, m, c in zip(alphas, means, full, strict=True)
    ]
    return np.stack(parts, 1)


def start(diag):
    cov = np.cov(X.T.astype(np.float64))
    return np.full(3, 1 / 3), BEGIN.astype(np.float64), np.array([np.diag(cov) if diag else cov] * 3)  # fmt: skip


def stepped(alphas, means, covs, params):
    joint = log_joint(alphas, means, covs)
    w = np.exp(joint - special.logsumexp(joint, 1, keepdims=True))
    counts = w.sum(0)
    if "m" in params:
        means = (w.T @ X) / counts[:, None]
    if "c" in params:
        d = X[:, None] - means
        full = np.einsum("nk,nki,nkj->kij", w, d, d) / counts[:, None, None]
        covs = full if covs.ndim == 3 else np.array([np.diag(c) for c in full])
    if "w" in params:
        alphas = counts / len(X)
    return alphas, means, covs


@pytest.mark.parametrize("kind", ["full", "diag"])
@pytest.mark.parametrize("params", ["wmc", "w", "m", "c", "mw", ""])
@pytest.mark.parametrize("parts", [1, 3])
def test_steps_are_those_of_expectation_and_maximization(kind, params, parts):
    x = tf.placeholder(tf.float32, [None, 2])
    data = tf.split(x, [50, 70, 80]) if parts == 3 else [x]
    mixture = gmm_ops.GmmAlgorithm(data, 3, BEGIN, params, kind)
    variables = [mixture.alphas(), mixture.clusters(), mixture.covariances()]
    want = start(kind == "diag")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert not session.run(mixture.is_initialized())
        session.run(mixture.init_ops(), {x: X})
        assert session.run(mixture.is_initialized())
        for _ in range(4):
            for got, value in zip(session.run(variables), want, strict=True):
                np.testing.assert_allclose(got, value, rtol=2e-3, atol=2e-3)
            joint = log_joint(*want)
            total, scores, index = session.run(
                [mixture.log_likelihood_op(), mixture.scores(), mixture.assignments()],
                {x: X},
            )
            likely = special.logsumexp(joint, 1)
            np.testing.assert_allclose(total, likely.sum(), rtol=1e-3)
            np.testing.assert_allclose(scores, likely[:, None], rtol=1e-2, atol=1e-2)
            assert [len(i) for i in index] == ([50, 70, 80] if parts == 3 else [200])
            assert (np.concatenate(index) == joint.argmax(1)).mean() > 0.99
            session.run(mixture.training_ops(), {x: X})
            want = stepped(*want, params)


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_rows_grow_likelier_with_each_step_until_clusters_are_found(kind):
    likely, scores, index, step, init, ready = factorization.gmm(tf.constant(X), BEGIN, 3, 0, kind)  # fmt: skip
    found = []
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert not session.run(ready)
        session.run(init)
        for _ in range(25):
            found.append(session.run([likely, step])[0])
        ((index,),), scores = session.run([index, scores])
        variables = {v.op.name: session.run(v) for v in tf.global_variables()}
    assert np.all(np.diff(found) >= -0.05) and found[-1] > found[0] + 100
    np.testing.assert_allclose(scores.sum(), found[-1], rtol=1e-4)
    np.testing.assert_array_equal(index, TRUE)
    means = np.stack([X[TRUE == k].mean(0) for k in range(3)])
    np.testing.assert_allclose(variables["clusters"], means, atol=0.02)
    np.testing.assert_allclose(variables["alphas"], np.array(COUNTS) / 200, atol=0.01)
    for k in range(3):
        cov = np.cov(X[TRUE == k].T, bias=True)
        want = np.diag(cov) if kind == "diag" else cov
        np.testing.assert_allclose(variables["clusters_covs"][k], want, atol=0.05)


def test_first_means_are_different_rows_or_made_by_a_function():
    for given in ("random", lambda rows, k: rows[:k] + 1):
        with tf.Graph().as_default(), tf.Session() as session:
            *_, init, _ = factorization.gmm([tf.constant(X)], given, 3, random_seed=2)
            session.run(tf.global_variables_initializer())
            session.run(init)
            (means,) = [session.run(v) for v in tf.global_variables() if v.op.name == "clusters"]  # fmt: skip
            session.run(init)
        if given == "random":
            rows = [np.flatnonzero((X == m).all(1)).tolist() for m in means]
            assert len({r[0] for r in rows}) == 3
        else:
            np.testing.assert_allclose(means, X[:3] + 1)


def test_a_gaussian_without_rows_stays_and_equal_rows_have_a_density():
    x = np.zeros([10, 2], np.float32)
    x[5:] = 1000
    far = np.array([[0, 0], [1000, 1000], [-1e6, 1e6]], np.float32)
    mixture = gmm_ops.GmmAlgorithm([tf.constant(x)], 3, far)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(mixture.init_ops())
        session.run(mixture.covariances().assign(np.array([np.eye(2)] * 3)))
        for _ in range(3):
            session.run(mixture.training_ops())
        alphas, means, covs = session.run([mixture.alphas(), mixture.clusters(), mixture.covariances()])  # fmt: skip
        likely = session.run(mixture.log_likelihood_op())
    np.testing.assert_allclose(alphas, [0.5, 0.5, 0])
    np.testing.assert_array_equal(means, far)
    np.testing.assert_allclose(covs, [np.zeros([2, 2])] * 2 + [np.eye(2)])
    want = 10 * (np.log(0.5) - np.log(2 * np.pi) - np.log(LEAST))
    np.testing.assert_allclose(likely, want, rtol=1e-4)


@pytest.mark.parametrize(
    "options,text",
    [
        ({"covariance_type": "round"}, 'covariance_type must be "full" or "diag", got \'round\''),
        ({"params": "wx"}, "params must have no letters but w, m and c, got 'wx'"),
        ({"num_classes": 0}, "num_classes must be positive, got 0"),
        ({"data": [np.ones([3, 2], np.int32)]}, "data must be of floats, got int32"),
        ({"initial_means": np.ones([3, 5])}, r"initial_means must have the shape \[3, 2\], got \(3, 5\)"),
    ],
)  # fmt: skip
def test_a_wrong_argument_is_named(options, text):
    with pytest.raises(ValueError, match=text):
        gmm_ops.GmmAlgorithm(**{"data": [X], "num_classes": 3, **options})


def test_wrong_inputs_are_named():
    with pytest.raises(ValueError, match="columns of data must be known"):
        gmm_ops.GmmAlgorithm([tf.placeholder(tf.float32, [2, None])], 3)
    with pytest.raises(ValueError, match="initial_clusters must be .* got 'best'"):
        factorization.gmm(X, "best", 3, 0)
    x = tf.placeholder(tf.float32, [None, 2])
    mixture = gmm_ops.GmmAlgorithm([x], 3)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="num_classes"):
            session.run(mixture.init_ops(), {x: X[:2]})


def test_an_estimator_trains_scores_and_predicts(tmp_path):
    def input_fn():
        return {"a": tf.constant(X[:, :1]), "b": tf.constant(X[:, 1:])}

    mixture = factorization.GMM(3, str(tmp_path), initial_clusters=BEGIN)
    mixture.fit(input_fn=input_fn, steps=1)
    want = stepped(*start(False), "wmc")
    first = mixture.score(input_fn=input_fn, steps=1)
    np.testing.assert_allclose(first, special.logsumexp(log_joint(*want), 1).sum(), rtol=1e-3)  # fmt: skip
    # A training goes on where the one before it ended.
    again = factorization.GMM(3, str(tmp_path), initial_clusters=BEGIN + 100)
    again.fit(input_fn=input_fn, steps=20)
    assert again.get_variable_value("global_step") == 21
    for _ in range(20):
        want = stepped(*want, "wmc")
    found = (again.weights(), again.clusters(), again.covariances())
    for got, value in zip(found, want, strict=True):
        np.testing.assert_allclose(got, value, rtol=1e-2, atol=1e-2)
    assert again.score(input_fn=input_fn, steps=1) > first
    np.testing.assert_array_equal(list(again.predict_assignments(input_fn)), TRUE)
    scores = again.evaluate(input_fn=input_fn, steps=1)[factorization.GMM.SCORES]
    np.testing.assert_allclose(scores[:, 0], special.logsumexp(log_joint(*want), 1), rtol=1e-2, atol=1e-2)  # fmt: skip


def test_an_estimator_of_batches_counts_the_rows_of_all(tmp_path):
    def input_fn(epochs=None):
        return tf.train.limit_epochs(tf.constant(X), epochs), None

    mixture = factorization.GMM(3, str(tmp_path), covariance_type="diag", random_seed=1, params="mc")  # fmt: skip
    mixture.fit(input_fn=input_fn, max_steps=5)
    assert mixture.covariances().shape == (3, 2)
    np.testing.assert_allclose(mixture.weights(), [1 / 3] * 3)
    once = mixture.score(input_fn=input_fn, steps=1)
    np.testing.assert_allclose(mixture.score(input_fn=lambda: input_fn(2)), 2 * once, rtol=1e-5)  # fmt: skip
    with pytest.raises(ValueError, match="initial_clusters"):
        factorization.GMM(3, initial_clusters="best")


def test_names_are_offered():
    assert {"GMM", "GmmAlgorithm", "gmm", "WALSModel", "WALSMatrixFactorization"} <= set(dir(factorization))  # fmt: skip
    with pytest.raises(AttributeError, match="WALS'"):
        factorization.WALS
