# SPDX-License-Identifier: Apache-2.0
"""Valid inputs of dual coordinate ascent; see draws.hint.

Its result depends on the order of the examples, which TensorFlow draws anew in each call, but for one example, or where
each has features of its own.  Small draws are of these.
"""

from __future__ import annotations

import numpy as np

from tensorwright.tools.opcheck import signature as sig
from tensorwright.tools.opcheck.draws import BIG, HUGE, Drawer, hint

# Examples and dense features.
_LARGE = {BIG: (200, 150), HUGE: (2000, 2000)}


def _labels(d: Drawer, n: int):
    """Labels, and dual variables that they may have."""
    share = d.rng.uniform(0.05, 0.95, n)
    if d["loss_type"] == "squared_loss":
        return d.rng.normal(size=n), d.rng.normal(size=n)
    if d["loss_type"] == "poisson_loss":
        labels = d.rng.poisson(2.0, n) + 0.0
        return labels, labels - share
    labels = d.rng.randint(0, 2, n) + 0.0
    return labels, np.where(labels > 0, share, -share)


def _sparse_group(d: Drawer, n: int):
    """Example and feature of each entry, and all features: feature f belongs to example f % n alone."""
    places = np.arange(n * d.int(1, 3))
    chosen = places[d.rng.random_sample(len(places)) < 0.8]
    examples = chosen % n
    order = np.argsort(examples, kind="stable")
    names = d.rng.permutation(1000)[: len(places)]
    return examples[order], names[chosen][order], names


def _dense_group(d: Drawer, n: int):
    if d.large:
        return d.values(sig.FLOAT, _LARGE[d.size], "unit")
    columns = d.int(1, 4) * n
    x = d.rng.normal(size=[n, columns])
    return np.where(np.arange(columns) % n == np.arange(n)[:, None], x, 0)


@hint("SdcaOptimizer")
def _optimizer(d: Drawer):
    n = _LARGE[d.size][0] if d.large else d.pick([1, 1, 1, 2, 3, 5])
    if n > 1:
        d.attrs["adaptative"] = False
    sparse, dense = d.int(0, 2), d.int(0, 2)
    if d.large or not sparse:
        dense = max(dense, 1)
    with_values = d.int(0, sparse)
    d.attrs["num_sparse_features"] = sparse
    d.attrs["num_sparse_features_with_values"] = with_values
    d.attrs["num_dense_features"] = dense
    d.attrs["l1"] = d.pick([0.0, 0.1, 0.5])
    d.attrs["l2"] = d.pick([0.5, 1.0, 2.5])
    labels, duals = _labels(d, n)
    groups = [_sparse_group(d, n) for _ in range(sparse)]
    columns = [_dense_group(d, n) for _ in range(dense)]
    state = d.rng.normal(size=[n, 4])
    state[:, 0] = duals

    def floats(x):
        return d.array(sig.FLOAT, x)

    return [
        [d.array(sig.INT64, g[0]) for g in groups],
        [d.array(sig.INT64, g[1]) for g in groups],
        [floats(d.rng.normal(size=len(g[0]))) for g in groups[:with_values]],
        [floats(x) for x in columns],
        floats(d.rng.uniform(0.2, 2, n)),
        floats(labels),
        [d.array(sig.INT64, g[2]) for g in groups],
        [floats(d.rng.normal(size=len(g[2])) / 2) for g in groups],
        [floats(d.rng.normal(size=x.shape[1]) / 2) for x in columns],
        floats(state),
    ]


@hint("SdcaShrinkL1")
def _shrink(d: Drawer):
    d.attrs["num_features"] = n = 1 if d.large else d.int(0, 3)
    d.attrs["l1"], d.attrs["l2"] = d.pick([0.0, 0.3, 2.0]), d.pick([0.5, 1.0, 3.0])
    return [[d.values(sig.FLOAT, d.shape()) for _ in range(n)]]


@hint("SdcaFprint")
def _fprint(d: Drawer):
    return [d.values(sig.STRING, [30_000 if d.large else d.dim()])]
