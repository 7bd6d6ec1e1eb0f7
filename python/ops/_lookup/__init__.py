# SPDX-License-Identifier: Apache-2.0
"""Parts of python/ops/lookup_ops.py, whose name is TensorFlow's: import that."""
