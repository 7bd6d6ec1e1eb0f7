# SPDX-License-Identifier: Apache-2.0
"""Cells: the names of their variables, their states, and cells made of cells."""

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.ops import rnn_cell_impl

cells = tf.nn.rnn_cell
X = np.random.RandomState(1).randn(4, 3).astype(np.float32)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def names():
    return {v.op.name: v.shape.as_list() for v in tf.global_variables()}


NAMES = [
    (
        lambda: cells.BasicRNNCell(2),
        {"basic_rnn_cell/kernel": [5, 2], "basic_rnn_cell/bias": [2]},
    ),
    (
        lambda: cells.GRUCell(2),
        {
            "gru_cell/gates/kernel": [5, 4],
            "gru_cell/gates/bias": [4],
            "gru_cell/candidate/kernel": [5, 2],
            "gru_cell/candidate/bias": [2],
        },
    ),
    (
        lambda: cells.BasicLSTMCell(2),
        {"basic_lstm_cell/kernel": [5, 8], "basic_lstm_cell/bias": [8]},
    ),
    (
        lambda: cells.LSTMCell(2, use_peepholes=True, num_proj=1, name="mine"),
        {
            "mine/kernel": [4, 8],
            "mine/bias": [8],
            "mine/w_f_diag": [2],
            "mine/w_i_diag": [2],
            "mine/w_o_diag": [2],
            "mine/projection/kernel": [2, 1],
        },
    ),
    (
        lambda: cells.LSTMCell(2, num_unit_shards=2),
        {
            "lstm_cell/kernel/part_0": [3, 8],
            "lstm_cell/kernel/part_1": [2, 8],
            "lstm_cell/bias": [8],
        },
    ),
    (
        lambda: cells.MultiRNNCell(
            [
                cells.DropoutWrapper(cells.BasicRNNCell(3), 0.5),
                cells.ResidualWrapper(cells.BasicRNNCell(3)),
            ]
        ),
        {
            "multi_rnn_cell/cell_0/basic_rnn_cell/kernel": [6, 3],
            "multi_rnn_cell/cell_0/basic_rnn_cell/bias": [3],
            "multi_rnn_cell/cell_1/basic_rnn_cell/kernel": [6, 3],
            "multi_rnn_cell/cell_1/basic_rnn_cell/bias": [3],
        },
    ),
]


@pytest.mark.parametrize("make,want", NAMES)
def test_variables_have_the_names_that_checkpoints_have(make, want):
    cell = make()
    state = cell.zero_state(4, tf.float32)
    for _ in range(2):  # The second call finds them.
        _, state = cell(tf.constant(X), state)
    assert names() == want
    parts = [v.op.name for w in cell.trainable_weights for v in getattr(w, "_get_variable_list", lambda w=w: [w])()]  # fmt: skip
    assert sorted(parts) == sorted(want)


def test_scope_of_a_call_is_that_of_the_variables():
    cell = cells.GRUCell(2)
    cell(tf.constant(X), cell.zero_state(4, tf.float32), scope="here")
    assert set(names()) == {
        f"here/{part}/{kind}"
        for part in ("gates", "candidate")
        for kind in ("kernel", "bias")
    }


def test_a_cell_of_ones_own_owns_what_it_gets():
    class Own(cells.RNNCell):
        state_size = output_size = 3

        def call(self, inputs, state):
            weights = tf.get_variable("w", [3, 3])
            tf.get_variable("steps", [], trainable=False)
            state = tf.matmul(inputs, weights) + state
            return state, state

    cell = Own()
    _, state = cell(tf.constant(X), tf.zeros([4, 3]))
    cell(tf.constant(X), state)
    assert set(names()) == {"own/w", "own/steps"}
    assert [v.op.name for v in cell.trainable_weights] == ["own/w"]
    assert [v.op.name for v in cell.non_trainable_weights] == ["own/steps"]


def test_zero_states_have_the_structure_and_batch_asked_for():
    batch = tf.placeholder(tf.int32, [])
    cell = cells.MultiRNNCell([cells.LSTMCell(2, num_proj=1), cells.GRUCell(3)])
    assert cell.state_size == (cells.LSTMStateTuple(2, 1), 3)
    state = cell.zero_state(batch, tf.float64)
    assert state[0].c.shape.as_list() == [None, 2]
    assert cell.zero_state(5, tf.float64)[1].shape.as_list() == [5, 3]
    with tf.Session() as session:
        (c, h), s = session.run(state, {batch: 7})
    assert (c.shape, h.shape, s.shape) == ((7, 2), (7, 1), (7, 3))
    assert c.dtype == np.float64 and not c.any() and not h.any() and not s.any()
    both = cells.BasicLSTMCell(2, state_is_tuple=False).get_initial_state(X)
    assert both.shape.as_list() == [4, 4] and both.dtype == tf.float32


