# SPDX-License-Identifier: Apache-2.0
"""AmpliGraph 1.4: the documentation's ComplEx model of a few triples."""

import numpy as np
from ampligraph.latent_features import ComplEx

X = np.array(
    [
        ["a", "y", "b"],
        ["b", "y", "a"],
        ["a", "y", "c"],
        ["c", "y", "a"],
        ["a", "y", "d"],
        ["c", "y", "d"],
        ["b", "y", "c"],
        ["f", "y", "e"],
    ]
)
model = ComplEx(
    batches_count=1,
    seed=555,
    epochs=100,
    k=10,
    loss="pairwise",
    loss_params={"margin": 1},
    regularizer="LP",
    regularizer_params={"lambda": 0.1, "p": 3},
)
model.fit(X)
known = model.predict(X)
unknown = model.predict(np.array([["f", "y", "b"], ["e", "y", "d"], ["d", "y", "f"]]))
assert known.shape == (8,), known.shape
assert np.mean(known) > np.mean(unknown), (known, unknown)
vectors = model.get_embeddings(["f", "e"], embedding_type="entity")
assert vectors.shape == (2, 20), vectors.shape
