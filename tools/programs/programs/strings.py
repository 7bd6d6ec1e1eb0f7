# SPDX-License-Identifier: Apache-2.0
"""Bytes and text: joined, split, matched, encoded, hashed, parsed, printed."""

import numpy as np
import tensorflow as tf

text = tf.constant(["The quick brown fox", "jumps  over", "", "the lazy dog!"])
words = tf.string_split(text, " ")
every = tf.string_split(text, " ", skip_empty=False)
results = {
    "lengths": tf.strings.length(text),
    "words": words.values,
    "all": tf.shape(every.values),
    "clean": tf.strings.regex_replace(text, r"[^a-zA-Z ]|\s+$", ""),
    "first": tf.strings.regex_replace(text, r"([a-z]+)", r"<\1>", replace_global=False),
    "match": tf.strings.regex_full_match(text, r".*o.*"),
    "part": tf.substr(text[:2], [4, 0], [5, 3]),
    "stripped": tf.strings.strip(["  a ", "b\t"]),
    "lower": tf.strings.lower(text[:1]),
    "upper": tf.strings.upper(text[1]),
    "joined": tf.string_join([words.values[:3], words.values[1:4]], "+"),
    "reduced": tf.reduce_join([["a", "b"], ["c", "d"]], [1, 0], separator="/"),
    "base64": tf.encode_base64(["hello?", "x"], pad=True),
    "back": tf.decode_base64(tf.encode_base64(text)),
    "fast": tf.string_to_hash_bucket_fast(words.values, 100),
    "strong": tf.string_to_hash_bucket_strong(words.values, 100, [7, 9]),
    "old": tf.string_to_hash_bucket(words.values, 100),
    "numbers": tf.string_to_number(["12", "-3", "45"], tf.int32),
    "floats": tf.string_to_number(["1.5e2", "inf", "-0.25"]),
    "raw": tf.decode_raw(["abcd", "efgh"], tf.int16, little_endian=False),
    "as text": tf.as_string([3.14159, -2.5], precision=3, width=9, fill="0"),
    "scientific": tf.as_string(tf.constant([12345.678, 0.0001]), scientific=True),
    "truth": tf.as_string([True, False]),
    "complex": tf.as_string(tf.constant([1 + 2j])),
    "format": tf.strings.format("x={} y={}", [tf.range(3), tf.constant("s")]),
    "utf8": tf.strings.length("häßlich", unit="UTF8_CHAR"),
    "equal": tf.equal(words.values, "the"),
    "which": tf.where(tf.equal(tf.strings.lower(words.values), "the")),
    "backwards": text[::-1],
}
values, ids, counts = tf.unique_with_counts(tf.strings.lower(words.values))
json = tf.decode_json_example(
    ['{"features": {"feature": {"a": {"int64List": {"value": [4, 5]}}}}}']
)
parsed = tf.parse_example(json, {"a": tf.FixedLenFeature([2], tf.int64)})
numbers, names = tf.decode_csv(["1;one", "2;two"], [[0], [""]], field_delim=";")
compressed = tf.decode_compressed(
    [b"\x78\x9c\x4b\x4c\x4a\x06\x00\x02\x4d\x01\x27"], "ZLIB"
)


def shown(value):
    """Text of an element."""
    return repr(value.decode("latin-1")) if isinstance(value, bytes) else value


with tf.Session() as session:
    for name, value in results.items():
        print(name, *[shown(v) for v in np.ravel(session.run(value))])
    found = session.run([values, counts])
    print("counted", *[f"{v.decode()}={c}" for v, c in zip(*found)])
    print("parsed", *session.run(parsed["a"]).ravel())
    print("rows", *session.run(numbers), *[shown(n) for n in session.run(names)])
    print("compressed", *[shown(v) for v in session.run(compressed)])
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(
            values, tf.range(tf.size(values, out_type=tf.int64))
        ),
        -1,
    )
    session.run(table.initializer)
    found = table.lookup(tf.constant(["the", "cat"]))
    print("table", session.run(table.size()), *session.run(found))
