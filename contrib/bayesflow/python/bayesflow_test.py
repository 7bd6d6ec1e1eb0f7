# SPDX-License-Identifier: Apache-2.0
"""Divergences against formulas, expectations against known ones, gradients through samples, lower bounds."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

bf = tf.contrib.bayesflow
cd, mc, st, sge = bf.csiszar_divergence, bf.monte_carlo, bf.stochastic_tensor, bf.stochastic_gradient_estimators  # fmt: skip
Normal, Bernoulli = tf.distributions.Normal, tf.distributions.Bernoulli
LOGU = np.array([-2.0, -0.3, 0.0, 0.5, 1.7])
U = np.exp(LOGU)


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


@pytest.mark.parametrize(
    ("function", "want"),
    [
        (lambda x: cd.amari_alpha(x, 0.5), (U**0.5 - 1) / -0.25),
        (lambda x: cd.amari_alpha(x, 2.0, True), (U**2 - 1 - 2 * (U - 1)) / 2),
        (cd.kl_reverse, -LOGU),
        (lambda x: cd.kl_reverse(x, True), -LOGU + U - 1),
        (cd.kl_forward, U * LOGU),
        (lambda x: cd.kl_forward(x, True), U * LOGU - U + 1),
        (cd.jensen_shannon, U * LOGU - (1 + U) * np.log1p(U)),
        (
            lambda x: cd.jensen_shannon(x, True),
            U * LOGU - (1 + U) * np.log1p(U) + (U + 1) * np.log(2),
        ),
        (cd.arithmetic_geometric, (1 + U) * np.log((1 + U) / np.sqrt(U))),
        (
            lambda x: cd.arithmetic_geometric(x, True),
            (1 + U) * np.log((1 + U) / np.sqrt(U)) - (1 + U) * np.log(2),
        ),
        (cd.total_variation, abs(U - 1) / 2),
        (cd.pearson, (U - 1) ** 2),
        (cd.squared_hellinger, (np.sqrt(U) - 1) ** 2),
        (cd.triangular, (U - 1) ** 2 / (1 + U)),
        (lambda x: cd.t_power(x, 0.5), 1 - U**0.5),
        (lambda x: cd.t_power(x, 3.0, True), U**3 - 1 - 3 * (U - 1)),
        (cd.log1p_abs, np.where(U > 1, U - 1, 1 / U - 1)),
        (cd.jeffreys, (U * LOGU - LOGU) / 2),
        (cd.chi_square, U**2 - 1),
        (cd.modified_gan, np.log1p(U) - LOGU),
        (lambda x: cd.modified_gan(x, True), np.log1p(U) - LOGU + (U - 1) / 2),
        (lambda x: cd.dual_csiszar_function(x, cd.kl_forward), -LOGU),
        (
            lambda x: cd.symmetrized_csiszar_function(x, cd.kl_forward),
            (U * LOGU - LOGU) / 2,
        ),
    ],
)
def test_functions_of_divergences(function, want):
    np.testing.assert_allclose(run(function(tf.constant(LOGU))), want, rtol=1e-6, atol=1e-9)  # fmt: skip


@pytest.mark.parametrize("through", [True, False])
def test_divergences_and_their_gradients(through):
    mean = tf.get_variable("m", initializer=np.float32(0.7))
    p, q = Normal(0.0, 1.0), Normal(mean, 1.0)
    kl = cd.monte_carlo_csiszar_f_divergence(
        lambda u: cd.kl_reverse(u, self_normalized=True), p.log_prob, q, 20000, through, seed=1
    )  # fmt: skip
    value, gradient = run([kl, tf.gradients(kl, mean)[0]])
    # KL[q, p] = m^2 / 2; standard errors are below 0.01.
    np.testing.assert_allclose(value, 0.245, atol=0.04)
    np.testing.assert_allclose(gradient, 0.7, atol=0.08)
    with pytest.raises(ValueError, match="must be reparameterized"):
        cd.monte_carlo_csiszar_f_divergence(cd.kl_reverse, p.log_prob, Bernoulli(0.5), 3)  # fmt: skip


def test_one_sample_out():
    logu = np.random.RandomState(0).randn(4, 3)
    mean, swapped = run(cd.csiszar_vimco_helper(logu))
    np.testing.assert_allclose(mean, np.log(np.exp(logu).mean(0)), rtol=1e-6)
    for i in range(4):
        other = logu.copy()
        other[i] = np.delete(logu, i, 0).mean(0)
        np.testing.assert_allclose(swapped[i], np.log(np.exp(other).mean(0)), rtol=1e-6)
    q = Normal(tf.get_variable("m", initializer=np.float32(0.5)), 1.0)
    bound = cd.csiszar_vimco(lambda u: -u, Normal(0.0, 1.0).log_prob, q, 5, 4000, seed=2)  # fmt: skip
    (gradient,) = tf.gradients(bound, tf.trainable_variables())
    value, gradient = run([bound, gradient])
    # The bound of several samples is tighter than the divergence, 0.125.
    assert 0 < value < 0.125 and 0 < gradient < 0.5
    with pytest.raises(ValueError, match="num_draws"):
        cd.csiszar_vimco(cd.kl_reverse, q.log_prob, q, 1)


def test_expectations():
    p, q = Normal(1.0, 1.0), Normal(0.0, 2.0)
    square = mc.expectation_importance_sampler(tf.square, p.log_prob, q, n=50000, seed=1)  # fmt: skip
    log = mc.expectation_importance_sampler_logspace(lambda z: tf.log(z * z + 1e-9), p.log_prob, q, n=50000, seed=1)  # fmt: skip
    square, log = run([square, log])
    np.testing.assert_allclose([square, np.exp(log)], 2, atol=0.1)
    exact = mc.expectation_importance_sampler(lambda z: z, lambda z: tf.log(z), Normal(0.0, 1.0), z=tf.constant([1.0, 2.0]))  # fmt: skip
    density = np.exp(-np.array([0.5, 2.0])) / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(run(exact), (np.array([1, 4]) / density).mean(), rtol=1e-5)  # fmt: skip
    for given in ({}, {"z": [1.0], "n": 3}):
        with pytest.raises(ValueError, match="exactly one"):
            mc.expectation_importance_sampler(tf.square, p.log_prob, q, **given)


def test_expectations_by_the_score():
    mean = tf.get_variable("m", initializer=np.float32(0.5))
    p = Normal(mean, 1.0)
    found = mc.expectation(tf.square, p.sample(50000, seed=1), p.log_prob, use_reparametrization=False)  # fmt: skip
    value, gradient = run([found, tf.gradients(found, mean)[0]])
    np.testing.assert_allclose(value, 1.25, atol=0.05)
    np.testing.assert_allclose(gradient, 1.0, atol=0.1)
    with pytest.raises(ValueError, match="log_prob"):
        mc.expectation(tf.square, [1.0], use_reparametrization=False)


def test_entropies_and_ratios():
    p, q = Normal(1.0, 1.0), Normal(0.0, 1.0)
    forms = bf.entropy.ELBOForms
    known = 0.5 * np.log(2 * np.pi * np.e)
    found = run(
        [
            bf.entropy.entropy_shannon(q),
            bf.entropy.entropy_shannon(q, n=20000, seed=1, form=forms.sample),
            bf.entropy.elbo_ratio(p.log_prob, q, n=20000, seed=1),
            bf.entropy.renyi_ratio(p.log_prob, q, 0.5, n=20000, seed=1),
            bf.entropy.renyi_ratio(p.log_prob, q, 1.0, n=20000, seed=1),
        ]
    )
    # log E_q[(p / q)^a] = a (a - 1) / 2 for means that are 1 apart.
    np.testing.assert_allclose(found[:2], known, atol=0.03)
    np.testing.assert_allclose(found[2:], [-0.5, -0.25, -0.5], atol=0.04)
    alphas = [bf.entropy.renyi_alpha(s, 100, 0.2, 0.9) for s in (0, 50, 100, 500)]
    half = (np.exp(0.5) - 1) / (np.e - 1)
    np.testing.assert_allclose(run(alphas), [0.9, 0.9 - 0.7 * half, 0.2, 0.2], rtol=1e-5)  # fmt: skip
    with pytest.raises(ValueError, match="form"):
        bf.entropy.entropy_shannon(q, form=forms.analytic_kl)


def test_tensors_that_remember_their_distribution():
    normal, coin = Normal([1.0, 2.0], 0.0001), Bernoulli(probs=[0.5, 0.5], dtype=tf.float32)  # fmt: skip
    a = st.StochasticTensor(normal)
    with st.value_type(st.MeanValue()):
        b = st.StochasticTensor(normal, name="b")
        with st.value_type(st.SampleValue([3], stop_gradient=True)):
            c = st.StochasticTensor(normal)
        assert isinstance(st.get_current_value_type(), st.MeanValue)
    assert run(tf.identity(a)).shape == (2,) and c.value().get_shape() == [3, 2]
    np.testing.assert_allclose(run(tf.identity(b)), [1, 2], rtol=1e-6)
    assert a.distribution is normal and a.dtype == tf.float32
    # Gradients go through samples of a normal distribution, and need no loss.
    assert a.loss(tf.constant(1.0)) is None and b.loss(tf.constant(1.0)) is None
    loss = st.StochasticTensor(coin).loss(tf.constant([2.0, 4.0]))
    np.testing.assert_allclose(run(loss), np.log(0.5) * np.array([2, 4]), rtol=1e-5)
    seen = st.ObservedStochasticTensor(normal, tf.constant([5.0, 6.0]))
    np.testing.assert_array_equal(run(tf.identity(seen)), [5, 6])
    assert seen.loss(1.0) is None
    with pytest.raises(ValueError, match="shape"):
        st.ObservedStochasticTensor(normal, tf.constant([5.0, 6.0, 7.0]))
    with pytest.raises(ValueError, match="No value type"):
        st.get_current_value_type()
    with pytest.raises(TypeError, match="dist_value_type"):
        st.StochasticTensor(normal, dist_value_type="mean")


def test_score_functions():
    coin = st.StochasticTensor(Bernoulli(probs=[0.25, 0.75], dtype=tf.float32))
    value, loss = coin.value(), tf.constant([2.0, 5.0])
    log_p = coin.distribution.log_prob(value)
    mean = sge.get_score_function_with_baseline(sge.get_mean_baseline(0.5))
    cases = [
        (sge.score_function(coin, value, loss), [2, 5]),
        (sge.get_score_function_with_constant_baseline(1.5)(coin, value, loss), [0.5, 3.5]),
        (sge.get_score_function_with_advantage()(coin, value, loss), [2, 5]),
        (sge.get_score_function_with_advantage(lambda t, v, loss: loss**2)(coin, value, loss), [4, 25]),
        # The first average, corrected for its start at zero, is the mean 3.5.
        (mean(coin, value, loss), [2 - 3.5, 5 - 3.5]),
    ]  # fmt: skip
    found, logs = run([[c[0] for c in cases], log_p])
    for got, (_, advantage) in zip(found, cases):
        np.testing.assert_allclose(got, logs * advantage, rtol=1e-5)
    losses = tf.constant([[1.0], [2.0], [4.0]])
    got = run(sge.get_vimco_advantage_fn()(None, None, losses))
    want = np.log(7 / 3) - np.log([(np.sqrt(8) + 6) / 3, (1 + 2 + 4) / 3, (3 + np.sqrt(2)) / 3])  # fmt: skip
    np.testing.assert_allclose(got[:, 0], want, rtol=1e-5)


def test_a_loss_for_a_graph_with_samples():
    logit = tf.get_variable("l", initializer=np.float32(0.3))
    coin = st.StochasticTensor(
        Bernoulli(logits=tf.fill([20000], logit), dtype=tf.float32)
    )
    other = st.StochasticTensor(Normal(0.0, 1.0))
    losses = 3.0 * coin.value() + 1.0
    surrogate = bf.stochastic_graph.surrogate_loss([losses])
    (gradient,) = tf.gradients(surrogate, logit)
    p = 1 / (1 + np.exp(-0.3))
    np.testing.assert_allclose(run(gradient) / 20000, 3 * p * (1 - p), atol=0.06)
    # A loss of no sample stays as it is.
    alone = tf.constant(2.0)
    assert run(bf.stochastic_graph.surrogate_loss([alone], [other])) == 2
    for given, kind in ((alone, TypeError), ([2.0], TypeError), ([], ValueError), ([tf.zeros([2, 2])], ValueError)):  # fmt: skip
        with pytest.raises(kind):
            bf.stochastic_graph.surrogate_loss(given)


@pytest.mark.parametrize("form", ["default", "analytic_kl", "analytic_entropy", "sample"])  # fmt: skip
def test_lower_bounds(form):
    vi = bf.variational_inference
    with st.value_type(st.SampleValue([20000])):
        z = st.StochasticTensor(Normal(0.5, 0.8))
    prior = Normal(0.0, 1.0)
    likelihood = Normal(z.value(), 1.0).log_prob(1.5)
    given = getattr(vi.ELBOForms, form)
    bound = tf.reduce_mean(vi.elbo(likelihood, {z: prior}, form=given))
    vi.register_prior(z, prior)
    again = tf.reduce_mean(vi.elbo(likelihood, form=given))
    kl = np.log(1 / 0.8) + (0.64 + 0.25) / 2 - 0.5
    want = -0.5 * np.log(2 * np.pi) - 0.5 * (1.0 + 0.64) - kl
    np.testing.assert_allclose(run([bound, again]), want, atol=0.05)
    if form != "analytic_kl":
        joint = likelihood + prior.log_prob(z.value())
        found = vi.elbo_with_log_joint(joint, form=given)
        np.testing.assert_allclose(run(tf.reduce_mean(found)), want, atol=0.05)
        total = vi.elbo_with_log_joint(
            tf.reduce_sum(joint), [z], keep_batch_dim=False, form=given
        )
        if form == "sample":
            np.testing.assert_allclose(run(total) / 20000, want, atol=0.05)
    else:
        with pytest.raises(ValueError, match="not allowed"):
            vi.elbo_with_log_joint(likelihood, form=given)
    with pytest.raises(TypeError, match="Distribution"):
        vi.register_prior(z, 3.0)


def test_variables_that_are_distributions():
    getter = bf.stochastic_variables.make_stochastic_variable_getter(
        Normal, param_initializers={"scale": tf.constant_initializer(0.1)}, prior=lambda shape, dtype: Normal(tf.zeros(shape, dtype), 1.0)
    )  # fmt: skip
    with tf.variable_scope("net", custom_getter=getter):
        w = tf.get_variable("w", [2, 3])
    assert isinstance(w, st.StochasticTensor)
    assert {v.op.name for v in tf.trainable_variables()} == {"net/w_loc", "net/w_scale"}
    y = tf.matmul(tf.ones([4, 2]), w)
    bound = bf.variational_inference.elbo(-tf.reduce_sum(y**2), keep_batch_dim=False)
    assert bound.get_shape() == []
    found = tf.gradients(bound, tf.trainable_variables())
    assert all(np.isfinite(g).all() and np.any(g) for g in run(found))
