# SPDX-License-Identifier: Apache-2.0
"""Fetches, feeds and options for session_calls.py: good ones, and what a program might give by mistake or on purpose."""

from __future__ import annotations

import collections
import random
from typing import Any

import numpy as np

import tensorwright as tf

Pair = collections.namedtuple("Pair", ["first", "second"])

_NAMES = (
    "x:0", "x", "w:0", "v:0", "nothing", "", ":", ":0", "x:1", "x:-1", "x:99999999999", "^x", "x\0:0", "\u00e9:0",
    "scope/x:0", " x:0", "x:0 ", "x:0x0", "nothing:0",
)  # fmt: skip


class _Array:
    """Becomes an array by __array__, which does something else first."""

    def __init__(self, action: Any, value: Any):
        self._action, self._value = action, value

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self._action()
        return self._value


class _Sequence:
    """Says that it has some elements, and gives others."""

    def __init__(self, length: int, values: list[Any]):
        self._length, self._values = length, values

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, i: int) -> Any:
        return self._values[i]


class _Shrinking(list):
    """A list that loses an element whenever somebody looks at it."""

    def __iter__(self) -> Any:
        for value in list(self):
            if self:
                self.pop()
            yield value


class Arguments:
    """Chooses arguments for the sessions of one graph, by a generator of random numbers.

    Attributes:
        rng: the generator.
        session: the session that a call is made of.
        closed: has an object closed it?
    """

    class Raised(Exception):
        """Raised by an object that was given to a session."""

    def __init__(self) -> None:
        self.rng = random.Random()
        self.session: Any = None
        self.closed = False
        self._graph, self._elements = tf.Graph(), []
        with self._graph.as_default():
            x = tf.placeholder(tf.float32, [2], name="x")
            any_shape = tf.placeholder(tf.float32, name="any")
            word = tf.placeholder(tf.string, [None], name="word")
            number = tf.placeholder(tf.int32, [], name="number")
            half = tf.placeholder(tf.bfloat16, [None, 1], name="half")
            default = tf.placeholder_with_default([1.0, 2.0], [2], name="default")
            sparse = tf.sparse_placeholder(tf.float32, name="sparse")
            slices = tf.IndexedSlices(any_shape, number)
            v = tf.get_variable("v", initializer=[3.0, 4.0])
            w = tf.get_variable("w", initializer=[5.0], use_resource=True)
            self._keys = [x, any_shape, word, number, half, default, sparse, slices]
            self._keys += [v, w, w.handle, tf.get_session_handle(v + 0)]
            self._checked = x * 2 + default
            self._x, self._v = x, v
            self._elements = [
                *self._keys, self._checked, tf.no_op("nothing"), v.assign_add([1.0, 1.0]), w.assign_add([1.0]).op,
                tf.reduce_sum(any_shape), word + word, number // number, tf.cast(half, tf.float32),
                tf.sparse_reduce_sum(sparse), tf.gather(any_shape, number),
            ]  # fmt: skip
            initialize = tf.global_variables_initializer()
        with tf.Graph().as_default():
            foreign = tf.placeholder(tf.float32, [2], name="x")
        self._elements.append(foreign)
        self._keys.append(foreign)
        self._initialize = initialize

    def new_session(self) -> Any:
        """A session of the graph, whose variables have values."""
        session = tf.Session(graph=self._graph)
        session.run(self._initialize)
        return session

    def check(self, session: Any) -> None:
        """Raises AssertionError if a session does not compute as it should."""
        got = session.run(self._checked, {self._x: [10.0, 20.0]})
        assert got.tolist() == [21, 42], got
        assert session.run(self._v).shape == (2,)

    def fetches(self, depth: int = 0) -> Any:
        """A structure of fetches."""
        kind = self.rng.randrange(8 if depth < 4 else 4)
        if kind < 4:
            return self._fetch()
        inside = [self.fetches(depth + 1) for _ in range(self.rng.choice([0, 1, 2, 3]))]
        return self._container(inside)

    def _fetch(self) -> Any:
        choice = self.rng.random()
        if choice < 0.7:
            return self.rng.choice(self._elements)
        if choice < 0.8:
            return self.rng.choice(_NAMES)
        if choice < 0.85:
            return self.rng.choice(_NAMES).encode()
        return self.value()

    def _container(self, inside: list[Any]) -> Any:
        choice = self.rng.randrange(10)
        if choice == 0:
            inside.append(inside)  # Without end.
            return inside
        if choice == 1:
            return _Shrinking(inside)
        if choice == 2:
            return _Sequence(self.rng.choice([0, 1, 2, 1 << 16]), inside)
        if choice == 3:
            return dict(enumerate(inside))
        if choice == 4:
            return collections.OrderedDict(zip("abc", inside, strict=False))
        if choice == 5:
            return Pair(inside, tuple(inside))
        if choice == 6:
            return iter(inside)
        return inside if choice < 9 else tuple(inside)

    def list_of_feeds(self) -> Any:
        """The feeds of a callable or of a partial run."""
        choice = self.rng.random()
        if choice < 0.1:
            return None
        found = [self._key() for _ in range(self.rng.choice([0, 1, 2, 3]))]
        return found if choice < 0.9 else self._container(found)

    def feeds(self) -> Any:
        """A feed_dict."""
        choice = self.rng.random()
        if choice < 0.15:
            return self.rng.choice([None, {}, [], "x", 3, [(1, 2)], object()])
        found: dict[Any, Any] = {}
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            try:
                found[self._key()] = self.value(found)
            except TypeError:
                continue  # A key that has no hash.
        if self.rng.random() < 0.5:
            found[self._x] = [1.0, 2.0]
        return found

    def _key(self) -> Any:
        choice = self.rng.random()
        if choice < 0.75:
            return self.rng.choice(self._keys)
        if choice < 0.9:
            return self.rng.choice(_NAMES)
        if choice < 0.95:
            return (self.rng.choice(self._keys), self.rng.choice(self._keys))
        return self.rng.choice([None, 0, b"x:0", object(), (), np.float32(1)])

    def value(self, feeds: dict[Any, Any] | None = None) -> Any:
        """A value of a feed, some of which change `feeds` when they are read."""
        choice = self.rng.random()
        if choice < 0.3:
            return self._array()
        if choice < 0.5:
            return self._plain()
        if choice < 0.6:
            return tf.SparseTensorValue(self._array(), self._array(), self._array())
        if choice < 0.65:
            return tf.SparseTensorValue([[0, 1]], [2.0], [1, 3])
        if choice < 0.7:
            return tf.IndexedSlicesValue(self._array(), self._plain(), None)
        if choice < 0.9:
            return self._object({} if feeds is None else feeds)
        if choice < 0.95:
            return self._container([self._array(), self._plain()])
        return self.rng.choice(self._elements)

    def _plain(self) -> Any:
        return self.rng.choice([
            0, 1.5, True, None, "text", b"bytes", "\udc80", [1.0, 2.0], [[1.0], [2.0]], [1.0, [2.0]], [[]], [], (3.0, 4.0),
            1 << 31, 1 << 63, -(1 << 70), float("nan"), 1j, ["a", "b"], [b"a", 1], [None, 1.0], range(2), {1, 2}, {"a": 1},
            object(), tf.float32, tf.TensorShape([2]), Ellipsis, slice(2), type, memoryview(b"1234"), bytearray(b"12"),
            np.float32(7), np.int64(3), np.str_("s"), np.datetime64("2020-01-01"),
        ])  # fmt: skip

    def _array(self) -> Any:
        rng = self.rng
        dtype = rng.choice([
            "f4", "f4", "f4", ">f4", "f2", "f8", "i4", "i8", "u1", "?", "c8", "c16", "S3", "U2", "O", "M8[s]", "V4", "i4,f4",
            "u8", ">i4", tf.bfloat16.as_numpy_dtype,
        ])  # fmt: skip
        shape = rng.choice([(), (2,), (2,), (0,), (1,), (3,), (2, 1), (1, 2), (0, 2), (1,) * 20])  # fmt: skip
        array = np.zeros(shape, dtype)
        choice = rng.randrange(8)
        if choice == 0 and array.ndim:
            return array[::-1]
        if choice == 1:
            return np.broadcast_to(array, (2, *array.shape))
        if choice == 2 and array.ndim:
            # Elements of which each lies at the same place, 2^20 of them.
            return np.lib.stride_tricks.as_strided(array[:1].copy(), (1 << 20,), (0,)) if array.size else array  # fmt: skip
        if choice == 3:
            return np.asfortranarray(array)
        if choice == 4:
            array.setflags(write=False)
        if choice == 5:
            return np.ma.masked_array(array)
        if choice == 6 and array.dtype == np.float32 and array.ndim == 1:
            # Not at a multiple of four bytes.
            memory = np.zeros(4 * array.size + 1, np.uint8)
            return memory[1:].view(np.float32)
        return array

    def _object(self, feeds: dict[Any, Any]) -> Any:
        def fail() -> None:
            raise self.Raised

        def close() -> None:
            self.closed = True
            self.session.close()

        def run_inside() -> None:
            self.check(self.session)

        def add_feeds() -> None:
            for i in range(50):
                feeds[f"more{i}"] = i

        actions = (fail, close, run_inside, add_feeds, feeds.clear, lambda: None)
        value = self.rng.choice([self._array(), self._plain(), np.zeros(2, "f4")])
        return _Array(self.rng.choice(actions), value)

    def options(self) -> Any:
        """RunOptions, most of the time none."""
        if self.rng.random() < 0.7:
            return None
        return self.rng.choice([
            tf.RunOptions(), tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunOptions(timeout_in_ms=1),
            tf.RunOptions(timeout_in_ms=-1), tf.RunOptions(inter_op_thread_pool=7), tf.RunMetadata(), "options", 3, {},
            tf.RunOptions(inter_op_thread_pool=-1), tf.RunOptions(output_partition_graphs=True), tf.ConfigProto(),
        ])  # fmt: skip

    def metadata(self) -> Any:
        """RunMetadata, most of the time none."""
        if self.rng.random() < 0.8:
            return None
        return self.rng.choice([tf.RunMetadata(), tf.RunOptions(), "metadata", []])
