# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.tensor_forest`: random forests that grow with each batch of examples.

    hparams = tensor_forest.ForestHParams(num_classes=3, num_features=4).fill()
    graph = tensor_forest.RandomForestGraphs(hparams)
    train_op = graph.training_graph(x, y)
    probabilities, _, _ = graph.inference_graph(x)

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.contrib.tensor_forest import client, python
from tensorwright.contrib.tensor_forest.client import eval_metrics, random_forest
from tensorwright.contrib.tensor_forest.python import tensor_forest

__getattr__ = _missing.names(__name__, "hybrid")
