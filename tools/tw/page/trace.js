// SPDX-License-Identifier: Apache-2.0
// The page of `tw trace`.  Everything it shows is in the element `data`.
"use strict";

const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

// Families of ops and their colours, readable on light and dark ground; the first that fits.
const FAMILIES = [
  ["matrix and convolution", /MatMul|Conv|Pool|LRN|Cholesky|Svd/, "#3b6fd4"],
  ["state", /Variable|^Assign|^Apply|^Scatter|Queue|^Stack|TensorArray|Table|^Const$|^Placeholder|Save|Restore/, "#64748b"],
  ["control flow", /^(Ref)?(Switch|Merge|Enter|Exit|NextIteration|LoopCond)$|^NoOp|^_(Send|Recv|Arg|Retval)|^Assert|^ControlTrigger/, "#c2477f"],
  ["data movement", /Shape|Transpose|^Concat|^Split|Slice|^Gather|^Pack|^Unpack|^Tile|Pad|^ExpandDims|^Squeeze|^Identity|^Fill|^Range|^Reverse|^OneHot|Like$|^Size|^Rank|^Dynamic(Stitch|Partition)|^Broadcast|^ConcatOffset/, "#7a5bc7"],
  ["reduction", /^(Sum|Mean|Max|Min|Prod|All|Any|ArgMax|ArgMin|L2Loss|TopK.*)$|Softmax|Segment|InTopK/, "#b8860b"],
  ["elementwise", /^_?Fused|Add|Sub|Mul|Div|Mod$|Relu|Tanh|Sigmoid|Exp|Log|Sqrt|Square|Neg|Inv|Reciprocal|Maximum|Minimum|Greater|Less|Equal|Cast|Select|Pow|Abs|Sign|Bias|Elu|Softplus|Floor|Ceil|Round|Sin|Cos|Erf/, "#2a9d6f"],
];
const OTHER = ["other", null, "#8a7f72"];
const YOURS = ["your ops", null, "#d9632a"];
const colours = new Map();
function familyOf(op) {
  if (!colours.has(op)) colours.set(op, FAMILIES.find((f) => f[1].test(op)) || OTHER);
  return colours.get(op);
}
// An op of a loaded library or of user_ops/ is the user's, whatever it is called like.
for (const [op, type] of Object.entries(data.types)) {
  const mine = type.chain.some((l) => l.kind === "op" && /^(\/|user_ops\/)/.test(l.file));
  if (mine || /^PyFunc/.test(op)) colours.set(op, YOURS);
}

function element(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (key.startsWith("on")) e.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined) e.setAttribute(key, value);
  }
  e.append(...children.filter((c) => c !== null && c !== undefined));
  return e;
}
function shape(tag, attributes, text) {
  const e = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  if (text !== undefined) e.textContent = text;
  return e;
}
function duration(us) {
  if (us >= 1e6) return `${(us / 1e6).toFixed(2)} s`;
  if (us >= 1e3) return `${(us / 1e3).toFixed(us >= 1e5 ? 0 : 2)} ms`;
  if (us > 0 && us < 0.05) return "<0.1 µs";
  return `${us.toFixed(us >= 100 ? 0 : 1)} µs`;
}
function size(bytes) {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  if (bytes >= 1e6) return `${(bytes / 1e6).toFixed(1)} MB`;
  if (bytes >= 1e3) return `${(bytes / 1e3).toFixed(1)} kB`;
  return `${bytes} B`;
}
const percent = (part) => (part >= 0.0995 ? `${Math.round(part * 100)} %` : `${(part * 100).toFixed(1)} %`);

// What is shown.
let plan = 0;
let run = 0;
let selected = -1;
let times = []; // Of the run, per node: {total, count, bytes, first, outputs}.
let kernels = 0; // Sum of the run's kernel times.

function summarise() {
  const nodes = data.plans[plan].nodes;
  times = nodes.map(() => ({ total: 0, count: 0, bytes: 0, first: null, outputs: [] }));
  kernels = 0;
  for (const [node, start, took, , bytes, outputs] of data.runs[run].events) {
    const t = times[node];
    t.total += took;
    t.count += 1;
    t.bytes += bytes;
    if (t.first === null) t.first = start;
    t.outputs = outputs;
    kernels += took;
  }
}

