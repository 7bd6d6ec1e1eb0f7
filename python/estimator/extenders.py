# SPDX-License-Identifier: Apache-2.0
"""Estimators made of others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tensorwright.python.estimator import (
    estimator as estimator_lib,
    model_fn as model_fn_lib,
    util,
)

__all__ = ["add_metrics"]

_ARGUMENTS = frozenset({"features", "labels", "predictions", "config"})


def add_metrics(
    estimator: estimator_lib.Estimator, metric_fn: Callable[..., dict[str, Any]]
) -> estimator_lib.Estimator:
    """An estimator that has more metrics.

    Args:
        estimator: the model.
        metric_fn: gives a dict as `eval_metric_ops`, from what it takes of `features`, `labels`, `predictions`, `config`.

    Raises:
        ValueError: a function with other arguments.
    """
    takes = set(util.fn_args(metric_fn))
    unknown = sorted(takes - _ARGUMENTS)
    if unknown:
        raise ValueError(
            f"metric_fn ({metric_fn}) has following not expected args: {unknown}"
        )

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != model_fn_lib.ModeKeys.EVAL:
            return spec
        offered = {
            "features": features,
            "labels": labels,
            "predictions": spec.predictions,
            "config": config,
        }
        more = metric_fn(**{k: v for k, v in offered.items() if k in takes})
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **more})

    return estimator_lib.Estimator(
        model_fn=model_fn, model_dir=estimator.model_dir, config=estimator.config
    )
