# SPDX-License-Identifier: Apache-2.0
"""HParams: text, JSON, protos, types."""

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
