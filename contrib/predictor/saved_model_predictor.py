# SPDX-License-Identifier: Apache-2.0
"""A predictor of a SavedModel."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tensorwright.contrib.predictor import predictor
from tensorwright.python.client.session import Session
from tensorwright.python.framework import ops
from tensorwright.python.platform import tf_logging as logging
from tensorwright.python.saved_model import (
    loader,
    signature_constants,
    tag_constants,
    utils,
)

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.core.protobuf.meta_graph_pb2 import SignatureDef

__all__ = ["SavedModelPredictor"]


class SavedModelPredictor(predictor.Predictor):
    """Predicts with a SavedModel, whose tensors are chosen by a signature or by their names.

    Args:
        export_dir: the folder.
        signature_def_key: the signature; "serving_default" by default.
        signature_def: a SignatureDef, instead of a key.
        input_names, output_names: the tensors' names ("x:0") by the names that calls use, instead of a signature.
        tags: the tags of the graph, joined by commas; "serve" by default.
        graph: the graph to load the model into; a new one by default.
        config: the session's config.

    Raises:
        ValueError: more than one of the three ways is used, `input_names` is given without `output_names`, or there is
            no such signature.
    """

    def __init__(
        self,
        export_dir: str | os.PathLike,
        signature_def_key: str | None = None,
        signature_def: SignatureDef | None = None,
        input_names: dict[str, str] | None = None,
        output_names: dict[str, str] | None = None,
        tags: str | None = None,
        graph: ops.Graph | None = None,
        config: ConfigProto | None = None,
    ):
        _check_one_way(signature_def_key, signature_def, input_names, output_names)
        self._graph = graph or ops.Graph()
        wanted = (tags or tag_constants.SERVING).split(",")
        with self._graph.as_default():
            self._session = Session(config=config)
            meta = loader.load(self._session, wanted, export_dir)
            if input_names is None:
                signature = signature_def or _signature(meta, signature_def_key)
                self._feed_tensors = self._tensors(signature.inputs)
                self._fetch_tensors = self._tensors(signature.outputs)
            else:
                self._feed_tensors = self._named(input_names)
                self._fetch_tensors = self._named(output_names or {})

    def _tensors(self, infos: Any) -> dict[str, Any]:
        return {
            key: utils.get_tensor_from_tensor_info(info, graph=self._graph)
            for key, info in infos.items()
        }

    def _named(self, names: dict[str, str]) -> dict[str, ops.Tensor]:
        return {k: self._graph.get_tensor_by_name(n) for k, n in names.items()}


def _check_one_way(key: Any, signature: Any, inputs: Any, outputs: Any) -> None:
    if (inputs is None) != (outputs is None):
        raise ValueError(
            "input_names and output_names must both be specified or both be unspecified."
        )
    ways = [way for way in (key, signature, inputs) if way is not None]
    if len(ways) > 1:
        raise ValueError(
            "You must specify at most one of signature_def_key OR signature_def OR"
            "(input_names AND output_names)."
        )


def _signature(meta: Any, key: str | None) -> Any:
    if key is None:
        key = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
        logging.info("Default signature key %r is used.", key)
    if key not in meta.signature_def:
        found = "\n".join(sorted(meta.signature_def))
        raise ValueError(
            f"Got signature_def_key {key!r}. Available signatures are \n{found}"
        )
    return meta.signature_def[key]
