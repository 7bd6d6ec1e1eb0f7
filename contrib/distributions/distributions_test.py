# SPDX-License-Identifier: Apache-2.0
"""Tests of contrib's distributions against SciPy's, and of moments against draws."""

import numpy as np
import pytest
from scipy import special, stats

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

ds = tf.contrib.distributions


def run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def close(got, want, rtol=1e-4, atol=1e-5):
    np.testing.assert_allclose(got, want, rtol=rtol, atol=atol)


A, B = np.array([1.5, 4.0]), np.array([0.7, 2.5])
P = np.array([0.3, 0.8])
COUNTS = np.array([[0.0], [1], [3], [6]])
REALS = np.array([[0.2], [0.9], [2.5]])
SCALARS = {
    "Binomial": (lambda: ds.Binomial([7.0, 9.0], probs=P), stats.binom([7, 9], P), COUNTS),
    "Geometric": (lambda: ds.Geometric(probs=P), stats.geom(P, loc=-1), COUNTS),
    "NegativeBinomial": (
        lambda: ds.NegativeBinomial([3.0, 5.0], probs=P),
        stats.nbinom([3, 5], 1 - P),
        COUNTS,
    ),
    "Poisson": (lambda: ds.Poisson(A), stats.poisson(A), COUNTS),
    "Chi2": (lambda: ds.Chi2(A), stats.chi2(A), REALS),
    "Chi2WithAbsDf": (lambda: ds.Chi2WithAbsDf([-3.7, 5.2]), stats.chi2([3, 5]), REALS),
    "InverseGamma": (
        lambda: ds.InverseGamma(A + 2, B),
        stats.invgamma(A + 2, scale=B),
        REALS,
    ),
    "InverseGammaSoftplus": (
        lambda: ds.InverseGammaWithSoftplusConcentrationRate(A + 2, B),
        stats.invgamma(np.log1p(np.exp(A + 2)), scale=np.log1p(np.exp(B))),
        REALS,
    ),
    "Logistic": (lambda: ds.Logistic(A, B), stats.logistic(A, B), REALS),
}  # fmt: skip


@pytest.mark.parametrize("name", SCALARS)
def test_scalars(name):
    make, theirs, x = SCALARS[name]
    mine = make()
    x = x.astype(mine.dtype.as_numpy_dtype)
    discrete = x is not None and hasattr(theirs.dist, "pmf")
    drawn = mine.sample(40000, seed=1)
    fetched = [mine.log_prob(x), mine.prob(x), drawn, mine.mean(), mine.variance()]
    log_prob, prob, drawn, mean, variance = run(fetched)
    want = theirs.logpmf(x) if discrete else theirs.logpdf(x)
    close(log_prob, want, 2e-4)
    close(prob, np.exp(want), 2e-4)
    close(mean, theirs.mean())
    close(variance, theirs.var())
    assert drawn.shape == (40000, 2)
    close(drawn.mean(0), mean, 0.05)
    if not name.startswith("Inverse"):
        close(drawn.var(0), variance, 0.1)
    try:
        cdf = run(mine.cdf(x))
    except NotImplementedError:
        assert name == "Binomial"
    else:
        close(cdf, theirs.cdf(x), 2e-4)
    if name in ("Geometric", "Chi2", "InverseGamma", "Logistic"):
        close(run(mine.entropy()), theirs.entropy(), 1e-3)
    assert mine.batch_shape.as_list() == [2] and mine.event_shape.as_list() == []


def test_what_is_not_positive_is_refused():
    for make in (
        lambda v: ds.Poisson(v, validate_args=True).mean(),
        lambda v: ds.InverseGamma(v, 1.0, validate_args=True).mode(),
        lambda v: ds.RelaxedBernoulli(v, 0.3, validate_args=True).temperature,
    ):
        run(make(0.5))
        with pytest.raises(tf.errors.InvalidArgumentError, match="positive"):
            run(make(-0.5))
    assert np.isnan(run(ds.InverseGamma(0.5, 1.0).mean()))


def test_points():
    one = ds.Deterministic([1.0, 5.0], atol=0.1)
    x = [[1.05, 4.8], [0.8, 5.0]]
    vector = ds.VectorDeterministic([1.0, 5.0], rtol=0.05)
    got = run([one.prob(x), one.cdf(x), vector.prob(x), one.sample(3), one.variance()])
    close(got[0], [[1, 0], [0, 1]])
    close(got[1], [[1, 0], [0, 1]])
    close(got[2], [1, 0])
    close(got[3], [[1, 5]] * 3)
    close(got[4], [0, 0])
    assert vector.event_shape.as_list() == [2] and vector.batch_shape.as_list() == []


