# SPDX-License-Identifier: Apache-2.0
"""Parts of python/ops/math*.py, whose names are TensorFlow's: import those."""
