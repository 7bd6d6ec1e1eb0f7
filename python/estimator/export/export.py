# SPDX-License-Identifier: Apache-2.0
"""The inputs of an exported model, its signatures, and the folders of exports."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from tensorwright.python.estimator.export.export_output import (
    ExportOutput,
)
from tensorwright.python.framework import dtypes, ops, sparse_tensor, tensor_shape
from tensorwright.python.framework.type_aliases import TensorLike, TensorTree
from tensorwright.python.ops import array_ops, parsing_ops
from tensorwright.python.platform import gfile, tf_logging as logging
from tensorwright.python.saved_model import signature_constants, signature_def_utils
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tensorwright.core.protobuf.meta_graph_pb2 import SignatureDef
    from tensorwright.python.framework.sparse_tensor import SparseTensor
    from tensorwright.python.framework.type_aliases import ParseSpec

__all__ = [
    "ServingInputReceiver",
    "TensorServingInputReceiver",
    "build_all_signature_defs",
    "build_parsing_serving_input_receiver_fn",
    "build_raw_serving_input_receiver_fn",
    "get_temp_export_dir",
    "get_timestamped_export_dir",
]

_SINGLE_FEATURE_DEFAULT_NAME = "feature"
_SINGLE_RECEIVER_DEFAULT_NAME = "input"
_MAX_DIRECTORY_CREATION_ATTEMPTS = 10


class _ServingInputReceiver(NamedTuple):
    features: Any
    receiver_tensors: dict[str, Any]
    receiver_tensors_alternatives: dict[str, dict[str, Any]] | None


def _named(value: Any, default: str, what: str, check: Callable[..., None]) -> Any:
    if value is None:
        raise ValueError(f"{what} must be defined.")
    found = value if isinstance(value, dict) else {default: value}
    for name, tensor in found.items():
        check(name, tensor)
    return found


def _check_name(name: Any, what: str) -> None:
    if not isinstance(name, str):
        raise ValueError(f"{what} keys must be strings: {name}.")


def _check_feature(name: Any, tensor: Any) -> None:
    _check_name(name, "feature")
    if not isinstance(tensor, (ops.Tensor, sparse_tensor.SparseTensor)):
        raise ValueError(f"feature {name} must be a Tensor or SparseTensor.")


def _check_receiver(name: Any, tensor: Any) -> None:
    _check_name(name, "receiver_tensors")
    if not isinstance(tensor, ops.Tensor):
        raise ValueError(f"receiver_tensor {name} must be a Tensor.")


def _checked_alternatives(given: Any) -> Any:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise ValueError(f"receiver_tensors_alternatives must be a dict: {given}.")
    return {
        name: _named(tensors, _SINGLE_RECEIVER_DEFAULT_NAME, name, _check_receiver)
        for name, tensors in given.items()
    }


class ServingInputReceiver(_ServingInputReceiver):
    """Says which tensors an exported model is fed, and which features they become.

    Args:
        features: a dict of tensors for the model function; a single tensor is called "feature".
        receiver_tensors: a dict of the tensors to feed, often placeholders; a single one is called "input".
        receiver_tensors_alternatives: by name, other dicts of tensors that may be fed instead.

    Raises:
        ValueError: a value is no tensor, or a name is no string.
    """

    __slots__ = ()

    def __new__(
        cls,
        features: TensorTree,
        receiver_tensors: TensorLike
        | SparseTensor
        | Mapping[str, TensorLike | SparseTensor],
        receiver_tensors_alternatives: Mapping[
            str, Mapping[str, TensorLike | SparseTensor]
        ]
        | None = None,
    ) -> ServingInputReceiver:
        return super().__new__(
            cls,
            _named(features, _SINGLE_FEATURE_DEFAULT_NAME, "features", _check_feature),
            _named(
                receiver_tensors,
                _SINGLE_RECEIVER_DEFAULT_NAME,
                "receiver_tensors",
                _check_receiver,
            ),
            _checked_alternatives(receiver_tensors_alternatives),
        )


class TensorServingInputReceiver(_ServingInputReceiver):
    """A ServingInputReceiver whose features are one tensor, which the model function gets as it is."""

    __slots__ = ()

    def __new__(
        cls,
        features: TensorTree,
        receiver_tensors: TensorLike
        | SparseTensor
        | Mapping[str, TensorLike | SparseTensor],
        receiver_tensors_alternatives: Mapping[
            str, Mapping[str, TensorLike | SparseTensor]
        ]
        | None = None,
    ) -> TensorServingInputReceiver:
        if features is None:
            raise ValueError("features must be defined.")
        _check_feature(_SINGLE_FEATURE_DEFAULT_NAME, features)
        checked = ServingInputReceiver(
            features, receiver_tensors, receiver_tensors_alternatives
        )
        return super().__new__(
            cls,
            features,
            checked.receiver_tensors,
            checked.receiver_tensors_alternatives,
        )


def build_parsing_serving_input_receiver_fn(
    feature_spec: Mapping[str, ParseSpec], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A function that makes a model receive serialized `Example`s, in one placeholder of strings.

    Args:
        feature_spec: how to parse them, as in `tf.parse_example`.
        default_batch_size: the number of examples; None: any number.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        serialized = array_ops.placeholder(
            dtypes.string, [default_batch_size], name="input_example_tensor"
        )
        features = parsing_ops.parse_example(serialized, feature_spec)
        return ServingInputReceiver(features, {"examples": serialized})

    return serving_input_receiver_fn


def build_raw_serving_input_receiver_fn(
    features: Mapping[str, ops.Tensor], default_batch_size: int | None = None
) -> Callable[[], ServingInputReceiver]:
    """A function that makes a model receive its features themselves, each in a placeholder.

    Args:
        features: tensors, of which dtypes, shapes and names count.
        default_batch_size: their first size; None: any.
    """

    def serving_input_receiver_fn() -> ServingInputReceiver:
        receivers = {}
        for name, tensor in features.items():
            shape = tensor.get_shape().as_list()
            shape[0] = default_batch_size
            receivers[name] = array_ops.placeholder(
                tensor.dtype, tensor_shape.TensorShape(shape), name=tensor.op.name
            )
        # The model function may change its dict.
        return ServingInputReceiver(dict(receivers), receivers)

    return serving_input_receiver_fn


def build_all_signature_defs(
    receiver_tensors: dict[str, ops.Tensor] | ops.Tensor,
    export_outputs: dict[str | None, ExportOutput] | dict[str, ExportOutput],
    receiver_tensors_alternatives: dict[str, dict[str, ops.Tensor]] | None = None,
    serving_only: bool = True,
) -> dict[str, SignatureDef]:
    """The signatures of an export, by name.

    An output that does not fit what is received (classification and regression need one string tensor) is left out.

    Raises:
        ValueError: `export_outputs` is no dict.
    """
    if not isinstance(receiver_tensors, dict):
        receiver_tensors = {_SINGLE_RECEIVER_DEFAULT_NAME: receiver_tensors}
    if not isinstance(export_outputs, dict):
        raise ValueError(
            f"export_outputs must be a dict and not {type(export_outputs)}"
        )
    default = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    wanted = {
        key or default: (output, receiver_tensors)
        for key, output in export_outputs.items()
    }
    for name, tensors in (receiver_tensors_alternatives or {}).items():
        for key, output in export_outputs.items():
            wanted[f"{name}:{key or 'None'}"] = (output, tensors)
    signatures: dict[str, SignatureDef] = {}
    left_out: dict[str, str] = {}
    for key, (output, tensors) in wanted.items():
        try:
            signatures[key] = output.as_signature_def(tensors)
        except ValueError as error:
            left_out[key] = str(error)
    for name, why in left_out.items():
        logging.info("Signature %s is not exported: %s", name, why)
    if not serving_only:
        return signatures
    return {
        name: signature
        for name, signature in signatures.items()
        if signature_def_utils.is_valid_signature(signature)
    }


def get_timestamped_export_dir(export_dir_base: str | os.PathLike) -> bytes:
    """The path of a folder in `export_dir_base` that is not there yet; its name is the time in seconds.

    Raises:
        RuntimeError: ten names were taken.
    """
    base = compat.as_bytes(compat.path_to_str(export_dir_base))
    for _ in range(_MAX_DIRECTORY_CREATION_ATTEMPTS):
        made = os.path.join(base, compat.as_bytes(str(int(time.time()))))
        if not gfile.Exists(made):
            return made
        time.sleep(1)
        logging.warn("Export directory %r already exists; retrying", made)
    raise RuntimeError(
        "Failed to obtain a unique export directory name after "
        f"{_MAX_DIRECTORY_CREATION_ATTEMPTS} attempts."
    )


def get_temp_export_dir(timestamped_export_dir: bytes) -> bytes:
    """Returns the folder to which an export is written before it gets its name: "temp-" and the name."""
    folder, name = os.path.split(timestamped_export_dir)
    return os.path.join(folder, b"temp-" + compat.as_bytes(name))
