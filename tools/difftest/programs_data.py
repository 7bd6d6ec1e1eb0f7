# SPDX-License-Identifier: Apache-2.0
"""Pipelines of `tf.data` that both libraries run: the same elements in the same order.

`PROGRAMS` has a function for each transformation, to be run as programs.py says.  Each draws what comes before and
behind the transformation too, and ends with the first elements as one matrix of floats.  Elements are pairs of int64
scalars, so that any transformation can follow any other.  All random orders have seeds.
"""

from __future__ import annotations

import builtins
import tempfile
import weakref
from collections.abc import Callable
from typing import Any

# Elements that are compared, at most.
_MOST = 3000

Step = Callable[[Any, Any], Any]
_STEPS: dict[str, Step] = {}
PROGRAMS: list[Callable[[Any], list[Any]]] = []


def _step(function: Step) -> Step:
    """A transformation, and the program that is sure to have it."""
    name = function.__name__
    _STEPS[name] = function

    def program(m: Any) -> list[Any]:
        m.tf.set_random_seed(int(m.rng.randint(1, 1000)))
        dataset = _source(m)
        names = [str(n) for n in m.rng.choice(sorted(_STEPS), m.rng.randint(0, 4))]
        names.insert(m.rng.randint(len(names) + 1), name)
        for each in names:
            dataset = _STEPS[each](m, dataset)
        return _elements(m, dataset)

    program.__name__ = f"data_{name}"
    program.__doc__ = function.__doc__
    PROGRAMS.append(program)
    return function


def _elements(m: Any, dataset: Any) -> list[Any]:
    """The first elements of a dataset [n, 2], in float64."""
    tf = m.tf
    whole = dataset.take(_MOST).batch(_MOST)
    iterator = tf.data.make_initializable_iterator(whole)
    m.session.run(iterator.initializer)
    try:
        pair = m.session.run(iterator.get_next())
    except tf.errors.OutOfRangeError:
        pair = ([], [])
    return [tf.constant([[float(x) for x in part] for part in pair], tf.float64)]


def _source(m: Any) -> Any:
    """Pairs of numbers."""
    data, n = m.tf.data.Dataset, int(m.rng.randint(0, 60))
    numbers = m.rng.randint(-5, 20, [2, n])
    if m.rng.randint(2):
        return data.zip((data.range(n), data.from_tensor_slices(numbers[1])))
    return data.from_tensor_slices((numbers[0], numbers[1]))


def _seed(m: Any) -> int:
    return int(m.rng.randint(1, 100))


# Elements. ---------------------------------------------------------------------------------------------------


@_step
def map(m: Any, dataset: Any) -> Any:  # noqa: A001
    """One call at a time, or several."""
    k = int(m.rng.randint(1, 4))
    calls = (None, 1, 3)[m.rng.randint(3)]
    return dataset.map(lambda a, b: (a + k, b * k - a), calls)


@_step
def filter(m: Any, dataset: Any) -> Any:  # noqa: A001
    k = int(m.rng.randint(2, 4))
    return dataset.filter(lambda a, b: m.tf.not_equal((a + b) % k, 0))


@_step
def take_while(m: Any, dataset: Any) -> Any:
    k = int(m.rng.randint(10, 40))
    return dataset.take_while(lambda a, b: a + b < k)


@_step
def scan(m: Any, dataset: Any) -> Any:
    zero = m.tf.constant(0, m.tf.int64)
    return dataset.scan(
        (zero, zero), lambda s, e: ((s[0] + 1, e[0]), (s[0] + e[1], s[1]))
    )


@_step
def unique(m: Any, dataset: Any) -> Any:
    return dataset.map(lambda a, b: a % 7).unique().map(lambda a: (a, -a))


@_step
def enumerate(m: Any, dataset: Any) -> Any:  # noqa: A001
    return dataset.enumerate(3).map(lambda i, e: (i, e[0] + e[1]))


