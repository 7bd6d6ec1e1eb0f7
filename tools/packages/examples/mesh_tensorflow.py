# SPDX-License-Identifier: Apache-2.0
"""Mesh TensorFlow: the README's network of two layers, split over a mesh of one device's parts."""

import mesh_tensorflow as mtf
import numpy as np
import tensorflow as tf

tf.set_random_seed(1)
random = np.random.RandomState(1)
pictures = random.rand(100, 28, 28).astype(np.float32)
kinds = (pictures[:, :14].mean((1, 2)) > pictures[:, 14:].mean((1, 2))).astype(np.int32)

graph = mtf.Graph()
mesh = mtf.Mesh(graph, "my_mesh")
batch_dim = mtf.Dimension("batch", 100)
rows_dim = mtf.Dimension("rows", 28)
cols_dim = mtf.Dimension("cols", 28)
hidden_dim = mtf.Dimension("hidden", 64)
classes_dim = mtf.Dimension("classes", 2)
images = mtf.import_tf_tensor(
    mesh, tf.constant(pictures), shape=[batch_dim, rows_dim, cols_dim]
)
labels = mtf.import_tf_tensor(mesh, tf.constant(kinds), [batch_dim])
w1 = mtf.get_variable(mesh, "w1", [rows_dim, cols_dim, hidden_dim])
w2 = mtf.get_variable(mesh, "w2", [hidden_dim, classes_dim])
hidden = mtf.relu(mtf.einsum([images, w1], output_shape=[batch_dim, hidden_dim]))
logits = mtf.einsum([hidden, w2], output_shape=[batch_dim, classes_dim])
loss = mtf.reduce_mean(
    mtf.layers.softmax_cross_entropy_with_logits(
        logits, mtf.one_hot(labels, classes_dim), classes_dim
    )
)
w1_grad, w2_grad = mtf.gradients([loss], [w1, w2])
update_w1_op = mtf.assign(w1, w1 - w1_grad * 0.05)
update_w2_op = mtf.assign(w2, w2 - w2_grad * 0.05)

# A mesh of four places, all on this machine's processor.
devices = [""] * 4
mesh_impl = mtf.placement_mesh_impl.PlacementMeshImpl(
    "all_processors:4", "batch:all_processors", devices
)
lowering = mtf.Lowering(graph, {mesh: mesh_impl})
tf_update_ops = [
    lowering.lowered_operation(update_w1_op),
    lowering.lowered_operation(update_w2_op),
]
tf_loss = lowering.export_to_tf_tensor(loss)
tf_logits = lowering.export_to_tf_tensor(logits)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    sess.run(lowering.copy_masters_to_slices())
    assert sess.run(tf_logits).shape == (100, 2)
    losses = [sess.run([tf_loss, *tf_update_ops])[0] for _ in range(100)]
assert losses[-1] < 0.9 * losses[0], (losses[0], losses[-1])
