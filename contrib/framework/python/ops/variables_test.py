# SPDX-License-Identifier: Apache-2.0
"""Variables of models: collections, devices, finding, assigning, checkpoints."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

framework = tf.contrib.framework


def names(variables):
    return [v.op.name for v in variables]


def make():
    with tf.variable_scope("a"):
        w = framework.model_variable("weights", [2, 3])
        b = framework.model_variable("biases", [3], trainable=False)
    with tf.variable_scope("ab"):
        other = framework.variable("weights", [4])
    local = framework.local_variable(7, name="local")
    return w, b, other, local


def test_collections():
    w, b, other, local = make()
    assert framework.get_variables() == [w, b, other]
    assert framework.get_model_variables() == [w, b]
    assert framework.get_local_variables() == [local]
    assert framework.get_trainable_variables() == [w, other]
    framework.add_model_variable(other)
    framework.add_model_variable(other)
    assert framework.get_model_variables() == [w, b, other]


def test_variables_are_found_by_scope_suffix_and_name():
    w, b, other, _ = make()
    assert framework.get_variables("a/") == [w, b]
    assert framework.get_variables("a") == [w, b, other]
    with tf.variable_scope("ab") as scope:
        assert framework.get_variables(scope) == [other]
    assert framework.get_variables_by_suffix("weights") == [w, other]
    assert framework.get_variables_by_name("weights") == [w, other]
    assert framework.get_variables_by_name("eights") == []
    assert framework.get_variables_to_restore(["a"], ["ab"]) == [w, b]
    assert framework.get_unique_variable("a/weights") is w
    assert framework.get_variable_full_name(w) == "a/weights"
    every = framework.get_variables()
    assert framework.filter_variables(every, ["weights"], ["^ab"]) == [w]
    assert framework.filter_variables(every, ["weights"], reg_search=False) == []
    for wrong in ("a", "c/weights"):
        with pytest.raises(ValueError):
            framework.get_unique_variable(wrong)
    with pytest.raises(TypeError, match="include"):
        framework.get_variables_to_restore("a")


def test_arguments_come_from_scopes_and_devices_from_choosers():
    chooser = framework.VariableDeviceChooser(num_tasks=2)
    with framework.arg_scope([framework.variable], device=chooser, trainable=False):
        a, b, c = (framework.variable(n, []) for n in "abc")
        d = framework.model_variable("d", [], device="/cpu:0")
    assert [v.device for v in (a, b, c)] == [
        f"/job:ps/task:{i}/device:CPU:0" for i in (0, 1, 0)
    ]
    assert not any(v.device.startswith("/job") for v in [d])
    assert not tf.trainable_variables() or tf.trainable_variables() == [d]


def test_regularizers_make_losses():
    framework.model_variable(
        "w", [2], regularizer=tf.contrib.layers.l2_regularizer(0.5)
    )
    assert len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)) == 1


def test_zero_initializer_fills_once():
    v = tf.get_variable("v", [2, 3])
    fill = framework.zero_initializer(v)
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(fill), np.zeros([2, 3]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="already initialized"):
            session.run(fill)


def test_global_step():
    assert framework.get_global_step() is None
    step = framework.get_or_create_global_step()
    assert framework.get_or_create_global_step() is step
    assert framework.assert_or_get_global_step() is step
    assert framework.assert_or_get_global_step(global_step_tensor=step) is step
    with pytest.raises(ValueError):
        framework.create_global_step()
    with pytest.raises(TypeError):
        framework.assert_global_step(tf.constant(1.5))
    with pytest.raises(TypeError, match="must be a Variable or Tensor: 1"):
        framework.assert_global_step(1)


def test_values_are_assigned_by_name():
    make()
    value = np.arange(6.0).reshape(2, 3)
    op, feeds = framework.assign_from_values({"a/weights": value})
    assign = framework.assign_from_values_fn({"a/biases": [1.0, 2.0, 3.0]})
    with tf.Session() as session:
        session.run(op, feeds)
        assign(session)
        np.testing.assert_array_equal(session.run("a/weights:0"), value)
        np.testing.assert_array_equal(session.run("a/biases:0"), [1, 2, 3])
    with pytest.raises(ValueError, match="shape"):
        framework.assign_from_values({"a/weights": np.zeros(3)})


@pytest.fixture
def checkpoint(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("v0", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0]]))
        tf.get_variable("v1", initializer=tf.constant(5.0))
        session.run(tf.global_variables_initializer())
        return tf.train.Saver().save(session, str(tmp_path / "model"))


def test_checkpoints_are_looked_into(checkpoint, tmp_path):
    assert framework.list_variables(str(tmp_path)) == [("v0", [2, 2]), ("v1", [])]
    assert framework.load_variable(checkpoint, "v1") == 5.0
    assert framework.load_checkpoint(checkpoint).has_tensor("v0")


def test_checkpoints_are_assigned(checkpoint):
    v0 = tf.get_variable("v0", [2, 2])
    mine = tf.get_variable("mine", [])
    parts = tf.get_variable(
        "cut", [2, 2], partitioner=tf.fixed_size_partitioner(2, axis=0)
    )
    op, feeds = framework.assign_from_checkpoint(checkpoint, {"v0": v0, "v1": mine})
    cut, cut_feeds = framework.assign_from_checkpoint(checkpoint, {"v0": list(parts)})
    with tf.Session() as session:
        session.run(op, feeds)
        session.run(cut, cut_feeds)
        assert session.run(v0).tolist() == [[1, 2], [3, 4]]
        assert session.run(mine) == 5
        assert session.run(parts.as_tensor()).tolist() == [[1, 2], [3, 4]]


def test_what_checkpoints_lack(checkpoint):
    v0 = tf.get_variable("v0", [2, 2])
    lost = tf.get_variable("lost", [])
    with pytest.raises(ValueError, match="missing variable"):
        framework.assign_from_checkpoint(checkpoint, [v0, lost])
    restore = framework.assign_from_checkpoint_fn(
        checkpoint, [v0, lost], ignore_missing_vars=True
    )
    with tf.Session() as session:
        session.run(lost.initializer)
        restore(session)
        assert session.run(v0).tolist() == [[1, 2], [3, 4]]
    only = framework.assign_from_checkpoint_fn(checkpoint, [lost], True)
    assert only is None
    with pytest.raises(ValueError, match="empty"):
        framework.assign_from_checkpoint_fn(checkpoint, [])
    wrong = tf.get_variable("wrong", [3])
    with pytest.raises(ValueError, match="shape"):
        framework.assign_from_checkpoint(checkpoint, {"v0": wrong})


def test_values_of_another_shape_and_equal_size(checkpoint):
    flat = tf.get_variable("flat", [4])
    restore = framework.assign_from_checkpoint_fn(
        checkpoint, {"v0": flat}, reshape_variables=True
    )
    with tf.Session() as session:
        restore(session)
        assert session.run(flat).tolist() == [1, 2, 3, 4]


def test_matrices_follow_their_vocabularies(checkpoint, tmp_path):
    (tmp_path / "old").write_text("a\nb\n")
    (tmp_path / "new").write_text("b\nc\na\n")
    old, new = str(tmp_path / "old"), str(tmp_path / "new")
    loaders = [
        framework.load_and_remap_matrix_initializer(
            checkpoint, "v0", 3, 2, old_row_vocab_file=old, new_row_vocab_file=new
        ),
        framework.load_embedding_initializer(
            checkpoint, "v0", 3, 2, old, new, initializer=tf.zeros_initializer()
        ),
        framework.load_variable_slot_initializer(
            checkpoint, "v0", None, 3, 2, old_row_vocab_file=old, new_row_vocab_file=new
        ),
    ]
    found = [
        tf.get_variable(f"m{i}", [3, 2], initializer=f) for i, f in enumerate(loaders)
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in session.run(found):
            assert value.tolist() == [[3, 4], [0, 0], [1, 2]]


def test_biases_follow_their_classes(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("bias", initializer=tf.constant([[1.0], [2.0]]))
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    (tmp_path / "old").write_text("a\nb\n")
    (tmp_path / "new").write_text("b\nc\na\n")
    load = framework.load_linear_multiclass_bias_initializer(
        path, "bias", 3, str(tmp_path / "old"), str(tmp_path / "new"), 1
    )
    bias = tf.get_variable("new_bias", [4, 1], initializer=load)
    with tf.Session() as session:
        session.run(bias.initializer)
        assert session.run(bias).tolist() == [[2], [0], [1], [0]]
