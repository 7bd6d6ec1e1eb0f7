# SPDX-License-Identifier: Apache-2.0
"""OpName against NumPy."""

import os

import numpy as np
from op_name import op_name

import tensorwright as tf
from tensorwright.tools.tw import main as tw


class OpNameTest(tf.test.TestCase):
    def test_values(self):
        for dtype in (np.float32, np.float64):
            for shape in [(), (0,), (1,), (5, 7)]:
                x = np.random.RandomState(0).standard_normal(shape).astype(dtype)
                with self.test_session():
                    y = op_name(x, scale=3.0)
                    self.assertEqual(y.get_shape().as_list(), list(shape))
                    self.assertAllClose(y.eval(), 3 * x)

    def test_gradient(self):
        with self.test_session():
            x = tf.constant(np.arange(6, dtype=np.float64).reshape(2, 3))
            y = op_name(x, scale=3.0)
            error = tf.test.compute_gradient_error(x, [2, 3], y, [2, 3])
            self.assertLess(error, 1e-6)

    def test_other_types_are_refused(self):
        with self.assertRaisesRegex(TypeError, "OpName"):
            op_name(tf.constant(["text"]))

    def test_check_op(self):
        # Shape function, gradient, threads, calls made wrong: a page says what it found.
        library = os.path.join(os.path.dirname(__file__), "libop_name.so")
        options = ["--quick", "--library", library]
        self.assertEqual(tw.main(["check-op", *options, "OpName"]), 0)


if __name__ == "__main__":
    tf.test.main()
