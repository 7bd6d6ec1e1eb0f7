# SPDX-License-Identifier: Apache-2.0
"""The paths in a SavedModel's folder."""

import os

import tensorwright as tf
from tensorwright.python.saved_model import utils_impl


def test_paths_lead_to_what_a_saved_model_has(tmp_path):
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.Variable(3.0, name="x")
        session.run(x.initializer)
        tf.saved_model.simple_save(session, folder, {"x": x}, {"y": x + 1})
    assert os.path.isdir(utils_impl.get_variables_dir(folder.encode()))
    values = tf.train.load_checkpoint(utils_impl.get_variables_path(folder))
    assert values.get_tensor("x") == 3
    assert not os.path.exists(utils_impl.get_assets_dir(folder))


def test_folders_are_made(tmp_path):
    folder = str(tmp_path / "new")
    variables = utils_impl.get_or_create_variables_dir(folder)
    assets = utils_impl.get_or_create_assets_dir(folder)
    assert sorted(os.listdir(folder)) == ["assets", "variables"]
    assert [variables, assets] == [
        utils_impl.get_or_create_variables_dir(folder),
        utils_impl.get_assets_dir(folder),
    ]