def test_one_hot():
    p = np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]])
    d = ds.OneHotCategorical(probs=p)
    x = np.eye(3)[[2, 0]]
    got = run([d.log_prob(x), d.sample(20000, seed=1), d.entropy(), d.mode(), d.covariance(), d.mean()])  # fmt: skip
    close(got[0], np.log([0.3, 0.6]))
    close(got[1].mean(0), p, atol=0.015)
    assert (got[1].sum(-1) == 1).all()
    close(got[2], -(p * np.log(p)).sum(1))
    close(got[3], np.eye(3)[[1, 0]])
    close(got[4][0], np.diag(p[0]) - np.outer(p[0], p[0]))
    other = ds.OneHotCategorical(probs=p[::-1].copy())
    close(run(ds.kl_divergence(d, other)), (p * np.log(p / p[::-1])).sum(1))


def test_relaxed_bernoulli():
    d = ds.RelaxedBernoulli(0.7, probs=np.float32(P))
    y = np.linspace(0.0005, 0.9995, 4001, dtype=np.float32)[:, None]
    prob, cdf, drawn = run([d.prob(y), d.cdf(y), d.sample(20000, seed=2)])
    area = np.concatenate([[[0, 0]], np.cumsum((prob[1:] + prob[:-1]) / 2, 0) * (y[1] - y[0])])  # fmt: skip
    close(area, cdf - cdf[0], atol=0.003)
    close((drawn > 0.5).mean(0), P, atol=0.015)
    assert tf.gradients(d.sample(3), d.logits)[0] is not None


def test_relaxed_one_hot():
    logits, t = np.float32([0.3, -0.4, 1.0]), 0.6
    d, e = (
        ds.RelaxedOneHotCategorical(t, logits),
        ds.ExpRelaxedOneHotCategorical(t, logits),
    )
    y = np.float32([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]])
    got = run(
        [d.log_prob(y), e.log_prob(np.log(y)), d.sample(20000, seed=1), e.sample(2)]
    )
    # Maddison et al. 2016, equation 10.
    alpha = np.exp(logits)
    total = (alpha * y**-t).sum(1)
    want = special.gammaln(3) + 2 * np.log(t)
    want = want + np.log(alpha * y ** (-t - 1) / total[:, None]).sum(1)
    close(got[0], want)
    close(got[1], want + np.log(y).sum(1))
    close(got[2].sum(1), 1)
    share = np.bincount(got[2].argmax(1)) / 20000
    close(share, special.softmax(logits), atol=0.015)
    close(np.exp(got[3]).sum(1), 1)


