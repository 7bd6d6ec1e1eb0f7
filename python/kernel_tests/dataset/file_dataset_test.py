# SPDX-License-Identifier: Apache-2.0
"""What the datasets that read files share."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    elements,
    refuses,
)
from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph


def test_an_unreadable_file_is_left_behind(tmp_path):
    (tmp_path / "a").write_bytes(b"1\n2\n")
    (tmp_path / "c").write_bytes(b"3\n")
    names = [str(tmp_path / n) for n in "abc"]
    dataset = tf.data.TextLineDataset(names).ignore_errors()
    assert elements(dataset) == [b"1", b"2", b"3"]


def test_names_are_at_most_a_list():
    with pytest.raises(ValueError, match="rank"):
        tf.data.TextLineDataset([["a"]])
    matrix = tf.py_func(lambda: np.array([["a"]], object), [], tf.string)
    refuses("rank|scalar or a vector", lambda: tf.data.TextLineDataset(matrix))
    assert elements(tf.data.TextLineDataset(tf.constant([], tf.string))) == []
