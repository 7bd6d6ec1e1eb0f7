# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.bayesflow`: divergences, expectations, gradients through samples, variational inference.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib.bayesflow.python.ops import (
    csiszar_divergence,
    entropy,
    monte_carlo,
    stochastic_gradient_estimators,
    stochastic_graph,
    stochastic_tensor,
    stochastic_variables,
    variational_inference,
)
