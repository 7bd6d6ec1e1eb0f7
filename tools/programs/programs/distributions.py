# SPDX-License-Identifier: Apache-2.0
"""Distributions: densities, quantiles, divergences, mixtures of them by maximum likelihood, seeded draws."""

import numpy as np
import tensorflow as tf

tfd = tf.distributions
rng = np.random.RandomState(21)
points = tf.constant([0.2, 0.5, 0.9])
tried = {
    "normal": tfd.Normal(0.3, 1.2),
    "gamma": tfd.Gamma(2.0, 3.0),
    "beta": tfd.Beta(2.0, 3.0),
    "exponential": tfd.Exponential(1.5),
    "laplace": tfd.Laplace(0.1, 0.7),
    "student": tfd.StudentT(4.0, 0.0, 1.0),
    "uniform": tfd.Uniform(0.0, 2.0),
}
bernoulli = tfd.Bernoulli(logits=[-1.0, 0.0, 2.0])
categorical = tfd.Categorical(probs=[[0.1, 0.2, 0.7], [0.4, 0.4, 0.2]])
dirichlet = tfd.Dirichlet([1.0, 2.0, 3.0])
multinomial = tfd.Multinomial(total_count=4.0, probs=[0.2, 0.3, 0.5])
divergences = {
    "normal": tfd.kl_divergence(tfd.Normal(0.0, 1.0), tfd.Normal(1.0, 2.0)),
    "bernoulli": tfd.kl_divergence(bernoulli, tfd.Bernoulli(probs=0.5)),
    "categorical": tfd.kl_divergence(
        categorical, tfd.Categorical(logits=tf.zeros([2, 3]))
    ),
    "gamma": tfd.kl_divergence(tfd.Gamma(2.0, 3.0), tfd.Gamma(1.0, 1.0)),
    "dirichlet": tfd.kl_divergence(dirichlet, tfd.Dirichlet([2.0, 2.0, 2.0])),
}

data = np.concatenate([rng.normal(-1, 0.3, 40), rng.normal(2, 0.6, 20)]).astype(
    np.float32
)
means = tf.get_variable("means", initializer=[-0.5, 0.5])
scales = tf.nn.softplus(tf.get_variable("scales", initializer=[0.5, 0.5]))
weights = tf.get_variable("weights", initializer=[0.0, 0.0])
parts = tfd.Normal(means, scales).log_prob(tf.constant(data)[:, tf.newaxis])
likelihood = tf.reduce_logsumexp(parts + tf.nn.log_softmax(weights), 1)
loss = -tf.reduce_mean(likelihood)
step = tf.train.AdamOptimizer(0.1).minimize(loss)

with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for name, d in tried.items():
        print(
            name,
            *session.run(d.log_prob(points)),
            *session.run([d.mean(), d.stddev(), d.entropy()]),
        )
    for name in ("normal", "exponential", "uniform", "laplace"):
        print("cdf", name, *session.run(tried[name].cdf(points)))
    print("quantile", *session.run(tried["normal"].quantile(points)))
    print("modes", *session.run([dirichlet.mode(), categorical.mode()]))
    print("covariance", *session.run(multinomial.covariance()).ravel())
    print("multinomial", session.run(multinomial.log_prob([1.0, 1.0, 2.0])))
    print(
        "shapes",
        dirichlet.event_shape,
        categorical.batch_shape,
        tried["beta"].dtype.name,
    )
    for name, value in divergences.items():
        print("divergence", name, *np.ravel(session.run(value)))
    for name in ("normal", "uniform", "exponential", "laplace"):
        print("draws", name, *session.run(tried[name].sample(3, seed=8)))
    print("bernoulli", *session.run(bernoulli.sample(2, seed=9)).ravel())
    for i in range(41):
        value, _ = session.run([loss, step])
        if i % 10 == 0:
            print("loss", i, value)
    print("means", *session.run(means))
    try:
        session.run(tfd.Normal(0.0, -1.0, validate_args=True).scale)
    except tf.errors.InvalidArgumentError as error:
        print("refused", "ositive" in str(error))