@_step
def py_func(m: Any, dataset: Any) -> Any:
    """Python in a map."""
    tf = m.tf

    def add(a: Any, b: Any) -> Any:
        total = tf.py_func(lambda x, y: x + y, [a, b], tf.int64)
        total.set_shape([])
        return total, b

    return dataset.map(add)


# Sequences. --------------------------------------------------------------------------------------------------


@_step
def shuffle(m: Any, dataset: Any) -> Any:
    again = bool(m.rng.randint(2))
    return dataset.shuffle(int(m.rng.randint(1, 80)), _seed(m), again)


@_step
def shuffle_and_repeat(m: Any, dataset: Any) -> Any:
    size, count = int(m.rng.randint(1, 80)), int(m.rng.randint(1, 4))
    mixed = m.tf.data.experimental.shuffle_and_repeat(size, count, _seed(m))
    return dataset.apply(mixed)


@_step
def repeat(m: Any, dataset: Any) -> Any:
    return dataset.repeat(int(m.rng.randint(0, 4)))


@_step
def take(m: Any, dataset: Any) -> Any:
    return dataset.take(int(m.rng.randint(-1, 50)))


@_step
def skip(m: Any, dataset: Any) -> Any:
    return dataset.skip(int(m.rng.randint(-1, 20)))


@_step
def shard(m: Any, dataset: Any) -> Any:
    n = int(m.rng.randint(1, 5))
    return dataset.shard(n, int(m.rng.randint(n)))


@_step
def concatenate(m: Any, dataset: Any) -> Any:
    return dataset.concatenate(_source(m))


@_step
def zip(m: Any, dataset: Any) -> Any:  # noqa: A001
    both = m.tf.data.Dataset.zip((dataset, _source(m)))
    return both.map(lambda x, y: (x[0] + y[1], x[1] - y[0]))


@_step
def cache(m: Any, dataset: Any) -> Any:
    return dataset.cache().repeat(2)


@_step
def snapshot(m: Any, dataset: Any) -> Any:
    """Written by a whole pass, and read by another."""
    folder = tempfile.TemporaryDirectory(prefix="difftest")
    weakref.finalize(m, folder.cleanup)
    compression = (None, "AUTO", "GZIP")[m.rng.randint(3)]
    # In one shard: the order in which several are read is not compared.
    kept = dataset.snapshot(folder.name, compression, shard_func=lambda a, b: a * 0)
    _elements(m, kept)
    return kept


@_step
def save_and_load(m: Any, dataset: Any) -> Any:
    """Saves in shards, which are read in turn."""
    folder = tempfile.TemporaryDirectory(prefix="difftest")
    weakref.finalize(m, folder.cleanup)
    shards = int(m.rng.randint(1, 4))
    compression = (None, "GZIP", "SNAPPY")[m.rng.randint(3)]
    most = dataset.take(_MOST)
    how = {"compression": compression, "shard_func": lambda a, b: abs(a + b) % shards}
    m.session.run(most.save(folder.name, **how))
    return m.tf.data.Dataset.load(
        folder.name,
        most.element_spec,
        compression,
        lambda parts: parts.interleave(lambda part: part, cycle_length=2),
    )


@_step
def options(m: Any, dataset: Any) -> Any:
    """Sets options that change no element."""
    chosen = m.tf.data.Options()
    chosen.threading.private_threadpool_size = int(m.rng.randint(1, 4))
    chosen.autotune.enabled = bool(m.rng.randint(2))
    return dataset.map(lambda a, b: (a, a - b), 3).with_options(chosen)


@_step
def sparse_batch_of_sparse(m: Any, dataset: Any) -> Any:
    """Sparse elements in batches, cut up again."""
    tf = m.tf

    def to_sparse(a: Any, b: Any) -> Any:
        where = tf.stack([abs(a) % 5, 5 + abs(b) % 4])[:, tf.newaxis]
        return tf.SparseTensor(where, tf.stack([a, b]), tf.constant([9], tf.int64))

    def to_pair(sparse: Any) -> Any:
        return sparse.values[0], sparse.values[1]

    batches = dataset.map(to_sparse).batch(int(m.rng.randint(1, 5)))
    return batches.unbatch().map(to_pair)


