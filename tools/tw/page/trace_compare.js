// SPDX-License-Identifier: Apache-2.0
// A slider shows the nodes that each graph pass rewrote; a comparison shows how two runs differ.

// ---- Passes.

function showPasses() {
  const stages = data.plans[plan].stages;
  const box = byId("passes");
  if (!stages.length) {
    box.replaceChildren(element("p", { class: "hint" }, "No graph pass changed this plan, or the session is on a server."));
    return;
  }
  const at = stage < 0 ? stages.length - 1 : stage;
  const s = stages[at];
  const slider = element("input", {
    id: "stage", type: "range", min: 0, max: stages.length - 1, value: at, "aria-label": "Graph pass",
    oninput: (e) => showStage(Number(e.target.value)),
  });
  const ticks = element("div", { class: "ticks" }, ...stages.map((t, i) =>
    element("button", { class: i === at ? "at" : null, onclick: () => showStage(i) }, t.pass)));
  const signs = { "+": 0, "-": 0, "~": 0 };
  s.changes.forEach((c) => { ++signs[c[0]]; });
  box.replaceChildren(
    element("p", { class: "hint" }, `${stages.length} passes changed the graph; the graph shows the state after the chosen one.`),
    slider, ticks,
    element("h2", {}, s.pass),
    element("p", { class: "sub" }, `${s.before} nodes before, ${s.after} after: ${signs["-"]} removed, ${signs["+"]} added, ${signs["~"]} changed`),
    element("ul", { class: "changes" }, ...s.changes.map(changeItem)),
    s.changed > s.changes.length ? element("p", { class: "hint" }, `and ${s.changed - s.changes.length} more`) : "",
  );
}

function changeItem([sign, name, op, text, origins]) {
  const lines = origins.map(([origin, stack]) => {
    const l = data.stacks[stack][data.stacks[stack].length - 1];
    const code = lineOf(l);
    return element("div", { class: "origin" },
      element("span", { class: "where" }, `${origin === name ? "" : `${origin}  `}${l.file.split("/").pop()}:${l.line}`),
      code ? element("code", {}, code) : null);
  });
  const there = sign !== "-" && stage >= 0 && numberOf(shown, name) !== undefined;
  return element("li", { class: { "+": "added", "-": "removed", "~": "changed" }[sign] },
    element("span", { class: "sign" }, sign === "-" ? "−" : sign),
    element("div", {},
      element("button", { class: "plain", disabled: there ? null : "", onclick: () => select(numberOf(shown, name), true) }, name),
      element("span", { class: "hint" }, ` ${op}`),
      text ? element("div", { class: "hint" }, text) : null, ...lines));
}

// The text of the line that a link leads to.
function lineOf(link) {
  const text = data.sources[`${link.file}:${link.line}`];
  return text && text.length > 1 ? (text[1 + link.line - Number(text[0])] || "").trim() : "";
}

function showStage(i) {
  stage = i;
  if (!data.plans[plan].stages[i].nodes.length) stage = -1; // Too large to be drawn.
  chosen = null;
  selected = -1;
  summarise();
  begin();
  stage = i;
  drawLegend();
  markChanges();
  showPasses();
  showNode();
  openTab("passes");
}

function showExecuted() {
  stage = -1;
  chosen = null;
  summarise();
  begin();
  showPasses();
  showNode();
}

// Marks what the stage's pass added and changed.
function markChanges() {
  if (stage < 0) return;
  const signs = new Map(data.plans[plan].stages[stage].changes.map((c) => [c[1], c[0]]));
  markUnits((i) => signs.get(shown.nodes[i].name), { "+": "added", "~": "changed" });
}

// ---- Two runs.

let other = null; // {label, outputs, values} by name of a node and of a tensor.
let differing = []; // Nodes of the graph, in the order of execution.

function snapshotOf(i) {
  const nodes = graphOf(data.plans[data.runs[i].plan]).nodes;
  const outputs = {};
  for (const e of data.runs[i].events) outputs[nodes[e[0]].name] = e[5].map((s) => data.shapes[s]);
  return { label: `run ${i + 1}`, outputs, values: data.runs[i].values };
}

