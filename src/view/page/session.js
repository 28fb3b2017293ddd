// All decisions of a session: what was done can be undone, and nothing that is read is believed.
import { UNTOUCHED, isTouched } from "./work.js";

export class Session {
  // kept(index, work): is told of every change; seen(index): what another tab did to a sentence, or undefined.
  constructor(made = "", { kept = () => {}, seen = () => undefined } = {}) {
    Object.assign(this, { made, kept, seen, works: new Map(), past: [], future: [] });
  }
  of(index) { return this.works.get(index) ?? UNTOUCHED; }
  /** Takes what is already kept elsewhere. */
  take(index, work) {
    if (isTouched(work)) this.works.set(index, work);
    else this.works.delete(index);
  }
  put(index, work) {
    this.take(index, { ...work, at: Date.now(), made: this.made });
    this.kept(index, this.of(index));
  }
  /** Changes sentences, [[index, work], ...], in one step. False where another tab was there before; its work is taken. */
  change(...changes) {
    const others = changes.map(([index]) => [index, this.seen(index)]).filter(([, work]) => work);
    for (const [index, work] of others) this.take(index, work);
    if (others.length) return false;
    const before = changes.map(([index]) => [index, this.of(index)]);
    for (const [index, work] of changes) this.put(index, work);
    this.did(this.turn(before), this.turn(changes.map(([index]) => [index, this.of(index)])));
    return true;
  }
  /** Remembers a step that was done: each way gives the sentence to look at, or null where it is too late. */
  did(undo, redo) {
    this.past.push([undo, redo]);
    this.future = [];
  }
  // A way back (or forth) to these works, unless another tab has changed one since.
  turn(works) {
    return () => {
      if (works.some(([index]) => this.seen(index))) return null;
      for (const [index, work] of works) this.put(index, work);
      return works[0][0];
    };
  }
  /** The sentence that changed; undefined where there is nothing to undo, null where it is not ours any more. */
  undo() { return this.#move(this.past, this.future, 0); }
  redo() { return this.#move(this.future, this.past, 1); }
  #move(from, to, way) {
    const step = from.pop();
    if (!step) return undefined;
    const index = step[way]();
    if (index !== null) to.push(step);
    return index;
  }
  get accepted() { return [...this.works.values()].filter((work) => work.done).length; }

  toJSON(sentences, key) {
    return { coppice: "annotation", version: 1, key, made: this.made,
      sentences: [...this.works].sort(([a], [b]) => a - b).map(([index, work]) => ({ index, id: sentences[index].id, ...work })) };
  }
}

/** The works of a session that was saved, [[index, work], ...]. Throws where the file is none of ours, or of other sentences. */
export function readSession(saved, sentences, key) {
  if (saved?.coppice !== "annotation" || !Array.isArray(saved.sentences)) throw new Error("this is no session of coppice");
  if (saved.key !== key) throw new Error("this session belongs to other sentences");
  const works = new Map();
  for (const one of saved.sentences) {
    const index = one?.index, sentence = Number.isInteger(index) ? sentences[index] : undefined;
    if (!sentence || works.has(index)) throw new Error(`there is no sentence ${typeof index === "number" ? index : "without a number"}, or it is there twice`);
    try {
      if (one.id !== undefined && one.id !== sentence.id) throw new Error("it has another name");
      works.set(index, readWork(one, sentence));
    } catch (error) {
      throw new Error(`sentence ${index} of the session does not fit: ${error.message}`);
    }
  }
  return [...works];
}

/** What was decided about a sentence, as it was saved; throws where it cannot be about this one. */
export function readWork(saved, sentence) {
  const fail = (what) => { throw new Error(what); };
  const list = (x, name) => (Array.isArray(x) ? x : fail(`${name} is no list`));
  const node = (v, least = 0) => Number.isInteger(v) && v >= least && v <= sentence.size;
  const arc = (head, v) => (node(head) && node(v, 1) && head !== v) || fail(`there is no arc from ${shown(head)} to ${shown(v)}`);
  if (saved === null || typeof saved !== "object" || Array.isArray(saved)) fail("it is no object");
  const { locked, forbidden, rank, distance, done, edits, note, flag, at = 0, made = "" } = saved, clean = {};
  if (locked === null || typeof locked !== "object" || Array.isArray(locked)) fail("the locks are no object");
  for (const [word, lock] of Object.entries(locked)) {
    const v = /^[1-9][0-9]*$/.test(word) ? Number(word) : NaN, [head, label = null] = list(lock, "a lock");
    arc(head, v);
    if (label !== null && !isLabel(label)) fail(`${shown(label)} is no label`);
    clean[v] = [head, label];
  }
  const banned = list(forbidden, "what is forbidden").map((pair) => {
    const [head, v] = list(pair, "what is forbidden");
    arc(head, v);
    return [head, v];
  });
  if (!Number.isSafeInteger(rank) || rank < 0) fail(`there is no tree ${shown(rank)}`);
  if (distance !== undefined && distance !== 0 && !(node(distance) && distance > 1)) fail(`no trees differ in ${shown(distance)} words`);
  if (!Number.isFinite(at) || typeof made !== "string") fail("when or by what it was made cannot be read");
  if (note !== undefined && !isNote(note)) fail("the note is no line of text");
  if (flag !== undefined && typeof flag !== "boolean") fail("the flag is neither true nor false");
  const work = { locked: clean, forbidden: banned, rank, ...(distance === undefined ? {} : { distance }), done: done ? readTree(done, sentence, fail) : false, at, made };
  const own = edits === undefined ? {} : readEdits(edits, sentence, fail);
  return { ...work, ...(Object.keys(own).length ? { edits: own } : {}), ...(note === undefined ? {} : { note }), ...(flag === undefined ? {} : { flag }) };
}

function readEdits(edits, sentence, fail) {
  if (edits === null || typeof edits !== "object" || Array.isArray(edits)) fail("the edits are no object");
  return Object.fromEntries(Object.entries(edits).map(([word, edit]) => {
    const v = /^[1-9][0-9]*$/.test(word) ? Number(word) : NaN;
    if (!(v <= sentence.size) || !sentence.parsed || edit === null || typeof edit !== "object") fail(`there is no word ${shown(word)}`);
    for (const [name, value] of Object.entries(edit)) {
      const wrong = COLUMNS[name]?.(value) ?? `there is no column ${shown(name)}`;
      if (wrong) fail(wrong);
    }
    return [v, { ...edit }];
  }));
}
/** What is wrong with what a column would have; "" where nothing is. */
export const COLUMNS = {
  __proto__: null,
  lemma: (x) => (typeof x === "string" && /^\S(.*\S)?$/s.test(x) && isNote(x) ? "" : `${shown(x)} is no lemma`),
  upos: (x) => (typeof x === "string" && /^([A-Z]+|_)$/.test(x) ? "" : `${shown(x)} is no tag: capital letters are expected`),
  feats: (x) => (typeof x === "string" && (x === "_" || isFeatures(x)) ? "" : `${shown(x)} are no features: Name=Value|Name=Value is expected`),
};
function isFeatures(text) {
  const items = text.split("|"), names = items.map((item) => item.split("=")[0]);
  return items.every((item) => /^[A-Za-z0-9]+(\[[a-z0-9]+\])?=[A-Za-z0-9]+(,[A-Za-z0-9]+)*$/.test(item)) && new Set(names).size === names.length;
}
/** A line of text: no control characters, nothing that ends a line. */
export const isNote = (x) => typeof x === "string" && x.length <= 2000 && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(x);

function readTree({ heads, labels }, sentence, fail) {
  const n = sentence.size, own = sentence.parsed?.words;
  if (!Array.isArray(heads) || !Array.isArray(labels) || heads.length !== n + 1 || labels.length !== n + 1) fail("the tree has another size");
  for (let v = 1; v <= n; ++v) {
    if (!Number.isInteger(heads[v]) || heads[v] < 0 || heads[v] > n || heads[v] === v) fail(`word ${v} cannot hang from ${shown(heads[v])}`);
    // What the text itself has comes back as it was.
    if (labels[v] !== "" && labels[v] !== own?.[v - 1].label && !isLabel(labels[v])) fail(`${shown(labels[v])} is no label`);
  }
  const cycle = cycleOf(heads);
  if (cycle) fail(`words ${cycle.join(", ")} form a circle`);
  return { heads: [-1, ...heads.slice(1)], labels: ["", ...labels.slice(1)] };
}
const shown = (x) => String(JSON.stringify(x)).slice(0, 40);

/** A label can stand in a column of CoNLL-U: it is not empty, and has neither spaces nor control characters. */
export const isLabel = (x) => typeof x === "string" && x.length > 0 && x.length <= 200 && !/[\s\p{Cc}\p{Cs}]/u.test(x);

/** The words of a circle, or null; heads[0] is of no word. */
export function cycleOf(heads) {
  const seen = new Uint32Array(heads.length);
  for (let start = 1; start < heads.length; ++start) {
    let v = start;
    for (; v > 0 && !seen[v]; v = heads[v]) seen[v] = start;
    if (v <= 0 || seen[v] !== start) continue;
    const circle = [v];
    for (let at = heads[v]; at !== v; at = heads[at]) circle.push(at);
    return circle;
  }
  return null;
}

/** Names the sentences of a page: what is saved for them fits no others. */
export function keyOf(sentences) {
  const digest = new Digest();
  for (const s of sentences) digest.text(`${s.id}\n${s.size}\n${s.words.join(" ")}\n`);
  return `${sentences.length}-${digest.hash.toString(16)}`;
}

/** A number that tells one text, or list of numbers, from another; no guard against those who want two to be the same. */
export class Digest {
  hash = 0x811c9dc5;
  text(text) {
    for (const c of text) this.add(c.codePointAt(0));
    return this;
  }
  array(array) {
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength), whole = bytes.length >> 2;
    const numbers = bytes.byteOffset % 4 ? new Uint32Array(bytes.slice(0, 4 * whole).buffer) : new Uint32Array(bytes.buffer, bytes.byteOffset, whole);
    for (let i = 0; i < whole; ++i) this.add(numbers[i]);
    for (let i = 4 * whole; i < bytes.length; ++i) this.add(bytes[i]);
    return this;
  }
  add(number) { this.hash = Math.imul(this.hash ^ number, 0x01000193) >>> 0; }
  get name() { return this.hash.toString(16).padStart(8, "0"); }
}
