# SPDX-License-Identifier: Apache-2.0
"""tf.Policy(deterministic=True): the same bits with any number of threads and in each run, or a refusal by name."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.core.framework import op_def_pb2
from tensorwright.python import _pywrap
from tensorwright.python.framework import function

POLICY = tf.Policy(name="same", deterministic=True)
SAYS = "the policy 'same' says 'deterministic: true'"
THREADS = (1, 2, 3, 4)


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def _session(threads=2, policy=POLICY, inter=0, **kwargs):
    config = tf.ConfigProto(
        intra_op_parallelism_threads=threads,
        inter_op_parallelism_threads=inter,
        **kwargs,
    )
    return tf.Session(config=config, policy=policy)


def _values(fetches, feed_dict=None, threads=2, policy=POLICY, inter=0):
    with _session(threads, policy, inter) as session:
        return session.run(fetches, feed_dict)


def _same(first, second):
    return all(
        a.tobytes() == b.tobytes()
        for a, b in zip(tf.nest.flatten(first), tf.nest.flatten(second), strict=True)
    )


def _refusal(fetches, policy=POLICY):
    with _session(policy=policy) as session:
        with pytest.raises(tf.errors.PermissionDeniedError) as caught:
            session.run(fetches)
    return caught.value.message


def _floats(shape, seed):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


# ---- Training


def _network(images, labels):
    """A loss with convolutions, products, pooling, dropout and batch normalization."""
    x = images
    for i, depth in enumerate((16, 32)):
        x = tf.layers.conv2d(
            x,
            depth,
            3,
            padding="same",
            kernel_initializer=tf.glorot_uniform_initializer(seed=i),
        )
        x = tf.nn.relu(tf.layers.batch_normalization(x, training=True))
        x = tf.layers.max_pooling2d(x, 2, 2)
    x = tf.layers.dense(
        tf.layers.flatten(x), 128, kernel_initializer=tf.ones_initializer()
    )
    x = tf.nn.dropout(tf.nn.tanh(x / 50), 0.6, seed=7)
    logits = tf.layers.dense(
        x, 10, kernel_initializer=tf.glorot_uniform_initializer(seed=9)
    )
    return tf.losses.sparse_softmax_cross_entropy(labels, logits)


def _training():
    """(an initializer, the loss and the updates of a step, variables) of a program with all its parts."""
    pixels = tf.constant(_floats([96, 20, 20, 16], 1))
    digits = tf.constant(np.arange(96) % 10)
    dataset = tf.data.Dataset.from_tensor_slices((pixels, digits))
    dataset = dataset.shuffle(64, seed=3).repeat()
    dataset = dataset.map(
        lambda image, label: (image + tf.random_normal([1], seed=11), label)
    )
    dataset = dataset.batch(32).prefetch(2)
    iterator = dataset.make_initializable_iterator()
    loss = _network(*iterator.get_next())
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    with tf.control_dependencies(updates):
        step = tf.train.AdamOptimizer(0.01).minimize(loss)
    init = tf.group(tf.global_variables_initializer(), iterator.initializer)
    return init, (loss, step), tf.global_variables()


def _train(program, threads, policy=POLICY, inter=0, steps=3):
    init, (loss, step), variables = program
    with _session(threads, policy, inter) as session:
        session.run(init)
        losses = [session.run([loss, step])[0] for _ in range(steps)]
        return [*losses, *session.run(variables)]


@pytest.mark.parametrize("threads", THREADS)
def test_training_gives_the_same_bits_with_any_number_of_threads(graph, threads):
    program = _training()
    first = _train(program, 1)
    assert np.isfinite(first[0]) and not _same(first[0], first[2])
    assert _same(first, _train(program, threads, inter=threads))


def test_training_gives_the_same_bits_in_twenty_runs(graph):
    program = _training()
    first = _train(program, 2, steps=1)
    for _ in range(19):
        assert _same(first, _train(program, 2, steps=1))


def test_the_seed_of_the_graph_is_enough(graph):
    tf.set_random_seed(5)
    drawn = [tf.random_uniform([100]), tf.random_shuffle(tf.range(100))]
    dataset = tf.data.Dataset.range(100).shuffle(100).batch(100)
    drawn.append(tf.data.make_one_shot_iterator(dataset).get_next())
    assert _same(_values(drawn), _values(drawn, threads=3))


# ---- Products and convolutions


def _gradients(y, xs):
    return [y, *tf.gradients(tf.reduce_sum(y * y), xs)]


def _product(m, k, n, **transposed):
    a = tf.constant(_floats([k, m] if "transpose_a" in transposed else [m, k], 1))
    b = tf.constant(_floats([n, k] if "transpose_b" in transposed else [k, n], 2))
    return _gradients(tf.matmul(a, b, **transposed), [a, b])


def _convolution(images, filters, strides=1, **arguments):
    x, w = tf.constant(_floats(images, 1)), tf.constant(_floats(filters, 2))
    y = tf.nn.conv2d(x, w, [1, strides, strides, 1], "SAME", **arguments)
    return _gradients(y, [x, w])


def _lstm():
    cell = tf.contrib.rnn.LSTMBlockCell(64)
    x = tf.constant(_floats([7, 128, 96], 1))
    with tf.variable_scope("lstm", initializer=tf.glorot_uniform_initializer(seed=1)):
        y, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, time_major=True)
    return y


PRODUCTS = {
    "square": lambda: _product(300, 300, 300),
    "odd": lambda: _product(515, 77, 333),
    "transposed": lambda: _product(200, 400, 260, transpose_a=True, transpose_b=True),
    "deep": lambda: _product(20, 50_001, 30),
    "one row": lambda: _product(1, 3000, 2000),
    "one column": lambda: _product(2000, 3000, 1),
    "batch": lambda: _gradients(
        *(lambda a: (tf.matmul(a, a, transpose_b=True), [a]))(
            tf.constant(_floats([5, 200, 120], 1))
        )
    ),
    "sparse": lambda: [
        tf.matmul(
            tf.constant(_floats([300, 300], 1) * (_floats([300, 300], 3) > 1)),
            tf.constant(_floats([300, 300], 2)),
            a_is_sparse=True,
        )
    ],
    "doubles": lambda: [
        tf.matmul(
            tf.constant(_floats([300, 300], 1).astype(np.float64)),
            tf.constant(_floats([300, 300], 2).astype(np.float64)),
        )
    ],
    "winograd": lambda: _convolution([8, 28, 28, 32], [3, 3, 32, 32]),
    "narrow": lambda: _convolution([9, 40, 40, 3], [5, 5, 3, 32]),
    "strided": lambda: _convolution([10, 29, 29, 24], [3, 3, 24, 40], 2),
    "pixels": lambda: _convolution([7, 28, 28, 64], [1, 1, 64, 48]),
    "one image": lambda: _convolution([1, 60, 60, 20], [3, 3, 20, 24]),
    "pool": lambda: _gradients(
        *(
            lambda x: (
                tf.nn.avg_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME")
                + tf.nn.max_pool(x, [1, 3, 3, 1], [1, 2, 2, 1], "SAME"),
                [x],
            )
        )(tf.constant(_floats([16, 40, 40, 32], 1)))
    ),
}


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_give_the_same_bits_with_any_number_of_threads(graph, name):
    values = PRODUCTS[name]()
    first = _values(values, threads=1)
    for threads in THREADS[1:]:
        assert _same(first, _values(values, threads=threads)), threads
    # They are what others get.
    for one, other in zip(first, _values(values, threads=2, policy=None)):
        bound = 2e-4 * np.abs(other).max()
        np.testing.assert_allclose(one, other, rtol=0, atol=bound)


def test_without_the_policy_the_number_of_threads_shows(graph):
    gradient = PRODUCTS["winograd"]()[2]
    one, two = (_values(gradient, threads=n, policy=None) for n in (1, 2))
    assert not _same(one, two)
    assert _same(*(_values(gradient, threads=n) for n in (1, 2)))


# ---- The order of nodes


def test_updates_without_an_order_run_in_one(graph):
    big = tf.constant(_floats([400, 400], 1))
    v = tf.get_variable("v", initializer=np.ones([400, 400], np.float32))
    # Products take their time, and none waits for another.
    updates = [
        v.assign_add(tf.matmul(big, big)),
        tf.assign(v, tf.matmul(big, tf.transpose(big))),
        v.assign_sub(tf.matmul(big, big * 0.5)),
    ]
    step = tf.group(*updates)
    seen = set()
    for threads in THREADS:
        with _session(threads, inter=threads) as session:
            for _ in range(5):
                session.run(v.initializer)
                session.run(step)
                seen.add(session.run(v).tobytes())
    assert len(seen) == 1


def test_draws_of_a_loop_come_in_order(graph):
    def body(i, sums):
        drawn = tf.random_normal([50, 50], seed=1)
        return i + 1, sums * 0.9 + tf.matmul(drawn, drawn)

    _, sums = tf.while_loop(
        lambda i, _: i < 20, body, [0, tf.zeros([50, 50])], parallel_iterations=10
    )
    assert _same(_values(sums, threads=1), _values(sums, threads=4, inter=4))


def test_asynchronous_kernels_take_their_turn(graph):
    """Each iterator adds to one variable; which comes first is the graph's choice."""
    v = tf.get_variable("v", initializer=0.0)

    def slow(i):
        x = tf.ones([200, 200]) * tf.cast(i, tf.float32)
        return tf.reduce_sum(tf.matmul(x, x))

    steps = []
    for n in range(4):
        dataset = tf.data.Dataset.range(3 + n).map(
            slow if n % 2 else lambda i: tf.cast(i, tf.float32)
        )
        following = dataset.prefetch(1).make_one_shot_iterator().get_next()
        steps.append(tf.assign(v, tf.cast(following, tf.float32) * 0.5 + n))
    step = tf.group(*steps)
    seen = set()
    for threads in THREADS:
        with _session(threads) as session:
            session.run(v.initializer)
            values = []
            for _ in range(3):
                session.run(step)
                values.append(float(session.run(v)))
            seen.add(tuple(values))
            # The end of the first one stops them all.
            with pytest.raises(tf.errors.OutOfRangeError):
                session.run(step)
    assert len(seen) == 1


