# SPDX-License-Identifier: Apache-2.0
"""tf.user_op: ops written in Python alone."""

import inspect

import numpy as np
import pytest

import tensorwright as tf


@tf.user_op(
    inputs=["x: T"],
    outputs=["norm: T"],
    attrs=["T: {float, double}", "scale: float = 1.0"],
)
def row_norm(x, scale):
    """Euclidean norm of each row, times scale: [..., n] -> [...]."""
    return (scale * np.sqrt(np.square(x).sum(-1))).astype(x.dtype)


@row_norm.shape
def _(x, scale):
    del scale
    return x.with_rank_at_least(1)[:-1]


@row_norm.gradient
def _(op, grad):
    """d norm / dx = scale^2 x / norm."""
    factor = grad * op.get_attr("scale") ** 2 / op.outputs[0]
    return op.inputs[0] * tf.expand_dims(factor, -1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_value_shape_and_gradient(dtype):
    x = np.random.RandomState(0).randn(3, 4).astype(dtype)
    with tf.Graph().as_default(), tf.Session() as session:
        tensor = tf.placeholder(dtype, [None, 4])
        y = row_norm(tensor, scale=2.0)
        assert y.get_shape().as_list() == [None]
        assert y.dtype == dtype
        (gradient,) = tf.gradients(y, tensor)
        value, slope = session.run([y, gradient], {tensor: x})
    norm = np.sqrt((x * x).sum(-1))
    np.testing.assert_allclose(value, 2 * norm, rtol=1e-5)
    np.testing.assert_allclose(slope, 2 * x / norm[:, None], rtol=1e-5)


def test_gradient_against_finite_differences():
    with tf.Graph().as_default(), tf.Session():
        # Given: next to zero, which chance may draw, a norm is too far from linear.
        value = np.random.RandomState(1).randn(2, 3)
        x = tf.constant(value)
        error = tf.test.compute_gradient_error(x, [2, 3], row_norm(x), [2], value)
    assert error < 1e-6


def test_python_values_are_converted_and_names_are_the_ops():
    with tf.Graph().as_default(), tf.Session() as session:
        y = row_norm([[3.0, 4.0]])
        named = row_norm([[3.0, 4.0]], name="mine")
        assert y.op.name == "RowNorm"
        assert named.op.name == "mine"
        assert session.run(y).tolist() == [5.0]


def test_signature_and_documentation_are_those_of_a_wrapper():
    assert list(inspect.signature(row_norm).parameters) == ["x", "scale", "name"]
    doc = inspect.getdoc(row_norm)
    assert "Euclidean norm of each row" in doc
    assert "user_op_test.py" in doc
    assert "`float32` or `float64`" in doc


def test_wrong_arguments_are_refused_when_the_op_is_added():
    with tf.Graph().as_default():
        with pytest.raises(
            TypeError, match="RowNorm: T must be one of float32, float6"
        ):
            row_norm(tf.constant([1]))
        with pytest.raises(TypeError, match="RowNorm: scale must be of type float"):
            row_norm([1.0], scale="x")
        with pytest.raises(ValueError, match="rank"):
            row_norm(tf.constant(1.0))


def test_a_bad_spec_is_refused_at_once():
    with pytest.raises(ValueError, match=r"Broken|flaot"):

        @tf.user_op(inputs=["x: flaot"], outputs=["y: float"])
        def broken(x):
            return x


def test_the_shape_function_is_a_contract():
    @tf.user_op(["x: float"], ["y: float"], shape=lambda x: x)
    def halve(x):
        return x[::2]

    with tf.Graph().as_default(), tf.Session() as session:
        y = halve([1.0, 2.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="promised"):
            session.run(y)


def test_without_a_gradient_tf_gradients_says_which_function_lacks_one():
    @tf.user_op(["x: float"], ["y: float"])
    def plain(x):
        return x

    with tf.Graph().as_default():
        x = tf.constant(1.0)
        with pytest.raises(LookupError, match=r"Plain .*user_op_test.py.* no gradient"):
            tf.gradients(plain(x), x)


def test_lists_and_several_outputs():
    @tf.user_op(
        inputs=["xs: N * T", "k: int32"],
        outputs=["total: T", "each: N * T"],
        attrs=["N: int >= 1", "T: type"],
    )
    def add_up(xs, k):
        return sum(xs) * k, [x * k for x in xs]

    with tf.Graph().as_default(), tf.Session() as session:
        result = add_up([np.int64(1), np.int64(2)], 3)
        assert result._fields == ("total", "each")
        assert session.run(result.total) == 9
        assert session.run(result.each) == [3, 6]
        with pytest.raises(ValueError, match="at least 1"):
            add_up([], 3)


def test_an_output_of_another_dtype_is_refused():
    @tf.user_op(["x: float"], ["y: float"])
    def widen(x):
        return x.astype(np.float64)

    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="double, but expects"):
            session.run(widen(1.0))


def test_errors_name_the_line_that_called_the_op():
    @tf.user_op(["x: float"], ["y: float"])
    def fail(x):
        raise ValueError(f"no {x}")

    with tf.Graph().as_default(), tf.Session() as session:
        y = fail(1.0)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            session.run(y)
    assert "no 1.0" in str(caught.value)
    assert "user_op_test.py" in y.op._defined_at()


@pytest.mark.parametrize(
    ("inputs", "attrs", "name", "match"),
    [
        (["x: float"], [], "MatMul", "there is an op MatMul already, .*math_ops.cc:"),
        (["x: float"], [], "RowNorm", "there is an op RowNorm already, .*_test.py:"),
        (["z: float"], [], "Other", "input 'z' is the parameter 'x' of f"),
        (["x: float", "y: float"], [], "Other", r"calls f\(x, y\), but .* is f\(x\)"),
        (["x: float"], ["n: int"], "Other", r"calls f\(x, n\), but .* is f\(x\)"),
        (["x: T"], [], "Other", r"_test.py:\d+: .*'T' is neither a dtype nor an attr"),
    ],
)
def test_what_the_function_is_not_is_refused_at_once(inputs, attrs, name, match):
    def f(x):
        return x

    with pytest.raises(ValueError, match=match):
        tf.user_op(inputs, ["y: float"], attrs, name=name)(f)


@pytest.mark.parametrize(
    ("outputs", "returned", "match"),
    [
        (
            ["y: float"],
            lambda x: None,
            "Returns has 1 output, .*returned None: is its `return`",
        ),
        (["y: float", "z: float"], lambda x: None, "2 outputs, .*returned None"),
        (["y: float", "z: float"], lambda x: (x, None), "None for output 1"),
        (["y: float"], lambda x: (x, x), "has 1 output, .*a tuple of 2 values"),
        (["y: float"], lambda x: [1.0, 2.0], "has 1 output, .*a list of 2 values"),
        (
            ["y: float", "z: float"],
            lambda x: np.stack([x, x]),
            "2 outputs, .*a ndarray",
        ),
        ([], lambda x: x, "has 0 outputs, .*returned a ndarray"),
        (["y: float"], lambda x: x.astype(int), "returned by Returns#"),
    ],
)
def test_what_is_returned_must_be_the_outputs(outputs, returned, match):
    def f(x):
        return returned(x)

    op = tf.user_op(["x: float"], outputs, name="Returns")(f)
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=match):
            session.run(op([1.0, 2.0]))


