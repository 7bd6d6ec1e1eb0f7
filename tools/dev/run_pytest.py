# SPDX-License-Identifier: Apache-2.0
"""Runs one test file by pytest: the main program of every tf_py_test."""

import os
import pathlib
import sys
from xml.etree import ElementTree

import bytecode
import pytest

EXECUTED_OPS = "executed_ops"


def main() -> int:
    bytecode.keep_in(pathlib.Path(f"/tmp/tensorwright_bytecode_{os.getuid()}"))
    # This file's folder is not where the tests' imports are to be found.
    sys.path.pop(0)
    options = ["-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider"]
    options += ["--import-mode=importlib", "-q"]
    options += ["-p", "tensorwright.python.testing.plugin"]
    # A test without parameters would be skipped, and say nothing.
    options += ["-o", "empty_parameter_set_mark=fail_at_collect"]
    # A fifth of a second, for the few files that use it.
    if not any(b"hypothesis" in pathlib.Path(f).read_bytes() for f in sys.argv[1:]):
        options += ["-p", "no:hypothesispytest"]
    only = os.environ.get("TESTBRIDGE_TEST_ONLY")
    if only:
        options += ["-k", only]
    xml = os.environ.get("XML_OUTPUT_FILE")
    if xml:
        options.append(f"--junitxml={xml}")
    evidence = _record_executed_ops()
    code = pytest.main(options + sys.argv[1:])
    if xml and evidence is not None:
        _add_property(xml, " ".join(evidence.read_text().split()))
    return code


def _record_executed_ops() -> pathlib.Path | None:
    """Asks the library to note which ops it runs; the file it will use."""
    folder = os.environ.get("TEST_TMPDIR")
    if not folder:
        return None
    file = pathlib.Path(folder) / EXECUTED_OPS
    file.touch()
    os.environ["TENSORWRIGHT_EXECUTED_OPS"] = str(file)
    return file


def _add_property(xml: str, value: str) -> None:
    """Puts the ops into the test's XML, which Bazel keeps with a cached result."""
    tree = ElementTree.parse(xml)
    suite = next(tree.iter("testsuite"))
    properties = ElementTree.SubElement(suite, "properties")
    ElementTree.SubElement(properties, "property", name=EXECUTED_OPS, value=value)
    tree.write(xml, encoding="utf-8", xml_declaration=True)


if __name__ == "__main__":
    sys.exit(main())
