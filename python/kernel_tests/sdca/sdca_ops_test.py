# SPDX-License-Identifier: Apache-2.0
"""Dual coordinate ascent: single steps against NumPy's, whole runs by their duality gap and against closed forms."""

import itertools

import numpy as np
import pytest
from scipy import optimize

import tensorwright as tf
from tensorwright.python.ops import gen_sdca_ops
from tensorwright.python.testing.op_testing import evaluate

pytestmark = pytest.mark.usefixtures("fresh_graph")

LOSSES = [
    "logistic_loss",
    "squared_loss",
    "hinge_loss",
    "smooth_hinge_loss",
    "poisson_loss",
]
CLASSES = ("logistic_loss", "hinge_loss", "smooth_hinge_loss")


def xlogx(p):
    return p * np.log(p) if p > 0 else 0.0


def primal(loss, wx, y):
    """The loss of one label, as the op's loss sees it."""
    margin = 1 - y * wx
    return {
        "logistic_loss": lambda: np.logaddexp(0, -y * wx),
        "squared_loss": lambda: (wx - y) ** 2 / 2,
        "hinge_loss": lambda: max(0.0, margin),
        "smooth_hinge_loss": lambda: (
            0.0 if margin < 0 else margin**2 / 2 if margin < 1 else margin - 0.5
        ),
        "poisson_loss": lambda: np.exp(wx) - y * wx,
    }[loss]()


def conjugate(loss, a, y):
    """max over z of -a z - primal(z)."""
    return {
        "logistic_loss": lambda: xlogx(a * y) + xlogx(1 - a * y),
        "squared_loss": lambda: a**2 / 2 - a * y,
        "hinge_loss": lambda: -a * y,
        "smooth_hinge_loss": lambda: -a * y + a**2 / 2,
        "poisson_loss": lambda: xlogx(y - a) - (y - a),
    }[loss]()


def best_dual(loss, y, a, wx, curvature):
    """The dual variable that a search over its range finds: the dual's increase is concave."""

    def decrease(b):
        return conjugate(loss, b, y) + (b - a) * wx + curvature * (b - a) ** 2 / 2

    low, high = {"squared_loss": (-50, 50), "poisson_loss": (y - 50, y)}.get(
        loss, (min(0, y), max(0, y))
    )
    found = optimize.minimize_scalar(
        decrease, bounds=(low, high), method="bounded", options={"xatol": 1e-10}
    )
    return found.x


def shrink(w, by):
    return np.sign(w) * np.maximum(np.abs(w) - by, 0)


def reference(loss, x, y, c, w, state, order, l1=0.0, l2=1.0, parts=1):
    """(state, delta) after one pass in this order; x is dense [examples, features]."""
    state, delta = state.astype(np.float64).copy(), np.zeros(len(w))
    labels = np.where(y > 0, 1.0, -1.0) if loss in CLASSES else y
    for i in order:
        wx = x[i] @ shrink(w + parts * delta, l1 / l2)
        a, label = state[i, 0], labels[i]
        curvature = parts * c[i] * (x[i] @ x[i]) / l2
        new = best_dual(loss, label, a, wx, curvature)
        delta += x[i] * (new - a) * c[i] / l2
        before = primal(loss, x[i] @ shrink(w, l1 / l2), label)
        state[i] = new, before * c[i], conjugate(loss, a, label) * c[i], c[i]
    return state, delta


def sparse_group(x):
    """Returns (examples, features, values) of the elements that are not 0."""
    examples, features = np.nonzero(x)
    return examples, features, x[examples, features].astype(np.float32)


