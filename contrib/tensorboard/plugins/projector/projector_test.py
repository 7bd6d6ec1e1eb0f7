# SPDX-License-Identifier: Apache-2.0
"""The projector's config is written into the writer's folder."""

import pytest

import tensorwright as tf
from tensorwright.contrib.tensorboard.plugins import projector


def test_the_text_says_what_was_set(tmp_path):
    config = projector.ProjectorConfig()
    embedding = config.embeddings.add(tensor_name="words:0", metadata_path="words.tsv")
    embedding.sprite.single_image_dim.extend([28, 28])
    with tf.Graph().as_default():
        projector.visualize_embeddings(tf.summary.FileWriter(str(tmp_path)), config)
    text = (tmp_path / "projector_config.pbtxt").read_text()
    assert text == (
        'embeddings {\n  tensor_name: "words:0"\n  metadata_path: "words.tsv"\n'
        "  sprite {\n    single_image_dim: 28\n    single_image_dim: 28\n  }\n}\n"
    )
    same = projector.ProjectorConfig.FromString(config.SerializeToString())
    assert same.embeddings[0].tensor_name == "words:0"


def test_a_writer_needs_a_folder():
    class Nowhere:
        def get_logdir(self):
            return None

    with pytest.raises(ValueError, match="logdir"):
        projector.visualize_embeddings(Nowhere(), projector.ProjectorConfig())
