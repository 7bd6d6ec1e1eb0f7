# SPDX-License-Identifier: Apache-2.0
"""tf.contrib.decision_trees: the messages of saved trees."""
