# SPDX-License-Identifier: Apache-2.0
"""tf.vectorized_map and the batching rules of ops."""
