# SPDX-License-Identifier: Apache-2.0
"""Session refuses wrong feeds, fetches, devices and arguments, and works on afterwards."""

import collections
import unittest

import numpy as np

from tensorwright.core.protobuf import config_pb2
from tensorwright.python.client import session
from tensorwright.python.framework import constant_op, dtypes, errors, ops
from tensorwright.python.framework.op_def_library import apply_op


def _placeholder(dtype=dtypes.float32, shape=None, name=None):
    attrs = {"dtype": dtype}
    if shape is not None:
        attrs["shape"] = shape
    return apply_op("Placeholder", name, (), attrs).outputs[0]


def _op(op_type, *inputs, name=None, **attrs):
    return apply_op(op_type, name, inputs, attrs).outputs[0]


class BadInputTest(unittest.TestCase):
    """Every mistake is an error of TensorFlow's class; the session goes on."""

    def setUp(self):
        ops.reset_default_graph()
        self.x = _placeholder(shape=[2, None], name="x")
        self.y = _op("Neg", self.x, name="y")
        self.sess = session.Session()
        self.addCleanup(self.sess.close)

    def _still_works(self):
        got = self.sess.run(self.y, {self.x: [[1.0], [2.0]]})
        np.testing.assert_array_equal(got, [[-1.0], [-2.0]])

    def _fails(self, error, pattern, fetches, feed_dict=None):
        for _ in range(2):  # The second time comes from the cache, if there is one.
            with self.assertRaisesRegex(error, pattern):
                self.sess.run(fetches, feed_dict)
            self._still_works()

    def test_missing_feed(self):
        self._fails(errors.InvalidArgumentError, "feed a value.*'x'", self.y)

    def test_feed_of_a_wrong_shape(self):
        for value in ([1.0], [[1.0]], 1.0, np.zeros([3, 1])):
            self._fails(
                ValueError, r"Cannot feed value of shape .* for Tensor 'x:0'", self.y,
                {self.x: value},
            )  # fmt: skip

    def test_feed_that_is_no_such_value(self):
        self._fails((TypeError, ValueError), "", self.y, {self.x: "text"})
        self._fails((TypeError, ValueError), "", self.y, {self.x: None})
        self._fails((TypeError, ValueError), "", self.y, {self.x: object()})
        self._fails((TypeError, ValueError), "", self.y, {self.x: [[1.0], [2.0, 3.0]]})
        self._fails(TypeError, "cannot be a tf.Tensor", self.y, {self.x: self.x})

    def test_resources_and_variants_are_not_fed_as_values(self):
        for dtype in (dtypes.resource, dtypes.variant):
            place = _placeholder(dtype)
            taken = _op("Identity", place).op
            for value in (7, "text", [7, 8], np.zeros(1000), np.array([None])):
                self._fails(
                    TypeError,
                    f"Cannot feed .* which is {dtype.name}: .* only operations make",
                    taken,
                    {place: value},
                )

    def test_ints_that_the_feed_cannot_hold(self):
        small = _placeholder(dtypes.int8)
        self._fails(TypeError, "not compatible with Tensor type", small, {small: 300})

    def test_tuples_of_feeds(self):
        state = collections.namedtuple("state", ["c", "h"])
        x, y = _placeholder(dtypes.float32), _placeholder(dtypes.float32)
        total = 2 * x + y
        for key, value in [
            (state(x, y), state(np.float32(1), np.float32(5))),
            ((x, y), [1, 5]),
            ((x, (y.name,)), (1, (5,))),
        ]:
            assert self.sess.run(total, {key: value}) == 7
        self._fails(ValueError, "needs a tuple of 2 values", total, {(x, y): (1,)})
        self._fails(ValueError, "needs a tuple of 2 values", total, {(x, y): 1})
        self._fails(
            TypeError, "Cannot interpret feed_dict key", total, {(x, 3): (1, 2)}
        )

    def test_feed_keys_that_are_none(self):
        self._fails(TypeError, "Cannot interpret feed_dict key", self.y, {"z:0": 1.0})
        self._fails(TypeError, "Cannot interpret feed_dict key", self.y, {3: 1.0})
        self._fails(TypeError, "dict", self.y, [1])
        constant = constant_op.constant(1)
        ops.get_default_graph().prevent_feeding(constant)
        self._fails(ValueError, "may not be fed", self.y, {constant: 1})

    def test_fetches_that_are_none(self):
        self._fails(TypeError, "invalid type", None)
        self._fails(TypeError, "invalid type", 3)
        self._fails(TypeError, "invalid type", [self.y, 3.5])
        self._fails(ValueError, "cannot be interpreted as a Tensor", "no_such_op:0")
        self._fails(ValueError, "cannot be interpreted as a Tensor", "y:7")
        with ops.Graph().as_default():
            other = constant_op.constant(1)
        self._fails(ValueError, "cannot be interpreted as a Tensor", other)

    def test_a_device_that_is_not_there(self):
        for device in ("/gpu:7", "/cpu:9", "/job:far/cpu:0"):
            with ops.device(device):
                z = _op("Neg", self.y)
            with self.assertRaisesRegex(
                errors.InvalidArgumentError, "(?i)device"
            ) as caught:
                self.sess.run(z, {self.x: [[1.0], [2.0]]})
            self.assertIs(caught.exception.op, z.op)
            self._still_works()

    def test_soft_placement_finds_another_device(self):
        with ops.device("/gpu:7"):
            z = _op("Neg", constant_op.constant(1.0))
        config = config_pb2.ConfigProto(allow_soft_placement=True)
        with session.Session(config=config) as sess:
            self.assertEqual(sess.run(z), -1.0)

    def test_a_kernel_that_fails_in_the_middle_of_a_run(self):
        z = _op("Gather", self.x, constant_op.constant([0, 5]), name="gather")
        after = _op("Neg", z)
        with self.assertRaises(errors.InvalidArgumentError) as caught:
            self.sess.run(after, {self.x: [[1.0], [2.0]]})
        self.assertIs(caught.exception.op, z.op)
        self.assertRegex(
            str(caught.exception), r"defined at .*session_refusals_test.py:\d+"
        )
        self._still_works()

    def test_shapes_that_only_the_run_knows_to_be_wrong(self):
        a, b = _placeholder(), _placeholder()
        m = _op("MatMul", a, b, name="m")
        for left, right in (
            ([[1.0, 2.0]], [[1.0, 2.0]]),
            ([1.0], [1.0]),
            (1.0, [[1.0]]),
        ):
            with self.assertRaises(errors.InvalidArgumentError) as caught:
                self.sess.run(m, {a: left, b: right})
            self.assertIs(caught.exception.op, m.op)
        self.assertEqual(self.sess.run(m, {a: [[2.0]], b: [[3.0]]}), 6.0)
        self._still_works()

    def test_a_closed_session(self):
        self._still_works()
        self.sess.close()
        with self.assertRaisesRegex(RuntimeError, "closed Session"):
            self.sess.run(self.y, {self.x: [[1.0], [2.0]]})
        with self.assertRaisesRegex(RuntimeError, "closed Session"):
            self.sess.run(self.x, {self.x: [[1.0], [2.0]]})
        self.sess.close()

    def test_an_empty_graph(self):
        with session.Session(graph=ops.Graph()) as sess:
            with self.assertRaisesRegex(RuntimeError, "graph is empty"):
                sess.run([])

    def test_wrong_arguments_of_the_session(self):
        with self.assertRaises(TypeError):
            session.Session(graph="graph")
        with self.assertRaises(TypeError):
            session.Session(config="config")
        with self.assertRaises(TypeError):
            session.Session(3)
        for target in ("nosuch://nowhere:1", b"nosuch://nowhere:1", "nosuch"):
            with self.assertRaisesRegex(
                errors.NotFoundError, "target 'nosuch.*start with .*'' alone is"
            ):
                session.Session(target)
            with self.assertRaisesRegex(errors.NotFoundError, "target 'nosuch"):
                session.Session.reset(target)
        session.Session.reset("")
        with self.assertRaises(TypeError):
            self.sess.run(self.y, {self.x: [[1.0], [2.0]]}, options="options")


if __name__ == "__main__":
    unittest.main()
