# SPDX-License-Identifier: Apache-2.0
"""A loaded library's ops get gradients, shape functions and batching rules from Python."""

import pathlib

import numpy as np
import pytest

import tensorwright as tf

LIBRARY = str(pathlib.Path(__file__).parent / "corpus.so")


def _swish_grad(op, grad):
    return OPS.corpus_hard_swish_grad(grad, op.inputs[0])


def _swish_batching(op, inputs):
    del op
    return OPS.corpus_hard_swish(inputs[0].tensor)


asked = []


def _macros_shape(op):
    asked.append(op.inputs[0].shape.as_list())
    return SHAPES[-1]


SHAPES = [[]]
OPS = tf.load_op_library(
    LIBRARY,
    gradients={"CorpusHardSwish": _swish_grad},
    shapes={"CorpusMacros": _macros_shape},
    batching={"CorpusHardSwish": _swish_batching},
)


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def _swish(x):
    return x * np.clip(x + 3, 0, 6) / 6


def test_the_gradient():
    values = np.float32([-4, -1, 0.5, 2, 5])
    x = tf.constant(values)
    (grad,) = tf.gradients(OPS.corpus_hard_swish(x), x)
    with tf.Session() as session:
        got = session.run(grad)
    step = np.float32(1e-2)
    want = (_swish(values + step) - _swish(values - step)) / (2 * step)
    np.testing.assert_allclose(got, want, atol=1e-2)


def test_the_batching_rule():
    values = np.random.RandomState(0).uniform(-5, 5, (4, 3)).astype(np.float32)
    y = tf.vectorized_map(
        lambda row: OPS.corpus_hard_swish(row) + row[0],
        tf.constant(values),
        fallback_to_while_loop=False,
    )
    with tf.Session() as session:
        np.testing.assert_allclose(
            session.run(y), _swish(values) + values[:, :1], rtol=1e-5
        )
    with pytest.raises(ValueError, match=r"CorpusScaleTwo\) has no batching rule"):
        tf.vectorized_map(
            OPS.corpus_scale_two, tf.constant(values), fallback_to_while_loop=False
        )


def test_the_shape_function_is_called_with_each_op_and_only_refines():
    del asked[:]
    y = OPS.corpus_macros(tf.placeholder(tf.int64, [None]))
    assert asked == [[None]]
    assert y.shape.as_list() == []
    for shape, text in (
        ([3], r"CorpusMacros: the shape function in Python gives \(3,\) for"),
        ([[], []], "returns 2 shapes, but the op has 1 outputs"),
    ):
        SHAPES.append(shape)
        with pytest.raises(ValueError, match=text):
            OPS.corpus_macros(tf.placeholder(tf.int64, [None]))
        SHAPES.pop()


def test_shapes_become_better_known():
    @tf.RegisterShapeFunction("CorpusDescribeTensor")
    def _describe_shape(op):
        assert op.get_attr("T") == tf.float32
        return [op.inputs[0].shape, [2, None]]

    text, tensor = OPS.corpus_describe_tensor(
        tf.placeholder(tf.string, [4]), T=tf.float32
    )
    assert text.shape.as_list() == [4]
    assert tensor.shape.as_list() == [2, None]


def test_registrations_after_the_load():
    with pytest.raises(KeyError, match="CorpusMacros has a shape function"):
        tf.RegisterShapeFunction("CorpusMacros")(_macros_shape)
    assert (
        tf.load_op_library(
            LIBRARY,
            batching={
                "CorpusScaleTwo": lambda op, i: OPS.corpus_scale_two(i[0].tensor)
            },
        )
        is OPS
    )
    y = tf.vectorized_map(
        OPS.corpus_scale_two, tf.constant([1, 2]), fallback_to_while_loop=False
    )
    with tf.Session() as session:
        assert session.run(y).tolist() == [2, 4]


def test_names_that_the_library_lacks():
    with pytest.raises(ValueError, match="gradients names MatMul, which is no op of"):
        tf.load_op_library(LIBRARY, gradients={"MatMul": _swish_grad})
    with pytest.raises(TypeError, match="must be a string"):
        tf.RegisterShapeFunction(_macros_shape)
