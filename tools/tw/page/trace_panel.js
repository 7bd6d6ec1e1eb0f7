// SPDX-License-Identifier: Apache-2.0
// The panel beside the graph: the selected node with its chain of lines, and the tables.

function select(i, show = false) {
  selected = i;
  const p = data.plans[plan];
  nodeShapes.forEach((s, j) => s.classList.toggle("selected", j === i));
  p.edges.forEach((e, j) => {
    const near = i >= 0 && (e.from === i || e.to === i);
    edgeShapes[j].classList.toggle("near", near);
    edgeShapes[j].setAttribute("marker-end", near ? "url(#near)" : "url(#tip-edge)");
  });
  document.querySelectorAll("#lanes rect.bar").forEach((r) => r.classList.toggle("selected", Number(r.dataset.node) === i));
  showNode();
  openTab("node");
  if (show && i >= 0) reveal(i);
  if (i >= 0) history.replaceState(null, "", `#run=${run}&node=${encodeURIComponent(p.nodes[i].name)}`);
}

function nodeTip(i) {
  const n = data.plans[plan].nodes[i];
  const t = times[i];
  const what = t.count ? `${duration(t.total)}${t.count > 1 ? ` in ${t.count} calls` : ""}` : "not a step: its value is known or passed on";
  return [element("b", {}, n.name), ` ${n.op}`, element("br"), what];
}

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
    const value = node.attrs[attr];
    return value === undefined || types.some((t) => dtypeName(value) === t);
  });
}
const DTYPES = { DT_FLOAT: "float32", DT_DOUBLE: "float64", DT_HALF: "float16" };
const dtypeName = (v) => DTYPES[v] || v.replace(/^DT_/, "").toLowerCase();

function showNode() {
  const box = byId("node");
  if (selected < 0) {
    box.replaceChildren(element("p", { class: "hint" }, "Click a node or a bar of the timeline: its time, its tensors, and the lines from the program to the kernel are shown here."));
    return;
  }
  const p = data.plans[plan];
  const n = p.nodes[selected];
  const t = times[selected];
  const type = data.types[n.op] || { chain: [], kernels: [] };
  const numbers = [
    [t.count ? duration(t.total) : "–", t.count > 1 ? `${t.count} calls` : "time"],
    [t.count && kernels ? percent(t.total / kernels) : "–", "of kernel time"],
    [t.count ? size(t.bytes) : "–", "of outputs"],
  ];
  const parts = [
    element("h2", {}, n.name),
    element("p", { class: "sub" }, `${n.op}${n.device ? ` on ${n.device}` : ""}`),
    element("div", { class: "numbers" }, ...numbers.map(([v, what]) => element("div", {}, element("b", {}, v), element("span", {}, what)))),
    element("h3", {}, "From the program to the kernel"),
  ];
  const chain = element("ol", { class: "chain" });
  n.stack.forEach((l, i) => chain.append(chainItem(l, i === n.stack.length - 1)));
  if (!n.stack.length) chain.append(element("li", {}, "made by the plan, no line of the program"));
  type.chain.forEach((l) => chain.append(chainItem(l, false)));
  type.kernels.filter((k) => (!n.device || n.device.startsWith(k.device)) && admits(k, n)).forEach((k) =>
    chain.append(chainItem(k, false, k.library ? element("span", { class: "where" }, `on ${k.library}`) : null)));
  if (n.calls) chain.append(chainItem(n.calls, true));
  parts.push(chain);
  const outputs = t.outputs.length ? t.outputs : n.outputs;
  if (outputs.length) {
    parts.push(element("h3", {}, "Outputs"), element("dl", {}, ...outputs.flatMap((o, i) => [element("dt", {}, `:${i}`), element("dd", {}, o)])));
  }
  const attrs = Object.entries(n.attrs);
  if (attrs.length) {
    parts.push(element("h3", {}, "Attrs"), element("dl", {}, ...attrs.flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)])));
  }
  for (const [title, mine, other] of [["Inputs", "to", "from"], ["Used by", "from", "to"]]) {
    const near = [...new Set(p.edges.filter((e) => e[mine] === selected).map((e) => e[other]))];
    if (near.length) {
      parts.push(element("h3", {}, title), element("div", { class: "links" }, ...near.map((j) =>
        element("button", { onclick: () => select(j, true) }, p.nodes[j].name))));
    }
  }
  box.replaceChildren(...parts);
  box.scrollTop = 0;
}

// ---- Tables.

function table(heads, rows) {
  const head = element("tr", {}, ...heads.map((h) => element("th", { class: h.startsWith("#") ? "n" : null }, h.replace("#", ""))));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}
const barUnder = (share, colour) => element("div", { class: "bar", style: `width:${Math.max(0.5, share * 100)}%;background:${colour}` });

function showOps() {
  const ops = new Map();
  data.plans[plan].nodes.forEach((n, i) => {
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

function showSteps() {
  const p = data.plans[plan];
  const order = p.nodes.map((n, i) => i).filter((i) => times[i].count).sort((a, b) => times[a].first - times[b].first);
  const most = Math.max(...order.map((i) => times[i].total), 1e-9);
  const devices = [...new Set(p.nodes.map((n) => n.device))].filter(Boolean).join(", ");
  const feeds = p.feeds.length ? ` given ${p.feeds.join(", ")}` : "";
  byId("steps").replaceChildren(
    element("p", { class: "hint" }, `To compute ${p.fetches.join(", ") || "nothing"}${feeds}, ${p.nodes.length} nodes remain of the graph's ${p.graphSize}; ${order.length} of them are steps on ${devices}, in this order:`),
    table(["#", "Node", "Output", "#time"], order.map((i, k) =>
      element("tr", { onclick: () => select(i, true) },
        element("td", { class: "n" }, String(k + 1)),
        element("td", { class: "name" }, `${p.nodes[i].name} `, element("span", { class: "hint" }, p.nodes[i].op), barUnder(times[i].total / most, familyOf(p.nodes[i].op)[2])),
        element("td", { class: "name out" }, times[i].outputs.join(" ")),
        element("td", { class: "n" }, duration(times[i].total))))),
  );
}

function openTab(name) {
  document.querySelectorAll("nav button").forEach((b) => b.setAttribute("aria-selected", b.dataset.tab === name));
  document.querySelectorAll(".tab").forEach((t) => { t.hidden = t.id !== name; });
}
