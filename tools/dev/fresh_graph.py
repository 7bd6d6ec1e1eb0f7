# SPDX-License-Identifier: Apache-2.0
"""A pytest fixture for tests that build graphs: a test module that imports it runs each of its tests in a graph of its own.

from tensorwright.tools.dev.fresh_graph import fresh_graph as fresh_graph
"""

from collections.abc import Iterator

import pytest

import tensorwright as tf


@pytest.fixture(autouse=True)
def fresh_graph() -> Iterator[tf.Graph]:
    """The default graph while a test runs: new and empty."""
    with tf.Graph().as_default() as graph:
        yield graph
