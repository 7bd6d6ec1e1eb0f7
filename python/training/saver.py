# SPDX-License-Identifier: Apache-2.0
"""Saver and the questions about checkpoints: re-exports, no code."""

# ruff: noqa: F401
from tensorwright.core.protobuf.saver_pb2 import SaverDef as SaverDef
from tensorwright.python.training._saver.saver_builder import (
    BaseSaverBuilder as BaseSaverBuilder,
    BulkSaverBuilder as BulkSaverBuilder,
)
from tensorwright.python.training._saver.saver_meta_graph import (
    export_meta_graph as export_meta_graph,
    import_meta_graph as import_meta_graph,
)
from tensorwright.python.training._saver.saver_saver import Saver as Saver
from tensorwright.python.training.checkpoint_management import (
    checkpoint_exists as checkpoint_exists,
    generate_checkpoint_state_proto as generate_checkpoint_state_proto,
    get_checkpoint_mtimes as get_checkpoint_mtimes,
    get_checkpoint_state as get_checkpoint_state,
    latest_checkpoint as latest_checkpoint,
    remove_checkpoint as remove_checkpoint,
    update_checkpoint_state as update_checkpoint_state,
)