// ---- The head.

function showHead() {
  byId("command").textContent = data.command;
  document.title = `${data.command} · tw trace`;
  const traced = data.runs.length;
  const some = data.total > traced ? `, the first ${traced} traced` : "";
  byId("about").textContent = `${data.when} · ${data.machine} · ${data.total} runs${some}`;
  const walls = data.runs.map((r) => r.wall);
  const events = data.runs.reduce((n, r) => n + r.events.length, 0);
  const inKernels = data.runs.reduce((n, r) => n + r.events.reduce((m, e) => m + e[2], 0), 0);
  const facts = [
    [duration(walls.reduce((a, b) => a + b, 0)), "in Session.run"],
    [duration(inKernels), "in kernels"],
    [events.toLocaleString("en"), "ops executed"],
    [String(data.plans.length), data.plans.length === 1 ? "plan" : "plans"],
  ];
  byId("facts").replaceChildren(
    ...facts.map(([n, what]) => element("div", { class: "fact" }, element("b", {}, n), element("span", {}, what))),
  );
}

function showRuns() {
  const choose = byId("plan");
  choose.replaceChildren(
    ...data.plans.map((p, i) => {
      const what = p.fetches.join(", ") || "nothing";
      const count = data.runs.filter((r) => r.plan === i).length;
      const text = what.length > 60 ? `${what.slice(0, 59)}…` : what;
      return element("option", { value: i }, `${text} (${count} ${count === 1 ? "run" : "runs"})`);
    }),
  );
  choose.value = plan;
  const mine = data.runs.map((r, i) => [r, i]).filter(([r]) => r.plan === plan);
  // One slow run, often the first, must not flatten the others.
  const sorted = mine.map(([r]) => r.wall).sort((a, b) => a - b);
  const most = Math.min(sorted[sorted.length - 1], 3 * sorted[Math.floor(sorted.length / 2)]);
  byId("strip").replaceChildren(
    ...mine.map(([r, i]) =>
      element("button", {
        role: "option",
        style: `height:${Math.min(100, Math.max(8, (100 * r.wall) / most))}%`,
        "aria-selected": i === run,
        "aria-label": `Run ${i + 1}, ${duration(r.wall)}`,
        title: `Run ${i + 1}: ${duration(r.wall)}`,
        onclick: () => showRun(i),
      }),
    ),
  );
  byId("runLabel").textContent = `run ${run + 1}: ${duration(data.runs[run].wall)}, ${duration(kernels)} in kernels`;
}

// ---- The graph.

const graph = byId("graph");
let view = { x: 0, y: 0, scale: 1 };
let nodeShapes = [];
let edgeShapes = [];
// A scale at which names can be read.
const READABLE = 0.6;

function curve(points) {
  let path = `M${points[0][0]},${points[0][1]}`;
  for (let i = 1; i < points.length; ++i) {
    const [x0, y0] = points[i - 1];
    const [x1, y1] = points[i];
    const bend = (y1 - y0) * 0.45;
    path += ` C${x0},${y0 + bend} ${x1},${y1 - bend} ${x1},${y1}`;
  }
  return path;
}

function drawGraph() {
  const p = data.plans[plan];
  const arrow = (id) => {
    const m = shape("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto", class: id });
    m.append(shape("path", { d: "M0,0.5 L8,4 L0,7.5 z" }));
    return m;
  };
  const defs = shape("defs", {});
  defs.append(arrow("tip-edge"), arrow("near"));
  const world = shape("g", { id: "world" });
  edgeShapes = p.edges.map((e) => {
    const s = shape("path", {
      d: curve(e.route),
      class: e.control ? "edge control" : "edge",
      "marker-end": "url(#tip-edge)",
    });
    world.append(s);
    return s;
  });
  nodeShapes = p.nodes.map((n, i) => drawNode(n, i, world));
  graph.replaceChildren(defs, world);
  drawLegend();
  drawMap();
}

