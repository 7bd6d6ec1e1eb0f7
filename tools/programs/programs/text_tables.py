# SPDX-License-Identifier: Apache-2.0
"""Words to numbers and back: string_split, vocabularies, hash buckets."""

import tensorflow as tf

text = tf.constant(["the cat sat", "the dog", "a bird sat there"])
words = tf.string_split(text)
vocabulary = ["the", "cat", "dog", "sat"]
keys = tf.constant(vocabulary)
initializer = tf.lookup.KeyValueTensorInitializer(keys, tf.range(4, dtype=tf.int64))
table = tf.lookup.StaticHashTable(initializer, default_value=9)
ids = tf.SparseTensor(words.indices, table.lookup(words.values), words.dense_shape)
dense = tf.sparse_tensor_to_dense(ids, default_value=-1)
buckets = tf.string_to_hash_bucket_fast(words.values, 7)
counts = tf.unsorted_segment_sum(
    tf.ones_like(words.values, tf.int32), table.lookup(words.values), 10
)
joined = tf.reduce_join(
    tf.reshape(tf.constant(list("abcdef")), [2, 3]), 1, separator="-"
)
numbers = tf.string_to_number(["1.5", "-2", "3e2"])
with tf.Session() as session:
    session.run(tf.tables_initializer())
    print("ids", *session.run(dense).ravel())
    print("buckets", *session.run(buckets))
    print("counts", *session.run(counts))
    print("joined", *[s.decode() for s in session.run(joined)])
    print("numbers", *session.run(numbers))
    print(
        "substrings", *[s.decode() for s in session.run(tf.substr(words.values, 0, 2))]
    )
    print("unique", *session.run(tf.unique(words.values).idx))
    print(
        "text",
        *[
            s.decode()
            for s in session.run(tf.as_string(tf.constant([1.25, 3.0]), precision=2))
        ],
    )
