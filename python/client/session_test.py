# SPDX-License-Identifier: Apache-2.0
"""Session: fetches, feeds, dtypes, callables, threads, interruption."""

import collections
import os
import subprocess
import sys
import threading
import unittest

import numpy as np

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.client import session
from tensorwright.python.framework import constant_op, dtypes, ops, sparse_tensor
from tensorwright.python.framework.op_def_library import apply_op


def _placeholder(dtype=dtypes.float32, shape=None, name=None):
    attrs = {"dtype": dtype}
    if shape is not None:
        attrs["shape"] = shape
    return apply_op("Placeholder", name, (), attrs).outputs[0]


def _op(op_type, *inputs, name=None, **attrs):
    return apply_op(op_type, name, inputs, attrs).outputs[0]


class SessionTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()

    def test_a_defaultdict_keeps_what_it_makes_of_a_missing_key(self):
        fetches = collections.defaultdict(list)
        fetches["a"], fetches["b"] = constant_op.constant(1), constant_op.constant(2)
        with session.Session() as sess:
            got = sess.run(fetches)
        self.assertIsInstance(got, collections.defaultdict)
        self.assertEqual(got, {"a": 1, "b": 2})
        self.assertEqual(got["c"], [])

    def test_fetches_of_any_nesting_keep_their_structure(self):
        a, b = constant_op.constant(1), constant_op.constant([2.0, 3.0])
        pair = collections.namedtuple("pair", ["x", "y"])
        ordered = collections.OrderedDict([("q", a), ("p", b)])
        with session.Session() as sess:
            self.assertEqual(sess.run(a), 1)
            self.assertIsInstance(sess.run(a), np.int32)
            self.assertIsNone(sess.run(a.op))
            self.assertEqual(sess.run("Const:0"), 1)
            self.assertEqual(sess.run([]), [])
            self.assertEqual(sess.run([a, a.op, [a]]), [1, None, [1]])
            self.assertEqual(sess.run((a, a)), (1, 1))
            self.assertEqual(sess.run({"k": {"l": [a]}}), {"k": {"l": [1]}})
            got = sess.run(pair(a, {"z": b}))
            self.assertIsInstance(got, pair)
            np.testing.assert_array_equal(got.y["z"], [2.0, 3.0])
            got = sess.run(ordered)
            self.assertIsInstance(got, collections.OrderedDict)
            self.assertEqual(list(got), ["q", "p"])

    def test_repeated_runs_give_what_the_first_gave(self):
        x = _placeholder()
        y = _op("Add", x, 1.0)
        with session.Session() as sess:
            for i in range(5):
                self.assertEqual(sess.run(y, {x: float(i)}), i + 1)
                self.assertEqual(sess.run([y, x], {x: i}), [i + 1, i])
                self.assertEqual(
                    sess.run((y, y.op), {"Placeholder:0": i}), (i + 1, None)
                )

    def test_the_graph_may_grow_between_runs(self):
        x = constant_op.constant(1.0)
        with session.Session() as sess:
            for i in range(5):
                x = _op("Add", x, 1.0)
                self.assertEqual(sess.run(x), i + 2)

    def test_a_fetched_array_belongs_to_the_caller(self):
        c = constant_op.constant(np.zeros(1000, np.float32))
        y = _op("Neg", c)
        with session.Session() as sess:
            for t in (c, y):
                first = sess.run(t)
                first[:] = 7
                np.testing.assert_array_equal(sess.run(t), np.zeros(1000))

    def test_feeds_of_every_form(self):
        x = _placeholder()
        y = _op("Identity", x)
        big = np.arange(10000, dtype=np.float32)
        with session.Session() as sess:
            for value in (
                1, 1.5, True, np.float64(2), np.int8(3), [1, 2], [[1.0], [2.0]], (1, 2.5),
                np.arange(3), big, big[::2], big.reshape(100, 100).T, np.float32([]),
                np.zeros([0, 3]), np.array([1, 2], ">f4"), range(3),
            ):  # fmt: skip
                with self.subTest(value=type(value)):
                    got = sess.run(y, {x: value})
                    np.testing.assert_array_equal(got, np.asarray(value, np.float32))
                    self.assertEqual(got.dtype, np.float32)

    def test_every_dtype_goes_in_and_out(self):
        with session.Session(graph=ops.get_default_graph()) as sess:
            for dtype in (
                dtypes.float16, dtypes.bfloat16, dtypes.float64, dtypes.int8,
                dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8, dtypes.uint16,
                dtypes.bool, dtypes.complex64, dtypes.complex128,
            ):  # fmt: skip
                with self.subTest(dtype=dtype):
                    x = _placeholder(dtype)
                    value = np.array([[1, 0], [1, 1]]).astype(dtype.as_numpy_dtype)
                    got = sess.run(_op("Identity", x), {x: value})
                    self.assertEqual(got.dtype, value.dtype)
                    np.testing.assert_array_equal(
                        got.astype(np.complex128), value.astype(np.complex128)
                    )

    def test_strings_go_in_as_text_or_bytes_and_come_out_as_bytes(self):
        x = _placeholder(dtypes.string)
        y = _op("Identity", x)
        with session.Session() as sess:
            self.assertEqual(sess.run(y, {x: "ü"}), "ü".encode())
            self.assertEqual(sess.run(y, {x: b"a\0b\0"}), b"a\0b\0")
            got = sess.run(y, {x: [["a", b"b"], ["", "d" * 1000]]})
            self.assertEqual(got.tolist(), [[b"a", b"b"], [b"", b"d" * 1000]])
            got = sess.run(y, {x: np.array(["xy", "z"])})
            self.assertEqual(got.tolist(), [b"xy", b"z"])
            with self.assertRaises(TypeError):
                sess.run(y, {x: [1, 2]})

    def test_feeding_cuts_off_what_made_the_tensor(self):
        x = _placeholder()
        y = _op("Neg", x)
        z = _op("Neg", y)
        with session.Session() as sess:
            self.assertEqual(sess.run(z, {y: 3.0}), -3.0)
            self.assertEqual(sess.run(y, {y: 3.0}), 3.0)

    def test_sparse_tensors_and_slices(self):
        sparse = sparse_tensor.SparseTensor([[0, 1]], [5.0], [2, 2])
        slices = ops.IndexedSlices(sparse.values, sparse.indices)
        with session.Session() as sess:
            got = sess.run(sparse)
            np.testing.assert_array_equal(got.indices, [[0, 1]])
            np.testing.assert_array_equal(got.dense_shape, [2, 2])
            self.assertIsNone(sess.run([slices])[0].dense_shape)
            fed = sparse_tensor.SparseTensorValue([[1, 1]], [6.0], [3, 3])
            got = sess.run(sparse, {sparse: fed})
            np.testing.assert_array_equal(got.values, [6.0])

    def test_callables(self):
        x, y = _placeholder(), _placeholder()
        with session.Session() as sess:
            add = sess.make_callable(_op("Add", x, y), [x, y])
            self.assertEqual(add(1, 2), 3)
            with self.assertRaises(TypeError):
                add(1)
            nested = sess.make_callable({"a": [x]}, [x], accept_options=True)
            self.assertEqual(nested(4, options=None, run_metadata=None), {"a": [4]})
            with self.assertRaisesRegex(TypeError, "run_metadata must be a tf.RunMeta"):
                nested(4, run_metadata=3)
            with self.assertRaisesRegex(TypeError, "feed_list must be a list, a t"):
                sess.make_callable(y, x)

    def test_protos_of_a_run_are_of_their_class(self):
        y = _op("Neg", _placeholder(name="x"))
        with session.Session() as sess:
            with self.assertRaisesRegex(TypeError, "run_metadata must be a tf.RunMeta"):
                sess.run(y, {"x:0": 1.0}, run_metadata=3)
            with self.assertRaisesRegex(TypeError, "options must be a tf.RunOptions"):
                sess.run(y, {"x:0": 1.0}, options=config_pb2.RunMetadata())

    def test_default_sessions(self):
        c = constant_op.constant(3)
        with self.assertRaisesRegex(ValueError, "No default session"):
            c.eval()
        with session.Session():
            self.assertEqual(c.eval(), 3)
            c.op.run()
        sess = session.InteractiveSession()
        self.assertEqual(c.eval(), 3)
        sess.close()
        self.assertIsNone(ops.get_default_session())

    def test_metadata_has_time_and_device_of_every_node(self):
        y = _op("Neg", _op("Exp", _placeholder(name="x"), name="a"), name="y")
        options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE)
        metadata = config_pb2.RunMetadata()
        with session.Session() as sess:
            sess.run(y, {"x:0": 1.0}, options=options, run_metadata=metadata)
        names = {
            node.node_name
            for device in metadata.step_stats.dev_stats
            for node in device.node_stats
        }
        self.assertLessEqual({"a", "y"}, names)
        self.assertIn("CPU:0", metadata.step_stats.dev_stats[0].device)

    def test_many_threads_run_at_once(self):
        x = _placeholder()
        y = _op("Mul", x, x)
        wrong = []
        with session.Session() as sess:

            def work(n):
                for i in range(200):
                    if (
                        sess.run(y, {x: np.full([500], n + i, np.float32)})[-1]
                        != (n + i) ** 2
                    ):
                        wrong.append((n, i))

            threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
            for t in threads:
                t.start()
            for t in threads:
                t.join()
        self.assertEqual(wrong, [])

    def test_several_cpu_devices(self):
        config = config_pb2.ConfigProto(device_count={"CPU": 2})
        with session.Session(config=config) as sess:
            names = [d.name for d in sess.list_devices()]
            self.assertEqual(len([n for n in names if "CPU" in n]), 2)
            with ops.device("/cpu:1"):
                a = constant_op.constant(2.0)
            self.assertEqual(sess.run(_op("Neg", a)), -2.0)


