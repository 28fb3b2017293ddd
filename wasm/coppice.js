// The K best trees of a directed graph, in browsers and Node: the C++ library as WebAssembly.
// What it gives and takes is in coppice.d.ts and docs/javascript.md.
import { ENGINE } from "./engine.js";

export async function inflated(base64) {
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Starts the engine; once is enough. */
export async function load() {
  let memory = null;
  const clock = (id, precision, result) => {
    new DataView(memory.buffer).setBigInt64(result, BigInt(Math.round(performance.now() * 1e6)), true);
    return 0;
  };
  const { instance } = await WebAssembly.instantiate(await inflated(ENGINE), {
    env: { emscripten_notify_memory_growth: () => {} },
    wasi_snapshot_preview1: { clock_time_get: clock, proc_exit: (code) => { throw new Error(`exit ${code}`); } },
  });
  memory = instance.exports.memory;
  instance.exports._initialize();
  return new Coppice(instance.exports);
}

const SCALARS = new Map([[Float32Array, 0], [Float64Array, 1], [BigInt64Array, 2]]);

class Coppice {
  constructor(exports) {
    this.c = exports;
  }

  /** A graph of a score matrix, [head][dependent], row by row: (N + 1)² numbers, node 0 being the root. */
  matrix(scores, facts = {}) {
    const nodes = Math.round(Math.sqrt(scores.length)), scalar = SCALARS.get(scores.constructor);
    if (scalar === undefined) throw new TypeError("scores: a Float32Array, Float64Array or BigInt64Array is expected");
    if (nodes * nodes !== scores.length || nodes < 2) throw new RangeError(`scores: ${scores.length} numbers are no square matrix of two or more rows`);
    const handle = this.with([scores], ([data]) => this.checked(this.c.coppice_matrix(data, nodes, scalar)));
    return new Graph(this, handle, { nodes, facts, integers: scalar === 2 });
  }

  /** A graph of edges, parallel ones being different choices; labels are indices into facts.labelNames. */
  edges(nodes, { sources, targets, weights, labels }, facts = {}) {
    const count = sources.length, [size] = int32s("nodes", [nodes]);
    for (const [name, array] of Object.entries({ targets, weights, labels })) {
      if (array && array.length !== count) throw new RangeError(`${name}: ${array.length} of them, but ${count} sources`);
    }
    const arrays = [int32s("sources", sources), int32s("targets", targets), Float64Array.from(weights)];
    if (labels) arrays.push(int32s("labels", labels));
    const handle = this.with(arrays, ([s, t, w, l]) => this.checked(this.c.coppice_edges(size, count, s, t, w, l ?? 0)));
    return new Graph(this, handle, { nodes, facts, count, labels: labels ? arrays[3] : null });
  }

  /** What the validator of Universal Dependencies says of a tree: [{ id, node }]. heads[0] is -1, labels[0] word 1's. */
  incidents(heads, labels, words) {
    const texts = [text(table(words, ["tag", "feats", "misc"])), text(labels.map(oneLine).join("\n") + "\n")];
    return this.with([int32s("heads", heads), ...texts], ([h, w, l]) =>
      this.string(this.checked(this.c.coppice_incidents(heads.length, h, w, l))).split("\n").slice(0, -1).map((line) => {
        const [id, node] = line.split("\t");
        return { id, node: Number(node) };
      }));
  }

  /** Where the arcs of a diagram lie: for each [head, dependent] its { level, leg }. */
  layout(arcs, room, legGap) {
    const nodes = int32s("arcs", arcs.flat()), far = nodes.find((node) => node < 0 || node >= room.length);
    if (far !== undefined) throw new RangeError(`arcs: there is no room for node ${far}`);
    return this.with([nodes, Float64Array.from(room)], ([a, r]) => {
      const found = this.doubles(this.c.coppice_layout(a, arcs.length, r, room.length, legGap), 2 * arcs.length);
      return arcs.map((_, i) => ({ level: found[2 * i], leg: found[2 * i + 1] }));
    });
  }

  // ---- memory ----

  // Calls work with pointers to copies of the arrays, which are gone afterwards.
  with(arrays, work) {
    const pointers = arrays.map((array) => this.c.coppice_alloc(Math.max(array.byteLength, 1)));
    try {
      if (pointers.includes(0)) throw new Error("out of memory");
      arrays.forEach((array, i) => new Uint8Array(this.c.memory.buffer)
        .set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), pointers[i]));
      return work(pointers);
    } finally {
      pointers.forEach((pointer) => this.c.coppice_free(pointer));
    }
  }
  // The numbers there: good until the next call.
  ints(at, count) { return new Int32Array(this.c.memory.buffer, at, count); }
  doubles(at, count) { return new Float64Array(this.c.memory.buffer, at, count); }
  string(at) {
    const bytes = new Uint8Array(this.c.memory.buffer, at);
    return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
  }
  checked(result) {
    if (result === 0 || result === -1) throw new CoppiceError(this.string(this.c.coppice_error()));
    return result;
  }
}