def test_a_run_can_be_stopped_while_it_waits(graph):
    queue = tf.FIFOQueue(2, tf.float32)
    policy = tf.Policy(deterministic=True, allow_ops=["QueueDequeueV2"])
    waiting = tf.group(queue.dequeue(), tf.ones([10]))
    with _session(policy=policy) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(waiting, options=tf.RunOptions(timeout_in_ms=100))
        session.run(queue.enqueue(1.0))
        assert session.run(queue.dequeue()) == 1.0


# ---- Refusals


def _queue(**kwargs):
    return tf.FIFOQueue(4, tf.float32, **kwargs)


def _stage(take):
    area = tf.contrib.staging.StagingArea([tf.float32])
    area.put([1.0])
    return getattr(area, take)(*([0] if take == "peek" else []))


def _accumulator():
    return tf.ConditionalAccumulator(tf.float32, shape=[])


def _reader():
    return tf.WholeFileReader().read(tf.FIFOQueue(2, tf.string))[0]


REFUSED = {
    "RandomStandardNormal": lambda: tf.random_normal([2]),
    "RandomUniform": lambda: tf.random_uniform([2]),
    "RandomUniformInt": lambda: tf.random_uniform([2], 0, 9, tf.int32),
    "TruncatedNormal": lambda: tf.truncated_normal([2]),
    "RandomShuffle": lambda: tf.random_shuffle([1, 2]),
    "RandomGamma": lambda: tf.random_gamma([2], 1.0),
    "RandomPoissonV2": lambda: tf.random_poisson(2.0, [2]),
    "Multinomial": lambda: tf.multinomial([[1.0, 2.0]], 3),
    "UniformCandidateSampler": lambda: tf.nn.uniform_candidate_sampler(
        [[1]], 1, 2, True, 9
    )[0],
    "SampleDistortedBoundingBoxV2": lambda: tf.image.sample_distorted_bounding_box(
        [9, 9, 3], [[[0.0, 0.0, 1.0, 1.0]]]
    )[0],
    "RandomShuffleQueueV2": lambda: tf.RandomShuffleQueue(4, 1, tf.float32).enqueue(
        1.0
    ),
    "FractionalMaxPool": lambda: tf.nn.fractional_max_pool(
        tf.ones([1, 9, 9, 1]), [1, 1.5, 1.5, 1]
    )[0],
    "ExtractGlimpse": lambda: tf.image.extract_glimpse(
        tf.ones([1, 4, 4, 1]), [8, 8], [[0.0, 0.0]]
    ),
    "PyFunc": lambda: tf.py_func(lambda: 1.0, [], tf.float64),
    "Timestamp": lambda: tf.timestamp(),
    "BytesInUse": lambda: tf.contrib.memory_stats.BytesInUse(),
    "QueueDequeueV2": lambda: _queue().dequeue(),
    "QueueDequeueManyV2": lambda: _queue(shapes=[[]]).dequeue_many(2),
    "QueueDequeueUpToV2": lambda: _queue(shapes=[[]]).dequeue_up_to(2),
    "QueueSizeV2": lambda: _queue().size(),
    "Unstage": lambda: _stage("get"),
    "StagePeek": lambda: _stage("peek"),
    "StageSize": lambda: _stage("size"),
    "AccumulatorTakeGradient": lambda: _accumulator().take_grad(1),
    "AccumulatorNumAccumulated": lambda: _accumulator().num_accumulated(),
    "ReaderReadV2": _reader,
}


