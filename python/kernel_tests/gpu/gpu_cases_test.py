# SPDX-License-Identifier: Apache-2.0
"""Runs all cases of kernels for GPUs on the stand-in."""

import os
import pathlib
import sys

os.environ["TW_GPU"] = "stand-in"
# The families are modules beside this one, for a machine without Bazel.
sys.path.insert(0, str(pathlib.Path(__file__).parent))

import gpu_cases
import numpy as np
import pytest

import tensorwright as tf


@pytest.mark.parametrize("family", gpu_cases.families())
def test_family(family: str) -> None:
    """Every case of the family gives on the stand-in what it gives on a CPU."""
    outcomes = list(gpu_cases.run_cases(gpu_cases.cases_of(family)))
    failures = [
        f"{outcome.case.label}: {outcome.failure}"
        for outcome in outcomes
        if outcome.failure
    ]
    assert outcomes
    assert not failures, "\n".join(
        [f"{len(failures)} of {len(outcomes)} cases failed", *failures[:50]]
    )


def test_a_wrong_result_is_seen() -> None:
    """A difference is a failure, whether by value, place of NaN, dtype or shape."""
    case = gpu_cases.Case("Identity", "float32", tf.identity)
    right = np.array([1, np.nan, np.inf, -2], np.float32)
    assert gpu_cases.error_of(case, right, right.copy()) == (0.0, "")
    assert gpu_cases.error_of(case, right, right + np.float32(1e-3))[0] > 1
    assert gpu_cases.error_of(case, right, right[::-1])[1]
    assert gpu_cases.error_of(case, right, right.astype(np.float64))[1]
    assert gpu_cases.error_of(case, right, right[:3])[1]
    exact = gpu_cases.Case("Identity", "float32", tf.identity, exact=True)
    assert gpu_cases.error_of(exact, right, right * np.float32(1 + 1e-6))[1]
