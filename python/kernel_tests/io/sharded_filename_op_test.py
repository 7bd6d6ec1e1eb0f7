# SPDX-License-Identifier: Apache-2.0
"""ShardedFilename and ShardedFilespec: what the files of one checkpoint are called."""

import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_io_ops


def test_names_and_their_pattern():
    with tf.Graph().as_default(), tf.Session() as session:
        names = [gen_io_ops._sharded_filename("/a/b", i, 12) for i in (0, 11)]
        spec = gen_io_ops._sharded_filespec("/a/b", 12)
        assert session.run([*names, spec]) == [
            b"/a/b-00000-of-00012",
            b"/a/b-00011-of-00012",
            b"/a/b-?????-of-00012",
        ]
        assert spec.shape.as_list() == names[0].shape.as_list() == []


def test_only_scalars_are_taken():
    with tf.Graph().as_default():
        with pytest.raises(ValueError):
            gen_io_ops._sharded_filename(["a"], 0, 1)
        with pytest.raises(ValueError):
            gen_io_ops._sharded_filespec("a", [1])
