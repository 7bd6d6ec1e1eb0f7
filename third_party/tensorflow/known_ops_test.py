# SPDX-License-Identifier: Apache-2.0
"""A library that brings along an op which is there already loads if both mean the same."""

import pathlib

import numpy as np
import pytest

import tensorwright as tf
from tensorwright.python import _pywrap
from tensorwright.python.framework import op_def_registry

LIBRARY = pathlib.Path(__file__).parent / "known/known_ops.so"


def _kernels(op):
    return _pywrap.kernel_registrations(op)


# Loading is for good: all that it changes is noted around the one time it is done.
_before = len(_kernels("Softsign"))
_doc = op_def_registry.get("Softsign").summary
_library = tf.load_op_library(str(LIBRARY))


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_the_list_of_ops_has_what_is_new():
    assert [op.name for op in _library.OP_LIST.op] == ["KnownOpsNew"]


def test_the_known_op_stays_what_it_was(session):
    assert op_def_registry.get("Softsign").summary == _doc
    x = np.float32([-3, 0, 1])
    for softsign in (tf.nn.softsign, _library.softsign):
        y = softsign(tf.constant(x))
        assert y.shape == (3,)
        np.testing.assert_allclose(session.run(y), x / (1 + abs(x)), rtol=1e-6)


def test_kernels_for_other_nodes_are_added(session):
    assert len(_kernels("Softsign")) == _before + 1
    with tf.get_default_graph()._kernel_label_map({"Softsign": "sevens"}):
        y = _library.softsign([0.5, 2.0])
    assert session.run(y).tolist() == [7.0, 7.0]


def test_the_new_op_runs(session):
    assert session.run(_library.known_ops_new([1.0])).tolist() == [7.0]


def test_an_op_may_do_everything_that_its_library_does_not_rule_out():
    new = _pywrap.op_registration("KnownOpsNew")
    assert new["library"] == str(LIBRARY)
    every = [
        "files read",
        "files written",
        "network",
        "python",
        "native code",
        "host",
    ]
    assert new["touches"] == every
    assert new["needs"] == ["blocking", "unbounded memory"]
    # Ours, but it has a kernel of the library.
    softsign = _pywrap.op_registration("Softsign")
    assert softsign["library"] == "" and softsign["touches"] == every
    assert _pywrap.op_registration("Softplus")["touches"] == []
