# SPDX-License-Identifier: Apache-2.0
"""Parts of python/training/input.py, whose name is TensorFlow's: import that."""