def test_a_list_of_outputs_is_no_array():
    stacked = tf.user_op(["x: float"], ["y: N * float"], ["N: int"], name="Stacked")(
        lambda x, N: np.stack([x] * N)
    )
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="2 outputs, .*ndarr"):
            session.run(stacked([1.0, 2.0], N=2))


def test_a_tuple_of_one_is_its_element_and_no_outputs_are_an_operation():
    seen = []
    one = tf.user_op(["x: float"], ["y: float"], name="One")(lambda x: (x,))
    none = tf.user_op(["x: float"], name="NoOutputs", stateful=True)(
        lambda x: seen.append(x)
    )
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(one([1.0, 2.0])).tolist() == [1.0, 2.0]
        assert session.run(none(3.0)) is None
    assert seen == [3.0]


def test_specs_are_lists_of_strings():
    def f(x):
        return x

    with pytest.raises(TypeError, match="inputs must be a list of strings, got 'x: f"):
        tf.user_op(inputs="x: float", outputs=["y: float"])
    with pytest.raises(TypeError, match="attrs must be a list of strings, got .*3"):
        tf.user_op(["x: float"], ["y: float"], [3])
    with pytest.raises(TypeError, match="in place of specs: write @tf.user_op"):
        tf.user_op(f)
    with pytest.raises(TypeError, match="makes an op of a function, got 3"):
        tf.user_op(["x: float"], ["y: float"])(3)