@_step
def prefetch(m: Any, dataset: Any) -> Any:
    return dataset.prefetch(int(m.rng.randint(1, 5)))


@_step
def assert_cardinality(m: Any, dataset: Any) -> Any:
    known = dataset.take(4).concatenate(_source(m).repeat(-1)).take(10).skip(4)
    return known.apply(m.tf.data.experimental.assert_cardinality(6)).take(6)


# Batches. ----------------------------------------------------------------------------------------------------


@_step
def batch(m: Any, dataset: Any) -> Any:
    """And rows again."""
    calls = (None, 2)[m.rng.randint(2)]
    batches = dataset.batch(int(m.rng.randint(1, 9)), bool(m.rng.randint(2)), calls)
    if m.rng.randint(2):
        return batches.map(lambda a, b: (m.tf.reduce_sum(a), m.tf.reduce_max(b)))
    return batches.unbatch()


@_step
def padded_batch(m: Any, dataset: Any) -> Any:
    """Pads batches of rows of different lengths."""
    tf = m.tf
    rows = dataset.map(lambda a, b: tf.fill([a % 4], b))
    padded = rows.padded_batch(
        int(m.rng.randint(1, 5)), [None], tf.constant(-1, tf.int64)
    )
    return padded.map(
        lambda x: (tf.reduce_sum(x), tf.reduce_sum(tf.cast(tf.shape(x), tf.int64)))
    )


@_step
def window(m: Any, dataset: Any) -> Any:
    size, shift, stride = (int(m.rng.randint(1, 5)) for _ in range(3))
    windows = dataset.window(size, shift, stride, bool(m.rng.randint(2)))
    return windows.flat_map(lambda a, b: m.tf.data.Dataset.zip((b, a)))


@_step
def bucket_by_sequence_length(m: Any, dataset: Any) -> Any:
    tf = m.tf
    buckets = dataset.map(lambda a, b: tf.fill([a % 9], b)).apply(
        tf.data.experimental.bucket_by_sequence_length(
            lambda row: tf.size(row), [3, 6], [2, 3, 4]
        )
    )
    return buckets.map(
        lambda x: (tf.reduce_sum(x), tf.reduce_sum(tf.cast(tf.shape(x), tf.int64)))
    )


@_step
def dense_to_sparse_batch(m: Any, dataset: Any) -> Any:
    tf = m.tf
    rows = dataset.map(lambda a, b: tf.fill([a % 4], b))
    size = int(m.rng.randint(1, 5))
    batches = rows.apply(tf.data.experimental.dense_to_sparse_batch(size, [6]))
    return batches.map(
        lambda s: (tf.reduce_sum(s.values), tf.reduce_sum(s.indices) + s.dense_shape[0])
    )


@_step
def sparse_tensor_slices(m: Any, dataset: Any) -> Any:
    tf = m.tf
    n = int(m.rng.randint(1, 9))
    rows = m.rng.randint(0, n, 12)
    indices = sorted(
        {(int(r), int(c)) for r, c in builtins.zip(rows, m.rng.randint(0, 5, 12))}
    )
    values = [int(v) for v in m.rng.randint(-9, 9, len(indices))]
    sparse = tf.SparseTensor(indices, tf.constant(values, tf.int64), [n, 5])
    slices = tf.data.Dataset.from_sparse_tensor_slices(sparse)
    return slices.map(lambda i, v, shape: (tf.reduce_sum(v), tf.reduce_sum(i)))


# Several datasets. -------------------------------------------------------------------------------------------


