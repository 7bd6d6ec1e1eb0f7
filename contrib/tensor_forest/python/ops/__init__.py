# SPDX-License-Identifier: Apache-2.0
"""Modules with TensorFlow's names, of tf.contrib.tensor_forest."""
