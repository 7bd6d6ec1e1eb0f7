# SPDX-License-Identifier: Apache-2.0
"""Questions about eager execution, and their answer."""

import pytest

import tensorwright as tf
from tensorwright.python import tf2
from tensorwright.python.eager import context
from tensorwright.python.framework import ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_nothing_runs_eagerly():
    assert not context.executing_eagerly() and not context.in_eager_mode()
    assert context.in_graph_mode()
    assert not context.context().executing_eagerly()
    assert not tf2.enabled()
    tf2.disable()
    assert not tf2.enabled()
    with context.graph_mode():
        assert isinstance(tf.constant(1), tf.Tensor)
        assert tf.constant(1).op.graph is tf.get_default_graph()


def test_what_only_eager_execution_has_is_missing():
    assert not hasattr(context, "eager_mode")
    assert not hasattr(context, "EagerTensor")
    assert not hasattr(tf2, "enable")


def test_devices_and_the_seed_are_told():
    assert context.num_gpus() == 0
    assert context.list_devices() == ["/device:CPU:0"]
    assert context.shared_name("table") == "table" and context.shared_name() is None
    assert context.global_seed() is None
    tf.set_random_seed(7)
    assert context.global_seed() == 7


def test_no_tensor_is_eager():
    assert not isinstance(tf.constant(1), ops.EagerTensor)
    assert issubclass(ops.EagerTensor, tf.Tensor)
    with pytest.raises(TypeError, match="EagerTensor"):
        ops.EagerTensor(1)
    assert not ops.executing_eagerly_outside_functions()
    assert ops.uid() < ops.uid()
