# SPDX-License-Identifier: Apache-2.0
"""Arguments that have two names."""

import pytest

from tensorwright.python.util import renamed_arguments


@pytest.mark.parametrize(
    ("new", "old", "value"), [(None, None, None), (0, None, 0), (None, 0, 0)]
)
def test_either_name_gives_the_value(new, old, value):
    found = renamed_arguments.deprecated_argument_lookup("axis", new, "dim", old)
    assert found == value


@pytest.mark.parametrize(
    "function",
    [
        renamed_arguments.deprecated_argument_lookup,
        renamed_arguments.required_argument,
    ],
)
def test_both_names_are_an_error(function):
    with pytest.raises(ValueError, match="both 'dim' and 'axis'"):
        function("axis", 0, "dim", 0)


def test_a_required_argument_must_be_given():
    assert renamed_arguments.required_argument("filter", None, "filters", 2) == 2
    with pytest.raises(ValueError, match="Argument 'filter' is required"):
        renamed_arguments.required_argument("filter", None, "filters", None)