@pytest.mark.parametrize("op", REFUSED)
def test_what_depends_on_chance_or_others_is_refused(graph, op):
    made = REFUSED[op]()
    message = _refusal(made)
    assert f"({op}) is not allowed: " in message and message.endswith(SAYS)
    (first, *_) = [n for n in graph.get_operations() if n.type == op]
    assert f"Node '{first.name}'" in message
    # The op alone is what is wrong, and may be allowed.
    allowing = tf.Policy(name="same", deterministic=True, allow_ops=[op])
    allowing.check(graph)


SEEDED = {
    "RandomStandardNormal": lambda: tf.random_normal([2], seed=1),
    "RandomShuffle": lambda: tf.random_shuffle([1, 2], seed=1),
    "Multinomial": lambda: tf.multinomial([[1.0, 2.0]], 3, seed=1),
    "UniformCandidateSampler": lambda: tf.nn.uniform_candidate_sampler(
        [[1]], 1, 2, True, 9, seed=1
    )[0],
    "FractionalMaxPool": lambda: tf.nn.fractional_max_pool(
        tf.ones([1, 9, 9, 1]), [1, 1.5, 1.5, 1], deterministic=True, seed=1, seed2=2
    )[0],
    "StatelessRandomNormal": lambda: tf.contrib.stateless.stateless_random_normal(
        [2], seed=[1, 2]
    ),
}


