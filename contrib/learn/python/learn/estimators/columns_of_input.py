# SPDX-License-Identifier: Apache-2.0
"""Real valued columns for arrays, and for the results of input functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.layers.python.layers import feature_column_parsing
from tensorwright.contrib.learn.python.learn.estimators import data_inputs
from tensorwright.python.framework import ops

if TYPE_CHECKING:
    from tensorwright.contrib.layers.python.layers.feature_column_dense import (
        RealValuedColumn,
    )


def infer_real_valued_columns_from_input_fn(
    input_fn: Callable[..., object],
) -> list[RealValuedColumn]:
    """A real valued column for each feature of an input function.

    ValueError for features that are sparse or no numbers.
    """
    with ops.Graph().as_default():
        found = input_fn()
        features = found[0] if isinstance(found, tuple) else found
        return feature_column_parsing.infer_real_valued_columns(features)


def infer_real_valued_columns_from_input(x: Any) -> list[RealValuedColumn]:
    """A real valued column for each array of a dict, or one for an array [n, d...]."""
    make = data_inputs.source(x, None, None, None, shuffle=False, epochs=1)
    with ops.Graph().as_default():
        features, _, _ = make()
        return feature_column_parsing.infer_real_valued_columns(features)
