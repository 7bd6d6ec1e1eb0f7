# SPDX-License-Identifier: Apache-2.0
"""Modules of messages with TensorFlow's names."""
