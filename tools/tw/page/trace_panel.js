// SPDX-License-Identifier: Apache-2.0
// The panel beside the graph: the selected node with its chain of lines, and the tables.

function nodeTip(i) {
  return tipOf(shown.nodes[i].name, shown.nodes[i].op, times[i]);
}
function tipOf(name, op, t) {
  const what = t.count ? `${duration(t.total)}${t.count > 1 ? ` in ${t.count} calls` : ""}` : "not a step: its value is known or passed on";
  return [element("b", {}, name), ` ${op}`, element("br"), what];
}
function unitTip(u) {
  if (u.leaf !== NO_LEAF) {
    const values = outputsOf(u.leaf).map(([name, text, v]) => element("div", {}, `${name}  ${text}  ${rangeText(v)}`));
    return [...nodeTip(u.leaf), ...values.slice(0, 4)];
  }
  return [element("b", {}, u.path || u.label), ` ${u.count.toLocaleString("en")} nodes`, element("br"), `${duration(u.total)} in ${u.calls} calls`];
}

// Describes some edges: the names of their tensors, and with --values what they held.
function edgeTip(some, count) {
  const seen = new Set();
  const lines = [];
  for (const k of some) {
    const from = shown.edges[k];
    const port = shown.edges[k + 2];
    const name = port < 0 ? `^${shown.nodes[from].name}` : `${shown.nodes[from].name}:${port}`;
    if (seen.has(name)) continue;
    seen.add(name);
    const v = data.runs[run].values[name];
    const text = v ? v[0] : outputText(from, port);
    lines.push(element("div", {}, element("b", {}, name), ` ${port < 0 ? "runs before" : text} ${rangeText(v)}`));
    if (v) lines.push(element("div", {}, firstText(v)));
  }
  if (count > some.length) lines.push(element("div", {}, `and ${count - some.length} more edges`));
  return lines;
}

// [tensor, dtype and shape, value or undefined] of each output of a node.
function outputsOf(i) {
  const n = shown.nodes[i];
  const texts = times[i].outputs.length ? times[i].outputs.map((o) => data.shapes[o]) : n.info.outputs;
  return texts.map((text, port) => {
    const v = valueOf(data.runs[run].values, n.name, port);
    return [`${n.name}:${port}`, v ? v[0] : text, v];
  });
}
const outputText = (i, port) => (outputsOf(i)[port] || ["", ""])[1];

function snippet(link) {
  const text = data.sources[`${link.file}:${link.line}`];
  if (!text || text.length < 2) return null;
  const first = Number(text[0]);
  return element("pre", {}, ...text.slice(1).map((line, i) =>
    element("span", { "data-n": first + i, class: first + i === link.line ? "at" : null }, line || " ")));
}

function chainItem(link, open, more) {
  const code = snippet(link);
  const head = [
    element("span", { class: "kind" }, `${link.kind} `),
    element("span", { class: "what" }, link.name),
    element("span", { class: "where" }, `${link.file}:${link.line}`),
  ];
  const body = code
    ? element("details", open ? { open: "" } : {}, element("summary", {}, ...head), code)
    : element("div", {}, ...head);
  return element("li", { class: link.kind }, body, more || null);
}

function admits(kernel, node) {
  return Object.entries(kernel.types).every(([attr, types]) => {
    const value = node.info.attrs[attr];
    return value === undefined || types.some((t) => dtypeName(value) === t);
  });
}
const DTYPES = { DT_FLOAT: "float32", DT_DOUBLE: "float64", DT_HALF: "float16" };
const dtypeName = (v) => DTYPES[v] || v.replace(/^DT_/, "").toLowerCase();

function showNode() {
  const box = byId("node");
  if (!chosen) {
    box.replaceChildren(element("p", { class: "hint" }, "Click a node or a bar of the timeline: its time, its tensors, and the lines from the program to the kernel are shown here. A stack of cards is a name scope: + opens it."));
    return;
  }
  box.replaceChildren(...(chosen.leaf === NO_LEAF ? scopeParts(chosen) : nodeParts(chosen.leaf)));
  box.scrollTop = 0;
}

function numbersOf(t, more) {
  return element("div", { class: "numbers" }, ...[
    [t.count ? duration(t.total) : "–", t.count > 1 ? `${t.count} calls` : "time"],
    [t.count && kernels ? percent(t.total / kernels) : "–", "of kernel time"],
    more,
  ].map(([v, what]) => element("div", {}, element("b", {}, v), element("span", {}, what))));
}

function scopeParts(u) {
  const slow = [];
  eachLeaf(u, (i) => { if (times[i].count) slow.push(i); });
  slow.sort((a, b) => times[b].total - times[a].total);
  return [
    element("h2", {}, u.path || u.label),
    element("p", { class: "sub" }, `${u.count.toLocaleString("en")} nodes`),
    crumbs(u),
    foldButton(u),
    numbersOf({ total: u.total, count: u.calls }, [String(slow.length), "steps"]),
    ...(slow.length ? [element("h3", {}, "Slowest"), table(["Node", "#time"], slow.slice(0, 8).map((i) => element("tr", { onclick: () => select(i, true) },
      element("td", { class: "name" }, `${shown.nodes[i].name} `, element("span", { class: "hint" }, shown.nodes[i].op)),
      element("td", { class: "n" }, duration(times[i].total)))))] : []),
    ...opParts(u),
    ...neighbourParts(u),
  ].filter(Boolean);
}
function tensorRow(name, text, v) {
  return [
    element("dt", {}, name),
    element("dd", { class: v && isBad(v) ? "bad" : null }, text, v ? element("span", { class: "range" }, rangeText(v)) : null, v && v[4].length ? element("span", { class: "hint" }, firstText(v)) : null),
  ];
}

