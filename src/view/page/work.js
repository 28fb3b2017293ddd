// What is known of a sentence, what was decided about it, and what follows. Nothing here is drawn.
import { parseConllu, writeConllu, makeConllu } from "./conllu.js";

/** Decisions about one sentence; never changed, only replaced. done: the tree that was accepted, { heads, labels }. */
export const UNTOUCHED = Object.freeze({ locked: {}, forbidden: [], rank: 0, done: false });
export const isTouched = (work) => work.done || work.rank > 0 || Object.keys(work.locked).length > 0 || work.forbidden.length > 0;

// Solves that a list under rules may take: a page should answer at once.
const BUDGET = 3000;
const RTL = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;

export class Sentence {
  // coppice: the library; bytes: all scores; data: of the page; own: of this sentence.
  constructor(coppice, bytes, data, own, labelNames) {
    Object.assign(this, { coppice, bytes, data, own, labelNames });
    this.parsed = own.conllu === undefined ? null : parseConllu(own.conllu);
    this.words = this.parsed ? this.parsed.words.map((w) => w.form) : own.words ?? [];
    this.tags = this.parsed ? this.parsed.words.map((w) => w.tag) : own.tags ?? [];
    this.size = Math.max(this.words.length, own.scores ? own.scores.nodes - 1 : 0, own.trees?.[0]?.heads.length ?? 0);
    this.rtl = this.words.some((w) => RTL.test(w));
    this.live = Boolean(own.scores) && !own.error;
    // A graph that is no sentence: nodes without words, edges without labels.
    this.general = own.graph ?? (!this.words.length && own.scores?.edges !== undefined);
  }
  get id() { return this.own.id; }
  get rootRule() { return this.own.rootRule ?? this.data.which.root; }
  word(v) { return v === 0 ? this.own.root ?? "root" : this.words[v - 1] ?? String(v); }
  tag(v) { return this.tags[v - 1] ?? ""; }
  get text() {
    if (this.parsed?.text) return this.parsed.text;
    return Array.from({ length: this.size }, (_, i) => this.word(i + 1) + (this.parsed?.words[i]?.joined ? "" : " ")).join("").trim();
  }
  /** The tree of the text, or null: heads[0] is -1. */
  get gold() {
    if (this.goldTree !== undefined) return this.goldTree;
    const words = this.parsed?.words ?? [];
    this.goldTree = words.length === this.size && this.size > 0 && words.every((w) => w.head !== null && w.head <= this.size)
      ? { heads: [-1, ...words.map((w) => w.head)], labels: ["", ...words.map((w) => w.label)] } : null;
    return this.goldTree;
  }
  get hasLabels() { return this.own.scores?.edges !== undefined && this.labelNames.length > 0; }

  // ---- scores ----

  scores() {
    if (this.arrays) return this.arrays;
    if (this.own.load) return (this.arrays = this.own.load());
    const { at, nodes, edges, wide } = this.own.scores, Weights = wide ? Float64Array : Float32Array;
    let begin = at;
    const take = (Type, count) => {
      const end = begin + count * Type.BYTES_PER_ELEMENT, part = new Type(this.bytes.slice(begin, end).buffer);
      begin = end;
      return part;
    };
    this.arrays = edges === undefined ? { matrix: take(Weights, nodes * nodes) }
      : { sources: take(Int16Array, edges), targets: take(Int16Array, edges), labels: take(Int16Array, edges), weights: take(Weights, edges) };
    return this.arrays;
  }
  facts() {
    return { words: this.parsed?.words ?? Array.from({ length: this.size }, (_, i) => ({ tag: this.tags[i] })), labelNames: this.labelNames };
  }
  // The graph; with a bonus for the arcs of the text its trees are those next to the text.
  graph(bonus) {
    const key = bonus ? "nearText" : "plain";
    this.graphs ??= {};
    if (this.graphs[key]) return this.graphs[key];
    const s = this.scores(), nodes = this.size + 1;
    if (s.matrix) {
      const weights = bonus ? Float64Array.from(s.matrix, (w, i) => (this.gold.heads[i % nodes] === Math.floor(i / nodes) ? w + bonus : w)) : s.matrix;
      this.graphs[key] = this.coppice.matrix(weights, this.facts());
    } else {
      const same = (e) => this.gold.heads[s.targets[e]] === s.sources[e];
      const label = (e) => (this.labelNames[s.labels[e]] === this.gold.labels[s.targets[e]] ? bonus / 2 : 0);
      const weights = bonus ? Float64Array.from(s.weights, (w, e) => (same(e) ? w + bonus + label(e) : w)) : s.weights;
      this.graphs[key] = this.coppice.edges(nodes, { ...s, weights, labels: s.labels.length && s.labels[0] >= 0 ? s.labels : undefined }, this.facts());
    }
    return this.graphs[key];
  }
  free() {
    for (const graph of Object.values(this.graphs ?? {})) graph.free();
    this.graphs = this.arrays = this.answered = undefined;
  }
  // More than any two trees can differ by.
  bonus() {
    const s = this.scores(), finite = Array.from(s.matrix ?? s.weights).filter(Number.isFinite);
    return (1 + Math.max(...finite) - Math.min(...finite)) * (this.size + 1);
  }
  weight(tree, v) {
    const s = this.scores();
    return s.matrix ? s.matrix[tree.heads[v] * (this.size + 1) + v] : s.weights[tree.edges[v]];
  }

