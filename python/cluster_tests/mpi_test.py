# SPDX-License-Identifier: Apache-2.0
"""tensorwright.cluster.mpi: collectives among the ranks that mpirun starts, and data-parallel training by them.

mpirun starts this file too, once for 2 ranks and once for 4: each rank goes through `CASES` and writes what it found, which
the tests look at.
"""

import json
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
import pytest

import tensorwright as tf
import tensorwright.cluster.mpi as mpi
from tensorwright.python.framework import errors

CASES = {}


def case(function):
    """A function that every rank calls, in the order of this file; it raises what is wrong, or returns what to compare."""
    CASES[function.__name__] = function
    return function


def _inputs(shape, dtype, low=1, high=4):
    """Returns the inputs of all ranks, which every rank can compute."""
    return [
        np.random.default_rng(rank).integers(low, high, shape).astype(dtype)
        for rank in range(mpi.size())
    ]


def _keys(start):
    """Keys that no other case uses."""
    return iter(range(start, start + 1000))


@case
def reductions():
    """Every dtype, operation and end, on sizes that MPI cuts in other ways."""
    operations = {
        "Add": np.add,
        "Mul": np.multiply,
        "Min": np.minimum,
        "Max": np.maximum,
    }
    keys = _keys(1000)
    fetches, wanted = [], []
    for dtype in (tf.float32, tf.float64, tf.int32, tf.int64, tf.half, tf.bfloat16):
        for merge, operation in operations.items():
            for shape in ((), (0,), (3, 5), (1025,)):
                inputs = _inputs(shape, np.int64)
                final = "Div" if merge == "Add" and shape == (3, 5) else "Id"
                given = tf.cast(inputs[mpi.rank()], dtype)
                fetches.append(
                    tf.cast(
                        mpi.all_reduce(given, mpi.size(), 1, next(keys), merge, final),
                        tf.float64,
                    )
                )
                # Small integers: exact in each dtype, the mean of half and bfloat16 to their last place.
                want = operation.reduce(inputs).astype(np.float64)
                if final == "Div":
                    want = want / mpi.size()
                    want = np.trunc(want) if dtype.is_integer else want
                wanted.append(want)
    with tf.Session() as session:
        for got, want in zip(session.run(fetches), wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=2**-8)


@case
def gathers():
    """Parts of equal size, by rank; and of another size in each rank."""
    part = np.full([2, 3], mpi.rank(), np.int32)
    equal = mpi.all_gather(part, mpi.size(), 1, 2000)
    assert equal.shape.as_list() == [2 * mpi.size(), 3]
    rows = tf.fill([mpi.rank(), 2], tf.constant(mpi.rank(), tf.int64))
    with tf.Session() as session:
        got = session.run(equal)
        ragged = session.run(mpi.allgather(rows))
    np.testing.assert_array_equal(got[::2, 0], np.arange(mpi.size()))
    ranks = np.arange(mpi.size())
    np.testing.assert_array_equal(ragged[:, 1], np.repeat(ranks, ranks))


@case
def broadcasts():
    """Broadcasts from each rank, in each dtype."""
    fetches = []
    dtypes = (tf.bool, tf.half, tf.float32, tf.float64, tf.int32, tf.int64)
    for root in range(mpi.size()):
        for dtype in dtypes:
            given = tf.cast(np.arange(7) + mpi.rank(), dtype)
            fetches.append(tf.cast(mpi.broadcast(given, root), tf.float64))
    with tf.Session() as session:
        got = session.run(fetches)
    for i, value in enumerate(got):
        want = np.arange(7) + i // len(dtypes)
        if dtypes[i % len(dtypes)] is tf.bool:
            want = want.astype(bool)
        np.testing.assert_array_equal(value, want)


def _later(x):
    time.sleep(0.002)
    return x


@case
def any_order():
    """Each rank submits the same collectives in another order, at other times; no rank may wait for ever."""
    made = {}
    for i in np.random.default_rng(mpi.rank()).permutation(20):
        late = tf.py_func(_later, [tf.constant(i, tf.float64)], tf.float64)
        made[i] = mpi.all_reduce(tf.fill([4], late), mpi.size(), 1, 3000 + i)
    with tf.Session() as session:
        for _ in range(5):
            got = session.run([made[i] for i in range(20)])
    np.testing.assert_array_equal(
        np.stack(got)[:, 0], np.arange(20) * float(mpi.size())
    )


@case
def groups():
    """Pairs of ranks, at the same time."""
    pair = mpi.rank() // 2
    total = mpi.all_reduce(tf.constant(mpi.rank()), 2, 100 + pair, 1)
    with tf.Session() as session:
        assert session.run(total) == 4 * pair + 1


