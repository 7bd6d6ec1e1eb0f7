# SPDX-License-Identifier: Apache-2.0
"""Operations of a scope carry its marks, and compute the same values."""

import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

scope = tf.contrib.compiler.jit.experimental_jit_scope


def test_marks():
    with scope():
        a = tf.constant(2.0)
        with scope(compile_ops=False):
            b = a * 3.0
        c = b + 1.0
    with scope(lambda node: node.op == "Mul", separate_compiled_gradients=True):
        d, e = c * 2.0, c - 1.0
    plain = tf.negative(e)
    for tensor, compiled, name in ((a, True, b"jit_scope_0"), (b, False, b"jit_scope_0"), (c, True, b"jit_scope_0"), (d, True, b"jit_scope_1"), (e, False, b"jit_scope_1")):  # fmt: skip
        assert tensor.op.get_attr("_XlaCompile") is compiled
        assert tensor.op.get_attr("_XlaScope") == name
    assert d.op.get_attr("_XlaSeparateCompiledGradients") is True
    with pytest.raises(ValueError):
        plain.op.get_attr("_XlaScope")
    node = next(n for n in tf.get_default_graph().as_graph_def().node if n.name == d.op.name)  # fmt: skip
    assert node.attr["_XlaScope"].s == b"jit_scope_1"
    with tf.Session() as session:
        assert session.run([d, plain]) == [14, -6]
