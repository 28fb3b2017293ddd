// What takes time is done elsewhere, so that the page answers meanwhile: one job after the other, in a worker.
import { worker } from "./serve.js";

/** Why a job has no result: somebody pressed Stop. */
export class Stopped extends Error {}

// A job that nobody waits for any more may run so long beside one that somebody waits for, in milliseconds.
const PATIENCE = 50;

export class Workshop {
  // source: the text of a script that answers messages.
  constructor(source) {
    Object.assign(this, { source, jobs: [], running: null, subject: null, number: 0 });
  }
  /** method(...args) of a sentence. */
  run(sentence, method, args, urgent = false) {
    return new Promise((resolve, reject) => {
      const job = { sentence, method, args, resolve, reject };
      if (urgent) this.jobs.unshift(job);
      else this.jobs.push(job);
      if (urgent && this.running) setTimeout(() => this.jobs.includes(job) && this.putBack(), PATIENCE);
      this.next();
    });
  }
  next() {
    if (this.running || !this.jobs.length) return;
    const job = this.running = this.jobs.shift(), { sentence, method, args } = job, id = job.id = ++this.number;
    this.thread ??= this.start();
    let subject;
    if (this.subject !== sentence) {
      const { data: { annotate, fromText, k, which }, own: { conllu, words, tags, rootRule, required, forbidden, scores, trees }, labelNames } = sentence;
      // Of listed trees it is enough to know that there are some.
      subject = { data: { annotate, fromText, k, which }, own: { conllu, words, tags, rootRule, required, forbidden, scores, trees: trees?.slice(0, 1) }, labelNames, arrays: sentence.scores() };
      this.subject = sentence;
    }
    this.thread.postMessage({ id, subject, method, args });
  }
  done({ id, result, error }) {
    const job = this.running;
    if (job?.id !== id) return;
    this.running = null;
    if (error === undefined) job.resolve(result);
    else job.reject(new Error(error));
    this.next();
  }
  start() {
    try {
      const thread = new Worker(URL.createObjectURL(new Blob([this.source], { type: "text/javascript" })));
      thread.onmessage = ({ data }) => this.done(data);
      return thread;
    } catch {
      // No workers here: the page does it by itself.
      const ready = worker();
      return { postMessage: async (message) => this.done((await ready)(message)), terminate: () => {} };
    }
  }
  end() {
    this.thread?.terminate();
    this.thread = this.subject = null;
    const job = this.running;
    this.running = null;
    return job;
  }
  // The job at work makes room, and begins again later.
  putBack() {
    const job = this.end();
    if (job) this.jobs.push(job);
    this.next();
  }
  /** Gives up all jobs. */
  stop() {
    const jobs = [this.end(), ...this.jobs.splice(0)];
    for (const job of jobs) job?.reject(new Stopped("stopped"));
  }
}
