# SPDX-License-Identifier: Apache-2.0
"""The results of evaluations and predictions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tensorwright.python.framework import ops
from tensorwright.python.ops import control_flow_ops, metrics as metrics_lib
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.summary import summary
from tensorwright.python.training import summary_io

if TYPE_CHECKING:
    from tensorwright.python.estimator.model_fn import EstimatorSpec
    from tensorwright.python.framework.type_aliases import TensorLike


def metrics_of(spec: EstimatorSpec) -> dict[str, Any]:
    """The metrics of a model and its loss by name; ValueError for a metric that has one of Estimator's own names."""
    metrics = dict(spec.eval_metric_ops)
    for name, value in (("loss", None), ("global_step", None)):
        if name in metrics:
            raise ValueError(
                f'Metric with name "{name}" is not allowed, because Estimator already '
                "defines a default metric with the same name."
            )
    metrics["loss"] = metrics_lib.mean(spec.loss)
    return metrics


def update_and_values(
    metrics: Mapping[str, Any], step: TensorLike
) -> tuple[ops.Operation, dict[str, Any]]:
    """The operation that takes a batch into account, and the values by name, with "global_step"."""
    update = control_flow_ops.group(*(pair[1] for pair in metrics.values()))
    values = {name: pair[0] for name, pair in metrics.items()}
    values["global_step"] = step
    return update, values


def write_results(folder: str, results: dict[str, Any]) -> None:
    text = ", ".join(f"{k} = {v}" for k, v in sorted(results.items()))
    step = int(results["global_step"])
    logging.info("Saving dict for global step %d: %s", step, text)
    proto = summary.Summary()
    for key, value in results.items():
        if key == ops.GraphKeys.GLOBAL_STEP:
            continue
        if isinstance(value, (bytes, str)):
            try:
                if isinstance(value, str):
                    raise TypeError("text is no serialized Summary")
                proto.value.extend(summary.Summary.FromString(value).value)
            except Exception:
                logging.warn("Skipping summary for %s, cannot parse string to Summary.", key)  # fmt: skip
        elif np.ndim(value) == 0 and np.issubdtype(np.asarray(value).dtype, np.number):
            proto.value.add(tag=key, simple_value=float(value))
        else:
            logging.warn("Skipping summary for %s, must be a number or Summary.", key)
    writer = summary_io.SummaryWriterCache.get(folder)
    writer.add_summary(proto, step)
    writer.flush()


def wanted_predictions(predictions: Any, keys: Any) -> Any:
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError(
            "predict_keys argument is not valid in case of non-dict predictions."
        )
    keys = [keys] if isinstance(keys, str) else list(keys)
    found = {key: value for key, value in predictions.items() if key in keys}
    if not found:
        raise ValueError(
            f"Expected to run at least one output from {list(predictions)}, provided {keys}."
        )
    return found


def examples(batch: Any) -> Iterator[Any]:
    if not isinstance(batch, dict):
        yield from batch
        return
    lengths = {key: len(value) for key, value in batch.items()}
    for key, length in lengths.items():
        if length != next(iter(lengths.values())):
            raise ValueError(
                "Batch length of predictions should be same. "
                f"{key} has different batch length than others."
            )
    for i in range(next(iter(lengths.values()), 0)):
        yield {key: value[i] for key, value in batch.items()}
