# SPDX-License-Identifier: Apache-2.0
"""Files go along with SavedModels."""

import tensorwright as tf


def test_a_model_brings_its_file_along(tmp_path):
    (tmp_path / "words.txt").write_text("a\nb\n")
    folder = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        words = tf.saved_model.Asset(tmp_path / "words.txt")
        index = tf.lookup.TextFileIndex
        lines = tf.lookup.TextFileInitializer(
            words.asset_path, tf.string, index.WHOLE_LINE, tf.int64, index.LINE_NUMBER
        )
        table = tf.lookup.StaticHashTable(lines, -1)
        tf.identity(table.lookup(tf.constant(["b", "x"])), name="ids")
        assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        assert assets[0] is words.asset_path
        builder = tf.saved_model.Builder(folder)
        builder.add_meta_graph_and_variables(
            session, ["serve"], assets_collection=assets,
            main_op=tf.saved_model.main_op.main_op(),
        )  # fmt: skip
        builder.save()
    (tmp_path / "words.txt").unlink()
    (tmp_path / "model").rename(tmp_path / "moved")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["serve"], str(tmp_path / "moved"))
        assert session.run("ids:0").tolist() == [1, -1]
