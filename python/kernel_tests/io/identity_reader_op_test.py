# SPDX-License-Identifier: Apache-2.0
"""IdentityReader: the names of work are the records."""

import pytest

import tensorwright as tf
from tensorwright.python.kernel_tests.io import reader_testing

pytestmark = pytest.mark.usefixtures("fresh_graph")


def test_names_are_keys_and_values():
    names = ["a", "", "c"]
    want = [(n.encode(), n.encode()) for n in names]
    assert reader_testing.read_all(tf.IdentityReader(), names) == want
    old = reader_testing.first_generation("_identity_reader")
    assert reader_testing.read_all(old, names) == want
