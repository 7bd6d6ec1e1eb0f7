# SPDX-License-Identifier: Apache-2.0
"""The sources of corpus/ register gradients in C++ and functions of types in variants, besides ops and kernels."""

import pathlib

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import attr_value_pb2, tensor_pb2
from tensorwright.python.explain import source_chain
from tensorwright.python.framework import function
from tensorwright.python.ops import gen_functional_ops

LIBRARY = pathlib.Path(__file__).parent / "corpus.so"


@pytest.fixture(scope="module")
def ops():
    return tf.load_op_library(str(LIBRARY))


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_gradients_in_cpp(ops, session):
    for dtype in (np.float32, np.float64):
        x = tf.constant([1.0, -2.0, 3.0], dtype)
        shift = tf.constant([4.0, 5.0, 6.0], dtype)
        y = ops.corpus_cube_plus(x, shift, weight=0.5)
        dx, dshift = tf.gradients(y, [x, shift])
        assert session.run([dx, dshift])[0].tolist() == [1.5, 6, 13.5]
        assert dshift.eval().tolist() == [1, 1, 1]
        # Its nodes are of the graph: they have a gradient, too.
        assert tf.gradients(dx, x)[0].eval().tolist() == [3, -6, 9]
    error = tf.test.compute_gradient_error(x, [3], y, [3])
    assert error < 1e-5


def test_gradients_in_cpp_of_lists(ops, session):
    xs = [tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([5.0])]
    y = tf.constant(3.0)
    turn = tf.constant(1)
    first, second = ops.corpus_scale_all(xs, y, turn)
    # An unused output counts as zeros; an int has no gradient.
    d0, d1, dy, dturn = tf.gradients(first, [*xs, y, turn])
    assert dturn is None
    values = session.run([d0, d1, dy])
    assert values[0].tolist() == [[3, 3], [3, 3]]
    assert values[1].tolist() == [0]
    assert values[2] == 10
    assert session.run(tf.gradients([first, second], y)[0]) == 15


def test_gradients_in_cpp_within_functions_and_loops(ops, session):
    @function.Defun(tf.float32, tf.float32)
    def cube_plus(x, shift):
        return ops.corpus_cube_plus(x, shift) * 2.0

    x, shift = tf.constant([1.0, 2.0]), tf.constant([0.0, 0.0])
    dx, dshift = tf.gradients(cube_plus(x, shift), [x, shift])
    assert dx.op.type == "SymbolicGradient"
    assert dx.eval().tolist() == [6, 24] and dshift.eval().tolist() == [2, 2]
    start = tf.constant(0.5)
    _, last = tf.while_loop(
        lambda i, x: i < 3,
        lambda i, x: (i + 1, ops.corpus_cube_plus(x, tf.constant(0.25))),
        [0, start],
    )
    values, slope = [0.5], 1.0
    for _ in range(3):
        slope *= 3 * values[-1] ** 2
        values.append(values[-1] ** 3 + 0.25)
    found, grad = session.run([last, tf.gradients(last, start)[0]])
    np.testing.assert_allclose([found, grad], [values[-1], slope], rtol=1e-5)


def test_symbolic_gradient_of_an_op(ops, session):
    f = attr_value_pb2.NameAttrList(name="CorpusCubePlus")
    f.attr["T"].type = tf.float32.as_datatype_enum
    f.attr["weight"].f = 2.0
    make = gen_functional_ops._symbolic_gradient
    x = tf.constant([1.0, 2.0])
    grads = make([x, x, x], Tout=[tf.float32] * 2, f=f)
    dx, dshift = session.run(grads)
    assert dx.tolist() == [6, 48] and dshift.tolist() == [1, 2]
    none = attr_value_pb2.NameAttrList(name="CorpusFlat")
    with pytest.raises(tf.errors.InvalidArgumentError, match="CorpusFlat has no grad"):
        session.run(make([x, x], Tout=[tf.float32], f=none))
    wrong = attr_value_pb2.NameAttrList(name="CorpusWrongGradient")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"it takes .*should be"):
        session.run(make([x, x], Tout=[tf.float32], f=wrong))


def test_where_gradients_in_cpp_are(ops):
    x = tf.constant([1.0])
    assert tf.gradients(ops.corpus_flat(x), x) == [None]
    with pytest.raises(ValueError, match=r"gradient_bodies\.cc:\d+: it takes"):
        tf.gradients(ops.corpus_wrong_gradient(x), x)
    chain = source_chain.chain_of_op("CorpusCubePlus")
    assert chain.gradient.name == "CubePlusGrad"
    assert chain.gradient.file.endswith("gradient_bodies.cc")
    assert source_chain.chain_of_op("CorpusFlat").differentiable is False


def test_functions_of_types_in_variants(ops, session):
    p = ops.corpus_polynomial([1.0, 2.0, 3.0])
    terms = ops.corpus_polynomial_terms
    assert session.run(terms(p)).tolist() == [1, 2, 3]
    assert session.run(terms(tf.zeros_like(p))).tolist() == [0, 0, 0]
    assert session.run(terms(tf.add_n([p, p, p]))).tolist() == [3, 6, 9]
    with pytest.raises(tf.errors.InvalidArgumentError, match="of 3 and 1 terms"):
        session.run(terms(tf.add_n([p, ops.corpus_polynomial([1.0])])))
    pair = ops.corpus_pair_make([1.0], np.int64(1))
    for make in (tf.zeros_like, lambda v: tf.add_n([v, v])):
        with pytest.raises(tf.errors.InternalError, match="CorpusPair"):
            session.run(ops.corpus_pair_take(make(pair)))


def test_variants_in_graphs(ops, session):
    """A constant of a type of the author's comes from a GraphDef."""

    def constant(type_name, *tensors):
        proto = tensor_pb2.TensorProto(dtype=tf.variant.as_datatype_enum)
        proto.tensor_shape.SetInParent()
        value = proto.variant_val.add(type_name=type_name)
        value.tensors.extend(tf.make_tensor_proto(t) for t in tensors)
        return tf.get_default_graph().create_op(
            "Const",
            [],
            [tf.variant],
            attrs={
                "value": attr_value_pb2.AttrValue(tensor=proto),
                "dtype": attr_value_pb2.AttrValue(type=proto.dtype),
            },
        )

    p = constant("corpus::Polynomial", np.float32([4, 5])).outputs[0]
    assert session.run(ops.corpus_polynomial_terms(p)).tolist() == [4, 5]
    for type_name, tensors, said in (
        ("corpus::Polynomial", [], "cannot be decoded from its data"),
        ("corpus::None", [], "'corpus::None' cannot be decoded: no REGISTER"),
    ):
        with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=said):
            bad = constant(type_name, *tensors).outputs[0]
            session.run(ops.corpus_polynomial_terms(bad))