function drawNode(n, i, world) {
  const h = data.nodeHeight;
  const t = times[i];
  const share = kernels ? t.total / kernels : 0;
  const colour = familyOf(n.op)[2];
  const g = shape("g", {
    class: t.count ? "node" : "node idle",
    transform: `translate(${n.x - n.w / 2},${n.y - h / 2})`,
    "data-name": n.name,
    style: `--family:${colour}`,
    tabindex: -1,
  });
  g.append(shape("rect", { class: "body", width: n.w, height: h, rx: 6 }));
  g.append(shape("rect", { x: 0, y: 0, width: 5, height: h, rx: 2.5, fill: colour }));
  if (share > 0) {
    // The bar at the foot is the op's share of the run.
    const room = n.w - 14;
    g.append(shape("rect", { x: 9, y: h - 6, width: room, height: 3, rx: 1.5, fill: colour, opacity: 0.16 }));
    g.append(shape("rect", { x: 9, y: h - 6, width: Math.max(1.5, room * share), height: 3, rx: 1.5, fill: colour }));
  }
  g.append(shape("text", { x: 13, y: 17 }, n.short));
  g.append(shape("text", { class: "op", x: 13, y: 31 }, n.op));
  if (share >= 0.01) g.append(shape("text", { class: "share", x: n.w - 6, y: 31 }, percent(share)));
  g.addEventListener("click", () => select(i));
  hover(g, () => nodeTip(i));
  world.append(g);
  return g;
}

function drawLegend() {
  const used = new Set(data.plans[plan].nodes.map((n) => familyOf(n.op)));
  byId("legend").replaceChildren(
    ...[...FAMILIES, OTHER, YOURS].filter((f) => used.has(f)).map((f) =>
      element("span", {}, element("i", { style: `background:${f[2]}` }), f[0])),
    element("span", {}, "bar: share of the run"),
  );
}

