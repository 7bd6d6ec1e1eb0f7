# SPDX-License-Identifier: Apache-2.0
"""A referee accepts right results and those as near as rounding allows, and no others; formulas match our kernels."""

import ml_dtypes
import numpy as np
import pytest

import tensorwright as tf
from tensorwright.tools.difftest import formulas, referee
from tensorwright.tools.difftest.examples import call, gave
from tensorwright.tools.opcheck import draws, graphs, hints, signature as sig, wire
from tensorwright.tools.opcheck.signature import Signature


def _judge(ours, theirs, reference, dtype="float32", **more):
    d = gave("Sum", ours, theirs, dtype)
    return referee.judge(d, np.asarray(reference, np.float64), "x", **more).accepted


def test_what_the_referee_has_is_accepted():
    assert _judge([1.0], [1.1], [1.0])
    assert _judge([np.inf], [1e38], [1e39])
    assert _judge([np.nan], [1.0], [np.nan])


def test_what_is_nearer_and_not_far_off_is_accepted():
    assert _judge([1.00006], [1.0002], [1.0])
    assert not _judge([1.0002], [1.00006], [1.0])
    # TensorFlow's is still worse.
    assert not _judge([1.1], [1.3], [1.0])


def test_a_wrong_element_is_not_outweighed_by_right_ones():
    assert not _judge([1.0, 3.0], [1.1, 1.0], [1.0, 1.0])


def test_infinities_and_what_is_no_number_must_be_the_referees():
    assert not _judge([np.inf], [1.0], [1.0])
    assert not _judge([np.nan], [1.0], [1.0])
    assert not _judge([0.0], [np.nan], [np.nan])


def test_what_moved_inputs_change_is_accepted():
    assert _judge([1.01], [1.02], [1.0], spread=np.array([0.01]))
    assert not _judge([1.5], [1.02], [1.0], spread=np.array([0.01]))


def _overflowing(ours, theirs, reference, x=np.inf, words="input 0: all = inf"):
    case = call("Sum", np.float32([x, 1]), [0])
    d = gave(case, ours, theirs, words=words)
    return referee.judge(d, np.asarray(reference), referee.WIDER).accepted


def test_which_kind_of_no_number_overflows_is_nobodys_to_say():
    assert _overflowing([np.inf, 1], [np.nan, 1], [np.nan, 1])
    assert _overflowing([np.inf, 1], [-np.inf, 1], [np.nan, 1], x=1e30)
    # A finite number, of ours or TensorFlow's, says something; and so does an infinite referee.
    assert not _overflowing([3, 1], [np.nan, 1], [np.nan, 1])
    assert not _overflowing([np.inf, 1], [3, 1], [np.nan, 1])
    assert not _overflowing([np.nan, 1], [-np.inf, 1], [np.inf, 1])
    # A valid call, and numbers that do not overflow.
    assert not _overflowing([np.inf, 1], [np.nan, 1], [np.nan, 1], words="")
    assert not _overflowing([np.inf, 1], [np.nan, 1], [np.nan, 1], x=7)


def test_a_formula_knows_what_overflows():
    d = gave(call("Sum", [np.inf], [0]), np.inf, np.nan, words="input 0: all = inf")
    assert not referee.judge(d, np.asarray(np.nan), formulas.WHO).accepted


def test_there_is_no_second_look_at_what_is_drawn_by_chance():
    """TensorFlow's wider numbers would be others, by which any of ours were near."""
    op = "ParameterizedTruncatedNormal"
    case = call(op, np.int32([1]), *np.float32([[0], [1], [-1], [1]]), seed=1, seed2=2)
    d = gave(case, [0.5], [0.25])
    # The referee asks no one.
    assert referee.look(None, Signature(op), d, {}, 1.0) is None


class _WithoutDouble:
    """A peer that has no kernel for doubles, and says 1 and then, of moved inputs, 1.5."""

    asked = 0

    def peer_alone(self, graph):
        self.asked += 1
        nodes = tf.GraphDef.FromString(graph["def"]).node
        if any(n.name == "op" and n.attr["T"].type == sig.DOUBLE for n in nodes):
            return {"error": ("InvalidArgumentError", "No OpKernel was registered")}
        said = [wire.encode(np.float32([x]), sig.FLOAT) for x in (1, 1.5)]
        return {"runs": [{"values": [x]} for x in said]}


def test_without_a_wider_kernel_only_inputs_are_moved():
    signature, case = Signature("Relu6"), call("Relu6", np.float32([1]), T=sig.FLOAT)
    graph = graphs.build(signature, [case], graphs.UNKNOWN)
    lane, d = _WithoutDouble(), gave(case, [1.25], [1.0])
    found = referee.look(lane, signature, d, graph, 1.0)
    assert found.accepted and found.referee == referee.MOVED and lane.asked == 2
    d = gave(case, [9.0], [1.0])
    assert not referee.look(lane, signature, d, graph, 1.0).accepted


_OPS = sorted(formulas.covered())


@pytest.mark.parametrize("op", _OPS)
def test_a_formula_says_what_our_kernel_computes(op):
    """The draws are smooth and in double precision: a wrong formula would let a wrong kernel pass."""
    signature, compared = Signature(op), 0
    for seed in range(40):
        try:
            case = hints.draw(signature, seed, draws.SMOOTH)
        except draws.Unsuitable:
            continue
        wanted = formulas.of_case(case)
        # Inputs that hold sizes are no part of this.
        reals = {sig.FLOAT, sig.DOUBLE} & set(case.types)
        if wanted is None or not reals or case.types[0] not in (*reals, sig.INT32):
            continue
        with tf.Graph().as_default(), tf.Session() as session:
            got = session.run(_node(signature, case))
        tolerance = 1e-9 if sig.DOUBLE in reals else 1e-4
        np.testing.assert_allclose(got, wanted, tolerance, tolerance)
        compared += 1
        if compared == 5:
            return
    assert compared


def _node(signature, case):
    graph = graphs.build(signature, [case], graphs.CONSTANT)
    definition = tf.GraphDef.FromString(graph["def"])
    return tf.import_graph_def(definition, name="", return_elements=["op:0"])[0]


def test_a_formula_takes_the_numbers_that_the_call_has():
    x = np.asarray([1.0, 2.5], ml_dtypes.bfloat16)
    assert formulas.of_case(call("Square", x)).tolist() == [1.0, 6.25]