@pytest.mark.parametrize("op", SEEDED)
def test_with_a_seed_it_is_allowed(graph, op):
    made = SEEDED[op]()
    assert op in [n.type for n in graph.get_operations()]
    assert _same(_values(made), _values(made, threads=3))


def test_a_refusal_says_why(graph):
    drawn = tf.random_normal([2], name="drawn")
    assert _refusal(drawn).split(": ", 1)[1] == (
        f"it draws at random, since its seed and seed2 are 0, and {SAYS}"
    )
    stamp = tf.timestamp(name="now")
    assert _refusal(stamp).startswith(
        "Node 'now' (Timestamp) is not allowed: it touches 'host', which is not in the graph"
    )


def test_functions_are_checked(graph):
    @function.Defun(tf.float32)
    def noisy(x):
        return x + tf.random_normal([], name="inner")

    message = _refusal(noisy(1.0))
    assert "(RandomStandardNormal) of function 'noisy" in message


@pytest.mark.parametrize(
    "op, make",
    [
        ("ShuffleDataset", lambda d: d.shuffle(4)),
        (
            "RandomDataset",
            lambda d: tf.data.Dataset.zip((d, tf.contrib.data.RandomDataset())),
        ),
    ],
)
def test_datasets_that_draw_without_a_seed_are_refused_when_they_are_made(
    graph, op, make
):
    dataset = make(tf.data.Dataset.range(4))
    message = _refusal(tf.data.make_initializable_iterator(dataset).initializer)
    assert f"({op}) is not allowed: it draws at random" in message
    assert message.endswith(SAYS)


