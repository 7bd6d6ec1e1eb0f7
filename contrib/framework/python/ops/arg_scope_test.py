# SPDX-License-Identifier: Apache-2.0
"""arg_scope: which defaults reach which call."""

import threading

import pytest

import tensorwright as tf
from tensorwright.python.util import tf_inspect

framework = tf.contrib.framework
add_arg_scope, arg_scope = framework.add_arg_scope, framework.arg_scope


@add_arg_scope
def func1(*args, **kwargs):
    return args, kwargs


@add_arg_scope
def func2(x, y=1, z=2):
    """Two defaults."""
    return x, y, z


def test_calls_get_what_the_scope_gives_and_win_over_it():
    with arg_scope([func2], y=5):
        assert func2(0) == (0, 5, 2)
        assert func2(0, y=7) == (0, 7, 2)
        with arg_scope([func1, func2], z=8):
            assert func2(0) == (0, 5, 8)
            assert func1(3) == ((3,), {"z": 8})
        assert func1(3) == ((3,), {})
        assert func2(0) == (0, 5, 2)
    assert func2(0) == (0, 1, 2)


def test_a_scope_can_come_into_force_again():
    with arg_scope([func2], y=5) as kept:
        pass
    with arg_scope([func2], z=9), arg_scope(kept) as again:
        assert again == kept
        # As it was: nothing of the scope around.
        assert func2(0) == (0, 5, 2)
    assert framework.current_arg_scope() == {}


def test_an_exception_leaves_the_scope():
    with pytest.raises(KeyError), arg_scope([func2], y=5):
        raise KeyError
    assert func2(0) == (0, 1, 2)


def test_another_thread_has_no_scope():
    seen = []
    with arg_scope([func2], y=5):
        thread = threading.Thread(target=lambda: seen.append(func2(0)))
        thread.start()
        thread.join()
    assert seen == [(0, 1, 2)]


def test_decorated_functions_keep_name_text_and_arguments():
    assert func2.__name__ == "func2" and func2.__doc__ == "Two defaults."
    assert tf_inspect.getargspec(func2).args == ["x", "y", "z"]
    assert framework.has_arg_scope(func2) and not framework.has_arg_scope(len)
    assert framework.arg_scoped_arguments(func2) == ("y", "z")


def test_bad_scopes_are_refused():
    with pytest.raises(ValueError, match="not decorated"), arg_scope([len], a=1):
        pass
    with pytest.raises(TypeError, match="list/tuple"), arg_scope(func2, y=1):
        pass
    with pytest.raises(ValueError, match="kwargs must be empty"), arg_scope({}, y=1):
        pass
    with pytest.raises(TypeError), arg_scope([func2], nothing=1):
        func2(0)
    with pytest.raises(ValueError, match="not decorated"):
        framework.arg_scoped_arguments(len)
