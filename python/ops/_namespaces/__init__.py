# SPDX-License-Identifier: Apache-2.0
"""The members of public namespaces as `tf.math` and `tf.linalg`, which no module of TensorFlow's defines."""
