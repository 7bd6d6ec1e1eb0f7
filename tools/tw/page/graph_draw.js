// SPDX-License-Identifier: Apache-2.0
// The graph: drawn, moved, folded and opened, looked at from afar.

const graph = byId("graph");
let view = { x: 0, y: 0, scale: 1 };
let drawn = new Map(); // unit -> its shape
// A scale at which names can be read.
const READABLE = 0.75;

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
  const arrow = (id) => {
    const m = shape("marker", { id, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto", class: id });
    m.append(shape("path", { d: "M0,0.5 L8,4 L0,7.5 z" }));
    return m;
  };
  const defs = shape("defs", {});
  defs.append(arrow("tip-edge"), arrow("near"));
  const world = shape("g", { id: "world" });
  drawn = new Map();
  shown.root.gx = shown.root.w / 2;
  shown.root.gy = shown.root.h / 2;
  drawUnit(shown.root, world);
  world.append(shape("g", { id: "overlay" }));
  graph.replaceChildren(defs, world);
  drawLegend();
  drawMap();
  markDrawn();
  highlight();
}

function drawUnit(u, world) {
  if (!u.open) {
    drawn.set(u, drawFolded(u, world));
    return;
  }
  const left = u.gx - u.w / 2;
  const top = u.gy - u.h / 2;
  if (u.parent) drawn.set(u, drawBox(u, left, top, world));
  for (const link of linksOf(u).values()) {
    const path = shape("path", {
      d: curve(link.route.map(([x, y]) => [x + left, y + top])),
      class: link.control ? "edge control" : "edge",
      "stroke-width": 1.1 + 0.5 * Math.log2(link.count),
      "marker-end": "url(#tip-edge)",
    });
    hover(path, () => edgeTip(link.some, link.count));
    world.append(path);
  }
  for (const child of u.children) {
    child.gx = left + child.x;
    child.gy = top + child.y;
    drawUnit(child, world);
  }
}

function drawBox(u, left, top, world) {
  const g = shape("g", { class: "box", "data-scope": u.path, transform: `translate(${left},${top})` });
  g.append(shape("rect", { width: u.w, height: u.h, rx: 10 }));
  const button = shape("g", { class: "fold", transform: "translate(8,6)" });
  button.append(shape("rect", { width: 16, height: 16, rx: 4 }), shape("path", { d: "M4,8 H12" }));
  button.addEventListener("click", (e) => { e.stopPropagation(); toggle(u); });
  g.append(button, shape("text", { x: 30, y: 18 }, shortLabel(u)));
  g.addEventListener("click", () => choose(u));
  world.append(g);
  return g;
}

// The family in which most time of a unit went, or to which most of its nodes belong.
function familyOfUnit(u) {
  if (!u.family) u.family = findFamily(u);
  return u.family;
}
function findFamily(u) {
  if (u.leaf !== NO_LEAF) return familyOf(shown.nodes[u.leaf].op);
  const sums = new Map();
  eachLeaf(u, (i) => {
    const family = familyOf(shown.nodes[i].op);
    sums.set(family, (sums.get(family) || 0) + (u.total ? times[i].total : 1));
  });
  return [...sums].sort((a, b) => b[1] - a[1])[0][0];
}

function eachLeaf(u, tell) {
  const stack = [u];
  while (stack.length) {
    const top = stack.pop();
    if (top.leaf !== NO_LEAF) tell(top.leaf);
    else for (let i = top.children.length - 1; i >= 0; --i) stack.push(top.children[i]);
  }
}

function drawFolded(u, world) {
  const share = kernels ? u.total / kernels : 0;
  const family = familyOfUnit(u);
  const colour = family[2];
  const isScope = u.leaf === NO_LEAF;
  const g = shape("g", {
    class: `node${u.calls ? "" : " idle"}${isScope ? " scope" : ""}`,
    transform: `translate(${u.gx - u.w / 2},${u.gy - u.h / 2})`,
    [isScope ? "data-scope" : "data-name"]: isScope ? u.path : shown.nodes[u.leaf].name,
    style: `--family:${colour}`,
    tabindex: -1,
  });
  if (isScope) for (const off of [6, 3]) g.append(shape("rect", { class: "under", x: off, y: off, width: u.w, height: u.h, rx: 6 }));
  g.append(shape("rect", { class: "body", width: u.w, height: u.h, rx: 6 }));
  g.append(shape("rect", { x: 0, y: 0, width: 5, height: u.h, rx: 2.5, fill: colour }));
  if (share > 0) {
    // The bar at the foot is the unit's share of the run.
    const room = u.w - 14;
    g.append(shape("rect", { x: 9, y: u.h - 6, width: room, height: 3, rx: 1.5, fill: colour, opacity: 0.16 }));
    g.append(shape("rect", { x: 9, y: u.h - 6, width: Math.max(1.5, room * Math.min(1, share)), height: 3, rx: 1.5, fill: colour }));
  }
  g.append(shape("text", { class: "label", x: 13, y: 17 }, shortLabel(u)));
  g.append(shape("text", { class: "op", x: 13, y: 31 }, isScope ? `${u.count.toLocaleString("en")} nodes` : shown.nodes[u.leaf].op));
  if (share >= 0.01) g.append(shape("text", { class: "share", x: u.w - 6, y: 31 }, percent(share)));
  if (isScope) {
    const button = shape("g", { class: "fold", transform: `translate(${u.w - 21},5)` });
    button.append(shape("rect", { width: 16, height: 16, rx: 4 }), shape("path", { d: "M4,8 H12 M8,4 V12" }));
    button.addEventListener("click", (e) => { e.stopPropagation(); toggle(u); });
    g.append(button);
    g.addEventListener("dblclick", () => toggle(u));
  }
  if (u.bad) {
    const text = badgeOf(u);
    const width = 16 + 6 * text.length;
    const badge = shape("g", { class: "bad", transform: `translate(${u.w + 20 - width},-9)` });
    badge.append(shape("rect", { width, height: 16, rx: 8 }), shape("text", { x: width / 2, y: 12 }, text));
    g.append(badge);
  }
  g.addEventListener("click", () => choose(u));
  hover(g, () => unitTip(u));
  world.append(g);
  return g;
}

// Opens a folded scope, or folds an open one; what was under the pointer stays there.
function toggle(u) {
  const before = [u.gx * view.scale + view.x, (u.gy - u.h / 2) * view.scale + view.y];
  u.open = !u.open;
  layoutUnits(shown.root);
  drawGraph();
  view.x = before[0] - u.gx * view.scale;
  view.y = before[1] - (u.gy - u.h / 2) * view.scale;
  byId("tip").hidden = true;
  place();
}

// Opens all scopes around a unit; true if it was hidden.
function uncover(u) {
  let hidden = false;
  for (let up = u.parent; up; up = up.parent) {
    if (!up.open) hidden = up.open = true;
  }
  if (hidden) {
    layoutUnits(shown.root);
    drawGraph();
    place();
  }
  return hidden;
}

function drawLegend() {
  const used = new Set([...new Set(shown.nodes.map((n) => n.op))].map(familyOf));
  byId("legend").replaceChildren(
    ...[...FAMILIES, OTHER, YOURS].filter((f) => used.has(f)).map((f) =>
      element("span", {}, element("i", { style: `background:${f[2]}` }), f[0])),
    ...legendNotes(),
  );
}

function place() {
  byId("world").setAttribute("transform", `translate(${view.x},${view.y}) scale(${view.scale})`);
  graph.classList.toggle("far", view.scale < 0.35);
  const { width, height } = graph.getBoundingClientRect();
  const frame = byId("map").querySelector(".frame");
  if (!frame) return;
  byId("map").style.display = shown.root.w * view.scale > width || shown.root.h * view.scale > height ? "" : "none";
  for (const [key, value] of Object.entries({ x: -view.x / view.scale, y: -view.y / view.scale, width: width / view.scale, height: height / view.scale })) {
    frame.setAttribute(key, value);
  }
}
function fitScale(root = shown.root) {
  const { width, height } = graph.getBoundingClientRect();
  return Math.min((width - 48) / Math.max(root.w, 1), (height - 104) / Math.max(root.h, 1), 1.15);
}
// Opens as much of the graph as can be read as a whole.
function begin() {
  unfoldToFit(shown, (root) => fitScale(root) >= READABLE);
  drawGraph();
  fit();
}
function drawMap() {
  const map = byId("map");
  const { w, h } = shown.root;
  const k = Math.min(170 / w, 160 / h);
  map.setAttribute("width", w * k);
  map.setAttribute("height", h * k);
  map.setAttribute("viewBox", `0 0 ${w} ${h}`);
  const rects = [];
  for (const u of drawn.keys()) {
    if (!u.open) rects.push(shape("rect", { x: u.gx - u.w / 2, y: u.gy - u.h / 2, width: u.w, height: Math.max(u.h, 3 / k), fill: familyOfUnit(u)[2] }));
  }
  map.replaceChildren(...rects, shape("rect", { class: "frame", "stroke-width": 1.5 / k }));
}
function fit() {
  const { width, height } = graph.getBoundingClientRect();
  const scale = fitScale();
  const { w, h } = shown.root;
  view = { scale, x: (width - w * scale) / 2, y: 56 + Math.max(0, (height - 104 - h * scale) / 2) };
  place();
}
// Centres a unit at a size at which it can be read.
function reveal(u) {
  const { width, height } = graph.getBoundingClientRect();
  const scale = Math.max(view.scale, 0.8);
  view = { scale, x: width / 2 - u.gx * scale, y: height / 2 - u.gy * scale };
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
