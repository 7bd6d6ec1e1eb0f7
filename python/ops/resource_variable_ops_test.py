# SPDX-License-Identifier: Apache-2.0
"""ResourceVariable: reads and updates in order, gradients, scopes, parts, protos, freezing, optimizers."""

import threading

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import resource_variable_ops

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _variable(value, **kwargs):
    return tf.Variable(value, use_resource=True, **kwargs)


def _run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


# --- What it is ---------------------------------------------------------------------


def test_operations_and_names():
    v = _variable(lambda: tf.zeros([2, 3]), name="w")
    assert isinstance(v, resource_variable_ops.ResourceVariable)
    assert isinstance(v, tf.Variable)
    assert resource_variable_ops.is_resource_variable(v)
    assert v.name == "w:0" and v._shared_name == "w"
    assert v.op.type == "VarHandleOp" and v.handle is v.op.outputs[0]
    assert v.initializer.name == "w/Assign"
    assert v.initializer.type == "AssignVariableOp"
    assert v.initial_value.name.startswith("w/Initializer/")
    assert v.dtype == tf.float32 and v.shape == v.get_shape() == [2, 3]
    assert v._as_graph_element().name == "w/Read/ReadVariableOp:0"
    assert repr(v) == "<tf.Variable 'w:0' shape=(2, 3) dtype=float32>"
    assert not hasattr(v, "_ref")
    assert v in tf.global_variables() and v in tf.trainable_variables()
    with pytest.raises(TypeError, match="not iterable"):
        iter(v)


def test_its_value_is_wanted_before_it_has_one():
    v = _variable([1.0, 2.0], name="late")
    known = v.is_initialized(), tf.is_variable_initialized(v)
    names = tf.report_uninitialized_variables()
    start = v.initialized_value()
    updates = [
        v.value(), v.assign_add([1.0, 1.0]), tf.gather(v, [0]), tf.gather_nd(v, [[0]]),
        tf.scatter_add(v, [0], [1.0]), v[0:1].assign([1.0]),
        resource_variable_ops.variable_shape(v.handle) + tf.cast(v[:1], tf.int32),
    ]  # fmt: skip
    with tf.Session() as session:
        for update in updates:
            with pytest.raises(tf.errors.FailedPreconditionError, match="late"):
                session.run(update)
        assert not any(session.run(known))
        assert session.run(names).tolist() == [b"late"]
        np.testing.assert_array_equal(session.run(start), [1, 2])
        session.run(v.initializer)
        assert all(session.run(known)) and session.run(names).size == 0
        session.run(v.assign([3.0, 4.0]))
        np.testing.assert_array_equal(session.run(start), [3, 4])
        v.load([5.0, 6.0], session)
        np.testing.assert_array_equal(v.eval(session), [5, 6])


def test_it_converts_and_has_a_tensors_operators():
    v, w = _variable([1.0, 2.0]), _variable([[3, 4]])
    got = _run([v + 1, 2 * v, -v, v[1], w * w, tf.stack([v, v]), v > 1.5, abs(-v)])
    want = [[2, 3], [2, 4], [-1, -2], 2, [[9, 16]], [[1, 2]] * 2, [0, 1], [1, 2]]
    for x, y in zip(got, want):
        np.testing.assert_array_equal(x, y)
    with pytest.raises(ValueError, match="Incompatible type conversion"):
        tf.convert_to_tensor(v, dtype=tf.int32)
    with pytest.raises(ValueError, match="shape specified"):
        _variable(tf.placeholder(tf.float32))
    free = _variable(tf.placeholder_with_default([1.0], None), validate_shape=False)
    assert free.shape.ndims is None
    with tf.Session() as session:
        session.run(free.initializer)
        session.run(free.assign([[1.0, 2.0]]))
        np.testing.assert_array_equal(session.run(free), [[1, 2]])


# --- Order --------------------------------------------------------------------------