/** Bad input: the text names the place and the value. */
export class CoppiceError extends Error {
  name = 'CoppiceError';
}

// Whole numbers, none of which changes on its way.
const int32s = (name, values) => Int32Array.from(values, (value) => {
  if (value !== (value | 0)) throw new RangeError(`${name}: ${value} is no whole number of 32 bits`);
  return value;
});
// A number for the engine, to which a negative one means none.
const optional = (name, value, least) => {
  if (value !== undefined && !(value >= least)) throw new RangeError(`${name} is ${value}, must be at least ${least}`);
  return value ?? -1;
};
const optionalCount = (name, value) => {
  const count = Math.min(optional(name, value, 1), Number.MAX_SAFE_INTEGER);
  if (!Number.isInteger(count)) throw new RangeError(`${name} is ${value}, must be a whole number`);
  return count;
};
const oneLine = (value) => String(value ?? "").replace(/[\t\n\0]/g, " ");
const text = (value) => new TextEncoder().encode(value + "\0");
const table = (rows, columns) => (rows ?? []).map((row) => columns.map((c) => oneLine(row[c])).join("\t") + "\n").join("");

class Graph {
  constructor(coppice, handle, { nodes, facts, labels = null, count = null, integers = false }) {
    Object.assign(this, { coppice, handle, nodes, labels, count, integers, labelNames: facts.labelNames ?? [] });
    coppice.with([text(table(facts.words, ["tag", "feats", "misc"])), text(this.labelNames.map((name) => oneLine(name) + "\n").join(""))],
      ([words, names]) => {
        if (coppice.c.coppice_know(handle, words, names) < 0) coppice.checked(-1);
      });
  }

  /** Gives the memory back; the graph is of no use afterwards. */
  free() {
    if (this.handle) this.coppice.c.coppice_delete(this.handle);
    this.handle = 0;
  }

  /** The best tree, or null where there is none. */
  best(which) {
    return this.kbest(1, which)[0] ?? null;
  }

  /** The K best trees; complete is false where a budget ran out first. */
  kbest(k, which, { maxGap, budget } = {}) {
    if (k === undefined) throw new RangeError("k is undefined: how many trees are wanted?");
    const most = optionalCount("k", k ?? undefined), gap = optional("maxGap", maxGap, 0), solves = optionalCount("budget", budget);
    return this.#asked(which, (w, rules) => this.#listed(this.coppice.c.coppice_kbest(this.handle, w, rules, most, gap, solves)));
  }

  /** K trees, best first, of which any two differ in the heads of at least `distance` words; those with ignored labels do not count. */
  diverse(k, distance, which, { ignoredLabels = [], budget } = {}) {
    const most = optionalCount("k", k ?? null), far = optionalCount("distance", distance ?? null), solves = optionalCount("budget", budget);
    return this.#asked(which, (w, rules) => this.coppice.with([text(ignoredLabels.map((name) => oneLine(name) + "\n").join(""))], ([ignored]) =>
      this.#listed(this.coppice.c.coppice_diverse(this.handle, w, rules, most, far, ignored, solves))));
  }