  // ---- what follows from the decisions ----

  which(work) {
    const { minimize, required = [], forbidden = [], rules = [] } = this.data.which, root = this.rootRule;
    const locks = Object.entries(work.locked).map(([v, [head]]) => [head, Number(v)]);
    const own = new Set(locks.map(([, v]) => v));
    return { root, minimize, rules, required: [...required.filter(([, v]) => !own.has(v)), ...locks], forbidden: [...forbidden, ...work.forbidden] };
  }

  /** { trees, arcs, costs, complete }: the K best trees of what is decided, the probability of every arc, what each would cost. */
  answer(work) {
    const key = JSON.stringify([work.locked, work.forbidden]);
    if (this.answered?.key === key) return this.answered;
    this.answered = { key, ...this.find(work) };
    return this.answered;
  }
  find(work) {
    const open = Object.keys(work.locked).length === 0 && work.forbidden.length === 0;
    const found = { trees: [], arcs: null, costs: null, complete: true };
    if (!this.live) return { ...found, trees: this.listed() };
    const which = this.which(work), plain = { ...which, rules: [] }, graph = this.graph();
    if (open && this.own.trees?.length) {
      found.trees = this.listed();
    } else {
      const nearText = this.data.fromText && this.gold;
      const trees = (nearText ? this.graph(this.bonus()) : graph).kbest(this.data.k, which, which.rules.length ? { budget: BUDGET } : {});
      found.complete = trees.complete;
      found.trees = trees;
      if (nearText) for (const tree of trees) tree.score = tree.heads.reduce((sum, _, v) => (v ? sum + this.weight(tree, v) : sum), 0);
    }
    if (!found.trees.length) return found;
    this.addCosts(found, graph, plain);
    if (!which.minimize) this.addProbabilities(found, graph, plain);
    return found;
  }
  addProbabilities(found, graph, which) {
    const { logPartition, arcs, edges } = graph.marginals(which);
    found.arcs = arcs;
    found.edgeProbabilities = edges;
    for (const tree of found.trees) tree.probability ??= Math.exp(tree.score - logPartition);
  }
  addCosts(found, graph, which) {
    const n = this.size + 1, scores = graph.maxMarginals(which), sign = which.minimize ? -1 : 1;
    const arcs = new Float64Array(n * n).fill(Infinity);
    let best = -Infinity;
    for (const score of scores) if (sign * score > best) best = sign * score;
    const s = this.scores();
    for (let i = 0; i < scores.length; ++i) {
      const arc = s.matrix ? i : s.sources[i] * n + s.targets[i];
      arcs[arc] = Math.min(arcs[arc], best - sign * scores[i]);
    }
    found.costs = arcs;
  }
  // The trees that the file brings.
  listed() {
    return (this.own.trees ?? []).map((t) => ({ ...t, heads: [-1, ...t.heads], labels: t.labels && ["", ...t.labels] }));
  }
  gap(found, tree) {
    return Math.abs(found.trees[0].score - tree.score);
  }

  /** The label of a word in a tree: what was typed, what the scores say, or what the text has. */
  label(work, tree, v) {
    const typed = work.locked[v]?.[0] === tree.heads[v] ? work.locked[v][1] : null;
    if (typed) return typed;
    if (tree.labels) return tree.labels[v] ?? "";
    if (tree.heads[v] === 0) return "root";
    if (!this.data.annotate || !this.gold) return "";
    const old = this.gold.labels[v];
    return old === "root" ? "dep" : old;
  }
  labels(work, tree) {
    return Array.from({ length: this.size + 1 }, (_, v) => (v ? this.label(work, tree, v) : ""));
  }
  /** What the validator of Universal Dependencies would say: [{ id, node }]. */
  incidents(work, tree) {
    const labels = this.labels(work, tree).slice(1);
    if (!labels.every(Boolean) || !this.tags.length || !this.tags.some(Boolean)) return [];
    return this.coppice.incidents(tree.heads, labels, this.facts().words);
  }

  /** How many arcs of the best tree are expected to be wrong. */
  get doubt() {
    if (this.own.doubt === undefined && this.live) {
      const { trees, arcs } = this.find({ ...UNTOUCHED });
      this.own.doubt = !trees.length || !arcs ? -1 : this.size - trees[0].heads.reduce((sum, h, v) => (v ? sum + arcs[h * (this.size + 1) + v] : 0), 0);
      this.free();
    }
    return this.own.doubt ?? -1;
  }

