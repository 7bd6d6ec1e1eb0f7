# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.factorization`: k-means, factors of sparse matrices, mixtures of Gaussians.

Re-exports, no code.
"""

# ruff: noqa: F401
from tensorwright.contrib import _missing
from tensorwright.contrib.factorization.python.ops.clustering_ops import (
    COSINE_DISTANCE,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from tensorwright.contrib.factorization.python.ops.factorization_ops import WALSModel
from tensorwright.contrib.factorization.python.ops.kmeans import KMeansClustering

__getattr__ = _missing.names(
    __name__, "GMM", "GmmAlgorithm", "WALSMatrixFactorization", "gmm"
)
