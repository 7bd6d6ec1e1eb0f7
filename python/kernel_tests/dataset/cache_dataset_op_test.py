# SPDX-License-Identifier: Apache-2.0
"""Caches of a dataset: later passes repeat the elements of the first."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.dataset.elements import (
    Dataset,
    elements,
    refuses,
    rest,
)

pytestmark = pytest.mark.usefixtures("fresh_graph")


def passes(dataset, n, limit=100):
    iterator = dataset.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as session:
        found = []
        for _ in range(n):
            session.run(iterator.initializer)
            found.append(rest(session, element, limit))
        return found


def counted(calls):
    return Dataset.range(3).map(
        lambda x: (
            tf.py_func(lambda v: calls.append(int(v)) or v, [x], tf.int64),
            tf.as_string(x),
        )
    )


WANT = [(0, b"0"), (1, b"1"), (2, b"2")]


def test_in_memory():
    calls = []
    assert elements(counted(calls).cache().repeat(3)) == WANT * 3
    assert calls == [0, 1, 2]


def test_in_files(tmp_path):
    name = str(tmp_path / "cache")
    calls = []
    assert elements(counted(calls).cache(name)) == WANT
    assert elements(counted(calls).cache(name)) == WANT
    assert calls == [0, 1, 2]


def test_a_pass_that_is_not_whole_is_not_kept(tmp_path):
    for name in ("", str(tmp_path / "cache")):
        calls = []
        assert passes(counted(calls).cache(name), 1, limit=2) == [WANT[:2]]
        assert elements(counted(calls).cache(name)) == WANT
        assert calls == [0, 1, 0, 1, 2]


def test_a_file_of_something_else(tmp_path):
    name = str(tmp_path / "cache")
    assert elements(Dataset.range(3).cache(name)) == [0, 1, 2]
    refuses(
        "no element of this dataset",
        lambda: Dataset.from_tensors(1.0).cache(name),
        tf.errors.DataLossError,
    )