@pytest.mark.parametrize(
    "make",
    [
        lambda joined: cells.BasicLSTMCell(2, state_is_tuple=not joined, name="a"),
        lambda joined: cells.LSTMCell(
            2, num_proj=3, state_is_tuple=not joined, name="a"
        ),
        lambda joined: cells.MultiRNNCell(
            [cells.GRUCell(2, name="a"), cells.BasicRNNCell(3, name="b")],
            state_is_tuple=not joined,
        ),
    ],
)
def test_states_side_by_side_are_the_tuples_joined(make):
    state = np.random.RandomState(2).randn(4, 5).astype(np.float32)
    with tf.variable_scope("s", reuse=tf.AUTO_REUSE):
        cell = make(False)
        sizes = list(cell.state_size)
        state = state[:, : sum(sizes)]
        parts = tuple(tf.split(state, sizes, 1))
        if isinstance(cell.state_size, cells.LSTMStateTuple):
            parts = cells.LSTMStateTuple(*parts)
        with tf.variable_scope("m"):
            out, new = cell(tf.constant(X), parts)
        with tf.variable_scope("m"):
            out_joined, new_joined = make(True)(tf.constant(X), tf.constant(state))
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b, c, d = session.run([out, out_joined, tf.concat(new, 1), new_joined])
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(c, d)


class Doubling(cells.RNNCell):
    """Gives twice its inputs; the state is (1 + c, 1 + h)."""

    state_size = cells.LSTMStateTuple(1000, 1000)
    output_size = 1000

    def call(self, inputs, state):
        return 2 * inputs, cells.LSTMStateTuple(1 + state.c, 1 + state.h)


def dropped(**arguments):
    cell = cells.DropoutWrapper(Doubling(), seed=5, **arguments)
    ones, zeros = tf.ones([2, 1000]), tf.zeros([2, 1000])
    out, state = cell(ones, cells.LSTMStateTuple(zeros, zeros))
    again, _ = cell(ones, state)
    with tf.Session() as session:
        return session.run([out, state.c, state.h, again])


@pytest.mark.parametrize("part", ["input", "output", "state"])
def test_dropout_is_where_it_is_asked_for(part):
    out, c, h, _ = dropped(**{f"{part}_keep_prob": 0.25})
    what = h / 1 if part == "state" else out / 2
    assert set(np.unique(what)) == {0, 4}
    # The share of 2,000 draws has a standard error of 0.01.
    assert abs((what > 0).mean() - 0.25) < 4 * 0.0097
    assert (c == 1).all(), "the memory is left alone"
    assert part == "state" or (h == 1).all()
    assert part != "state" or (out == 2).all()


def test_variational_dropout_drops_the_same_in_all_steps():
    arguments = {"input_keep_prob": 0.5, "output_keep_prob": 0.5}
    out, _, _, again = dropped(
        variational_recurrent=True, input_size=1000, dtype=tf.float32, **arguments
    )
    np.testing.assert_array_equal(out, again)
    np.testing.assert_array_equal(out[0], out[1])
    assert 0.15 < (out > 0).mean() < 0.35
    out, _, _, _ = dropped(**arguments)
    assert (out[0] != out[1]).any()


def test_dropout_can_be_of_the_memory_too():
    _, c, h, _ = dropped(
        state_keep_prob=0.5, dropout_state_filter_visitor=lambda _: True
    )
    assert set(np.unique(c)) == {0, 2} and set(np.unique(h)) == {0, 2}
    assert (c != h).any()


def test_residual_wrapper_adds_inputs():
    cell = cells.GRUCell(3)
    state = cell.zero_state(4, tf.float32)
    plain, _ = cell(tf.constant(X), state)
    summed, _ = cells.ResidualWrapper(cell)(tf.constant(X), state)
    less, _ = cells.ResidualWrapper(cell, lambda i, o: o - i)(tf.constant(X), state)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        a, b, c = session.run([plain, summed, less])
    np.testing.assert_allclose(b, a + X, rtol=1e-6)
    np.testing.assert_allclose(c, a - X, rtol=1e-6)


def test_device_wrapper_sets_the_device():
    cell = cells.DeviceWrapper(cells.GRUCell(3), "/device:CPU:0")
    out, _ = cell(tf.constant(X), cell.zero_state(4, tf.float32))
    assert "CPU:0" in out.device
    devices = [v.device for v in tf.global_variables()]
    assert len(devices) == 4
    assert all("CPU:0" in device for device in devices)


