// SPDX-License-Identifier: Apache-2.0
// The nodes of a graph as a tree of name scopes, whose units are drawn folded or open.
//
// A unit is a node (`leaf` is its number) or a scope.  A scope with more children than can be read is cut into
// pieces of neighbours, which are units too.

const NO_LEAF = -1;
const NONE = [];
let unitCount = 0;

// `inner`: the edges whose innermost unit this is; an open unit draws them as links between its children.
function unit(label, path, leaf) {
  const isLeaf = leaf !== NO_LEAF;
  return {
    id: ++unitCount, label, path, leaf, parent: null, children: isLeaf ? NONE : [], open: false, depth: 0,
    count: isLeaf ? 1 : 0, sum: 0, total: 0, calls: 0, bad: 0, inner: isLeaf ? NONE : [], links: null, family: null,
  };
}

// The nodes of a plan, or of a stage of it, once unpacked: {nodes, edges, order, root, leaves}.
const unpacked = new Map();
function graphOf(source) {
  if (!unpacked.has(source)) {
    const nodes = source.nodes.map(([name, op, device, stack, info]) => ({
      name, op: data.ops[op], device: data.devices[device], stack: data.stacks[stack], info: data.infos[info],
    }));
    const g = { nodes, edges: source.edges, root: null, leaves: [] };
    g.order = topologicalOrder(nodes.length, g.edges);
    g.scopes = scopesOf(g);
    unpacked.set(source, g);
  }
  return unpacked.get(source);
}

// The number of the node of that name, or undefined.
function numberOf(g, name) {
  if (!g.numbers) g.numbers = new Map(g.nodes.map((n, i) => [n.name, i]));
  return g.numbers.get(name);
}

// The place of each node in an order in which it stands behind its inputs, the last of them right before it.
function topologicalOrder(n, edges) {
  const begin = new Int32Array(n + 1);
  for (let k = 0; k < edges.length; k += 3) ++begin[edges[k + 1] + 1];
  for (let i = 0; i < n; ++i) begin[i + 1] += begin[i];
  const inputs = new Int32Array(edges.length / 3);
  const at = begin.slice();
  for (let k = 0; k < edges.length; k += 3) inputs[at[edges[k + 1]]++] = edges[k];
  const order = new Int32Array(n).fill(-1);
  const next = begin.slice();
  const waits = new Uint8Array(n); // A node that is met again waits for itself: it is in a loop.
  let placed = 0;
  const stack = [];
  for (let start = 0; start < n; ++start) {
    if (order[start] >= 0) continue;
    stack.push(start);
    waits[start] = 1;
    while (stack.length) {
      const u = stack[stack.length - 1];
      if (next[u] < begin[u + 1]) {
        const input = inputs[next[u]++];
        if (order[input] >= 0 || waits[input]) continue;
        waits[input] = 1;
        stack.push(input);
      } else {
        order[u] = placed++;
        stack.pop();
      }
    }
  }
  return order;
}

// The tree of names alone: {label, path, kids, leaf}.
function scopesOf(g) {
  const scopes = new Map([["", { kids: [], path: "", leaf: NO_LEAF, label: "" }]]);
  const scopeAt = (path) => {
    let scope = scopes.get(path);
    if (!scope) {
      // A stranger's name may begin with "/".
      const cut = path.length < 2 ? 0 : path.lastIndexOf("/", path.length - 2) + 1;
      scope = { kids: [], path, leaf: NO_LEAF, label: path.slice(cut, -1) };
      scopes.set(path, scope);
      scopeAt(path.slice(0, cut)).kids.push(scope);
    }
    return scope;
  };
  g.nodes.forEach(({ name }, i) => {
    const cut = name.lastIndexOf("/") + 1;
    scopeAt(name.slice(0, cut)).kids.push({ kids: NONE, path: name, leaf: i, label: name.slice(cut) });
  });
  return scopes.get("");
}

// At most so many children has a scope.
const LIMIT = 24;

// Makes the units of a graph, all folded but the root, whose children are not cut into pieces yet.
function makeUnits(g) {
  g.leaves = new Array(g.nodes.length);
  g.root = unitOf(g, g.scopes);
  g.root.open = true;
  g.children = g.root.children;
  collectEdges(g);
}

// Cuts the children of the root into at most about `limit` pieces.
function cutRoot(g, limit) {
  const r = g.root;
  r.count = r.sum = r.total = r.calls = r.bad = 0;
  const raw = new Set(g.children);
  adopt(r, crowd([...g.children], limit));
  const settle = (u, depth) => {
    u.depth = depth;
    if (raw.has(u)) return;
    u.inner = [];
    u.links = null;
    for (const child of u.children) settle(child, depth + 1);
  };
  settle(r, 0);
  // The depths below the root's own children stay what they were: between two of those only the pieces count.
  for (let j = 0; j < g.outer.length; j += 3) innermost(g.outer[j], g.outer[j + 1]).inner.push(g.outer[j + 2]);
}

function innermost(a, b) {
  while (a.parent !== b.parent) {
    if (a.depth >= b.depth) a = a.parent;
    else b = b.parent;
  }
  return a.parent;
}

