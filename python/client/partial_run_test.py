# SPDX-License-Identifier: Apache-2.0
"""Session.partial_run: a step that is fed and fetched in pieces."""

import resource
import threading
import time
import unittest

import numpy as np

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.client import session
from tensorwright.python.framework import (
    constant_op,
    dtypes,
    errors,
    ops,
    sparse_tensor,
)
from tensorwright.python.ops import (
    array_ops,
    control_flow_ops,
    math_ops,
    session_ops,
    state_ops,
    variables,
)


def _rss() -> int:
    """Bytes of memory that the process has."""
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * resource.getpagesize()


class PiecesTestCase(unittest.TestCase):
    """product = (a + b) * c."""

    def setUp(self):
        ops.reset_default_graph()
        self.a, self.b, self.c = (
            array_ops.placeholder(dtypes.float32, [], name=n) for n in "abc"
        )
        self.sum = math_ops.add(self.a, self.b, name="sum")
        self.product = math_ops.multiply(self.sum, self.c, name="product")
        self.sess = session.Session()
        self.addCleanup(self.sess.close)

    def _setup(self):
        return self.sess.partial_run_setup(
            [self.sum, self.product], [self.a, self.b, self.c]
        )


class PartialRunTest(PiecesTestCase):
    def test_feeds_and_fetches_in_pieces(self):
        handle = self._setup()
        first = self.sess.partial_run(handle, self.sum, {self.a: 1, self.b: 2})
        self.assertEqual(first, 3)
        self.assertEqual(
            self.sess.partial_run(handle, self.product, {self.c: first}), 9
        )

    def test_a_piece_may_only_feed_or_only_fetch(self):
        handle = self._setup()
        self.assertEqual(self.sess.partial_run(handle, [], {self.a: 1}), [])
        self.sess.partial_run(handle, [], {"b:0": 2, self.c: 3})
        self.assertEqual(
            self.sess.partial_run(handle, {"s": self.sum, "p": "product:0"}),
            {"s": 3, "p": 9},
        )

    def test_nodes_run_once_and_effects_stay_in_the_step(self):
        count = variables.Variable(0.0)
        self.sess.run(count.initializer)
        step = state_ops.assign_add(count, self.a)
        with ops.control_dependencies([step]):
            later = array_ops.identity(self.c)
        handle = self.sess.partial_run_setup([step, later], [self.a, self.c])
        self.assertEqual(self.sess.partial_run(handle, step, {self.a: 5}), 5)
        self.assertEqual(self.sess.partial_run(handle, later, {self.c: 7}), 7)
        self.assertEqual(self.sess.run(count), 5)

    def test_operations_among_the_fetches_run(self):
        count = variables.Variable(1.0)
        self.sess.run(count.initializer)
        update = state_ops.assign(count, self.a).op
        handle = self.sess.partial_run_setup([self.sum, update], [self.a, self.b])
        self.assertEqual(
            self.sess.partial_run(handle, self.sum, {self.a: 2, self.b: 3}), 5
        )
        self.assertEqual(self.sess.run(count), 2)

    def test_what_is_fed_or_constant_can_be_fetched(self):
        handle = self.sess.partial_run_setup(
            [self.a, constant_op.constant([1, 2])], self.a
        )
        value, constant = self.sess.partial_run(
            handle, [self.a, "Const:0"], {self.a: 4}
        )
        self.assertEqual(value, 4)
        np.testing.assert_array_equal(constant, [1, 2])

    def test_inside_a_loop_and_a_cond(self):
        loop = control_flow_ops.while_loop(
            lambda i: i < self.a, lambda i: i + self.b, [self.c]
        )
        branch = control_flow_ops.cond(
            self.a > 3.0, lambda: self.sum, lambda: self.b * 10.0
        )
        handle = self.sess.partial_run_setup([loop, branch], [self.a, self.b, self.c])
        self.assertEqual(
            self.sess.partial_run(handle, branch, {self.a: 1, self.b: 0.5}), 5
        )
        self.assertEqual(self.sess.partial_run(handle, loop, {self.c: -1}), 1)

    def test_sparse_feeds(self):
        sparse = array_ops.sparse_placeholder(dtypes.float32)
        total = math_ops.reduce_sum(sparse.values) * self.a
        handle = self.sess.partial_run_setup(total, [sparse, self.a])
        value = sparse_tensor.SparseTensorValue([[0], [2]], [1.0, 2.0], [4])
        self.sess.partial_run(handle, [], {sparse: value})
        self.assertEqual(self.sess.partial_run(handle, total, {self.a: 2}), 6)

    def test_several_steps_at_once(self):
        handles = [self._setup() for _ in range(20)]
        for i, handle in enumerate(handles):
            self.sess.partial_run(handle, [], {self.a: i, self.b: 1})
        for i, handle in reversed(list(enumerate(handles))):
            self.assertEqual(
                self.sess.partial_run(handle, self.product, {self.c: 2}), 2 * (i + 1)
            )

    def test_with_any_number_of_threads_and_devices(self):
        for threads in (1, 2):
            config = config_pb2.ConfigProto(
                inter_op_parallelism_threads=threads, device_count={"CPU": 2}
            )
            with ops.device("/cpu:1"):
                there = math_ops.multiply(self.sum, 10.0)
            back = there + self.c
            with session.Session(config=config) as sess:
                handle = sess.partial_run_setup([there, back], [self.a, self.b, self.c])
                self.assertEqual(
                    sess.partial_run(handle, there, {self.a: 1, self.b: 2}), 30
                )
                self.assertEqual(sess.partial_run(handle, back, {self.c: 4}), 34)

    def test_what_needs_no_feed_runs_beside_the_caller(self):
        for threads in (1, 2):
            config = config_pb2.ConfigProto(inter_op_parallelism_threads=threads)
            with session.Session(config=config) as sess:
                endless = control_flow_ops.while_loop(
                    lambda i: i >= 0, lambda i: (i + 1) % 5, [constant_op.constant(0)]
                )
                sess.partial_run_setup([endless], [])
                # Closing ends it.