@case
def ranks_that_do_not_agree():
    x = tf.zeros([2 + (mpi.rank() == 1)])
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError) as e:
        session.run(mpi.all_reduce(x, mpi.size(), 1, 4000))
    assert "do not agree on the shape" in str(e.value), e.value


@case
def what_nobody_joins():
    """A timeout of the op, and one of the run; afterwards all goes on."""
    lonely = mpi.all_reduce(
        tf.constant(1.0), mpi.size(), 1, 5000 + mpi.rank(), timeout=0.3
    )
    endless = mpi.all_reduce(tf.constant(1.0), mpi.size(), 1, 5500 + mpi.rank())
    options = tf.RunOptions(timeout_in_ms=300)
    with tf.Session() as session:
        for fetch, extra in ((lonely, {}), (endless, {"options": options})):
            start = time.time()
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(fetch, **extra)
            assert time.time() - start < 30
        assert session.run(mpi.allreduce(tf.constant(3.0))) == 3


@case
def gradients():
    """loss = the sum over ranks m of w_m . mean_k x_k: its gradient in each rank is the mean of all w."""
    x = tf.constant([1.0, 2.0])
    w = _inputs([2], np.float32)
    loss = tf.reduce_sum(mpi.allreduce(x) * w[mpi.rank()])
    with tf.Session() as session:
        got = session.run(tf.gradients(loss, x)[0])
    np.testing.assert_allclose(got, np.mean(w, axis=0), rtol=1e-6)


def _train(optimizer, hooks, x, y, ids, steps=4):
    w = tf.get_variable("w", initializer=tf.fill([3], 0.1 if mpi.rank() == 0 else 7.0))
    table = tf.get_variable("table", initializer=tf.zeros([6, 3]))
    rows = tf.nn.embedding_lookup(table, ids)
    error = tf.reduce_sum((w + rows) * x, axis=1) - y
    step = optimizer.minimize(
        tf.reduce_mean(tf.square(error)), tf.train.get_or_create_global_step()
    )
    with tf.train.MonitoredTrainingSession(hooks=hooks) as session:
        for _ in range(steps):
            session.run(step)
        return session.run([w, table])


@case
def training():
    """Ranks that share a batch train as one process that has it all, from rank 0's variables."""
    rng = np.random.default_rng(5)
    n = 4 * mpi.size()
    x = rng.normal(size=(n, 3)).astype(np.float32)
    y = rng.normal(size=n).astype(np.float32)
    ids = rng.integers(0, 6, n)
    mine = slice(4 * mpi.rank(), 4 * mpi.rank() + 4)
    results = []
    for dense in (False, True):
        with tf.Graph().as_default():
            optimizer = mpi.DistributedOptimizer(
                tf.train.MomentumOptimizer(0.1, 0.9), sparse_as_dense=dense
            )
            hooks = [mpi.BroadcastGlobalVariablesHook(0)]
            results.append(_train(optimizer, hooks, x[mine], y[mine], ids[mine]))
    # The same by hand.
    w, table = np.full(3, 0.1), np.zeros((6, 3))
    momenta = [np.zeros_like(w), np.zeros_like(table)]
    for _ in range(4):
        error = ((w + table[ids]) * x).sum(axis=1) - y
        each = 2 * error[:, None] * x / n
        gradient = [each.sum(axis=0), np.zeros_like(table)]
        np.add.at(gradient[1], ids, each)
        for value, momentum, g in zip((w, table), momenta, gradient, strict=True):
            momentum *= 0.9
            momentum += g
            value -= 0.1 * momentum
    # A sparse momentum moves only rows that a batch has; all are in this one, or never move.
    for got_w, got_table in results:
        np.testing.assert_allclose(got_w, w, rtol=1e-4)
        np.testing.assert_allclose(got_table, table, rtol=1e-4, atol=1e-6)
    return [value.tolist() for value in results[0]]


@case
def one_that_leaves():
    """The ranks that wait for a rank that has left get an error."""
    if mpi.rank() == 1:
        time.sleep(0.5)
        mpi.shutdown()
        return
    with tf.Session() as session, pytest.raises(tf.errors.UnavailableError) as e:
        session.run(mpi.all_reduce(tf.constant(1.0), mpi.size(), 1, 6000))
    assert "rank 1 has left" in str(e.value), e.value


def _be_a_rank(folder):
    mpi.init()
    found = {"rank": mpi.rank(), "size": mpi.size(), "local": mpi.local_size()}
    for name, function in CASES.items():
        with tf.Graph().as_default():
            try:
                found[name] = ["ok", function()]
            except BaseException as error:
                found[name] = ["failed", f"{type(error).__name__}: {error}"]
    pathlib.Path(folder, str(found["rank"])).write_text(json.dumps(found))


