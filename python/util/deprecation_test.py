# SPDX-License-Identifier: Apache-2.0
"""Docstrings of what is deprecated say so."""

import pytest

from tensorwright.python.util import deprecation

_DATE, _ADVICE = "2016-07-04", "Use the other."


def _same(x=1, y=2):
    """Adds.

    Much more.
    """
    return x + y


def test_a_function_says_that_it_goes():
    found = deprecation.deprecated(_DATE, _ADVICE)(_same)
    assert found.__doc__.splitlines() == [
        "Adds. (deprecated)",
        "",
        "THIS FUNCTION IS DEPRECATED. It will be removed after 2016-07-04.",
        "Instructions for updating:",
        "Use the other.",
        "",
        "Much more.",
    ]
    assert found() == 3


def test_a_function_without_a_docstring_gets_one():
    found = deprecation.deprecated(None, _ADVICE)(lambda: 1)
    assert found.__doc__.splitlines() == [
        "DEPRECATED FUNCTION",
        "",
        "THIS FUNCTION IS DEPRECATED. It will be removed in a future version.",
        "Instructions for updating:",
        "Use the other.",
    ]


def test_a_docstring_keeps_no_spaces_at_the_ends_of_its_lines():
    def spaced():
        pass

    spaced.__doc__ = "Adds.  \n    \n    Args: \n      x: one.\n    "
    lines = deprecation.deprecated(_DATE, _ADVICE)(spaced).__doc__.splitlines()
    assert lines[0] == "Adds. (deprecated)" and lines[-2:] == ["Args:", "  x: one."]


@pytest.mark.parametrize(
    "decorate",
    [
        deprecation.deprecated_args(_DATE, _ADVICE, "y", ("x", 1)),
        deprecation.deprecated_arg_values(_DATE, _ADVICE, y=2, x="a"),
    ],
)
def test_a_function_says_that_arguments_go(decorate):
    assert decorate(_same).__doc__.splitlines()[:5] == [
        "Adds. (deprecated arguments)",
        "",
        "SOME ARGUMENTS ARE DEPRECATED. They will be removed after 2016-07-04.",
        "Instructions for updating:",
        "Use the other.",
    ]


def test_an_argument_that_the_function_lacks_is_refused():
    with pytest.raises(ValueError, match=r"not present.*\['z'\]"):
        deprecation.deprecated_args(_DATE, _ADVICE, "z")(_same)


@pytest.mark.parametrize(
    ("date", "advice", "words"),
    [
        ("", _ADVICE, "YYYY-MM-DD"),
        ("07-04-2016", _ADVICE, "YYYY-MM-DD"),
        (_DATE, "", "instructions"),
    ],
)
def test_a_date_and_advice_are_asked_for(date, advice, words):
    with pytest.raises(ValueError, match=words):
        deprecation.deprecated(date, advice)


def test_an_attribute_that_documentation_leaves_out_is_marked_and_kept():
    def function():
        return 3

    hidden = deprecation.hide_attribute_from_api(function)
    assert hidden is function and hidden._tf_api_hidden and hidden() == 3
