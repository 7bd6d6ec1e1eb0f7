# SPDX-License-Identifier: Apache-2.0
"""Docstrings of what is deprecated say so."""

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
        "Warning: THIS FUNCTION IS DEPRECATED. It will be removed after 2016-07-04.",
        "Instructions for updating:",
        "Use the other.",
        "",
        "Much more.",
    ]
    assert found() == 3


def test_a_function_without_a_docstring_gets_one():
    found = deprecation.deprecated(None, _ADVICE)(lambda: 1)
    first, _, notice, *_ = found.__doc__.splitlines()
    assert first == "DEPRECATED FUNCTION (deprecated)"
    assert notice.endswith("It will be removed in a future version.")


def test_arguments_are_named():
    doc = deprecation.deprecated_args(_DATE, _ADVICE, "y", ("x", 1))(_same).__doc__
    assert doc.startswith("Adds. (deprecated arguments)\n")
    assert "SOME ARGUMENTS ARE DEPRECATED: `(x, y)`. They will be removed after" in doc


def test_values_of_arguments_are_named():
    doc = deprecation.deprecated_arg_values(_DATE, _ADVICE, y=2, x="a")(_same).__doc__
    assert doc.startswith("Adds. (deprecated argument values)\n")
    assert "SOME ARGUMENT VALUES ARE DEPRECATED: `(x='a', y=2)`. They will" in doc


def test_what_documentation_leaves_out_is_marked_and_kept():
    def function():
        return 3

    hidden = deprecation.hide_attribute_from_api(function)
    assert hidden is function and hidden._tf_api_hidden and hidden() == 3
