# SPDX-License-Identifier: Apache-2.0
"""The tables of special functions in the source are as near as a new fit."""

import pytest

from tensorwright.tools.dev import fit_functions


@pytest.mark.parametrize("name", fit_functions.FITS)
def test_the_sources_table_is_as_near_as_a_fit(name):
    ours = fit_functions.tables_of_source()[name]
    _, least, error = fit_functions.compare(name, ours)
    assert fit_functions.is_as_near(least, error), (least, error)


def test_a_digit_that_is_wrong_is_found():
    p, q = fit_functions.tables_of_source()["kTanhFloat"]
    p[1] *= fit_functions.D("1.00001")
    _, least, error = fit_functions.compare("kTanhFloat", (p, q))
    assert not fit_functions.is_as_near(least, error)
