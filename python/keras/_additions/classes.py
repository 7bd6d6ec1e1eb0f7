# SPDX-License-Identifier: Apache-2.0
"""Layers and initializers of TensorFlow's copy take more than Keras's: that is added here."""

from __future__ import annotations

from typing import Any

from tensorwright.python.keras._additions import extend
from tensorwright.python.ops import init_ops

_UNTRUNCATED = "untruncated_normal"


def _flat_already(before: Any) -> Any:
    """Flatten takes rows that are flat, [batch, n], and leaves them."""

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        from keras.engine.base_layer import InputSpec

        before(self, *args, **kwargs)
        self.input_spec = InputSpec(min_ndim=2)

    return init


def _distributions(before: Any) -> Any:
    """VarianceScaling knows a third distribution, and another name of the first."""

    def init(
        self: Any,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "normal",
        seed: int | None = None,
    ) -> None:
        named = distribution.lower()
        known = "normal" if named in ("truncated_normal", _UNTRUNCATED) else named
        before(self, scale, mode, known, seed)
        if named == _UNTRUNCATED:
            self.distribution = named

    return init


def _draws(before: Any) -> Any:
    def call(self: Any, shape: Any, dtype: Any = None) -> Any:
        if self.distribution != _UNTRUNCATED:
            return before(self, shape, dtype)
        scaling = init_ops.VarianceScaling(self.scale, self.mode, _UNTRUNCATED, self.seed)  # fmt: skip # noqa: E501
        return scaling(shape, dtype or "float32")

    return call


def install(layers: Any, initializers: Any) -> None:
    """Extends classes of Keras's layers and initializers."""
    from keras.layers import wrappers

    layers.Wrapper = wrappers.Wrapper
    extend.wrap(layers.Flatten, "__init__", _flat_already)
    extend.wrap(initializers.VarianceScaling, "__init__", _distributions)
    extend.wrap(initializers.VarianceScaling, "__call__", _draws)
