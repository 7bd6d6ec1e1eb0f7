# SPDX-License-Identifier: Apache-2.0
"""Runs one test file by pytest: the main program of every tf_py_test."""

import os
import sys

import pytest


def main() -> int:
    # This file's folder is not where the tests' imports are to be found.
    sys.path.pop(0)
    options = ["-c", os.devnull, "--rootdir=.", "-p", "no:cacheprovider"]
    options += ["--import-mode=importlib", "-q"]
    only = os.environ.get("TESTBRIDGE_TEST_ONLY")
    if only:
        options += ["-k", only]
    xml = os.environ.get("XML_OUTPUT_FILE")
    if xml:
        options.append(f"--junitxml={xml}")
    return pytest.main(options + sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
