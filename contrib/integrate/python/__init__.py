# SPDX-License-Identifier: Apache-2.0
"""Modules with TensorFlow's names; their names are public in tf.contrib.integrate."""
