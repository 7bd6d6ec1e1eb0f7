# SPDX-License-Identifier: Apache-2.0
"""Parts of python/ops/gradients*.py, whose names are TensorFlow's: import those."""