DIAG, LOC = np.array([1.0, 2.0, 0.5]), np.array([0.3, -1.0, 2.0])
U = np.array([[0.5], [-1.0], [0.3]])
COVARIANCE = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 0.5]])
LOW = np.diag(DIAG) + U @ U.T * 0.7
NORMALS = {
    "diag": (lambda: ds.MultivariateNormalDiag(LOC, DIAG), np.diag(DIAG**2)),
    "identity": (
        lambda: ds.MultivariateNormalDiag(LOC, scale_identity_multiplier=np.float64(2.0)),
        4 * np.eye(3),
    ),
    "softplus": (
        lambda: ds.MultivariateNormalDiagWithSoftplusScale(LOC, DIAG),
        np.diag(np.log1p(np.exp(DIAG)) ** 2),
    ),
    "low_rank": (
        lambda: ds.MultivariateNormalDiagPlusLowRank(
            LOC, DIAG, scale_perturb_factor=U, scale_perturb_diag=np.array([0.7])
        ),
        LOW @ LOW.T,
    ),
    "tril": (
        lambda: ds.MultivariateNormalTriL(LOC, np.linalg.cholesky(COVARIANCE)),
        COVARIANCE,
    ),
    "full": (
        lambda: ds.MultivariateNormalFullCovariance(LOC, COVARIANCE),
        COVARIANCE,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NORMALS)
def test_normal_vectors(name):
    make, covariance = NORMALS[name]
    d, theirs = make(), stats.multivariate_normal(LOC, covariance)
    x = np.random.RandomState(0).randn(4, 2, 3)
    got = run([d.log_prob(x), d.sample([100, 200], seed=3), d.mean(), d.covariance(), d.entropy(), d.stddev()])  # fmt: skip
    close(got[0], theirs.logpdf(x))
    assert got[1].shape == (100, 200, 3)
    close(np.cov(got[1].reshape(-1, 3).T), covariance, 0.1, 0.06)
    close(got[2], LOC)
    close(got[3], covariance)
    close(got[4], theirs.entropy())
    close(got[5] ** 2, np.diag(covariance))
    other = ds.MultivariateNormalDiag(LOC + 1, DIAG)
    inverse = np.diag(1 / DIAG**2)
    kl = 0.5 * (np.trace(inverse @ covariance) + inverse.sum() - 3)
    kl += 0.5 * np.log(np.prod(DIAG**2) / np.linalg.det(covariance))
    close(run(ds.kl_divergence(d, other)), kl)


def test_batches_of_vectors():
    d = ds.MultivariateNormalDiag(np.zeros([4, 1, 3]), np.ones([2, 3]))
    assert d.batch_shape.as_list() == [4, 2]
    assert run([d.sample(5), d.log_prob(d.sample(5))])[1].shape == (5, 4, 2)
    with pytest.raises(ValueError):
        ds.MultivariateNormalTriL()


@pytest.mark.parametrize(
    "kind,theirs,skewed",
    [
        (ds.VectorExponentialDiag, stats.expon, 1),
        (ds.VectorLaplaceDiag, stats.laplace, 0),
    ],
)
def test_other_vectors(kind, theirs, skewed):
    d = kind(LOC, DIAG)
    x = LOC + np.abs(np.random.RandomState(0).randn(4, 3))
    each = theirs(LOC, DIAG)
    got = run([d.log_prob(x), d.sample(20000, seed=1), d.mean(), d.variance(), d.entropy(), d.mode()])  # fmt: skip
    close(got[0], each.logpdf(x).sum(1))
    close(got[1].mean(0), each.mean(), atol=0.08)
    close(got[2], each.mean())
    close(got[3], each.var())
    close(got[4], each.entropy().sum())
    close(got[5], LOC)


@pytest.mark.parametrize("factors", [True, False])
@pytest.mark.parametrize("full", [True, False])
def test_wishart(full, factors):
    scale = COVARIANCE if full else np.linalg.cholesky(COVARIANCE)
    d = (ds.WishartFull if full else ds.WishartCholesky)(5.0, scale, factors)
    theirs = stats.wishart(5, COVARIANCE)
    x = np.stack(theirs.rvs(3, random_state=1))
    given = np.linalg.cholesky(x) if factors else x
    log_prob, drawn, mean = run([d.log_prob(given), d.sample(4000, seed=1), d.mean()])
    close(log_prob, [theirs.logpdf(m) for m in x])
    if factors:
        drawn, mean = (m @ np.swapaxes(m, -1, -2) for m in (drawn, mean))
    close(mean, 5 * COVARIANCE)
    close(drawn.mean(0), mean, 0.1, 0.2)
    close(drawn.var(0), theirs.var(), 0.2, 0.3)


def test_mixture():
    d = ds.Mixture(
        ds.Categorical(probs=[0.3, 0.7]), [ds.Normal(-2.0, 0.5), ds.Normal(3.0, 1.0)]
    )
    x = np.float32([-2.1, 0, 2.5])
    pair = [stats.norm(-2, 0.5), stats.norm(3, 1)]
    got = run([d.prob(x), d.cdf(x), d.mean(), d.variance(), d.sample(20000, seed=1), d.entropy_lower_bound()])  # fmt: skip
    close(got[0], 0.3 * pair[0].pdf(x) + 0.7 * pair[1].pdf(x))
    close(got[1], 0.3 * pair[0].cdf(x) + 0.7 * pair[1].cdf(x))
    close(got[2], 1.5)
    close(got[3], 0.3 * 4.25 + 0.7 * 10 - 2.25)
    close(got[4].mean(), 1.5, atol=0.06)
    close(got[4].var(), got[3], 0.04)
    close(got[5], 0.3 * pair[0].entropy() + 0.7 * pair[1].entropy())
    assert d.num_components == 2
    with pytest.raises(TypeError):
        ds.Mixture(ds.Normal(0.0, 1.0), d.components)
    with pytest.raises(ValueError):
        ds.Mixture(d.cat, d.components[:1])


def test_rounded():
    d = ds.QuantizedDistribution(ds.Normal(1.0, 2.0), low=-1.0, high=3.0)
    y = np.arange(-2, 5, dtype=np.float32)
    cdf = stats.norm(1, 2).cdf
    want = [
        0,
        cdf(-1),
        cdf(0) - cdf(-1),
        cdf(1) - cdf(0),
        cdf(2) - cdf(1),
        1 - cdf(2),
        0,
    ]
    prob, drawn, below = run([d.prob(y), d.sample(20000, seed=1), d.cdf(y + 0.5)])
    close(prob, want)
    close(below, np.cumsum(want))
    close([(drawn == v).mean() for v in y], want, atol=0.015)


def test_transformed():
    d = ds.TransformedDistribution(ds.Normal(0.5, 0.7), ds.bijectors.Exp())
    x = np.float32([0.4, 1.0, 3.0])
    theirs = stats.lognorm(0.7, scale=np.exp(0.5))
    log_prob, cdf, drawn = run([d.log_prob(x), d.cdf(x), d.sample(20000, seed=1)])
    close(log_prob, theirs.logpdf(x))
    close(cdf, theirs.cdf(x))
    close(np.log(drawn).mean(), 0.5, atol=0.02)
    vectors = ds.TransformedDistribution(
        ds.Normal(np.float64(0), np.float64(1)),
        ds.bijectors.Affine(LOC, scale_tril=np.linalg.cholesky(COVARIANCE)),
        event_shape=[3],
    )
    x = np.random.RandomState(0).randn(4, 3)
    got = run([vectors.log_prob(x), vectors.sample(20000, seed=2), vectors.mean(), vectors.entropy()])  # fmt: skip
    theirs = stats.multivariate_normal(LOC, COVARIANCE)
    close(got[0], theirs.logpdf(x))
    close(np.cov(got[1].T), COVARIANCE, 0.1, 0.05)
    close(got[2], LOC)
    close(got[3], theirs.entropy())


def test_conditional():
    class Scaled(ds.bijectors.ConditionalBijector):
        def __init__(self):
            super().__init__(0, is_constant_jacobian=True, name="scaled")

        def _forward(self, x, by=1.0):
            return x * by

        def _inverse(self, y, by=1.0):
            return y / by

        def _forward_log_det_jacobian(self, x, by=1.0):
            return tf.log(tf.constant(by))

    d = ds.ConditionalTransformedDistribution(ds.Normal(0.0, 1.0), Scaled())
    x = np.float32([0.4, -1.0])
    got = run([d.log_prob(x, by=3.0), d.prob(x), d.sample(20000, seed=1, by=3.0), d.cdf(x, by=2.0)])  # fmt: skip
    close(got[0], stats.norm(0, 3).logpdf(x))
    close(got[1], stats.norm(0, 1).pdf(x))
    close(got[2].std(), 3, atol=0.06)
    close(got[3], stats.norm(0, 2).cdf(x))


def test_percentiles_diagonals_and_conjugate_normals_are_numpys():
    x = np.random.RandomState(0).randn(4, 5, 6)
    for how, mode in (("lower", "lower"), ("higher", "higher"), ("nearest", "nearest")):
        got = run(ds.percentile(x, 30.0, axis=[0, 2], interpolation=how))
        close(got, np.percentile(x, 30, axis=(0, 2), method=mode))
    close(run(ds.percentile(x, 50.0, keep_dims=True)).shape, (1, 1, 1))
    with pytest.raises(ValueError, match="interpolation"):
        ds.percentile(x, 3.0, interpolation="linear")
    m = np.random.RandomState(1).randn(2, 3, 3)
    got = run(ds.matrix_diag_transform(m, tf.exp))
    want = m.copy()
    want[:, range(3), range(3)] = np.exp(want[:, range(3), range(3)])
    close(got, want)
    close(run(ds.softplus_inverse(np.log1p(np.exp(A)))), A)
    prior = ds.Normal(1.0, 2.0)
    data = np.float32([2.0, 3.0, 2.5])
    args = prior, tf.constant(0.5), tf.constant(data.sum()), 3
    posterior = ds.normal_conjugates_known_scale_posterior(*args)
    predictive = ds.normal_conjugates_known_scale_predictive(*args)
    precision = 1 / 4 + 3 / 0.25
    mean = (1 / 4 + data.sum() / 0.25) / precision
    got = run([posterior.loc, posterior.scale, predictive.loc, predictive.scale])
    close(got, [mean, precision**-0.5, mean, (1 / precision + 0.25) ** 0.5])
    with pytest.raises(TypeError):
        ds.normal_conjugates_known_scale_posterior(3, *args[1:])


TRIL = np.tril(np.random.RandomState(3).randn(3, 3)) + 3 * np.eye(3)
BIJECTORS = {
    "exp": (lambda b: b.Exp(), [0.3, -1.0]),
    "power": (lambda b: b.PowerTransform(0.5), [0.3, -1.0]),
    "sigmoid": (lambda b: b.Sigmoid(), [0.3, -1.0]),
    "softplus": (lambda b: b.Softplus(), [0.3, -1.0]),
    "identity": (lambda b: b.Identity(), [0.3, -1.0]),
    "affine_scalar": (
        lambda b: b.Affine(np.float64(2), np.float64(-3), event_ndims=0),
        [0.3, -1.0],
    ),
    "affine_diag": (lambda b: b.Affine(LOC, np.float64(0.5), DIAG), LOC),
    "affine_tril": (lambda b: b.Affine(LOC, scale_tril=TRIL), LOC),
    "affine_low_rank": (
        lambda b: b.Affine(
            scale_diag=DIAG,
            scale_perturb_factor=U,
            scale_perturb_diag=np.array([0.7]),
        ),
        LOC,
    ),
    "operator": (
        lambda b: b.AffineLinearOperator(
            LOC, tf.linalg.LinearOperatorLowerTriangular(tf.constant(TRIL))
        ),
        LOC,
    ),
    "chain": (lambda b: b.Chain([b.Exp(), b.Affine(LOC, scale_tril=TRIL)]), LOC),
    "invert": (lambda b: b.Invert(b.Chain([b.Exp(), b.Softplus()])), [2.3, 1.5]),
    "inline": (
        lambda b: b.Inline(
            lambda x: x**3,
            lambda y: y ** (1 / 3),
            forward_log_det_jacobian_fn=lambda x: tf.log(3 * x**2),
        ),
        [0.3, 1.0],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BIJECTORS)
def test_bijectors(name):
    make, x = BIJECTORS[name]
    b = make(ds.bijectors)
    x = tf.constant(np.array(x, np.float64))
    y = b.forward(x)
    again = make(ds.bijectors)
    ndims = b.forward_min_event_ndims
    rows = [tf.gradients(y[i], x)[0] for i in range(x.shape[0].value)]
    fetched = [
        again.inverse(tf.identity(y)),
        again.forward_log_det_jacobian(tf.identity(x)),
        make(ds.bijectors).inverse_log_det_jacobian(tf.identity(y)),
        tf.stack(rows),
    ]
    back, forward, inverse, jacobian = run(fetched)
    close(back, run(x))
    if ndims:
        want = np.linalg.slogdet(jacobian)[1]
    else:
        want = np.log(np.abs(np.diag(jacobian)))
    close(forward + np.zeros_like(want), want)
    close(inverse + np.zeros_like(want), -want)


def test_bijectors_to_a_simplex():
    b = ds.bijectors.SoftmaxCentered(event_ndims=1)
    x = np.array([[0.3, -1.0], [0.0, 2.0]])
    got = run([b.forward(x), b.inverse(b.forward(tf.constant(x)) + 0.0)])
    close(got[0], special.softmax(np.concatenate([x, np.zeros((2, 1))], 1), 1))
    close(got[1], x)
    # The Jacobian of the first k outputs has the determinant prod(y).
    ldj = run(ds.bijectors.SoftmaxCentered(event_ndims=1).forward_log_det_jacobian(x))
    close(ldj, np.log(got[0]).sum(1))
    one = ds.bijectors.SigmoidCentered()
    close(
        run(one.forward(x)), np.stack([1 / (1 + np.exp(-x)), 1 / (1 + np.exp(x))], -1)
    )
    assert b.forward_event_shape([2]).as_list() == [3]
    assert one.inverse_event_shape([2]).as_list() == []


def test_cholesky_outer_product():
    b = ds.bijectors.CholeskyOuterProduct()
    x = np.abs(TRIL) * np.tri(3)
    y, ldj, back = run(
        [b.forward(x), b.forward_log_det_jacobian(x), b.inverse(x @ x.T)]
    )
    close(y, x @ x.T)
    close(back, x)
    # The expected determinant comes from differences over the lower triangles.
    places = np.tril_indices(3)
    columns = []
    for i, j in zip(*places):
        step = np.zeros((3, 3))
        step[i, j] = 1e-6
        ahead, behind = x + step, x - step
        columns.append(((ahead @ ahead.T - behind @ behind.T) / 2e-6)[places])
    close(ldj, np.linalg.slogdet(np.array(columns).T)[1])
