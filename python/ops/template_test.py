# SPDX-License-Identifier: Apache-2.0
"""Templates share variables; recomputed functions have the gradients of the function; creators stand between."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import resources

X = np.random.RandomState(4).randn(5, 3)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def names(variables=None):
    return [v.op.name for v in variables or tf.global_variables()]


def scale(x):
    return x * tf.get_variable("w", [], dtype=tf.float64)


def test_calls_of_a_template_share_its_variables():
    template, other = tf.make_template("t", scale), tf.make_template("t", scale)
    assert template.variables == [] and template.variable_scope_name is None
    a, b, c = template(X), template(2 * X), other(X)
    assert names() == ["t/w", "t_1/w"]
    assert (template.variable_scope_name, other.variable_scope.name) == ("t/", "t_1")
    assert names(template.trainable_variables) == ["t/w"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b, c = session.run([a, b, c])
    np.testing.assert_allclose(2 * a, b)
    assert not np.allclose(a, c)


def test_a_templates_scope_is_where_it_is_made_or_first_called():
    early = tf.make_template("t", scale, create_scope_now_=True)
    late = tf.make_template("t", scale)
    with tf.variable_scope("s"):
        late(X)
        early(X)
    assert names() == ["s/t/w", "t/w"]


def test_arguments_given_to_make_template():
    def add(x, name):
        return x + tf.get_variable(name, [], dtype=tf.float64)

    def doubled(getter, name, *args, **kwargs):
        return 2 * getter(name, *args, **kwargs)

    template = tf.make_template(
        "t", add, unique_name_="u", custom_getter_=doubled, name="v"
    )
    y = template(X)
    assert names() == ["u/v"]
    with tf.Session() as session:
        tf.global_variables()[0].load(3.0, session)
        np.testing.assert_allclose(session.run(y), X + 6)


def test_templates_tell_where_they_were_made():
    taken = tf.make_template("t", scale, unique_name_="t")
    tf.make_template("t", scale)(X)
    with pytest.raises(ValueError, match="t/w already exists(.|\n)*template_test.py"):
        taken(X)
    growing = tf.make_template("g", lambda x: tf.Variable(x))
    growing(1.0)
    with pytest.raises(ValueError, match="after the first made the trainable"):
        growing(1.0)
    fixed = tf.make_template("f", lambda x: tf.Variable(x, trainable=False))
    fixed(1.0)
    fixed(1.0)
    # The second is in the name scope of the second call.
    assert names()[-2:] == ["f/Variable", "f_1/Variable"]
    assert names(fixed.non_trainable_variables) == ["f/Variable"]
    assert fixed.trainable_variables == []
    with pytest.raises(ValueError, match="name cannot be None"):
        tf.make_template(None, scale)


def block(x):
    hidden = tf.layers.dense(tf.sin(x), 4, tf.tanh)
    return tf.layers.dense(hidden, 2), tf.reduce_sum(x * x)


def test_recomputed_gradients_are_those_of_the_function():
    x = tf.constant(X)
    plain = block(x)
    found = tf.global_variables()
    again = tf.recompute_grad(block)
    with tf.variable_scope("again"):
        recomputed = again(x)
    copies = tf.global_variables()[len(found) :]
    assert names(copies) == ["again/" + n for n in names(found)]

    def gradients(outputs, variables):
        loss = tf.reduce_sum(outputs[0] ** 3) + 2 * outputs[1]
        return tf.gradients(loss, [x, *variables])

    got, want = gradients(recomputed, copies), gradients(plain, found)
    assert len(tf.global_variables()) == 8, "no variable is made again"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for mine, theirs in zip(copies, found, strict=True):
            mine.load(session.run(theirs), session)
        got, want, y, z = session.run([got, want, recomputed, plain])
    for g, w in zip([*got, *y], [*want, *z], strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-9)


def test_the_function_runs_again_when_its_gradient_is_due():
    order = []

    def note(tag, value):
        def run(v):
            order.append(tag)
            return v

        return tf.py_func(run, [value], tf.float64)

    def f(x):
        return x * tf.stop_gradient(note("f", x))

    x = tf.constant(X)
    y = tf.recompute_grad(f)(x)
    (gradient,) = tf.gradients(y, x, note("upstream", tf.identity(y) * 0 + 1))
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(gradient), X)
        assert order == ["f", "upstream", "f"]
        order.clear()
        np.testing.assert_allclose(session.run(y), X * X)
        assert order == ["f"]


def test_creators_stand_between():
    seen = []

    def outer(next_creator, **arguments):
        seen.append(("outer", arguments["name"], arguments["trainable"]))
        return next_creator(**arguments)

    def inner(next_creator, **arguments):
        seen.append(("inner", arguments["name"], arguments["trainable"]))
        return next_creator(**{**arguments, "trainable": False})

    with tf.variable_creator_scope(outer):
        with tf.variable_creator_scope(inner):
            a = tf.Variable(1.0, None, name="a")
        b = tf.get_variable("b", [2])
    c = tf.Variable(3.0, name="c")
    assert seen == [
        ("inner", "a", None),
        ("outer", "a", False),
        ("outer", "b", True),
    ]
    assert tf.trainable_variables() == [b, c]
    assert isinstance(a, tf.Variable) and a in tf.global_variables()
    with tf.Graph().as_default(), tf.variable_creator_scope(lambda _, **k: k["name"]):
        assert tf.Variable(1.0, name="d") == "d"


def test_resources_are_made_and_reported():
    made = tf.Variable([False, False])
    for i, shared in enumerate([True, False]):
        handle = tf.constant(i, name=f"handle_{i}")
        create = tf.scatter_update(made, [i], [True]).op
        resources.register_resource(handle, create, made[i], is_shared=shared)
    assert len(resources.shared_resources()) == len(resources.local_resources()) == 1
    missing = resources.report_uninitialized_resources()
    start = resources.initialize_resources(resources.shared_resources())
    with tf.Session() as session:
        session.run(made.initializer)
        assert session.run(missing).tolist() == [b"handle_0:0", b"handle_1:0"]
        session.run(start)
        assert session.run(missing).tolist() == [b"handle_1:0"]
        session.run(resources.initialize_resources([]))
    assert resources.report_uninitialized_resources([]).shape.as_list() == [0]