  // The trees that the last call found.
  #listed(size) {
    if (size < 0) this.coppice.checked(-1);
    const { c } = this.coppice;
    const heads = this.coppice.ints(c.coppice_tree_heads(this.handle), size * this.nodes).slice();
    const edges = this.count === null ? null : this.coppice.ints(c.coppice_tree_edges(this.handle), size * this.nodes).slice();
    const scores = this.coppice.doubles(c.coppice_tree_scores(this.handle), size).slice();
    const integers = this.integers ? new BigInt64Array(c.memory.buffer, c.coppice_tree_integers(this.handle), size).slice() : null;
    const trees = Array.from(scores, (score, rank) => {
      const row = (all) => all.subarray(rank * this.nodes, (rank + 1) * this.nodes);
      return this.#tree(row(heads), edges && row(edges), score, integers?.[rank]);
    });
    trees.complete = c.coppice_complete(this.handle) === 1;
    return trees;
  }

  /** The trees one by one from the best, for `for ... of`. */
  *stream(which, { maxGap, budget } = {}) {
    const { c } = this.coppice, gap = optional("maxGap", maxGap, 0), solves = optionalCount("budget", budget);
    const stream = this.#asked(which, (w, rules) => this.coppice.checked(c.coppice_stream(this.handle, w, rules, gap, solves)));
    try {
      for (;;) {
        const more = c.coppice_next(stream);
        if (more < 0) this.coppice.checked(-1);
        if (more === 0) return;
        const heads = this.coppice.ints(c.coppice_next_heads(stream), this.nodes).slice();
        const edges = this.count === null ? null : this.coppice.ints(c.coppice_next_edges(stream), this.nodes).slice();
        yield this.#tree(heads, edges, c.coppice_next_score(stream), this.integers ? c.coppice_next_integer(stream) : undefined);
      }
    } finally {
      c.coppice_end_stream(stream);
    }
  }

  /** How sure: { logPartition, entropy, arcs: [head][dependent], edges } with probabilities. */
  marginals(which) {
    return this.#asked(which, (w) => {
      const at = this.coppice.checked(this.coppice.c.coppice_distribution(this.handle, w));
      const arcs = this.nodes * this.nodes, found = this.coppice.doubles(at, 2 + arcs + (this.count ?? 0)).slice();
      return { logPartition: found[0], entropy: found[1], arcs: found.subarray(2, 2 + arcs), edges: this.count === null ? null : found.subarray(2 + arcs) };
    });
  }

  /** The score of the best tree with each arc, [head][dependent]; of a graph of edges for each edge. */
  maxMarginals(which) {
    return this.#asked(which, (w) =>
      this.coppice.doubles(this.coppice.checked(this.coppice.c.coppice_max_marginals(this.handle, w)), this.count ?? this.nodes * this.nodes).slice());
  }

  #tree(heads, edges, score, integer) {
    const tree = { heads, score };
    if (integer !== undefined) tree.integerScore = integer;
    if (edges) tree.edges = edges;
    if (edges && this.labels) tree.labels = Array.from(edges, (edge) => (edge < 0 ? null : this.labelNames[this.labels[edge]] ?? null));
    return tree;
  }

  #asked({ root, minimize = false, required = [], forbidden = [], rules = [] } = {}, work) {
    if (!this.handle) throw new CoppiceError("the graph was freed");
    if (root !== "single" && root !== "any") throw new TypeError(`root is ${root}: "single" or "any" is expected`);
    const arc = ([head, dependent, label]) => {
      const index = label === undefined ? -1 : this.labelNames.indexOf(label);
      if (label !== undefined && index < 0) throw new CoppiceError(`there is no label ${label}`);
      return [head, dependent, index];
    };
    const numbers = [root === "single" ? 1 : 0, minimize ? 1 : 0, required.length, ...required.flatMap(arc), forbidden.length, ...forbidden.flatMap(arc)];
    return this.coppice.with([int32s("required, forbidden", numbers), text(rules.map((rule) => oneLine(rule) + "\n").join(""))], ([w, r]) => work(w, r));
  }
}
