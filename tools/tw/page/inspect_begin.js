// SPDX-License-Identifier: Apache-2.0
// The page of `tw inspect`: chooses a body, and begins.

// Shows a body and, unless `node` is -1, one of its nodes.
function showBody(i, node = -1) {
  if (i !== body) {
    const tabs = body < 0 || data.bodies[i].graph !== data.bodies[body].graph;
    body = i;
    chosen = null;
    selected = -1;
    shown = graphOf(data.bodies[i]);
    weigh();
    begin();
    byId("body").value = i;
    byId("bodyLabel").textContent = `${shown.nodes.length.toLocaleString("en")} ${shown.nodes.length === 1 ? "node" : "nodes"}`;
    if (tabs) {
      showHead();
      showRisks();
      showTables();
    }
    showNode();
  }
  if (node >= 0) select(node, true);
}

function bodyText({ graph, function: name }) {
  const { tags } = data.graphs[graph];
  const of = data.graphs.length > 1 ? ` of ${tags.join(" ") || `graph ${graph + 1}`}` : "";
  const text = name ? `function ${name}` : "the graph";
  return (text.length > 80 ? `${text.slice(0, 79)}…` : text) + of;
}

byId("body").replaceChildren(...data.bodies.map((b, i) => element("option", { value: i }, bodyText(b))));
byId("body").addEventListener("change", (e) => showBody(Number(e.target.value)));
if (data.bodies.length) {
  showBody(0);
} else {
  // A checkpoint alone, or a graph that is too large.
  shown = { nodes: [], edges: [], root: null, leaves: [], order: new Int32Array(0), scopes: scopesOf({ nodes: [] }) };
  weigh();
  begin();
  showHead();
  showTables();
  if (data.graphs.length) showRisks();
}
openTab(data.graphs.length ? "risks" : "sizes");
document.body.dataset.ready = "yes";
