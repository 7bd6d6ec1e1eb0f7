// SPDX-License-Identifier: Apache-2.0
// Places units: in rows, inputs above, few crossings.  An open unit is a box around its own layout.
//
// Rows come from the longest way to a unit; one without inputs stands right above its first reader.  Barycentres
// order the rows; then each row is moved to where its neighbours are, without overlap, by isotonic regression.

const NODE_HEIGHT = 44;
const ROW_GAP = 34;
const COLUMN_GAP = 18;
const HEAD = 26; // Of a box, for its name.
const PAD = 14;
const WIDEST = 1500; // A row that is wider goes on in another.
const THROUGH = 10; // The room of an edge that passes a row.

// Sets w, h and, of an open unit, the places of its children relative to its corner: x, y (centres), and routes.
function layoutUnits(u) {
  if (!u.open) {
    const label = shortLabel(u);
    const second = u.leaf === NO_LEAF ? 7.2 * `${u.count} nodes`.length + 60 : 62 + 6.2 * shown.nodes[u.leaf].op.length;
    u.w = Math.max(96, 30 + 7.3 * label.length + (u.leaf === NO_LEAF ? 14 : 0), second);
    u.h = NODE_HEIGHT;
    return;
  }
  u.children.forEach(layoutUnits);
  const numbers = new Map(u.children.map((c, i) => [c, i]));
  const links = [...linksOf(u).values()];
  const placed = layered(u.children, links.map((l) => [numbers.get(l.from), numbers.get(l.to)]));
  const head = u.parent ? HEAD : 0;
  const pad = u.parent ? PAD : 0;
  const wide = u.parent ? Math.max(placed.width, 40 + 7.3 * shortLabel(u).length) : placed.width;
  const shift = (wide - placed.width) / 2 + pad;
  u.children.forEach((c, i) => {
    c.x = placed.x[i] + shift;
    c.y = placed.y[i] + head + pad / 2;
  });
  links.forEach((l, i) => { l.route = placed.routes[i].map(([x, y]) => [x + shift, y + head + pad / 2]); });
  u.w = wide + 2 * pad;
  u.h = placed.height + head + 1.5 * pad;
}

function shortLabel(u) {
  if (u.label.length <= 28) return u.label;
  const parts = u.label.split("/");
  while (parts.length > 1) {
    parts.shift();
    const label = `…/${parts.join("/")}`;
    if (label.length <= 28) return label;
  }
  return `…${u.label.slice(-27)}`;
}

function layered(boxes, edges) {
  const n = boxes.length;
  const forward = withoutCycles(n, edges);
  const rowOf = splitWide(boxes, rowsOf(n, forward));
  const { rows, chains, size } = withPoints(boxes, rowOf, forward);
  const above = size.map(() => []);
  const below = size.map(() => []);
  chains.forEach((chain, e) => {
    const way = [forward[e][0], ...chain, forward[e][1]];
    for (let i = 1; i < way.length; ++i) {
      below[way[i - 1]].push(way[i]);
      above[way[i]].push(way[i - 1]);
    }
  });
  orderRows(rows, above, below);
  const x = placeRows(rows, size, above, below);
  const left = Math.min(...x.map((v, i) => v - size[i] / 2), Infinity);
  for (let i = 0; i < x.length; ++i) x[i] -= left;
  const y = new Array(size.length).fill(0);
  let top = 0;
  for (const row of rows) {
    const tall = Math.max(...row.map((i) => (i < n ? boxes[i].h : 0)), 8);
    for (const i of row) y[i] = top + tall / 2;
    top += tall + ROW_GAP;
  }
  const routes = edges.map((edge, e) => {
    const [u, v] = forward[e];
    const points = [[x[u], y[u] + boxes[u].h / 2], ...chains[e].map((p) => [x[p], y[p]]), [x[v], y[v] - boxes[v].h / 2]];
    return edge[0] === u ? points : points.reverse();
  });
  const width = Math.max(...x.map((v, i) => v + size[i] / 2), 0);
  return { x, y, routes, width, height: Math.max(top - ROW_GAP, 0) };
}

function neighbours(n, edges) {
  const out = Array.from({ length: n }, () => []);
  for (const [u, v] of edges) out[u].push(v);
  return out;
}

// The edges, with those turned round that lead back in a loop.
function withoutCycles(n, edges) {
  const out = neighbours(n, edges);
  const state = new Uint8Array(n); // 1: on the way from the root, 2: done.
  const back = new Set();
  for (let root = 0; root < n; ++root) {
    if (state[root]) continue;
    const stack = [[root, 0]];
    state[root] = 1;
    while (stack.length) {
      const top = stack[stack.length - 1];
      const v = out[top[0]][top[1]++];
      if (v === undefined) {
        state[top[0]] = 2;
        stack.pop();
      } else if (state[v] === 1) {
        back.add(top[0] * n + v);
      } else if (state[v] === 0) {
        state[v] = 1;
        stack.push([v, 0]);
      }
    }
  }
  return edges.map(([u, v]) => (back.has(u * n + v) ? [v, u] : [u, v]));
}

