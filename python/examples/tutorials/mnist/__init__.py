# SPDX-License-Identifier: Apache-2.0
"""Handwritten digits: how they are read, and a network that tells them apart."""

from tensorwright.python.examples.tutorials.mnist import (
    input_data as input_data,
    mnist as mnist,
)
