// SPDX-License-Identifier: Apache-2.0
// The page of `tw inspect`: which body is shown, and what marks its nodes.

let body = -1; // The place of the shown body in data.bodies; -1: there is none.

// How bad a finding is, the worst first, as inspect_graph.py has it.
const LEVELS = [
  ["outside", "Reaches outside of the graph"],
  ["broken", "Will not load or run here"],
  ["costly", "May cost much memory or time"],
  ["note", "Worth knowing"],
];
const MARKS = { outside: "outside", broken: "broken", costly: "costly", touches: "touches" };
const NEEDS = ["blocking", "unbounded memory"];
// A finding about a node marks it; without one, that it touches something.
function markOf({ info }) {
  if (info.level && info.level !== "note") return info.level;
  return [...info.kinds, ...info.inner].some((kind) => !NEEDS.includes(kind)) ? "touches" : "";
}

const graphOfBody = () => data.graphs[body < 0 ? 0 : data.bodies[body].graph];

// Scopes with nodes that reach outside are opened first.
function weigh() {
  times = shown.nodes.map(({ info }) => {
    const outside = info.level === "outside" ? 1 : 0;
    return { total: outside, count: 1, bytes: 0, first: null, outputs: NONE, bad: outside };
  });
  kernels = 0;
}

// ---- What the graph's drawing asks for.

const markDrawn = () => markUnits((i) => markOf(shown.nodes[i]), MARKS);
const badgeOf = (u) => (u.bad > 1 ? `outside ${u.bad}` : "outside");
const afterChoice = () => {};
const legendNotes = () => [...LEVELS.slice(0, 3), ["touches", "Touches something, as models do"]].map(([level, title]) =>
  element("span", {}, element("i", { class: `ring ${level}` }), title.toLowerCase()));

function unitTip(u) {
  if (u.leaf === NO_LEAF) return [element("b", {}, u.path || u.label), ` ${u.count.toLocaleString("en")} nodes`];
  const n = shown.nodes[u.leaf];
  const all = [...new Set([...n.info.kinds, ...n.info.inner])];
  const kinds = all.length ? [element("br"), all.join(", ")] : [];
  return [element("b", {}, n.name), ` ${n.op}`, ...kinds];
}

const tensorName = (from, port) => (port < 0 ? `^${shown.nodes[from].name}` : `${shown.nodes[from].name}:${port}`);

function edgeTip(some, count) {
  const names = new Set(some.map((k) => tensorName(shown.edges[k], shown.edges[k + 2])));
  const lines = [...names].map((name) => element("div", {}, element("b", {}, name), name[0] === "^" ? " runs before" : ""));
  if (count > some.length) lines.push(element("div", {}, `and ${count - some.length} more edges`));
  return lines;
}
