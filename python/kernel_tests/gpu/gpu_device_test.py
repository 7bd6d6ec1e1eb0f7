# SPDX-License-Identifier: Apache-2.0
"""GPU devices as programs see them: each test is a program of its own, with a stand-in that its environment describes."""

import os
import pathlib
import subprocess
import sys

import tensorwright as tf

# The folder of the package, where Bazel puts the library.
ROOT = pathlib.Path(tf.__file__).parent
BEGIN = """
import numpy as np
import tensorwright as tf
from tensorwright.python.client import device_lib

x = tf.placeholder(tf.float32, [None])
feed = {x: np.arange(6, dtype=np.float32)}
"""


def run(program: str, **environment: str) -> subprocess.CompletedProcess:
    library = ROOT / "libtensorwright_gpu_stand_in.so"
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TW_GPU": "stand-in",
        "TW_GPU_LIBRARY": str(library),
        **environment,
    }
    return subprocess.run(
        [sys.executable, "-c", BEGIN + program],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def check(program: str, **environment: str) -> str:
    done = run(program, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_chain_runs_on_the_gpu_and_is_fetched():
    shown = check("""
with tf.device("/gpu:0"):
    y = tf.sqrt(tf.square(x) + x) * 2.0
with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
    got = session.run(y, feed)
v = feed[x]
np.testing.assert_allclose(got, np.sqrt(v * v + v) * 2, rtol=1e-6)
""")
    assert "Sqrt: (Sqrt): /job:localhost/replica:0/task:0/device:GPU:0" in shown


def test_devices_are_listed_and_found():
    check(
        """
found = [d for d in device_lib.list_local_devices() if d.device_type == "GPU"]
assert [d.name.split("/")[-1] for d in found] == ["device:GPU:0", "device:GPU:1"]
assert "name: stand-in" in found[1].physical_device_desc
assert tf.test.is_gpu_available()
assert tf.test.gpu_device_name().endswith("device:GPU:0")
""",
        TW_GPU_STAND_IN_DEVICES="2",
    )


def test_values_go_from_gpu_to_gpu():
    check(
        """
with tf.device("/gpu:0"):
    y = x + x
with tf.device("/gpu:1"):
    z = tf.negative(y)
with tf.Session() as session:
    np.testing.assert_array_equal(session.run(z, feed), -2 * feed[x])
""",
        TW_GPU_STAND_IN_DEVICES="2",
    )


def test_without_a_gpu_soft_placement_uses_the_cpu():
    check(
        """
with tf.device("/gpu:0"):
    y = tf.square(x)
assert not tf.test.is_gpu_available()
with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
    np.testing.assert_array_equal(session.run(y, feed), feed[x] ** 2)
try:
    tf.Session().run(y, feed)
except tf.errors.InvalidArgumentError as error:
    assert "GPU" in str(error), error
else:
    raise AssertionError("ran without a GPU")
""",
        TW_GPU="off",
    )


def test_a_broken_device_names_its_op_if_each_is_waited_for():
    check(
        """
with tf.device("/gpu:0"):
    y = tf.square(x)
try:
    tf.Session().run(y, feed)
except tf.errors.InternalError as error:
    assert "TW_GPU_FAULTS" in str(error) and "Square" in str(error), error
else:
    raise AssertionError("ran on a broken device")
""",
        TW_GPU_FAULTS="sticky:1",
        TW_GPU_BLOCKING="1",
    )


def test_a_broken_device_fails_runs_and_the_program_goes_on():
    # The kernel fails later than it was started, so the last op that was started may be the Send behind it.
    check(
        """
with tf.device("/gpu:0"):
    y = tf.square(x)
with tf.device("/cpu:0"):
    z = tf.square(x)
session = tf.Session()
texts = []
for _ in range(2):
    try:
        session.run(y, feed)
    except tf.errors.InternalError as error:
        texts.append(str(error))
assert len(texts) == 2, texts
assert "TW_GPU_FAULTS" in texts[0] and "the last op that was started" in texts[0], texts
assert "started anew" in texts[1], texts
np.testing.assert_array_equal(session.run(z, feed), feed[x] ** 2)
""",
        TW_GPU_FAULTS="sticky:1",
    )


def test_lack_of_memory_says_what_uses_it():
    check(
        """
n = tf.placeholder(tf.float32, [None])
with tf.device("/gpu:0"):
    y = tf.square(n) + tf.sqrt(n)
with tf.Session() as session:
    try:
        session.run(y, {n: np.ones(4 << 20, np.float32)})
    except tf.errors.ResourceExhaustedError as error:
        assert "GPU_0_bfc" in str(error) and "In use: " in str(error), error
        assert "16.00 MiB for " in str(error), error
    else:
        raise AssertionError("three tensors of 16 MiB fitted in what is left of 80 MiB")
    session.run(y, {n: np.ones(4, np.float32)})
""",
        TW_GPU_STAND_IN_MEMORY="80",
    )


def test_a_library_that_is_not_there_is_named():
    done = run("tf.Session()", TW_GPU_LIBRARY="/nowhere/x.so")
    assert "NotFoundError" in done.stderr and "/nowhere/x.so" in done.stderr
    done = run("tf.Session()", TW_GPU="on")
    assert "InvalidArgumentError" in done.stderr and "TW_GPU=on" in done.stderr
