# SPDX-License-Identifier: Apache-2.0
"""Writes the SavedModel of an estimator: the folder appears under its name when it is complete."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tensorwright.python.client import session as session_lib
from tensorwright.python.estimator.export import export as export_lib
from tensorwright.python.framework import ops
from tensorwright.python.platform import gfile
from tensorwright.python.saved_model import builder, tag_constants
from tensorwright.python.training import monitored_session, saver as saver_lib
from tensorwright.python.util import compat

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.estimator.model_fn import EstimatorSpec


def write(
    export_dir_base: str | os.PathLike,
    receiver: export_lib.ServingInputReceiver | export_lib.TensorServingInputReceiver,
    spec: EstimatorSpec,
    checkpoint_path: str,
    session_config: ConfigProto | None,
    assets_extra: dict[str, str] | None,
    as_text: bool,
    strip_default_attrs: bool,
) -> bytes:
    """Writes the default graph with the variables of a checkpoint; returns the folder.

    Args:
        export_dir_base: where the folder is made.
        receiver: a ServingInputReceiver of the graph.
        spec: the EstimatorSpec of the graph.
        checkpoint_path, session_config: for the session.
        assets_extra: files by their name in `assets.extra`.
        as_text, strip_default_attrs: as in `SavedModelBuilder`.

    Raises:
        ValueError: `spec` has no `export_outputs`.
    """
    if not spec.export_outputs:
        raise ValueError(
            "export_outputs must be defined in the EstimatorSpec to export a model."
        )
    signatures = export_lib.build_all_signature_defs(
        receiver.receiver_tensors,
        spec.export_outputs,
        receiver.receiver_tensors_alternatives,
    )
    folder = export_lib.get_timestamped_export_dir(export_dir_base)
    unfinished = export_lib.get_temp_export_dir(folder)
    with session_lib.Session(config=session_config) as session:
        scaffold = spec.scaffold
        saver = (scaffold.saver if scaffold else None) or _saver()
        saver.restore(session, checkpoint_path)
        local_init = scaffold.local_init_op if scaffold else None
        if local_init is None:
            local_init = monitored_session.Scaffold.default_local_init_op()
        made = builder.SavedModelBuilder(compat.as_str(unfinished))
        made.add_meta_graph_and_variables(
            session,
            [tag_constants.SERVING],
            signature_def_map=signatures,
            assets_collection=ops.get_collection(ops.GraphKeys.ASSET_FILEPATHS),
            main_op=local_init,
            strip_default_attrs=strip_default_attrs,
            saver=saver,
        )
        made.save(as_text)
    for name, source in (assets_extra or {}).items():
        target = os.path.join(
            unfinished, compat.as_bytes("assets.extra"), compat.as_bytes(name)
        )
        gfile.MakeDirs(os.path.dirname(target))
        gfile.Copy(source, target)
    gfile.Rename(unfinished, folder)
    return folder


def _saver() -> saver_lib.Saver:
    found = ops.get_collection(ops.GraphKeys.SAVERS)
    return found[0] if found else saver_lib.Saver(sharded=True)
