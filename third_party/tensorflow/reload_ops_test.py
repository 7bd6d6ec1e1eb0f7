# SPDX-License-Identifier: Apache-2.0
"""A library that is loaded again: sessions that live use its new kernels, and keep their state."""

import os
import pathlib
import shutil
import tempfile

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python.framework import function

VERSIONS = pathlib.Path(__file__).parent / "reload"
FOLDER = pathlib.Path(tempfile.mkdtemp())
LIBRARY = FOLDER / "libreload_ops.so"


def _put(version):
    """Puts a version into the place of the library, as `tw build` does."""
    shutil.copy(VERSIONS / f"reload_ops_{version}.so", FOLDER / "new")
    os.replace(FOLDER / "new", LIBRARY)


_put(1)
_ops = tf.load_op_library(str(LIBRARY))


@pytest.fixture
def session():
    _put(1)
    tf.reload_op_library(_ops)
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def _to(version):
    _put(version)
    return tf.reload_op_library(str(LIBRARY))


def test_a_live_session_runs_the_new_kernel(session):
    x = tf.placeholder(tf.float32, [2])
    y = _ops.reload_times(x) + 1.0
    call = session.make_callable(y, [x])
    assert session.run(y, {x: [1, 2]}).tolist() == [2, 3]
    assert call([1, 2]).tolist() == [2, 3]
    assert _to(2) is _ops
    assert session.run(y, {x: [1, 2]}).tolist() == [3, 5]
    assert call([1, 2]).tolist() == [3, 5]
    _to(1)
    assert call([1, 2]).tolist() == [2, 3]


def test_what_was_folded_is_computed_again(session):
    y = _ops.reload_times([3.0])
    assert session.run(y).tolist() == [3]
    _to(2)
    assert session.run(y).tolist() == [6]


def test_variables_and_the_librarys_own_resources_stay(session):
    v = tf.Variable(5.0)
    tally = _ops.reload_tally(shared_name="mine")
    count = _ops.reload_tally_next(tally)
    step = v.assign_add(_ops.reload_times(1.0))
    session.run(v.initializer)
    assert session.run([step, count]) == [6, 101]
    assert session.run(count) == 102
    _to(2)
    assert session.run(v) == 6
    assert session.run([step, count]) == [8, 203]


def test_kernels_of_other_ops_keep_what_they_know(session):
    numbers = tf.random_uniform([3], seed=7)
    both = [numbers, _ops.reload_times(numbers)]
    first, times = session.run(both)
    _to(2)
    second, doubled = session.run(both)
    np.testing.assert_allclose(times, first)
    np.testing.assert_allclose(doubled, 2 * second)
    # The generator goes on, where a new one would begin again.
    assert first.tolist() != second.tolist()


def test_functions_and_datasets_run_it(session):
    @function.Defun(tf.float32)
    def f(x):
        return _ops.reload_times(x)

    y = f(tf.constant([2.0]))
    values = tf.data.Dataset.from_tensor_slices([1.0, 1.0, 1.0]).map(_ops.reload_times)
    following = tf.data.make_one_shot_iterator(values).get_next()
    assert session.run(y).tolist() == [2]
    assert session.run(following) == 1
    _to(2)
    assert session.run(y).tolist() == [4]
    assert session.run(following) == 2


def test_a_changed_definition_is_refused_with_what_changed(session):
    y = _ops.reload_times([1.0])
    _to(2)
    with pytest.raises(tf.errors.FailedPreconditionError) as refused:
        _to(3)
    text = str(refused.value)
    assert text.startswith(
        f"{LIBRARY}: the definition of op ReloadTimes, registered at "
    )
    assert "  was  input x:float\n  now  input x:double\n" in text
    assert session.run(y).tolist() == [2]
    _to(1)
    assert session.run(y).tolist() == [1]


def test_an_op_that_is_gone_is_refused(session):
    with pytest.raises(
        tf.errors.FailedPreconditionError, match="op ReloadTallyNext was in it"
    ):
        _to(4)
    assert session.run(_ops.reload_times([1.0])).tolist() == [1]


def test_what_is_not_loaded_cannot_be_loaded_again(session, tmp_path):
    shutil.copy(LIBRARY, tmp_path / "libother.so")
    with pytest.raises(tf.errors.NotFoundError, match="is not loaded"):
        tf.reload_op_library(str(tmp_path / "libother.so"))
