# SPDX-License-Identifier: Apache-2.0
"""StringFormat: tensors within a text."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import attr_value_pb2

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _run(tensor):
    with tf.Session() as session:
        return session.run(tensor).decode()


def test_values_stand_in_the_place_of_placeholders():
    x = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert _run(tf.strings.format("<{}>", [x])) == "<[[0 1 2]\n [3 4 5]]>"
    assert _run(tf.strings.format("{} and {}", [1.5, True])) == "1.5 and 1"
    assert _run(tf.strings.format("%, {}", "s", placeholder="%")) == '"s", {}'
    assert _run(tf.strings.format("nothing", [])) == "nothing"


def test_long_dimensions_are_shortened():
    x = np.arange(10, dtype=np.int64)
    assert _run(tf.strings.format("{}", x)) == "[0 1 2 ... 7 8 9]"
    assert _run(tf.strings.format("{}", x, summarize=1)) == "[0 ... 9]"
    assert _run(tf.strings.format("{}", x, summarize=-1)) == "[0 1 2 3 4 5 6 7 8 9]"
    assert _run(tf.strings.format("{}", x, summarize=0)) == "[ ...]"
    assert _run(tf.strings.format("{}", x[0], summarize=0)) == "..."
    assert _run(tf.strings.format("{}", np.zeros([3, 0]), summarize=3)) == "[\n ...]"
    assert _run(tf.strings.format("{}", x.reshape(5, 2), summarize=0)) == "[\n ...]"


def test_texts_stay_readable():
    assert _run(tf.strings.format("{}", ['l\u00f6\n"'])) == '"l\u00f6\\n\\""'


def test_as_many_tensors_as_placeholders_are_wanted():
    with pytest.raises(ValueError, match="expects 2 tensors"):
        tf.strings.format("{} {}", [1])
    with pytest.raises(ValueError, match="placeholders"):
        tf.get_default_graph().create_op(
            "StringFormat",
            [tf.constant(1)],
            [tf.string],
            attrs={"template": _template()},
        )


def _template():
    return attr_value_pb2.AttrValue(s=b"%s %s")


def test_what_is_no_number_is_written_as_nan():
    x = np.float32([np.nan, 2, np.inf])
    assert _run(tf.strings.format("<{}>", x)) == "<[nan 2 inf]>"
