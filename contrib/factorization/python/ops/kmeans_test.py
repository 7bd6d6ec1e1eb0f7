# SPDX-License-Identifier: Apache-2.0
"""k-means finds clusters that are there: by steps over all data, by mini-batches, by an estimator."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")

factorization = tf.contrib.factorization
RNG = np.random.RandomState(0)
CENTERS = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0]], np.float32)
X = (np.repeat(CENTERS, 40, 0) + RNG.randn(120, 2) * 0.3).astype(np.float32)
MEANS = X.reshape(3, 40, 2).mean(1)
FAR = {"initial_clusters": "kmeans_plus_plus"}


def by_place(centers):
    return centers[np.lexsort(np.round(centers).T[::-1])]


@pytest.mark.parametrize("mini", [False, True])
@pytest.mark.parametrize("first", ["kmeans_plus_plus", "array", "function"])
def test_clusters_are_found(mini, first):
    x = tf.placeholder(tf.float32, [None, 2])
    begin = {"array": CENTERS + 1, "function": lambda inputs, k: inputs[:: 120 // k]}
    kmeans = factorization.KMeans(x, 3, begin.get(first, first), use_mini_batch=mini)
    (distances,), (index,), (scores,), initialized, init, train = kmeans.training_graph()  # fmt: skip
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert not session.run(initialized)
        session.run(init, {x: X})
        assert session.run(initialized)
        for _ in range(5):
            session.run(train, {x: X})
        d, i, s, centers = session.run([distances, index, scores, tf.global_variables("clusters")[0]], {x: X})  # fmt: skip
        session.run(init, {x: X + 100})
        again = session.run(tf.global_variables("clusters")[0])
    np.testing.assert_array_equal(again, centers)
    np.testing.assert_allclose(by_place(centers), by_place(MEANS), atol=0.15 if mini else 1e-4)  # fmt: skip
    want = ((X[:, None] - centers) ** 2).sum(2)
    np.testing.assert_allclose(d, want, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(i, want.argmin(1))
    np.testing.assert_allclose(s, d.min(1))


def test_random_rows_begin():
    x = tf.constant(X)
    kmeans = factorization.KMeans(x, 3, random_seed=3)
    *_, init, _ = kmeans.training_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(init)
        centers = session.run(tf.global_variables("clusters")[0])
    rows = [np.flatnonzero((X == c).all(1)).tolist() for c in centers]
    assert all(len(r) == 1 for r in rows) and len({r[0] for r in rows}) == 3


def test_mini_batches_are_running_means():
    x = tf.placeholder(tf.float32, [None, 1])
    kmeans = factorization.KMeans(x, 2, np.array([[0.0], [10.0]], np.float32), use_mini_batch=True)  # fmt: skip
    *_, init, train = kmeans.training_graph()
    centers = tf.global_variables("clusters")[0]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(init, {x: [[0.0]]})
        session.run(train, {x: [[1.0], [3.0], [9.0]]})
        np.testing.assert_allclose(session.run(centers), [[2], [9]])
        session.run(train, {x: [[-1.0]]})
        np.testing.assert_allclose(session.run(centers), [[1], [9]])


def test_centers_follow_after_some_steps():
    x = tf.placeholder(tf.float32, [None, 1])
    kmeans = factorization.KMeans(x, 1, [[0.0]], use_mini_batch=True, mini_batch_steps_per_iteration=2)  # fmt: skip
    *_, init, train = kmeans.training_graph()
    (centers,) = [v for v in tf.global_variables() if v.op.name == "clusters"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(init, {x: [[0.0]]})
        seen = []
        for value in (2.0, 4.0, 6.0, 8.0):
            session.run(train, {x: [[value]]})
            seen.append(session.run(centers)[0, 0])
    assert seen == [0, 3, 3, 7]


def test_angles():
    x = np.array([[1.0, 0.1], [5.0, 0.1], [0.1, 1.0], [0.1, 9.0]], np.float32)
    kmeans = factorization.KMeans(tf.constant(x), 2, distance_metric="cosine", **FAR)
    (distances,), (index,), _, _, init, train = kmeans.training_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(init)
        session.run(train)
        d, i = session.run([distances, index])
    assert i[0] == i[1] != i[2] == i[3]
    assert d.min(1).max() < 0.01 and d.max(1).min() > 0.5


def test_an_empty_cluster_stays():
    kmeans = factorization.KMeans(tf.constant([[1.0], [3.0]]), 2, [[0.0], [50.0]])
    *_, init, train = kmeans.training_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(init)
        session.run(train)
        np.testing.assert_allclose(session.run(tf.global_variables("clusters")[0]), [[2], [50]])  # fmt: skip


def test_what_is_refused():
    for options, text in (
        ({"distance_metric": "far"}, "distance metric"),
        ({"initial_clusters": "best"}, "initialization"),
    ):
        with pytest.raises(ValueError, match=text):
            factorization.KMeans(X, 2, **options)
    with pytest.raises(ValueError, match="must be known"):
        factorization.KMeans(tf.placeholder(tf.float32, [2, None]), 2)
    x = tf.placeholder(tf.float32, [None, 2])
    *_, init, _ = factorization.KMeans(x, 3).training_graph()
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="a row for each"):
            session.run(init, {x: X[:2]})


def test_an_estimator(tmp_path):
    def input_fn():
        return tf.train.limit_epochs(tf.constant(X), num_epochs=1)

    kmeans = factorization.KMeansClustering(3, str(tmp_path), use_mini_batch=False, **FAR)  # fmt: skip
    for _ in range(4):
        kmeans.train(input_fn)
    assert kmeans.get_variable_value("global_step") == 4
    centers = kmeans.cluster_centers()
    np.testing.assert_allclose(by_place(centers), by_place(MEANS), atol=1e-4)
    want = ((X[:, None] - centers) ** 2).sum(2)
    index = list(kmeans.predict_cluster_index(input_fn))
    np.testing.assert_array_equal(index, want.argmin(1))
    np.testing.assert_allclose(kmeans.score(input_fn), want.min(1).sum(), rtol=1e-4)
    np.testing.assert_allclose(list(kmeans.transform(input_fn)), want, rtol=1e-3, atol=1e-3)  # fmt: skip


def test_an_estimator_of_columns_stops_by_itself(tmp_path):
    columns = [tf.feature_column.numeric_column(n) for n in "ab"]

    def input_fn():
        return {"a": tf.constant(X[:, 0]), "b": tf.constant(X[:, 1])}

    kmeans = factorization.KMeansClustering(
        3, str(tmp_path), use_mini_batch=False, relative_tolerance=1e-3, feature_columns=columns, **FAR
    )  # fmt: skip
    kmeans.train(input_fn, steps=50)
    assert kmeans.get_variable_value("global_step") < 20
    np.testing.assert_allclose(by_place(kmeans.cluster_centers()), by_place(MEANS), atol=1e-4)  # fmt: skip
    with pytest.raises(ValueError, match="relative_tolerance"):
        factorization.KMeansClustering(3, relative_tolerance=0.1)


@pytest.mark.parametrize("kind", [factorization.KMeansClustering, tf.contrib.learn.KMeansClustering])  # fmt: skip
def test_the_first_batch_counts_too(tmp_path, kind):
    def input_fn():
        return tf.constant([[0.0], [1.0], [10.0], [11.0]])

    first = np.array([[1.0], [9.0]], np.float32)
    learn = kind is tf.contrib.learn.KMeansClustering
    kmeans = kind(2, str(tmp_path), initial_clusters=first, use_mini_batch=True)
    train = kmeans.fit if learn else kmeans.train
    train(input_fn=input_fn, steps=1)
    centers = kmeans.clusters() if learn else kmeans.cluster_centers()
    np.testing.assert_allclose(centers, [[0.5], [10.5]])


def test_an_estimator_of_learn(tmp_path):
    def input_fn():
        return tf.constant(X), None

    kmeans = tf.contrib.learn.KMeansClustering(3, str(tmp_path), use_mini_batch=False, **FAR)  # fmt: skip
    kmeans.fit(input_fn=input_fn, steps=5)
    centers = kmeans.clusters()
    np.testing.assert_allclose(by_place(centers), by_place(MEANS), atol=1e-4)
    want = ((X[:, None] - centers) ** 2).sum(2)
    np.testing.assert_array_equal(list(kmeans.predict_cluster_idx(input_fn)), want.argmin(1))  # fmt: skip
    np.testing.assert_allclose(kmeans.score(input_fn, steps=1), want.min(1).sum(), rtol=1e-4)  # fmt: skip
    np.testing.assert_allclose(kmeans.transform(input_fn), want, rtol=1e-3, atol=1e-3)
