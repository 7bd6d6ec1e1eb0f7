// SPDX-License-Identifier: Apache-2.0
// Choosing a unit of the graph, marking units, and the parts of a panel that tell about them.

// Selects a node by its number; `show` brings it into the view.
function select(i, show = false) {
  choose(shown.leaves[i], show);
}

function choose(u, show = false) {
  chosen = u;
  selected = u ? u.leaf : -1;
  const hidden = u ? uncover(u) : false;
  highlight();
  afterChoice();
  showNode();
  openTab("node");
  if (u && (show || hidden)) reveal(u);
}

// Marks the selected unit, and draws its edges to what is drawn at their other ends.
function highlight() {
  const overlay = byId("overlay");
  overlay.replaceChildren();
  for (const [u, s] of drawn) s.classList.toggle("selected", u === chosen);
  if (!chosen || !drawn.has(chosen)) return;
  const ends = new Map();
  for (const [from, to, k] of edgesAt(chosen)) {
    const a = drawnFor(shown.leaves[from]);
    const b = drawnFor(shown.leaves[to]);
    const key = a.id * 1e7 + b.id;
    if (!ends.has(key)) ends.set(key, [a, b, []]);
    ends.get(key)[2].push(k);
  }
  for (const [a, b, some] of [...ends.values()].slice(0, 200)) {
    const path = shape("path", { class: "edge near", d: curve([[a.gx, a.gy + a.h / 2], [b.gx, b.gy - b.h / 2]]), "marker-end": "url(#near)" });
    hover(path, () => edgeTip(some, some.length));
    overlay.append(path);
  }
}

// [from, to, place in edges] of the edges that enter or leave a unit.
function edgesAt(u) {
  const inside = new Set();
  eachLeaf(u, (i) => inside.add(i));
  const found = [];
  for (let k = 0; k < shown.edges.length; k += 3) {
    const [from, to] = [shown.edges[k], shown.edges[k + 1]];
    if (inside.has(from) !== inside.has(to)) found.push([from, to, k]);
  }
  return found;
}

// Gives each drawn unit the class of the signs that `signOf` tells of its nodes.
function markUnits(signOf, classes) {
  const found = new Map();
  shown.nodes.forEach((n, i) => {
    const sign = signOf(i);
    if (!classes[sign]) return;
    const u = drawnFor(shown.leaves[i]);
    if (!found.has(u)) found.set(u, new Set());
    found.get(u).add(classes[sign]);
  });
  for (const [u, names] of found) if (drawn.has(u)) drawn.get(u).classList.add(...names);
}

// ---- Parts of a panel.

// The scopes around a unit, each a button.
function crumbs(u) {
  const ups = [];
  for (let up = u.parent; up && up.parent; up = up.parent) ups.unshift(up);
  if (!ups.length) return null;
  return element("div", { class: "links crumbs" }, "in ", ...ups.map((up) => element("button", { onclick: () => choose(up, true) }, up.label)));
}

const foldButton = (u) => element("div", { class: "links" }, element("button", { onclick: () => { toggle(u); showNode(); } }, u.open ? "Fold" : "Open"));

// The ops inside a scope.
function opParts(u) {
  const ops = new Map();
  eachLeaf(u, (i) => ops.set(shown.nodes[i].op, (ops.get(shown.nodes[i].op) || 0) + 1));
  const texts = [...ops].sort((a, b) => b[1] - a[1]).map(([op, n]) => (n > 1 ? `${op} ${n}` : op));
  return [element("h3", {}, "Ops"), element("p", { class: "ops" }, texts.join(", "))];
}

// What a scope reads, and what uses it.
function neighbourParts(u) {
  const near = { in: new Set(), out: new Set() };
  for (const [from, to] of edgesAt(u)) {
    const inside = isWithin(shown.leaves[from], u);
    (inside ? near.out : near.in).add(drawnFor(shown.leaves[inside ? to : from]));
  }
  return [["Reads", near.in], ["Used by", near.out]].flatMap(([title, units]) => (units.size ? [element("h3", {}, title), unitLinks([...units])] : []));
}
function isWithin(u, scope) {
  for (let up = u; up; up = up.parent) if (up === scope) return true;
  return false;
}
const unitLinks = (units) => element("div", { class: "links" }, ...units.slice(0, 40).map((u) =>
  element("button", { onclick: () => choose(u, true) }, u.leaf === NO_LEAF ? u.path || u.label : shown.nodes[u.leaf].name)));

function table(heads, rows) {
  const head = element("tr", {}, ...heads.map((h) => element("th", { class: h.startsWith("#") ? "n" : null }, h.replace("#", ""))));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}
const barUnder = (share, colour) => element("div", { class: "bar", style: `width:${Math.max(0.5, share * 100)}%;background:${colour}` });

function openTab(name) {
  document.querySelectorAll("nav button").forEach((b) => b.setAttribute("aria-selected", b.dataset.tab === name));
  document.querySelectorAll(".tab").forEach((t) => { t.hidden = t.id !== name; });
}
