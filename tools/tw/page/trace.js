// SPDX-License-Identifier: Apache-2.0
// The page of `tw trace`: which run and which plan are shown, their sums, and the page's head.

// What is shown.
let plan = 0;
let run = 0;
let stage = -1; // Of the plan's passes; -1: the graph that was executed.

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

// ---- What the graph's drawing asks for.

function legendNotes() {
  const what = byId("stageName");
  what.hidden = stage < 0;
  if (stage >= 0) what.textContent = `after ${data.plans[plan].stages[stage].pass}: show what was executed`;
  return [element("span", {}, "bar: share of the run")];
}

function markDrawn() {
  markChanges();
  markDifferences();
}

const badgeOf = () => "NaN";

function afterChoice() {
  document.querySelectorAll("#lanes rect.bar").forEach((r) => r.classList.toggle("selected", stage < 0 && Number(r.dataset.node) === selected));
  if (selected >= 0) history.replaceState(null, "", `#run=${run}&node=${encodeURIComponent(shown.nodes[selected].name)}`);
}