REFUSED = [
    (lambda: cells.MultiRNNCell([]), ValueError, "at least one cell"),
    (lambda: cells.MultiRNNCell(cells.GRUCell(3)), TypeError, "list or tuple"),
    (lambda: cells.MultiRNNCell([3]), TypeError, r"cells\[0\]"),
    (
        lambda: cells.MultiRNNCell([cells.LSTMCell(3)], state_is_tuple=False),
        ValueError,
        "state_is_tuple is not set",
    ),
    (lambda: cells.DropoutWrapper(3), TypeError, "not an RNNCell"),
    (lambda: cells.DropoutWrapper(Doubling(), 1.5), ValueError, "input_keep_prob"),
    (
        lambda: cells.DropoutWrapper(Doubling(), 0.5, variational_recurrent=True),
        ValueError,
        "needs a dtype",
    ),
    (
        lambda: cells.DropoutWrapper(
            Doubling(), 0.5, variational_recurrent=True, dtype=tf.float32
        ),
        ValueError,
        "needs an input_size",
    ),
    (
        lambda: cells.DropoutWrapper(Doubling(), dropout_state_filter_visitor=3),
        TypeError,
        "callable",
    ),
    (
        lambda: cells.GRUCell(5)(tf.zeros([2, 3, 4]), tf.zeros([2, 5])),
        ValueError,
        "expected ndim=2, found ndim=3",
    ),
    (
        lambda: cells.ResidualWrapper(cells.GRUCell(5))(
            tf.constant(X), tf.zeros([4, 5])
        ),
        ValueError,
        "are incompatible",
    ),
    (
        lambda: cells.LSTMStateTuple(
            tf.zeros([1]), tf.zeros([1], tf.float64)
        ).dtype,
        TypeError,
        "Inconsistent",
    ),
    (
        lambda: cells.GRUCell(2)(tf.constant([[1]]), tf.zeros([1, 2])),
        ValueError,
        "inputs must be floating.*int32",
    ),
    (
        lambda: rnn_cell_impl.assert_like_rnncell("it", object()),
        TypeError,
        "'output_size' is missing, 'state_size' is missing",
    ),
]  # fmt: skip


@pytest.mark.parametrize("build,error,words", REFUSED)
def test_what_does_not_fit_is_refused(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_shapes_are_joined_as_outside_cells_do():
    join = rnn_cell_impl._concat
    unknown = tf.placeholder(tf.int32, [])
    assert join(2, tf.TensorShape([3, 4]), static=True) == [2, 3, 4]
    assert join(unknown, 5, static=True) == [None, 5]
    assert join(2, tf.TensorShape(None), static=True) is None
    joined = join(unknown, tf.constant([3, 4]))
    with tf.Session() as session:
        assert session.run(joined, {unknown: 7}).tolist() == [7, 3, 4]
        assert session.run(join(2, 3)).tolist() == [2, 3]
    with pytest.raises(ValueError, match="fully known"):
        join(2, tf.TensorShape([None]))


def test_what_has_the_parts_of_a_cell_is_like_one():
    class Like:
        output_size = state_size = 3

        def zero_state(self, batch_size, dtype):
            return tf.zeros([batch_size, 3], dtype)

    assert not rnn_cell_impl._like_rnncell(Like())
    Like.__call__ = lambda self, inputs, state: (inputs, state)
    assert rnn_cell_impl._like_rnncell(Like())
    assert rnn_cell_impl._like_rnncell(tf.nn.rnn_cell.GRUCell(2))


def test_a_linear_map_makes_its_variables_once():
    first, second = tf.constant([[1.0, 2.0]]), tf.constant([[3.0]])
    linear = rnn_cell_impl._Linear(
        [first, second], 2, True, kernel_initializer=tf.ones_initializer()
    )
    out = linear([first, second])
    twice = linear([2 * first, 2 * second])
    assert [v.op.name for v in tf.global_variables()] == [
        rnn_cell_impl._WEIGHTS_VARIABLE_NAME,
        rnn_cell_impl._BIAS_VARIABLE_NAME,
    ]
    with tf.variable_scope("other"):
        alone = rnn_cell_impl._linear(first, 1, False, None, tf.ones_initializer())
    assert tf.global_variables()[-1].op.name == "other/kernel"
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(out).tolist() == [[6, 6]]
        assert session.run(twice).tolist() == [[12, 12]]
        assert session.run(alone).tolist() == [[3]]
    with pytest.raises(ValueError, match="`args` must be specified"):
        rnn_cell_impl._linear([], 1, True)
    with pytest.raises(ValueError, match="expecting 2D arguments"):
        rnn_cell_impl._linear(tf.ones([1, 2, 3]), 1, True)
