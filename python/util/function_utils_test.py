# SPDX-License-Identifier: Apache-2.0
"""Arguments, names and codes of callables."""

import functools

import pytest

from tensorwright.python.util import function_utils


def plain(a, b, *rest, c=1):
    return a, b, rest, c


def keywords(a, **kwargs):
    return a, kwargs


class Callable:
    def __call__(self, x, y=2):
        return x, y

    def method(self, z):
        return z


def test_arguments_are_without_self_and_what_a_partial_gives():
    assert function_utils.fn_args(plain) == ("a", "b", "c")
    assert function_utils.fn_args(functools.partial(plain, 1, c=2)) == ("b",)
    assert function_utils.fn_args(Callable()) == ("x", "y")
    assert function_utils.fn_args(Callable().method) == ("z",)


def test_functions_that_take_any_name_say_so():
    assert function_utils.has_kwargs(keywords)
    assert function_utils.has_kwargs(functools.partial(keywords, 1))
    assert not function_utils.has_kwargs(plain)
    with pytest.raises(TypeError, match="function-like object"):
        function_utils.has_kwargs(3)


def test_names_and_codes_are_those_of_the_function_inside():
    partial = functools.partial(functools.partial(plain, 1), 2)
    assert function_utils.get_func_name(plain) == "plain"
    assert function_utils.get_func_name(partial) == "plain"
    assert "lambda q: q" in function_utils.get_func_name(lambda q: q)
    assert "Callable" in function_utils.get_func_name(Callable())
    assert function_utils.get_func_code(partial) is plain.__code__
    assert function_utils.get_func_code(Callable()) is None
    for function in (function_utils.get_func_name, function_utils.get_func_code):
        with pytest.raises(ValueError, match="must be callable"):
            function(3)
