# SPDX-License-Identifier: Apache-2.0
"""GPflow 1.5: "Gaussian process regression", the first notebook."""

import gpflow
import numpy as np

random = np.random.RandomState(1)
X = random.rand(12, 1)
Y = np.sin(12 * X) + 0.66 * np.cos(25 * X) + random.randn(12, 1) * 0.1 + 3

k = gpflow.kernels.Matern52(1, lengthscales=0.3)
m = gpflow.models.GPR(X, Y, kern=k)
m.likelihood.variance = 0.01
before = m.compute_log_likelihood()
gpflow.train.ScipyOptimizer().minimize(m)
after = m.compute_log_likelihood()
assert after > before, (before, after)
mean, variance = m.predict_y(X)
assert mean.shape == variance.shape == (12, 1)
assert np.abs(mean - Y).mean() < 0.3, np.abs(mean - Y).mean()

# The marginal likelihood of the fitted model, from its parameters by NumPy.
scale, length = float(k.variance.value), float(k.lengthscales.value)
distance = np.sqrt(5) * np.abs(X - X.T) / length
kernel = scale * (1 + distance + distance**2 / 3) * np.exp(-distance)
kernel += float(m.likelihood.variance.value) * np.eye(12)
expected = -0.5 * (
    (Y.T @ np.linalg.solve(kernel, Y)).item()
    + np.linalg.slogdet(kernel)[1]
    + 12 * np.log(2 * np.pi)
)
assert np.isclose(after, expected, rtol=1e-5), (after, expected)
