# SPDX-License-Identifier: Apache-2.0
"""The graphs of a SavedModel by their tags."""

import pytest

import tensorwright as tf
from tensorwright.python.tools import saved_model_utils


@pytest.fixture
def folder(tmp_path):
    builder = tf.saved_model.Builder(str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.constant(1, name="served")
        builder.add_meta_graph_and_variables(session, ["serve"])
    with tf.Graph().as_default(), tf.Session():
        tf.constant(1, name="trained")
        builder.add_meta_graph(["train", "gpu"])
    return builder.save().decode().rpartition("/")[0]


def test_graphs_are_found_by_their_tags(folder):
    tags = saved_model_utils.get_saved_model_tag_sets(folder)
    assert [set(t) for t in tags] == [{"serve"}, {"train", "gpu"}]
    assert len(saved_model_utils.read_saved_model(folder).meta_graphs) == 2
    meta = saved_model_utils.get_meta_graph_def(folder, "gpu,train")
    assert [n.name for n in meta.graph_def.node] == ["trained"]
    with pytest.raises(RuntimeError, match="tag-set 'train' could not be found"):
        saved_model_utils.get_meta_graph_def(folder, "train")


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(OSError, match="does not exist"):
        saved_model_utils.read_saved_model(str(tmp_path))