function nodeParts(i) {
  const n = shown.nodes[i];
  const t = times[i];
  const type = data.types[n.op] || { chain: [], kernels: [] };
  const parts = [
    element("h2", {}, n.name),
    element("p", { class: "sub" }, `${n.op}${n.device ? ` on ${n.device}` : ""}`),
    crumbs(shown.leaves[i]),
    numbersOf(t, [t.count ? size(t.bytes) : "–", "of outputs"]),
  ];
  const outputs = outputsOf(i);
  if (outputs.length) {
    parts.push(element("h3", {}, "Outputs"), element("dl", {}, ...outputs.flatMap(([, text, v], port) => tensorRow(`:${port}`, text, v))));
  }
  const ins = [];
  const readers = new Set();
  for (let k = 0; k < shown.edges.length; k += 3) {
    if (shown.edges[k + 1] === i) ins.push([shown.edges[k], shown.edges[k + 2]]);
    if (shown.edges[k] === i) readers.add(shown.leaves[shown.edges[k + 1]]);
  }
  if (ins.length) {
    parts.push(element("h3", {}, "Inputs"), element("dl", {}, ...ins.flatMap(([from, port]) => {
      const tensor = port < 0 ? `^${shown.nodes[from].name}` : `${shown.nodes[from].name}:${port}`;
      const v = data.runs[run].values[tensor];
      const row = tensorRow("", port < 0 ? "runs before" : v ? v[0] : outputText(from, port), v);
      row[0].append(element("button", { class: "plain", onclick: () => select(from, true) }, tensor));
      return row;
    })));
  }
  if (readers.size) parts.push(element("h3", {}, "Used by"), unitLinks([...readers]));
  if (n.info.parts.length) parts.push(element("h3", {}, "Stands for"), element("p", { class: "ops" }, n.info.parts.join(", ")));
  parts.push(element("h3", {}, "From the program to the kernel"));
  const chain = element("ol", { class: "chain" });
  n.stack.forEach((l, j) => chain.append(chainItem(l, j === n.stack.length - 1)));
  if (!n.stack.length) chain.append(element("li", {}, "made by the plan, no line of the program"));
  type.chain.forEach((l) => chain.append(chainItem(l, false)));
  type.kernels.filter((k) => (!n.device || n.device.startsWith(k.device)) && admits(k, n)).forEach((k) =>
    chain.append(chainItem(k, false, k.library ? element("span", { class: "where" }, `on ${k.library}`) : null)));
  if (n.info.calls) chain.append(chainItem(n.info.calls, true));
  parts.push(chain);
  const attrs = Object.entries(n.info.attrs);
  if (attrs.length) {
    parts.push(element("h3", {}, "Attrs"), element("dl", {}, ...attrs.flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)])));
  }
  return parts.filter(Boolean);
}

// ---- Tables.

function showOps() {
  const ops = new Map();
  shown.nodes.forEach((n, i) => {
    if (!times[i].count) return;
    const o = ops.get(n.op) || { total: 0, count: 0, worst: i };
    o.total += times[i].total;
    o.count += times[i].count;
    if (times[i].total > times[o.worst].total) o.worst = i;
    ops.set(n.op, o);
  });
  const sorted = [...ops].sort((a, b) => b[1].total - a[1].total);
  const most = sorted.length ? sorted[0][1].total : 1;
  byId("ops").replaceChildren(table(["Op", "#calls", "#time", "#share"], sorted.map(([op, o]) =>
    element("tr", { onclick: () => select(o.worst, true), title: "Shows its slowest node" },
      element("td", { class: "name" }, op, barUnder(o.total / most, familyOf(op)[2])),
      element("td", { class: "n" }, String(o.count)),
      element("td", { class: "n" }, duration(o.total)),
      element("td", { class: "n" }, percent(kernels ? o.total / kernels : 0))))));
}

const MOST_ROWS = 400;

function showSteps() {
  const p = data.plans[plan];
  const order = shown.nodes.map((n, i) => i).filter((i) => times[i].count).sort((a, b) => times[a].first - times[b].first);
  const most = order.reduce((m, i) => Math.max(m, times[i].total), 1e-9);
  const devices = [...new Set(shown.nodes.map((n) => n.device))].filter(Boolean).join(", ");
  const feeds = p.feeds.length ? ` given ${p.feeds.join(", ")}` : "";
  const note = p.values ? " With --values every tensor is fetched, so that no pass joins ops: without it the plan is shorter." : "";
  byId("steps").replaceChildren(
    element("p", { class: "hint" }, `To compute ${p.fetches.join(", ") || "nothing"}${feeds}, ${p.nodes.length} nodes remain of the graph's ${p.graphSize}; ${order.length} of them are steps on ${devices}, in this order.${note}`),
    table(["#", "Node", "Output", "#time"], order.slice(0, MOST_ROWS).map((i, k) =>
      element("tr", { onclick: () => select(i, true) },
        element("td", { class: "n" }, String(k + 1)),
        element("td", { class: "name" }, `${shown.nodes[i].name} `, element("span", { class: "hint" }, shown.nodes[i].op), barUnder(times[i].total / most, familyOf(shown.nodes[i].op)[2])),
        element("td", { class: "name out" }, times[i].outputs.map((o) => data.shapes[o]).join(" ")),
        element("td", { class: "n" }, duration(times[i].total))))),
    order.length > MOST_ROWS ? element("p", { class: "hint" }, `and ${(order.length - MOST_ROWS).toLocaleString("en")} more: the search finds them`) : "",
  );
}
