# SPDX-License-Identifier: Apache-2.0
"""Tests of tf.debugging.set_log_device_placement."""

import sys

import tensorwright as tf
from tensorwright.python.framework import test_util
from tensorwright.python.platform import googletest


class LogPlacementTest(test_util.TensorFlowTestCase):
    def _logged(self, config=None):
        with self.captureWritesToStream(sys.__stderr__) as written:
            with tf.Session(config=config) as session:
                session.run(tf.identity(tf.placeholder_with_default(1.0, [])))
        return written.contents()

    def test_sessions_made_afterwards_log(self):
        self.assertFalse(tf.debugging.get_log_device_placement())
        self.assertNotIn("CPU:0", self._logged())
        tf.debugging.set_log_device_placement(True)
        try:
            self.assertTrue(tf.debugging.get_log_device_placement())
            self.assertIn("CPU:0", self._logged())
            config = tf.ConfigProto(allow_soft_placement=True)
            self.assertIn("CPU:0", self._logged(config))
            self.assertFalse(config.log_device_placement)
        finally:
            tf.debugging.set_log_device_placement(False)
        self.assertNotIn("CPU:0", self._logged())


if __name__ == "__main__":
    googletest.main()
