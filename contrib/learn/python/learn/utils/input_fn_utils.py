# SPDX-License-Identifier: Apache-2.0
"""Input functions of models that are served."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tensorwright.contrib.learn.python.learn.estimators.model_fn import InputFnOps
from tensorwright.python.framework import dtypes
from tensorwright.python.ops import array_ops, parsing_ops

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.python.framework import ops
    from tensorwright.python.framework.type_aliases import ParseSpec


__all__ = [
    "InputFnOps",
    "build_default_serving_input_fn",
    "build_parsing_serving_input_fn",
]


def build_parsing_serving_input_fn(
    feature_spec: Mapping[str, ParseSpec], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """An input function of serialized tf.Examples, which are fed as "examples".

    Args:
        feature_spec: as for `tf.parse_example`.
        default_batch_size: how many; None: any number.
    """

    def input_fn() -> InputFnOps:
        serialized = array_ops.placeholder(
            dtypes.string, [default_batch_size], name="input_example_tensor"
        )
        features = parsing_ops.parse_example(serialized, feature_spec)
        return InputFnOps(features, None, {"examples": serialized})

    return input_fn


def build_default_serving_input_fn(
    features: Mapping[str, ops.Tensor], default_batch_size: int | None = None
) -> Callable[[], InputFnOps]:
    """An input function of the features themselves, each in a placeholder.

    Args:
        features: tensors, of which dtypes and shapes count.
        default_batch_size: their first size; None: any.
    """

    def input_fn() -> InputFnOps:
        holders = {}
        for name, tensor in features.items():
            shape = tensor.get_shape().as_list()
            shape[0] = default_batch_size
            holders[name] = array_ops.placeholder(tensor.dtype, shape, name=name)
        return InputFnOps(dict(holders), None, holders)

    return input_fn
