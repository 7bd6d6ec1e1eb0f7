// SPDX-License-Identifier: Apache-2.0
// The timeline of a run, and what holds the page together.

const lanes = byId("lanes");
const LANE = 26;
const LEFT = 92;
let window_ = null; // [from, to] in microseconds.

function drawLanes() {
  const { events, wall } = data.runs[run];
  const threads = Math.min(24, events.reduce((m, e) => Math.max(m, e[3]), 0) + 1);
  const first = events.reduce((m, e) => Math.min(m, e[1]), Infinity);
  const last = events.reduce((m, e) => Math.max(m, e[1] + e[2]), -Infinity);
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
  // The first of the bars that fall on one pixel is drawn.
  const covered = new Array(threads).fill(-1);
  for (const [node, start, took, thread] of events) {
    const x0 = Math.max(at(start), LEFT);
    const x1 = Math.min(at(start + took), width - 8);
    if (x1 < LEFT || x0 > width - 8 || thread >= threads || x1 < covered[thread]) continue;
    const n = executed().nodes[node];
    const w = Math.max(x1 - x0, 1);
    covered[thread] = x0 + w;
    const y = 26 + thread * LANE;
    const bar = shape("rect", { class: stage < 0 && node === selected ? "bar selected" : "bar", x: x0, y, width: w, height: LANE - 5, rx: Math.min(3, w / 2), fill: familyOf(n.op)[2], "data-node": node });
    bar.addEventListener("click", () => {
      if (stage >= 0) showExecuted();
      select(node, true);
    });
    hover(bar, () => [element("b", {}, n.name), ` ${n.op}`, element("br"), `at ${duration(start)}, took ${duration(took)}`]);
    clip.append(bar);
    const label = w > 7 * n.name.length + 10 ? n.name : w > 7 * n.op.length + 10 ? n.op : "";
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

// ---- Everything together.

function showRun(i, node = null) {
  const samePlan = data.runs[i].plan === plan && shown;
  run = i;
  plan = data.runs[i].plan;
  if (!samePlan) stage = -1;
  window_ = null;
  other = null;
  summarise();
  if (samePlan) {
    sumUnits(shown.root);
    drawGraph();
    place();
  } else {
    chosen = null;
    begin();
  }
  selected = chosen ? chosen.leaf : -1;
  showRuns();
  showOps();
  showSteps();
  showPasses();
  showCompare();
  drawLanes();
  const wanted = node === null ? undefined : numberOf(shown, node);
  if (wanted !== undefined) select(wanted, true);
  else showNode();
}

function typicalRun(p) {
  // The median: not the first, which compiles, nor one that something disturbed.
  const mine = data.runs.map((r, i) => [r.wall, i]).filter(([, i]) => data.runs[i].plan === p);
  mine.sort((a, b) => a[0] - b[0]);
  return mine[Math.floor(mine.length / 2)][1];
}

byId("plan").addEventListener("change", (e) => showRun(typicalRun(Number(e.target.value))));
byId("stageName").addEventListener("click", showExecuted);
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
window.addEventListener("resize", drawLanes);

showHead();
const asked = new URLSearchParams(location.hash.slice(1));
// The plan in which most time went.
const cost = data.plans.map((p, i) => data.runs.reduce((n, r) => n + (r.plan === i ? r.wall : 0), 0));
const first = asked.has("run") ? Number(asked.get("run")) : typicalRun(cost.indexOf(Math.max(...cost)));
plan = data.runs[first].plan;
showRun(first, asked.get("node"));
if (data.others.length && comparable().length) {
  // The page was asked for to compare with another trace.
  compareWith(comparable()[0][0]);
  openTab("compare");
}
document.body.dataset.ready = "yes";
