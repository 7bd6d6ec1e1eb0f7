# SPDX-License-Identifier: Apache-2.0
"""Shows event files of ours in TensorBoard, in a headless Chromium: scalars, histograms, images, text and the graph.

Usage: ./run tools/dev/tensorboard_check.py [--keep FOLDER]
TensorBoard is PyPI's, in a virtual environment of its own (~/.cache/tensorwright/tensorboard), made on first use.
With --keep, screenshots and the event file stay in FOLDER.  Exits with 1 if something does not show.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import numpy as np

import tensorwright as tf
from tensorwright.tools.tw import chromium_testutil

VENV = pathlib.Path(
    os.environ.get("TENSORBOARD_VENV", "~/.cache/tensorwright/tensorboard")
).expanduser()
# The text of the page, with that in the shadows of its elements.
TEXT = """(function text(node) {
    let all = node.nodeType === 3 ? node.nodeValue : '';
    if (node.shadowRoot) all += text(node.shadowRoot);
    for (const child of node.childNodes || []) all += ' ' + text(child);
    return all;
})(document.body || document.createTextNode(''))"""
# Elements of a kind, those in shadows too.
COUNT = """(function count(node, tag) {
    let n = 0;
    for (const e of node.querySelectorAll('*')) {
        if (e.tagName.toLowerCase() === tag) n += 1;
        if (e.shadowRoot) n += count(e.shadowRoot, tag);
    }
    return n;
})(document, %r)"""


def tensorboard() -> str:
    """The program; installs it if it is not there."""
    program = VENV / "bin" / "tensorboard"
    if not program.exists():
        print(f"making {VENV} with tensorboard (once, some minutes)", flush=True)
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
        pip = [str(VENV / "bin" / "pip"), "install", "--quiet", "tensorboard"]
        subprocess.run(pip, check=True)
    return str(program)


def write_events(folder: str) -> None:
    """Twenty steps of a little model, with a summary of each kind."""
    with tf.Graph().as_default() as graph, tf.Session() as session:
        x = tf.placeholder(tf.float32, [None], name="samples")
        with tf.name_scope("little_model"):
            weight = tf.get_variable("weight", initializer=2.0)
            y = tf.multiply(x, weight, name="scaled")
        tf.summary.scalar("mean_of_y", tf.reduce_mean(y))
        tf.summary.histogram("spread_of_y", y)
        tf.summary.image("picture_of_y", tf.reshape(y[:64], [1, 8, 8, 1]))
        tf.summary.text("words", tf.constant("shown as *Markdown*"))
        merged = tf.summary.merge_all()
        session.run(tf.global_variables_initializer())
        random = np.random.RandomState(0)
        with tf.summary.FileWriter(folder, graph) as writer:
            for step in range(20):
                samples = random.normal(step / 10, 1, 500)
                writer.add_summary(session.run(merged, {x: samples}), step)


def get(url: str) -> Any:
    with urllib.request.urlopen(url, timeout=60) as answer:
        return json.loads(answer.read())


@contextlib.contextmanager
def server(folder: str) -> Iterator[str]:
    """The address of a TensorBoard of that folder."""
    with socket.socket() as s:
        s.bind(("localhost", 0))
        port = s.getsockname()[1]
    command = [tensorboard(), f"--logdir={folder}", f"--port={port}"]
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    process = subprocess.Popen(
        [*command, "--load_fast=false"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=env,
    )
    url = f"http://localhost:{port}"
    end = time.monotonic() + 300
    try:
        while True:
            with contextlib.suppress(urllib.error.URLError, OSError):
                if get(f"{url}/data/runs"):
                    break
            if process.poll() is not None or time.monotonic() > end:
                raise SystemExit("TensorBoard did not start")
            time.sleep(0.5)
        yield url
    finally:
        process.terminate()
        process.wait(60)


def check_data(url: str) -> None:
    """Checks the data that TensorBoard has read from the file."""
    data = f"{url}/data/plugin"
    scalars = get(f"{data}/scalars/scalars?run=.&tag=mean_of_y")
    assert [step for _, step, _ in scalars] == list(range(20)), scalars
    histograms = get(f"{data}/histograms/histograms?run=.&tag=spread_of_y")
    assert len(histograms) == 20
    counts = sum(bucket[2] for bucket in histograms[0][2])
    assert abs(counts - 500) < 1, counts
    (image, *_) = get(f"{data}/images/images?run=.&tag=picture_of_y/image/0&sample=0")
    address = f"{data}/images/individualImage?{image['query']}"
    with urllib.request.urlopen(address, timeout=60) as answer:
        png = answer.read()
    # A PNG's header has its width and height.
    assert png[:8] == b"\x89PNG\r\n\x1a\n", png[:20]
    assert struct.unpack(">II", png[16:24]) == (8, 8), png[:30]


def wait_for(page: Any, expression: str) -> None:
    end = time.monotonic() + 120
    while not page.value(expression):
        if time.monotonic() > end:
            raise SystemExit(f"{expression[:200]} did not become true: {page.errors}")
        time.sleep(0.3)


def check_page(url: str, keep: pathlib.Path | None) -> None:
    """Checks the page that a person sees."""
    views = {
        "timeseries": ["mean_of_y", "spread_of_y", "picture_of_y"],
        "scalars": ["mean_of_y"],
        "histograms": ["spread_of_y"],
        "images": ["picture_of_y"],
        "text": ["words"],
        "graphs": ["little_model", "samples"],
    }
    drawn = {"timeseries": "img", "images": "img", "graphs": "g", "histograms": "svg"}
    with chromium_testutil.Chromium() as page:
        for view, words in views.items():
            # Another page first: a new fragment alone would not load anything.
            page._call("Page.navigate", url="about:blank")
            wait_for(page, "location.href == 'about:blank'")
            page._call("Page.navigate", url=f"{url}/?darkMode=false#{view}")
            for word in words:
                wait_for(page, f"({TEXT}).includes({word!r})")
            if view in drawn:
                wait_for(page, f"({COUNT % drawn[view]}) > 0")
            if keep is not None:
                time.sleep(3)
                page.screenshot(keep / f"{view}.png")
            print(f"{view}: shows {', '.join(words)}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        keep = args.keep
        if keep is not None:
            keep.mkdir(parents=True, exist_ok=True)
        folder = str(keep or scratch)
        write_events(folder)
        with server(folder) as url:
            check_data(url)
            print("TensorBoard has read all events", flush=True)
            check_page(url, keep)
    return 0


if __name__ == "__main__":
    sys.exit(main())
