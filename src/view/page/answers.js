// What is known of the sentence at hand, and what is still asked of the workshop; the page draws what is known. A part of page.js.
import { decidedIn } from "./work.js";
import { Workshop, Stopped } from "./workshop.js";

const STOPPED = "Stopped.";
// So many decisions of one sentence are remembered, with what follows from them.
const REMEMBERED = 12;
// What comes sooner than this is drawn in one go, in milliseconds.
const SOON = 80;

// What answers depend on; works are never changed.
const workKeys = new WeakMap();
function keyOfWork(work) {
  if (!workKeys.has(work)) workKeys.set(work, JSON.stringify([work.locked, work.forbidden, work.edits, work.distance]));
  return workKeys.get(work);
}

export class Answers {
  constructor(source, draw) {
    Object.assign(this, { workshop: new Workshop(source), draw, known: new Map(), looking: null, trying: 0, late: false, since: 0, doubting: null });
  }
  /**
   * { trees, complete, arcs, heads, ways }: arcs is undefined as long as nobody knows, and null where there are none; heads by word; ways:
   * which of the ways back are enough. waiting: there are no trees yet; error: why there will be none.
   */
  of(sentence, work) {
    let all = this.known.get(sentence);
    if (!all) this.known.set(sentence, all = new Map());
    const key = keyOfWork(work);
    if (!all.has(key)) {
      if (all.size >= REMEMBERED) all.delete(all.keys().next().value);
      const answer = { trees: [], complete: true, arcs: undefined, heads: new Map(), ways: [], waiting: true };
      // What the file brings is known at once.
      if (!sentence.live || sentence.brings(work)) Object.assign(answer, { trees: sentence.listed(), waiting: false });
      if (!sentence.live || sentence.data.which.minimize) answer.arcs = null;
      all.set(key, answer);
    }
    return all.get(key);
  }
  forget(sentence) {
    this.known.delete(sentence);
    sentence.free();
  }
  /** The answer with its trees, for a decision that is only tried. */
  async trees(sentence, work) {
    const answer = this.of(sentence, work);
    this.trying += 1;
    if (answer.waiting) await this.ask(sentence, answer, ["trees", work], true);
    this.trying -= 1;
    return answer;
  }

  // The next thing to be asked for what is on the screen, or null.
  wanted() {
    const s = sentence(), v = state.selected;
    if (!s?.live || s.own.error) return null;
    const w = work(), answer = this.of(s, w);
    if (answer.waiting) return [answer, ["trees", w]];
    if (answer.error || !answer.trees.length) return decidedIn(w) ? this.wantedWay(answer, w) : null;
    if (answer.arcs === undefined) return [answer, ["probabilities", w]];
    if (v && !answer.heads.has(`${v} ${state.byCost}`)) return [answer, ["heads", w, v, state.byCost, [...w.forbidden.map(([head]) => head), tree()?.heads[v]]], `${v} ${state.byCost}`];
    return null;
  }
  wantedWay(answer, work) {
    const next = ways(work)[answer.ways.length];
    return next && answer.error !== STOPPED ? [answer, ["hasTree", next.next]] : null;
  }
  async ask(sentence, answer, [method, ...args], urgent = false, name = "") {
    let result = null, failed = null;
    this.since ||= performance.now();
    const later = setTimeout(showBusy, 400);
    try {
      result = await this.workshop.run(sentence, method, args, urgent);
    } catch (error) {
      failed = error;
    }
    clearTimeout(later);
    this.since = 0;
    const stopped = failed instanceof Stopped;
    if (method === "trees") Object.assign(answer, failed ? { error: stopped ? STOPPED : failed.message } : result, { waiting: false });
    if (method === "probabilities") {
      answer.arcs = result?.arcs ?? null;
      if (result) for (const t of answer.trees) t.probability ??= Math.exp(t.score - result.logPartition);
    }
    if (method === "heads") answer.heads.set(name, result ?? []);
    if (method === "hasTree") answer.ways.push(result ?? false);
    showBusy();
  }
  /** Asks for what is not known, and draws what comes. */
  look() {
    this.looking ??= this.lookOn();
  }
  async lookOn() {
    await null;
    const due = setTimeout(() => {
      this.late = true;
      this.draw();
    }, SOON);
    let drawn = true;
    for (let next = this.wanted(); next; next = this.wanted()) {
      const [answer, job, name] = next;
      await this.ask(sentence(), answer, job, job[0] === "trees", name);
      drawn = false;
      if (this.late) this.draw();
    }
    clearTimeout(due);
    this.looking = null;
    this.late = false;
    if (!drawn) this.draw();
  }
  /** Is it worth to wait a moment with drawing? */
  isSoon() { return !this.late && this.wanted() !== null; }
  isSettled() { return !this.looking && !this.trying; }
  async settled() {
    while (!this.isSettled()) await (this.looking ?? new Promise((resolve) => setTimeout(resolve)));
  }
  busyWith() {
    if (this.doubting) return this.doubting;
    return this.since && performance.now() - this.since > 350 ? "Looking …" : "";
  }
  stop() {
    this.doubting = null;
    this.workshop.stop();
  }
  /** Finds how doubtful all sentences are; false where it was stopped. */
  async doubts(sentences) {
    const unknown = sentences.filter((s) => s.live && s.own.doubt === undefined);
    for (let i = 0; i < unknown.length; ++i) {
      if (i === 0 || (i % 20 === 0 && this.doubting)) this.doubting = `Looking for doubt: ${i} of ${unknown.length} …`;
      showBusy();
      try {
        unknown[i].own.doubt = await this.workshop.run(unknown[i], "doubt", []);
      } catch (error) {
        if (error instanceof Stopped) return false;
        unknown[i].own.doubt = -1;
      }
    }
    this.doubting = null;
    showBusy();
    return true;
  }
}
