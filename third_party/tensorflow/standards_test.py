# SPDX-License-Identifier: Apache-2.0
"""One op compiled as C++11, C++14, C++17 and C++20 against the C++20 library gives the same values and errors."""

import pathlib

import pytest

import tensorwright as tf

FOLDER = pathlib.Path(__file__).parent / "standards"


@pytest.fixture(scope="module", params=[11, 14, 17, 20])
def library(request):
    ops = tf.load_op_library(str(FOLDER / f"cpp{request.param}.so"))
    return request.param, getattr(ops, f"standard{request.param}_text")


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_strings_spans_shapes_and_variants_cross(library, dtype):
    standard, text = library
    words = ["short", "a word that is longer than any small-string buffer"]
    with tf.Graph().as_default(), tf.Session() as session:
        outputs = text(
            words, tf.constant([3, 2], dtype), separator="; and then ", ones=[2]
        )
        joined, shape, standard_seen = session.run(
            [outputs.joined, outputs.shape, outputs.standard]
        )
    assert joined == "; and then ".join(words).encode()
    assert shape.tolist() == [6, 4, 12]
    # Without this the three libraries might be one.
    assert standard_seen == standard


def test_errors_of_kernel_and_shape_function_cross(library):
    _, text = library
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"sizes must fit"):
            session.run(text(["a"], [3, 4]).joined)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"negative|>= 0"):
            session.run(text(["a"], [3, -2]).joined)
        with pytest.raises(ValueError, match="rank 1"):
            text([["a"]], [3, 2])
