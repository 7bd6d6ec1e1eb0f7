# SPDX-License-Identifier: Apache-2.0
"""Tests of the name `tensorflow` for this package, and of names made lazily."""

import sys
import types
import unittest

import tensorwright as tf
from tensorwright import compat


class AliasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        compat.alias()

    def test_the_package_and_its_modules_are_the_same_objects(self):
        import tensorflow
        import tensorflow.python.framework.ops as their_ops
        from tensorflow.core.framework import graph_pb2
        from tensorflow.python.framework import dtypes

        from tensorwright.python.framework import ops

        self.assertIs(tensorflow, tf)
        self.assertIs(their_ops, ops)
        self.assertIs(dtypes.float32, tf.float32)
        self.assertIs(graph_pb2.GraphDef, tf.GraphDef)
        # The attributes that describe a module stay ours.
        self.assertEqual(ops.__name__, "tensorwright.python.framework.ops")
        self.assertEqual(ops.__spec__.name, "tensorwright.python.framework.ops")

    def test_modules_of_later_versions_have_the_names_of_this_one(self):
        from tensorflow.python.compat import compat as horizon
        from tensorflow.python.data.ops import dataset_ops
        from tensorflow.python.saved_model import signature_constants
        from tensorflow.python.util import compat_internal

        self.assertTrue(horizon.forward_compatible(2019, 1, 1))
        self.assertEqual(compat_internal.path_to_str("a"), "a")
        self.assertIs(dataset_ops.DatasetV2, tf.data.Dataset)
        name = signature_constants.SUPERVISED_TRAIN_METHOD_NAME
        self.assertEqual(name, "tensorflow/supervised/training")

    def test_a_stand_in_does_not_answer_later_questions(self):
        from importlib import import_module, util

        import tensorflow.python.nowhere
        import tensorflow.python.nowhere.a.b.c as deep
        from tensorflow.python import nowhere
        from tensorflow.python.nowhere.a import Name

        for stand_in in (nowhere, deep, Name, Name.__class__):
            self.assertIsNotNone(stand_in)
        self.assertFalse(hasattr(Name, "anything"))
        for use in (Name, lambda: Name.anything, lambda: len(Name)):
            self.assertRaises(AttributeError, use)
        self.assertFalse(isinstance(3, Name) or issubclass(int, Name))
        self.assertFalse(hasattr(tensorflow.python, "nowhere"))
        left = [m for m in sys.modules if m.startswith("tensorflow.python.nowhere")]
        self.assertEqual(left, [])
        self.assertIsNone(util.find_spec("tensorflow.python.nowhere"))
        failed = []
        try:
            import tensorflow.python.nowhere  # noqa: F811
        except ImportError:
            failed.append("import")
        try:
            from tensorflow.python.nowhere.a import Name  # noqa: F811
        except ImportError:
            failed.append("from")
        try:
            import_module("tensorflow.python.nowhere.a")
        except ImportError:
            failed.append("import_module")
        self.assertEqual(failed, ["import", "from", "import_module"])

    def test_a_module_is_a_program_of_python_m(self):
        from importlib import util

        name = "tensorflow.python.tools.strip_unused"
        spec = util.find_spec(name)
        self.assertTrue(spec.origin.endswith("python/tools/strip_unused.py"))
        code = spec.loader.get_code(name)
        self.assertIn("main", code.co_names)

    def test_attributes_that_are_modules_can_be_imported(self):
        import tensorflow.errors as errors

        self.assertIs(errors, tf.errors)
        self.assertIs(tf.compat.v1, tf)

    def test_a_module_that_lies_in_contrib_can_be_an_attribute_of_another(self):
        import tensorflow.estimator.tpu as under_alias

        self.assertIs(tf.estimator.tpu, tf.contrib.tpu)
        from tensorflow.estimator.experimental import InMemoryEvaluatorHook

        contrib = tf.contrib.estimator
        experimental = tf.estimator.experimental
        self.assertIs(InMemoryEvaluatorHook, contrib.InMemoryEvaluatorHook)
        self.assertIs(experimental.stop_if_lower_hook, contrib.stop_if_lower_hook)
        clustering = tf.contrib.factorization.KMeansClustering
        self.assertIs(experimental.KMeans, clustering)
        self.assertFalse(hasattr(experimental, "RNNClassifier"))
        self.assertIs(under_alias, tf.contrib.tpu)
        self.assertFalse(hasattr(tf.estimator, "no_such_name"))

    def test_modules_of_the_first_version_can_be_imported(self):
        import tensorflow.compat.v1.losses as losses
        from tensorflow.compat.v1.nn import relu
        from tensorflow.compat.v1.python.ops import array_ops

        self.assertIs(losses, tf.losses)
        self.assertIs(relu, tf.nn.relu)
        self.assertIs(array_ops.reshape, tf.reshape)
        self.assertEqual(tf.__name__, "tensorwright")
        self.assertEqual(tf.__spec__.name, "tensorwright")
        with self.assertRaises(ModuleNotFoundError):
            import tensorflow.compat.v1.no_such_module  # noqa: F401

    def test_a_star_import_gives_public_modules_too(self):
        names: dict = {}
        exec("from tensorflow.compat.v1 import *", names)
        for name in ("estimator", "placeholder", "nn", "float32", "config"):
            self.assertIs(names[name], getattr(tf, name))
        self.assertNotIn("contrib", names)
        self.assertFalse([n for n in names if n.startswith("_") and n[1] != "_"])

    def test_attributes_of_modules_without_a_folder_can_be_imported(self):
        import tensorflow.config.threading
        import tensorflow.io.gfile
        from tensorflow.io.gfile import GFile

        import tensorwright.io.gfile

        self.assertIs(GFile, tf.io.gfile.GFile)
        self.assertIs(tensorwright.io.gfile, tf.io.gfile)
        with self.assertRaises(ModuleNotFoundError):
            import tensorflow.io.no_such_module  # noqa: F401

    def test_what_we_lack_is_a_missing_module(self):
        with self.assertRaises(ModuleNotFoundError):
            import tensorflow.no_such_module  # noqa: F401
        with self.assertRaises(AttributeError):
            _ = tf.no_such_name

    def test_missing_names_of_the_source_tree_say_so_at_their_use(self):
        from tensorflow.python.ops import array_ops, no_such_ops
        from tensorflow.python.ops.array_ops import no_such_function, reshape

        self.assertIs(reshape, array_ops.reshape)
        for use in (
            lambda: no_such_ops.function(1),
            lambda: no_such_function(1),
            lambda: types.new_class("Mine", (no_such_ops.Base,)),
            lambda: no_such_function[0],
        ):
            with self.assertRaisesRegex(compat.MissingNameError, r"tensorflow\.\S+ is"):
                use()
        # A test that is no import gets an honest answer.
        self.assertFalse(hasattr(array_ops, "no_such_function"))
        with self.assertRaises(AttributeError):
            _ = array_ops.no_such_function
        self.assertNotIsInstance(1, no_such_function)

    def test_contrib_is_the_same_and_what_it_lacks_says_so_at_once(self):
        import tensorflow
        import tensorflow.contrib
        from tensorflow import contrib

        self.assertIs(contrib, tf.contrib)
        self.assertIs(tensorflow.contrib, tf.contrib)
        text = "TensorFlow has this, tensorwright does not yet"
        for line in (
            "import tensorflow.contrib.verbs",
            "from tensorflow.contrib import verbs",
            "from tensorflow.contrib.verbs import anything",
            "import tensorwright.contrib.verbs",
        ):
            with self.assertRaisesRegex(ImportError, text):
                exec(line, {})
        with self.assertRaisesRegex(AttributeError, text):
            _ = tf.contrib.verbs
        with self.assertRaises(ModuleNotFoundError):
            import tensorflow.contrib.no_such_module  # noqa: F401
        with self.assertRaisesRegex(AttributeError, "no tf.contrib.no_such_module"):
            _ = tf.contrib.no_such_module

    def test_a_loaded_module_is_not_replaced(self):
        with self.assertRaises(ImportError):
            compat.alias("unittest")


