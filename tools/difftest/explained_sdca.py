# SPDX-License-Identifier: Apache-2.0
"""Differences from TensorFlow that are meant, of dual coordinate ascent."""

from __future__ import annotations

from tensorwright.tools.difftest.difference import REFUSAL
from tensorwright.tools.difftest.explanation import Explanation, refused

_SIZES = "InvalidArgumentError: SdcaOptimizer: sparse_indices and sparse_weights must be as many, got 6 and 7"

TABLE: list[Explanation] = [
    Explanation(
        "SdcaOptimizer",
        REFUSAL,
        "TensorFlow leaves out what does not fit, or reads what is not there",
        ours=r"InvalidArgumentError: SdcaOptimizer: ((sparse_indices and sparse_weights|columns of dense_features and weights"
        r"|sparse_feature_indices and sparse_feature_values) must be as many, got \d+ and \d+"
        r"|Dimensions must be equal, but are \d+ and \d+|sparse_example_indices (has|must not decrease))",
        when=lambda d: bool(d.words),
        true=[
            refused("SdcaOptimizer", _SIZES, words="input 7[0]: shape [7]"),
            refused(
                "SdcaOptimizer",
                "InvalidArgumentError: SdcaOptimizer: sparse_example_indices has 5, which is not in [0, 3)",
                words="input 0[0]: all = 5",
            ),
        ],
        wrong=[
            refused("SdcaOptimizer", _SIZES),
            refused(
                "SdcaOptimizer",
                "InvalidArgumentError: SdcaOptimizer: example 0 has feature 3 twice",
                words="input 7[0]: shape [7]",
            ),
        ],
    ),
]
