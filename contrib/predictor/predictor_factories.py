# SPDX-License-Identifier: Apache-2.0
"""Makes predictors of estimators and of SavedModels."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorwright.contrib.learn.python.learn.estimators import (
    estimator as contrib_estimator,
)
from tensorwright.contrib.predictor import (
    estimator_predictors,
    predictor,
    saved_model_predictor,
)
from tensorwright.python.estimator import estimator as core_estimator
from tensorwright.python.framework import ops

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.core.protobuf.meta_graph_pb2 import SignatureDef
    from tensorwright.python.estimator.export.export import ServingInputReceiver


__all__ = ["from_contrib_estimator", "from_estimator", "from_saved_model"]


def from_contrib_estimator(
    estimator: contrib_estimator.Estimator,
    prediction_input_fn: Callable[..., object],
    input_alternative_key: str | None = None,
    output_alternative_key: str | None = None,
    graph: ops.Graph | None = None,
    config: ConfigProto | None = None,
) -> predictor.Predictor:
    """A predictor of an estimator of `tf.contrib.learn`; arguments as in `ContribEstimatorPredictor`.

    Raises:
        TypeError: an estimator of `tf.estimator`.
    """
    if isinstance(estimator, core_estimator.Estimator):
        raise TypeError(
            "Expected estimator to be of type tf.contrib.learn.Estimator, but got type "
            f"{type(estimator)}. You likely want to call from_estimator."
        )
    return estimator_predictors.ContribEstimatorPredictor(
        estimator,
        prediction_input_fn,
        input_alternative_key=input_alternative_key,
        output_alternative_key=output_alternative_key,
        graph=graph,
        config=config,
    )


def from_estimator(
    estimator: core_estimator.Estimator,
    serving_input_receiver_fn: Callable[[], ServingInputReceiver],
    output_key: str | None = None,
    graph: ops.Graph | None = None,
    config: ConfigProto | None = None,
) -> predictor.Predictor:
    """A predictor of an estimator of `tf.estimator`; arguments as in `CoreEstimatorPredictor`.

    Raises:
        TypeError: an estimator of `tf.contrib.learn`.
    """
    if isinstance(estimator, contrib_estimator.Estimator):
        raise TypeError(
            "Expected estimator to be of type tf.estimator.Estimator, but got type "
            f"{type(estimator)}. You likely want to call from_contrib_estimator."
        )
    return estimator_predictors.CoreEstimatorPredictor(
        estimator,
        serving_input_receiver_fn,
        output_key=output_key,
        graph=graph,
        config=config,
    )


def from_saved_model(
    export_dir: str | os.PathLike,
    signature_def_key: str | None = None,
    signature_def: SignatureDef | None = None,
    input_names: dict[str, str] | None = None,
    output_names: dict[str, str] | None = None,
    tags: str | None = None,
    graph: ops.Graph | None = None,
    config: ConfigProto | None = None,
) -> predictor.Predictor:
    """A predictor of a SavedModel; arguments as in `SavedModelPredictor`."""
    return saved_model_predictor.SavedModelPredictor(
        export_dir,
        signature_def_key=signature_def_key,
        signature_def=signature_def,
        input_names=input_names,
        output_names=output_names,
        tags=tags,
        graph=graph,
        config=config,
    )
