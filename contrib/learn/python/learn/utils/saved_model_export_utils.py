# SPDX-License-Identifier: Apache-2.0
"""Exports of models of tf.contrib.learn as SavedModels, and the strategies that an Experiment exports by."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.contrib.learn.python.learn import export_strategy
from tensorwright.contrib.learn.python.learn.estimators import export_outputs
from tensorwright.contrib.learn.python.learn.estimators.constants import ProblemType
from tensorwright.contrib.learn.python.learn.estimators.model_fn import ModelFnOps
from tensorwright.python.estimator import saved_model_export
from tensorwright.python.framework import dtypes
from tensorwright.python.platform import gfile
from tensorwright.python.saved_model import signature_constants

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.framework import ops


__all__ = ["garbage_collect_exports", "make_export_strategy", "write_saved_model"]


class _Receiver(NamedTuple):
    receiver_tensors: dict[str, Any]
    receiver_tensors_alternatives: None = None


class _Spec(NamedTuple):
    export_outputs: dict[str, Any]
    scaffold: Any


def write_saved_model(
    export_dir_base: str | os.PathLike,
    inputs: dict[str, ops.Tensor],
    model: ModelFnOps,
    checkpoint_path: str,
    session_config: ConfigProto | None = None,
    default_output_alternative_key: str | None = None,
    assets_extra: dict[str, str] | None = None,
    as_text: bool = False,
    strip_default_attrs: bool = False,
) -> bytes:
    """Writes the default graph with the variables of a checkpoint; returns the folder.

    A head of classification or regression that gets one string tensor has a signature of that kind, any other one for
    prediction.

    Args:
        export_dir_base: where the folder is made; its name is the time in seconds.
        inputs: the tensors that are fed, by name.
        model: its `output_alternatives` become signatures; without them its predictions do.
        checkpoint_path, session_config: for the session.
        default_output_alternative_key: the head whose signature is the default one; may be absent if there is one head.
        assets_extra: files by their name in the folder's `assets.extra`.
        as_text, strip_default_attrs: as in `SavedModelBuilder`.

    Raises:
        ValueError: a key of no head, or none where there are several heads.
    """
    heads = model.output_alternatives
    if not heads:
        heads = {None: (ProblemType.UNSPECIFIED, model.predictions)}
    key = default_output_alternative_key
    if key is None:
        if len(heads) > 1 and None not in heads:
            raise ValueError(
                "Please specify a default_output_alternative_key. Available keys are: "
                f"{sorted(heads)}"
            )
        key = None if None in heads else next(iter(heads))
    if key not in heads:
        raise ValueError(
            f"Requested default_output_alternative: {key}, but available "
            f"output_alternatives are: {sorted(map(str, heads))}"
        )
    outputs: dict[str, Any] = {}
    for name, (problem, predictions) in heads.items():
        made = _output(problem, predictions, inputs)
        if name is not None:
            outputs[name] = made
        if name == key:
            default = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            outputs[default] = made
    return saved_model_export.write(
        export_dir_base,
        _Receiver(inputs),
        _Spec(outputs, model.scaffold),
        checkpoint_path,
        session_config,
        assets_extra,
        as_text,
        strip_default_attrs,
    )


def _output(problem: int, predictions: Any, inputs: dict[str, Any]) -> Any:
    """A signature of another kind than for prediction needs one string tensor."""
    first = next(iter(inputs.values()))
    if len(inputs) != 1 or first.dtype != dtypes.string:
        problem = ProblemType.UNSPECIFIED
    return export_outputs.output_of(problem, predictions)


def garbage_collect_exports(export_dir_base: str, exports_to_keep: int | None) -> None:
    """Deletes all but the newest exports of a folder; None keeps all."""
    if exports_to_keep is None or not gfile.Exists(export_dir_base):
        return
    names = [n.strip("/") for n in gfile.ListDirectory(export_dir_base)]
    stamps = sorted((n for n in names if n.isdigit()), key=int)
    for name in stamps[: max(0, len(stamps) - exports_to_keep)]:
        gfile.DeleteRecursively(os.path.join(export_dir_base, name))


def make_export_strategy(
    serving_input_fn: Callable[..., object],
    default_output_alternative_key: str | None = None,
    assets_extra: dict[str, str] | None = None,
    as_text: bool = False,
    exports_to_keep: int | None = 5,
    strip_default_attrs: bool | None = None,
) -> export_strategy.ExportStrategy:
    """The strategy "Servo", which writes SavedModels and keeps the newest.

    Args:
        serving_input_fn: gives InputFnOps; for an estimator of tf.estimator a ServingInputReceiver.
        default_output_alternative_key: the head whose signature is the default one; for tf.contrib.learn alone.
        assets_extra: files by their name in the folder's `assets.extra`.
        as_text: whether the description is text.
        exports_to_keep: how many; None: all.
        strip_default_attrs: see `export_savedmodel`.
    """
    options: dict[str, Any] = {"assets_extra": assets_extra, "as_text": as_text}
    if strip_default_attrs is not None:
        options["strip_default_attrs"] = strip_default_attrs

    def export_fn(
        estimator: Any, export_dir_base: str, checkpoint_path: str | None = None
    ) -> Any:
        # Only models of tf.contrib.learn have heads.
        if hasattr(estimator, "fit"):
            options["default_output_alternative_key"] = default_output_alternative_key
        elif default_output_alternative_key is not None:
            raise ValueError(f"default_output_alternative_key is not supported in core Estimators. Given: {default_output_alternative_key}")  # fmt: skip # noqa: E501
        result = estimator.export_savedmodel(
            export_dir_base,
            serving_input_fn,
            checkpoint_path=checkpoint_path,
            **options,
        )
        garbage_collect_exports(export_dir_base, exports_to_keep)
        return result

    return export_strategy.ExportStrategy("Servo", export_fn)
