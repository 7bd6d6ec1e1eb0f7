# SPDX-License-Identifier: Apache-2.0
"""Parts of python/ops/functional*.py, whose names are TensorFlow's: import those."""
