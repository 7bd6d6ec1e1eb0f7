# SPDX-License-Identifier: Apache-2.0
"""A graph that grows in a loop of runs is pointed out once; other programs are not."""

import inspect
import unittest
import warnings

from tensorwright.python.client import session
from tensorwright.python.framework import constant_op, ops
from tensorwright.python.ops import math_ops


class GraphGrowthTest(unittest.TestCase):
    def setUp(self):
        ops.reset_default_graph()
        self.x = constant_op.constant(1.0)

    def _warnings(self, program):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with session.Session() as sess:
                program(sess)
        return [w for w in caught if "graph grows" in str(w.message)]

    def test_a_loop_that_adds_a_node_is_pointed_out_once_with_its_line(self):
        def program(sess):
            for _ in range(300):
                y = math_ops.add(self.x, 1.0)
                sess.run(y)

        (warning,) = self._warnings(program)
        line = inspect.getsourcelines(program)[1] + 2
        self.assertIs(warning.category, RuntimeWarning)
        self.assertIn(f"{__file__}:{line} ", str(warning.message))
        self.assertEqual((warning.filename, warning.lineno), (__file__, line))

    def test_it_is_noticed_where_the_fetch_is_always_the_same(self):
        def program(sess):
            for _ in range(300):
                constant_op.constant(2.0)
                sess.run(self.x)

        self.assertEqual(len(self._warnings(program)), 1)

    def test_callables_are_watched_too(self):
        def program(sess):
            run = sess.make_callable(self.x)
            for _ in range(300):
                constant_op.constant(2.0)
                run()

        self.assertEqual(len(self._warnings(program)), 1)

    def test_a_graph_that_is_built_before_the_loop(self):
        def program(sess):
            for _ in range(300):
                constant_op.constant(2.0)  # Many nodes, no run between them.
            for _ in range(300):
                sess.run(self.x)

        self.assertEqual(self._warnings(program), [])

    def test_a_program_that_builds_and_runs_by_turns(self):
        def program(sess):
            lines = "\n".join(f"y{i} = x + {i}.0\nrun(y{i})" for i in range(200))
            code = compile(lines, "/a/program.py", "exec")
            exec(code, {"x": self.x, "run": sess.run})

        self.assertEqual(self._warnings(program), [])

    def test_lines_typed_at_a_prompt_have_no_place(self):
        def program(sess):
            for i in range(300):
                code = compile(f"run(x + {i}.0)", "<stdin>", "exec")
                exec(code, {"x": self.x, "run": sess.run})

        self.assertEqual(self._warnings(program), [])

    def test_a_short_loop_is_no_offence(self):
        def program(sess):
            for _ in range(50):
                sess.run(math_ops.add(self.x, 1.0))

        self.assertEqual(self._warnings(program), [])

    def test_where_warnings_are_errors_the_run_raises_it(self):
        with warnings.catch_warnings(), session.Session() as sess:
            warnings.simplefilter("error")
            with self.assertRaisesRegex(RuntimeWarning, "graph grows"):
                for _ in range(300):
                    sess.run(math_ops.add(self.x, 1.0))
            self.assertEqual(sess.run(self.x), 1.0)

    def test_after_finalize_it_is_an_error(self):
        with session.Session() as sess:
            sess.run(self.x)
            sess.graph.finalize()
            with self.assertRaisesRegex(RuntimeError, "finalized"):
                sess.run(math_ops.add(self.x, 1.0))
            self.assertEqual(sess.run(self.x), 1.0)


if __name__ == "__main__":
    unittest.main()
