# SPDX-License-Identifier: Apache-2.0
"""Values that go unused are logged, and those that are touched are not."""

import pytest

import tensorwright as tf
from tensorwright.python.util import tf_should_use

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.fixture
def logged(monkeypatch):
    errors = []
    for name in ("error", "fatal"):
        monkeypatch.setattr(
            tf_should_use.tf_logging,
            name,
            lambda text, *args, level=name: errors.append((level, text)),
        )
    return errors


@pytest.mark.parametrize("level", ["error", "fatal"])
def test_a_value_that_goes_unused_is_logged_with_its_place(logged, level):
    def made_here():
        one = tf.constant(1, name="one")
        tf_should_use._add_should_use_warning(one, fatal_error=level == "fatal")

    made_here()
    ((found, text),) = logged
    assert found == level and "Object was never used" in text
    assert "one:0" in text and "in made_here" in text


@pytest.mark.parametrize(
    "use",
    [
        lambda h: h + 1,
        lambda h: -h,
        lambda h: h.name,
        lambda h: h.mark_used(),
        lambda h: tf.Session().run(h),
    ],
)
def test_a_value_that_is_touched_is_not_logged(logged, use):
    use(tf_should_use._add_should_use_warning(tf.constant(1)))
    assert logged == []


def test_a_decorated_function_gives_results_that_should_be_used(logged):
    @tf_should_use.should_use_result
    def two():
        return tf.constant(2.0, name="two")

    assert (two() * 3).op.type == "Mul" and logged == []
    two()
    assert len(logged) == 1 and "two_1:0" in logged[0][1]


def test_nothing_needs_no_use(logged):
    for nothing in (None, [], ()):
        assert tf_should_use._add_should_use_warning(nothing) is nothing
    assert logged == []


@pytest.mark.parametrize("way", ["write", "scatter", "unstack", "split"])
def test_an_array_whose_write_goes_unused_is_logged(logged, way):
    def written():
        array = tf.TensorArray(tf.float32, 2)
        return {
            "write": lambda: array.write(0, 1.0),
            "scatter": lambda: array.scatter([0, 1], [1.0, 2.0]),
            "unstack": lambda: array.unstack([1.0, 2.0]),
            "split": lambda: array.split([1.0, 2.0], [1, 1]),
        }[way]()

    written().mark_used()
    written().size()
    written().identity().read(0)
    written().close()
    assert logged == []
    written()
    ((_, text),) = logged
    assert "Object was never used" in text and "TensorArray" in text
    assert "in written" in text


def test_an_array_in_a_loop_is_used(logged):
    _, array = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, a: (i + 1, a.write(i, tf.to_float(i))),
        (0, tf.TensorArray(tf.float32, 3)),
    )
    with tf.Session() as session:
        assert session.run(array.stack()).tolist() == [0, 1, 2]
    assert logged == []
