# SPDX-License-Identifier: Apache-2.0
"""The backend under Keras: sessions, variables, functions, loops over time steps, cross entropies."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.keras import _base
from tensorwright.python.keras.keras_testutil import forget  # noqa: F401

K = tf.keras.backend
_rng = np.random.RandomState(3)


def test_the_session_is_the_default_one_else_keras_own():
    own = K.get_session()
    assert own is K.get_session() and own.graph is tf.get_default_graph()
    with tf.Session() as session:
        assert K.get_session() is session
    other = tf.Session()
    K.set_session(other)
    assert K.get_session() is other
    with tf.Graph().as_default() as graph:
        assert K.get_session().graph is graph


def test_each_session_gets_its_variables_initialized_once():
    v = K.variable(3.0)
    assert K.get_value(v) == 3.0
    K.set_value(v, 4.0)
    assert K.get_value(v) == 4.0
    with tf.Session():
        assert K.get_value(v) == 3.0
    assert K.get_value(v) == 4.0


def test_manual_initialization_leaves_variables_alone():
    K.manual_variable_initialization(True)
    try:
        v = K.variable(3.0)
        with pytest.raises(tf.errors.FailedPreconditionError):
            K.get_session().run(v)
    finally:
        K.manual_variable_initialization(False)


def test_variables_are_in_the_collections_and_checkpoints(tmp_path):
    v = K.variable([1.0, 2.0], name="pair")
    assert any(v is x for x in tf.global_variables())
    assert any(v is x for x in tf.trainable_variables())
    path = tf.train.Saver().save(K.get_session(), str(tmp_path / "model"))
    assert tf.train.list_variables(path) == [("pair", [2])]


def test_values_of_another_shape_are_refused():
    v = K.variable([1.0, 2.0])
    with pytest.raises(ValueError, match="shape"):
        K.set_value(v, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(K.get_value(v), [1.0, 2.0])


def test_a_function_updates_variables_after_its_outputs():
    v = K.variable(1.0)
    x = K.placeholder(shape=())
    step = K.function([x], [v * x, x], updates=[(v, v + x)])
    assert step([10.0]) == [10.0, 10.0]
    assert step([10.0]) == [110.0, 10.0]
    with pytest.raises(ValueError, match="takes 1 inputs, got 2"):
        step([1.0, 2.0])
    with pytest.raises(ValueError, match="unknown arguments"):
        K.function([x], [x], nonsense=1)


def test_a_function_feeds_and_fetches_what_its_run_arguments_say():
    x, y = K.placeholder(shape=()), K.placeholder(shape=())
    seen = []
    run = K.function([x], [x + y], feed_dict={y: 5.0}, fetches=[x * y])
    run.fetch_callbacks[run.fetches[0]] = seen.append
    assert run([2.0]) == [7.0]
    assert seen == [10.0]
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    K.function([x], [x + 1], options=options, run_metadata=metadata)([2.0])
    assert metadata.step_stats.dev_stats


def test_a_function_takes_sparse_matrices():
    sparse = pytest.importorskip("scipy.sparse")
    x = K.placeholder(shape=(None, 3), sparse=True)
    w = K.variable(np.arange(6).reshape(3, 2))
    value = np.array([[1.0, 0, 2], [0, 3, 0]])
    (found,) = K.function([x], [K.dot(x, w)])([sparse.csr_matrix(value)])
    np.testing.assert_allclose(found, value @ np.arange(6).reshape(3, 2))


def test_the_learning_phase_is_0_until_it_is_fed_or_set():
    x = K.in_train_phase(K.constant(1.0), K.constant(2.0))
    assert K.get_session().run(x) == 2.0
    assert K.get_session().run(x, {K.learning_phase(): 1}) == 1.0
    K.set_learning_phase(1)
    assert K.learning_phase() == 1
    with pytest.raises(ValueError, match="must be 0 or 1, got 2"):
        K.set_learning_phase(2)
    with K.learning_phase_scope(0):
        assert K.learning_phase() == 0
    assert K.learning_phase() == 1


def test_settings_refuse_what_they_do_not_know():
    with pytest.raises(ValueError, match="set_floatx"):
        K.set_floatx("int8")
    with pytest.raises(ValueError, match="set_image_data_format"):
        K.set_image_data_format("first")
    K.set_floatx("float64")
    try:
        assert K.placeholder(shape=(1,)).dtype == tf.float64
        assert K.cast_to_floatx(np.ones(1, "float32")).dtype == np.float64
    finally:
        K.set_floatx("float32")


def _steps(x, weights, mask, zero):
    """Computes `rnn` of tanh(x w + state) by a plain loop: (last, outputs, state)."""
    state = np.zeros((x.shape[0], weights.shape[1]))
    before, outputs = np.zeros_like(state), []
    for t in range(x.shape[1]):
        new = np.tanh(x[:, t] @ weights + state)
        keep = mask[:, t, None] if mask is not None else True
        before = np.where(keep, new, 0 if zero else before)
        state = np.where(keep, new, state)
        outputs.append(before)
    return before, np.stack(outputs, 1), state


@pytest.mark.parametrize("unroll", [False, True])
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("zero", [False, True])
@pytest.mark.parametrize("steps", [1, 5])
def test_rnn_runs_a_step_at_each_time(unroll, masked, backwards, zero, steps):
    x = _rng.randn(3, steps, 2).astype("float32")
    weights = _rng.randn(2, 4).astype("float32")
    mask = _rng.rand(3, steps) > 0.4 if masked else None
    w = tf.constant(weights)

    def step(inputs, states):
        output = tf.tanh(tf.matmul(inputs, w) + states[0])
        return output, [output]

    found = _base.rnn(
        step,
        tf.constant(x) if unroll else tf.placeholder_with_default(x, [None, None, 2]),
        [tf.zeros([3, 4])],
        go_backwards=backwards,
        mask=None if mask is None else tf.constant(mask),
        unroll=unroll,
        zero_output_for_mask=zero,
    )
    if backwards:
        x, mask = x[:, ::-1], None if mask is None else mask[:, ::-1]
    wanted = _steps(x, weights, mask, zero)
    last, outputs, states = tf.Session().run(found)
    for a, b in zip((last, outputs, states[0]), wanted):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_rnn_loops_have_gradients():
    x = tf.constant(_rng.randn(2, 4, 3).astype("float32"))
    w = tf.constant(_rng.randn(3, 3).astype("float32"))

    def ends(unroll):
        def step(inputs, states):
            output = tf.tanh(tf.matmul(inputs + states[0], w))
            return output, [output]

        mask = tf.constant([[True, False, True, True], [True, True, True, False]])
        return K.rnn(step, x, [tf.zeros([2, 3])], mask=mask, unroll=unroll)[0]

    with tf.Session() as session:
        looped, unrolled = session.run([tf.gradients(ends(u), [x, w]) for u in (False, True)])  # fmt: skip # noqa: E501
    for a, b in zip(looped, unrolled):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_unrolling_needs_a_number_of_steps():
    x = K.placeholder(shape=(None, None, 2))
    with pytest.raises(ValueError, match="time steps that is known"):
        K.rnn(lambda a, s: (a, s), x, [tf.zeros([1, 2])], unroll=True)


@pytest.mark.parametrize("made", ["logits", "softmax", "probabilities"])
@pytest.mark.parametrize("axis", [-1, 1])
def test_cross_entropies_are_those_of_the_formula(made, axis):
    logits = _rng.randn(3, 4, 5).astype("float32")
    p = np.exp(logits) / np.exp(logits).sum(axis, keepdims=True)
    classes = p.shape[axis]
    labels = _rng.randint(classes, size=p.sum(axis).shape)
    target = np.moveaxis(np.eye(classes, dtype="float32")[labels], -1, axis)
    output = {
        "logits": lambda: tf.constant(logits),
        "softmax": lambda: tf.nn.softmax(logits, axis=axis),
        "probabilities": lambda: tf.constant(p),
    }[made]()
    wanted = -np.sum(target * np.log(p), axis)
    given = dict(from_logits=made == "logits", axis=axis)
    dense = K.categorical_crossentropy(tf.constant(target), output, **given)
    sparse = K.sparse_categorical_crossentropy(tf.constant(labels), output, **given)
    with tf.Session() as session:
        for found in session.run([dense, sparse]):
            np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="axis must be one of"):
        K.categorical_crossentropy(tf.constant(target), output, axis=3)


@pytest.mark.parametrize("made", ["logits", "sigmoid", "probabilities"])
def test_binary_cross_entropy_is_that_of_the_formula(made):
    logits = _rng.randn(3, 4).astype("float32")
    p = 1 / (1 + np.exp(-logits))
    target = (_rng.rand(3, 4) > 0.5).astype("float32")
    output = {"logits": logits, "sigmoid": tf.sigmoid(logits), "probabilities": p}[made]
    found = K.binary_crossentropy(
        tf.constant(target), tf.convert_to_tensor(output), from_logits=made == "logits"
    )
    wanted = -target * np.log(p) - (1 - target) * np.log(1 - p)
    np.testing.assert_allclose(tf.Session().run(found), wanted, rtol=1e-4, atol=1e-5)


def test_a_certain_mistake_has_a_finite_loss_and_gradient():
    logits = tf.constant([[200.0, -200.0]])
    target = tf.constant([[0.0, 1.0]])
    loss = K.categorical_crossentropy(target, tf.nn.softmax(logits))
    value, grad = tf.Session().run([loss, tf.gradients(loss, logits)[0]])
    np.testing.assert_allclose(value, [400.0])
    np.testing.assert_allclose(grad, [[1.0, -1.0]])


def test_clearing_the_session_counts_names_from_the_first():
    first = K.get_uid("thing"), K.get_uid("thing")
    K.clear_session()
    assert first == (1, 2) and K.get_uid("thing") == 1


def test_random_numbers_follow_numpys_seed():
    def draw():
        np.random.seed(7)
        tensors = [
            K.random_normal((50,), 1.0, 2.0),
            K.random_uniform((50,), 2.0, 3.0),
            K.random_binomial((50,), 0.3),
            K.truncated_normal((50,)),
        ]
        return tf.Session().run(tensors)

    for a, b in zip(draw(), draw()):
        np.testing.assert_array_equal(a, b)
    normal, uniform, binomial, truncated = draw()
    assert 2 <= uniform.min() and uniform.max() < 3
    assert set(binomial) == {0.0, 1.0} and abs(truncated).max() < 2
    assert abs(normal.mean() - 1) < 1
