# SPDX-License-Identifier: Apache-2.0
"""`tf.contrib.staging`: values that one step puts away for the next."""

from tensorwright.python.ops.data_flow_ops import StagingArea
