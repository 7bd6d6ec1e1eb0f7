# SPDX-License-Identifier: Apache-2.0
"""Tests of the error classes and of the messages of failed runs."""

import pickle
import unittest

from tensorwright.python.client import session
from tensorwright.python.framework import constant_op, dtypes, errors, ops
from tensorwright.python.framework.op_def_library import apply_op


class ErrorsTest(unittest.TestCase):
    def test_every_code_has_its_class(self):
        for code in range(1, 17):
            cls = errors.exception_type_from_error_code(code)
            error = cls(None, None, "text")
            self.assertIsInstance(error, errors.OpError)
            self.assertEqual(error.error_code, code)
            self.assertEqual(errors.error_code_from_exception_type(cls), code)
            self.assertEqual(str(error), "text")
            self.assertEqual(str(pickle.loads(pickle.dumps(error))), "text")

    def test_a_failed_run_names_the_node_and_the_line(self):
        ops.reset_default_graph()
        x = apply_op("Placeholder", "x", (), {"dtype": dtypes.float32}).outputs[0]
        y = apply_op("Neg", "y", (x,), {}).outputs[0]
        with session.Session() as sess:
            with self.assertRaises(errors.InvalidArgumentError) as caught:
                sess.run(y)
            error = caught.exception
            self.assertIs(error.op, x.op)
            self.assertEqual(error.node_def.name, "x")
            self.assertRegex(
                str(error),
                r"\[\[node x \(defined at .*errors_test.py:\d+\) = Placeholder",
            )
            self.assertIn("feed", error.message)
            # The session is as good as before.
            self.assertEqual(sess.run(constant_op.constant(3)), 3)


if __name__ == "__main__":
    unittest.main()
