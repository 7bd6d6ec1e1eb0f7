# SPDX-License-Identifier: Apache-2.0
"""Strategies of training; `tf.distribute` is distribute_ns.py."""
