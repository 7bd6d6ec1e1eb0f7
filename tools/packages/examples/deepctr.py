# SPDX-License-Identifier: Apache-2.0
"""DeepCTR 0.7: the quick start's DeepFM, on clicks that are generated."""

import numpy as np
from deepctr.inputs import DenseFeat, SparseFeat, get_feature_names
from deepctr.models import DeepFM

random = np.random.RandomState(1)
kinds = random.randint(0, 10, size=(1000, 3))
sizes = random.rand(1000, 2).astype(np.float32)
clicked = ((kinds[:, 0] > 4) ^ (sizes[:, 0] > 0.8)).astype(np.float32)
columns = [SparseFeat(f"C{i}", vocabulary_size=10, embedding_dim=4) for i in range(3)]
columns += [DenseFeat(f"I{i}", 1) for i in range(2)]
values = {f"C{i}": kinds[:, i] for i in range(3)}
values |= {f"I{i}": sizes[:, i] for i in range(2)}
names = get_feature_names(columns)
assert names == ["C0", "C1", "C2", "I0", "I1"], names

model = DeepFM(columns, columns, task="binary")
model.compile("adam", "binary_crossentropy", metrics=["binary_crossentropy"])
history = model.fit(
    values, clicked, batch_size=64, epochs=12, verbose=0, validation_split=0.2
)
losses = history.history["loss"]
assert losses[-1] < 0.8 * losses[0], losses
predicted = model.predict(values, batch_size=256)
assert predicted.shape == (1000, 1)
assert ((predicted[:, 0] > 0.5) == clicked).mean() > 0.7
