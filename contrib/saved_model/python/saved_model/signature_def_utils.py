# SPDX-License-Identifier: Apache-2.0
"""Signatures of a MetaGraphDef."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from tensorwright.core.protobuf.meta_graph_pb2 import MetaGraphDef

__all__ = ["get_signature_def_by_key"]


def get_signature_def_by_key(
    meta_graph_def: MetaGraphDef, signature_def_key: str
) -> Message:
    """The SignatureDef of a MetaGraphDef that has that name.

    Raises:
        ValueError: there is none.
    """
    if signature_def_key not in meta_graph_def.signature_def:
        raise ValueError(
            f"No SignatureDef with key '{signature_def_key}' found in MetaGraphDef."
        )
    return meta_graph_def.signature_def[signature_def_key]
