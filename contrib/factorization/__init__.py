# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.factorization`: k-means, factors of sparse matrices, mixtures of Gaussians.

Re-exports, no code but what imports two estimators when they are asked for.
"""

# ruff: noqa: F401
import importlib as _importlib
from typing import TYPE_CHECKING as _TYPE_CHECKING, Any as _Any

from tensorwright.contrib.factorization.python.ops.clustering_ops import (
    COSINE_DISTANCE,
    KMEANS_PLUS_PLUS_INIT,
    RANDOM_INIT,
    SQUARED_EUCLIDEAN_DISTANCE,
    KMeans,
)
from tensorwright.contrib.factorization.python.ops.factorization_ops import WALSModel
from tensorwright.contrib.factorization.python.ops.gmm_ops import GmmAlgorithm, gmm
from tensorwright.contrib.factorization.python.ops.kmeans import KMeansClustering

if _TYPE_CHECKING:
    from tensorwright.contrib.factorization.python.ops.gmm import GMM
    from tensorwright.contrib.factorization.python.ops.wals import (
        WALSMatrixFactorization,
    )

# The module of each estimator of tf.contrib.learn, which costs more to import than all the rest.
_ESTIMATORS = {"GMM": "gmm", "WALSMatrixFactorization": "wals"}


def __getattr__(name: str) -> _Any:
    if name not in _ESTIMATORS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _importlib.import_module(f"{__name__}.python.ops.{_ESTIMATORS[name]}")
    value = globals()[name] = getattr(module, name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_ESTIMATORS})


__all__ = [
    "COSINE_DISTANCE",
    "GMM",
    "GmmAlgorithm",
    "KMEANS_PLUS_PLUS_INIT",
    "KMeans",
    "KMeansClustering",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
    "WALSMatrixFactorization",
    "WALSModel",
    "gmm",
]
