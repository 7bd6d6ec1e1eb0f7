# SPDX-License-Identifier: Apache-2.0
"""Parts of python/ops/resource_variable_ops.py, whose names are TensorFlow's: import that."""
