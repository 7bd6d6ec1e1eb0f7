// SPDX-License-Identifier: Apache-2.0
// The page of `tw trace`: values and helpers that all parts use, and its head.  Everything shown is in the
// element `data`.  The files trace*.js are one script, in the order of trace_page.py.
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
let stage = -1; // Of the plan's passes; -1: the graph that was executed.
let shown = null; // The graph, as graphOf returns it.
let selected = -1; // A node of it.
let chosen = null; // The selected unit, a node or a scope.
let times = []; // Of the run, per node of it: {total, count, bytes, first, outputs, bad}.
let kernels = 0; // Sum of the run's kernel times.

const executed = () => graphOf(data.plans[plan]);
const valueOf = (values, name, port) => values[`${name}:${port}`];
// Does a described value hold NaNs or infinite numbers?
const isBad = (v) => v[3] > 0 || v[1] === "-inf" || v[2] === "inf" || v[1] === "inf" || v[2] === "-inf";

function summarise() {
  const before = executed();
  shown = stage < 0 ? before : graphOf(data.plans[plan].stages[stage]);
  times = shown.nodes.map(() => ({ total: 0, count: 0, bytes: 0, first: null, outputs: NONE, bad: 0 }));
  kernels = 0;
  for (const [node, start, took, , bytes, outputs] of data.runs[run].events) {
    kernels += took;
    const place = shown === before ? node : numberOf(shown, before.nodes[node].name);
    if (place === undefined) continue;
    const t = times[place];
    t.total += took;
    t.count += 1;
    t.bytes += bytes;
    if (t.first === null) t.first = start;
    t.outputs = outputs;
  }
  for (const [tensor, value] of Object.entries(data.runs[run].values)) {
    if (!isBad(value)) continue;
    const place = numberOf(shown, tensor.slice(0, tensor.lastIndexOf(":")));
    if (place !== undefined) times[place].bad = 1;
  }
}

const brief = (x) => (typeof x === "number" && !Number.isInteger(x) ? String(Number(x.toPrecision(4))) : String(x));

// A value of --values in words: "float32[2,3]  -1 … 2.5  3 NaN".
function rangeText(v) {
  if (!v) return "";
  const nans = v[3] ? `, ${v[3].toLocaleString("en")} NaN` : "";
  return v[1] === null ? nans.slice(2) : v[1] === v[2] ? `all ${brief(v[1])}${nans}` : `${brief(v[1])} … ${brief(v[2])}${nans}`;
}
const firstText = (v) => (v && v[4].length ? `[${v[4].map(brief).join(", ")}${v[0].endsWith(`[${v[4].length}]`) || v[0].endsWith("[]") ? "" : ", …"}]` : "");

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
