# SPDX-License-Identifier: Apache-2.0
"""SignatureDef: what a graph of a SavedModel computes from what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from tensorwright.core.framework import types_pb2
from tensorwright.core.protobuf import meta_graph_pb2
from tensorwright.python.framework import dtypes, ops, tensor_util
from tensorwright.python.lib.io import file_io
from tensorwright.python.saved_model import (
    loader,
    signature_constants as constants,
    utils,
)

if TYPE_CHECKING:
    from tensorwright.core.protobuf.meta_graph_pb2 import SignatureDef, TensorInfo


def build_signature_def(
    inputs: Mapping[str, TensorInfo] | None = None,
    outputs: Mapping[str, TensorInfo] | None = None,
    method_name: str | None = None,
    defaults: dict[str, Any] | None = None,
) -> SignatureDef:
    """A `SignatureDef` of `TensorInfo`s by key; `defaults` are values of inputs."""
    made = meta_graph_pb2.SignatureDef()
    for key, info in (inputs or {}).items():
        made.inputs[key].CopyFrom(info)
    for key, info in (outputs or {}).items():
        made.outputs[key].CopyFrom(info)
    for key, value in (defaults or {}).items():
        if not hasattr(value, "tensor_shape"):
            dtype = dtypes.as_dtype(made.inputs[key].dtype)
            value = tensor_util.make_tensor_proto(value, dtype=dtype)
        made.defaults[key].CopyFrom(value)
    if method_name is not None:
        made.method_name = method_name
    return made


def regression_signature_def(
    examples: ops.Tensor, predictions: ops.Tensor
) -> SignatureDef:
    """The signature of a regression: strings `examples` to floats `predictions`."""
    for name, value in (("examples", examples), ("predictions", predictions)):
        if value is None:
            raise ValueError(f"Regression `{name}` cannot be None.")
    _check_strings("Regression", examples)
    outputs = utils.build_tensor_info(predictions)
    if outputs.dtype != types_pb2.DT_FLOAT:
        raise ValueError("Regression output tensors must be of type float.")
    return build_signature_def(
        {constants.REGRESS_INPUTS: utils.build_tensor_info(examples)},
        {constants.REGRESS_OUTPUTS: outputs},
        constants.REGRESS_METHOD_NAME,
    )


def classification_signature_def(
    examples: ops.Tensor, classes: ops.Tensor | None, scores: ops.Tensor | None
) -> SignatureDef:
    """The signature of a classification: strings `examples` to strings `classes`, floats `scores`."""
    if examples is None:
        raise ValueError("Classification `examples` cannot be None.")
    if classes is None and scores is None:
        raise ValueError("Classification `classes` and `scores` cannot both be None.")
    _check_strings("Classification", examples)
    outputs = {}
    if classes is not None:
        info = utils.build_tensor_info(classes)
        if info.dtype != types_pb2.DT_STRING:
            raise ValueError("Classification classes must be of type string Tensor.")
        outputs[constants.CLASSIFY_OUTPUT_CLASSES] = info
    if scores is not None:
        info = utils.build_tensor_info(scores)
        if info.dtype != types_pb2.DT_FLOAT:
            raise ValueError("Classification scores must be a float tensor.")
        outputs[constants.CLASSIFY_OUTPUT_SCORES] = info
    return build_signature_def(
        {constants.CLASSIFY_INPUTS: utils.build_tensor_info(examples)},
        outputs,
        constants.CLASSIFY_METHOD_NAME,
    )


def _check_strings(what: str, examples: ops.Tensor) -> None:
    if not isinstance(examples, ops.Tensor):
        raise ValueError(f"{what} examples must be a string Tensor.")
    if examples.dtype.base_dtype != dtypes.string:
        raise ValueError(f"{what} input tensors must be of type string.")


def predict_signature_def(
    inputs: dict[str, ops.Tensor], outputs: dict[str, ops.Tensor]
) -> SignatureDef:
    """The signature of anything: tensors by key to tensors by key."""
    if not inputs:
        raise ValueError("Prediction `inputs` cannot be None or empty.")
    if not outputs:
        raise ValueError("Prediction `outputs` cannot be None or empty.")
    return build_signature_def(
        {key: utils.build_tensor_info(x) for key, x in inputs.items()},
        {key: utils.build_tensor_info(x) for key, x in outputs.items()},
        constants.PREDICT_METHOD_NAME,
    )


def is_valid_signature(signature_def: SignatureDef) -> bool:
    """Whether a server can serve a `SignatureDef`: its method is known, and has its inputs and outputs."""
    if signature_def is None:
        return False
    method = signature_def.method_name
    if method == constants.PREDICT_METHOD_NAME:
        return bool(signature_def.inputs) and bool(signature_def.outputs)
    wanted = {
        constants.REGRESS_METHOD_NAME: ({constants.REGRESS_OUTPUTS}, {}),
        constants.CLASSIFY_METHOD_NAME: (
            set(),
            {constants.CLASSIFY_OUTPUT_CLASSES, constants.CLASSIFY_OUTPUT_SCORES},
        ),
    }.get(method)
    if wanted is None or set(signature_def.inputs) != {"inputs"}:
        return False
    if signature_def.inputs["inputs"].dtype != types_pb2.DT_STRING:
        return False
    needed, allowed = wanted
    keys = set(signature_def.outputs)
    if not keys or not needed <= keys <= needed | set(allowed):
        return False
    kinds = {constants.CLASSIFY_OUTPUT_CLASSES: types_pb2.DT_STRING}
    return all(
        signature_def.outputs[key].dtype == kinds.get(key, types_pb2.DT_FLOAT)
        for key in keys
    )


class MethodNameUpdater:
    """Changes the methods of signatures of a SavedModel that is on disk."""

    def __init__(self, export_dir: str):
        self._export_dir = export_dir
        self._saved_model = loader.parse_saved_model(export_dir)

    def replace_method_name(
        self,
        signature_key: str,
        method_name: str,
        tags: str | Iterable[str] | None = None,
    ) -> None:
        """Changes the signature in all graphs with these tags, or in all graphs; ValueError if none has that key."""
        if not signature_key:
            raise ValueError("signature_key must be defined.")
        if not method_name:
            raise ValueError("method_name must be defined.")
        wanted = {tags} if isinstance(tags, str) else set(tags or ())
        found = False
        for meta in self._saved_model.meta_graphs:
            if tags and wanted != set(meta.meta_info_def.tags):
                continue
            if signature_key not in meta.signature_def:
                raise ValueError(
                    f"MetaGraphDef with tags {list(meta.meta_info_def.tags)} does not "
                    f"have a signature_def with key '{signature_key}'."
                )
            meta.signature_def[signature_key].method_name = method_name
            found = True
        if not found:
            raise ValueError(f"No MetaGraphDef has the tags {sorted(wanted)}")

    def save(self, new_export_dir: str | None = None) -> None:
        """Writes the description again, there or, if it is not there yet, to another folder."""
        folder = new_export_dir or self._export_dir
        file_io.recursive_create_dir(folder)
        path = file_io.join(folder, loader.constants.SAVED_MODEL_FILENAME_PB)
        file_io.atomic_write_string_to_file(path, self._saved_model.SerializeToString())
