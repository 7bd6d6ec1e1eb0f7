# SPDX-License-Identifier: Apache-2.0
"""BatchFunction: runs of several threads are computed together, and each gets its rows."""

import threading
import time

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import attr_value_pb2
from tensorwright.python.framework import function
from tensorwright.python.ops import gen_functional_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")

batch = tf.nondifferentiable_batch_function
LONG = 60_000_000


def at_once(session, fetches, feeds):
    """The values of runs that begin together; an exception in the place of one that failed."""
    found, gate = [None] * len(feeds), threading.Barrier(len(feeds))

    def work(i):
        gate.wait()
        try:
            found[i] = session.run(fetches, feeds[i])
        except tf.errors.OpError as error:
            found[i] = error

    threads = [threading.Thread(target=work, args=[i]) for i in range(len(feeds))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert not any(thread.is_alive() for thread in threads)
    return found


def counted(x):
    """For each row, how many rows the call has."""
    return tf.fill([tf.shape(x)[0]], tf.shape(x)[0])


@pytest.mark.parametrize(
    "dtype", [np.float32, np.int64, np.complex64, np.bool_, np.str_]
)
def test_two_runs_are_one_call(dtype):
    @batch(1, 4, LONG)
    def same(x, y):
        return {"x": tf.identity(x), "rows": counted(y)}

    x = tf.placeholder(tf.as_dtype(dtype), [None, 2])
    y = tf.placeholder(tf.int32, [None])
    got = same(x, y)
    assert got["x"].op.type == "BatchFunction"
    assert got["x"].shape.as_list() == [None, 2]
    one, three = np.ones([1, 2], dtype), np.arange(6).reshape(3, 2).astype(dtype)
    with tf.Session() as session:
        for _ in range(3):
            feeds = [{x: one, y: [0]}, {x: three, y: [1, 2, 3]}]
            a, b = at_once(session, got, feeds)
            text = dtype is np.str_
            np.testing.assert_array_equal(a["x"].astype(str) if text else a["x"], one)
            np.testing.assert_array_equal(b["x"].astype(str) if text else b["x"], three)
            assert a["rows"].tolist() == [4] and b["rows"].tolist() == [4] * 3


def test_one_run_waits_for_the_time_that_it_is_given_and_no_longer():
    x = tf.placeholder(tf.float32, [None])
    short, longer = batch(1, 8, 0)(tf.square)(x), batch(1, 8, 400_000)(tf.square)(x)
    with tf.Session() as session:
        assert session.run(short, {x: [2, 3]}).tolist() == [4, 9]
        session.run(longer, {x: [1] * 8})
        begun = time.monotonic()
        assert session.run(longer, {x: [3]}).tolist() == [9]
        assert 0.4 <= time.monotonic() - begun < 60


def test_a_batch_is_filled_up_with_its_first_row():
    @batch(1, 8, 1000, allowed_batch_sizes=[2, 5, 8])
    def total(x):
        return counted(x), tf.fill([tf.shape(x)[0]], tf.reduce_sum(x))

    x = tf.placeholder(tf.int32, [None])
    rows, sums = total(x)
    with tf.Session() as session:
        for given, want in [([7], 2), ([7, 8], 2), ([7, 8, 9], 5), ([1] * 8, 8)]:
            got, filled = session.run([rows, sums], {x: given})
            assert got.tolist() == [want] * len(given)
            padding = given[0] * (want - len(given))
            assert filled.tolist() == [sum(given) + padding] * len(given)


def test_a_large_run_is_computed_in_pieces():
    @batch(2, 20, 1000, allowed_batch_sizes=[2, 4])
    def square(x):
        return x * x, counted(x)

    x = tf.placeholder(tf.int32, [None])
    y = square(x)
    with tf.Session() as session:
        got, rows = session.run(y, {x: np.arange(11)})
        np.testing.assert_array_equal(got, np.arange(11) ** 2)
        assert set(rows.tolist()) == {4}
        with pytest.raises(tf.errors.InvalidArgumentError, match="max_batch_size"):
            session.run(y, {x: np.arange(21)})


def test_a_run_that_may_not_be_split_begins_a_batch():
    @batch(1, 4, 20_000, enable_large_batch_splitting=False)
    def rows(x):
        return counted(x)

    x = tf.placeholder(tf.int32, [None])
    y = rows(x)
    with tf.Session() as session:
        found = at_once(session, y, [{x: [0] * 3}, {x: [0] * 3}])
        assert [f.tolist() for f in found] == [[3] * 3] * 2
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="max_batch_size rows, 4"
        ):
            session.run(y, {x: [0] * 5})


