# SPDX-License-Identifier: Apache-2.0
"""tf.config: sessions that are given no config take what was set."""

import pytest

import tensorwright as tf
from tensorwright.core.protobuf import config_pb2
from tensorwright.python.framework import config

pytestmark = pytest.mark.usefixtures("fresh_graph")

CPU = config.PhysicalDevice("/physical_device:CPU:0", "CPU")


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch):
    monkeypatch.setattr(config, "_settings", config._Settings())


def test_the_processor_is_the_one_device():
    assert tf.config.list_physical_devices() == [CPU]
    assert tf.config.list_physical_devices("GPU") == []
    assert tf.config.experimental.list_physical_devices("CPU") == [CPU]
    assert tf.config.get_visible_devices() == [CPU]
    assert tf.config.experimental.get_device_details(CPU) == {}
    assert tf.config.get_logical_device_configuration(CPU) is None
    logical = tf.config.LogicalDevice("/device:CPU:0", "CPU")
    assert tf.config.list_logical_devices() == [logical]


def test_sessions_without_a_config_have_the_logical_devices():
    part = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(CPU, [part] * 3)
    with tf.device("/cpu:2"):
        x = tf.constant(2.0) * tf.constant(3.0)
    with tf.Session() as sess:
        assert len(sess.list_devices()) == 3
        assert sess.run(x) == 6.0
    # A config of its own is all that a session looks at.
    with tf.Session(config=tf.ConfigProto()) as sess:
        assert len(sess.list_devices()) == 1
    assert len(tf.config.list_logical_devices()) == 3
    with pytest.raises(RuntimeError, match="Virtual devices cannot be modified"):
        tf.config.set_logical_device_configuration(CPU, [part])


def test_soft_placement_lets_operations_run_elsewhere():
    with tf.device("/gpu:0"):
        x = tf.constant(2.0) + 1.0
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(x)
    tf.config.set_soft_device_placement(True)
    assert tf.config.get_soft_device_placement()
    with tf.Session() as sess:
        assert sess.run(x) == 3.0


def test_threads_and_rewriting_are_fields_of_the_config():
    assert config.session_config() is None
    tf.config.threading.set_intra_op_parallelism_threads(2)
    tf.config.threading.set_inter_op_parallelism_threads(3)
    tf.config.optimizer.set_jit(True)
    options = {"constant_folding": False, "remapping": True, "no_such_name": True}
    tf.config.optimizer.set_experimental_options(options)
    found = tf.config.optimizer.get_experimental_options()
    assert found["constant_folding"] is False and found["remapping"] is True
    assert "no_such_name" not in found and found["disable_meta_optimizer"] is False
    assert tf.config.optimizer.get_jit() == "autoclustering"
    assert tf.config.threading.get_intra_op_parallelism_threads() == 2
    assert tf.config.threading.get_inter_op_parallelism_threads() == 3
    made = config.session_config()
    assert made.intra_op_parallelism_threads == 2
    assert made.inter_op_parallelism_threads == 3
    level = made.graph_options.optimizer_options.global_jit_level
    assert level == config_pb2.OptimizerOptions.ON_1
    rewrites = made.graph_options.rewrite_options
    assert (rewrites.constant_folding, rewrites.remapping) == (2, 1)
    with tf.Session() as sess:
        assert sess.run(tf.constant(1) + 1) == 2


def test_what_decides_about_devices_is_fixed_once_they_are_listed():
    tf.config.list_logical_devices()
    with pytest.raises(RuntimeError, match="Intra op parallelism cannot be modified"):
        tf.config.threading.set_intra_op_parallelism_threads(3)
    with pytest.raises(RuntimeError, match="Visible devices cannot be modified"):
        tf.config.set_visible_devices([], "CPU")
    # Setting the same again is no change.
    tf.config.set_visible_devices(CPU)
    tf.config.set_visible_devices([], "GPU")
    tf.config.threading.set_inter_op_parallelism_threads(0)


def test_wrong_devices_are_refused():
    with pytest.raises(ValueError, match="Unrecognized device: 'x'"):
        tf.config.set_visible_devices(["x"])
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.set_visible_devices([CPU], "GPU")
    with pytest.raises(ValueError, match="non-GPU"):
        tf.config.experimental.set_memory_growth(CPU, True)
    with pytest.raises(KeyError):
        tf.config.experimental.get_memory_growth(CPU)
    with pytest.raises(ValueError, match="memory limit on CPU"):
        tf.config.set_logical_device_configuration(
            CPU, [tf.config.LogicalDeviceConfiguration(memory_limit=3)]
        )
