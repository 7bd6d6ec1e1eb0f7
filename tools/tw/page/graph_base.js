// SPDX-License-Identifier: Apache-2.0
// The base of a page that draws a graph: `tw trace` and `tw inspect` make one each.  Everything shown is in the element `data`.
// The files of a page are one script, in the order of trace_page.py or inspect_page.py.
//
// The files graph_*.js serve both.  A page of its own defines:
//   data.ops, .devices, .stacks, .infos   tables, to which the nodes of a graph refer (graphOf)
//   data.types                            op -> {chain, kernels}, the lines behind it; {} if there are none
//   markDrawn()        marks what has been drawn      legendNotes()   the last parts of the legend
//   badgeOf(unit)      the text on a unit whose nodes are `bad`
//   unitTip(unit), edgeTip(places, count)             parts of a tip
//   showNode(), afterChoice()                         a unit was chosen
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
let shown = null; // The graph, as graphOf returns it.
let selected = -1; // A node of it.
let chosen = null; // The selected unit, a node or a scope.
let times = []; // Per node of it: {total, count, bytes, first, outputs, bad}; a page without times counts each node once.
let kernels = 0; // Sum of the run's kernel times; 0 without a run.
