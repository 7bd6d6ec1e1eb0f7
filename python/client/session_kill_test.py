# SPDX-License-Identifier: Apache-2.0
"""Runs that are killed, by timeout, cancellation or an error, leave nothing behind."""

import os
import threading
import time
import unittest

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.client import session
from tensorwright.python.framework import constant_op, dtypes, errors, ops
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    nn_ops,
    script_ops,
    tensor_array_ops,
)

_PAGE = os.sysconf("SC_PAGE_SIZE")


def _resident_bytes() -> int:
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * _PAGE


def _threads() -> int:
    return len(os.listdir("/proc/self/task"))


class SessionKillTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()
        self.x = array_ops.placeholder(dtypes.float32, [None, 256])
        # An endless loop over matrices of a quarter of a megabyte each, with a
        # TensorArray that lives in the step's container.
        array = tensor_array_ops.TensorArray(dtypes.float32, 1, dynamic_size=True)
        self.endless = control_flow_ops.while_loop(
            lambda i, m, a: i >= 0,
            lambda i, m, a: (i * 1, math_ops.tanh(m), a.write(0, m[0])),
            [0, self.x, array],
            shape_invariants=None,
        )[1]
        self.good = math_ops.reduce_sum(nn_ops.relu(self.x))
        self.value = [[1.0] * 256] * 256

    def _kill_often(self, config, kill, times=1000):
        """`kill(sess)` makes and ends one run that would not end by itself."""
        with session.Session(config=config) as sess:

            def still_works():
                self.assertEqual(sess.run(self.good, {self.x: self.value}), 65536)

            for _ in range(100):
                kill(sess)
            still_works()
            bytes_before, threads_before = _resident_bytes(), _threads()
            for i in range(times):
                kill(sess)
                if i % 100 == 0:
                    still_works()
            still_works()
            self.assertLessEqual(_threads(), threads_before)
            # One matrix a run would be 250 kB.
            self.assertLess(_resident_bytes() - bytes_before, times * 25e3)

    def test_by_timeout(self):
        options = config_pb2.RunOptions(timeout_in_ms=1)

        def kill(sess):
            with self.assertRaises(errors.DeadlineExceededError):
                sess.run(self.endless, {self.x: self.value}, options=options)

        for threads, times in ((1, 200), (2, 1000)):
            self._kill_often(
                config_pb2.ConfigProto(inter_op_parallelism_threads=threads),
                kill,
                times,
            )

    def test_by_an_error_beside_it(self):
        runs = []

        def fail():
            runs.append(1)
            raise ValueError("enough")

        failing = script_ops.py_func(fail, [], dtypes.float32)

        def kill(sess):
            with self.assertRaises(errors.InvalidArgumentError):
                sess.run([self.endless, failing], {self.x: self.value})

        self._kill_often(config_pb2.ConfigProto(inter_op_parallelism_threads=2), kill)
        self.assertEqual(len(runs), 1100)

    def test_pieces_that_are_never_fed_end_with_the_session(self):
        threads_before = _threads()
        with session.Session() as sess:
            handles = [
                sess.partial_run_setup([self.endless, self.good], [self.x])
                for _ in range(100)
            ]
            self.assertEqual(len(handles), 100)
        with session.Session() as sess:
            self.assertEqual(sess.run(constant_op.constant(1)), 1)
        self.assertLessEqual(_threads() - threads_before, 2 * (os.cpu_count() or 1))

    def test_by_closing_the_session_from_another_thread(self):
        for _ in range(50):
            sess = session.Session()
            ended = []

            def work():
                try:
                    sess.run(self.endless, {self.x: self.value})
                except errors.CancelledError:
                    ended.append("cancelled")

            workers = [threading.Thread(target=work) for _ in range(3)]
            for worker in workers:
                worker.start()
            time.sleep(0.005)
            sess.close()
            for worker in workers:
                worker.join(60)
                self.assertFalse(worker.is_alive())
            # One that came after close() has got a RuntimeError instead.
            self.assertLessEqual(len(ended), 3)

    def test_a_kernel_that_outlasts_the_timeout_fails_its_run(self):
        """Nothing can stop the kernel, but the run still fails, because it has taken too long."""
        slow = script_ops.py_func(lambda: time.sleep(0.2) or 1.0, [], dtypes.float64)
        options = config_pb2.RunOptions(timeout_in_ms=50)
        for fetch in (slow, slow + 1.0):
            with session.Session() as sess:
                with self.assertRaises(errors.DeadlineExceededError):
                    sess.run(fetch, options=options)
                self.assertEqual(sess.run(slow), 1.0)


if __name__ == "__main__":
    unittest.main()
