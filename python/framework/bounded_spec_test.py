# SPDX-License-Identifier: Apache-2.0
"""Tests of BoundedTensorSpec: its bounds, and its relations to other specs."""

import copy
import pickle

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import tensor_spec

Bounded = tensor_spec.BoundedTensorSpec


def test_bounds_are_arrays_of_the_dtype_that_cannot_be_written():
    spec = Bounded([2, 3], tf.int32, 0, [1, 2, 3], "x")
    assert isinstance(spec, tf.TensorSpec) and spec.name == "x"
    assert spec.minimum.dtype == np.int32 and spec.maximum.tolist() == [1, 2, 3]
    with pytest.raises(ValueError):
        spec.maximum[0] = 9
    assert "maximum=array([1, 2, 3]" in repr(spec)


def test_specs_are_equal_by_shape_dtype_and_bounds():
    spec = Bounded([2], tf.float32, 0.0, 1.0, "x")
    assert spec == Bounded([2], tf.float32, 0.0, [1.0, 1.0])
    assert spec != Bounded([2], tf.float32, 0.0, 2.0)
    assert spec != Bounded([3], tf.float32, 0.0, 1.0)
    assert spec != tf.TensorSpec([2], tf.float32, "x")
    for copied in (pickle.loads(pickle.dumps(spec)), copy.deepcopy(spec)):
        assert copied == spec and hash(copied) == hash(spec) and copied.name == "x"


def test_a_spec_without_bounds_has_those_of_its_dtype():
    spec = Bounded.from_spec(tf.TensorSpec([], tf.int8, "n"))
    assert (spec.minimum, spec.maximum, spec.name) == (-128, 127, "n")
    assert Bounded.from_spec(Bounded([1], tf.int8, 3, 4), "m").minimum == 3


def test_bounds_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="`minimum` can not be None"):
        Bounded([2], tf.float32, None, 1.0)
    with pytest.raises(ValueError, match="`maximum` of shape"):
        Bounded([2], tf.float32, 0.0, [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="`maximum` of shape"):
        Bounded([2], tf.float32, 0.0, [[1.0, 2.0]])