def test_a_read_value_never_changes_afterwards():
    """Though the read shares the variable's memory, and the update is in place."""
    v = _variable(np.zeros(4096, np.float32))
    before = v.read_value()
    with tf.control_dependencies([before]):
        update = v.assign_add(np.ones(4096, np.float32), read_value=False)
        scattered = v.scatter_add(tf.IndexedSlices([5.0], [7]))
    with tf.control_dependencies([update, scattered.op]):
        after, old = v.read_value(), before + 0
    with tf.Session() as session:
        session.run(v.initializer)
        for i in range(3):
            kept = session.run(v)
            x, y, z = session.run([before, old, after])
            np.testing.assert_array_equal(x, kept)
            np.testing.assert_array_equal(y, kept)
            np.testing.assert_array_equal(z[:7], i + 1)
            assert z[7] == kept[7] + 6


def test_updates_follow_each_other():
    v = _variable(1.0)
    chain = v.assign(5.0).assign_add(2.0).assign_sub(1.0)
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(chain) == 6
        assert session.run([chain.op, chain.value(), chain * 2])[1:] == [6, 12]
        assert session.run(tf.assign(v, 3.0)) == 3
        assert session.run(v.assign(9.0, read_value=False)) is None
        assert session.run(v) == 9


def test_a_value_is_not_shared_with_what_was_assigned():
    """A constant, a fed array and another variable's value stay what they are."""
    v, w = _variable(np.zeros(1000)), _variable(np.ones(1000))
    fed = tf.placeholder(tf.float64, [1000])
    constant = tf.constant(np.full(1000, 2.0))
    one = tf.constant(np.ones(1000))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for value in (constant, fed, w, constant * 3):
            array = np.full(1000, 7.0)
            feed = {fed: array}
            want = session.run(value, feed) + 1
            session.run(v.assign(value).op, feed)
            session.run(v.assign_add(one).op)
            array[:] = -1
            np.testing.assert_array_equal(session.run(v), want)
        np.testing.assert_array_equal(session.run(w), 1)
        np.testing.assert_array_equal(session.run(constant), 2)


def test_reads_and_updates_of_many_threads_do_not_tear():
    n, rounds = 50_000, 60
    v = _variable(np.zeros(n, np.float32))
    add = v.assign_add(np.ones(n, np.float32), read_value=False)
    rows = tf.gather(v, [0, n - 1])
    torn = []
    with tf.Session() as session:
        session.run(v.initializer)

        def read():
            for _ in range(rounds):
                x, y = session.run([v, rows])
                torn.extend([x] * int((x != x[0]).any() or y[0] != y[1]))

        threads = [threading.Thread(target=read) for _ in range(2)]
        threads += [
            threading.Thread(target=lambda: [session.run(add) for _ in range(rounds)])
            for _ in range(2)
        ]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not torn
        np.testing.assert_array_equal(session.run(v), 2 * rounds)


def test_a_cached_value_is_read_once():
    with tf.device("/cpu:0"):
        v = _variable(1.0, caching_device="/cpu:0")
    assert v.value() is v.value() and v.value().op.type == "Identity"
    assert v.read_value() is not v.read_value()
    assert _run([v + 1, v.value()]) == [2, 1]


# --- Updates ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind,result",
    [
        ("update", [7, 2, 9, 4]), ("add", [8, 2, 12, 4]), ("sub", [-6, 2, -6, 4]),
        ("mul", [7, 2, 27, 4]), ("div", [1 / 7, 2, 3 / 9, 4]), ("min", [1, 2, 3, 4]),
        ("max", [7, 2, 9, 4]),
    ],
)  # fmt: skip
def test_rows_are_scattered(kind, result):
    slices = tf.IndexedSlices([7.0, 9.0], [0, 2])
    for update in (
        lambda v: getattr(v, f"scatter_{kind}")(slices),
        lambda v: getattr(tf, f"scatter_{kind}")(v, [0, 2], [7.0, 9.0]),
    ):
        v = _variable([1.0, 2.0, 3.0, 4.0])
        np.testing.assert_allclose(_run(update(v)), result, 1e-6)
    with pytest.raises(TypeError, match="IndexedSlices"):
        v.scatter_add([1.0])