function place() {
  byId("world").setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`);
  graph.classList.toggle("far", view.scale < 0.35);
  const { width, height } = graph.getBoundingClientRect();
  const frame = byId("map").querySelector(".frame");
  if (!frame) return;
  for (const [key, value] of Object.entries({ x: -view.x / view.scale, y: -view.y / view.scale, width: width / view.scale, height: height / view.scale })) {
    frame.setAttribute(key, value);
  }
}
function fitScale() {
  const p = data.plans[plan];
  const { width, height } = graph.getBoundingClientRect();
  return Math.min((width - 60) / Math.max(p.width, 1), (height - 120) / Math.max(p.height, 1), 1.25);
}
// The whole graph where it can be read, else its costliest node and what is around it.
function begin() {
  if (fitScale() >= READABLE) {
    fit();
    return;
  }
  view.scale = 0.85;
  reveal(times.reduce((best, t, i) => (t.total > times[best].total ? i : best), 0));
}
function drawMap() {
  const p = data.plans[plan];
  const map = byId("map");
  const small = fitScale() < READABLE;
  map.style.display = small ? "" : "none";
  const k = Math.min(170 / p.width, 200 / p.height);
  map.setAttribute("width", p.width * k);
  map.setAttribute("height", p.height * k);
  map.setAttribute("viewBox", `0 0 ${p.width} ${p.height}`);
  const h = Math.max(data.nodeHeight, 3 / k);
  map.replaceChildren(
    ...p.nodes.map((n) => shape("rect", { x: n.x - n.w / 2, y: n.y - h / 2, width: n.w, height: h, fill: familyOf(n.op)[2] })),
    shape("rect", { class: "frame", "stroke-width": 1.5 / k }),
  );
}
function fit() {
  const p = data.plans[plan];
  const { width, height } = graph.getBoundingClientRect();
  const scale = fitScale();
  view = { scale, x: (width - p.width * scale) / 2, y: 62 + Math.max(0, (height - 120 - p.height * scale) / 2) };
  place();
}
// Centres a node at a size at which it can be read.
function reveal(i) {
  const n = data.plans[plan].nodes[i];
  const { width, height } = graph.getBoundingClientRect();
  const scale = Math.max(view.scale, 0.8);
  view = { scale, x: width / 2 - n.x * scale, y: height / 2 - n.y * scale };
  place();
}
function zoom(factor, x, y) {
  const scale = Math.min(Math.max(view.scale * factor, 0.02), 4);
  const k = scale / view.scale;
  view = { scale, x: x - (x - view.x) * k, y: y - (y - view.y) * k };
  place();
}

// Calls move(dx, dy) while the pointer drags over `target`.
function draggable(target, move) {
  let last = null;
  target.addEventListener("pointerdown", (e) => { last = [e.clientX, e.clientY]; });
  window.addEventListener("pointermove", (e) => {
    if (!last) return;
    target.classList.add("dragging");
    move(e.clientX - last[0], e.clientY - last[1]);
    last = [e.clientX, e.clientY];
  });
  window.addEventListener("pointerup", () => { last = null; target.classList.remove("dragging"); });
}

// ---- Selection.

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

// ---- The timeline.

const lanes = byId("lanes");
const LANE = 26;
const LEFT = 92;
let window_ = null; // [from, to] in microseconds.

function drawLanes() {
  const { events, wall } = data.runs[run];
  const threads = Math.max(0, ...events.map((e) => e[3])) + 1;
  const first = Math.min(...events.map((e) => e[1]));
  const last = Math.max(...events.map((e) => e[1] + e[2]));
  if (!window_) {
    const margin = Math.max((last - first) * 0.02, 0.5);
    window_ = [first - margin, Math.min(last + margin, Math.max(wall, last) + margin)];
  }
  const width = lanes.getBoundingClientRect().width || 1200;
  const height = 26 + threads * LANE + 10;
  lanes.setAttribute("height", height);
  lanes.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const at = (us) => LEFT + ((us - window_[0]) / (window_[1] - window_[0])) * (width - LEFT - 16);
  const parts = [];
  for (const tick of ticks(window_[0], window_[1], Math.max(3, width / 140))) {
    parts.push(shape("line", { x1: at(tick), x2: at(tick), y1: 22, y2: height }));
    parts.push(shape("text", { class: "tick", x: at(tick) + 4, y: 15 }, tickText(tick)));
  }
  for (let t = 0; t < threads; ++t) {
    parts.push(shape("text", { class: "lane", x: 16, y: 26 + t * LANE + 16 }, `thread ${t + 1}`));
  }
  const clip = shape("g", {});
  for (const [node, start, took, thread] of events) {
    const x0 = Math.max(at(start), LEFT);
    const x1 = Math.min(at(start + took), width - 8);
    if (x1 < LEFT || x0 > width - 8) continue;
    const n = data.plans[plan].nodes[node];
    const w = Math.max(x1 - x0, 1);
    const y = 26 + thread * LANE;
    const bar = shape("rect", { class: node === selected ? "bar selected" : "bar", x: x0, y, width: w, height: LANE - 5, rx: Math.min(3, w / 2), fill: familyOf(n.op)[2], "data-node": node });
    bar.addEventListener("click", () => select(node, true));
    hover(bar, () => [...nodeTip(node), element("br"), `at ${duration(start)}, took ${duration(took)}`]);
    clip.append(bar);
    const label = w > 7 * n.short.length + 10 ? n.short : w > 7 * n.op.length + 10 ? n.op : "";
    if (label) clip.append(shape("text", { class: "in", x: x0 + 6, y: y + 15 }, label));
  }
  lanes.replaceChildren(...parts, clip);
}
function ticks(from, to, count) {
  const raw = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  const list = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) list.push(Math.abs(t) < step / 2 ? 0 : t);
  return list;
}

const tickText = (us) => (us === 0 ? "0" : duration(us).replace(/\.0+ /, " ").replace(/(\.\d*?)0+ /, "$1 "));

function hover(target, text) {
  const tip = byId("tip");
  target.addEventListener("pointermove", (e) => {
    tip.replaceChildren(...text());
    tip.hidden = false;
    const { width, height } = tip.getBoundingClientRect();
    tip.style.left = `${Math.min(e.clientX + 14, innerWidth - width - 8)}px`;
    tip.style.top = `${Math.min(e.clientY + 16, innerHeight - height - 8)}px`;
  });
  target.addEventListener("pointerleave", () => { tip.hidden = true; });
}

// ---- Everything together.

function showRun(i, node = null) {
  const samePlan = data.runs[i].plan === plan && nodeShapes.length;
  const keep = samePlan && selected >= 0 ? selected : -1;
  run = i;
  plan = data.runs[i].plan;
  window_ = null;
  summarise();
  drawGraph();
  if (samePlan) place();
  else begin();
  showRuns();
  showOps();
  showSteps();
  drawLanes();
  const wanted = node === null ? keep : data.plans[plan].nodes.findIndex((n) => n.name === node);
  if (wanted >= 0) select(wanted, node !== null);
  else {
    selected = -1;
    showNode();
  }
}

function find(text) {
  const wanted = text.trim().toLowerCase();
  const hits = data.plans[plan].nodes.map((n) => !wanted || n.name.toLowerCase().includes(wanted) || n.op.toLowerCase().includes(wanted));
  nodeShapes.forEach((s, i) => s.classList.toggle("dim", !hits[i]));
  edgeShapes.forEach((s) => s.classList.toggle("dim", Boolean(wanted)));
  return wanted ? hits.indexOf(true) : -1;
}

function typicalRun(p) {
  // The median: not the first, which compiles, nor one that something disturbed.
  const mine = data.runs.map((r, i) => [r.wall, i]).filter(([, i]) => data.runs[i].plan === p);
  mine.sort((a, b) => a[0] - b[0]);
  return mine[Math.floor(mine.length / 2)][1];
}

byId("plan").addEventListener("change", (e) => showRun(typicalRun(Number(e.target.value))));
byId("fit").addEventListener("click", fit);
const centre = () => { const r = graph.getBoundingClientRect(); return [r.width / 2, r.height / 2]; };
byId("closer").addEventListener("click", () => zoom(1.3, ...centre()));
byId("farther").addEventListener("click", () => zoom(1 / 1.3, ...centre()));
byId("search").addEventListener("input", (e) => find(e.target.value));
byId("search").addEventListener("keydown", (e) => {
  if (e.key !== "Enter") return;
  const hit = find(e.target.value);
  if (hit >= 0) select(hit, true);
});
document.querySelectorAll("nav button").forEach((b) => b.addEventListener("click", () => openTab(b.dataset.tab)));
graph.addEventListener("wheel", (e) => {
  e.preventDefault();
  const r = graph.getBoundingClientRect();
  zoom(Math.exp(-e.deltaY * 0.0015), e.clientX - r.left, e.clientY - r.top);
}, { passive: false });
draggable(graph, (dx, dy) => { view.x += dx; view.y += dy; place(); });
lanes.addEventListener("wheel", (e) => {
  e.preventDefault();
  const r = lanes.getBoundingClientRect();
  const part = Math.min(1, Math.max(0, (e.clientX - r.left - LEFT) / (r.width - LEFT - 16)));
  const span = window_[1] - window_[0];
  const next = Math.max(0.2, span * Math.exp(e.deltaY * 0.0015));
  window_ = [window_[0] + (span - next) * part, window_[1] - (span - next) * (1 - part)];
  drawLanes();
}, { passive: false });
draggable(lanes, (dx) => {
  const shift = (dx / (lanes.getBoundingClientRect().width - LEFT - 16)) * (window_[1] - window_[0]);
  window_ = [window_[0] - shift, window_[1] - shift];
  drawLanes();
});
byId("map").addEventListener("pointerdown", (e) => {
  const p = data.plans[plan];
  const r = byId("map").getBoundingClientRect();
  const g = graph.getBoundingClientRect();
  view.x = g.width / 2 - (((e.clientX - r.left) / r.width) * p.width) * view.scale;
  view.y = g.height / 2 - (((e.clientY - r.top) / r.height) * p.height) * view.scale;
  place();
});
window.addEventListener("resize", () => { drawMap(); begin(); drawLanes(); });

showHead();
const asked = new URLSearchParams(location.hash.slice(1));
// The plan in which most time went.
const cost = data.plans.map((p, i) => data.runs.reduce((n, r) => n + (r.plan === i ? r.wall : 0), 0));
const first = asked.has("run") ? Number(asked.get("run")) : typicalRun(cost.indexOf(Math.max(...cost)));
plan = data.runs[first].plan;
showRun(first, asked.get("node"));
document.body.dataset.ready = "yes";
