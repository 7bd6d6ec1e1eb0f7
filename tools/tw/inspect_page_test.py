# SPDX-License-Identifier: Apache-2.0
"""The page of `tw inspect`, in a real browser: names of strangers stay text, and nodes that touch something are marked."""

import os
import pathlib

import numpy as np

import tensorwright as tf
from tensorwright.tools.tw import chromium_testutil, inspect_testutil

HTML = "</script><img src=x onerror=alert(1)>"


def _wicked_names(tmp_path):
    graph = tf.GraphDef()
    names = [HTML, "__proto__", "constructor", "/", "//", "", "a//b", "a/", "<b>/x"]
    for i, name in enumerate(names):
        graph.node.add(name=name, op="NoOp", input=[f"^{n}" for n in names[:i]])
    read = graph.node.add(name=f"{HTML}/read", op="ReadFile", input=[HTML])
    read.device = HTML
    read.attr[HTML].s = HTML.encode()
    graph.node.add(name="unknown", op=HTML)
    graph.node.add(name="key", op="__proto__")
    function = graph.library.function.add()
    function.signature.name = f"f{HTML}"
    function.node_def.add(name=HTML, op="WriteFile")
    graph.node.add(name="call", op=f"f{HTML}")
    path = tmp_path / "names.pb"
    path.write_bytes(graph.SerializeToString())
    page = tmp_path / "page.html"
    assert inspect_testutil.run(path, "--page", page)[0] == 0
    return page


def test_names_cannot_become_html(tmp_path):
    text = _wicked_names(tmp_path).read_text()
    data = text[text.index('id="data">') :]
    assert data.count("</script>") == 2 and "<img" not in text
    assert text.count("<script") == 2


def test_in_a_browser_names_are_text_and_marked_nodes_can_be_chosen(tmp_path):
    with chromium_testutil.Chromium() as page:
        page.open(_wicked_names(tmp_path))
        assert page.value("document.images.length") == 0
        assert page.value("document.scripts.length") == 2
        assert page.value("shown.nodes.length") == 13
        marked = "document.querySelectorAll('#graph .outside').length"
        assert page.value(marked) > 0
        for tab in ("risks", "node", "files", "ops", "sizes", "model"):
            page.click(f"nav button[data-tab='{tab}']")
            assert page.value(f"document.getElementById('{tab}').hidden") is False
        page.click("nav button[data-tab='risks']")
        assert "onerror" in page.value("document.getElementById('risks').innerText")
        # The call of a function that writes files is marked as its node is.
        page.value("(() => { showBody(0, 12); })()")
        text = page.value("document.getElementById('node').innerText")
        assert "Its functions touch and need" in text and "files written" in text
        assert page.value("shown.nodes[12].info.level") == "outside"
        # A function's body is another drawing.
        page.value("(() => { showBody(1, 0); })()")
        assert page.value("shown.nodes.length") == 1
        assert "files written" in page.value(
            "document.getElementById('node').innerText"
        )
        page.value("(() => { showBody(0, 9); })()")
        text = page.value("document.getElementById('node').innerText")
        assert "ReadFile" in text and "files read" in text and "onerror" in text
        assert page.errors == []


def test_the_page_of_a_model_shows_its_risks_and_draws_it(tmp_path):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [None, 4], name="x")
        for i in range(6):
            with tf.name_scope(f"layer{i}"):
                w = tf.constant(np.ones([4, 4], np.float32), name="w")
                x = tf.nn.relu(tf.matmul(x, w, name="product"))
        with tf.name_scope("hidden"):
            tf.read_file("/etc/passwd", name="read")
    path = tmp_path / "model.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    page_file = tmp_path / "model.html"
    assert inspect_testutil.run(path, "--page", page_file)[0] == 0
    shots = os.environ.get("TEST_UNDECLARED_OUTPUTS_DIR")
    with chromium_testutil.Chromium() as page:
        page.open(page_file)
        assert page.value("document.title").endswith("model.pb · tw inspect")
        risks = page.value("document.getElementById('risks').innerText")
        assert "/etc/passwd" in risks and "tf.Policy.sandbox(" in risks
        page.click("#risks .risk .links button")
        assert page.value("document.querySelector('#node h2').textContent") == (
            "hidden/read"
        )
        chosen = "document.querySelectorAll('#graph .node.selected.outside').length"
        assert page.value(chosen) == 1
        page.click("nav button[data-tab='sizes']")
        assert "layer0/w" in page.value("document.getElementById('sizes').innerText")
        if shots:
            page.screenshot(pathlib.Path(shots) / "inspect.png")
        assert page.errors == []


def test_a_checkpoint_alone_has_a_page_too(tmp_path):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", [3, 2])
        session.run(tf.global_variables_initializer())
        saver = tf.train.Saver()
        prefix = saver.save(session, str(tmp_path / "m"), write_meta_graph=False)
    page_file = tmp_path / "page.html"
    assert inspect_testutil.run(prefix, "--page", page_file)[0] == 0
    with chromium_testutil.Chromium() as page:
        page.open(page_file)
        assert "w" in page.value("document.getElementById('sizes').innerText")
        assert page.errors == []