class BadPiecesTest(PiecesTestCase):
    def _fails(self, error, pattern, *args):
        with self.assertRaisesRegex(error, pattern):
            self.sess.partial_run(*args)

    def test_a_fetch_whose_feeds_are_not_all_there(self):
        handle = self._setup()
        self._fails(
            errors.InvalidArgumentError,
            "product:0 can't be computed from the feeds that have been fed so far",
            handle,
            self.product,
            {self.a: 1, self.b: 2},
        )
        # Nothing has happened.
        self.assertEqual(
            self.sess.partial_run(handle, self.sum, {self.a: 1, self.b: 2}), 3
        )

    def test_feeds_and_fetches_come_once(self):
        handle = self._setup()
        self.sess.partial_run(handle, self.sum, {self.a: 1, self.b: 2})
        again = errors.InvalidArgumentError, "has already been"
        self._fails(*again, handle, self.sum)
        self._fails(*again, handle, self.product, {self.a: 1, self.c: 2})

    def test_feeds_and_fetches_that_were_not_set_up(self):
        handle = self.sess.partial_run_setup([self.sum], [self.a, self.b])
        other = errors.InvalidArgumentError, "was not specified in partial_run_setup"
        self._fails(*other, handle, self.product)
        self._fails(*other, handle, [], {self.c: 1})

    def test_a_handle_of_another_session(self):
        handle = self._setup()
        with session.Session() as other:
            other.partial_run_setup([self.sum], [self.a])  # May have the same number.
            with self.assertRaisesRegex(
                errors.InvalidArgumentError, "Must run 'setup'"
            ):
                other.partial_run(handle, self.sum, {self.a: 1, self.b: 2})
        self.assertEqual(
            self.sess.partial_run(handle, self.sum, {self.a: 1, self.b: 2}), 3
        )

    def test_a_kept_tensor_of_another_type_is_refused(self):
        kept = self.sess.run(
            session_ops.get_session_handle(constant_op.constant([1, 2, 3]))
        )
        handle = self._setup()
        with self.assertRaisesRegex(errors.InvalidArgumentError, "a:0: must have type"):
            self.sess.partial_run(handle, [], {self.a: kept})

    def test_a_step_that_is_over_leaves_nothing(self):
        sizes = []
        for _ in range(3):  # The first time fills what is kept for reuse.
            for _ in range(10000):
                handle = self.sess.partial_run_setup([self.sum], [self.a, self.b])
                self.sess.partial_run(handle, self.sum, {self.a: 1, self.b: 2})
            sizes.append(_rss())
        # 160 bytes of each would be 3.2 MB.
        self.assertLess(sizes[2] - sizes[0], 1500 << 10)

    def test_a_step_that_is_over(self):
        handle = self.sess.partial_run_setup(self.sum, [self.a, self.b])
        self.sess.partial_run(handle, self.sum, {self.a: 1, self.b: 2})
        self._fails(errors.InvalidArgumentError, "Must run 'setup'", handle, [], {})

    def test_wrong_arguments(self):
        handle = self._setup()
        self._fails(RuntimeError, "empty target_list", handle, self.sum.op)
        self._fails(ValueError, "Cannot feed", handle, [], {self.a: [1, 2]})
        self._fails(TypeError, "handle", "no handle", self.sum)
        with self.assertRaises(TypeError):
            self.sess.partial_run_setup(self.sum, [3])

    def test_a_kernel_that_fails_ends_the_step_only(self):
        checked = math_ops.multiply(
            array_ops.gather(
                constant_op.constant([1.0, 2.0]), math_ops.to_int32(self.a)
            ),
            self.b,
        )
        handle = self.sess.partial_run_setup(checked, [self.a, self.b])
        with self.assertRaises(errors.InvalidArgumentError):
            self.sess.partial_run(handle, checked, {self.a: 7, self.b: 1})
        self._fails(errors.InvalidArgumentError, "Must run 'setup'", handle, checked)
        handle = self.sess.partial_run_setup(checked, [self.a, self.b])
        self.assertEqual(
            self.sess.partial_run(handle, checked, {self.a: 1, self.b: 3}), 6
        )

    def test_a_value_on_the_branch_not_taken(self):
        taken, _ = control_flow_ops.switch(self.b, self.a > 0.0)
        handle = self.sess.partial_run_setup(taken, [self.a, self.b])
        with self.assertRaisesRegex(errors.InvalidArgumentError, "no value"):
            self.sess.partial_run(handle, taken, {self.a: 1, self.b: 1})

    def test_close_ends_steps_that_wait(self):
        endless = control_flow_ops.while_loop(
            lambda i: i > -1.0, lambda i: i * 1.0, [self.a]
        )
        handle = self.sess.partial_run_setup([endless, self.c], [self.a, self.c])
        self._setup()  # This partial run is never fed.
        threading.Timer(0.2, self.sess.close).start()
        start = time.monotonic()
        with self.assertRaises(errors.CancelledError):
            self.sess.partial_run(handle, endless, {self.a: 1})
        self.assertLess(time.monotonic() - start, 60)
        self._fails(RuntimeError, "closed Session", handle, self.c, {self.c: 1})
        with self.assertRaisesRegex(RuntimeError, "closed Session"):
            self._setup()


if __name__ == "__main__":
    unittest.main()
