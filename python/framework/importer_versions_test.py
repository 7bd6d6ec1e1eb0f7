# SPDX-License-Identifier: Apache-2.0
"""GraphDefs of old producers keep the meaning that they had."""

import numpy as np
import pytest
from google.protobuf import text_format

import tensorwright as tf


@pytest.mark.parametrize("producer", [0, 20, 21, 22, 24])
@pytest.mark.parametrize("as_text", [False, True])
def test_a_placeholder_of_an_old_producer_has_any_shape(producer, as_text):
    # Up to version 21 the shape [] of a placeholder meant that nothing was known.
    with tf.Graph().as_default() as graph:
        tf.placeholder(tf.float32, [], name="p")
        tf.placeholder(tf.float32, [3], name="q")
        graph_def = graph.as_graph_def()
    graph_def.versions.producer = producer
    if as_text:
        graph_def = text_format.Parse(str(graph_def), tf.GraphDef())
    with tf.Graph().as_default(), tf.Session() as session:
        p, q = tf.import_graph_def(graph_def, return_elements=["p:0", "q:0"])
        assert q.shape == [3]
        # The version applies to imported nodes only: the program's own follow today's rules.
        assert tf.placeholder(tf.float32, []).shape == []
        if producer > 21:
            assert p.shape == []
        else:
            assert p.shape.ndims is None
            np.testing.assert_array_equal(session.run(p, {p: [1, 2]}), [1, 2])


def test_the_oldest_part_tells_how_a_graph_is_read_again():
    with tf.Graph().as_default() as graph:
        tf.placeholder(tf.float32, [], name="p")
        old = graph.as_graph_def()
    old.versions.producer = 21
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(old, name="")
        again = graph.as_graph_def()
    assert again.versions.producer == 21
    with tf.Graph().as_default():
        (p,) = tf.import_graph_def(again, return_elements=["p:0"])
        assert p.shape.ndims is None