// Each edge belongs to the innermost unit that has both ends; `outer` has those of the root: from, to, place.
function collectEdges(g) {
  const stack = [g.root];
  while (stack.length) {
    const u = stack.pop();
    for (const child of u.children) {
      child.depth = u.depth + 1;
      if (child.leaf === NO_LEAF) stack.push(child);
    }
  }
  g.outer = [];
  for (let k = 0; k < g.edges.length; k += 3) {
    let a = g.leaves[g.edges[k]];
    let b = g.leaves[g.edges[k + 1]];
    if (a === b) continue;
    while (a.parent !== b.parent) {
      if (a.depth >= b.depth) a = a.parent;
      else b = b.parent;
    }
    if (a.parent === g.root) g.outer.push(a, b, k);
    else a.parent.inner.push(k);
  }
}

// The links between the children of a unit: {from, to, count, control, some: places of edges}.
function linksOf(u) {
  if (u.links) return u.links;
  u.links = new Map();
  for (const k of u.inner) {
    const a = childOf(u, shown.leaves[shown.edges[k]]);
    const b = childOf(u, shown.leaves[shown.edges[k + 1]]);
    const key = `${a.id},${b.id}`;
    let link = u.links.get(key);
    if (!link) u.links.set(key, (link = { from: a, to: b, count: 0, control: true, some: [] }));
    ++link.count;
    if (shown.edges[k + 2] >= 0) link.control = false;
    if (link.some.length < 5) link.some.push(k);
  }
  return u.links;
}
function childOf(u, below) {
  let child = below;
  while (child.parent !== u) child = child.parent;
  return child;
}

function unitOf(g, scope) {
  if (scope.leaf !== NO_LEAF) {
    const u = unit(scope.label, scope.path, scope.leaf);
    u.sum = g.order[scope.leaf];
    g.leaves[scope.leaf] = u;
    return u;
  }
  // A scope of one thing is that thing with a longer label.
  if (scope !== g.scopes && scope.kids.length === 1) {
    const only = unitOf(g, scope.kids[0]);
    only.label = `${scope.label}/${only.label}`;
    return only;
  }
  const u = unit(scope.label, scope.path, NO_LEAF);
  const children = scope.kids.map((kid) => unitOf(g, kid));
  adopt(u, scope === g.scopes ? children : crowd(children, LIMIT));
  return u;
}

function adopt(u, children) {
  u.children = children;
  for (const child of children) {
    child.parent = u;
    u.count += child.count;
    u.sum += child.sum;
    u.total += child.total;
    u.calls += child.calls;
    u.bad += child.bad;
  }
}

// Cuts many children into pieces of neighbours in the order of execution.
function crowd(children, limit) {
  // A scope stands where most of its nodes do.
  children.sort((a, b) => a.sum / a.count - b.sum / b.count);
  if (children.length <= limit) return children;
  const size = Math.ceil(children.length / Math.max(2, Math.min(limit, Math.ceil(children.length / limit))));
  const pieces = [];
  for (let i = 0; i < children.length; i += size) {
    const members = children.slice(i, i + size);
    if (members.length === 1) {
      pieces.push(members[0]);
      continue;
    }
    const bases = new Set(members.map((m) => m.label.replace(/_\d+$/, "")));
    const ends = `${members[0].label} … ${members[members.length - 1].label}`;
    const piece = unit(bases.size === 1 ? `${[...bases][0]} … ${members[members.length - 1].label}` : ends, "", NO_LEAF);
    adopt(piece, crowd(members, limit));
    pieces.push(piece);
  }
  return pieces;
}

// Sums what `times` says of the nodes up to the root.
function sumUnits(u) {
  u.family = null;
  if (u.leaf !== NO_LEAF) {
    const t = times[u.leaf];
    u.total = t.total;
    u.calls = t.count;
    u.bad = t.bad;
    return;
  }
  u.total = u.calls = u.bad = 0;
  for (const child of u.children) {
    sumUnits(child);
    u.total += child.total;
    u.calls += child.calls;
    u.bad += child.bad;
  }
}

// The folded unit, or node, that is drawn for a node.
function drawnFor(u) {
  let drawn = u;
  for (let up = u.parent; up; up = up.parent) if (!up.open) drawn = up;
  return drawn;
}

function visit(u, tell) {
  tell(u);
  if (u.open) for (const child of u.children) visit(child, tell);
}

// Folds and opens units until the graph can be read as a whole, with as much of it as then fits.
function unfoldToFit(g, fits) {
  if (!g.root) makeUnits(g);
  const open = [];
  visit(g.root, (u) => { if (u !== g.root) open.push(u); });
  for (const u of open) u.open = false;
  sumUnits(g.root);
  for (const limit of [LIMIT, 16, 11, 8, 6, 4]) {
    cutRoot(g, limit);
    layoutUnits(g.root);
    if (fits(g.root)) break;
  }
  const refused = new Set();
  for (let tries = 0; tries < 30; ++tries) {
    let best = null;
    let drawn = 0;
    visit(g.root, (u) => {
      ++drawn;
      if (u.open || u.leaf !== NO_LEAF || refused.has(u)) return;
      if (!best || u.total > best.total || (u.total === best.total && u.count > best.count)) best = u;
    });
    if (!best || drawn > 60) return;
    best.open = true;
    layoutUnits(g.root);
    if (fits(g.root)) continue;
    best.open = false;
    refused.add(best);
    layoutUnits(g.root);
  }
}
