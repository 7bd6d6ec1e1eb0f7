# SPDX-License-Identifier: Apache-2.0
"""Signatures and tags of a SavedModel; a model of Keras there and back."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

saved_model = tf.contrib.saved_model


def test_signatures_and_tags(tmp_path):
    folder = str(tmp_path / "model")
    x = tf.placeholder(tf.float32, [])
    y = x * tf.get_variable("v", initializer=2.0)
    signature = tf.saved_model.signature_def_utils.predict_signature_def({"x": x}, {"y": y})  # fmt: skip
    builder = tf.saved_model.builder.SavedModelBuilder(folder)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        builder.add_meta_graph_and_variables(session, ["train"], {"double": signature})
        builder.add_meta_graph(["serve", "gpu"])
    builder.save()
    assert saved_model.get_saved_model_tag_sets(folder) == [["train"], ["serve", "gpu"]]
    graph = saved_model.read_saved_model(folder).meta_graphs[0]
    found = saved_model.get_signature_def_by_key(graph, "double")
    assert found.inputs["x"].name == x.name and found.outputs["y"].name == y.name
    with pytest.raises(ValueError, match="No SignatureDef with key 'half'"):
        saved_model.get_signature_def_by_key(graph, "half")
    with pytest.raises(OSError, match="does not exist"):
        saved_model.read_saved_model(str(tmp_path))


def test_models_of_keras(tmp_path):
    pytest.importorskip("keras_applications")
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    want = model.predict(x)
    folder = saved_model.save_keras_model(model, str(tmp_path / "model"))
    assert folder == str(tmp_path / "model")
    loaded = saved_model.load_keras_model(folder)
    np.testing.assert_allclose(loaded.predict(x), want, rtol=1e-6)