def run(loss, groups, y, c, state, l1=0.0, l2=1.0, parts=1, adaptive=False):
    """One pass over groups ("sparse", "ones" or "dense", x, w); deltas in the order of the groups."""
    by = {"sparse": [], "ones": [], "dense": []}
    for kind, x, w in groups:
        by[kind].append((x, w))
    sparse = by["sparse"] + by["ones"]
    entries = [sparse_group(x) for x, _ in sparse]
    new_state, of_sparse, of_dense = evaluate(
        tf.train.sdca_optimizer(
            [e[0] for e in entries],
            [e[1] for e in entries],
            [e[2] for e in entries[: len(by["sparse"])]],
            [x.astype(np.float32) for x, _ in by["dense"]],
            np.float32(c),
            np.float32(y),
            [np.arange(len(w)) for _, w in sparse],
            [np.float32(w) for _, w in sparse],
            [np.float32(w) for _, w in by["dense"]],
            np.float32(state),
            loss,
            l1,
            l2,
            parts,
            1,
            adaptative=adaptive,
        )  # fmt: skip
    )
    return new_state, [*of_sparse, *of_dense]


def labels_for(loss, n, rng):
    if loss in CLASSES:
        return rng.randint(0, 2, n).astype(np.float64)
    return rng.poisson(2.0, n) + 0.0 if loss == "poisson_loss" else rng.normal(size=n)