_ENDLESS = """
import os, signal, threading, time
from tensorwright.core.protobuf import config_pb2
from tensorwright.python.framework import constant_op
from tensorwright.python.client import session
from tensorwright.python.ops import array_ops, control_flow_ops

signal.signal(signal.SIGINT, signal.default_int_handler)
first = array_ops.placeholder_with_default(0, [])
loop = control_flow_ops.while_loop(lambda i: i >= 0, lambda i: i * 1, [first])
one = constant_op.constant(1)
sess = session.Session(config=config_pb2.ConfigProto({config}))
assert sess.run(one) == 1
start = time.monotonic()
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", 0.4 < time.monotonic() - start < 60, sess.run(one))
"""
_IN_PIECES = (
    "sess.partial_run(sess.partial_run_setup([loop], [first]), loop, {first: 1})"
)


class InterruptTest(unittest.TestCase):
    def test_ctrl_c_ends_the_run_and_leaves_the_session_usable(self):
        self._interrupt("sess.run(loop)")

    def test_ctrl_c_ends_a_partial_run(self):
        # The loop runs in this thread or in one of the pool.
        for _ in range(3):
            self._interrupt(_IN_PIECES)
        self._interrupt(_IN_PIECES, "inter_op_parallelism_threads=1")

    def _interrupt(self, call, config=""):
        program = _ENDLESS.replace("{call}", call).replace("{config}", config)
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            timeout=120,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        self.assertEqual(done.stdout.strip(), "interrupted True 1", done.stderr)


if __name__ == "__main__":
    unittest.main()
