# SPDX-License-Identifier: Apache-2.0
"""Programs in a form of a few seconds: each ends well, and its figure is better than what knows nothing reaches."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
import sys

import pytest

import tensorwright as tf

EXAMPLES = pathlib.Path(__file__).resolve().parent


def lines_of(program: str, *args: str, status: int = 0) -> list[str]:
    """Runs a program, which must exit with `status`, and returns its lines; each state of a progress line is one."""
    # The program finds tensorwright where this test does.
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, str(EXAMPLES / program), *args]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == status, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line]


def last_line(program: str, *args: str, status: int = 0) -> str:
    """Runs a program, which must exit with `status`, and returns its last line."""
    return lines_of(program, *args, status=status)[-1]


def figures(line: str) -> list[float]:
    return [float(x) for x in re.findall(r"[-+]?\d+\.\d+", line)]


def test_training_of_digits_ends_at_its_last_step_and_goes_on_from_there(tmp_path):
    for steps in (30, 45):
        lines = lines_of(
            "mnist_like.py", f"--model_dir={tmp_path}", f"--train_steps={steps}"
        )
        assert lines[-1].startswith(f"{tmp_path}/model.ckpt-{steps}: "), lines
        (last,) = [x for x in lines if x.startswith("step ")][-1:]
        assert last.startswith(f"step {steps}/{steps} "), lines


def test_cells_of_the_language_model_agree():
    results = []
    for cell in ("basic", "block", "fused"):
        line = last_line(
            "language_model.py", "--epochs=1", "--units=16", f"--cell={cell}"
        )
        result, _, by_frequency = figures(line)
        assert result < by_frequency * 0.9, line
        results.append(result)
    assert max(results) < min(results) * 1.01, results


def test_a_language_model_learns_a_text_that_is_given(tmp_path):
    text = tmp_path / "text.txt"
    text.write_text("abcdefgh\n" * 4000)
    line = last_line("language_model.py", "--epochs=2", "--units=16", f"--text={text}")
    assert figures(line)[0] < 3, line  # The text has nine letters, each as frequent.


def test_the_error_rate_of_speech_falls():
    line = last_line("speech_ctc.py", "--steps=90")
    assert figures(line)[0] < 70, line


def test_ftrl_and_sdca_come_near_the_true_weights():
    line = last_line(
        "linear_sparse.py", "--examples=20000", "--ftrl_epochs=6", "--sdca_passes=4"
    )
    assert min(figures(line)[:2]) > 0.75, line


def test_too_little_training_is_told_by_the_exit_status():
    line = last_line("linear_sparse.py", "--examples=2000", "--ftrl_epochs=1", status=1)
    assert figures(line)[0] < figures(line)[2], line


def test_augmentation_trains_and_writes_its_images(tmp_path):
    line = last_line(
        "augmentation.py", "--steps=60", "--images=60", f"--folder={tmp_path}"
    )
    assert min(figures(line)[:2]) > 40, line  # Chance is 10 %.
    (events,) = tmp_path.glob("events.*")
    images = [
        value.image
        for event in tf.train.summary_iterator(str(events))
        for value in event.summary.value
    ]
    # Eight rows of five images of 16 pixels, four times as large.
    assert [(i.height, i.width) for i in images] == [(512, 320)]


def test_words_of_a_kind_are_neighbours():
    line = last_line("word2vec.py", "--epochs=4", status=0)
    assert figures(line)[0] >= 95, line


if __name__ == "__main__":
    sys.exit(pytest.main([__file__]))


def test_graphs_of_strangers_run_within_their_policy():
    *_, harmless, curious, greedy = lines_of("sandbox.py")
    assert harmless == "harmless: result 285"
    assert "refused: Node" in curious and "(ReadFile) of function" in curious
    assert "refused: OOM" in greedy and "max_tensor_bytes" in greedy
