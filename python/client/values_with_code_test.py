# SPDX-License-Identifier: Apache-2.0
"""Values whose conversion runs the user's code, which may change the lists that hold the values."""

import contextlib
import gc
import unittest
from typing import Any, Callable

import numpy as np

from tensorwright.core.framework import attr_value_pb2
from tensorwright.python.client import session
from tensorwright.python.framework import dtypes, errors, ops
from tensorwright.python.ops import array_ops, gen_array_ops, gen_nn_ops, math_ops


class _Array:
    """Four zeros, as an array that calls `act` when it is asked for."""

    def __init__(self, act: Callable[[], Any] = lambda: None):
        self.act = act

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        self.act()
        return np.zeros(4, np.float32)


class FeedTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()
        self.places = [array_ops.placeholder(dtypes.float32, [4]) for _ in range(2000)]
        self.sum = self.places[0] + self.places[1]
        self.sess = session.Session()
        self.addCleanup(self.sess.close)

    def test_a_feed_dict_that_grows_is_fed_as_it_was(self):
        value = _Array()
        feeds = {self.places[0]: value, self.places[1]: np.ones(4, np.float32)}
        for _ in range(2):  # The second time comes from the cache.
            self.sess.run(self.sum, feeds)
        value.act = lambda: feeds.update((p, np.ones(4)) for p in self.places[2:])
        np.testing.assert_array_equal(self.sess.run(self.sum, feeds), np.ones(4))
        self.assertEqual(len(feeds), len(self.places))

    def test_a_feed_dict_that_is_emptied_is_fed_as_it_was(self):
        value = _Array()
        feeds = {self.places[0]: value, self.places[1]: _Array()}
        for _ in range(2):
            self.sess.run(self.sum, feeds)

        def clear():
            feeds.clear()
            gc.collect()

        value.act = clear
        np.testing.assert_array_equal(self.sess.run(self.sum, feeds), np.zeros(4))

    def test_the_error_names_a_value_that_went_from_the_feed_dict(self):
        feeds = {self.places[0]: _Array(), self.places[1]: np.ones(4)}
        for _ in range(2):
            self.sess.run(self.sum, feeds)

        def fail():
            feeds.clear()
            raise ValueError("no zeros today")

        feeds[self.places[0]] = _Array(fail)
        with self.assertRaisesRegex(ValueError, "type _Array .*no zeros today"):
            self.sess.run(self.sum, feeds)

    def test_a_session_that_is_closed_meanwhile(self):
        value = _Array()
        feeds = {self.places[0]: value, self.places[1]: np.ones(4)}
        for _ in range(2):
            self.sess.run(self.sum, feeds)
        value.act = self.sess.close
        with self.assertRaises((RuntimeError, errors.CancelledError)):
            self.sess.run(self.sum, feeds)

    def test_partial_runs_that_are_set_up_meanwhile(self):
        def more():
            for _ in range(100):
                self.sess.partial_run_setup([self.sum], self.places[:2])

        handle = self.sess.partial_run_setup([self.sum], self.places[:2])
        feeds = {p: _Array(more) for p in self.places[:2]}
        got = self.sess.partial_run(handle, self.sum, feeds)
        np.testing.assert_array_equal(got, np.zeros(4))

    def test_runs_that_start_as_kept_ones_are_dropped(self):
        """The session keeps its latest runs up to a number, and then drops all."""
        a = array_ops.placeholder(dtypes.float32, [], name="a")
        total = math_ops.add(a, 1.0, name="total")
        sess, runs = self.sess, []

        class Kept:
            """A fetch that the session keeps; the last one out runs something."""

            graph = ops.get_default_graph()

            def _as_graph_element(self):
                return total

            def __del__(self):
                if ended:
                    return
                for i in range(20):
                    runs.append(sess.run([total] * (i + 1), {a: 1.0})[0])

        ended = []
        for i in range(1100):
            sess.run([Kept()] + [total] * (i % 7), {a: float(i)})
        ended.append(True)
        self.assertTrue(runs)
        self.assertEqual(set(runs), {2.0})


class InputTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()

    def test_a_list_of_inputs_that_is_emptied(self):
        items: list = []
        items += [_Array(items.clear)] + [np.zeros(4, np.float32) for _ in range(100)]
        stacked = gen_array_ops.pack(items)
        self.assertEqual(stacked.shape, [101, 4])
        self.assertEqual(items, [])

    def test_a_list_attr_that_is_emptied(self):
        class Number:
            def __int__(self):
                strides.clear()
                return 1

        strides: list = []
        strides += [Number(), 1, 1, 1]
        pool = gen_nn_ops.max_pool(
            array_ops.zeros([1, 4, 4, 1]), [1, 1, 1, 1], strides, "VALID"
        )
        self.assertEqual(pool.op.get_attr("strides"), [1, 1, 1, 1])

    def test_attrs_that_are_emptied(self):
        class Attr:
            def SerializeToString(self) -> bytes:
                attrs.clear()
                return attr_value_pb2.AttrValue(i=3).SerializeToString()

        attrs: dict = {"_a": Attr(), "_b": Attr(), "dtype": dtypes.float32}
        with contextlib.suppress(TypeError, ValueError):  # The op may miss its dtype.
            ops.get_default_graph().create_op(
                "Placeholder", [], [dtypes.float32], attrs=attrs
            )
        self.assertEqual(attrs, {})

    def test_a_default_graph_that_goes_meanwhile(self):
        def reset():
            ops.reset_default_graph()
            gc.collect()

        with self.assertRaisesRegex(ValueError, "must be from the same graph"):
            math_ops.multiply(_Array(reset), 2.0)

    def test_a_list_that_contains_itself(self):
        items: list = [1.0]
        items.append(items)
        with self.assertRaises((TypeError, ValueError, RecursionError)):
            math_ops.negative(items)

    def test_a_repr_that_empties_the_array_it_is_in(self):
        class Item:
            def __repr__(self) -> str:
                array[:] = None
                return "an item"

        array = np.array([Item(), Item()], object)
        with self.assertRaisesRegex(TypeError, "Unsupported object type Item"):
            ops.convert_to_tensor(array, dtypes.string)


if __name__ == "__main__":
    unittest.main()