def batch_op(x, *captured, body=tf.identity, **attrs):
    """An op with any attrs."""
    defined = function.Defun(x.dtype, *[c.dtype for c in captured])(body)
    defined.add_to_graph(tf.get_default_graph())
    options = {
        "num_batch_threads": 1,
        "max_batch_size": 8,
        "batch_timeout_micros": 1000,
        **attrs,
    }
    return gen_functional_ops.batch_function(
        [x],
        list(captured),
        attr_value_pb2.NameAttrList(name=defined.name),
        Tout=[o.dtype for o in defined.graph.outputs],
        **options,
    )


def test_a_batch_shrinks_to_an_allowed_size_rather_than_be_padded():
    x = tf.placeholder(tf.int32, [None])
    (rows,) = batch_op(
        x,
        body=counted,
        allowed_batch_sizes=[2, 4, 8],
        batch_padding_policy="BATCH_DOWN",
        enable_large_batch_splitting=True,
    )
    with tf.Session() as session:
        assert session.run(rows, {x: [0] * 7}).tolist() == [4] * 4 + [2] * 3
        assert session.run(rows, {x: [0] * 6}).tolist() == [4] * 4 + [2] * 2
        assert session.run(rows, {x: [0]}).tolist() == [2]


def test_what_a_function_uses_from_around_it_is_passed_along():
    scale = tf.placeholder(tf.float32, [])
    w = tf.get_variable("w", initializer=[[2.0]], use_resource=True)
    old = tf.Variable([10.0])

    @batch(1, 4, 0)
    def layer(x):
        return tf.matmul(x, w) * scale + old

    x = tf.placeholder(tf.float32, [None, 1])
    y = layer(x)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y, {x: [[1], [2]], scale: 3}).tolist() == [[16], [22]]
    assert tf.gradients(y, x) == [None]


def test_many_threads():
    @batch(2, 6, 2000, allowed_batch_sizes=[3, 6])
    def square(x):
        return x * x

    x = tf.placeholder(tf.float32, [None])
    y = square(x)
    with tf.Session() as session:
        for _ in range(5):
            feeds = [{x: np.arange(i % 4 + 1) + i} for i in range(9)]
            for feed, got in zip(feeds, at_once(session, y, feeds), strict=True):
                np.testing.assert_array_equal(got, feed[x] ** 2)


