// SPDX-License-Identifier: Apache-2.0
// The executed graph: drawn, moved, looked at from afar.

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
