# SPDX-License-Identifier: Apache-2.0
"""tf.distributions."""