def test_slices_are_scattered_by_coordinates():
    start = np.arange(6, dtype=np.float32).reshape([3, 2])
    at, x = [[2, 0], [0, 1]], np.array([10, 0.5], np.float32)
    rows, columns = np.array(at).T
    for kind, f in [
        ("add", lambda a, b: a + b), ("sub", lambda a, b: a - b),
        ("update", lambda a, b: b), ("min", np.minimum), ("max", np.maximum),
    ]:  # fmt: skip
        v = _variable(start)
        want = start.copy()
        want[rows, columns] = f(start[rows, columns], x)
        got = _run(getattr(v, f"scatter_nd_{kind}")(at, x))
        np.testing.assert_array_equal(got, want)
    v = _variable(start)
    got = _run(tf.batch_scatter_update(v, [[1], [0], [1]], [[-1.0], [-2.0], [-3.0]]))
    np.testing.assert_array_equal(got, [[0, -1], [-2, 3], [4, -3]])


@pytest.mark.parametrize("kind", ["min", "max"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float64])
def test_places_get_the_smaller_or_the_larger(kind, dtype):
    start = np.array([[9, 1], [2, 8], [5, 5]], dtype)
    at = [[0, 1], [0, 0], [2, 1], [1, 0]]
    x = np.array([4, 6, 7, 3], dtype)
    want = start.copy()
    choose = {"min": min, "max": max}[kind]
    for place, value in zip(at, x):
        want[tuple(place)] = choose(want[tuple(place)], value)
    v = _variable(start)
    np.testing.assert_array_equal(_run(getattr(v, f"scatter_nd_{kind}")(at, x)), want)


def test_slices_are_assigned_and_counters_end():
    v, counter = _variable([1.0, 2.0, 3.0]), _variable(0)
    sliced = v[1:].assign([7.0, 8.0])
    count = tf.count_up_to(counter, 2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(sliced), [1, 7, 8])
        assert [session.run(count) for _ in range(2)] == [0, 1]
        with pytest.raises(tf.errors.OutOfRangeError, match="limit of 2"):
            session.run(count)


