# SPDX-License-Identifier: Apache-2.0
"""Assert and Print."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import gen_logging_ops
from tensorwright.python.testing.op_testing import (
    DTYPES,
    fed,
    gradient_error,
    values,
)


@pytest.mark.parametrize("dtype", [*DTYPES, object])
@pytest.mark.parametrize("shape", [[], [0], [1], [7], [3, 5]])
def test_print_hands_on_what_goes_in(dtype, shape, capfd):
    x = values(shape, dtype)
    got = fed(lambda x: tf.Print(x, [x], "seen: "), x)
    np.testing.assert_array_equal(got, x)
    assert "seen: [" in capfd.readouterr().err


def test_print_shows_so_many_values_so_often(capfd):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.Print(tf.constant([4, 5, 6, 7]), [[4, 5, 6, 7]], "v", 2, 3)
        for _ in range(5):
            session.run(x.op)
    err = capfd.readouterr().err
    assert err.count("[4 5 6...]") == 2


def test_gradient_of_print_is_the_identity():
    assert gradient_error(lambda x: tf.Print(x, [x], "g"), [2]) < 1e-9


def test_an_assertion_that_holds_is_silent():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.bool)
        assert session.run(gen_logging_ops._assert(x, [x]), {x: True}) is None


@pytest.mark.parametrize("dtype", [np.int32, np.float32, object])
def test_an_assertion_that_fails_shows_its_data(dtype):
    data = values([2, 2], dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        x, shown = tf.placeholder(tf.bool), tf.constant(data)
        check = gen_logging_ops._assert(x, ["bad:", shown], summarize=3)
        with pytest.raises(tf.errors.InvalidArgumentError) as error:
            session.run(check, {x: False})
    text = error.value.message
    assert "assertion failed: [bad:]" in text
    assert ("[[s0 s1][s2]...]" if dtype is object else "[[0 1][2]...]") in text


def test_assert_refuses_a_condition_that_is_no_scalar():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.bool)
        check = gen_logging_ops._assert(x, ["m"])
        with pytest.raises(tf.errors.InvalidArgumentError, match="scalar"):
            session.run(check, {x: [True, False]})
