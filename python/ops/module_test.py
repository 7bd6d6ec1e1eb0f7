# SPDX-License-Identifier: Apache-2.0
"""Tests of tf.Module."""

import pytest

import tensorwright as tf


class MLPLayer2D(tf.Module):
    """Holds variables in attributes, lists and dicts."""

    def __init__(self, name=None):
        super().__init__(name=name)
        self.b = tf.Variable(1.0, name="b")
        self.z = [tf.Variable(2.0, name="z", trainable=False)]
        self.d = {
            "k2": tf.Variable(1.0, name="k2"),
            "k1": tf.Variable(2.0, name="k1"),
        }
        with self.name_scope:
            self.a = tf.Variable(3.0, name="a")

    @tf.Module.with_name_scope
    def __call__(self, x):
        """Adds."""
        return tf.add(x, self.a, name="out")


class Net(tf.Module):
    """Holds modules, one of them twice."""

    def __init__(self):
        super().__init__()
        self.l2 = MLPLayer2D("last")
        self.l1 = [MLPLayer2D(), self.l2]
        self.same = self.l2.a
        self.me = self


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def test_a_module_is_named_by_its_class_or_as_given():
    assert MLPLayer2D().name == "mlp_layer2_d" and tf.Module().name == "module"
    assert tf.Module("given").name == "given"
    for bad in ("a b", "1a", "", "a/b"):
        with pytest.raises(ValueError, match="not a valid module name"):
            tf.Module(bad)


def test_variables_are_found_once_in_the_order_of_names():
    layer = MLPLayer2D()
    names = ["mlp_layer2_d/a:0", "b:0", "k1:0", "k2:0", "z:0"]
    assert [v.name for v in layer.variables] == names
    assert [v.name for v in layer.trainable_variables] == names[:-1]
    assert [v.name for v in layer.non_trainable_variables] == names[-1:]
    assert isinstance(layer.variables, tuple)


def test_modules_in_modules():
    net = Net()
    assert net.submodules == (net.l1[0], net.l2)
    assert len(net.variables) == 10 and net.variables[0] is net.l2.a
    assert net.variables[1] is net.l1[0].a
    net.l2.up = net
    assert net.submodules == (net.l1[0], net.l2)


def test_a_scope_is_the_same_at_every_use():
    layer = MLPLayer2D()
    assert layer(1.0).name == "mlp_layer2_d/out:0"
    assert layer(1.0).name == "mlp_layer2_d/out_1:0"
    assert MLPLayer2D()(1.0).name == "mlp_layer2_d_1/out:0"
    with tf.name_scope("outer"):
        inner = MLPLayer2D("inner")
    assert inner(1.0).name == "outer/inner/out:0" and inner.name == "inner"
    assert MLPLayer2D.__call__.__doc__ == "Adds."


def test_a_module_without_init_has_no_scope():
    class Bare(tf.Module):
        def __init__(self):
            pass

    assert Bare().variables == ()
    with pytest.raises(AttributeError):
        Bare().name_scope  # noqa: B018


def test_ignored_attributes():
    class Picky(MLPLayer2D):
        _TF_MODULE_IGNORED_PROPERTIES = frozenset(("d", "z"))

    assert [v.name for v in Picky().variables] == ["picky/a:0", "b:0"]
