# SPDX-License-Identifier: Apache-2.0
"""Parts of python/ops/metrics*.py, whose names are TensorFlow's: import those."""
