# SPDX-License-Identifier: Apache-2.0
"""simple_save: a SavedModel in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tensorwright.python.framework import ops
from tensorwright.python.saved_model import (
    builder,
    signature_constants,
    signature_def_utils,
    tag_constants,
)

if TYPE_CHECKING:
    from tensorwright.python.client.session import SessionInterface


def simple_save(
    session: SessionInterface,
    export_dir: str,
    inputs: dict[str, ops.Tensor],
    outputs: dict[str, ops.Tensor],
    legacy_init_op: ops.Operation | None = None,
) -> None:
    """Saves the session's graph and variables for serving: `inputs` to `outputs`, by key."""
    key = signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    signatures = {key: signature_def_utils.predict_signature_def(inputs, outputs)}
    made = builder.SavedModelBuilder(export_dir)
    made.add_meta_graph_and_variables(
        session,
        tags=[tag_constants.SERVING],
        signature_def_map=signatures,
        main_op=legacy_init_op,
        clear_devices=True,
    )
    made.save()