def test_what_does_not_fit_is_refused():
    v = _variable([[1.0, 2.0]], name="v")
    for call in (
        lambda: v.assign([1.0]),
        lambda: tf.assign(v, [1.0]),
        lambda: v.assign_add([1.0, 2.0, 3.0]),
        lambda: v.scatter_add(tf.IndexedSlices([1.0], [0])),
        lambda: v.count_up_to(3),
        lambda: v.assign([[1, "a"]]),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
    for op in (tf.gather(v, [3]), tf.scatter_add(v, [-1], [[1.0, 2.0]])):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not in \[0, 1\)"):
            _run(op)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not index into"):
        _run(tf.gather_nd(v, [[0, 2]]))


# --- Gradients ----------------------------------------------------------------------


def test_gradients_reach_the_variable():
    v = _variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    x = [[1.0, -1.0, 2.0]]
    dense = tf.gradients(tf.matmul(x, v) ** 2, v)[0]
    twice = tf.gradients(v * v + tf.exp(v.read_value()), v)[0]
    rows = tf.gradients(tf.gather(v, [2, 0, 2]) * 3.0, v)[0]
    points = tf.gradients(tf.gather_nd(v, [[1, 1], [1, 1]]) ** 2, v)[0]
    mixed = tf.gradients(tf.reduce_sum(tf.gather(v, [0])) + tf.reduce_sum(v), v)[0]
    assert isinstance(rows, tf.IndexedSlices) and rows.shape == [3, 2]
    start = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    got = _run(
        [
            dense,
            twice,
            tf.convert_to_tensor(rows),
            points,
            *map(tf.convert_to_tensor, [mixed]),
        ]
    )
    np.testing.assert_allclose(got[0], np.transpose(x) @ (2 * np.array(x) @ start))
    np.testing.assert_allclose(got[1], 2 * start + np.exp(start), 1e-6)
    np.testing.assert_array_equal(got[2], [[3, 3], [0, 0], [6, 6]])
    np.testing.assert_array_equal(got[3], [[0, 0], [0, 16], [0, 0]])
    np.testing.assert_array_equal(got[4], [[2, 2], [1, 1], [1, 1]])


def test_gradients_of_rows_within_batches():
    v = _variable(np.arange(12.0).reshape([2, 3, 2]))
    picked = resource_variable_ops.resource_gather(
        v.handle, [[2, 2], [0, 1]], dtype=tf.float64, batch_dims=1
    )
    weights = np.arange(1.0, 9).reshape([2, 2, 2])
    got, grad = _run([picked, tf.gradients(picked, v, weights)[0]])
    start = np.arange(12.0).reshape([2, 3, 2])
    np.testing.assert_array_equal(got, [start[0][[2, 2]], start[1][[0, 1]]])
    want = np.zeros([2, 3, 2])
    np.add.at(want[0], [2, 2], weights[0])
    np.add.at(want[1], [0, 1], weights[1])
    np.testing.assert_array_equal(grad, want)


@pytest.mark.parametrize("known", [True, False])
def test_gradients_through_a_branch_that_is_taken_or_not(known):
    start = tf.placeholder_with_default([1.0, 2.0], [2] if known else None)
    v = _variable(start, validate_shape=known)
    yes = tf.placeholder(tf.bool, [])
    dense = tf.cond(yes, lambda: v * v, lambda: tf.constant([7.0, 7.0]))
    rows = tf.cond(yes, lambda: tf.gather(v, [1]), lambda: tf.constant([0.0]))
    both = tf.cond(yes, lambda: v * 3.0, lambda: v * 5.0)
    grads = [tf.convert_to_tensor(tf.gradients(y, v)[0]) for y in (dense, rows, both)]
    with tf.Session() as session:
        session.run(v.initializer)
        got = session.run(grads, {yes: True})
        for x, want in zip(got, ([2, 4], [0, 1], [3, 3])):
            np.testing.assert_array_equal(x, want)
        got = session.run(grads, {yes: False})
        for x, want in zip(got, ([0, 0], [0, 0], [5, 5])):
            np.testing.assert_array_equal(x, want)


@pytest.mark.parametrize("known", [True, False])
def test_gradients_through_loops(known):
    start = tf.placeholder_with_default([2.0, 3.0], [2] if known else None)
    v = _variable(start, validate_shape=known)

    def loop(step):
        return tf.while_loop(
            lambda i, x: i < 3,
            lambda i, x: (i + 1, step(i, x)),
            [0, tf.ones([2])],
            shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
        )[1]

    power = loop(lambda i, x: x * v)
    rows = loop(lambda i, x: x + tf.gather(v, [i % 2, 1]))
    branch = loop(
        lambda i, x: tf.cond(tf.equal(i, 1), lambda: x * v, lambda: x + 0.5 * v)
    )
    nested = loop(
        lambda i, x: tf.while_loop(lambda j, y: j < i, lambda j, y: (j + 1, y * v), [0, x])[1]
    )  # fmt: skip
    outs = [power, rows, branch, nested]
    grads = [tf.convert_to_tensor(tf.gradients(y, v)[0]) for y in outs]
    got = _run([*outs, *grads])
    w = np.array([2.0, 3.0])
    for x, want in zip(
        got,
        [
            w**3, [1 + 2 + 3 + 2, 1 + 9], (1 + 0.5 * w) * w + 0.5 * w, w**3,
            3 * w**2, [2, 4], 1 + w + 0.5, 3 * w**2,
        ],
    ):  # fmt: skip
        np.testing.assert_allclose(x, want, 1e-6)


def test_updates_inside_loops_and_branches():
    v = _variable(1.0)
    yes = tf.placeholder(tf.bool, [])
    maybe = tf.cond(
        yes, lambda: v.assign_add(10.0).read_value(), lambda: v.read_value()
    )
    # One at a time: nothing else puts the additions of two iterations in order.
    looped = tf.while_loop(
        lambda i, x: i < 5,
        lambda i, x: (i + 1, v.assign_add(1.0) + 0.0),
        [0, 0.0],
        parallel_iterations=1,
    )[1]
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run(maybe, {yes: False}) == 1
        assert session.run(maybe, {yes: True}) == 11
        assert session.run(looped) == 16


def test_custom_gradients_find_the_variables_they_use():
    v = _variable(3.0)

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            assert variables == [v]
            return dy * 100.0, [dy * 7.0]

        return x * v, grad

    x = tf.constant(2.0)
    y = scaled(x)
    assert _run([y, *tf.gradients(y, [x, v])]) == [6, 100, 7]


# --- Scopes -------------------------------------------------------------------------


def test_who_says_which_kind_a_variable_is():
    def kind(v):
        return resource_variable_ops.is_resource_variable(v)

    assert not kind(tf.get_variable("plain", []))
    assert kind(tf.get_variable("asked", [], use_resource=True))
    with tf.variable_scope("scope", use_resource=True):
        assert kind(tf.get_variable("a", []))
        assert kind(tf.Variable(1.0))
        assert not kind(tf.get_variable("b", [], use_resource=False))
        with tf.variable_scope("inner"):
            assert kind(tf.get_variable("c", []))
        tf.get_variable_scope().set_use_resource(False)
        assert not kind(tf.get_variable("d", []))
    with tf.variable_scope("scope", reuse=True):
        assert kind(tf.get_variable("a", []))
    assert not tf.resource_variables_enabled()
    tf.enable_resource_variables()
    try:
        assert tf.resource_variables_enabled()
        assert kind(tf.Variable(0)) and kind(tf.get_variable("on", []))
        assert not kind(tf.Variable(0, use_resource=False))
    finally:
        tf.disable_resource_variables()
    assert not kind(tf.Variable(0))


def test_creators_see_the_kind_and_may_change_it():
    seen = []

    def creator(next_creator, **arguments):
        seen.append(arguments["use_resource"])
        return next_creator(**{**arguments, "use_resource": True})

    with tf.variable_creator_scope(creator):
        v = tf.Variable(1.0, name="v")
    assert seen == [None] and resource_variable_ops.is_resource_variable(v)
    assert _run(v) == 1


def test_parts_behind_handles_are_one_variable():
    whole = tf.get_variable(
        "table", partitioner=tf.fixed_size_partitioner(2), use_resource=True,
        initializer=np.float32([[0, 0], [0, 0], [0, 0], [3, 3], [3, 3]]),
    )  # fmt: skip
    assert all(resource_variable_ops.is_resource_variable(v) for v in whole)
    rows = tf.nn.embedding_lookup(whole, [0, 4], partition_strategy="div")
    grads = tf.gradients(rows, list(whole))
    value, found, *grads = _run(
        [tf.convert_to_tensor(whole), rows, *map(tf.convert_to_tensor, grads)]
    )
    np.testing.assert_array_equal(value[:, 0], [0, 0, 0, 3, 3])
    np.testing.assert_array_equal(found, [[0, 0], [3, 3]])
    np.testing.assert_array_equal(grads[0], [[1, 1], [0, 0], [0, 0]])
    np.testing.assert_array_equal(grads[1], [[0, 0], [1, 1]])


def test_a_proto_names_it():
    v = _variable([1.0, 2.0], name="v", trainable=False)
    proto = v.to_proto()
    assert proto.is_resource and not proto.trainable
    again = tf.Variable.from_proto(proto)
    assert isinstance(again, resource_variable_ops.ResourceVariable)
    assert again.handle is v.handle and again.shape == [2]
    assert again.initializer is v.initializer and not again.trainable
    np.testing.assert_array_equal(_run(again.assign_add([1.0, 1.0])), [2, 3])
    with pytest.raises(ValueError, match="as ResourceVariable"):
        resource_variable_ops.ResourceVariable.from_proto(
            tf.Variable(1.0, use_resource=False).to_proto()
        )


# --- Programs -----------------------------------------------------------------------


def _trained(kind, path=None):
    """A program with `kind` of variables: layers, batch norm, an embedding, averages; its losses and variables."""
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        rng = np.random.RandomState(5)
        ids = tf.constant(rng.randint(0, 9, [16]))
        with tf.variable_scope("net", use_resource=kind):
            table = tf.get_variable(
                "table", initializer=rng.randn(9, 4).astype(np.float32)
            )
            x = tf.nn.embedding_lookup(table, ids)
            init = tf.constant_initializer(rng.randn(4, 3))
            x = tf.layers.dense(x, 3, kernel_initializer=init, activation=tf.nn.relu)
            x = tf.layers.batch_normalization(x, training=True)
            loss = tf.reduce_mean((tf.reduce_sum(x, 1) - 1.0) ** 2)
            step = tf.get_variable(
                "step", [], tf.int64, tf.zeros_initializer(), trainable=False
            )
        average = tf.train.ExponentialMovingAverage(0.9)
        train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        with tf.control_dependencies(
            [train, *tf.get_collection(tf.GraphKeys.UPDATE_OPS)]
        ):
            train = average.apply(tf.trainable_variables())
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            losses = []
            for _ in range(4):
                losses.append(session.run(loss))
                session.run(train)
            values = {v.op.name: session.run(v) for v in tf.global_variables()}
            if path:
                saver.save(session, path)
            kinds = {
                resource_variable_ops.is_resource_variable(v)
                for v in tf.global_variables()
            }
    return losses, values, kinds


def test_a_program_trains_as_one_of_references_does(tmp_path):
    """And each reads the other's checkpoint."""
    path = str(tmp_path / "model")
    losses, values, kinds = _trained(True, path)
    want_losses, want, _ = _trained(False)
    assert kinds == {True}
    assert values.keys() == want.keys() and values["net/step"] == 4
    np.testing.assert_allclose(losses, want_losses, 1e-5)
    for name in want:
        np.testing.assert_allclose(values[name], want[name], 1e-4, 1e-5, err_msg=name)
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("net/table", [9, 4])
        tf.train.Saver().restore(session, path)
        np.testing.assert_array_equal(session.run(v), values["net/table"])


@pytest.mark.parametrize("version", [1, 2])
def test_both_kinds_are_saved_and_come_back(version, tmp_path):
    parts = tf.get_variable(
        "parts", [5], partitioner=tf.fixed_size_partitioner(2), use_resource=True,
        initializer=tf.ones_initializer(),
    )  # fmt: skip
    one, other = _variable([1.0, 2.0], name="one"), tf.Variable(3, name="other")
    saver = tf.train.Saver(write_version=version)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path / "model"))
    with tf.Session() as session:
        saver.restore(session, path)
        got = session.run([one, other, tf.convert_to_tensor(parts)])
    for x, want in zip(got, ([1, 2], 3, np.ones(5))):
        np.testing.assert_array_equal(x, want)
    with tf.Graph().as_default(), tf.Session() as session:
        again = tf.train.import_meta_graph(path + ".meta")
        again.restore(session, path)
        kinds = {
            v.op.name: resource_variable_ops.is_resource_variable(v)
            for v in tf.global_variables()
        }
        assert kinds.pop("other") is False and set(kinds.values()) == {True}
        (found,) = (v for v in tf.global_variables() if v.op.name == "one")
        np.testing.assert_array_equal(session.run(found.assign_add([1.0, 1.0])), [2, 3])
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("mine", [2], use_resource=True)
        p = tf.get_variable(
            "p", [5], partitioner=tf.fixed_size_partitioner(3), use_resource=True
        )
        tf.train.init_from_checkpoint(path, {"one": v, "parts": p})
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(v), [1, 2])
        np.testing.assert_array_equal(session.run(tf.convert_to_tensor(p)), 1)


