# SPDX-License-Identifier: Apache-2.0
"""Outputs of an exported model: each signature computes one of them."""

from __future__ import annotations

import abc
from typing import TYPE_CHECKING, Any

from tensorwright.python.framework import dtypes, ops
from tensorwright.python.framework.type_aliases import TensorLike
from tensorwright.python.saved_model import signature_def_utils

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tensorwright.core.protobuf.meta_graph_pb2 import SignatureDef
    from tensorwright.python.framework.tensor import Tensor

__all__ = [
    "ClassificationOutput",
    "ExportOutput",
    "PredictOutput",
    "RegressionOutput",
]


class ExportOutput(abc.ABC):
    """The outputs of one signature."""

    @abc.abstractmethod
    def as_signature_def(self, receiver_tensors: dict[str, ops.Tensor]) -> SignatureDef:
        """Returns a SignatureDef from the model's inputs to these outputs."""


def _one_string(receiver_tensors: dict[str, ops.Tensor], what: str) -> ops.Tensor:
    if len(receiver_tensors) != 1:
        raise ValueError(
            f"{what} input must be a single string Tensor; got {receiver_tensors}"
        )
    (examples,) = receiver_tensors.values()
    if dtypes.as_dtype(examples.dtype) != dtypes.string:
        raise ValueError(
            f"{what} input must be a single string Tensor; got {receiver_tensors}"
        )
    return examples


class ClassificationOutput(ExportOutput):
    """Classes of examples, their scores, or both.

    Args:
        scores: floats [n, classes].
        classes: strings [n, classes].

    Raises:
        ValueError: neither, or of another dtype.
    """

    def __init__(self, scores: Tensor | None = None, classes: Tensor | None = None):
        for name, value, fits in (
            ("scores", scores, lambda d: d.is_floating),
            ("classes", classes, lambda d: d == dtypes.string),
        ):
            wanted = "float32" if name == "scores" else "string"
            if value is not None and not (
                isinstance(value, ops.Tensor) and fits(value.dtype)
            ):
                raise ValueError(
                    f"Classification {name} must be a {wanted} Tensor; got {value}"
                )
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores = scores
        self._classes = classes

    @property
    def scores(self) -> Tensor | None:
        return self._scores

    @property
    def classes(self) -> Tensor | None:
        return self._classes

    def as_signature_def(self, receiver_tensors: dict[str, ops.Tensor]) -> SignatureDef:
        examples = _one_string(receiver_tensors, "Classification")
        return signature_def_utils.classification_signature_def(
            examples, self.classes, self.scores
        )


class RegressionOutput(ExportOutput):
    """Numbers of examples.

    Args:
        value: floats.

    Raises:
        ValueError: an output has another dtype.
    """

    def __init__(self, value: TensorLike):
        if not (isinstance(value, ops.Tensor) and value.dtype.is_floating):
            raise ValueError(
                f"Regression output value must be a float32 Tensor; got {value}"
            )
        self._value = value

    @property
    def value(self) -> Tensor:
        return self._value

    def as_signature_def(self, receiver_tensors: dict[str, ops.Tensor]) -> SignatureDef:
        examples = _one_string(receiver_tensors, "Regression")
        return signature_def_utils.regression_signature_def(examples, self.value)


class PredictOutput(ExportOutput):
    """Any tensors, by name.

    Args:
        outputs: a dict of tensors; a single tensor is called "output".

    Raises:
        ValueError: a value is no tensor, or a name is no string.
    """

    def __init__(self, outputs: Tensor | Mapping[str, Tensor]):
        named: dict[str, Any] = (
            outputs if isinstance(outputs, dict) else {"output": outputs}
        )
        for key, value in named.items():
            if not isinstance(key, str):
                raise ValueError(
                    f"Prediction output key must be a string; got {key!r}."
                )
            if not isinstance(value, ops.Tensor):
                raise ValueError(
                    f"Prediction output value must be a Tensor; got {value}."
                )
        self._outputs = dict(named)

    @property
    def outputs(self) -> dict[str, Tensor]:
        return self._outputs

    def as_signature_def(self, receiver_tensors: dict[str, ops.Tensor]) -> SignatureDef:
        return signature_def_utils.predict_signature_def(receiver_tensors, self.outputs)
