# SPDX-License-Identifier: Apache-2.0
"""tf.wrap_function: a graph-building function as one function, and parts of it by `prune`."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

SCALAR = tf.TensorSpec([], tf.float32)


def _model(x):
    v = tf.get_variable("v", initializer=2.0)
    y = tf.multiply(x, v, name="y")
    tf.add_to_collection("parts", y)
    return {"y": y, "z": tf.add(y, 1.0, name="z")}


def _run(fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches)


def test_a_model_with_variables_is_one_function():
    f = tf.wrap_function(_model, [SCALAR])
    out = f(tf.constant(3.0))
    assert out["y"].op is out["z"].op
    assert [v.name for v in f.variables] == ["v:0"]
    assert tf.global_variables() == list(f.variables)
    assert sorted(f.structured_outputs) == ["y", "z"]
    assert _run([out, f(4.0)["z"]]) == [{"y": 6, "z": 7}, 9]
    (by_v,) = tf.gradients(out["z"], list(f.variables))
    assert _run(by_v) == 3


def test_parts_of_it():
    f = tf.wrap_function(_model, [SCALAR])
    inner = f.graph.get_collection("parts")[0]
    only_y = f.prune(f.inputs[0], inner)
    last = f.prune("y:0", {"all": ["z:0"]})
    assert only_y.variables == f.variables
    got = _run([only_y(tf.constant(4.0)), last(tf.constant(10.0))])
    assert got == [8, {"all": [11]}]
    with pytest.raises(ValueError, match="need argument .*, which is not fed"):
        f.prune([], "z:0")
    with pytest.raises(KeyError, match="nothing"):
        f.prune("nothing:0", "z:0")


def test_all_effects_run():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)

    def build(x):
        v.assign_add(100.0)
        with tf.control_dependencies([v.assign_add(x, name="add")]):
            return tf.identity(x)

    f = tf.wrap_function(build, [SCALAR])
    add = next(
        op for op in f.graph.get_operations() if op.type == "AssignAddVariableOp"
    )
    only = f.prune([], add)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(f(tf.constant(2.0))) == 2
        assert session.run(v) == 103
        session.run(only())
        assert session.run(v) == 203


def test_structures_and_refusals():
    f = tf.wrap_function(
        lambda pair, scale: scale * (pair[0] + pair[1]), [(SCALAR, SCALAR), SCALAR]
    )
    np.testing.assert_allclose(_run(f((tf.constant(1.0), tf.constant(2.0)), 4.0)), 12)
    with pytest.raises(TypeError, match="must be callable"):
        tf.wrap_function(1, [])
    with pytest.raises(TypeError, match="must have TensorSpecs"):
        tf.wrap_function(lambda x: x, [tf.float32])
    with pytest.raises(TypeError, match="takes 3 tensors, got 1"):
        f(tf.constant(1.0))
