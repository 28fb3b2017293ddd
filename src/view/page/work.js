// What is known of a sentence, what was decided about it, and what follows. Nothing here is drawn.
import { parseConllu, writeConllu, writeNote, makeConllu, staleWords } from "./conllu.js";

/**
 * Decisions about one sentence; never changed, only replaced. done: the tree that was accepted, { heads, labels };
 * distance: in the heads of so many words any two of the listed trees differ, 0: the best ones are listed, undefined: as the page was made;
 * edits: { word: { lemma, upos, feats } }, what was given; note, flag: of the sentence, undefined: as in the text;
 * at: when this was decided, in milliseconds; made: by what scores, text and rules (a digest of a page).
 */
export const UNTOUCHED = Object.freeze({ locked: {}, forbidden: [], rank: 0, done: false });
export const isTouched = (work) => work.done || work.rank > 0 || work.distance !== undefined || decidedIn(work) || work.note !== undefined || work.flag !== undefined;

// Heads of which the cost is said without being asked for.
const LISTED_HEADS = 12;
export const decidedIn = (work) => Object.keys(work.locked).length > 0 || work.forbidden.length > 0 || Object.keys(work.edits ?? {}).length > 0;
// Solves that a list under rules may take: a page should answer at once.
const BUDGET = 3000;
// Solves that each tree may take where trees shall differ.
const BUDGET_OF_EACH = 500;
// Words with this label do not count where trees shall differ.
const IGNORED = "punct";
const RTL = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/;

