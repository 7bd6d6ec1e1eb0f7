# SPDX-License-Identifier: Apache-2.0
"""Initializers that load a saved matrix under another vocabulary."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import checkpoint_ops
from tensorwright.python.training import checkpoint_ops as named_as_in_tensorflow

pytestmark = pytest.mark.usefixtures("fresh_graph")

_SAVED = np.arange(12, dtype=np.float32).reshape(4, 3)


@pytest.fixture
def files(tmp_path):
    """(checkpoint with `w`, old vocabulary, new vocabulary)."""
    path, old, new = (str(tmp_path / n) for n in ("ckpt", "old", "new"))
    (tmp_path / "old").write_text("a\nb\nc\nd\n")
    (tmp_path / "new").write_text("d\nx\nb\n")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", initializer=_SAVED)
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, path)
    return path, old, new


def _value(variable):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tf.convert_to_tensor(variable))


@pytest.mark.parametrize("parts", [1, 2, 5])
def test_rows_of_words_and_buckets(files, parts):
    path, old, new = files
    init = checkpoint_ops.load_and_remap_matrix_initializer(
        path, "w", 3, 3, 4, old, new, num_row_oov_buckets=2,
        initializer=tf.constant_initializer(-1.0),
    )  # fmt: skip
    cut = tf.fixed_size_partitioner(parts) if parts > 1 else None
    made = tf.get_variable("v", [5, 3], initializer=init, partitioner=cut)
    new_row = [-1.0] * 3
    want = [_SAVED[3], new_row, _SAVED[1], new_row, new_row]
    np.testing.assert_array_equal(_value(made), want)


def test_columns_of_words(files):
    path, old, new = files
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", initializer=_SAVED.T.copy())
        session.run(tf.global_variables_initializer())
        tf.train.Saver().save(session, path)
    init = checkpoint_ops.load_and_remap_matrix_initializer(
        path, "w", 3, 3, old_col_vocab_file=old, new_col_vocab_file=new,
        num_col_oov_buckets=1,
    )  # fmt: skip
    made = tf.get_variable("v", [3, 4], initializer=init)
    zeros = [0.0] * 3
    want = np.transpose([_SAVED[3], zeros, _SAVED[1], zeros])
    np.testing.assert_array_equal(_value(made), want)


def test_embeddings_begin_random_where_words_are_new(files):
    path, old, new = files
    init = checkpoint_ops.load_embedding_initializer(path, "w", 3, 3, old, new)
    got = _value(tf.get_variable("v", [3, 3], initializer=init))
    np.testing.assert_array_equal(got[[0, 2]], _SAVED[[3, 1]])
    assert (got[1] != 0).all() and (np.abs(got[1]) < 2 / np.sqrt(3)).all()
    assert (
        named_as_in_tensorflow._load_embedding_initializer
        is checkpoint_ops.load_embedding_initializer
    )


def test_shapes_that_are_not_the_vocabularies_are_refused(files):
    path, old, new = files
    make = checkpoint_ops.load_and_remap_matrix_initializer
    init = make(path, "w", 3, 3, 4, old, new)
    for shape, words in (
        ([4, 3], "new_row_vocab_size"),
        ([3, 4], "columns"),
        ([3], "2-dim"),
    ):
        with pytest.raises(ValueError, match=words):
            init(shape)
    with pytest.raises(ValueError, match="float32"):
        init([3, 3], tf.float64)
    with pytest.raises(TypeError, match="callable"):
        make(path, "w", 3, 3, 4, old, new, initializer="zeros")
    with pytest.raises(ValueError, match="both be specified"):
        make(path, "w", 3, 3, 4, old)([3, 3])
    with pytest.raises(ValueError, match="either row or column"):
        make(path, "w", 3, 3)([3, 3])
    with pytest.raises(ValueError, match="num_row_oov_buckets must be >= 0"):
        checkpoint_ops.load_and_remap_matrix(
            path, "w", 0, 3, 3, tf.zeros_initializer(), 4, old, new,
            num_row_oov_buckets=-1,
        )  # fmt: skip