@_step
def flat_map(m: Any, dataset: Any) -> Any:
    data = m.tf.data.Dataset
    return dataset.flat_map(lambda a, b: data.from_tensors((b, a)).repeat(a % 3))


@_step
def interleave(m: Any, dataset: Any) -> Any:
    """Interleaves in one thread, or reads ahead."""
    data = m.tf.data.Dataset
    cycle, block = (int(m.rng.randint(1, 5)) for _ in range(2))
    calls = (None, 2)[m.rng.randint(2)]
    return dataset.interleave(
        lambda a, b: data.zip((data.range(a % 4), data.from_tensors(b).repeat())),
        cycle,
        block,
        calls if calls is None or calls <= cycle else cycle,
    )


@_step
def group_by_window(m: Any, dataset: Any) -> Any:
    tf = m.tf
    size = int(m.rng.randint(1, 5))
    return dataset.apply(
        tf.data.experimental.group_by_window(
            lambda a, b: (a + b) % 3,
            lambda key, group: group.batch(size).map(
                lambda a, b: (key, tf.reduce_sum(a - 2 * b))
            ),
            window_size=size,
        )
    )


@_step
def sample_from_datasets(m: Any, dataset: Any) -> Any:
    weights = m.rng.uniform(0.1, 1, 3)
    weights[m.rng.randint(3)] += 0.1
    datasets = [dataset, _source(m), _source(m)]
    given = (None, [float(w) for w in weights], m.tf.constant(weights))
    return m.tf.data.experimental.sample_from_datasets(
        datasets, given[m.rng.randint(3)], _seed(m)
    )


@_step
def choose_from_datasets(m: Any, dataset: Any) -> Any:
    data = m.tf.data.Dataset
    choices = data.from_tensor_slices(m.rng.randint(0, 2, 100))
    return m.tf.data.experimental.choose_from_datasets([dataset, _source(m)], choices)


@_step
def random(m: Any, dataset: Any) -> Any:
    numbers = m.tf.data.experimental.RandomDataset(_seed(m))
    return m.tf.data.Dataset.zip((dataset, numbers)).map(lambda e, r: (e[0], r))


# As tensors. -------------------------------------------------------------------------------------------------


@_step
def reduce(m: Any, dataset: Any) -> Any:
    total = dataset.take(_MOST).reduce(
        m.tf.constant(1, m.tf.int64), lambda s, e: s * 3 % 1009 + e[0] - e[1]
    )
    return m.tf.data.Dataset.from_tensors((total, -total))


@_step
def get_single_element(m: Any, dataset: Any) -> Any:
    whole = dataset.concatenate(_source(m)).take(20).batch(100).take(1)
    first = m.tf.data.Dataset.from_tensors(
        (m.tf.constant([7], m.tf.int64), m.tf.constant([8], m.tf.int64))
    )
    one = m.tf.data.experimental.get_single_element(whole.concatenate(first).take(1))
    return m.tf.data.Dataset.from_tensor_slices(one)


@_step
def cardinality(m: Any, dataset: Any) -> Any:
    """The cardinality of a dataset that knows it in TensorFlow too."""
    known = _source(m).repeat(2).take(30).skip(3).batch(2)
    n = m.tf.data.experimental.cardinality(known)
    return m.tf.data.Dataset.from_tensors((n, n))


@_step
def get_next_as_optional(m: Any, dataset: Any) -> Any:
    tf = m.tf
    iterator = tf.data.make_initializable_iterator(dataset)
    m.session.run(iterator.initializer)
    optional = tf.data.experimental.get_next_as_optional(iterator)
    none = tf.constant(-1, tf.int64)
    pair = tf.cond(optional.has_value(), optional.get_value, lambda: (none, none))
    rows = [m.session.run(pair) for _ in range(3)]
    return tf.data.Dataset.from_tensor_slices(
        tuple(tf.constant([int(r[i]) for r in rows], tf.int64) for i in (0, 1))
    )
