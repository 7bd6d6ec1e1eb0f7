# SPDX-License-Identifier: Apache-2.0
"""Parts of python/ops/sparse_ops.py, whose names are TensorFlow's: import those."""
