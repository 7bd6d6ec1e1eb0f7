# SPDX-License-Identifier: Apache-2.0
"""time_left.py adds the time that the rest takes at the speed of the last minutes."""

import pytest

from tensorwright.tools.dev import time_left


def _said(*lines):
    """Estimates of lines that come at these seconds: "" where there is none."""
    times = iter([seconds for seconds, _ in lines])
    texts = [text + "\n" for _, text in lines]
    out = list(time_left.with_estimates(texts, clock=lambda: next(times)))
    assert len(out) == len(texts)
    return [o.removeprefix(t.rstrip()).strip("; \n") for o, t in zip(out, texts)]


def test_actions_at_their_speed():
    lines = [
        (0, "[0 / 1,200] Compiling a.cc"),
        (10, "[50 / 1,200] Compiling b.cc"),
        (60, "[300 / 1,200] Compiling c.cc; 2s local"),
        (235, "[1,175 / 1,200] Compiling d.cc"),
    ]
    assert _said(*lines) == ["", "", "about 3 min left", "less than a minute left"]


def test_what_a_cache_had_is_forgotten_after_minutes():
    lines = [(0, "[0 / 2,000] x"), (20, "[1,000 / 2,000] x")]
    lines += [(t, f"[{1000 + (t - 20) // 10:,} / 2,000] x") for t in (200, 400, 620)]
    # 10 seconds an action: 940 are left after 620 seconds.
    assert _said(*lines)[-1] == "about 157 min left"


def test_tests_are_counted_once_they_run():
    lines = [
        (0, "[990 / 1,000] 0 / 100 tests; Compiling a.cc"),
        (30, "[1,000 / 1,010] 1 / 100 tests; Testing //a:b_test"),
        (80, "[1,000 / 1,020] 20 / 100 tests; Testing //a:c_test"),
        (90, "[1,000 / 1,020] 21 / 100 tests, 1 failed; Testing //a:c_test"),
    ]
    assert _said(*lines) == ["", "", "", "about 4 min left"]


@pytest.mark.parametrize(
    "line", ["Loading:", "INFO: Build completed", "", "ERROR: [1 / 2] in a text"]
)
def test_other_lines_go_through(line):
    assert list(time_left.with_estimates([line])) == [line]


def test_no_guess_without_progress():
    same = [(t, "[10 / 20] Linking x.so") for t in (0, 30, 60)]
    assert _said(*same) == ["", "", ""]
    assert _said((0, "[1 / 9] x"), (50, "[9 / 9] x"))[-1] == ""
