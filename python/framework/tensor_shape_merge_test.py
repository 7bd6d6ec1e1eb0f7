# SPDX-License-Identifier: Apache-2.0
"""Merging of partly known shapes, in Python and in the graph, held to its laws for shapes that hypothesis draws."""

import hypothesis
import pytest
from hypothesis import strategies as st

import tensorwright as tf

fixed = hypothesis.settings(
    derandomize=True, database=None, deadline=None, max_examples=200
)

# Few sizes and ranks, so that shapes often fit each other.
sizes = st.sampled_from([None, None, 0, 1, 3])
shapes = st.one_of(st.none(), st.lists(sizes, max_size=3))


def _merged(a, b):
    """Merges two shapes, given as lists; ValueError if they contradict each other."""
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b):
        raise ValueError("ranks")
    for x, y in zip(a, b):
        if None not in (x, y) and x != y:
            raise ValueError("sizes")
    return [y if x is None else x for x, y in zip(a, b)]


def _list(shape):
    return None if shape.rank is None else shape.as_list()


@fixed
@hypothesis.given(shapes, shapes)
def test_a_merge_says_what_both_say_or_refuses(a, b):
    left, right = tf.TensorShape(a), tf.TensorShape(b)
    try:
        expected = _merged(a, b)
    except ValueError:
        assert not left.is_compatible_with(right)
        with pytest.raises(ValueError, match="not compatible"):
            left.merge_with(right)
        return
    assert left.is_compatible_with(right)
    assert _list(left.merge_with(right)) == expected
    assert _list(right.merge_with(left)) == expected
    # Neither has changed, and nothing is learnt twice.
    assert (_list(left), _list(right)) == (a, b)
    assert _list(left.merge_with(right).merge_with(right)) == expected


@fixed
@hypothesis.given(shapes, shapes, shapes)
def test_the_order_of_merges_does_not_matter(a, b, c):
    try:
        expected = _merged(_merged(a, b), c)
    except ValueError:
        return
    first, second, third = map(tf.TensorShape, (a, b, c))
    assert _list(first.merge_with(second.merge_with(third))) == expected


@fixed
@hypothesis.given(shapes, shapes)
def test_a_tensor_keeps_what_set_shape_adds(a, b):
    """The merge in C++, of the graph's shapes, is the same."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, a)
        try:
            expected = _merged(a, b)
        except ValueError:
            with pytest.raises(ValueError):
                x.set_shape(b)
            expected = a
        else:
            x.set_shape(b)
        assert _list(x.shape) == expected
        # A shape function merges likewise: the terms of a sum must have one shape.
        if expected is not None:
            total = tf.add_n([x, tf.placeholder(tf.float32, [None] * len(expected))])
            assert _list(total.shape) == expected
