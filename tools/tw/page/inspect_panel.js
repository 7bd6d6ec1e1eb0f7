// SPDX-License-Identifier: Apache-2.0
// The page of `tw inspect`: its head, and the panel with risks, the chosen node and the tables.

function showHead() {
  byId("path").textContent = data.path;
  document.title = `${data.path} · tw inspect`;
  const g = data.graphs.length ? graphOfBody() : null;
  const about = [data.kind, data.bytes === null ? "" : size(data.bytes), g ? `made by ${g.made_by}` : ""];
  byId("about").textContent = about.filter(Boolean).join(" · ");
  const facts = [];
  if (g) {
    for (const [level, what] of [["outside", "reach outside"], ["broken", "will not run"], ["costly", "may cost much"]]) {
      facts.push([String(g.risks.filter((r) => r.level === level).length), what, level]);
    }
    facts.push([(g.nodes + g.function_nodes).toLocaleString("en"), "nodes", ""], [g.functions.toLocaleString("en"), "functions", ""]);
  } else if (data.checkpoint) {
    facts.push([data.checkpoint.all.toLocaleString("en"), "tensors", ""]);
  }
  byId("facts").replaceChildren(...facts.map(([n, what, level]) =>
    element("div", { class: `fact ${n === "0" ? "" : level}` }, element("b", {}, n), element("span", {}, what))));
}

// ---- Risks and policies.

// A button for a node or function: [text, body, node].
function placeButton([text, at, node]) {
  return element("button", { disabled: at < 0 ? "" : null, onclick: () => showBody(at, node) }, text);
}

function policyParts(made, what) {
  if (!made) return [];
  const code = made.refused ? `none: ${made.refused}` : made.code;
  const words = { "files read": "read", "files written": "write" };
  return [
    element("div", { class: "policy" }, element("span", { class: "hint" }, what), element("code", {}, code),
      ...made.anywhere.map((kind) => element("p", { class: "hint" }, `Names of files come when it runs: ${words[kind]}=[FOLDER] in place of "${kind}" keeps it to a folder.`))),
  ];
}

function showRisks() {
  const g = graphOfBody();
  const { all, use } = g.policy;
  const differs = use && use.code !== all.code;
  const parts = [
    element("p", { class: "level" }, "The smallest policy that allows it"),
    ...(differs ? policyParts(use, g.signatures ? "to load it and run its signatures" : "to load it") : []),
    ...policyParts(all, differs ? "for every node of it" : ""),
  ];
  for (const [level, title] of LEVELS) {
    const mine = g.risks.filter((r) => r.level === level);
    if (!mine.length) continue;
    parts.push(element("p", { class: `level ${level}` }, title));
    for (const risk of mine) {
      const more = risk.nodes - risk.links.length;
      parts.push(element("div", { class: "risk" }, risk.text,
        risk.links.length ? element("div", { class: "links" }, ...risk.links.map(placeButton), more > 0 ? `and ${more} more` : "") : null));
    }
  }
  if (!g.risks.length) parts.push(element("p", { class: "hint" }, "No risk was found."));
  if (g.undrawn) parts.push(element("p", { class: "hint" }, `${g.undrawn} functions or graphs are too large, or too many, to be drawn.`));
  byId("risks").replaceChildren(...parts);
}

// ---- The chosen node.

function showNode() {
  const box = byId("node");
  if (!chosen) {
    box.replaceChildren(element("p", { class: "hint" }, "Click a node: what it touches, its inputs and its attrs are shown here. A stack of cards is a name scope: + opens it."));
    return;
  }
  box.replaceChildren(...(chosen.leaf === NO_LEAF ? scopeParts(chosen) : nodeParts(chosen.leaf)));
  box.scrollTop = 0;
}

function scopeParts(u) {
  const marked = [];
  eachLeaf(u, (i) => { if (markOf(shown.nodes[i])) marked.push(i); });
  return [
    element("h2", {}, u.path || u.label),
    element("p", { class: "sub" }, `${u.count.toLocaleString("en")} nodes`),
    crumbs(u),
    foldButton(u),
    ...(marked.length ? [element("h3", {}, "Marked"), unitLinks(marked.map((i) => shown.leaves[i]))] : []),
    ...opParts(u),
    ...neighbourParts(u),
  ].filter(Boolean);
}

function nodeParts(i) {
  const n = shown.nodes[i];
  const level = LEVELS.find(([name]) => name === n.info.level);
  const parts = [
    element("h2", {}, n.name),
    element("p", { class: "sub" }, `${n.op}${n.device ? ` on ${n.device}` : ""}`),
    crumbs(shown.leaves[i]),
    level ? element("p", { class: `level ${level[0]}` }, level[1]) : null,
    element("h3", {}, "Touches and needs"),
    element("p", {}, n.info.kinds.join(", ") || "nothing"),
  ];
  if (n.info.inner.length) parts.push(element("h3", {}, "Its functions touch and need"), element("p", {}, n.info.inner.join(", ")));
  const called = n.info.calls.map((name) => [name, data.bodies.findIndex((b) => b.graph === data.bodies[body].graph && b.function === name)]);
  if (called.length) parts.push(element("h3", {}, "Calls"), element("div", { class: "links" }, ...called.map(([name, at]) => placeButton([name, at, -1]))));
  const ins = [];
  const readers = new Set();
  for (let k = 0; k < shown.edges.length; k += 3) {
    if (shown.edges[k + 1] === i) ins.push([shown.edges[k], shown.edges[k + 2]]);
    if (shown.edges[k] === i) readers.add(shown.leaves[shown.edges[k + 1]]);
  }
  if (ins.length) {
    parts.push(element("h3", {}, "Inputs"), element("div", { class: "links" }, ...ins.slice(0, 100).map(([from, port]) =>
      element("button", { onclick: () => select(from, true) }, tensorName(from, port)))));
  }
  if (readers.size) parts.push(element("h3", {}, "Used by"), unitLinks([...readers]));
  const attrs = Object.entries(n.info.attrs);
  if (attrs.length) parts.push(element("h3", {}, "Attrs"), element("dl", {}, ...attrs.flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)])));
  return parts.filter(Boolean);
}

// ---- Tables.

function tableParts({ title, heads, rows, all }) {
  if (!rows.length) return [];
  const lines = rows.map(([link, ...texts]) => {
    const cells = link ? [element("td", { class: "name" }, link[0])] : [];
    texts.forEach((text) => {
      const isNumber = heads[cells.length].startsWith("#");
      cells.push(element("td", { class: isNumber ? "n" : "name" }, text));
    });
    return element("tr", link && link[1] >= 0 ? { onclick: () => showBody(link[1], link[2]) } : {}, ...cells);
  });
  const more = all > rows.length ? [element("p", { class: "hint" }, `and ${(all - rows.length).toLocaleString("en")} more: --json has them all`)] : [];
  return [element("h3", {}, title), table(heads, lines), ...more];
}

function showTables() {
  const tables = data.graphs.length ? graphOfBody().tables : [];
  for (const tab of ["files", "ops", "sizes", "model"]) {
    const parts = tables.filter((t) => t.tab === tab).flatMap(tableParts);
    if (tab === "sizes" && data.checkpoint && data.checkpoint.rows) {
      const { path, rows, all } = data.checkpoint;
      parts.push(...tableParts({ title: `Checkpoint ${path}`, heads: ["Tensor", "Type", "#Size"], rows, all }));
    }
    byId(tab).replaceChildren(...(parts.length ? parts : [element("p", { class: "hint" }, "There are none.")]));
  }
}
