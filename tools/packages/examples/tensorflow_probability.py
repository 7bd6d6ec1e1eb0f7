# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Probability 0.5: the README's logistic regression by tfp.glm."""

import numpy as np
import tensorflow as tf
import tensorflow_probability as tfp

features = tfp.distributions.Normal(loc=0.0, scale=1.0).sample(20000, seed=1)
labels = tfp.distributions.Bernoulli(logits=1.618 * features).sample(seed=2)
model = tfp.glm.Bernoulli()
coeffs, linear_response, is_converged, num_iter = tfp.glm.fit(
    model_matrix=features[:, tf.newaxis],
    response=tf.to_float(labels),
    model=model,
)
# The two draws are evaluated once: all four are of one fit.
with tf.Session() as sess:
    found, response, converged, steps = sess.run(
        [coeffs, linear_response, is_converged, num_iter]
    )
assert converged and 1 < steps < 20, (converged, steps)
assert abs(found[0] - 1.618) < 0.1, found
assert response.shape == (20000,) and np.isfinite(response).all()
