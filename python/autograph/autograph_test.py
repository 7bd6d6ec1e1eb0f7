# SPDX-License-Identifier: Apache-2.0
"""Functions that are marked not to be converted stay what they are."""

import tensorwright as tf
from tensorwright.python.autograph.impl import api


def test_a_marked_function_does_what_it_did():
    @tf.autograph.experimental.do_not_convert
    def double(x, scale=2):
        """Doubles."""
        return scale * x

    @api.do_not_convert()
    def triple(x):
        return 3 * x

    assert (double(4), double(4, scale=3), triple(4)) == (8, 12, 12)
    assert (double.__name__, double.__doc__) == ("double", "Doubles.")


def test_a_bound_method_keeps_its_object():
    class Counter:
        def __init__(self):
            self.count = 0

        def add(self, n):
            self.count += n
            return self.count

    counter = Counter()
    marked = tf.autograph.experimental.do_not_convert(counter.add)
    assert marked(2) == 2 and marked.__self__ is counter and counter.count == 2


def test_conversion_is_not_offered():
    assert not hasattr(tf.autograph, "to_graph")
