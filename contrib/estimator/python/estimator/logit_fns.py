# SPDX-License-Identifier: Apache-2.0
"""Functions from features to logits, of which models are put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from tensorwright.python.estimator.canned import dnn, linear
from tensorwright.python.framework import ops
from tensorwright.python.util import compat, function_utils

if TYPE_CHECKING:
    from tensorwright.python.feature_column._columns.feature_column_base import (
        FeatureColumn,
    )
    from tensorwright.python.framework.type_aliases import TensorLike

__all__ = ["call_logit_fn", "dnn_logit_fn_builder", "linear_logit_fn_builder"]


def linear_logit_fn_builder(
    units: int, feature_columns: Sequence[FeatureColumn], sparse_combiner: str = "sum"
) -> Callable[[Mapping[str, TensorLike]], ops.Tensor]:
    """A function `f(features=...)` that returns the weighted sums of columns: float32 [n, units].

    Args:
        units: how many sums there are.
        feature_columns: as `tf.feature_column.linear_model` takes them, like the argument that follows.
        sparse_combiner: ...
    """

    def linear_logit_fn(features: Mapping[str, TensorLike]) -> ops.Tensor:
        return linear.linear_logits(features, feature_columns, units, sparse_combiner)

    return linear_logit_fn


def dnn_logit_fn_builder(
    units: int,
    hidden_units: Sequence[int],
    feature_columns: Sequence[FeatureColumn],
    activation_fn: Callable[..., ops.Tensor],
    dropout: float | None,
    input_layer_partitioner: Callable[..., Sequence[int]] | None,
    batch_norm: bool,
) -> Callable[[Mapping[str, TensorLike], str], ops.Tensor]:
    """A function `f(features=..., mode=...)` that returns the logits of a deep network: float32 [n, units].

    Args:
        units: how many logits there are.
        hidden_units: the sizes of the hidden layers.
        feature_columns: as `tf.feature_column.input_layer` takes them.
        activation_fn: of the hidden layers.
        dropout: the share of their results that training leaves out; None: nothing.
        input_layer_partitioner: cuts the variables of columns.
        batch_norm: normalize what each hidden layer gives; the step of training runs the collection UPDATE_OPS then.

    Raises:
        ValueError: `units` is no int.
    """
    if not isinstance(units, compat.integral_types):
        raise ValueError(f"units must be an int.  Given type: {type(units)}")

    def dnn_logit_fn(features: Mapping[str, TensorLike], mode: str) -> ops.Tensor:
        return dnn.dnn_logits(
            features,
            mode,
            feature_columns,
            hidden_units,
            units,
            activation_fn,
            dropout,
            input_layer_partitioner,
            batch_norm,
        )

    return dnn_logit_fn


def call_logit_fn(
    logit_fn: Callable[..., object],
    features: Mapping[str, TensorLike],
    mode: str,
    params: Mapping[str, object] | None,
    config: object,
) -> object:
    """Calls `logit_fn` with the features, and with `mode`, `params` and `config` if it has arguments of these names.

    Returns:
        A Tensor, or a dict of them.

    Raises:
        ValueError: it returned something else, or has no argument `features`.
    """
    names = function_utils.fn_args(logit_fn)
    if "features" not in names:
        raise ValueError(f"logit_fn must have an argument `features`, got {names}")
    given = {"mode": mode, "params": params, "config": config}
    logits = logit_fn(
        features=features, **{k: v for k, v in given.items() if k in names}
    )
    parts = list(logits.values()) if isinstance(logits, dict) else [logits]
    if not parts or not all(isinstance(part, ops.Tensor) for part in parts):
        raise ValueError(
            f"logit_fn should return a Tensor or a dictionary mapping strings to Tensors, got {logits!r}"
        )
    return logits