def test_elements_in_any_order_are_refused(graph):
    dataset = tf.data.Dataset.range(4).map(lambda i: i + 1, num_parallel_calls=2)
    ordered = tf.data.make_initializable_iterator(dataset)
    following = ordered.get_next()
    with _session() as session:
        session.run(ordered.initializer)
        assert [session.run(following) for _ in range(4)] == [1, 2, 3, 4]
    options = tf.data.Options()
    options.experimental_deterministic = False
    any_order = tf.data.make_initializable_iterator(dataset.with_options(options))
    message = _refusal(any_order.initializer)
    assert "(OptionsDataset) is not allowed" in message and message.endswith(SAYS)


def test_a_map_op_in_any_order_is_refused_by_its_attr(graph):
    tf.data.Dataset.range(4).map(lambda i: i + 1, num_parallel_calls=2)._variant_tensor
    definition = graph.as_graph_def()
    POLICY.check(definition)
    (node,) = [n for n in definition.node if n.op.startswith("ParallelMapDataset")]
    if "sloppy" in node.attr:
        node.attr["sloppy"].b = True
    else:
        node.attr["deterministic"].s = b"false"
    with pytest.raises(tf.errors.PermissionDeniedError, match="depends on chance"):
        POLICY.check(definition)


def test_draws_in_parallel_calls_are_refused(graph):
    def noisy(i):
        return tf.random_uniform([], seed=1) + tf.cast(i, tf.float32)

    dataset = tf.data.Dataset.range(4)
    POLICY.check(graph)
    one_by_one = tf.data.make_one_shot_iterator(dataset.map(noisy)).get_next()
    assert _same(_values(one_by_one), _values(one_by_one, threads=3))
    parallel = dataset.map(noisy, num_parallel_calls=2)
    message = _refusal(tf.data.make_initializable_iterator(parallel).initializer)
    assert "(RandomUniform) of function" in message
    assert "in several threads" in message and message.endswith(SAYS)


def test_variables_in_functions_of_datasets_are_refused(graph):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    dataset = tf.data.Dataset.range(4).map(lambda i: v.read_value())
    message = _refusal(tf.data.make_initializable_iterator(dataset).initializer)
    assert "(ReadVariableOp) of function" in message
    assert "while the run changes the variable" in message


def test_one_device_runs_all(graph):
    with tf.device("/cpu:1"):
        x = tf.constant([1.0, 2.0]) + 1
    with _session(device_count={"CPU": 2}) as session:
        with pytest.raises(tf.errors.PermissionDeniedError, match="CPU:1 and not on"):
            session.run(x)
        assert session.run(tf.constant(3.0) * 2) == 6


def test_partial_runs_are_refused(graph):
    a = tf.placeholder(tf.float32, [])
    b = a + 1
    with _session() as session:
        with pytest.raises(tf.errors.PermissionDeniedError, match="a partial run"):
            session.partial_run_setup([b], [a])
        assert session.run(b, {a: 1}) == 2


# ---- The policy and the registry


def test_the_policy_prints_and_travels():
    assert str(POLICY) == "name: same\nallow: everything\ndeterministic: true"
    assert tf.Policy.from_proto(POLICY.to_proto()) == POLICY
    assert tf.Policy(name="same") != POLICY
    assert "deterministic: true" in str(tf.Policy.sandbox(deterministic=True))


def test_every_op_with_seeds_says_so():
    """An op that has both seeds draws, or its stateless twin ignores them."""
    for data in _pywrap.op_registrations():
        op = op_def_pb2.OpDef.FromString(data["op_def"])
        names = {a.name for a in op.attr} | {a.name for a in op.input_arg}
        if {"seed", "seed2"} <= names and op.name != "ComputeAccidentalHits":
            assert data["chance"] == "chance unless seed", op.name