def start_for(loss, y, rng):
    """Dual variables inside their range."""
    state = np.zeros([len(y), 4])
    share = rng.uniform(0.1, 0.9, len(y))
    if loss in CLASSES:
        state[:, 0] = np.where(y > 0, share, -share)
    else:
        state[:, 0] = y - share
    return state


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("kind", ["sparse", "ones", "dense"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_step_is_the_best_there_is(loss, kind, adaptive):
    rng = np.random.RandomState(len(loss))
    for parts, l1, l2, weight in [(1, 0, 1, 1), (3, 0.3, 0.7, 2.5), (1, 0, 4, 0.2)]:
        x = rng.normal(size=[1, 20])
        if kind == "ones":
            x = (x > 0).astype(np.float64)
        w, c = rng.normal(size=20) / 4, np.array([weight])
        y = labels_for(loss, 1, rng)
        state = start_for(loss, y, rng)
        got, (delta,) = run(loss, [(kind, x, w)], y, c, state, l1, l2, parts, adaptive)
        want, by = reference(loss, x, y, c, w, state, [0], l1, l2, parts)
        np.testing.assert_allclose(got, want, rtol=2e-4, atol=1e-5)
        np.testing.assert_allclose(delta, by, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_each_example_is_taken_once_in_some_order(loss):
    rng = np.random.RandomState(5)
    x, w = rng.normal(size=[4, 6]), np.zeros(6)
    y, c = labels_for(loss, 4, rng), rng.uniform(0.5, 2, 4)
    state = start_for(loss, y, rng)
    groups = [("sparse", x[:, :2], w[:2]), ("dense", x[:, 2:5], w[2:5])]
    groups += [("dense", x[:, 5:], w[5:])]
    got, deltas = run(loss, groups, y, c, state)
    results = [
        reference(loss, x, y, c, w, state, order)
        for order in itertools.permutations(range(4))
    ]
    apart = [np.abs(got - want).max() for want, _ in results]
    best = int(np.argmin(apart))
    assert apart[best] < 1e-4
    np.testing.assert_allclose(np.concatenate(deltas), results[best][1], atol=1e-4)
    # The same call takes the same order; other states, other orders.
    again, _ = run(loss, groups, y, c, state)
    np.testing.assert_array_equal(got, again)


def train(loss, x, y, c, l1, l2, adaptive, passes=60):
    """Weights, and the primal and dual objectives, after passes over a dense and a sparse group."""
    half = x.shape[1] // 2
    w, state = np.zeros(x.shape[1]), np.zeros([len(y), 4])
    for _ in range(passes):
        groups = [("sparse", x[:, :half], w[:half]), ("dense", x[:, half:], w[half:])]
        with tf.Graph().as_default():
            state, deltas = run(loss, groups, y, c, state, l1, l2, adaptive=adaptive)
        w = w + np.concatenate(deltas)
    labels = np.where(y > 0, 1.0, -1.0) if loss in CLASSES else y
    v = shrink(w, l1 / l2)
    penalty = l2 / 2 * v @ v
    losses = sum(ci * primal(loss, xi @ v, yi) for xi, yi, ci in zip(x, labels, c))
    duals = sum(
        ci * conjugate(loss, a, yi) for a, yi, ci in zip(state[:, 0], labels, c)
    )
    return v, losses + penalty + l1 * np.abs(v).sum(), -duals - penalty


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_runs_close_the_duality_gap(loss, adaptive):
    """Primal and dual objective meet only at the optimum of both."""
    rng = np.random.RandomState(1)
    x = rng.normal(size=[30, 6]) / 2
    truth = rng.normal(size=6)
    y = (x @ truth > 0).astype(np.float64)
    if loss == "squared_loss":
        y = x @ truth + rng.normal(size=30) / 4
    if loss == "poisson_loss":
        y = rng.poisson(np.exp(x @ truth)) + 0.0
    for l1 in (0.0, 0.5):
        c = rng.uniform(0.5, 1.5, 30)
        v, upper, lower = train(loss, x, y, c, l1, 1.0, adaptive)
        assert upper - lower < 2e-3 * max(1, abs(upper))
        if loss == "squared_loss" and l1 == 0:
            a = x.T @ (c[:, None] * x) + np.eye(6)
            np.testing.assert_allclose(v, np.linalg.solve(a, x.T @ (c * y)), atol=1e-3)


def test_adaptive_passes_take_what_is_far_from_its_optimum():
    """Examples of other features each; those that are at their optimum have no chance."""
    n = 16
    y = np.where(np.arange(n) % 4 == 0, 3.0, 0.0)
    state, (delta,) = run(
        "squared_loss", [("dense", np.eye(n), np.zeros(n))], y, np.ones(n),
        np.zeros([n, 4]), adaptive=True,
    )  # fmt: skip
    assert (state[:, 0] != 0).tolist() == (y != 0).tolist()
    np.testing.assert_allclose(delta, y / 2, rtol=1e-6)


def test_indices_may_be_any_numbers_in_any_order():
    x = np.array([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]])
    names = np.array([70, -5, 1 << 40])
    examples, features, values = sparse_group(x)
    order = [2, 0, 1]
    state, (delta,), _ = evaluate(
        tf.train.sdca_optimizer(
            [examples],
            [names[features]],
            [values],
            [],
            np.ones(2, np.float32),
            np.float32([1, -1]),
            [names[order]],
            [np.zeros(3, np.float32)],
            [],
            np.zeros([2, 4], np.float32),
            "squared_loss",
            0.0,
            1.0,
            1,
            1,
            False,
        )  # fmt: skip
    )
    want, by = reference(
        "squared_loss", x, np.array([1.0, -1.0]), np.ones(2), np.zeros(3),
        np.zeros([2, 4]), [0, 1],
    )  # fmt: skip
    np.testing.assert_allclose(state, want, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(delta, by[order], rtol=1e-5)


def test_no_examples():
    state, _, (delta,) = evaluate(
        tf.train.sdca_optimizer(
            [],
            [],
            [],
            [np.zeros([0, 3], np.float32)],
            [],
            [],
            [],
            [],
            [np.ones(3, np.float32)],
            np.zeros([0, 4], np.float32),
            "hinge_loss",
            0.0,
            1.0,
            1,
            1,
        )  # fmt: skip
    )
    assert state.shape == (0, 4)
    np.testing.assert_array_equal(delta, np.zeros(3))


GOOD = {
    "sparse_example_indices": [np.array([0, 1])],
    "sparse_feature_indices": [np.array([3, 4])],
    "sparse_feature_values": [np.float32([1, 2])],
    "dense_features": [np.zeros([2, 3], np.float32)],
    "example_weights": np.ones(2, np.float32),
    "example_labels": np.float32([0, 1]),
    "sparse_indices": [np.array([3, 4])],
    "sparse_weights": [np.zeros(2, np.float32)],
    "dense_weights": [np.zeros(3, np.float32)],
    "example_state_data": np.zeros([2, 4], np.float32),
}


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("sparse_example_indices", [np.array([0, 2])], r"not in \[0, 2\)"),
        ("sparse_example_indices", [np.array([-1, 1])], r"not in \[0, 2\)"),
        ("sparse_example_indices", [np.array([1, 0])], "must not decrease"),
        ("sparse_example_indices", [np.array([0])], "must be as many"),
        ("sparse_feature_indices", [np.array([3, 5])], "has no weight"),
        ("sparse_feature_values", [np.float32([1])], "must be as many"),
        ("dense_features", [np.zeros([2, 2], np.float32)], "must be as many"),
        ("dense_features", [np.zeros([3, 3], np.float32)], "imension"),
        ("dense_features", [np.zeros([6], np.float32)], "rank"),
        ("example_weights", np.ones(3, np.float32), "must be as many"),
        ("example_labels", np.float32([0, 0.5]), "labels of 0.0 or 1.0"),
        ("sparse_indices", [np.array([3])], "must be as many"),
        ("example_state_data", np.zeros([2, 3], np.float32), "imension"),
        ("example_state_data", np.zeros([3, 4], np.float32), "must be as many"),
    ],
)
def test_bad_input(name, value, words):
    attrs = ("hinge_loss", 0.0, 1.0, 1, 1)
    evaluate(tf.train.sdca_optimizer(*GOOD.values(), *attrs))
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match=words):
        evaluate(tf.train.sdca_optimizer(*{**GOOD, name: value}.values(), *attrs))


