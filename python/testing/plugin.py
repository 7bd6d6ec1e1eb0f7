# SPDX-License-Identifier: Apache-2.0
"""Fixtures of this tree's tests, a plugin of pytest: `-p tensorwright.python.testing.plugin`, as tf_py_test runs it.

A test module with `pytestmark = pytest.mark.usefixtures("fresh_graph")` runs each of its tests in a graph of its own.
"""

from collections.abc import Iterator

import pytest

import tensorwright as tf


@pytest.fixture
def fresh_graph() -> Iterator[tf.Graph]:
    """The default graph while a test runs: new and empty."""
    with tf.Graph().as_default() as graph:
        yield graph
