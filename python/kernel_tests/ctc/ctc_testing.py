# SPDX-License-Identifier: Apache-2.0
"""Helpers of the tests of CTC: logits, and the labels of an alignment."""

import itertools

import numpy as np


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def collapsed(alignment, blank, merge):
    """The labels that an alignment stands for."""
    runs = (k for k, _ in itertools.groupby(alignment)) if merge else alignment
    return tuple(k for k in runs if k != blank)


def draw(steps, batch, classes, dtype=np.float64, seed=0, scale=2.0):
    shape = [steps, batch, classes]
    return (scale * np.random.RandomState(seed).normal(size=shape)).astype(dtype)
