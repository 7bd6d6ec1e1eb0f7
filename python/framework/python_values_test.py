# SPDX-License-Identifier: Apache-2.0
"""Python's values as tensors: bools as numbers, constants of no elements, Dimensions, objects with operators of their own."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

NUMBERS = ["float16", "float32", "float64", "int32", "int64", "uint8", "complex64"]


def _run(fetch):
    with tf.Session() as session:
        return session.run(fetch)


@pytest.mark.parametrize("dtype", [*NUMBERS, "bfloat16"])
def test_a_bool_is_a_number_where_a_number_is_wanted(dtype):
    dtype = getattr(tf, dtype)
    constant = tf.constant([True, 0, False], dtype)
    assert constant.dtype == dtype
    assert _run(tf.cast(constant, tf.int32)).tolist() == [1, 0, 0]
    assert _run(tf.cast(tf.constant(3, dtype) + True, tf.int32)) == 4


@pytest.mark.parametrize(
    ("value", "dtype"), [(1, "bool"), (True, "string"), (True, "qint32")]
)
def test_a_number_is_no_bool_and_a_bool_is_nothing_but_a_number(value, dtype):
    with pytest.raises(TypeError, match=f"Expected {dtype}, got {value}"):
        tf.constant(value, getattr(tf, dtype))


@pytest.mark.parametrize("value", [0, 1.5, [1, 2], "a", []])
@pytest.mark.parametrize("shape", [[0], [2, 0], (0, 3)])
def test_a_constant_of_no_elements_needs_no_value(value, shape):
    constant = tf.constant(value, shape=shape)
    assert constant.dtype == tf.float32
    assert _run(constant).shape == tuple(shape)


def test_a_constant_of_no_elements_has_the_dtype_that_it_is_given():
    assert _run(tf.constant(0, tf.int64, [0])).dtype == np.int64
    with pytest.raises(TypeError, match="Expected int32, got 1.5"):
        tf.constant(1.5, tf.int32, [0])
    # An array has its own elements.
    with pytest.raises(ValueError, match="Too many elements"):
        tf.constant(np.ones(1), shape=[0])


@pytest.mark.parametrize(
    "draw", [tf.random_normal, tf.random_uniform, tf.truncated_normal]
)
def test_shapes_of_draws_may_hold_dimensions(draw):
    rows = tf.placeholder(tf.float32, [2, None]).shape[0]
    assert draw([rows, 3]).shape.as_list() == [2, 3]
    assert draw((3, rows)).shape.as_list() == [3, 2]
    assert draw([tf.constant(4), rows]).shape.as_list() == [4, 2]


@pytest.mark.parametrize("lengths", [[1.0, 2.0], [1, 2]])
def test_a_sequence_mask_has_the_width_of_a_dimension(lengths):
    mask = tf.sequence_mask(tf.constant(lengths), maxlen=tf.Dimension(3))
    assert mask.shape.as_list() == [2, 3]
    assert _run(mask).tolist() == [[True, False, False], [True, True, False]]


class Reflecting:
    """An object with a dtype that is no tensor: its own operators count."""

    dtype = tf.float32

    def _reflected(self, other):
        return "reflected", other

    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = _reflected
    __rpow__ = __rmod__ = __rmatmul__ = _reflected


@pytest.mark.parametrize("operator", "+ - * / // ** % @".split())
def test_an_object_with_reflected_operators_is_asked(operator):
    x = tf.ones([2, 2])
    scope = {"x": x, "y": Reflecting()}
    assert eval(f"x {operator} y", scope) == ("reflected", x)
    with pytest.raises((TypeError, ValueError)):
        eval(f"x {operator} y", {"x": x, "y": object()})


def test_python_2s_name_of_a_tensors_truth_refuses_too():
    with pytest.raises(TypeError, match="as a Python `bool` is not allowed"):
        tf.constant(1).__nonzero__()