  /** As CoNLL-U: as it came, unless it was accepted. */
  conllu({ done }) {
    if (this.parsed) return done ? writeConllu(this.own.conllu, done.heads, done.labels) : this.own.conllu;
    const words = Array.from({ length: this.size }, (_, i) => this.words[i] ?? "");
    return makeConllu(this.id, words, done ? done.heads : words.map(() => "_").concat("_"), done ? done.labels : []);
  }
}

// ---- decisions: each gives the new state of a sentence ----

/** A tree that was picked from the list stays: its arcs that are not those of the first one are locked. */
function keepPicked(work, trees) {
  if (!work.rank) return work;
  const picked = trees[work.rank], locked = { ...work.locked };
  picked.heads.forEach((head, v) => {
    const differs = head !== trees[0].heads[v] || (picked.labels && picked.labels[v] !== trees[0].labels[v]);
    if (v && differs && !locked[v]) locked[v] = [head, picked.labels?.[v] ?? null];
  });
  return { ...work, locked, rank: 0 };
}

/** Locks head → v. Locks that contradict it are given up; `released` names their words. */
export function lock(sentence, work, v, head, label = null) {
  const before = keepPicked(work, sentence.answer(work).trees), locked = { ...before.locked }, released = [];
  const release = (word) => {
    delete locked[word];
    released.push(word);
  };
  // A circle of locked arcs is cut where it leaves v.
  for (let at = head, steps = 0; at > 0 && locked[at] && steps <= sentence.size; at = locked[at]?.[0] ?? 0, ++steps) {
    if (locked[at][0] !== v) continue;
    release(at);
    break;
  }
  if (head === 0 && sentence.rootRule === "single") {
    for (const [word, [above]] of Object.entries(locked)) if (above === 0 && Number(word) !== v) release(Number(word));
  }
  locked[v] = [head, label];
  const forbidden = before.forbidden.filter(([h, d]) => h !== head || d !== v);
  return { work: { ...before, locked, forbidden, done: false }, released };
}

export function release(work, v) {
  const locked = { ...work.locked };
  delete locked[v];
  return { ...work, locked, forbidden: work.forbidden.filter(([, d]) => d !== v), rank: 0, done: false };
}

export function forbid(sentence, work, v, head) {
  const before = keepPicked(work, sentence.answer(work).trees), locked = { ...before.locked };
  if (locked[v]?.[0] === head) delete locked[v];
  return { ...before, locked, forbidden: [...before.forbidden, [head, v]], done: false };
}

/** All decisions of a session, with what was undone. */
export class Session {
  constructor() {
    this.works = new Map();
    this.past = [];
    this.future = [];
  }
  of(index) { return this.works.get(index) ?? UNTOUCHED; }
  put(index, work) {
    if (isTouched(work)) this.works.set(index, work);
    else this.works.delete(index);
  }
  change(index, work) {
    this.past.push([index, this.of(index), work]);
    this.future = [];
    this.put(index, work);
  }
  /** The sentence that changed, or null. */
  undo() {
    const step = this.past.pop();
    if (!step) return null;
    this.future.push(step);
    this.put(step[0], step[1]);
    return step[0];
  }
  redo() {
    const step = this.future.pop();
    if (!step) return null;
    this.past.push(step);
    this.put(step[0], step[2]);
    return step[0];
  }
  get accepted() { return [...this.works.values()].filter((work) => work.done).length; }

  toJSON(sentences, key) {
    return { coppice: "annotation", version: 1, key,
      sentences: [...this.works].sort(([a], [b]) => a - b).map(([index, work]) => ({ index, id: sentences[index].id, ...work })) };
  }
  /** Throws where the file is none of ours, or of other sentences. */
  restore(saved, sentences, key) {
    if (saved?.coppice !== "annotation" || !Array.isArray(saved.sentences)) throw new Error("this is no session of coppice");
    if (saved.key !== key) throw new Error("this session belongs to other sentences");
    const works = new Map();
    for (const { index, locked, forbidden, rank, done } of saved.sentences) {
      const sentence = sentences[index], node = (v) => Number.isInteger(v) && v >= 0 && v <= sentence.size;
      const good = sentence && Object.entries(locked).every(([v, [head]]) => node(Number(v)) && node(head)) &&
        forbidden.every(([head, v]) => node(head) && node(v)) && Number.isInteger(rank) && rank >= 0 &&
        (!done || (done.heads.length === sentence.size + 1 && done.heads.slice(1).every(node) && done.labels.every((l) => !/[\t\r\n]/.test(l))));
      if (!good) throw new Error(`sentence ${index} of the session does not fit`);
      works.set(index, { locked, forbidden, rank, done: done || false });
    }
    this.works = works;
    this.past = [];
    this.future = [];
  }
}

/** Names the sentences of a page: what is saved for them fits no others. */
export function keyOf(sentences) {
  let hash = 0x811c9dc5;
  for (const s of sentences) {
    for (const c of `${s.id}\n${s.size}\n${s.words.join(" ")}\n`) hash = Math.imul(hash ^ c.codePointAt(0), 0x01000193) >>> 0;
  }
  return `${sentences.length}-${hash.toString(16)}`;
}
