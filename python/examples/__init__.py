# SPDX-License-Identifier: Apache-2.0
"""Modules of TensorFlow's tutorials that programs import, as `tensorflow.examples`."""
