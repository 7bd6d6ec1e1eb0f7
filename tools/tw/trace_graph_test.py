# SPDX-License-Identifier: Apache-2.0
"""The page of `tw trace`: scopes, values, passes and comparisons, in a real browser, and a graph of 100,000 nodes."""

import json
import pathlib
import subprocess
import sys

import pytest

from tensorwright.tools.tw import chromium_testutil, trace_page, trace_runs

PROGRAM = """\
import sys
import numpy as np
import tensorflow as tf

x = tf.placeholder(tf.float32, [None, 4], name="x")
h = x
for i in range(6):
    with tf.name_scope("layer%d" % i):
        w = tf.Variable(tf.ones([4, 4]) / 4, name="w")
        h = tf.nn.relu(tf.matmul(h, w, name="product") + float(i), name="out")
with tf.name_scope("odd"):
    root = tf.sqrt(h - float(sys.argv[1]), name="root")
loss = tf.reduce_mean(root, name="loss")
step = tf.train.GradientDescentOptimizer(0.0).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for scale in (1.0, 1.0, 2.0):
        session.run([step, loss], {x: scale * np.ones([2, 4], np.float32)})
"""


def _trace(folder, *arguments, out="page"):
    command = [sys.executable, "-m", "tensorwright.tools.tw.main", "trace"]
    done = subprocess.run(
        [*command, "--out", out, *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / f"{out}.trace.html"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("trace")
    (folder / "program.py").write_text(PROGRAM)
    _trace(folder, "program.py", "0")
    _trace(folder, "--values", "program.py", "0", out="values")
    _trace(
        *(folder, "--values", "--against", "values.trace.html", "program.py", "100"),
        out="other",
    )
    return folder


@pytest.fixture(scope="module")
def browser():
    with chromium_testutil.Chromium() as page:
        yield page


@pytest.fixture
def page(browser):
    yield browser
    assert browser.errors == []


def _last_run(page):
    page.value("(() => { showRun(data.runs.length - 1); })()")


def test_scopes_are_folded_and_a_click_opens_and_folds_them(folder, page):
    page.open(folder / "page.trace.html")
    assert page.value("shown.nodes.length") > page.value("drawn.size")
    page.value("(() => { uncover(shown.leaves[numberOf(shown, 'odd/root')]); })()")
    page.value("(() => { select(numberOf(shown, 'layer3/product'), true); })()")
    inner = "document.querySelectorAll('#graph [data-name=\"layer3/product\"]').length"
    assert page.value(inner) == 1
    page.click("#graph .box[data-scope='layer3/'] .fold")
    assert page.value(inner) == 0
    page.click("#graph .node[data-scope='layer3/'] .fold")
    assert page.value(inner) == 1


def test_no_boxes_overlap_and_edges_lead_down(folder, page):
    page.open(folder / "page.trace.html")
    overlaps = """(() => {
        const flat = [...drawn.keys()].filter((u) => !u.open);
        return flat.some((a) => flat.some((b) => a !== b
            && Math.abs(a.gx - b.gx) < (a.w + b.w) / 2 && Math.abs(a.gy - b.gy) < (a.h + b.h) / 2));
    })()"""
    assert page.value(overlaps) is False
    layout = """(() => {
        const boxes = [80, 120, 90, 100, 60, 70].map((w) => ({ w, h: 40 }));
        const edges = [[0, 2], [1, 2], [2, 3], [0, 3], [3, 4], [4, 2], [5, 4]];
        const { y } = layered(boxes, edges);
        return edges.map(([u, v]) => y[u] < y[v]);
    })()"""
    # The edge that closes the loop leads up.
    assert page.value(layout) == [True, True, True, True, True, False, True]


def test_a_value_is_shown_at_its_node_and_its_edge(folder, page):
    page.open(folder / "values.trace.html")
    _last_run(page)
    page.value("(() => { select(numberOf(shown, 'layer0/product'), true); })()")
    text = page.value("document.getElementById('node').innerText")
    assert (
        "float32[2,4]" in text and "all 2" in text and "[2, 2, 2, 2, 2, 2, …]" in text
    )
    tip = """(() => {
        const i = numberOf(shown, 'layer0/product');
        let k = 0;
        while (shown.edges[k] !== i) k += 3;
        return edgeTip([k], 1).map((e) => e.textContent).join(' ');
    })()"""
    assert "layer0/product:0 float32[2,4] all 2" in page.value(tip)


def test_nans_are_counted_and_marked(folder, page):
    page.open(folder / "other.trace.html")
    _last_run(page)
    page.value("(() => { select(numberOf(shown, 'odd/root'), true); })()")
    assert "8 NaN" in page.value("document.getElementById('node').innerText")
    assert page.value("document.querySelectorAll('#graph .node .bad').length") > 0


def test_of_two_runs_the_first_node_that_differs_is_marked(folder, page):
    page.open(folder / "values.trace.html")
    _last_run(page)  # The feed is twice that of the run before; weights stay.
    page.value("(() => { compareWith('r2'); })()")
    names = page.value("differing.map((i) => shown.nodes[i].name)")
    assert names[0] == "x" and names.index("layer0/product") < names.index(
        "layer1/product"
    )
    assert (
        page.value("document.querySelectorAll('#graph .node.first .flag').length") == 1
    )
    text = page.value("document.getElementById('compare').innerText")
    assert "layer0/product" in text and "program.py" in text and "layer0/w" not in text
    page.value("(() => { showRun(2); compareWith('r1'); })()")  # The same feed.
    assert page.value("differing.length") == 0


def test_a_page_compares_with_another_trace(folder, page):
    page.open(folder / "other.trace.html")
    assert (
        page.value("document.querySelector('nav [aria-selected=true]').textContent")
        == "Compare"
    )
    assert page.value("other.label").startswith("values.trace.html, run ")
    page.value("(() => { showRun(1); compareWith('o1'); })()")
    first = page.value("shown.nodes[differing[0]].name")
    assert first.startswith("odd/") and page.value("differing.length") > 1


def test_what_is_no_page_is_refused(tmp_path):
    (tmp_path / "x.html").write_text("<html>")
    with pytest.raises(ValueError, match="is no page of tw trace"):
        trace_runs.runs_of_page(tmp_path / "x.html")


def test_the_slider_shows_what_each_pass_rewrote_with_its_lines(folder, page):
    page.open(folder / "page.trace.html")
    passes = page.value("data.plans[plan].stages.map((s) => s.pass)")
    assert "elementwise_fusion" in passes
    at = passes.index("elementwise_fusion")
    page.value(f"(() => {{ showPasses(); showStage({at}); }})()")
    text = page.value("document.getElementById('passes').innerText")
    assert (
        "_FusedElementwise" in text and "program.py:" in text and "tf.nn.relu" in text
    )
    assert page.value("document.querySelectorAll('#passes li.removed').length") > 0
    assert (
        page.value(
            "document.querySelectorAll('#graph .node.added, #graph .node.changed').length"
        )
        > 0
    )
    nodes = page.value("shown.nodes.length")
    assert nodes == page.value(f"data.plans[plan].stages[{at}].after")
    slide = "(() => { const s = document.getElementById('stage'); s.value = 0; s.dispatchEvent(new Event('input')); })()"
    page.value(slide)
    assert page.value("shown.nodes.length") != nodes
    page.click("#stageName")
    assert page.value("stage") == -1


def test_100_000_nodes_open_in_two_seconds(tmp_path):
    names = [
        f"tower_{i // 1000}/block_{i // 20 % 50}/op_{i % 20}" for i in range(100_000)
    ]
    plan = {
        "fetches": [names[-1]],
        "feeds": [],
        "graphSize": len(names),
        "values": False,
        "stages": [],
        "nodes": [[name, i % 2, 0, 0, 0] for i, name in enumerate(names)],
        "edges": [v for i in range(1, len(names)) for v in (i - 1, i, 0)],
    }
    events = [[i, i * 2.0, 1.0, i % 2, 16, [0]] for i in range(len(names))]
    data = {
        **{"command": "big.py", "when": "", "machine": "", "total": 1},
        **{"plans": [plan], "others": [], "types": {}, "sources": {}},
        **{"ops": ["Add", "Mul"], "devices": ["CPU:0"], "stacks": [[]]},
        **{"infos": [{"attrs": {}, "outputs": [], "calls": None, "parts": []}]},
        "shapes": ["f32[4]"],
        "runs": [{"plan": 0, "wall": 2e5, "events": events, "values": {}}],
    }
    file = pathlib.Path(tmp_path / "big.html")
    file.write_text(trace_page.html(data))
    assert len(json.dumps(data)) > 6_000_000
    with chromium_testutil.Chromium() as page:
        page.count_processor_time()
        page.open(file)
        # Other work of the machine does not count.
        assert page.processor_seconds() < 2
        assert page.value("shown.nodes.length") == 100_000
        assert page.value("view.scale >= READABLE") and page.value("drawn.size") < 70
        page.value("(() => { select(70_000, true); })()")
        assert "tower_70/block_0/op_0" in page.value(
            "document.getElementById('node').innerText"
        )
        assert page.errors == []
