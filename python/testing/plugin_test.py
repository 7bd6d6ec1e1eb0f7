# SPDX-License-Identifier: Apache-2.0
import pytest

import tensorwright as tf

_outer = tf.get_default_graph()
_seen = []


@pytest.mark.usefixtures("fresh_graph")
@pytest.mark.parametrize("number", [0, 1])
def test_each_test_that_asks_has_a_graph_of_its_own(number):
    graph = tf.get_default_graph()
    assert graph is not _outer and graph not in _seen
    assert not graph.get_operations()
    tf.constant(1.0)
    _seen.append(graph)


def test_the_fixture_is_the_default_graph(fresh_graph):
    assert tf.get_default_graph() is fresh_graph


def test_a_test_that_does_not_ask_keeps_the_default_graph():
    assert tf.get_default_graph() is _outer
