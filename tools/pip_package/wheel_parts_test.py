# SPDX-License-Identifier: Apache-2.0
"""The wheel's metadata names its requirements."""

import email
import re

from tensorwright.tools.pip_package import wheel_parts


def test_the_metadata_names_what_extras_bring(tmp_path):
    info = wheel_parts.stage_metadata(
        tmp_path,
        "tensorwright",
        "A summary",
        "py3-none-any",
        wheel_parts.requirements() + wheel_parts.extras(),
        "A text",
        (),
    )
    told = email.message_from_string((info / "METADATA").read_text())
    needs = told.get_all("Requires-Dist")
    assert "keras" in told.get_all("Provides-Extra")
    assert "Keras==2.3.1; extra == 'keras'" in needs
    assert any(n.startswith("numpy>=") and "extra" not in n for n in needs)


def test_what_extras_bring_is_what_tests_run_with():
    lines = (wheel_parts.TREE / "requirements-test.txt").read_text().splitlines()
    pinned = [n for n in wheel_parts.EXTRAS["keras"] if "==" in n]
    assert pinned and set(pinned) <= set(lines)


def test_the_version_is_that_of_the_headers():
    header = (wheel_parts.TREE / "core/lib/core/version.h").read_text()
    assert re.fullmatch(r"\d+\.\d+\.\d+", wheel_parts.VERSION)
    assert f'TENSORWRIGHT_VERSION_STRING "{wheel_parts.VERSION}"' in header
