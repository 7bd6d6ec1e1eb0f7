# SPDX-License-Identifier: Apache-2.0
"""HParams: text, JSON, protos, types."""

import json

import numpy as np
import pytest

import tensorwright as tf

HParams = tf.contrib.training.HParams


def make():
    return HParams(a=1, b=2.5, c="x", d=True, e=[1, 2], f=["u", "v"], model_structure=7)


def test_text():
    h = make().parse("a=3, b=1e-3,c=hello world,d=false,e=[4,5,6],f=[w]")
    assert h.values() == {"a": 3, "b": 1e-3, "c": "hello world", "d": False, "e": [4, 5, 6], "f": ["w"]}  # fmt: skip
    assert h.a == 3 and "a" in h and "g" not in h
    assert h.get_model_structure() == 7
    assert make().parse("b=2").b == 2.0 and make().parse("").a == 1


def test_json_and_protos():
    h = make().parse_json('{"a": 4, "e": [7]}')
    assert h.a == 4 and h.e == [7]
    same = HParams.from_proto(tf.contrib.training.HParamDef.FromString(h.to_proto().SerializeToString()))  # fmt: skip
    assert same.values() == h.values()
    assert HParams(**{k: v for k, v in make().values().items()}).to_json() == make().to_json()  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["a", "a=x", "a=1.5", "d=2", "g=1", "a=[1]", "e=1", "e=[x]", "a=1,a=2", "a=1 b=2", "=1"],
)  # fmt: skip
def test_bad_text(text):
    with pytest.raises(ValueError):
        make().parse(text)


@pytest.mark.parametrize("text", ['{"a": 1.5}', '{"a": true}', '{"d": 1}', '{"c": 1}', '{"g": 1}', '{"e": 1}'])  # fmt: skip
def test_bad_json(text):
    with pytest.raises(ValueError):
        make().parse_json(text)


def test_names_are_there_once():
    h = make()
    for name in ("a", "values", "parse"):
        with pytest.raises(ValueError, match="reserved"):
            h.add_hparam(name, 1)
    with pytest.raises(ValueError, match="empty"):
        h.add_hparam("n", [])
    h.add_hparam("n", 5)
    assert h.n == 5
    with pytest.raises(TypeError):
        HParams(hparam_def="x")
    assert tf.contrib.training.parse_values("a=1,b=[2,3]", {"a": int, "b": float}) == {"a": 1, "b": [2.0, 3.0]}  # fmt: skip


@pytest.mark.parametrize(
    ("first", "value", "kept"),
    [
        (1, np.int32(3), 3),
        (1.5, 2, 2.0),
        (1.5, np.float32(0.25), 0.25),
        (1j, 2, 2 + 0j),
        (True, False, False),
        ("x", b"y", "y"),
        (b"x", "y", b"y"),
        (None, "x", "x"),
        (None, None, None),
    ],
)
def test_values_that_lose_nothing_are_kept_as_the_type_there_is(first, value, kept):
    h = HParams(single=first, many=[first])
    h.set_hparam("single", value)
    h.set_hparam("many", [value, first])
    assert h.single == kept and type(h.single) is type(kept)
    assert h.many == [kept, first]


@pytest.mark.parametrize(
    ("first", "value"),
    [(1, 1.5), (1, True), (1, "1"), (1.5, False), (1.5, 1j), (True, 1), ("x", 1), (b"x", 1)],
)  # fmt: skip
def test_values_of_another_type_are_refused_by_name(first, value):
    h = HParams(p=first, q=[first])
    for name, wrong in (("p", value), ("q", [first, value])):
        with pytest.raises(ValueError, match=f"Could not cast hparam '{name}'"):
            h.set_hparam(name, wrong)
    with pytest.raises(ValueError, match="Must not pass a list for hparam 'p'"):
        h.set_hparam("p", [first])
    with pytest.raises(ValueError, match="Must pass a list for hparam 'q'"):
        h.set_hparam("q", first)
    with pytest.raises(KeyError):
        h.set_hparam("r", first)
    assert h.values() == {"p": first, "q": [first]}


def test_what_has_no_proto_is_refused():
    with pytest.raises(ValueError, match="'z' of type 'complex'"):
        HParams(z=1j).to_proto()
    proto = tf.contrib.training.HParamDef()
    proto.hparam["empty"].SetInParent()
    with pytest.raises(ValueError, match="'empty' of the proto has no value"):
        HParams(hparam_def=proto)
    with pytest.raises(ValueError, match="exclude each other"):
        HParams(hparam_def=proto, a=1)


def test_text_is_not_read_where_the_type_is_unknown():
    with pytest.raises(ValueError, match="Could not parse hparam 'n'"):
        HParams(n=None).parse("n=3")
    assert HParams(n=b"x").parse("n=yz").n == b"yz"


def test_dicts_defaults_and_names_that_go():
    params = HParams(rate=0.1, sizes=[1, 2], name="a", fn=len)
    assert params.override_from_dict({"rate": 1, "sizes": [3]}) is params
    assert params.rate == 1.0 and params.sizes == [3]
    with pytest.raises(ValueError, match="Unknown hyperparameter 'x'"):
        params.override_from_dict({"x": 1})
    assert params.get("rate") == 1.0 and params.get("none", 7) == 7
    assert params.get("sizes", [4]) == [3] and params.get("none") is None
    for key, default in (("rate", "text"), ("sizes", 4), ("rate", [1.0])):
        with pytest.raises(ValueError):
            params.get(key, default)
    text = params.to_json(indent=1, sort_keys=True)
    assert json.loads(text) == {"name": "a", "rate": 1.0, "sizes": [3]}
    assert text.index("name") < text.index("sizes") and "\n" in text
    params.del_hparam("rate")
    params.del_hparam("rate")
    assert "rate" not in params and not hasattr(params, "rate")
    params.add_hparam("rate", 2)
    assert params.rate == 2
