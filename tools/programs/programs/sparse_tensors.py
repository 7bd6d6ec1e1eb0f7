# SPDX-License-Identifier: Apache-2.0
"""Sparse tensors: sums, products, softmax, concatenation, reordering, gradients."""

import numpy as np
import tensorflow as tf

rng = np.random.RandomState(17)
dense = np.where(rng.uniform(size=[5, 6]) < 0.4, rng.normal(size=[5, 6]), 0).astype(
    np.float32
)
places = np.argwhere(dense)
values = tf.Variable(dense[tuple(places.T)])
sparse = tf.SparseTensor(places, values, dense.shape)
matrix = tf.constant(rng.normal(size=[6, 3]).astype(np.float32))
product = tf.sparse_tensor_dense_matmul(sparse, matrix)
results = {
    "sum": tf.sparse_reduce_sum(sparse, 1),
    "softmax": tf.sparse_softmax(sparse).values,
    "added": tf.sparse_tensor_to_dense(tf.sparse_add(sparse, sparse)),
    "joined": tf.sparse_tensor_to_dense(tf.sparse_concat(0, [sparse, sparse])),
    "transposed": tf.sparse_tensor_to_dense(tf.sparse_transpose(sparse)),
    "kept": tf.sparse_retain(sparse, values > 0).values,
    "reshaped": tf.sparse_tensor_to_dense(tf.sparse_reshape(sparse, [3, 10])),
    "filled": tf.sparse_fill_empty_rows(sparse, 7.0)[0].values,
    "sliced": tf.sparse_tensor_to_dense(tf.sparse_slice(sparse, [1, 1], [3, 4])),
    "product": product,
    "gradient": tf.gradients(tf.reduce_sum(tf.square(product)), values)[0],
}
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for name, value in sorted(results.items()):
        found = session.run(value)
        print(
            name,
            *found.shape,
            (found * np.cos(np.arange(found.size)).reshape(found.shape)).sum(),
        )
    print("entries", len(places))
