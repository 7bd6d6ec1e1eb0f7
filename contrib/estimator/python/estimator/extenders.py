# SPDX-License-Identifier: Apache-2.0
"""Estimators and optimizers made of others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tensorwright.python.estimator import (
    estimator as estimator_lib,
    model_fn as model_fn_lib,
)
from tensorwright.python.estimator.export import export_output
from tensorwright.python.framework import ops, sparse_tensor
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.ops import clip_ops, sparse_ops
from tensorwright.python.training import optimizer as optimizer_lib

if TYPE_CHECKING:
    from collections.abc import Mapping


__all__ = ["clip_gradients_by_norm", "forward_features"]


class _ClippingOptimizer(optimizer_lib.Optimizer):
    """An optimizer whose gradients have at most a norm, all together."""

    def __init__(self, opt: optimizer_lib.Optimizer, clip_norm: Any):
        super().__init__(False, f"Clipping{opt.get_name()}")
        self._opt, self._clip_norm = opt, clip_norm

    def compute_gradients(self, *args: Any, **kwargs: Any) -> list[tuple[Any, Any]]:
        """Returns the optimizer's gradients."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Any]],
        global_step: Any = None,
        name: str | None = None,
    ) -> ops.Operation:
        """As the optimizer's, with gradients that are clipped."""
        pairs = list(grads_and_vars)
        clipped, _ = clip_ops.clip_by_global_norm([g for g, _ in pairs], self._clip_norm)  # fmt: skip # noqa: E501
        variables = [v for _, v in pairs]
        return self._opt.apply_gradients(
            list(zip(clipped, variables, strict=True)), global_step, name
        )

    def get_slot(self, var: Any, name: str) -> Any:
        """The slot that the optimizer has for a variable."""
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """Returns the names of the optimizer's slots."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Any]:
        """The variables that the optimizer keeps."""
        return self._opt.variables()


def clip_gradients_by_norm(
    optimizer: optimizer_lib.Optimizer, clip_norm: TensorLike
) -> optimizer_lib.Optimizer:
    """An optimizer whose gradients have at most the norm `clip_norm`, all together: a `tf.train.Optimizer`."""
    return _ClippingOptimizer(optimizer, clip_norm)


def forward_features(
    estimator: estimator_lib.Estimator,
    keys: str | Iterable[str] | None = None,
    sparse_default_values: Mapping[str, TensorLike] | None = None,
) -> estimator_lib.Estimator:
    """An estimator whose predictions, and exports for prediction, have features beside the model's.

    Args:
        estimator: the model, with a dict of predictions.
        keys: a feature or several; None: all of them.
        sparse_default_values: what elements that are not there become of sparse features, by keys; those without are
            an error.

    Raises:
        TypeError: keys that are no strings.
        ValueError: when the model is made: a feature that is not there, or sparse without a default value; one that is a
            prediction too; predictions that are no dict.

    Example:
        estimator = tf.contrib.estimator.forward_features(estimator, "id")
    """
    wanted = [keys] if isinstance(keys, str) else None if keys is None else list(keys)
    if wanted is not None and not all(isinstance(key, str) for key in wanted):
        raise TypeError(f"all items in the given keys list must be a string, got {wanted}")  # fmt: skip # noqa: E501
    defaults = sparse_default_values or {}

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != model_fn_lib.ModeKeys.PREDICT:
            return spec
        if not isinstance(spec.predictions, dict):
            raise ValueError("Predictions should be a dict to be able to forward keys.")
        more = {k: _dense(k, features, defaults) for k in (features if wanted is None else wanted)}  # fmt: skip # noqa: E501
        taken = sorted(set(more) & set(spec.predictions))
        if taken:
            raise ValueError(f"Cannot forward feature keys {taken}. Since they do exist in predictions.")  # fmt: skip # noqa: E501
        outputs = {
            name: _with_more(output, more)
            for name, output in (spec.export_outputs or {}).items()
        }
        return spec._replace(
            predictions={**spec.predictions, **more}, export_outputs=outputs or None
        )

    return estimator_lib.Estimator(
        model_fn=model_fn, model_dir=estimator.model_dir, config=estimator.config
    )


def _dense(key: str, features: Any, defaults: Mapping[str, Any]) -> ops.Tensor:
    if key not in features:
        raise ValueError(f"keys should be exist in features. Key {key!r} not in features. features.keys() = {sorted(features)}")  # fmt: skip # noqa: E501
    feature = features[key]
    if not isinstance(feature, sparse_tensor.SparseTensor):
        return ops.convert_to_tensor(feature)
    if key not in defaults:
        raise ValueError(f"Feature ({key}) is sparse: it needs a value in sparse_default_values")  # fmt: skip # noqa: E501
    return sparse_ops.sparse_tensor_to_dense(feature, default_value=defaults[key])


def _with_more(output: Any, more: dict[str, Any]) -> Any:
    if not isinstance(output, export_output.PredictOutput):
        return output
    return export_output.PredictOutput({**output.outputs, **more})
