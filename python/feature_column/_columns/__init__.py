# SPDX-License-Identifier: Apache-2.0
"""Parts of python/feature_column/feature_column.py, whose name is TensorFlow's: import that."""
