# SPDX-License-Identifier: Apache-2.0
"""Initializers: what they refuse, and the spread of their draws."""

import numpy as np
import pytest

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"scale": 0.0}, "`scale` must be a positive float, got 0.0"),
        ({"scale": float("nan")}, "`scale` must be a positive float"),
        ({"mode": "fan"}, "Invalid `mode` argument, .* got 'fan'"),
        ({"distribution": "beta"}, "Invalid `distribution` argument, .* got 'beta'"),
    ],
)
def test_variance_scaling_names_the_argument_that_it_refuses(arguments, text):
    with pytest.raises(ValueError, match=text):
        tf.variance_scaling_initializer(**arguments)


@pytest.mark.parametrize(
    ("arguments", "deviation"),
    [
        ({}, (1 / 200) ** 0.5),
        ({"mode": "fan_out", "distribution": "Uniform"}, (1 / 300) ** 0.5),
        ({"scale": 2.0, "distribution": "untruncated_normal"}, (2 / 200) ** 0.5),
        ({"mode": "fan_avg", "distribution": "normal"}, (1 / 250) ** 0.5),
    ],
)
def test_variance_scaling_has_the_variance_of_its_mode(arguments, deviation):
    with tf.Session() as session:
        draws = session.run(
            tf.variance_scaling_initializer(seed=1, **arguments)([200, 300])
        )
    # The standard error of a normal's deviation from 60,000 draws is 0.3 % of it; the others have less.
    np.testing.assert_allclose(draws.std(), deviation, rtol=0.012)
    assert abs(draws.mean()) < 4 * deviation / 60000**0.5