def test_two_ops_of_one_name_share_batches():
    x = tf.placeholder(tf.int32, [None])
    options = {
        "body": counted,
        "shared_name": "shared",
        "max_batch_size": 2,
        "batch_timeout_micros": LONG,
    }
    (a,), (b,) = batch_op(x, **options), batch_op(x, **options)
    with tf.Session() as session:
        found = []
        threads = [
            threading.Thread(target=lambda t=t: found.append(session.run(t, {x: [1]})))
            for t in (a, b)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
        assert [f.tolist() for f in found] == [[2], [2]]


def test_a_full_queue_refuses_runs():
    gate = threading.Event()

    def wait(x):
        gate.wait(60)
        return x

    def body(x):
        y = tf.py_func(wait, [x], tf.int32)
        y.set_shape([None])
        return y

    x = tf.placeholder(tf.int32, [None])
    (y,) = batch_op(x, body=body, max_batch_size=1, max_enqueued_batches=1)
    with tf.Session() as session:
        found = []
        runs = [threading.Thread(target=lambda: found.append(session.run(y, {x: [i]}))) for i in (1, 2)]  # fmt: skip # noqa: E501,B023
        runs[0].start()
        time.sleep(0.5)  # The first is computed, the second waits.
        runs[1].start()
        time.sleep(0.5)
        with pytest.raises(tf.errors.UnavailableError, match="is full"):
            session.run(y, {x: [3]})
        gate.set()
        for run in runs:
            run.join(60)
        assert len(found) == 2


def test_a_run_that_is_cancelled_leaves_the_queue():
    x = tf.placeholder(tf.int32, [None])
    y = batch(1, 2, LONG)(counted)(x)
    with tf.Session() as session:
        hurried = tf.RunOptions(timeout_in_ms=300)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(y, {x: [1]}, options=hurried)
        found = at_once(session, y, [{x: [1]}, {x: [2]}])
        assert [f.tolist() for f in found] == [[2], [2]]


def test_an_error_of_the_function_is_one_of_each_run():
    @batch(1, 2, LONG)
    def checked(x):
        return tf.check_numerics(x, "bad row")

    x = tf.placeholder(tf.float32, [None])
    y = checked(x)
    with tf.Session() as session:
        found = at_once(session, y, [{x: [1]}, {x: [np.nan]}])
        assert all(isinstance(f, tf.errors.InvalidArgumentError) for f in found)
        assert all("bad row" in str(f) for f in found)
        assert [f.tolist() for f in at_once(session, y, [{x: [1]}, {x: [3]}])] == [[1], [3]]  # fmt: skip


def test_rows_of_other_shapes_cannot_be_joined():
    x = tf.placeholder(tf.float32)
    y = batch(1, 2, LONG)(tf.identity)(x)
    with tf.Session() as session:
        found = at_once(session, y, [{x: [[1]]}, {x: [[1, 2]]}])
        assert all(isinstance(f, tf.errors.InvalidArgumentError) for f in found)


def test_what_is_refused():
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    same = batch(1, 2, 0)(lambda *xs: list(xs))
    with pytest.raises(ValueError, match="supposed to be Tensors"):
        same(3)
    with pytest.raises(ValueError, match="must return tensors"):
        batch(1, 2, 0)(lambda x: [])(x)
    both = same(x, y)
    mean = batch(1, 2, 0)(tf.reduce_mean)(x)
    short = batch(1, 2, 0)(lambda x: x[1:])(x)
    with tf.Session() as session:
        for feed, words in [
            ({x: [1.0], y: [1.0, 2.0]}, "equal numbers of rows"),
            ({x: 1.0, y: [1.0]}, "rank >= 1"),
        ]:
            with pytest.raises(tf.errors.InvalidArgumentError, match=words):
                session.run(both, feed)
        for fetch in (mean, short):
            with pytest.raises(tf.errors.FailedPreconditionError, match="as many rows"):
                session.run(fetch, {x: [1.0, 2.0]})


@pytest.mark.parametrize("threads", [0, -1, 1000])
def test_other_numbers_of_threads(threads):
    x = tf.constant([1.0, 2.0])
    with tf.Session() as session:
        (y,) = session.run(batch_op(x, num_batch_threads=threads))
        assert y.tolist() == [1, 2]


def test_nothing_is_computed_of_no_rows():
    x = tf.placeholder(tf.float32, [None, 3])
    y = batch(1, 4, 1000, allowed_batch_sizes=[2, 4])(tf.square)(x)
    with tf.Session() as session:
        assert session.run(y, {x: np.zeros([0, 3])}).shape == (0, 3)


@pytest.mark.parametrize(
    ("attrs", "words"),
    [
        ({"max_batch_size": 0}, "max_batch_size"),
        ({"batch_timeout_micros": -1}, "batch_timeout_micros"),
        ({"max_enqueued_batches": 0}, "max_enqueued_batches"),
        ({"allowed_batch_sizes": [4, 2, 8]}, "monotonically"),
        ({"allowed_batch_sizes": [0, 8]}, "positive"),
        ({"allowed_batch_sizes": [2, 4]}, "must equal max_batch_size"),
        (
            {"allowed_batch_sizes": [2, 9], "enable_large_batch_splitting": True},
            "must not be above",
        ),
    ],
)
def test_sizes_that_make_no_sense(attrs, words):
    x = tf.constant([1.0])
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=words):
            session.run(batch_op(x, **attrs))
