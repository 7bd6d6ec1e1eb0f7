# SPDX-License-Identifier: Apache-2.0
"""tf.test: the test case is absl's too; decorators and configurations of tests."""

import os
import unittest

import numpy as np

import tensorwright as tf
from tensorwright.python.platform import googletest

_state = {"off": True}


class TestCaseTest(tf.test.TestCase):
    def test_absls_assertions(self):
        self.assertLen([1, 2], 2)
        self.assertBetween(2, 1, 3)
        self.assertSameElements([1, 2, 2], [2, 1])
        with self.assertRaises(AssertionError):
            self.assertEmpty([1])

    def test_temporary_files_are_in_the_tests_folder(self):
        file = self.create_tempfile(content="text")
        self.assertStartsWith(file.full_path, googletest.GetTempDir())
        self.assertEqual(file.read_text(), "text")
        self.assertTrue(os.path.isdir(self.create_tempdir().full_path))

    def test_both_are_evaluated_where_both_are_tensors(self):
        with self.session():
            one = tf.constant(1)
            self.assertEqual(self.evaluate_if_both_tensors(one, one + 1), (1, 2))
            self.assertIs(self.evaluate_if_both_tensors(one, 2)[0], one)

    def test_classes_of_eager_ops_stay_as_they_are(self):
        class Case(tf.test.TestCase):
            pass

        decorate = tf.test.with_eager_op_as_function
        self.assertIs(decorate(Case), Case)
        self.assertIs(decorate(only_as_function=True)(Case), Case)

    def test_writes_to_a_stream_are_captured_below_python(self):
        path = os.path.join(self.get_temp_dir(), "stream")
        with open(path, "w") as stream:
            stream.write("before ")
            with self.captureWritesToStream(stream) as printed:
                stream.write("python ")
                self.assertEqual(printed.contents(), "python ")
                os.write(stream.fileno(), b"descriptor")
            stream.write("after")
        self.assertEqual(printed.contents(), "python descriptor")
        with open(path) as stream:
            self.assertEqual(stream.read(), "before after")

    def test_assertions_of_arrays_and_errors(self):
        self.assertNotAllClose([1.0, 2.0], [1.0, 2.1], rtol=1e-3, atol=1e-3)
        with self.assertRaisesRegexp(AssertionError, "close at all elements: text"):
            self.assertNotAllClose([1.0], [1.05], rtol=0.1, msg="text")
        self.assertItemsEqual([1, 2, 2], [2, 1, 2])
        with self.assertRaises(AssertionError):
            self.assertItemsEqual([1, 2, 2], [2, 1], "other counts")
        with self.assertRaisesIncompatibleShapesError():
            tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])
        with self.assertRaisesIncompatibleShapesError(exception_type=KeyError):
            raise KeyError("Incompatible shapes")

    def test_numbers_that_are_near_may_be_arrays_of_one(self):
        self.assertNear(np.array([1.0], np.float32), 1.001, 0.01)
        self.assertNear(np.inf, np.array([[np.inf]]), 0.0)
        with self.assertRaisesRegex(AssertionError, "1.0 != 2.0"):
            self.assertNear(np.array([1.0]), 2.0, 0.5)
        with self.assertRaises(ValueError):
            self.assertNear(np.array([1.0, 2.0]), 1.0, 5.0)

    def test_shapes_of_arrays_and_tensors(self):
        tensor, array = tf.zeros([2, 3]), np.zeros([2, 3])
        for a in (tensor, array):
            for b in (tensor, array):
                self.assertShapeEqual(a, b)
        with self.assertRaises(AssertionError):
            self.assertShapeEqual(array, tf.zeros([3, 2]))
        with self.assertRaisesRegex(TypeError, "input_b"):
            self.assertShapeEqual(array, [1])

    def test_floats_of_protos_may_be_close(self):
        one, other = tf.Summary(), tf.Summary()
        for proto, value in ((one, 1.0), (other, 1.001)):
            proto.value.add(tag="a", simple_value=value)
            proto.value[0].histo.bucket.append(value)
        self.assertProtoEquals(one, other, relative_tolerance=0.01)
        for tolerance in (None, 1e-6):
            with self.assertRaises(AssertionError):
                self.assertProtoEquals(one, other, relative_tolerance=tolerance)
        other.value[0].tag = "b"
        with self.assertRaises(AssertionError):
            self.assertProtoEquals(one, other, relative_tolerance=0.01)

    def test_stubs_are_taken_back(self):
        stubs = tf.test.StubOutForTesting()
        stubs.SmartSet(obj=os, attr_name="getcwd", new_attr=lambda: "here")
        self.assertEqual(os.getcwd(), "here")
        stubs.SmartUnsetAll()
        self.assertNotEqual(os.getcwd(), "here")

    def test_a_test_is_skipped_while_the_predicate_holds(self):
        class Inner(tf.test.TestCase):
            @tf.test.disable_with_predicate(lambda: _state["off"], "is off")
            def test(self):
                self.fail("ran")

        for off in (True, False):
            _state["off"] = off
            result = unittest.TestResult()
            Inner("test").run(result)
            self.assertLen(result.skipped, 1 if off else 0)
            self.assertLen(result.failures, 0 if off else 1)

    def test_the_configuration_of_benchmarks_runs(self):
        with tf.Graph().as_default():
            with tf.Session(config=tf.test.benchmark_config()) as session:
                self.assertEqual(session.run(tf.constant(2) + 3), 5)