export class Sentence {
  // coppice: the library; bytes: all scores; data: of the page; own: of this sentence.
  constructor(coppice, bytes, data, own, labelNames) {
    Object.assign(this, { coppice, bytes, data, own, labelNames });
    this.settled = new Map((own.settled ?? []).map(([head, v]) => [v, head]));
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
  get ignored() {
    const known = (label) => this.labelNames.some((name) => name === label || name.startsWith(label + ":"));
    return this.hasLabels ? (this.data.which.ignored ?? [IGNORED]).filter(known) : [];
  }
  distance(work) { return work.distance ?? this.data.which.distance ?? 0; }
  // Whether the trees of the file are what the work asks for.
  brings(work) { return !decidedIn(work) && this.distance(work) === this.distance(UNTOUCHED) && this.own.trees?.length > 0; }
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
  facts(edits = this.edits) {
    return { words: this.wordsWith(edits), labelNames: this.labelNames };
  }
  wordsWith(edits = {}) {
    const words = this.parsed?.words ?? Array.from({ length: this.size }, (_, i) => ({ tag: this.tags[i] })), plain = (x) => (x === "_" ? "" : x);
    return words.map((w, i) => {
      const { lemma = w.lemma, upos = w.tag, feats = w.feats } = edits[i + 1] ?? {};
      return { ...w, lemma: plain(lemma), tag: plain(upos), feats: plain(feats) };
    });
  }
  // Rules look at tags and features, too: graphs are made again where these were edited.
  know({ edits }) {
    if (JSON.stringify(edits ?? {}) === JSON.stringify(this.edits ?? {})) return;
    this.free();
    this.edits = edits;
  }
  graph() {
    if (this.plain) return this.plain;
    const s = this.scores();
    this.plain = s.matrix ? this.coppice.matrix(s.matrix, this.facts())
      : this.coppice.edges(this.size + 1, { ...s, labels: s.labels.length && s.labels[0] >= 0 ? s.labels : undefined }, this.facts());
    return this.plain;
  }
  // The graph whose best trees are those next to the text. It has all arcs of the text, and their labels.
  nearText() {
    if (this.near) return this.near;
    const s = this.scores(), nodes = this.size + 1, { heads, labels } = this.gold, finite = Array.from(s.matrix ?? s.weights).filter(Number.isFinite);
    const least = finite.reduce((a, b) => Math.min(a, b), 0), most = finite.reduce((a, b) => Math.max(a, b), 0);
    // More than any two trees can differ by.
    const bonus = (this.data.which.minimize ? -1 : 1) * (1 + most - least) * nodes;
    if (s.matrix) {
      const weights = Float64Array.from(s.matrix, (w, i) => (heads[i % nodes] === Math.floor(i / nodes) && i % nodes ? (Number.isFinite(w) ? w : least) + bonus : w));
      return (this.near = this.coppice.matrix(weights, this.facts()));
    }
    const labelled = s.labels.length > 0 && s.labels[0] >= 0, names = [...this.labelNames];
    const sources = Array.from(s.sources), targets = Array.from(s.targets), ids = Array.from(s.labels), weights = Array.from(s.weights);
    const best = new Array(nodes).fill(undefined), there = new Array(nodes).fill(false);
    for (let e = 0; e < s.sources.length; ++e) {
      const v = targets[e];
      if (heads[v] !== sources[e]) continue;
      const fits = !labelled || names[ids[e]] === labels[v];
      best[v] = best[v] === undefined ? s.weights[e] : Math.max(best[v], s.weights[e]);
      there[v] ||= fits;
      weights[e] += fits ? 1.5 * bonus : bonus;
    }
    // What the scores do not know counts as much as the best label that they know.
    this.added = [];
    for (let v = 1; v < nodes; ++v) {
      if (there[v]) continue;
      if (labelled && !names.includes(labels[v])) names.push(labels[v]);
      sources.push(heads[v]);
      targets.push(v);
      ids.push(names.indexOf(labels[v]));
      this.added.push(best[v] ?? least);
      weights.push((best[v] ?? least) + 1.5 * bonus);
    }
    this.nearEdges = { sources, targets, weights, labels: ids, names };
    return (this.near = this.coppice.edges(nodes, { sources, targets, weights, labels: labelled ? ids : undefined }, { ...this.facts(), labelNames: names }));
  }
  free() {
    this.plain?.free();
    this.near?.free();
    this.plain = this.near = this.nearEdges = this.arrays = undefined;
  }
  weight(tree, v) {
    const s = this.scores(), edge = tree.edges?.[v];
    if (s.matrix) return s.matrix[tree.heads[v] * (this.size + 1) + v];
    return edge === undefined ? NaN : edge < s.weights.length ? s.weights[edge] : tree.added[edge - s.weights.length];
  }

  // ---- what follows from the decisions ----

  which(work) {
    const { minimize, rules = [] } = this.data.which, root = this.rootRule;
    const [required, forbidden] = ["required", "forbidden"].map((name) => [...(this.data.which[name] ?? []), ...(this.own[name] ?? [])]);
    const locks = Object.entries(work.locked).map(([v, [head]]) => [head, Number(v)]);
    const own = new Set(locks.map(([, v]) => v));
    return { root, minimize, rules, required: [...required.filter(([, v]) => !own.has(v)), ...locks], forbidden: [...forbidden, ...work.forbidden] };
  }
  // Labels that were typed, as edges. One that the scores do not know takes the place of the best label there.
  withLabels(which, work, { sources, targets, labels, weights, names }) {
    if (!this.hasLabels || !Object.values(work.locked).some(([, label]) => label)) return which;
    const taken = new Map(), sign = which.minimize ? -1 : 1;
    for (let e = 0; e < sources.length; ++e) {
      const lock = work.locked[targets[e]];
      if (!lock?.[1] || lock[0] !== sources[e] || !names[labels[e]]) continue;
      const worth = names[labels[e]] === lock[1] ? Infinity : sign * weights[e], before = taken.get(targets[e]);
      if (!before || worth > before.worth) taken.set(targets[e], { worth, name: names[labels[e]] });
    }
    return { ...which, required: which.required.map(([head, v]) => (taken.has(v) ? [head, v, taken.get(v).name] : [head, v])) };
  }

  // ---- what takes time: done in a worker, see serve.js ----

  /** The K best trees of what is decided, or the K best that differ: { trees, complete }. */
  trees(work, k = this.data.k) {
    this.know(work);
    if (this.brings(work)) return { trees: this.listed(), complete: true };
    const which = this.which(work), near = this.data.fromText && this.gold ? this.nearText() : null, graph = near ?? this.graph();
    const edges = near ? this.nearEdges : { ...this.scores(), names: this.labelNames };
    const asked = edges ? this.withLabels(which, work, edges) : which;
    const distance = this.distance(work);
    const trees = distance ? graph.diverse(k, distance, asked, { ignoredLabels: this.ignored, budget: BUDGET_OF_EACH })
      : graph.kbest(k, asked, which.rules.length ? { budget: BUDGET } : {});
    if (near) {
      for (const tree of trees) Object.assign(tree, { added: this.added }).score = tree.heads.reduce((sum, _, v) => (v ? sum + this.weight(tree, v) : sum), 0);
    }
    return { trees: [...trees], complete: trees.complete };
  }
  /** The probability of every arc among all trees of what is decided, rules aside: { logPartition, arcs }. */
  probabilities(work) {
    const { logPartition, arcs } = this.graph().marginals(this.plainly(work));
    return { logPartition, arcs };
  }
  /** The heads that a word can have, [{ head, probability, cost }]; all costs, or those of the likeliest heads and the ones asked for. */
  heads(work, v, all, also) {
    const free = release(work, v), n = this.size + 1, which = this.plainly(free), sign = which.minimize ? -1 : 1;
    const arcs = which.minimize ? null : this.probabilities(free).arcs, best = this.graph().best(which);
    const list = this.headsWithArcs(v).map((head) => ({ head, probability: arcs?.[head * n + v], cost: undefined }));
    if (arcs) list.sort((a, b) => b.probability - a.probability || a.head - b.head);
    list.forEach((choice, place) => {
      if (!best || !(all || !arcs || place < LISTED_HEADS || also.includes(choice.head))) return;
      const tree = this.bestWith(which, choice.head, v);
      choice.cost = tree ? Math.max(0, sign * (best.score - tree.score)) : Infinity;
    });
    return list.filter(({ cost }) => cost !== Infinity);
  }
  bestWith(which, head, v) {
    try {
      return this.graph().best({ ...which, required: [...which.required.filter(([, d]) => d !== v), [head, v]] });
    } catch {
      return null;  // it contradicts what is decided
    }
  }
  headsWithArcs(v) {
    const s = this.scores(), n = this.size + 1, heads = new Set();
    if (s.matrix) for (let head = 0; head < n; ++head) if (head !== v && Number.isFinite(s.matrix[head * n + v])) heads.add(head);
    if (!s.matrix) s.targets.forEach((target, e) => target === v && heads.add(s.sources[e]));
    return [...heads].sort((a, b) => a - b);
  }
  /** Is there a tree with all that is decided? */
  hasTree(work) {
    try {
      return this.trees({ ...work, distance: 0 }, 1).trees.length > 0;
    } catch {
      return false;
    }
  }
  /** How many arcs of the best tree are expected to be wrong; -1: not known. */
  doubt() {
    const { trees } = this.trees(UNTOUCHED, 1);
    if (!trees.length || this.data.which.minimize) return -1;
    const { arcs } = this.probabilities(UNTOUCHED);
    return this.size - trees[0].heads.reduce((sum, h, v) => (v ? sum + arcs[h * (this.size + 1) + v] : 0), 0);
  }
  plainly(work) {
    return this.withLabels({ ...this.which(work), rules: [] }, work, { ...this.scores(), names: this.labelNames });
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
    if (tree.written) return tree.labels[v];
    if (typed) return typed;
    if (tree.labels) return tree.labels[v] ?? "";
    const gold = this.data.annotate ? this.gold : null;
    if (gold?.heads[v] === tree.heads[v]) return gold.labels[v];
    if (tree.heads[v] === 0) return "root";
    return !gold ? "" : gold.labels[v] === "root" ? "dep" : gold.labels[v];
  }
  labels(work, tree) {
    return Array.from({ length: this.size + 1 }, (_, v) => (v ? this.label(work, tree, v) : ""));
  }
  /** What the validator of Universal Dependencies would say: [{ id, node }]. */
  incidents(work, tree) {
    const labels = this.labels(work, tree).slice(1);
    if (!labels.every(Boolean) || !this.tags.length || !this.tags.some(Boolean)) return [];
    return this.coppice.incidents(tree.heads, labels, this.wordsWith(work.edits));
  }

  /** Words whose arcs in the enhanced graph of the text are not those of the accepted tree any more. */
  stale({ done }) { return this.parsed && done ? staleWords(this.own.conllu, done.heads, done.labels) : []; }
  /** As CoNLL-U: as it came, unless it was accepted. */
  conllu(work) {
    const { done, edits, note, flag } = work, block = this.tree(done, edits);
    return note === undefined && flag === undefined ? block : writeNote(block, this.note(work), this.flag(work));
  }
  tree(done, edits) {
    if (this.parsed) return done ? writeConllu(this.own.conllu, done.heads, done.labels, edits) : this.own.conllu;
    const words = Array.from({ length: this.size }, (_, i) => this.words[i] ?? "");
    return makeConllu(this.id, words, done ? done.heads : words.map(() => "_").concat("_"), done ? done.labels : []);
  }
  note({ note }) { return note ?? this.parsed?.note ?? ""; }
  flag({ flag }) { return flag ?? this.parsed?.flag ?? false; }
}

// ---- decisions: each gives the new state of a sentence ----

/** A tree that was picked from the list stays: its arcs that are not those of the first one are locked. */
function keepPicked(work, trees) {
  // A session may know of more trees than the page lists: its last one is shown.
  const picked = trees[Math.min(work.rank, trees.length - 1)];
  if (!work.rank || !picked) return work;
  const locked = { ...work.locked };
  picked.heads.forEach((head, v) => {
    const differs = head !== trees[0].heads[v] || (picked.labels && picked.labels[v] !== trees[0].labels[v]);
    if (v && differs && !locked[v]?.[1]) locked[v] = [head, picked.labels?.[v] ?? null];
  });
  return { ...work, locked, rank: 0 };
}

/** Locks head → v. Locks that contradict it are given up; `released` names their words. */
export function lock(sentence, work, trees, v, head, label = null) {
  const before = keepPicked(work, trees), locked = { ...before.locked }, released = [];
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

export function forbid(work, trees, v, head) {
  const before = keepPicked(work, trees), locked = { ...before.locked };
  if (locked[v]?.[0] === head) delete locked[v];
  return { ...before, locked, forbidden: [...before.forbidden, [head, v]], done: false };
}
