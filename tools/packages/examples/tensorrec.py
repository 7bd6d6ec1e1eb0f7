# SPDX-License-Identifier: Apache-2.0
"""TensorRec: the README's quick start."""

import numpy as np
import tensorrec

np.random.seed(1)
model = tensorrec.TensorRec()
interactions, user_features, item_features = tensorrec.util.generate_dummy_data(
    num_users=100, num_items=150, interaction_density=0.05
)
model.fit(interactions, user_features, item_features, epochs=5, verbose=True)
predictions = model.predict(user_features=user_features, item_features=item_features)
assert predictions.shape == (100, 150) and np.isfinite(predictions).all()
predicted_ranks = model.predict_rank(
    user_features=user_features, item_features=item_features
)
assert sorted(predicted_ranks[0]) == list(range(1, 151))
r_at_k = tensorrec.eval.recall_at_k(predicted_ranks, interactions, k=10)
assert 0 <= np.mean(r_at_k) <= 1


def error():
    """The distance of predictions from the interactions that were seen."""
    seen = interactions.tocoo()
    found = model.predict(user_features, item_features)[seen.row, seen.col]
    return np.sqrt(np.mean((found - seen.data) ** 2))


before = error()
model.fit_partial(interactions, user_features, item_features, epochs=100)
assert error() < 0.7 * before, (before, error())
