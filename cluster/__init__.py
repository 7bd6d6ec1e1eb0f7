# SPDX-License-Identifier: Apache-2.0
"""Clusters that others start: `tensorwright.cluster.ray` on Ray.

The servers themselves are `tf.train.Server`.
"""