class ImportTest(unittest.TestCase):
    def test_importing_loads_no_protobuf_and_no_ops(self):
        import os
        import subprocess

        code = (
            "import sys, tensorwright\n"
            "heavy = ['google.protobuf', 'absl', 'ml_dtypes', 'unittest',"
            " 'tensorwright.contrib', 'tensorwright.python.ops.standard_ops']\n"
            "print([m for m in heavy if m in sys.modules])"
        )
        env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env
        )
        self.assertEqual(out.stdout.strip(), "[]", out.stderr)

    def test_missing_names_are_absent_to_hasattr(self):
        import tensorflow.python.no_such_module as missing
        from tensorflow.python.ops import no_such_ops

        for module in (missing, no_such_ops):
            self.assertFalse(hasattr(module, "name"))
            self.assertEqual(getattr(module, "name", 3), 3)
        for name in ("verbs", "no_such_folder"):
            self.assertFalse(hasattr(tf.contrib, name))
            with self.assertRaises(ImportError):
                __import__(f"tensorflow.contrib.{name}")

    def test_an_import_inside_try_finds_what_is_missing_missing(self):
        lines = (
            "import tensorflow.python.no_such_module",
            "from tensorflow.python import no_such_module",
            "from tensorflow.python.no_such_module import name",
            "from tensorflow.python.ops.array_ops import no_such_function",
            "from tensorflow.python.ops import no_such_ops as name",
        )
        for place, line in enumerate(lines):
            names: dict = {}
            # Each line asks for another name: a stand-in module, once given, stays.
            line = line.replace("no_such", f"no_such_{place}")
            code = f"try:\n  {line}\nexcept ImportError:\n  absent = True\n"
            # Outside of `try` a stand-in is given, also after one was looked for inside.
            exec(f"{code}{line}\n", names)
            self.assertTrue(names["absent"], line)

    def test_an_import_in_a_handler_or_beside_try_is_not_inside(self):
        code = (
            "try:\n  import no_such_package\nexcept ImportError:\n"
            "  from tensorflow.python.ops import no_such_ops\n"
            "try:\n  pass\nfinally:\n  found = no_such_ops\n"
            "from tensorflow.python.ops.array_ops import no_such_function\n"
        )
        names: dict = {}
        exec(code, names)
        self.assertIn("no_such_function", names)

    def test_an_import_inside_try_gives_what_is_there(self):
        try:
            from tensorflow.python.ops.array_ops import reshape
        except ImportError:
            self.fail("it is there")
        self.assertIs(reshape, tf.reshape)


if __name__ == "__main__":
    unittest.main()
