# SPDX-License-Identifier: Apache-2.0
"""`tw trace`: its records, and its page in a real browser."""

import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

from tensorwright.tools.tw import chromium_testutil

PROGRAM = """\
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 64], name="x")
with tf.variable_scope("layer"):
    w = tf.get_variable("w", [64, 32])
    # "<!--<script>" and "</script>" are text.
    h = tf.nn.relu(tf.matmul(x, w), name="h")
doubled = tf.py_func(lambda v: 2 * v, [h], tf.float32, name="doubled")
loss = tf.reduce_mean(tf.square(h), name="loss")
step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
i = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0], name="loop")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(6):
        session.run([step, loss], {x: np.ones([128, 64], np.float32)})
    session.run([doubled, i], {x: np.ones([4, 64], np.float32)})
"""


# Is every drawn unit inside the graph's part of the page?
INSIDE = (
    "[...document.querySelectorAll('#graph .node')].every((n) => {"
    " const r = n.getBoundingClientRect(), g = document.getElementById('graph')"
    ".getBoundingClientRect();"
    " return r.left >= g.left && r.right <= g.right && r.top >= g.top"
    " && r.bottom <= g.bottom; })"
)


def _trace(folder, program):
    (folder / "program.py").write_text(program)
    command = [sys.executable, "-m", "tensorwright.tools.tw.main", "trace"]
    return subprocess.run(
        [*command, "program.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    done = _trace(folder, PROGRAM)
    assert done.returncode == 0, done.stderr
    assert "8 of 8 runs traced" in done.stderr
    return folder


def _data(folder):
    text = (folder / "program.trace.html").read_text()
    (data,) = re.findall(
        r'<script type="application/json" id="data">(.*?)</script>', text, re.S
    )
    return json.loads(data)


def test_the_chrome_trace_has_an_event_for_every_executed_op(folder):
    events = json.loads((folder / "program.trace.json").read_text())["traceEvents"]
    ops = [e for e in events if e["ph"] == "X"]
    products = [e for e in ops if e["args"]["name"] == "layer/MatMul"]
    assert len(products) == 7
    assert {e["name"] for e in products} == {"MatMul"}
    assert all(e["dur"] >= 0 and e["ts"] > 1e15 for e in ops)


def test_the_page_holds_all_runs_and_the_lines_behind_each_node(folder):
    data = _data(folder)
    assert len(data["runs"]) == 8
    assert len(data["plans"]) == 3
    plan = data["plans"][data["runs"][1]["plan"]]
    (node,) = [n for n in plan["nodes"] if n[0] == "layer/MatMul"]
    stack = data["stacks"][node[3]]
    assert stack[-1]["file"].endswith("program.py")
    line = stack[-1]["line"]
    assert "tf.matmul" in PROGRAM.splitlines()[line - 1]
    kinds = {link["kind"] for link in data["types"]["MatMul"]["chain"]}
    assert kinds == {"wrapper", "op", "shape fn", "gradient"}
    (kernel,) = [
        k
        for k in data["types"]["MatMul"]["kernels"]
        if k["types"] == {"T": ["float32"]}
    ]
    assert kernel["file"].startswith("core/kernels/")
    last = data["plans"][data["runs"][-1]["plan"]]
    (call,) = [n for n in last["nodes"] if n[0] == "doubled"]
    assert data["infos"][call[4]]["calls"]["file"].endswith("program.py")
    # A feed has the name of the program's node, and what is fetched is no node.
    assert [n for n in plan["nodes"] if n[0] == "x"]
    assert not {"_Arg", "_Retval"} & set(data["ops"])


def test_text_of_a_program_cannot_be_taken_for_html(folder):
    text = (folder / "program.trace.html").read_text()
    after = text[text.index('id="data">') :]
    assert "<!--" not in after and after.count("</script>") == 2
    assert '"<!--<script>" and "</script>" are text' in json.dumps(
        _data(folder)
    ).replace('\\"', '"')


def test_a_program_that_fails_shows_the_runs_before(tmp_path):
    program = PROGRAM + (
        "with tf.Session() as session:\n"
        "    twice = session.make_callable(tf.random_uniform([]) * 2)\n"
        "    twice()\n"
        "    session.run(tf.gather([1, 2], [5]))\n"
    )
    done = _trace(tmp_path, program)
    assert done.returncode != 0
    assert "is not in [0, 2)" in done.stderr
    assert "9 of 10 runs traced" in done.stderr
    assert len(_data(tmp_path)["runs"]) == 9


def test_a_program_without_a_run_says_so(tmp_path):
    done = _trace(tmp_path, "import tensorflow as tf\n")
    assert done.returncode == 0
    assert "no run of a session" in done.stderr
    assert not list(tmp_path.glob("*.html"))


def test_a_program_of_constants_says_why_there_is_nothing_to_show(tmp_path):
    relu = "tf.nn.relu(tf.constant([1.0, -2.0]))"
    done = _trace(
        tmp_path, f"import tensorflow as tf\nprint(tf.Session().run({relu}))\n"
    )
    assert done.stdout == "[1. 0.]\n"
    assert "1 runs had no op left to execute" in done.stderr


@pytest.mark.parametrize("dark", [False, True])
def test_in_a_browser_a_click_shows_the_chain(folder, dark):
    page_file = folder / "program.trace.html"
    shots = pathlib.Path(os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR", folder))
    with chromium_testutil.Chromium(dark=dark) as page:
        page.open(page_file)
        assert page.value("document.title") == "program.py · tw trace"
        # As it opens, all of it is inside the view, and names can be read.
        data = _data(folder)
        assert page.value("view.scale >= READABLE")
        assert page.value("drawn.size > 3 && shown.nodes.length > drawn.size")
        assert page.value(INSIDE)
        training = data["runs"][1]["plan"]
        page.value(
            f"(() => {{ const s = document.getElementById('plan'); s.value = {training};"
            " s.dispatchEvent(new Event('change')); })()"
        )
        assert page.value("view.scale >= READABLE") and page.value(INSIDE)
        page.value(
            "(() => { select(numberOf(shown, 'layer/MatMul'), true); choose(null); })()"
        )
        page.click("#graph .node[data-name='layer/MatMul'] rect.body")
        assert (
            page.value("document.querySelector('#node h2').textContent")
            == "layer/MatMul"
        )
        chain = page.value("document.querySelector('#node .chain').innerText")
        assert "program.py:" in chain
        assert "core/kernels/" in chain
        highlighted = page.value(
            "document.querySelector('#node li.python details[open] span.at').innerText"
        )
        assert "tf.matmul(x, w)" in highlighted
        page.value("(() => { reveal(chosen); })()")
        page.screenshot(shots / f"trace_{'dark' if dark else 'light'}.png")
        # A bar of the timeline selects its node, a tab shows its table.
        page.click("#lanes rect.bar")
        assert page.value("document.querySelectorAll('.node.selected').length") == 1
        page.click("nav button[data-tab='ops']")
        assert "MatMul" in page.value("document.getElementById('ops').innerText")
        page.click("nav button[data-tab='steps']")
        assert "nodes remain of the graph" in page.value(
            "document.getElementById('steps').innerText"
        )
        assert page.errors == []
