# SPDX-License-Identifier: Apache-2.0
"""DecodeJSONExample: Examples in JSON."""

import numpy as np
import pytest
from google.protobuf import json_format

import tensorwright as tf

pytestmark = pytest.mark.usefixtures("fresh_graph")


def _example():
    made = tf.train.Example()
    features = made.features.feature
    features["i"].int64_list.value.extend([1, -(2**60)])
    features["f"].float_list.value.extend([0.5, -1.0])
    features["s"].bytes_list.value.append(b"\x00\xffz")
    features["empty"].int64_list.SetInParent()
    return made


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


def test_json_becomes_a_serialized_example():
    wanted = _example()
    texts = [json_format.MessageToJson(wanted), "{}", '{"features": {}}']
    got = _run(tf.decode_json_example(np.array(texts, object)))
    assert tf.train.Example.FromString(got[0]) == wanted
    assert tf.train.Example.FromString(got[1]) == tf.train.Example()
    parsed = tf.parse_example(got[:1], {"i": tf.VarLenFeature(tf.int64)})
    assert _run(parsed["i"].values).tolist() == [1, -(2**60)]


def test_equal_examples_have_equal_bytes():
    names = [f"feature{i}" for i in range(30)]
    texts = [
        '{"features": {"feature": {%s}}}'
        % ",".join(f'"{n}": {{"int64List": {{"value": [1]}}}}' for n in order)
        for order in (names, names[::-1])
    ]
    first, second = _run(tf.decode_json_example(texts))
    assert first == second


def test_other_text_is_refused():
    text = json_format.MessageToJson(_example())
    fed = tf.placeholder(tf.string, [])
    decoded = tf.decode_json_example(fed)
    changed = ["", "[", '{"x": 1}', '{"features": 3}', "[" * 10_000, '{"a":' * 10_000]
    changed += [text[:n] for n in range(0, len(text), 7)]
    refused = 0
    with tf.Session() as session:
        for wrong in changed:
            with pytest.raises(tf.errors.InvalidArgumentError, match="parsing JSON"):
                session.run(decoded, {fed: wrong})
        for bit in range(0, 8 * len(text), 97):
            data = bytearray(text.encode())
            data[bit // 8] ^= 1 << bit % 8
            try:
                tf.train.Example.FromString(session.run(decoded, {fed: bytes(data)}))
            except tf.errors.InvalidArgumentError:
                refused += 1
    assert refused > 0