function rowsOf(n, edges) {
  const out = neighbours(n, edges);
  const waiting = new Int32Array(n);
  for (const [, v] of edges) ++waiting[v];
  const row = new Array(n).fill(0);
  const sources = [];
  for (let i = 0; i < n; ++i) if (!waiting[i]) sources.push(i);
  const queue = [...sources];
  for (let head = 0; head < queue.length; ++head) {
    for (const v of out[queue[head]]) {
      row[v] = Math.max(row[v], row[queue[head]] + 1);
      if (--waiting[v] === 0) queue.push(v);
    }
  }
  for (const u of sources) if (out[u].length) row[u] = Math.min(...out[u].map((v) => row[v])) - 1;
  const lowest = Math.min(...row, 0);
  return row.map((r) => r - lowest);
}

// Rows that are too wide become several: their units do not read each other.
function splitWide(boxes, rowOf) {
  const widths = new Map();
  const piece = rowOf.map((r, i) => {
    const now = widths.get(r) || { at: 0, piece: 0 };
    if (now.at > 0 && now.at + boxes[i].w > WIDEST) {
      now.at = 0;
      ++now.piece;
    }
    now.at += boxes[i].w + COLUMN_GAP;
    widths.set(r, now);
    return now.piece;
  });
  const keys = [...new Set(rowOf.map((r, i) => r * 4096 + piece[i]))].sort((a, b) => a - b);
  const numbers = new Map(keys.map((k, i) => [k, i]));
  return rowOf.map((r, i) => numbers.get(r * 4096 + piece[i]));
}

// Rows of boxes and of points, numbered after them, through which long edges pass.
function withPoints(boxes, rowOf, edges) {
  const rows = Array.from({ length: Math.max(...rowOf, -1) + 1 }, () => []);
  rowOf.forEach((r, i) => rows[r].push(i));
  const size = boxes.map((b) => b.w);
  const chains = edges.map(([u, v]) => {
    const chain = [];
    for (let r = rowOf[u] + 1; r < rowOf[v]; ++r) {
      rows[r].push(size.length);
      chain.push(size.length);
      size.push(THROUGH);
    }
    return chain;
  });
  return { rows, chains, size };
}

function orderRows(rows, above, below) {
  const position = [];
  const renumber = (row) => row.forEach((node, i) => { position[node] = i - (row.length - 1) / 2; });
  rows.forEach(renumber);
  for (let sweep = 0; sweep < 10; ++sweep) {
    const down = sweep % 2 === 0;
    const near = down ? above : below;
    for (const row of down ? rows : [...rows].reverse()) {
      const key = new Map(row.map((node) => {
        const all = near[node];
        return [node, all.length ? all.reduce((s, m) => s + position[m], 0) / all.length : position[node]];
      }));
      row.sort((a, b) => key.get(a) - key.get(b));
      renumber(row);
    }
  }
}

function placeRows(rows, size, above, below) {
  const x = new Array(size.length).fill(0);
  for (const row of rows) {
    const total = row.reduce((s, node) => s + size[node] + COLUMN_GAP, 0);
    let at = -total / 2;
    for (const node of row) {
      x[node] = at + size[node] / 2;
      at += size[node] + COLUMN_GAP;
    }
  }
  for (let sweep = 0; sweep < 14; ++sweep) {
    const near = sweep % 2 === 0 ? above : below;
    for (const row of sweep % 2 === 0 ? rows : [...rows].reverse()) {
      const wanted = row.map((node) => {
        const places = near[node].length ? near[node].map((m) => x[m]).sort((a, b) => a - b) : [x[node]];
        const half = places.length >> 1;
        return (places[half] + places[places.length - 1 - half]) / 2;
      });
      apart(row, wanted, size).forEach((at, i) => { x[row[i]] = at; });
    }
  }
  return x;
}

// The places nearest to `wanted` without overlap.  With the room that boxes need taken off, places must only not
// decrease: blocks that would are pooled at their mean.
function apart(row, wanted, size) {
  let shift = 0;
  const shifts = row.map((node, i) => {
    if (i) shift += (size[row[i - 1]] + size[node]) / 2 + COLUMN_GAP;
    return shift;
  });
  const blocks = []; // [sum, count]
  wanted.forEach((place, i) => {
    blocks.push([place - shifts[i], 1]);
    while (blocks.length > 1) {
      const [sum, count] = blocks[blocks.length - 1];
      const before = blocks[blocks.length - 2];
      if (before[0] * count <= sum * before[1]) break;
      before[0] += sum;
      before[1] += count;
      blocks.pop();
    }
  });
  const means = blocks.flatMap(([sum, count]) => new Array(count).fill(sum / count));
  return means.map((mean, i) => mean + shifts[i]);
}
