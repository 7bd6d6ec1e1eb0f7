# SPDX-License-Identifier: Apache-2.0
"""SavedModels: what is written, and what a session has after loading it."""

import os

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.saved_model import signature_def_utils

_KEY = tf.saved_model.DEFAULT_SERVING_SIGNATURE_DEF_KEY


def _model(scale):
    """y = x * v, with v = scale."""
    x = tf.placeholder(tf.float32, [None], name="x")
    v = tf.get_variable("v", initializer=float(scale))
    return x, tf.multiply(x, v, name="y")


def _saved(folder):
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = _model(3)
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, folder, {"in": x}, {"out": y})
    return folder


@pytest.mark.parametrize("scope", [None, "there"])
def test_a_model_comes_back(scope, tmp_path):
    folder = _saved(str(tmp_path / "model"))
    assert sorted(os.listdir(folder)) == ["saved_model.pb", "variables"]
    assert sorted(os.listdir(folder + "/variables")) == [
        "variables.data-00000-of-00001",
        "variables.index",
    ]
    assert tf.saved_model.maybe_saved_model_directory(folder)
    assert not tf.saved_model.contains_saved_model(str(tmp_path))
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], folder, import_scope=scope)
        signature = meta.signature_def[_KEY]
        assert tf.saved_model.is_valid_signature(signature)
        x, y = (
            tf.saved_model.get_tensor_from_tensor_info(info, import_scope=scope)
            for info in (signature.inputs["in"], signature.outputs["out"])
        )
        np.testing.assert_array_equal(session.run(y, {x: [1, 2]}), [3, 6])


def test_several_graphs_share_variables(tmp_path):
    folder = str(tmp_path / "model")
    builder = tf.saved_model.Builder(folder)
    with pytest.raises(AssertionError, match="not been saved yet"):
        builder.add_meta_graph(["serve"])
    with tf.Graph().as_default(), tf.Session() as session:
        _model(5)
        session.run(tf.global_variables_initializer())
        builder.add_meta_graph_and_variables(session, ["train"])
        with pytest.raises(AssertionError, match="already been saved"):
            builder.add_meta_graph_and_variables(session, ["train"])
    with tf.Graph().as_default():
        _, y = _model(0)
        tf.negative(y, name="minus")
        builder.add_meta_graph(["serve", "gpu"])
    assert builder.save(as_text=True).endswith(b"/saved_model.pbtxt")
    for tags, name, want in ((["train"], "y:0", 5), (["gpu", "serve"], "minus:0", -5)):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.saved_model.loader.load(session, tags, folder)
            np.testing.assert_array_equal(session.run(name, {"x:0": [1]}), [want])
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(RuntimeError, match="could not be found"):
            tf.saved_model.load(session, ["serve"], folder)
        with pytest.raises(OSError, match="does not exist"):
            tf.saved_model.load(session, ["serve"], str(tmp_path))
    with pytest.raises(AssertionError, match="isn't empty"):
        tf.saved_model.Builder(folder)


def test_files_come_along_and_the_main_op_runs(tmp_path):
    (tmp_path / "words.txt").write_text("some words")
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        path = tf.constant(str(tmp_path / "words.txt"), name="path")
        words = tf.Variable("", trainable=False, collections=["mine"], name="words")
        set_up = tf.group(tf.assign(words, tf.read_file(path)), name="set_up")
        tf.Variable(1.0, name="v")
        session.run(tf.global_variables_initializer())
        builder = tf.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session, ["serve"], assets_collection=[path], main_op=set_up
        )
        builder.save()
    (tmp_path / "words.txt").unlink()
    moved = str(tmp_path / "moved")
    os.rename(folder, moved)
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], moved)
        assert meta.asset_file_def[0].filename == "words.txt"
        assert session.run("words:0") == b"some words"


def test_signatures():
    with tf.Graph().as_default():
        text = tf.placeholder(tf.string, [None], name="text")
        number = tf.placeholder(tf.float32, [None, 2], name="number")
        utils = tf.saved_model.signature_def_utils
        regression = utils.regression_signature_def(text, number)
        assert regression.method_name == "tensorflow/serving/regress"
        classes = utils.classification_signature_def(text, text, number)
        assert set(classes.outputs) == {"classes", "scores"}
        for signature in (regression, classes):
            assert utils.is_valid_signature(signature)
        assert not utils.is_valid_signature(utils.build_signature_def())
        del regression.outputs["outputs"]
        assert not utils.is_valid_signature(regression)
        info = tf.saved_model.build_tensor_info(number)
        assert info.name == "number:0" and [d.size for d in info.tensor_shape.dim] == [
            -1,
            2,
        ]
        sparse = tf.SparseTensor([[0, 1]], [1.0], [2, 2])
        found = tf.saved_model.get_tensor_from_tensor_info(
            tf.saved_model.build_tensor_info(sparse)
        )
        assert found.values.name == sparse.values.name
        for wrong in (
            lambda: utils.regression_signature_def(number, number),
            lambda: utils.regression_signature_def(text, text),
            lambda: utils.classification_signature_def(text, None, None),
            lambda: utils.classification_signature_def(text, number, None),
            lambda: utils.predict_signature_def({}, {"y": number}),
        ):
            with pytest.raises(ValueError):
                wrong()


def test_methods_of_signatures_are_changed(tmp_path):
    folder = _saved(str(tmp_path / "model"))
    updater = signature_def_utils.MethodNameUpdater(folder)
    updater.replace_method_name(_KEY, "mine", tags="serve")
    with pytest.raises(ValueError):
        updater.replace_method_name("none", "mine")
    with pytest.raises(ValueError):
        updater.replace_method_name(_KEY, "mine", tags=["other"])
    updater.save()
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], folder)
    assert meta.signature_def[_KEY].method_name == "mine"