# ---------------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=[2, 4])
def found(request, tmp_path_factory):
    """Runs the ranks, and returns the results of each."""
    folder = tmp_path_factory.mktemp("ranks")
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe"]
    command += ["-np", str(request.param), sys.executable, __file__, str(folder)]
    # Slots are not cores: ranks that wait must let the others run.
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
        "OMPI_MCA_mpi_yield_when_idle": "1",
        # Not /tmp and /dev/shm: Open MPI names its files there by process ids, which two sandboxes have alike.
        "OMPI_MCA_orte_tmpdir_base": str(folder),
        "OMPI_MCA_btl_vader_backing_directory": str(folder),
    }
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=280
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return [
        json.loads((folder / str(rank)).read_text()) for rank in range(request.param)
    ]


def test_ranks_know_their_numbers(found):
    assert [rank["rank"] for rank in found] == list(range(len(found)))
    assert {rank["size"] for rank in found} == {len(found)}
    assert {rank["local"] for rank in found} == {len(found)}


@pytest.mark.parametrize("name", CASES)
def test_every_rank(found, name):
    results = [rank[name] for rank in found]
    assert [state for state, _ in results] == ["ok"] * len(found), results


def test_ranks_have_the_same_variables_to_the_bit(found):
    trained = [rank["training"][1] for rank in found]
    assert all(values == trained[0] for values in trained)


def test_a_group_of_one_needs_no_mpi():
    x = tf.placeholder(tf.float32)
    reduced = mpi.all_reduce(x, 1, 1, 1, final_op="Div")
    gathered = mpi.all_gather(x, 1, 1, 2)
    sent = mpi._library().collective_bcast_send(
        x, group_size=1, group_key=1, instance_key=3, shape=[2]
    )
    with tf.Session() as session:
        for fetch in (reduced, gathered, sent):
            assert session.run(fetch, {x: [1, 2]}).tolist() == [1, 2]
        with pytest.raises(errors.InvalidArgumentError, match="at least rank 1"):
            session.run(gathered, {x: 1})
        with pytest.raises(errors.InvalidArgumentError):
            session.run(sent, {x: [1, 2, 3]})


def test_shapes_follow_from_the_inputs():
    x = tf.placeholder(tf.float32, [None, 3])
    assert mpi.all_reduce(x, 4, 1, 1).shape.as_list() == [None, 3]
    assert mpi.all_gather(tf.zeros([2, 3]), 4, 1, 2).shape.as_list() == [8, 3]
    assert mpi.all_gather(x, 4, 1, 2).shape.as_list() == [None, 3]
    assert mpi.broadcast_recv([2, 3], tf.int32, 2, 1, 3).shape.as_list() == [2, 3]
    sent = mpi.broadcast_send(tf.zeros([2]), [2], tf.float32, 2, 1, 3)
    assert sent.shape.as_list() == [2]


def test_bad_arguments_are_refused():
    one = tf.constant([1.0])
    with tf.Session() as session:
        for build, words in [
            (lambda: mpi.all_reduce(one, 0, 1, 1), "group_size must be > 0, got 0"),
            (lambda: mpi.all_reduce(one, 1, 1, 1, timeout=-1), "timeout_seconds"),
            (lambda: mpi.all_gather(tf.constant(1.0), 1, 1, 1), "rank"),
            (
                lambda: mpi._library().collective_bcast_recv(
                    T=tf.float32, group_size=1, group_key=1, instance_key=1, shape=[1]
                ),
                "in a group of one nobody sends",
            ),
        ]:
            with pytest.raises((errors.InvalidArgumentError, ValueError), match=words):
                session.run(build())
        with pytest.raises(errors.FailedPreconditionError, match=r"mpi\.init\(\)"):
            session.run(mpi.all_reduce(one, 2, 1, 1))
    for build, words in [
        (lambda: mpi.all_reduce(one, 1, 1, 1, merge_op="Sub"), "Sub"),
        (lambda: mpi.all_reduce(tf.constant("a"), 1, 1, 1), "string"),
        (lambda: mpi.broadcast_send(one, [1], tf.float32, 1, 1, 1), "got 1"),
        (lambda: mpi.broadcast_send(one, [1], tf.int32, 2, 1, 1), "must be"),
        (lambda: mpi.broadcast_recv([1], tf.float32, 1, 1, 1), "got 1"),
        (lambda: mpi.rank(), "init"),
    ]:
        with pytest.raises((TypeError, ValueError), match=words):
            build()


def test_only_sums_have_a_gradient():
    x = tf.constant([1.0])
    largest = mpi.all_reduce(x, 1, 1, 1, merge_op="Max")
    with pytest.raises(LookupError, match="merge_op='Add' only"):
        tf.gradients(largest, x)
    assert tf.gradients(mpi.all_gather(x, 1, 1, 2), x) == [None]


if __name__ == "__main__":
    _be_a_rank(sys.argv[1])
