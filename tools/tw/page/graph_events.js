// SPDX-License-Identifier: Apache-2.0
// What the pointer and the keys do to the graph: tips, the search, moving, zooming, the map.

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

function find(text) {
  const wanted = text.trim().toLowerCase();
  const hits = shown.nodes.map((n) => !wanted || n.name.toLowerCase().includes(wanted) || n.op.toLowerCase().includes(wanted));
  const units = new Set();
  hits.forEach((hit, i) => { if (hit) units.add(drawnFor(shown.leaves[i])); });
  for (const [u, s] of drawn) if (!u.open) s.classList.toggle("dim", Boolean(wanted) && !units.has(u));
  graph.classList.toggle("searching", Boolean(wanted));
  return wanted ? hits.indexOf(true) : -1;
}

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
byId("map").addEventListener("pointerdown", (e) => {
  const { w, h } = shown.root;
  const r = byId("map").getBoundingClientRect();
  const g = graph.getBoundingClientRect();
  view.x = g.width / 2 - (((e.clientX - r.left) / r.width) * w) * view.scale;
  view.y = g.height / 2 - (((e.clientY - r.top) / r.height) * h) * view.scale;
  place();
});
window.addEventListener("resize", begin);