// The runs with which this one can be compared: [value of the option, text].
function comparable() {
  const mine = data.runs.map((r, i) => i).filter((i) => i !== run && data.runs[i].plan === plan).slice(0, 100);
  const fetches = data.plans[plan].fetches.join();
  const others = data.others.map((o, i) => [o, i]).filter(([o]) => o.fetches.join() === fetches);
  return [...others.map(([o, i]) => [`o${i}`, o.label]), ...mine.map((i) => [`r${i}`, `run ${i + 1}`])];
}

function compareWith(key) {
  const value = String(key);
  other = value[0] === "o" ? data.others[Number(value.slice(1))] : value[0] === "r" ? snapshotOf(Number(value.slice(1))) : null;
  findDifferences();
  drawGraph();
  place();
  showCompare(value);
}

// A node differs if its outputs do: by their bytes where both runs have values, else by their shapes.
function findDifferences() {
  differing = [];
  if (!other) return;
  const mine = data.runs[run].values;
  const begin = (i) => (times[i].first === null ? -1 : times[i].first);
  shown.nodes.forEach((n, i) => {
    const texts = times[i].outputs.map((o) => data.shapes[o]);
    const theirs = other.outputs[n.name];
    let differs = Boolean(times[i].count) !== Boolean(theirs);
    if (theirs && times[i].count) differs = theirs.join() !== texts.join();
    const ports = Math.max(texts.length, n.info.outputs.length);
    for (let port = 0; port < ports && !differs; ++port) {
      const a = valueOf(mine, n.name, port);
      const b = valueOf(other.values, n.name, port);
      differs = Boolean(a && b && a[5] !== b[5]);
    }
    if (differs) differing.push(i);
  });
  differing.sort((a, b) => begin(a) - begin(b) || shown.order[a] - shown.order[b]);
}

function markDifferences() {
  if (!other || !differing.length) return;
  const all = new Set(differing);
  markUnits((i) => (i === differing[0] ? "1" : all.has(i) ? "d" : ""), { 1: "first", d: "differs" });
  const u = drawnFor(shown.leaves[differing[0]]);
  const text = shape("g", { class: "flag", transform: "translate(6,-10)" });
  text.append(shape("rect", { width: 92, height: 17, rx: 8 }), shape("text", { x: 46, y: 12 }, "first to differ"));
  if (drawn.has(u)) drawn.get(u).append(text);
}

function showCompare(value = "") {
  const runs = comparable();
  const pick = element("select", { id: "other", "aria-label": "Compare with", onchange: (e) => compareWith(e.target.value) },
    element("option", { value: "" }, "no other run"), ...runs.map(([key, text]) => element("option", { value: key }, text)));
  pick.value = value;
  const parts = [element("label", { class: "hint", for: "other" }, `Compare run ${run + 1} with `), pick];
  if (!runs.length) parts.push(element("p", { class: "hint" }, "No other traced run has these fetches; --against PAGE brings those of another trace."));
  if (other) {
    const hasValues = Object.keys(other.values).length && Object.keys(data.runs[run].values).length;
    const by = hasValues ? "by their values" : "by their shapes alone: trace with --values to compare values";
    parts.push(element("p", { class: "sub" }, `${differing.length} of ${shown.nodes.length} nodes differ, ${by}.`));
    if (differing.length) {
      const i = differing[0];
      const n = shown.nodes[i];
      parts.push(element("h3", {}, "The first that differs"), element("div", { class: "links" }, element("button", { onclick: () => select(i, true) }, n.name)));
      const l = n.stack[n.stack.length - 1];
      if (l) parts.push(element("ol", { class: "chain" }, chainItem(l, true)));
    }
    parts.push(table(["Node", `run ${run + 1}`, other.label], differing.slice(0, MOST_ROWS).map((i) => {
      const name = shown.nodes[i].name;
      const cell = (values, text) => element("td", { class: "name" }, valueOf(values, name, 0) ? rangeText(valueOf(values, name, 0)) || firstText(valueOf(values, name, 0)) : text);
      const mine = times[i].count ? times[i].outputs.map((o) => data.shapes[o]).join(" ") : "not executed";
      const theirs = other.outputs[name] ? other.outputs[name].join(" ") : "not executed";
      return element("tr", { onclick: () => select(i, true) },
        element("td", { class: "name" }, `${name} `, element("span", { class: "hint" }, shown.nodes[i].op)),
        cell(data.runs[run].values, mine), cell(other.values, theirs));
    })));
  }
  byId("compare").replaceChildren(...parts);
}