def test_what_makes_no_sense_is_refused():
    def optimize_(loss="hinge_loss", **other):
        return evaluate(
            gen_sdca_ops.sdca_optimizer(
                *{**GOOD, **other}.values(), loss, 0.0, 1.0, 1, 1
            )
        )

    twice = {
        "sparse_example_indices": [np.array([1, 1])],
        "sparse_feature_indices": [np.array([4, 4])],
    }
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        optimize_(**twice)
    with pytest.raises(tf.errors.InvalidArgumentError, match="non-negative labels"):
        optimize_("poisson_loss", example_labels=np.float32([1, -1]))
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="loss_type"):
        optimize_("no_loss")
    nothing = {k: [] for k in GOOD if k.startswith(("sparse", "dense"))}
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least one feature"):
        optimize_(**nothing)
    values = {"sparse_feature_values": [np.ones(2, np.float32)] * 2}
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="values"):
        optimize_(**values)


@pytest.mark.parametrize("l1", [0.0, 0.5, 3.0])
def test_shrink(l1):
    rng = np.random.RandomState(0)
    starts = [rng.normal(size=s).astype(np.float32) for s in ([5], [3, 4], [], [0])]
    starts[0][1] = np.nan
    variables = [tf.Variable(s, use_resource=False) for s in starts]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(tf.train.sdca_shrink_l1(variables, l1, 2.0))
        for got, start in zip(session.run(variables), starts):
            np.testing.assert_allclose(got, shrink(start, l1 / 2), rtol=1e-6)


def test_shrink_needs_values():
    variable = tf.Variable([1.0], use_resource=False)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="ninitialized"):
            session.run(tf.train.sdca_shrink_l1([variable], 1.0, 1.0))
        session.run(tf.train.sdca_shrink_l1([], 1.0, 1.0))


def test_fingerprints():
    """FarmHash's 128 bits, as TensorFlow computes them."""
    texts = np.array(
        [b"", b"a", b"abc", b"very long string" * 20, "löß".encode()], object
    )
    got = evaluate(tf.train.sdca_fprint(texts))
    assert got.dtype == np.int64
    np.testing.assert_array_equal(got, FINGERPRINTS)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="rank"):
        tf.train.sdca_fprint(texts[:, None])


FINGERPRINTS = [
    [4463240938071824939, 4374473821787594281],
    [7969074168056553668, 5955762262185338209],
    [4143508125394299908, -6879828354153669051],
    [-7796094158411911450, -6827594459667629219],
    [1127193316538287692, -6872997280579474871],
]
