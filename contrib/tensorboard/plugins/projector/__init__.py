# SPDX-License-Identifier: Apache-2.0
"""Tells TensorBoard's projector which embeddings to show."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from google.protobuf import text_format

from tensorwright.contrib.tensorboard.plugins.projector.projector_config_pb2 import (
    EmbeddingInfo as EmbeddingInfo,
    ProjectorConfig as ProjectorConfig,
    SpriteMetadata as SpriteMetadata,
)
from tensorwright.python.lib.io import file_io

if TYPE_CHECKING:
    from tensorwright.core.protobuf.config_pb2 import ConfigProto
    from tensorwright.python.summary.writer.writer import FileWriter


PROJECTOR_FILENAME = "projector_config.pbtxt"


def visualize_embeddings(summary_writer: FileWriter, config: ConfigProto) -> None:
    """Writes a ProjectorConfig to the folder of a writer, where TensorBoard finds it.

        config = projector.ProjectorConfig()
        embedding = config.embeddings.add()
        embedding.tensor_name = table.name
        embedding.metadata_path = "words.tsv"
        projector.visualize_embeddings(writer, config)

    Raises:
        ValueError: a writer without a folder.
    """
    logdir = summary_writer.get_logdir()
    if logdir is None:
        raise ValueError("Summary writer must have a logdir")
    text = text_format.MessageToString(config)
    file_io.write_string_to_file(os.path.join(logdir, PROJECTOR_FILENAME), text)