def test_a_saved_model_keeps_the_kind(tmp_path):
    folder = str(tmp_path / "model")
    x = tf.placeholder(tf.float32, [2], name="x")
    v = _variable([2.0, 3.0], name="v")
    y = tf.multiply(v, x, name="y")
    with tf.Session() as session:
        session.run(v.initializer)
        tf.saved_model.simple_save(session, folder, {"x": x}, {"y": y})
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.loader.load(session, ["serve"], folder)
        np.testing.assert_array_equal(session.run("y:0", {"x:0": [1, 2]}), [2, 6])
        (found,) = tf.global_variables()
        assert resource_variable_ops.is_resource_variable(found)


def test_an_update_that_is_constrained():
    for use_resource in (True, False):
        v = tf.Variable(
            [1.0, -1.0],
            use_resource=use_resource,
            constraint=lambda x: tf.clip_by_value(x, -0.5, 0.5),
        )
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v * v))
        with tf.Session() as session:
            session.run(v.initializer)
            session.run(train)
            np.testing.assert_array_equal(session.run(v), [0.5, -0.5])


def test_what_comes_after_a_variable_does_not_read_it():
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable("v", [2], use_resource=True)
        update = tf.assign_add(v, [1.0, 2.0])
        group = tf.group(update, tf.scatter_add(v, [0], [3.0]))
        kinds = sorted(op.type for op in group.control_inputs)
        assert kinds == ["AssignAddVariableOp", "ResourceScatterAdd"]
        with tf.control_dependencies([v]):
            after = tf.no_op()
        session.run(after)  # Not even a value is needed.
        session.run(v.assign([0.0, 0.0]).op)
        session.run(group)
        np.testing.assert_array_equal(session.run(v), [4, 2])
