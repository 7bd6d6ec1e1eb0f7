# SPDX-License-Identifier: Apache-2.0
"""TensorFlow's folder of autograph's functions."""
