# SPDX-License-Identifier: Apache-2.0
"""Functions that are not to be converted run as they are; conversion is missing and looks so."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

autograph = tf.contrib.autograph


def test_marked_functions_run_as_they_are():
    @autograph.do_not_convert()
    def double(x, by=2):
        """Doubles."""
        return x * by

    @autograph.do_not_convert
    def plain(x):
        return x

    assert double(3) == 6 and double(3, by=3) == 9 and plain(4) == 4
    assert double.__doc__ == "Doubles."
    assert autograph.is_converted(double) and autograph.is_converted(plain)
    assert not autograph.is_converted(len)


def test_functions_of_values():
    seen = []

    @autograph.do_not_convert(autograph.RunMode.PY_FUNC, tf.float32)
    def scaled(x, by, *, plus):
        seen.append(type(x))
        return np.float32(x * by + plus["a"])

    @autograph.do_not_convert(run_as=autograph.RunMode.PY_FUNC)
    def note(x):
        seen.append(int(x))

    x = tf.placeholder(tf.float32, [2])
    y, noted = scaled(x, 3, plus={"a": tf.constant(1.0)}), note(tf.constant(7))
    with tf.Session() as session:
        got, _ = session.run([y, noted], {x: [1.0, 2.0]})
    np.testing.assert_array_equal(got, [4, 7])
    assert np.ndarray in seen and 7 in seen


def test_what_is_missing():
    with pytest.raises(ValueError, match="run_as"):
        autograph.do_not_convert(run_as="fast")
    for name in ("convert", "to_graph"):
        assert not hasattr(autograph, name)
        with pytest.raises(AttributeError, match="TensorFlow has this"):
            getattr(autograph, name)
